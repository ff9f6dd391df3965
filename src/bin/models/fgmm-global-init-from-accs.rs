//! Makes a mixture with full covariances of statistics alone.
//!
//! Matches Kaldi's `fgmm-global-init-from-accs`.

use anyhow::bail;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_gmm::{AccumFullGmm, MleFullGmmOptions};
use kaldi_io::log::{log, warning};
use kaldi_table::{read_file, write_file};
use kaldi_value::Format;
use kaldi_value::random::Random;

const USAGE: &str = "\
Makes a mixture with full covariances of statistics alone, without a model that is there before.

Usage: fgmm-global-init-from-accs [options] <stats-rxfilename> <number-of-gaussians> <model-out>
 e.g.: fgmm-global-init-from-accs 1.acc 2048 0.ubm
See also: fgmm-global-acc-stats-post, fgmm-global-est
";

#[derive(clap::Args)]
struct Options {
    /// Write in binary mode
    #[arg(long, default_value_t = true)]
    binary: bool,
    #[command(flatten)]
    estimation: MleFullGmmOptions,
    stats: InputName,
    num_gauss: i32,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(fgmm_global_init_from_accs));

fn fgmm_global_init_from_accs(opts: Options) -> anyhow::Result<Tally> {
    let Some(num_gauss) = usize::try_from(opts.num_gauss).ok().filter(|number| *number > 0) else {
        bail!("expected a number of Gaussians, got {}", opts.num_gauss);
    };
    let stats: AccumFullGmm = read_file(&opts.stats)?;
    let options = opts.estimation;
    let initial = stats.initial_mixture(num_gauss, &options, &mut Random::default())?;
    if initial.floored_elements > 0 {
        warning!("{} variances floored in {} Gaussians.", initial.floored_elements, initial.floored_gaussians);
    }
    if !initial.low_counts.is_empty() {
        warning!("{} out of {num_gauss} Gaussians had very low occupancy.", initial.low_counts.len());
    }
    write_file(&opts.target, &initial.gmm, Format::from_binary(opts.binary))?;
    log!("Written model to {}", opts.target);
    Ok(Tally::new(1, 0))
}
