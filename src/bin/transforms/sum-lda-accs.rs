//! Sums statistics for LDA.
//!
//! Matches Kaldi's `sum-lda-accs`.

use kaldi_cli::{SumOptions, Tally, add_files};
use kaldi_gmm::transform::LdaStats;
use kaldi_table::write_file;
use kaldi_value::Format;

const USAGE: &str = "\
Sums statistics of acc-lda.

Usage: sum-lda-accs [options] <stats-wxfilename> <stats-rxfilename1> [<stats-rxfilename2> ...]
 e.g.: sum-lda-accs lda.acc lda.*.acc
See also: est-lda
";

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(sum_lda_accs));

fn sum_lda_accs(opts: SumOptions) -> anyhow::Result<Tally> {
    let mut sum = LdaStats::default();
    add_files(&opts.sources, |source| sum.add(source))?;
    write_file(&opts.target, &sum, Format::from_binary(opts.binary))?;
    Ok(Tally::new(opts.sources.len() as u64, 0))
}
