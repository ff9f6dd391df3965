//! What the tools have in common that choose linear VTLN transforms.

use kaldi_cli::{InputName, MapName, OutputName, Pieces, PiecesIf, Tally};
use kaldi_gmm::tables::{AnyError, AsFrames, SpeakerTables, VtlnTargets, write_vtln};
use kaldi_gmm::transform::{FmllrStats, FmllrUpdate, LinearVtln};
use kaldi_matrix::Matrix;
use kaldi_table::read_file;

/// What may be estimated beside the class.
const NORM_TYPES: [(&str, FmllrUpdate); 3] =
    [("offset", FmllrUpdate::Offset), ("diag", FmllrUpdate::Diagonal), ("none", FmllrUpdate::Nothing)];

#[derive(clap::Args)]
pub(crate) struct LvtlnOptions {
    /// What is estimated beside the class: offset, diag or none
    #[arg(long, default_value = "offset", value_parser = kaldi_cli::one_of(&NORM_TYPES))]
    norm_type: FmllrUpdate,
    /// Rspecifier of the map from speakers to utterances
    #[arg(long)]
    spk2utt: Option<MapName>,
    /// Scale of the log determinants of the transforms
    #[arg(long, default_value_t = 1.0)]
    logdet_scale: f32,
    vtln: InputName,
    feats: InputName,
    posteriors: InputName,
    target: OutputName,
    warps: Option<OutputName>,
}

/// How the command lines of these tools run in pieces.
pub(crate) const PIECES: [(PiecesIf, Pieces); 2] =
    [(PiecesIf::Given("spk2utt"), Pieces::Speakers("spk2utt")), (PiecesIf::Always, Pieces::Entries(2))];

impl LvtlnOptions {
    /// Chooses and writes the transforms; `add` adds an utterance to statistics.
    pub(crate) fn write<T: AsFrames>(
        &self,
        add: impl Fn(&mut FmllrStats, &Matrix<f32>, &T) -> Result<(), AnyError> + Send + Sync + 'static,
    ) -> anyhow::Result<Tally> {
        let vtln: LinearVtln = read_file(&self.vtln)?;
        let spk2utt = self.spk2utt.as_deref();
        let tables = SpeakerTables { feats: &self.feats, posteriors: &self.posteriors, spk2utt };
        let targets = VtlnTargets { transforms: &self.target, warps: self.warps.as_deref() };
        let counts = write_vtln(vtln, (self.norm_type, self.logdet_scale), &tables, &targets, add)?;
        Ok(Tally::new(counts.done, counts.missing + counts.failed))
    }
}
