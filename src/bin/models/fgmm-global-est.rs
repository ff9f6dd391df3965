//! Estimates a mixture with full covariances from statistics.
//!
//! Matches Kaldi's `fgmm-global-est`, also in the random numbers of --mix-up.

use kaldi_cli::Tally;
use kaldi_gmm::tables::warn_of_low_counts;
use kaldi_gmm::{AccumFullGmm, FullGmm, Mixture, MleFullGmmOptions};
use kaldi_io::log::warning;
use kaldi_table::read_file;
use kaldi_value::random::Random;

use crate::gmm_global_est::{Options, finish};

const USAGE: &str = "\
Estimates a mixture with full covariances from statistics: one step of training. With --mix-up it then splits the
Gaussians with the largest weights until there are so many.

Usage: fgmm-global-est [options] <model-in> <stats-rxfilename> <model-out>
 e.g.: fgmm-global-est --mix-up=512 1.ubm 'fgmm-global-sum-accs - 1.*.acc |' 2.ubm
See also: fgmm-global-acc-stats, fgmm-global-sum-accs, fgmm-global-init-from-accs
";

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(fgmm_global_est));

fn fgmm_global_est(opts: Options<MleFullGmmOptions>) -> anyhow::Result<Tally> {
    let gmm: FullGmm = read_file(&opts.model)?;
    let stats: AccumFullGmm = read_file(&opts.stats)?;
    let estimate = stats.estimate(&gmm, opts.update_flags, &opts.estimation)?;
    warn_of_low_counts(&estimate, gmm.dim(), opts.estimation.remove_low_count_gaussians);
    if estimate.floored_elements > 0 {
        warning!("{} variances floored in {} Gaussians.", estimate.floored_elements, estimate.floored_gaussians);
    }
    finish(&opts, estimate, |gmm| {
        if opts.mix_up > gmm.num_gauss() as i32 {
            return gmm.split(opts.mix_up, opts.perturb_factor, &mut Random::default());
        }
        if opts.mix_up != 0 {
            warning!("Cannot split from {} to {} components", gmm.num_gauss(), opts.mix_up);
        }
        Ok(gmm)
    })
}
