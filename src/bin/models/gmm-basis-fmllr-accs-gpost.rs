//! Computes statistics of bases of fMLLR from posteriors of Gaussians.
//!
//! Matches Kaldi's `gmm-basis-fmllr-accs-gpost`, except that all frames count. In Kaldi the last one of each utterance, or of the last
//! utterance of each speaker, does not.

use kaldi_value::GaussPost;

use crate::gmm_basis_fmllr_accs::write_stats;

const USAGE: &str = "\
Computes statistics from which bases of fMLLR transforms are trained, from posteriors of Gaussians: of each utterance or, with
--spk2utt, of each speaker.

Usage: gmm-basis-fmllr-accs-gpost [options] <model-in> <feats-rspecifier> <gpost-rspecifier> <stats-wxfilename>
 e.g.: gmm-basis-fmllr-accs-gpost --spk2utt=ark:spk2utt 1.mdl scp:feats.scp ark:1.gpost 1.basis_stats
See also: gmm-basis-fmllr-accs, gmm-basis-fmllr-training, gmm-est-basis-fmllr-gpost
";

pub const TOOL: kaldi_cli::Tool =
    kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(write_stats::<GaussPost>)).whole("its output is one file");
