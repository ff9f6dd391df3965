//! Copies a mixture of Gaussians with full covariances.
//!
//! Matches Kaldi's `fgmm-global-copy`.

use kaldi_gmm::FullGmm;

use crate::gmm_global_copy::copy_mixture;

const USAGE: &str = "\
Copies a mixture of Gaussians with full covariances, for instance to text. The constant parts of the likelihoods are
computed anew.

Usage: fgmm-global-copy [options] <model-in> <model-out>
 e.g.: fgmm-global-copy --binary=false 1.ubm - | less
See also: fgmm-global-info, gmm-global-copy
";

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(copy_mixture::<FullGmm>));
