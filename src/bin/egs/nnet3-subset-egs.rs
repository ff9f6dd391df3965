//! Keeps a random subset of training examples of nnet3.
//!
//! Matches Kaldi's `nnet3-subset-egs`, the choice and the order included.

use anyhow::ensure;
use bstr::BStr;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_egs::{NnetExample, choose_subset, read_records};
use kaldi_io::Wspecifier;
use kaldi_io::log::log;
use kaldi_table::{Reader, TableWriter};
use kaldi_value::random::Mersenne;
use kaldi_value::{Format, Value};

const USAGE: &str = "\
Keeps a random subset of training examples of nnet3. Only the subset is in memory; it is written after everything was read.

Usage: nnet3-subset-egs [options] <egs-rspecifier> <egs-wspecifier>
 e.g.: nnet3-subset-egs --n=1000 --srand=1 ark:train.egs ark:subset.egs
See also: nnet3-copy-egs, nnet3-shuffle-egs, table-sample
";

#[derive(clap::Args)]
pub(crate) struct Options {
    /// How many examples to keep
    #[arg(long, default_value_t = 1000)]
    n: i32,
    /// Shuffle the subset; otherwise an example that replaces another takes its place
    #[arg(long, default_value_t = true)]
    randomize_order: bool,
    /// Seed of the order; the choice does not depend on it
    #[arg(long, default_value_t = 0)]
    srand: i32,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool =
    kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(nnet3_subset_egs)).whole("the subset is one of all examples");

fn nnet3_subset_egs(opts: Options) -> anyhow::Result<Tally> {
    keep_subset::<NnetExample>(opts, "neural-network")
}

/// Keeps a subset of examples of any kind.
pub(crate) fn keep_subset<E: Value>(opts: Options, kind: &str) -> anyhow::Result<Tally> {
    ensure!(opts.n >= 0, "expected --n to be 0 or more, got {}", opts.n);
    // An invalid name is refused when the table is created.
    let is_text = Wspecifier::parse(BStr::new(&opts.target)).is_some_and(|target| !target.options.binary);
    let mut rows = read_records::<E>(&opts.source, Format::from_binary(!is_text))?;
    let (mut kept, num_read) = choose_subset(&mut rows, opts.n.unsigned_abs())?;
    rows.finish()?;
    if opts.randomize_order {
        Mersenne::seeded(opts.srand as u32).shuffle(&mut kept);
    }
    let mut target = TableWriter::<E>::create(&opts.target)?;
    log!("Selected a subset of {} out of {num_read} {kind} training examples ", kept.len());
    let done = kept.len() as u64;
    kept.into_iter().try_for_each(|record| target.put(record))?;
    target.finish()?;
    Ok(Tally::new(done, 0).ok_if(num_read > 0))
}
