//! Computes statistics for the estimation of a mixture with diagonal covariances.
//!
//! Matches Kaldi's `gmm-global-acc-stats`, except that an utterance with a frame that has no likelihood is an error, and that the
//! Gaussians of a list have their own likelihoods in every order.

use kaldi_cli::{InputName, OutputName, Tally, num_threads};
use kaldi_gmm::tables::{AccumulateTables, MixtureStatsArguments, accumulate_tables};
use kaldi_gmm::{DiagGmm, Mixture};
use kaldi_io::log::log;
use kaldi_table::{read_file, write_file};
use kaldi_value::Format;

const USAGE: &str = "\
Computes statistics of features for the estimation of a mixture with diagonal covariances, with the posteriors of the mixture
as it is. With --gselect only the Gaussians count that were selected, which is quicker.

Usage: gmm-global-acc-stats [options] <model-in> <feats-rspecifier> <stats-wxfilename>
 e.g.: gmm-global-acc-stats --gselect=ark:gselect.ark 1.dubm scp:feats.scp 1.acc
See also: gmm-global-sum-accs, gmm-global-est, gmm-global-acc-stats-twofeats
";

#[derive(clap::Args)]
pub(crate) struct Options {
    #[command(flatten)]
    stats: MixtureStatsArguments,
    model: InputName,
    feats: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(accumulate::<DiagGmm>))
    .in_pieces(&[(kaldi_cli::PiecesIf::Always, kaldi_cli::Pieces::Sums(1, "gmm-global-sum-accs OUT IN"))]);

/// Computes the statistics for a mixture of either kind.
pub(crate) fn accumulate<M: Mixture + Send + Sync + 'static>(opts: Options) -> anyhow::Result<Tally>
where
    M::Stats: Send + 'static,
{
    let gmm: M = read_file(&opts.model)?;
    let tables = AccumulateTables {
        feats: &opts.feats,
        other_feats: None,
        lists: opts.stats.gselect.as_deref(),
        weights: opts.stats.weights.as_deref(),
    };
    let (stats, totals) = accumulate_tables(gmm, opts.stats.update_flags, num_threads, &tables)?;
    if let Some(stats) = stats {
        write_file(&opts.target, &stats, Format::from_binary(opts.stats.binary))?;
        log!("Written accs to {}", opts.target);
    }
    Ok(Tally::new(totals.done, totals.failed))
}
