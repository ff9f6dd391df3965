//! Estimates fMLLR transforms from posteriors of transition-ids.
//!
//! Matches Kaldi's `gmm-est-fmllr`.

use kaldi_cli::{InputName, MapName, OutputName, Tally};
use kaldi_gmm::AcousticModel;
use kaldi_gmm::tables::{FmllrPosteriors, SpeakerTables, write_fmllr};
use kaldi_gmm::transform::FmllrOptions;
use kaldi_table::read_file;
use kaldi_value::Posterior;

const USAGE: &str = "\
Estimates transforms of features to which a model fits best (fMLLR), from posteriors of transition-ids: one for each
utterance or, with --spk2utt, one for each speaker.

Usage: gmm-est-fmllr [options] <model-in> <feats-rspecifier> <post-rspecifier> <transforms-wspecifier>
 e.g.: gmm-est-fmllr --spk2utt=ark:spk2utt final.mdl scp:feats.scp ark:1.post ark:trans.1
See also: transform-feats, compose-transforms, weight-silence-post, gmm-post-to-gpost
";

#[derive(clap::Args)]
pub(crate) struct Options {
    #[command(flatten)]
    estimation: FmllrOptions,
    /// Rspecifier of the map from speakers to utterances
    #[arg(long)]
    spk2utt: Option<MapName>,
    model: InputName,
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
    let model: AcousticModel = read_file(&opts.model)?;
    let tables = SpeakerTables { feats: &opts.feats, posteriors: &opts.posteriors, spk2utt: opts.spk2utt.as_deref() };
    let totals = write_fmllr::<P>(model, opts.estimation, &tables, &opts.target)?;
    Ok(Tally::new(totals.done, totals.failed))
}
