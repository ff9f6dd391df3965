//! Computes the posteriors of Gaussians that were selected, with a mixture of full covariances.
//!
//! Matches Kaldi's `fgmm-global-gselect-to-post`.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_gmm::FullGmm;
use kaldi_gmm::tables::{PosteriorTables, write_posteriors};
use kaldi_table::read_file;

const USAGE: &str = "\
Computes the posteriors of the Gaussians that were selected for each frame, with a mixture of full covariances. With
--min-post small ones are left out, and the others make up for them.

Usage: fgmm-global-gselect-to-post [options] <model-in> <feats-rspecifier> <gselect-rspecifier> <post-wspecifier>
 e.g.: fgmm-global-gselect-to-post --min-post=0.025 final.ubm scp:feats.scp ark:gselect.ark ark:post.ark
See also: gmm-gselect, gmm-global-get-post, gmm-global-gselect-to-post
";

#[derive(clap::Args)]
struct Options {
    /// Leave posteriors below this out
    #[arg(long, default_value_t = 0.0)]
    min_post: f32,
    model: InputName,
    feats: InputName,
    gselect: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool =
    kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(fgmm_global_gselect_to_post)).by_entry(1);

fn fgmm_global_gselect_to_post(opts: Options) -> anyhow::Result<Tally> {
    let gmm: FullGmm = read_file(&opts.model)?;
    let tables = PosteriorTables { feats: &opts.feats, lists: &opts.gselect, target: &opts.target };
    let totals = write_posteriors(gmm, opts.min_post, &tables)?;
    Ok(Tally::new(totals.done, totals.failed))
}
