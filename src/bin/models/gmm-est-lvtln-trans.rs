//! Chooses linear VTLN transforms with a model.
//!
//! Matches Kaldi's `gmm-est-lvtln-trans`, except that all frames count. In Kaldi the last one of each utterance, or of the last
//! utterance of each speaker, does not.

use anyhow::bail;
use kaldi_cli::{InputName, MapName, OutputName, Tally};
use kaldi_gmm::AcousticModel;
use kaldi_gmm::tables::{FmllrPosteriors as _, SpeakerTables, VtlnTargets, write_vtln};
use kaldi_gmm::transform::{FmllrUpdate, LinearVtln};
use kaldi_table::read_file;
use kaldi_value::GaussPost;

const USAGE: &str = "\
Chooses the linear VTLN transform under which a model fits best, from posteriors of Gaussians: for each utterance or, with
--spk2utt, for each speaker. Also writes their warp factors.

Usage: gmm-est-lvtln-trans [options] <model-in> <lvtln-in> <feats-rspecifier> <gpost-rspecifier> <transforms-wspecifier> \
[<warps-wspecifier>]
 e.g.: gmm-est-lvtln-trans --spk2utt=ark:spk2utt 1.mdl 0.lvtln scp:feats.scp ark:1.gpost ark:1.trans ark,t:1.warp
See also: gmm-global-est-lvtln-trans, gmm-train-lvtln-special, gmm-post-to-gpost, transform-feats
";

#[derive(clap::Args)]
struct Options {
    /// What is estimated beside the class: offset, diag or none
    #[arg(long, default_value = "offset")]
    norm_type: String,
    /// Rspecifier of the map from speakers to utterances
    #[arg(long)]
    spk2utt: Option<MapName>,
    /// Scale of the log determinants of the transforms
    #[arg(long, default_value_t = 1.0)]
    logdet_scale: f32,
    model: InputName,
    vtln: InputName,
    feats: InputName,
    posteriors: InputName,
    target: OutputName,
    warps: Option<OutputName>,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(gmm_est_lvtln_trans)).in_pieces(&[
    (kaldi_cli::PiecesIf::Given("spk2utt"), kaldi_cli::Pieces::Speakers("spk2utt")),
    (kaldi_cli::PiecesIf::Always, kaldi_cli::Pieces::Entries(2)),
]);

fn gmm_est_lvtln_trans(opts: Options) -> anyhow::Result<Tally> {
    let norm: FmllrUpdate = opts.norm_type.parse()?;
    if norm == FmllrUpdate::Full {
        bail!("expected offset, diag or none for --norm-type, got {:?}", opts.norm_type);
    }
    let model: AcousticModel = read_file(&opts.model)?;
    let vtln: LinearVtln = read_file(&opts.vtln)?;
    let tables = SpeakerTables { feats: &opts.feats, posteriors: &opts.posteriors, spk2utt: opts.spk2utt.as_deref() };
    let targets = VtlnTargets { transforms: &opts.target, warps: opts.warps.as_deref() };
    let add = move |stats: &mut _, feats: &_, gpost: &GaussPost| gpost.add_to(stats, &model, feats);
    let counts = write_vtln(vtln, (norm, opts.logdet_scale), &tables, &targets, add)?;
    Ok(Tally::new(counts.done, counts.missing + counts.failed))
}
