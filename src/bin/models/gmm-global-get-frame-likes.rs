//! Computes the log likelihood of every frame, with a mixture of diagonal covariances.
//!
//! Matches Kaldi's `gmm-global-get-frame-likes`, except that the Gaussians of a list have their own likelihoods in every
//! order.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_gmm::tables::{LikelihoodTables, write_likelihoods};
use kaldi_gmm::{DiagGmm, Mixture};
use kaldi_table::read_file;

const USAGE: &str = "\
Computes the log likelihood of each frame, with a mixture of diagonal covariances: a vector for each utterance, or with
--average one number.

Usage: gmm-global-get-frame-likes [options] <model-in> <feats-rspecifier> <likes-wspecifier>
 e.g.: gmm-global-get-frame-likes --average=true final.dubm scp:feats.scp ark,t:likes
See also: gmm-gselect, compute-vad-from-frame-likes, fgmm-global-get-frame-likes
";

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Rspecifier of the Gaussians that count in each frame
    #[arg(long)]
    gselect: Option<InputName>,
    /// Write the average log likelihood of each utterance
    #[arg(long)]
    average: bool,
    model: InputName,
    feats: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool =
    kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(frame_likelihoods::<DiagGmm>)).by_entry(1);

/// Computes the likelihoods with a mixture of either kind.
pub(crate) fn frame_likelihoods<M: Mixture + Send + Sync + 'static>(opts: Options) -> anyhow::Result<Tally> {
    let gmm: M = read_file(&opts.model)?;
    let tables = LikelihoodTables { feats: &opts.feats, lists: opts.gselect.as_deref(), target: &opts.target };
    let totals = write_likelihoods(gmm, opts.average, &tables)?;
    Ok(Tally::new(totals.done, totals.failed))
}
