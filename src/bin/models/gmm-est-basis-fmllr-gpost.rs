//! Estimates fMLLR transforms as sums of bases, from posteriors of Gaussians.
//!
//! Matches Kaldi's `gmm-est-basis-fmllr-gpost`, except that all frames count. In Kaldi the last one of each utterance, or of the last
//! utterance of each speaker, does not. Steps that are halved are not logged.

use kaldi_cli::{InputName, MapName, OutputName, Tally};
use kaldi_gmm::AcousticModel;
use kaldi_gmm::tables::{BasisTargets, SpeakerTables, write_basis_fmllr};
use kaldi_gmm::transform::{BasisFmllr, BasisFmllrOptions};
use kaldi_table::read_file;
use kaldi_value::GaussPost;

const USAGE: &str = "\
Estimates transforms of features to which a model fits best as sums of bases, for speakers with little data, from posteriors of
Gaussians: one for each utterance or, with --spk2utt, one for each speaker.

Usage: gmm-est-basis-fmllr-gpost [options] <model-in> <bases-rxfilename> <feats-rspecifier> <gpost-rspecifier> \
<transforms-wspecifier>
 e.g.: gmm-est-basis-fmllr-gpost --spk2utt=ark:spk2utt 1.mdl fmllr.basis scp:feats.scp ark:1.gpost ark:trans.1
See also: gmm-basis-fmllr-training, gmm-est-fmllr-gpost, transform-feats
";

#[derive(clap::Args)]
struct Options {
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

pub const TOOL: kaldi_cli::Tool =
    kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(gmm_est_basis_fmllr_gpost)).in_pieces(&[
        (kaldi_cli::PiecesIf::Given("spk2utt"), kaldi_cli::Pieces::Speakers("spk2utt")),
        (kaldi_cli::PiecesIf::Always, kaldi_cli::Pieces::Entries(2)),
    ]);

fn gmm_est_basis_fmllr_gpost(opts: Options) -> anyhow::Result<Tally> {
    let model: AcousticModel = read_file(&opts.model)?;
    let bases: BasisFmllr = read_file(&opts.bases)?;
    let tables = SpeakerTables { feats: &opts.feats, posteriors: &opts.posteriors, spk2utt: opts.spk2utt.as_deref() };
    let targets = BasisTargets { transforms: &opts.target, weights: opts.write_weights.as_deref() };
    let counts = write_basis_fmllr::<GaussPost>(model, bases, opts.estimation, &tables, &targets)?;
    Ok(Tally::new(counts.done, counts.missing + counts.failed))
}
