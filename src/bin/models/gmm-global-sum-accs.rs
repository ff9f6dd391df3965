//! Sums statistics for mixtures with diagonal covariances.
//!
//! Matches Kaldi's `gmm-global-sum-accs`.

use kaldi_cli::{SumOptions, Tally, sum_stats};
use kaldi_gmm::{AccumDiagGmm, GmmStats};
use kaldi_io::log::log;
use kaldi_table::write_file;
use kaldi_value::Format;

const USAGE: &str = "\
Sums statistics for the estimation of a mixture with diagonal covariances.

Usage: gmm-global-sum-accs [options] <stats-wxfilename> <stats-rxfilename1> [<stats-rxfilename2> ...]
 e.g.: gmm-global-sum-accs 1.acc 1.*.acc
See also: gmm-global-acc-stats, gmm-global-est
";

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(sum_of_stats::<AccumDiagGmm>));

/// Sums statistics of either kind.
pub(crate) fn sum_of_stats<S: GmmStats>(opts: SumOptions) -> anyhow::Result<Tally> {
    let sum: S = sum_stats(&opts.sources, S::add)?;
    write_file(&opts.target, &sum, Format::from_binary(opts.binary))?;
    log!("Written stats to {}", opts.target);
    Ok(Tally::new(opts.sources.len() as u64, 0))
}
