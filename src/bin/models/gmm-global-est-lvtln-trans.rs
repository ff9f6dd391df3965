//! Chooses linear VTLN transforms with a mixture of Gaussians.
//!
//! Matches Kaldi's `gmm-global-est-lvtln-trans`, except that all frames count. In Kaldi the last one of each utterance, or of the
//! last utterance of each speaker, does not.

use anyhow::bail;
use kaldi_cli::{InputName, MapName, OutputName, Tally};
use kaldi_gmm::tables::{SpeakerTables, VtlnTargets, write_vtln};
use kaldi_gmm::transform::{FmllrStats, FmllrUpdate, LinearVtln};
use kaldi_gmm::{DiagGmm, Mixture as _};
use kaldi_matrix::Matrix;
use kaldi_table::read_file;
use kaldi_value::Posterior;

const USAGE: &str = "\
Chooses the linear VTLN transform under which a mixture of Gaussians fits best, from posteriors of its Gaussians: for each
utterance or, with --spk2utt, for each speaker. Also writes their warp factors.

Usage: gmm-global-est-lvtln-trans [options] <diag-gmm-in> <lvtln-in> <feats-rspecifier> <post-rspecifier> \
<transforms-wspecifier> [<warps-wspecifier>]
 e.g.: gmm-global-est-lvtln-trans 0.ubm 0.lvtln scp:feats.scp ark:1.post ark:1.trans ark,t:1.warp
See also: gmm-est-lvtln-trans, gmm-global-get-post, gmm-train-lvtln-special, transform-feats
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
    gmm: InputName,
    vtln: InputName,
    feats: InputName,
    posteriors: InputName,
    target: OutputName,
    warps: Option<OutputName>,
}

pub const TOOL: kaldi_cli::Tool =
    kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(gmm_global_est_lvtln_trans)).in_pieces(&[
        (kaldi_cli::PiecesIf::Given("spk2utt"), kaldi_cli::Pieces::Speakers("spk2utt")),
        (kaldi_cli::PiecesIf::Always, kaldi_cli::Pieces::Entries(2)),
    ]);

fn gmm_global_est_lvtln_trans(opts: Options) -> anyhow::Result<Tally> {
    let norm: FmllrUpdate = opts.norm_type.parse()?;
    if norm == FmllrUpdate::Full {
        bail!("expected offset, diag or none for --norm-type, got {:?}", opts.norm_type);
    }
    let gmm: DiagGmm = read_file(&opts.gmm)?;
    let vtln: LinearVtln = read_file(&opts.vtln)?;
    let tables = SpeakerTables { feats: &opts.feats, posteriors: &opts.posteriors, spk2utt: opts.spk2utt.as_deref() };
    let targets = VtlnTargets { transforms: &opts.target, warps: opts.warps.as_deref() };
    let add = move |stats: &mut FmllrStats, feats: &Matrix<f32>, posterior: &Posterior| {
        let mut frames = stats.frames();
        for (frame, (values, weights)) in feats.rows().zip(&posterior.0).enumerate() {
            if weights.is_empty() {
                continue;
            }
            let gaussians: Vec<i32> = weights.iter().map(|(gauss, _)| *gauss).collect();
            let mut posteriors = vec![0.0; gmm.num_gauss()];
            for (place, (_, weight)) in gmm.places(frame, &gaussians)?.into_iter().zip(weights) {
                posteriors[place] += weight;
            }
            frames.add(values, [(&gmm, &posteriors[..])])?;
        }
        Ok(())
    };
    let counts = write_vtln(vtln, (norm, opts.logdet_scale), &tables, &targets, add)?;
    Ok(Tally::new(counts.done, counts.missing + counts.failed))
}
