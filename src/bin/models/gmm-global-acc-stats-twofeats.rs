//! Computes statistics for a mixture with diagonal covariances in other features than those for the posteriors.
//!
//! Matches Kaldi's `gmm-global-acc-stats-twofeats`, except that the Gaussians of a list have their own likelihoods in every
//! order, and that an utterance whose features differ in their numbers of frames is skipped (Kaldi aborts).

use anyhow::bail;
use kaldi_cli::{InputName, OutputName, Tally, num_threads};
use kaldi_gmm::DiagGmm;
use kaldi_gmm::tables::{AccumulateTables, MixtureStatsArguments, accumulate_tables};
use kaldi_io::log::log;
use kaldi_table::{read_file, write_file};
use kaldi_value::Format;

const USAGE: &str = "\
Computes statistics for the estimation of a mixture with diagonal covariances. The first features are for the posteriors,
the second ones, of the same frames, for the statistics: so a mixture moves to other features.

Usage: gmm-global-acc-stats-twofeats [options] <model-in> <feats1-rspecifier> <feats2-rspecifier> <stats-wxfilename>
 e.g.: gmm-global-acc-stats-twofeats 1.dubm scp:feats.scp scp:other.scp 1.acc
See also: gmm-global-acc-stats, gmm-global-est
";

#[derive(clap::Args)]
struct Options {
    #[command(flatten)]
    stats: MixtureStatsArguments,
    model: InputName,
    feats: InputName,
    other_feats: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(gmm_global_acc_stats_twofeats))
    .in_pieces(&[(kaldi_cli::PiecesIf::Always, kaldi_cli::Pieces::Sums(1, "gmm-global-sum-accs OUT IN"))]);

fn gmm_global_acc_stats_twofeats(opts: Options) -> anyhow::Result<Tally> {
    let gmm: DiagGmm = read_file(&opts.model)?;
    let tables = AccumulateTables {
        feats: &opts.feats,
        other_feats: Some(&opts.other_feats),
        lists: opts.stats.gselect.as_deref(),
        weights: opts.stats.weights.as_deref(),
    };
    let (stats, totals) = accumulate_tables(gmm, opts.stats.update_flags, num_threads, &tables)?;
    let Some(stats) = stats else { bail!("no statistics: no utterance has both features") };
    write_file(&opts.target, &stats, Format::from_binary(opts.stats.binary))?;
    log!("Written accs to {}", opts.target);
    Ok(Tally::new(totals.done, totals.failed))
}
