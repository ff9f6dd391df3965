//! Selects the best Gaussians of every frame, from a mixture with full covariances.
//!
//! Matches Kaldi's `fgmm-gselect`, except that an utterance without frames is skipped.

use kaldi_gmm::FullGmm;

use crate::gmm_gselect::select;

const USAGE: &str = "\
Selects the Gaussians of a mixture with full covariances that are most likely for each frame, the best first. With
--gselect it chooses among Gaussians that were selected before.

Usage: fgmm-gselect [options] <model-in> <feats-rspecifier> <gselect-wspecifier>
 e.g.: fgmm-gselect --n=20 final.ubm scp:feats.scp ark:gselect.ark
See also: gmm-global-get-post, fgmm-global-gselect-to-post, copy-gselect, gmm-gselect
";

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(select::<FullGmm>)).by_entry(1);
