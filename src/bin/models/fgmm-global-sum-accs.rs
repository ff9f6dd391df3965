//! Sums statistics for mixtures with full covariances.
//!
//! Matches Kaldi's `fgmm-global-sum-accs`.

use kaldi_gmm::AccumFullGmm;

use crate::gmm_global_sum_accs::sum_of_stats;

const USAGE: &str = "\
Sums statistics for the estimation of a mixture with full covariances.

Usage: fgmm-global-sum-accs [options] <stats-wxfilename> <stats-rxfilename1> [<stats-rxfilename2> ...]
 e.g.: fgmm-global-sum-accs 1.acc 1.*.acc
See also: fgmm-global-acc-stats, fgmm-global-est
";

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(sum_of_stats::<AccumFullGmm>));
