//! Estimates a mixture with full covariances from statistics.
//!
//! Matches Kaldi's `fgmm-global-est`, also in the random numbers of --mix-up.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_gmm::tables::warn_of_low_counts;
use kaldi_gmm::{AccumFullGmm, FullGmm, GmmFlags, Mixture, MleFullGmmOptions};
use kaldi_io::log::{log, warning};
use kaldi_table::{read_file, write_file};
use kaldi_value::Format;
use kaldi_value::number::general;
use kaldi_value::random::Random;

const USAGE: &str = "\
Estimates a mixture with full covariances from statistics: one step of training. With --mix-up it then splits the
Gaussians with the largest weights until there are so many.

Usage: fgmm-global-est [options] <model-in> <stats-rxfilename> <model-out>
 e.g.: fgmm-global-est --mix-up=512 1.ubm 'fgmm-global-sum-accs - 1.*.acc |' 2.ubm
See also: fgmm-global-acc-stats, fgmm-global-sum-accs, fgmm-global-init-from-accs
";

#[derive(clap::Args)]
struct Options {
    /// Write in binary mode
    #[arg(long, default_value_t = true)]
    binary: bool,
    /// The parameters to estimate: m means, v variances, w weights
    #[arg(long, default_value = "mvw")]
    update_flags: GmmFlags,
    /// Split Gaussians until there are this many; 0 splits none
    #[arg(long, default_value_t = 0)]
    mix_up: i32,
    /// Move the means of split Gaussians at random, by about this many standard deviations
    #[arg(long, default_value_t = 0.01)]
    perturb_factor: f32,
    #[command(flatten)]
    estimation: MleFullGmmOptions,
    model: InputName,
    stats: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(fgmm_global_est));

fn fgmm_global_est(opts: Options) -> anyhow::Result<Tally> {
    let gmm: FullGmm = read_file(&opts.model)?;
    let stats: AccumFullGmm = read_file(&opts.stats)?;
    let estimate = stats.estimate(&gmm, opts.update_flags, &opts.estimation)?;
    warn_of_low_counts(&estimate, gmm.dim(), opts.estimation.remove_low_count_gaussians);
    if estimate.floored_elements > 0 {
        warning!("{} variances floored in {} Gaussians.", estimate.floored_elements, estimate.floored_gaussians);
    }
    log!(
        "Overall objective function improvement is {} per frame over {} frames.",
        general(estimate.objective_change / estimate.count),
        general(estimate.count)
    );
    let mut gmm = estimate.gmm;
    if opts.mix_up > gmm.num_gauss() as i32 {
        gmm = gmm.split(opts.mix_up, opts.perturb_factor, &mut Random::default())?;
    } else if opts.mix_up != 0 {
        warning!("Cannot split from {} to {} components", gmm.num_gauss(), opts.mix_up);
    }
    write_file(&opts.target, &gmm, Format::from_binary(opts.binary))?;
    log!("Written model to {}", opts.target);
    Ok(Tally::new(1, 0))
}
