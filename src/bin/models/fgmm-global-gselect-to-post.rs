//! Computes the posteriors of Gaussians that were selected, with a mixture of full covariances.
//!
//! Matches Kaldi's `fgmm-global-gselect-to-post`.

use kaldi_gmm::FullGmm;

use crate::gmm_global_gselect_to_post::selected_posteriors;

const USAGE: &str = "\
Computes the posteriors of the Gaussians that were selected for each frame, with a mixture of full covariances. With
--min-post small ones are left out, and the others make up for them.

Usage: fgmm-global-gselect-to-post [options] <model-in> <feats-rspecifier> <gselect-rspecifier> <post-wspecifier>
 e.g.: fgmm-global-gselect-to-post --min-post=0.025 final.ubm scp:feats.scp ark:gselect.ark ark:post.ark
See also: gmm-gselect, gmm-global-get-post, gmm-global-gselect-to-post
";

pub const TOOL: kaldi_cli::Tool =
    kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(selected_posteriors::<FullGmm>)).by_entry(1);
