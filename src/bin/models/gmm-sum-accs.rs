//! Sums statistics for models of Gaussian mixtures.
//!
//! Matches Kaldi's `gmm-sum-accs`.

use kaldi_cli::{SumOptions, Tally, sum_stats};
use kaldi_gmm::AcousticStats;
use kaldi_io::log::log;
use kaldi_table::write_file;
use kaldi_value::Format;

const USAGE: &str = "\
Sums statistics for the estimation of a model of Gaussian mixtures.

Usage: gmm-sum-accs [options] <stats-wxfilename> <stats-rxfilename1> [<stats-rxfilename2> ...]
 e.g.: gmm-sum-accs 1.acc 1.*.acc
See also: gmm-acc-stats, gmm-acc-stats-ali, gmm-est
";

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(gmm_sum_accs));

fn gmm_sum_accs(opts: SumOptions) -> anyhow::Result<Tally> {
    let sum: AcousticStats = sum_stats(&opts.sources, AcousticStats::add)?;
    write_file(&opts.target, &sum, Format::from_binary(opts.binary))?;
    log!("Summed {} stats, written to {}", opts.sources.len(), opts.target);
    Ok(Tally::new(opts.sources.len() as u64, 0))
}
