//! Estimates fMLLR transforms of frames before splicing, from posteriors of transition-ids.
//!
//! Matches Kaldi's `gmm-est-fmllr-raw`, except that the offsets of the full matrix count, which Kaldi drops, and that
//! statistics from which nothing can be estimated are an error.

use kaldi_cli::{InputName, MapName, OutputName, Tally};
use kaldi_gmm::AcousticModel;
use kaldi_gmm::tables::{FmllrPosteriors, SpeakerTables, write_raw_fmllr};
use kaldi_gmm::transform::{RawFmllrOptions, SplicedTransform};
use kaldi_matrix::Matrix;
use kaldi_table::read_file;
use kaldi_value::Posterior;

const USAGE: &str = "\
Estimates transforms of frames before they are spliced and transformed (LDA and MLLT), to which a model of transformed features
fits best, from posteriors of transition-ids: one for each utterance or, with --spk2utt, one for each speaker. The features are
spliced; the full matrix has the rejected rows, too.

Usage: gmm-est-fmllr-raw [options] <model-in> <full-matrix-rxfilename> <feats-rspecifier> <post-rspecifier> \
<transforms-wspecifier>
 e.g.: gmm-est-fmllr-raw --spk2utt=ark:spk2utt 1.mdl full.mat 'ark:splice-feats scp:feats.scp ark:- |' ark:1.post ark:trans.1
See also: get-full-lda-mat, gmm-est-fmllr, transform-feats, splice-feats
";

#[derive(clap::Args)]
pub(crate) struct Options {
    /// With fewer frames, the transform changes nothing
    #[arg(long, default_value_t = RawFmllrOptions::default().min_count)]
    fmllr_min_count: f32,
    /// The number of iterations
    #[arg(long, default_value_t = RawFmllrOptions::default().num_iters)]
    fmllr_num_iters: i32,
    /// The dimension of frames before splicing
    #[arg(long, default_value_t = 13)]
    raw_feat_dim: i32,
    /// Rspecifier of the map from speakers to utterances
    #[arg(long)]
    spk2utt: Option<MapName>,
    model: InputName,
    full_matrix: InputName,
    feats: InputName,
    posteriors: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(estimate::<Posterior>)).in_pieces(&[
    (kaldi_cli::PiecesIf::Given("spk2utt"), kaldi_cli::Pieces::Speakers("spk2utt")),
    (kaldi_cli::PiecesIf::Always, kaldi_cli::Pieces::Entries(1)),
]);

/// Estimates transforms from posteriors of either kind.
pub(crate) fn estimate<P: FmllrPosteriors>(opts: Options) -> anyhow::Result<Tally> {
    let options = RawFmllrOptions { min_count: opts.fmllr_min_count, num_iters: opts.fmllr_num_iters };
    let model: AcousticModel = read_file(&opts.model)?;
    let full: Matrix<f32> = read_file(&opts.full_matrix)?;
    let transform = SplicedTransform::new(opts.raw_feat_dim, model.pdfs.dim(), &full)?;
    let tables = SpeakerTables { feats: &opts.feats, posteriors: &opts.posteriors, spk2utt: opts.spk2utt.as_deref() };
    let counts = write_raw_fmllr::<P>(model, transform, options, &tables, &opts.target)?;
    Ok(Tally::new(counts.done, counts.missing + counts.failed))
}
