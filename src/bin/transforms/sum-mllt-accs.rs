//! Sums statistics for MLLT.
//!
//! Matches Kaldi's `sum-mllt-accs`.

use kaldi_cli::{SumOptions, Tally, add_files};
use kaldi_gmm::transform::MlltStats;
use kaldi_table::write_file;
use kaldi_value::Format;

const USAGE: &str = "\
Sums statistics of gmm-acc-mllt.

Usage: sum-mllt-accs [options] <stats-wxfilename> <stats-rxfilename1> [<stats-rxfilename2> ...]
 e.g.: sum-mllt-accs 1.macc 1.*.macc
See also: est-mllt
";

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(sum_mllt_accs));

fn sum_mllt_accs(opts: SumOptions) -> anyhow::Result<Tally> {
    let mut sum = MlltStats::default();
    add_files(&opts.sources, |source| sum.add(source))?;
    write_file(&opts.target, &sum, Format::from_binary(opts.binary))?;
    Ok(Tally::new(opts.sources.len() as u64, 0))
}
