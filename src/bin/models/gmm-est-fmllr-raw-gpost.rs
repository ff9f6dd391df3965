//! Estimates fMLLR transforms of frames before splicing, from posteriors of Gaussians.
//!
//! Matches Kaldi's `gmm-est-fmllr-raw-gpost`, except that the offsets of the full matrix count, which Kaldi drops, and that
//! statistics from which nothing can be estimated are an error.

use kaldi_value::GaussPost;

use crate::gmm_est_fmllr_raw::estimate;

const USAGE: &str = "\
Estimates transforms of frames before they are spliced and transformed (LDA and MLLT), to which a model of transformed features
fits best, from posteriors of Gaussians: one for each utterance or, with --spk2utt, one for each speaker. The features are
spliced; the full matrix has the rejected rows, too.

Usage: gmm-est-fmllr-raw-gpost [options] <model-in> <full-matrix-rxfilename> <feats-rspecifier> <gpost-rspecifier> \
<transforms-wspecifier>
 e.g.: gmm-est-fmllr-raw-gpost --spk2utt=ark:spk2utt 1.mdl full.mat 'ark:splice-feats scp:feats.scp ark:- |' ark:1.gpost ark:trans.1
See also: get-full-lda-mat, gmm-est-fmllr-gpost, transform-feats, splice-feats
";

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(estimate::<GaussPost>)).in_pieces(&[
    (kaldi_cli::PiecesIf::Given("spk2utt"), kaldi_cli::Pieces::Speakers("spk2utt")),
    (kaldi_cli::PiecesIf::Always, kaldi_cli::Pieces::Entries(1)),
]);
