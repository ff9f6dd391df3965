//! Estimates fMLLR transforms as sums of bases, from posteriors of Gaussians.
//!
//! Matches Kaldi's `gmm-est-basis-fmllr-gpost`, except that all frames count. In Kaldi the last one of each utterance, or of the last
//! utterance of each speaker, does not. Steps that are halved are not logged.

use kaldi_value::GaussPost;

use crate::gmm_est_basis_fmllr::estimate;

const USAGE: &str = "\
Estimates transforms of features to which a model fits best as sums of bases, for speakers with little data, from posteriors of
Gaussians: one for each utterance or, with --spk2utt, one for each speaker.

Usage: gmm-est-basis-fmllr-gpost [options] <model-in> <bases-rxfilename> <feats-rspecifier> <gpost-rspecifier> \
<transforms-wspecifier>
 e.g.: gmm-est-basis-fmllr-gpost --spk2utt=ark:spk2utt 1.mdl fmllr.basis scp:feats.scp ark:1.gpost ark:trans.1
See also: gmm-basis-fmllr-training, gmm-est-fmllr-gpost, transform-feats
";

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(estimate::<GaussPost>)).in_pieces(&[
    (kaldi_cli::PiecesIf::Given("spk2utt"), kaldi_cli::Pieces::Speakers("spk2utt")),
    (kaldi_cli::PiecesIf::Always, kaldi_cli::Pieces::Entries(2)),
]);
