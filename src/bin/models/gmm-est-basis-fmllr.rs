//! Estimates fMLLR transforms as sums of bases, from posteriors of transition-ids.
//!
//! Matches Kaldi's `gmm-est-basis-fmllr`, except that all frames count. In Kaldi the last one of each utterance, or of the last
//! utterance of each speaker, does not. Steps that are halved are not logged.

use kaldi_cli::{InputName, MapName, OutputName, Tally};
use kaldi_gmm::AcousticModel;
use kaldi_gmm::tables::{BasisTargets, FmllrPosteriors, SpeakerTables, write_basis_fmllr};
use kaldi_gmm::transform::{BasisFmllr, BasisFmllrOptions};
use kaldi_table::read_file;
use kaldi_value::Posterior;

const USAGE: &str = "\
Estimates transforms of features to which a model fits best as sums of bases, for speakers with little data, from posteriors of
transition-ids: one for each utterance or, with --spk2utt, one for each speaker.

Usage: gmm-est-basis-fmllr [options] <model-in> <bases-rxfilename> <feats-rspecifier> <post-rspecifier> \
<transforms-wspecifier>
 e.g.: gmm-est-basis-fmllr --spk2utt=ark:spk2utt 1.mdl fmllr.basis scp:feats.scp ark:1.post ark:trans.1
See also: gmm-basis-fmllr-training, gmm-est-fmllr, transform-feats
";

#[derive(clap::Args)]
pub(crate) struct Options {
    #[command(flatten)]
    estimation: BasisFmllrOptions,
    /// Rspecifier of the map from speakers to utterances
    #[arg(long)]
    spk2utt: Option<MapName>,
    /// Wspecifier for the weights of the bases
    #[arg(long)]
    write_weights: Option<OutputName>,
    model: InputName,
    bases: InputName,
    feats: InputName,
    posteriors: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(estimate::<Posterior>)).in_pieces(&[
    (kaldi_cli::PiecesIf::Given("spk2utt"), kaldi_cli::Pieces::Speakers("spk2utt")),
    (kaldi_cli::PiecesIf::Always, kaldi_cli::Pieces::Entries(2)),
]);

/// Estimates transforms from posteriors of either kind.
pub(crate) fn estimate<P: FmllrPosteriors>(opts: Options) -> anyhow::Result<Tally> {
    let model: AcousticModel = read_file(&opts.model)?;
    let bases: BasisFmllr = read_file(&opts.bases)?;
    let tables = SpeakerTables { feats: &opts.feats, posteriors: &opts.posteriors, spk2utt: opts.spk2utt.as_deref() };
    let targets = BasisTargets { transforms: &opts.target, weights: opts.write_weights.as_deref() };
    let counts = write_basis_fmllr::<P>(model, bases, opts.estimation, &tables, &targets)?;
    Ok(Tally::new(counts.done, counts.missing + counts.failed))
}
