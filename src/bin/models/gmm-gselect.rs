//! Selects the best Gaussians of every frame, from a mixture with diagonal covariances.
//!
//! Matches Kaldi's `gmm-gselect`, except that the Gaussians of a list have their own likelihoods in every order (Kaldi treats
//! them as a range if the distance of the last number from the first is that of a range), and that an utterance without
//! frames is skipped.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_gmm::tables::{SelectTables, write_selection};
use kaldi_gmm::{DiagGmm, Mixture};
use kaldi_table::read_file;
use kaldi_value::Value;

const USAGE: &str = "\
Selects the Gaussians of a mixture with diagonal covariances that are most likely for each frame, the best first. With
--gselect it chooses among Gaussians that were selected before.

Usage: gmm-gselect [options] <model-in> <feats-rspecifier> <gselect-wspecifier>
 e.g.: gmm-gselect --n=20 final.dubm scp:feats.scp ark:gselect.ark
See also: gmm-global-get-post, fgmm-global-gselect-to-post, copy-gselect, fgmm-gselect
";

#[derive(clap::Args)]
pub(crate) struct Options {
    /// The number of Gaussians to select
    #[arg(long, default_value_t = 50, value_name = "int", value_parser = kaldi_value::number::integer::<usize>(1..=i32::MAX.into()))]
    n: usize,
    /// Wspecifier for the log likelihood of each utterance, as far as it comes from the selected Gaussians
    #[arg(long)]
    write_likes: Option<OutputName>,
    /// Rspecifier of Gaussians for each frame among which to select
    #[arg(long)]
    gselect: Option<InputName>,
    model: InputName,
    feats: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(select::<DiagGmm>)).by_entry(1);

/// Selects Gaussians of a mixture of either kind.
pub(crate) fn select<M: Mixture + Value + Send + Sync + 'static>(opts: Options) -> anyhow::Result<Tally> {
    let gmm: M = read_file(&opts.model)?;
    let tables = SelectTables {
        feats: &opts.feats,
        lists: opts.gselect.as_deref(),
        target: &opts.target,
        likelihoods: opts.write_likes.as_deref(),
    };
    let totals = write_selection(gmm, opts.n, &tables)?;
    Ok(Tally::new(totals.done, totals.failed))
}
