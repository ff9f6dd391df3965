//! Estimates a model of Gaussian mixtures from statistics.
//!
//! Matches Kaldi's `gmm-est`, also in the random numbers of --mix-up, and in the pdf that gets a Gaussian if several are equal.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_gmm::tables::{merge_by_counts, split_by_counts, warn_of_low_counts};
use kaldi_gmm::{
    AcousticModel, AcousticStats, AmDiagGmm, GaussianTargets, GmmFlags, GmmStats as _, MleDiagGmmOptions,
    MleTransitionOptions, estimate_transitions,
};
use kaldi_io::log::{log, warning};
use kaldi_matrix::Vector;
use kaldi_table::{read_file, write_file};
use kaldi_value::Format;
use kaldi_value::number::general;

const USAGE: &str = "\
Estimates a model of Gaussian mixtures from statistics: one step of training. With --mix-up Gaussians are then split, those
of pdfs with many frames first.

Usage: gmm-est [options] <model-in> <stats-rxfilename> <model-out>
 e.g.: gmm-est --mix-up=5000 --power=0.25 1.mdl 'gmm-sum-accs - 1.*.acc |' 2.mdl
See also: gmm-acc-stats-ali, gmm-sum-accs
";

#[derive(clap::Args)]
struct Options {
    /// Write in binary mode
    #[arg(long, default_value_t = true)]
    binary: bool,
    /// Split Gaussians until there are this many; 0 splits none
    #[arg(long, default_value_t = 0)]
    mix_up: i32,
    /// Merge Gaussians until there are this many; 0 merges none
    #[arg(long, default_value_t = 0)]
    mix_down: i32,
    /// The number of frames that each Gaussian of a pdf needs if Gaussians are split or merged
    #[arg(long, default_value_t = 20.0)]
    min_count: f32,
    /// Pdfs get Gaussians in proportion to this power of their numbers of frames
    #[arg(long, default_value_t = 0.2)]
    power: f32,
    /// The parameters to estimate: m means, v variances, w weights, t transitions
    #[arg(long, default_value = "mvwt")]
    update_flags: GmmFlags,
    /// Move the means of split Gaussians at random, by about this many standard deviations
    #[arg(long, default_value_t = 0.01)]
    perturb_factor: f32,
    /// Wxfilename for the number of frames of each pdf, as text
    #[arg(long)]
    write_occs: Option<OutputName>,
    /// Smaller probabilities of transitions are raised to this
    #[arg(long, default_value_t = 0.01)]
    transition_floor: f32,
    /// Transition-states with fewer counts keep their probabilities
    #[arg(long, default_value_t = 5.0)]
    transition_min_count: f32,
    /// Transition-states of the same pdf share their probabilities
    #[arg(long)]
    share_for_pdfs: bool,
    #[command(flatten)]
    estimation: MleDiagGmmOptions,
    model: InputName,
    stats: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(gmm_est));

fn gmm_est(opts: Options) -> anyhow::Result<Tally> {
    let mut model: AcousticModel = read_file(&opts.model)?;
    let stats: AcousticStats = read_file(&opts.stats)?;
    if opts.update_flags.contains(GmmFlags::TRANSITIONS) {
        let options = MleTransitionOptions {
            floor: opts.transition_floor,
            min_count: opts.transition_min_count,
            share_for_pdfs: opts.share_for_pdfs,
        };
        let change = estimate_transitions(&mut model.transitions, stats.transitions(), &options)?;
        let (average, count) = (general(change.objective_change / change.count), general(change.count));
        log!(
            "{} probabilities floored, {} skipped due to insufficient data (it is normal to have some skipped.)",
            change.num_floored,
            change.num_skipped
        );
        log!("Transition model update: Overall {average} log-like improvement per frame over {count} frames.");
    }
    model.pdfs = estimate_pdfs(model.pdfs, &stats, opts.update_flags, &opts.estimation)?;
    let occupancies: Vec<f32> = stats.pdfs().iter().map(|stats| stats.occupancy().iter().sum::<f64>() as f32).collect();
    let targets = |target| GaussianTargets { target, power: opts.power, min_count: opts.min_count };
    if opts.mix_down != 0 {
        model.pdfs = merge_by_counts(&model.pdfs, &occupancies, targets(opts.mix_down))?;
    }
    if opts.mix_up != 0 {
        model.pdfs = split_by_counts(&model.pdfs, &occupancies, targets(opts.mix_up), opts.perturb_factor)?;
    }
    if let Some(name) = &opts.write_occs {
        write_file(name, &Vector::from_vec(occupancies), Format::Text)?;
    }
    write_file(&opts.target, &model, Format::from_binary(opts.binary))?;
    log!("Written model to {}", opts.target);
    Ok(Tally::new(1, 0))
}

/// Estimates the mixtures of all pdfs.
fn estimate_pdfs(
    pdfs: AmDiagGmm,
    stats: &AcousticStats,
    flags: GmmFlags,
    options: &MleDiagGmmOptions,
) -> anyhow::Result<AmDiagGmm> {
    let (num_pdfs, got) = (pdfs.num_pdfs(), stats.pdfs().len());
    if num_pdfs != got {
        return Err(kaldi_gmm::Error::OtherStats { expected: num_pdfs, got }.into());
    }
    let (dim, new_dim) = (pdfs.dim(), stats.pdfs()[0].dim());
    let pdfs = if new_dim == dim {
        pdfs
    } else {
        warning!(
            "Dimensions of accumulator {new_dim} and gmm {dim} do not match, resizing GMM and setting to zero-mean, \
             unit-variance."
        );
        pdfs.resized(new_dim)?
    };
    let (mut change, mut count, mut floored, mut removed) = (0.0, 0.0, (0, 0), 0);
    let mut estimated = Vec::with_capacity(num_pdfs);
    for (gmm, stats) in pdfs.pdfs().iter().zip(stats.pdfs()) {
        let estimate = stats.estimate(gmm, flags, options)?;
        warn_of_low_counts(&estimate, new_dim, options.remove_low_count_gaussians);
        change += estimate.objective_change;
        count += estimate.count;
        floored = (floored.0 + estimate.floored_elements, floored.1 + estimate.floored_gaussians);
        removed += estimate.num_removed();
        estimated.push(estimate.gmm);
    }
    let pdfs = AmDiagGmm::new(estimated)?;
    let num_gauss = pdfs.num_gauss();
    log!("{} variance elements floored in {} Gaussians, out of {num_gauss}", floored.0, floored.1);
    if options.remove_low_count_gaussians {
        let least = options.min_gaussian_occupancy;
        log!(
            "Removed {removed} Gaussians due to counts < --min-gaussian-occupancy={least} and \
             --remove-low-count-gaussians=true"
        );
    }
    let average = general(change / count);
    log!("GMM update: Overall {average} objective function improvement per frame over {} frames", general(count));
    let (log_like, frames) = stats.totals();
    log!("GMM update: Overall avg like per frame = {} over {} frames.", general(log_like / frames), general(frames));
    Ok(pdfs)
}
