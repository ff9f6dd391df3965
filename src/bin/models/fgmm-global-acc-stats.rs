//! Computes statistics for the estimation of a mixture with full covariances.
//!
//! Matches Kaldi's `fgmm-global-acc-stats`, except that an utterance with a frame that has no likelihood is an error.

use std::process::ExitCode;

use kaldi_cli::{InputName, OutputName, Tally, num_threads};
use kaldi_gmm::{FullGmm, GmmFlags};
use kaldi_log::log;
use kaldi_mixtures::{AccumulateTables, accumulate_tables};
use kaldi_table::{read_file, write_file};
use kaldi_values::Format;

const USAGE: &str = "\
Computes statistics of features for the estimation of a mixture with full covariances, with the posteriors of the mixture
as it is. With --gselect only the Gaussians count that were selected, which is quicker.

Usage: fgmm-global-acc-stats [options] <model-in> <feats-rspecifier> <stats-wxfilename>
 e.g.: fgmm-global-acc-stats --gselect=ark:gselect.ark 1.ubm scp:feats.scp 1.acc
See also: fgmm-global-sum-accs, fgmm-global-est, fgmm-global-acc-stats-post
";

#[derive(clap::Parser)]
struct Options {
    /// Write in binary mode
    #[arg(long, default_value_t = true)]
    binary: bool,
    /// The parameters to keep statistics for: m means, v variances, w weights
    #[arg(long, default_value = "mvw")]
    update_flags: String,
    /// Rspecifier of the Gaussians that count in each frame
    #[arg(long)]
    gselect: Option<InputName>,
    /// Rspecifier of vectors with a weight for each frame
    #[arg(long)]
    weights: Option<InputName>,
    model: InputName,
    feats: InputName,
    target: OutputName,
}

pub(crate) const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(fgmm_global_acc_stats))
    .in_pieces(&[(kaldi_cli::PiecesIf::Always, kaldi_cli::Pieces::Sums(1, "fgmm-global-sum-accs OUT IN"))]);

pub(crate) fn main() -> ExitCode {
    TOOL.run()
}

fn fgmm_global_acc_stats(opts: Options) -> anyhow::Result<Tally> {
    let gmm: FullGmm = read_file(&opts.model)?;
    let flags: GmmFlags = opts.update_flags.parse()?;
    let tables = AccumulateTables {
        feats: &opts.feats,
        other_feats: None,
        lists: opts.gselect.as_deref(),
        weights: opts.weights.as_deref(),
    };
    let (stats, totals) = accumulate_tables(gmm, flags, num_threads, &tables)?;
    if let Some(stats) = stats {
        write_file(&opts.target, &stats, Format::from_binary(opts.binary))?;
        log!("Written accs to {}", opts.target);
    }
    Ok(Tally::new(totals.done, totals.failed))
}
