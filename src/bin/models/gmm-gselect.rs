//! Selects the best Gaussians of every frame, from a mixture with diagonal covariances.
//!
//! Matches Kaldi's `gmm-gselect`, except that the Gaussians of a list have their own likelihoods in every order (Kaldi treats
//! them as a range if the distance of the last number from the first is that of a range), and that an utterance without
//! frames is skipped.

use std::process::ExitCode;

use anyhow::bail;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_gmm::{DiagGmm, Mixture};
use kaldi_log::warning;
use kaldi_mixtures::{SelectTables, write_selection};
use kaldi_table::read_file;

const USAGE: &str = "\
Selects the Gaussians of a mixture with diagonal covariances that are most likely for each frame, the best first. With
--gselect it chooses among Gaussians that were selected before.

Usage: gmm-gselect [options] <model-in> <feats-rspecifier> <gselect-wspecifier>
 e.g.: gmm-gselect --n=20 final.dubm scp:feats.scp ark:gselect.ark
See also: gmm-global-get-post, fgmm-global-gselect-to-post, copy-gselect, fgmm-gselect
";

#[derive(clap::Parser)]
struct Options {
    /// The number of Gaussians to select
    #[arg(long, default_value_t = 50)]
    n: i32,
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

pub(crate) const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(gmm_gselect))
    .in_pieces(&[(kaldi_cli::PiecesIf::Always, kaldi_cli::Pieces::Entries(1))]);

pub(crate) fn main() -> ExitCode {
    TOOL.run()
}

fn gmm_gselect(opts: Options) -> anyhow::Result<Tally> {
    let gmm: DiagGmm = read_file(&opts.model)?;
    let Some(mut n) = usize::try_from(opts.n).ok().filter(|n| *n > 0) else {
        bail!("expected --n to be 1 or more, got {}", opts.n);
    };
    if n > gmm.num_gauss() {
        warning!(
            "You asked for {n} Gaussians but GMM only has {}, returning this many. Note: this means the Gaussian \
             selection is pointless.",
            gmm.num_gauss()
        );
        n = gmm.num_gauss();
    }
    let tables = SelectTables {
        feats: &opts.feats,
        lists: opts.gselect.as_deref(),
        target: &opts.target,
        likelihoods: opts.write_likes.as_deref(),
    };
    let totals = write_selection(gmm, n, &tables)?;
    Ok(Tally::new(totals.done, totals.failed))
}
