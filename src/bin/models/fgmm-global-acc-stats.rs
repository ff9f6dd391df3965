//! Computes statistics for the estimation of a mixture with full covariances.
//!
//! Matches Kaldi's `fgmm-global-acc-stats`, except that an utterance with a frame that has no likelihood is an error.

use kaldi_gmm::FullGmm;

use crate::gmm_global_acc_stats::accumulate;

const USAGE: &str = "\
Computes statistics of features for the estimation of a mixture with full covariances, with the posteriors of the mixture
as it is. With --gselect only the Gaussians count that were selected, which is quicker.

Usage: fgmm-global-acc-stats [options] <model-in> <feats-rspecifier> <stats-wxfilename>
 e.g.: fgmm-global-acc-stats --gselect=ark:gselect.ark 1.ubm scp:feats.scp 1.acc
See also: fgmm-global-sum-accs, fgmm-global-est, fgmm-global-acc-stats-post
";

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(accumulate::<FullGmm>))
    .in_pieces(&[(kaldi_cli::PiecesIf::Always, kaldi_cli::Pieces::Sums(1, "fgmm-global-sum-accs OUT IN"))]);
