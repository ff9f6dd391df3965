//! Chooses linear VTLN transforms with a mixture of Gaussians.
//!
//! Matches Kaldi's `gmm-global-est-lvtln-trans`, except that all frames count. In Kaldi the last one of each utterance, or of the
//! last utterance of each speaker, does not.

use kaldi_cli::{InputName, Tally};
use kaldi_gmm::transform::FmllrStats;
use kaldi_gmm::{DiagGmm, Mixture as _};
use kaldi_matrix::Matrix;
use kaldi_table::read_file;
use kaldi_value::Posterior;

use crate::lvtln_options::{LvtlnOptions, PIECES};

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
    gmm: InputName,
    #[command(flatten)]
    lvtln: LvtlnOptions,
}

pub const TOOL: kaldi_cli::Tool =
    kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(gmm_global_est_lvtln_trans)).in_pieces(&PIECES);

fn gmm_global_est_lvtln_trans(opts: Options) -> anyhow::Result<Tally> {
    let gmm: DiagGmm = read_file(&opts.gmm)?;
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
    opts.lvtln.write(add)
}
