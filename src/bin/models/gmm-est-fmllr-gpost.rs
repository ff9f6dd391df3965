//! Estimates fMLLR transforms from posteriors of Gaussians.
//!
//! Matches Kaldi's `gmm-est-fmllr-gpost`.

use kaldi_value::GaussPost;

use crate::gmm_est_fmllr::estimate;

const USAGE: &str = "\
Estimates transforms of features to which a model fits best (fMLLR), from posteriors of Gaussians: one for each
utterance or, with --spk2utt, one for each speaker.

Usage: gmm-est-fmllr-gpost [options] <model-in> <feats-rspecifier> <gpost-rspecifier> <transforms-wspecifier>
 e.g.: gmm-est-fmllr-gpost --spk2utt=ark:spk2utt final.mdl scp:feats.scp ark:1.gpost ark:trans.1
See also: transform-feats, compose-transforms, weight-silence-post, gmm-post-to-gpost
";

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(estimate::<GaussPost>)).in_pieces(&[
    (kaldi_cli::PiecesIf::Given("spk2utt"), kaldi_cli::Pieces::Speakers("spk2utt")),
    (kaldi_cli::PiecesIf::Always, kaldi_cli::Pieces::Entries(1)),
]);
