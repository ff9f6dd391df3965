//! Computes the log likelihood of every frame, with a mixture of full covariances.
//!
//! Matches Kaldi's `fgmm-global-get-frame-likes`.

use kaldi_gmm::FullGmm;

use crate::gmm_global_get_frame_likes::frame_likelihoods;

const USAGE: &str = "\
Computes the log likelihood of each frame, with a mixture of full covariances: a vector for each utterance, or with
--average one number.

Usage: fgmm-global-get-frame-likes [options] <model-in> <feats-rspecifier> <likes-wspecifier>
 e.g.: fgmm-global-get-frame-likes --average=true final.ubm scp:feats.scp ark,t:likes
See also: gmm-gselect, compute-vad-from-frame-likes, gmm-global-get-frame-likes
";

pub const TOOL: kaldi_cli::Tool =
    kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(frame_likelihoods::<FullGmm>)).by_entry(1);
