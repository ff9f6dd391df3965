//! Makes the sample indices of a token dataset, like Megatron at the start of a training.
//!
//! Kaldi has no such program.

use anyhow::{Result, bail, ensure};
use bstr::ByteSlice;
use indexed_dataset::samples::{
    IndexNames, NpyReader, SampleCount, SampleOptions, SeparateLastEpoch, Split, SplitName, build_samples,
};
use indexed_dataset::{Dialect, IndexedDataset, Prefix};
use kaldi_cli::{Arg, InputName, Tally};
use kaldi_io::log::log;
use kaldi_io::{Input, Output};
use std::path::Path;

const USAGE: &str = "\
Makes the indices for training a model on a token dataset: document_index.npy (the order of the sequences),
sample_index.npy (the start of each sample: the position in that order, and the token in the sequence) and
shuffle_index.npy (the order of the samples). The files are equal, byte for byte, to those that Megatron makes and
keeps. Without --num-samples and --num-epochs, they are those of one epoch.

Usage: indexed-build-samples [options] <prefix> <out-dir>
 e.g.: indexed-build-samples --seq-length=2048 --num-samples=1000000 train indices
       indexed-build-samples --seq-length=2048 --split=98,1,1 --part=valid --description=description.txt train cache
See also: indexed-samples-to-int-vector, indexed-blend, int-vector-to-indexed
";

#[derive(clap::Args)]
struct Options {
    /// Tokens of a sample
    #[arg(long, default_value_t = 2048)]
    seq_length: u64,
    /// Make at least this many samples, with as many epochs as necessary
    #[arg(long)]
    num_samples: Option<u64>,
    /// Make the samples of this many epochs
    #[arg(long)]
    num_epochs: Option<u64>,
    /// Seed of the shuffles
    #[arg(long, default_value_t = 1234)]
    seed: u32,
    /// Shares of the sequences for training, validation and test
    #[arg(long, default_value = "969,30,1")]
    split: Split,
    /// The part for which indices are made: train, valid or test
    #[arg(long, alias = "split-name", default_value = "train", value_parser = kaldi_cli::one_of(&SplitName::NAMES))]
    part: SplitName,
    /// Add the first token of the next sample to each sample
    #[arg(long, default_value_t = true)]
    extra_token: bool,
    /// Leave out an incomplete sample at the end
    #[arg(long, default_value_t = true)]
    drop_last: bool,
    /// Shuffle the last epoch separately: true, false, or auto: if less than 80 % of its samples are wanted
    #[arg(long, default_value = "auto", value_parser = kaldi_cli::one_of_renamed(&SEPARATE, &OTHER_WORDS))]
    separate_last_epoch: SeparateLastEpoch,
    /// Shuffle; otherwise sequences and samples are in the order of the dataset
    #[arg(long, default_value_t = true)]
    shuffle: bool,
    /// Rxfilename of the description whose MD5 sum is in Megatron's file names: the files are named by it, and it is
    /// copied
    #[arg(long)]
    description: Option<InputName>,
    /// Also print the three indices, one row per line, each after a line with its name
    #[arg(long, alias = "text")]
    print_indices: bool,
    /// Dialect of the dataset: megatron, gpt-neox, deepspeed or fairseq; by default that of the files
    #[arg(long, value_parser = kaldi_cli::one_of_renamed(&Dialect::NAMES, &Dialect::OLD_NAMES))]
    dialect: Option<Dialect>,
    prefix: Arg,
    out_dir: Arg,
}

const SEPARATE: [(&str, SeparateLastEpoch); 3] =
    [("auto", SeparateLastEpoch::Auto), ("true", SeparateLastEpoch::Yes), ("false", SeparateLastEpoch::No)];

/// Other words for true and false.
const OTHER_WORDS: [(&str, &str); 4] = [("t", "true"), ("1", "true"), ("f", "false"), ("0", "false")];

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::careful(USAGE, &kaldi_cli::Work(indexed_build_samples))
    .whole("a token dataset is no table, and cannot be cut");

fn indexed_build_samples(opts: Options) -> Result<Tally> {
    let count = match (opts.num_samples, opts.num_epochs) {
        (Some(_), Some(_)) => bail!("expected --num-samples or --num-epochs, got both"),
        (Some(samples), None) => SampleCount::Samples(samples),
        (None, Some(epochs)) => SampleCount::Epochs(epochs),
        (None, None) => SampleCount::OneEpoch,
    };
    let options = SampleOptions {
        seq_length: opts.seq_length,
        count,
        seed: opts.seed,
        extra_token: opts.extra_token,
        drop_last: opts.drop_last,
        separate_last_epoch: opts.separate_last_epoch,
        shuffle: opts.shuffle,
    };
    let dataset = IndexedDataset::open_as(&Prefix::new(opts.prefix.as_path()), opts.dialect)?;
    let sequences = opts.split.range(opts.part, dataset.len());
    ensure!(!sequences.is_empty(), "{}: no sequences are in the part {}", dataset.prefix(), opts.part.name());
    let names = match &opts.description {
        Some(description) => IndexNames::described(Input::open(description)?.read_to_end()?, "GPTDataset", opts.part),
        None => IndexNames::plain(),
    };
    let target = opts.out_dir.as_path();
    let built = build_samples(&dataset, sequences.clone(), &options, target, &names)?;
    log!(
        "Made the indices of {} samples: sequences {}:{} of {}, {} tokens an epoch, {} epochs{}",
        built.num_samples,
        sequences.start,
        sequences.end,
        dataset.prefix(),
        built.tokens_per_epoch,
        built.num_epochs,
        if built.separate { ", the last one apart" } else { "" }
    );
    if opts.print_indices {
        print(target, &names)?;
    }
    Ok(Tally::new(built.num_samples, 0).always_ok())
}

/// Prints the indices that were written.
fn print(folder: &Path, names: &IndexNames) -> Result<()> {
    /// Rows that are read at a time.
    const PIECE: u64 = 1 << 14;
    let mut output = Output::create(b"-".as_bstr(), false)?;
    for what in ["document_index", "sample_index", "shuffle_index"] {
        output.write_all(format!("{what}\n").as_bytes())?;
        let array = NpyReader::open(&folder.join(names.of(&format!("{what}.npy"))))?;
        for start in (0..array.num_rows()).step_by(PIECE as usize) {
            let numbers = array.rows(start..array.num_rows().min(start + PIECE))?;
            let mut text = String::new();
            for row in numbers.chunks(array.num_columns() as usize) {
                text += &row.iter().map(i64::to_string).collect::<Vec<_>>().join(" ");
                text.push('\n');
            }
            output.write_all(text.as_bytes())?;
        }
    }
    Ok(output.finish()?)
}
