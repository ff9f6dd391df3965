//! Estimates a mixture with diagonal covariances from statistics.
//!
//! Matches Kaldi's `gmm-global-est`, also in the random numbers of --mix-up.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_gmm::tables::warn_of_low_counts;
use kaldi_gmm::{AccumDiagGmm, DiagGmm, Estimate, GmmFlags, Mixture, MleDiagGmmOptions};
use kaldi_io::log::{log, warning};
use kaldi_table::{read_file, write_file};
use kaldi_value::Format;
use kaldi_value::number::general;
use kaldi_value::random::Random;

const USAGE: &str = "\
Estimates a mixture with diagonal covariances from statistics: one step of training. With --mix-up it then splits the
Gaussians with the largest weights until there are so many.

Usage: gmm-global-est [options] <model-in> <stats-rxfilename> <model-out>
 e.g.: gmm-global-est --mix-up=512 1.dubm 'gmm-global-sum-accs - 1.*.acc |' 2.dubm
See also: gmm-global-acc-stats, gmm-global-sum-accs, gmm-global-init-from-feats
";

#[derive(clap::Args)]
pub(crate) struct Options<E: clap::Args> {
    /// Write in binary mode
    #[arg(long, default_value_t = true)]
    pub(crate) binary: bool,
    /// The parameters to estimate: m means, v variances, w weights
    #[arg(long, default_value = "mvw")]
    pub(crate) update_flags: GmmFlags,
    /// Split Gaussians until there are this many; 0 splits none
    #[arg(long, default_value_t = 0)]
    pub(crate) mix_up: i32,
    /// Move the means of split Gaussians at random, by about this many standard deviations
    #[arg(long, default_value_t = 0.01)]
    pub(crate) perturb_factor: f32,
    #[command(flatten)]
    pub(crate) estimation: E,
    pub(crate) model: InputName,
    pub(crate) stats: InputName,
    pub(crate) target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(gmm_global_est));

fn gmm_global_est(opts: Options<MleDiagGmmOptions>) -> anyhow::Result<Tally> {
    let gmm: DiagGmm = read_file(&opts.model)?;
    let stats: AccumDiagGmm = read_file(&opts.stats)?;
    let estimate = stats.estimate(&gmm, opts.update_flags, &opts.estimation)?;
    warn_of_low_counts(&estimate, gmm.dim(), opts.estimation.remove_low_count_gaussians);
    finish(&opts, estimate, |gmm| {
        if opts.mix_up == 0 {
            return Ok(gmm);
        }
        if opts.mix_up == gmm.num_gauss() as i32 {
            warning!("Already have the target # of Gaussians. Doing nothing.");
            return Ok(gmm);
        }
        gmm.split(opts.mix_up, opts.perturb_factor, &mut Random::default())
    })
}

/// Reports on an estimate, and writes the mixture that `split` makes of it.
pub(crate) fn finish<M: Mixture>(
    opts: &Options<impl clap::Args>,
    estimate: Estimate<M>,
    split: impl FnOnce(M) -> kaldi_gmm::Result<M>,
) -> anyhow::Result<Tally> {
    log!(
        "Overall objective function improvement is {} per frame over {} frames.",
        general(estimate.objective_change / estimate.count),
        general(estimate.count)
    );
    write_file(&opts.target, &split(estimate.gmm)?, Format::from_binary(opts.binary))?;
    log!("Written model to {}", opts.target);
    Ok(Tally::new(1, 0))
}
