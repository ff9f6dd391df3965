//! Sums statistics of fMPE.
//!
//! Matches Kaldi's `fmpe-sum-accs`.

use kaldi_cli::{SumOptions, Tally, sum_stats};
use kaldi_gmm::transform::FmpeStats;
use kaldi_io::log::log;
use kaldi_table::write_file;
use kaldi_value::Format;

const USAGE: &str = "\
Sums statistics for the training of an fMPE transform.

Usage: fmpe-sum-accs [options] <stats-wxfilename> <stats-rxfilename1> [<stats-rxfilename2> ...]
 e.g.: fmpe-sum-accs 1.fmpe_stats 1.*.fmpe_stats
See also: gmm-fmpe-acc-stats, fmpe-acc-stats, fmpe-est
";

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(fmpe_sum_accs));

fn fmpe_sum_accs(opts: SumOptions) -> anyhow::Result<Tally> {
    let sum = sum_stats(&opts.sources, |sum: &mut FmpeStats, stats| sum.add(&stats))?;
    write_file(&opts.target, &sum, Format::from_binary(opts.binary))?;
    log!("Summed {} fMPE stats and wrote to {}", opts.sources.len(), opts.target);
    Ok(Tally::new(opts.sources.len() as u64, 0))
}
