//! Chooses linear VTLN transforms with a model.
//!
//! Matches Kaldi's `gmm-est-lvtln-trans`, except that all frames count. In Kaldi the last one of each utterance, or of the last
//! utterance of each speaker, does not.

use kaldi_cli::{InputName, Tally};
use kaldi_gmm::AcousticModel;
use kaldi_gmm::tables::FmllrPosteriors as _;
use kaldi_table::read_file;
use kaldi_value::GaussPost;

use crate::lvtln_options::{LvtlnOptions, PIECES};

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
    model: InputName,
    #[command(flatten)]
    lvtln: LvtlnOptions,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(gmm_est_lvtln_trans)).in_pieces(&PIECES);

fn gmm_est_lvtln_trans(opts: Options) -> anyhow::Result<Tally> {
    let model: AcousticModel = read_file(&opts.model)?;
    let add = move |stats: &mut _, feats: &_, gpost: &GaussPost| gpost.add_to(stats, &model, feats);
    opts.lvtln.write(add)
}
