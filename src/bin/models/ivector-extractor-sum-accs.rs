//! Sums statistics for training an i-vector extractor.
//!
//! Matches Kaldi's `ivector-extractor-sum-accs`, except that `--parallel` has no effect: inputs are opened one after the
//! other.

use kaldi_cli::{InputName, OutputName, Tally, add_files};
use kaldi_io::log::log;
use kaldi_io::printable_wxfilename;
use kaldi_ivector::IvectorExtractorStats;
use kaldi_table::write_file;
use kaldi_value::Format;

const USAGE: &str = "\
Sums statistics of ivector-extractor-acc-stats. The output comes last.

Usage: ivector-extractor-sum-accs [options] <stats-rxfilename1> [<stats-rxfilename2> ...] <stats-wxfilename>
 e.g.: ivector-extractor-sum-accs 2.1.acc 2.2.acc 2.acc
See also: ivector-extractor-acc-stats, ivector-extractor-est
";

#[derive(clap::Args)]
struct Options {
    /// Write in binary mode
    #[arg(long, default_value_t = true)]
    binary: bool,
    /// No effect: inputs are opened one after the other
    #[arg(long)]
    parallel: bool,
    #[arg(required = true)]
    sources: Vec<InputName>,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(ivector_extractor_sum_accs));

fn ivector_extractor_sum_accs(opts: Options) -> anyhow::Result<Tally> {
    let _ = opts.parallel;
    let mut sum = IvectorExtractorStats::default();
    add_files(&opts.sources, |source| sum.add(source))?;
    write_file(&opts.target, &sum, Format::from_binary(opts.binary))?;
    log!("Wrote summed stats to {}", printable_wxfilename(&opts.target));
    Ok(Tally::new(opts.sources.len() as u64, 0))
}
