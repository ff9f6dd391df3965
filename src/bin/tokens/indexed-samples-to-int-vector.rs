//! Writes the samples of a token dataset in the order of training.
//!
//! Kaldi has no such program.

use anyhow::{Result, anyhow, bail};
use bstr::BStr;
use indexed_dataset::samples::SampleIndices;
use indexed_dataset::{Dialect, IndexedDataset, Prefix, decode_i32};
use kaldi_cli::{Arg, OutputName, Tally};
use kaldi_io::log::log;
use kaldi_table::{Record, TableWriter, count_delivered};

const USAGE: &str = "\
Writes the samples of a token dataset as integer vectors, in the order of the training, by the indices of
indexed-build-samples or Megatron. Keys are numbers, counted from 0, with leading zeros.

Usage: indexed-samples-to-int-vector [options] <prefix> <index-dir> <int-vector-wspecifier>
 e.g.: indexed-samples-to-int-vector --seq-length=2048 train indices ark,t:- | head -n 1
See also: indexed-build-samples, indexed-to-int-vector
";

#[derive(clap::Args)]
struct Options {
    /// Tokens of a sample, without the extra one: longer samples are errors, a shorter one is padded; with 0, samples
    /// keep their lengths
    #[arg(long, default_value_t = 0)]
    seq_length: u64,
    /// Samples have the first token of the next one, too, as when the indices were made
    #[arg(long, default_value_t = true)]
    extra_token: bool,
    /// Token to pad a shorter sample with
    #[arg(long, default_value_t = 0)]
    pad: i32,
    /// Use the indices with this in their names, such as train, if the folder has several
    #[arg(long)]
    choose: Option<String>,
    /// Dialect of the dataset: megatron, gpt-neox, deepspeed or fairseq; by default that of the files
    #[arg(long, value_parser = kaldi_cli::one_of_renamed(&Dialect::NAMES, &Dialect::OLD_NAMES))]
    dialect: Option<Dialect>,
    prefix: Arg,
    index_dir: Arg,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::careful(USAGE, &kaldi_cli::Work(indexed_samples_to_int_vector))
    .whole("a token dataset is no table, and cannot be cut");

fn indexed_samples_to_int_vector(opts: Options) -> Result<Tally> {
    let dataset = IndexedDataset::open_as(&Prefix::new(opts.prefix.as_path()), opts.dialect)?;
    let chosen = opts.choose.as_deref().unwrap_or_default();
    let samples = SampleIndices::open(&dataset, opts.index_dir.as_path(), chosen, opts.extra_token)?;
    let length = match opts.seq_length {
        0 => None,
        length => Some(usize::try_from(length)?.saturating_add(opts.extra_token.into())),
    };
    let mut target = TableWriter::<Vec<i32>>::create(&opts.target)?;
    let width = samples.len().saturating_sub(1).to_string().len();
    for place in 0..samples.len() {
        let sample = samples.sample(place)?;
        let mut tokens = Vec::new();
        decode_i32(sample.as_bytes(), sample.token_type(), &mut tokens).map_err(|misfit| {
            anyhow!(
                "sample {place}: token {}: expected a number that fits int32, found {}",
                misfit.position,
                misfit.value
            )
        })?;
        match length {
            Some(length) if tokens.len() > length => {
                bail!("sample {place}: expected {length} tokens, found {}: is --seq-length right?", tokens.len());
            }
            // Only the rest at the end is shorter.
            Some(length) if length - tokens.len() > 1 << 30 => {
                bail!("sample {place}: expected {length} tokens, found {}", tokens.len())
            }
            Some(length) => tokens.resize(length, opts.pad),
            None => {}
        }
        let key = format!("{place:0width$}");
        target.put(Record::from_value(BStr::new(&key), tokens, target.format()))?;
        count_delivered();
    }
    log!("Wrote {} samples of {}", samples.len(), dataset.prefix());
    target.finish()?;
    Ok(Tally::new(samples.len(), 0).always_ok())
}
