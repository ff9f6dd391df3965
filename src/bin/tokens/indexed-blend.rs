//! Makes the indices of a blend of token datasets.
//!
//! Kaldi has no such program.

use std::str::FromStr;

use anyhow::{Context, Result};
use bstr::ByteSlice;
use indexed_dataset::samples::{IndexNames, SplitName, blend};
use kaldi_cli::{Arg, InputName, Tally};
use kaldi_io::log::log;
use kaldi_io::{Input, Output};

const USAGE: &str = "\
Makes the indices for training a model on a blend of datasets: dataset_index.npy has the number of the dataset of each
sample, dataset_sample_index.npy the number of the sample in it. Each sample comes from the dataset that is furthest
below its share. The files are equal, byte for byte, to those that Megatron makes and keeps.

Usage: indexed-blend [options] --weights=<w>,<w>... --size=<n> <out-dir>
 e.g.: indexed-blend --weights=0.5,0.3,0.2 --size=1000000 blend
See also: indexed-build-samples
";

#[derive(clap::Args)]
struct Options {
    /// Shares of the datasets, separated by commas; they need not add up to 1
    #[arg(long)]
    weights: Option<Weights>,
    /// Number of samples
    #[arg(long)]
    size: Option<u64>,
    /// Rxfilename of the description whose MD5 sum is in Megatron's file names: the files are named by it, and it is
    /// copied
    #[arg(long)]
    description: Option<InputName>,
    /// The part in the names of the files, with --description: train, valid or test
    #[arg(long, alias = "split-name", default_value = "train", value_parser = kaldi_cli::one_of(&SplitName::NAMES))]
    part: SplitName,
    /// Also print both indices, side by side, one row per line
    #[arg(long, alias = "text")]
    print_indices: bool,
    out_dir: Arg,
}

#[derive(Clone, Debug)]
struct Weights(Vec<f64>);

impl FromStr for Weights {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let weights = text.split(',').map(|weight| weight.trim().parse().ok()).collect::<Option<_>>();
        weights.map(Self).ok_or_else(|| format!("expected numbers such as 0.5,0.3,0.2, got {text:?}"))
    }
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::careful(USAGE, &kaldi_cli::Work(indexed_blend))
    .whole("a token dataset is no table, and cannot be cut");

fn indexed_blend(opts: Options) -> Result<Tally> {
    let weights = opts.weights.context("expected --weights, such as --weights=0.5,0.3,0.2")?.0;
    let size = opts.size.context("expected --size, the number of samples")?;
    let rows = blend(&weights, size)?;
    let names = match &opts.description {
        Some(description) => {
            IndexNames::described(Input::open(description)?.read_to_end()?, "BlendedDataset", opts.part)
        }
        None => IndexNames::plain(),
    };
    rows.clone().write(opts.out_dir.as_path(), &names)?;
    if opts.print_indices {
        let mut output = Output::create(b"-".as_bstr(), false)?;
        for (dataset, sample) in rows {
            output.write_all(format!("{dataset} {sample}\n").as_bytes())?;
        }
        output.finish()?;
    }
    log!("Blended {size} samples of {} datasets", weights.len());
    Ok(Tally::new(size, 0).always_ok())
}
