//! Computes the posteriors of Gaussians that were selected, with a mixture of diagonal covariances.
//!
//! Matches Kaldi's `gmm-global-gselect-to-post`, except that the Gaussians of a list have their own likelihoods in every
//! order.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_gmm::tables::{PosteriorTables, write_posteriors};
use kaldi_gmm::{DiagGmm, Mixture};
use kaldi_table::read_file;

const USAGE: &str = "\
Computes the posteriors of the Gaussians that were selected for each frame, with a mixture of diagonal covariances. With
--min-post small ones are left out, and the others make up for them.

Usage: gmm-global-gselect-to-post [options] <model-in> <feats-rspecifier> <gselect-rspecifier> <post-wspecifier>
 e.g.: gmm-global-gselect-to-post --min-post=0.025 final.dubm scp:feats.scp ark:gselect.ark ark:post.ark
See also: gmm-gselect, gmm-global-get-post, fgmm-global-gselect-to-post
";

#[derive(clap::Args)]
pub(crate) struct Options {
    /// Leave posteriors below this out
    #[arg(long, default_value_t = 0.0)]
    min_post: f32,
    model: InputName,
    feats: InputName,
    gselect: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool =
    kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(selected_posteriors::<DiagGmm>)).by_entry(1);

/// Computes the posteriors with a mixture of either kind.
pub(crate) fn selected_posteriors<M: Mixture + Send + Sync + 'static>(opts: Options) -> anyhow::Result<Tally> {
    let gmm: M = read_file(&opts.model)?;
    let tables = PosteriorTables { feats: &opts.feats, lists: &opts.gselect, target: &opts.target };
    let totals = write_posteriors(gmm, opts.min_post, &tables)?;
    Ok(Tally::new(totals.done, totals.failed))
}
