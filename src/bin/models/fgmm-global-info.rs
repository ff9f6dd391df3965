//! Prints the numbers of Gaussians and dimensions of a mixture with full covariances.
//!
//! Matches Kaldi's `fgmm-global-info`.

use kaldi_gmm::FullGmm;

use crate::gmm_global_info::print_sizes;

const USAGE: &str = "\
Prints how many Gaussians and dimensions a mixture with full covariances has.

Usage: fgmm-global-info [options] <model-in>
 e.g.: fgmm-global-info 1.ubm
See also: fgmm-global-copy, gmm-global-info, table-info
";

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(print_sizes::<FullGmm>));
