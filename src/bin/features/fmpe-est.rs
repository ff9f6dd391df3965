//! Changes an fMPE transform by its statistics.
//!
//! Matches Kaldi's `fmpe-est`, except that an element of the projection without derivatives stays if there is no
//! regularization; in Kaldi it is no number then.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_gmm::transform::{Fmpe, FmpeStats, FmpeUpdateOptions};
use kaldi_io::log::log;
use kaldi_table::{read_file, write_file};
use kaldi_value::Format;
use kaldi_value::number::general;

const USAGE: &str = "\
Changes an fMPE transform by its statistics: one step of training.

Usage: fmpe-est [options] <fmpe-in> <stats-rxfilename> <fmpe-out>
 e.g.: fmpe-est 1.fmpe 1.fmpe_stats 2.fmpe
See also: gmm-fmpe-acc-stats, fmpe-sum-accs, fmpe-apply-transform
";

#[derive(clap::Args)]
struct Options {
    /// Write in binary mode
    #[arg(long, default_value_t = true)]
    binary: bool,
    /// Learning rate: how fast the transform changes
    #[arg(long, default_value_t = FmpeUpdateOptions::default().learning_rate)]
    learning_rate: f32,
    /// Weight of the L2 regularization, which makes large elements smaller
    #[arg(long, default_value_t = FmpeUpdateOptions::default().l2_weight)]
    l2_weight: f32,
    source: InputName,
    stats: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(fmpe_est));

fn fmpe_est(opts: Options) -> anyhow::Result<Tally> {
    let mut fmpe: Fmpe = read_file(&opts.source)?;
    let stats: FmpeStats = read_file(&opts.stats)?;
    match stats.checks() {
        None => log!("No checks will be done, probably indirect derivative was not used."),
        Some(checks) => {
            log!("Shift-check is as follows (should be in range +- 0.01 or less).{}", checks.shift);
            log!("Scale-check is as follows (should be in range +- 0.01 or less).{}", checks.scale);
            log!("Shift-check(2) is as follows: most elements should be in range +-0.1: {}", checks.shift_of_sums);
            log!("Scale-check(2) is as follows: most elements should be in range +-0.1: {}", checks.scale_of_sums);
        }
    }
    let options = FmpeUpdateOptions { learning_rate: opts.learning_rate, l2_weight: opts.l2_weight };
    let change = fmpe.update(&stats, &options)?;
    log!("Objf impr (assuming linear) is {}", general(change.improvement));
    log!("{}% of matrix elements changed sign.", general(100.0 * change.changed_signs));
    write_file(&opts.target, &fmpe, Format::from_binary(opts.binary))?;
    log!("Updated fMPE object and wrote to {}", opts.target);
    Ok(Tally::new(1, 0))
}
