//! What the estimation of mixtures with diagonal and with full covariances has in common.

use kaldi_matrix::Vector;

use crate::GmmFlags;

/// When a Gaussian has too few frames, and what happens to it then.
#[derive(Clone, Copy, Debug)]
pub(crate) struct LowCounts {
    /// A Gaussian needs a larger share of the frames.
    pub(crate) min_weight: f32,
    /// A Gaussian needs more frames.
    pub(crate) min_occupancy: f32,
    /// Whether a Gaussian that has fewer is removed; the last one never is.
    pub(crate) remove: bool,
}

/// The options of the estimation of a mixture with diagonal covariances (Kaldi's `MleDiagGmmOptions`).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct MleDiagGmmOptions {
    /// A Gaussian with at most this share of the frames has too few
    #[cfg_attr(feature = "cli", arg(long, default_value_t = MleDiagGmmOptions::default().min_gaussian_weight))]
    pub min_gaussian_weight: f32,
    /// A Gaussian with at most so many frames has too few
    #[cfg_attr(feature = "cli", arg(long, default_value_t = MleDiagGmmOptions::default().min_gaussian_occupancy))]
    pub min_gaussian_occupancy: f32,
    /// Smaller variances are raised to this
    #[cfg_attr(feature = "cli", arg(long, default_value_t = MleDiagGmmOptions::default().min_variance))]
    pub min_variance: f64,
    /// Remove Gaussians with too few frames, all but the last one; otherwise they stay as they are
    #[cfg_attr(feature = "cli", arg(long, default_value_t = MleDiagGmmOptions::default().remove_low_count_gaussians))]
    pub remove_low_count_gaussians: bool,
}

impl Default for MleDiagGmmOptions {
    fn default() -> Self {
        Self {
            min_gaussian_weight: 1.0e-5,
            min_gaussian_occupancy: 10.0,
            min_variance: 0.001,
            remove_low_count_gaussians: true,
        }
    }
}

impl MleDiagGmmOptions {
    pub(crate) fn low_counts(&self) -> LowCounts {
        LowCounts {
            min_weight: self.min_gaussian_weight,
            min_occupancy: self.min_gaussian_occupancy,
            remove: self.remove_low_count_gaussians,
        }
    }
}

/// The options of the estimation of a mixture with full covariances (Kaldi's `MleFullGmmOptions`).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct MleFullGmmOptions {
    /// A Gaussian with at most this share of the frames has too few
    #[cfg_attr(feature = "cli", arg(long, default_value_t = MleFullGmmOptions::default().min_gaussian_weight))]
    pub min_gaussian_weight: f32,
    /// A Gaussian with at most so many frames has too few
    #[cfg_attr(feature = "cli", arg(long, default_value_t = MleFullGmmOptions::default().min_gaussian_occupancy))]
    pub min_gaussian_occupancy: f32,
    /// Smaller eigenvalues of covariances are raised to this
    #[cfg_attr(feature = "cli", arg(long, default_value_t = MleFullGmmOptions::default().variance_floor))]
    pub variance_floor: f64,
    /// The largest eigenvalue of a covariance is at most so many times the smallest; smaller ones are raised
    #[cfg_attr(feature = "cli", arg(long, default_value_t = MleFullGmmOptions::default().max_condition))]
    pub max_condition: f64,
    /// Remove Gaussians with too few frames, all but the last one; otherwise they stay as they are
    #[cfg_attr(feature = "cli", arg(long, default_value_t = MleFullGmmOptions::default().remove_low_count_gaussians))]
    pub remove_low_count_gaussians: bool,
}

impl Default for MleFullGmmOptions {
    fn default() -> Self {
        Self {
            min_gaussian_weight: 1.0e-5,
            min_gaussian_occupancy: 100.0,
            variance_floor: 0.001,
            max_condition: 1.0e4,
            remove_low_count_gaussians: true,
        }
    }
}

impl MleFullGmmOptions {
    pub(crate) fn low_counts(&self) -> LowCounts {
        LowCounts {
            min_weight: self.min_gaussian_weight,
            min_occupancy: self.min_gaussian_occupancy,
            remove: self.remove_low_count_gaussians,
        }
    }
}

/// A Gaussian that had too few frames to be estimated.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LowCount {
    /// The Gaussian.
    pub gauss: usize,
    /// Its frames.
    pub occupancy: f64,
    /// Its share of all frames.
    pub weight: f64,
    /// Whether it was removed.
    pub removed: bool,
}

/// A mixture that was estimated.
#[derive(Clone, Debug, PartialEq)]
pub struct Estimate<G> {
    /// The mixture.
    pub gmm: G,
    /// How much the log likelihood of all frames has grown, as far as the statistics say.
    pub objective_change: f64,
    /// The number of frames.
    pub count: f64,
    /// Variances, or eigenvalues of covariances, that were raised to the floor.
    pub floored_elements: usize,
    /// Gaussians that have such.
    pub floored_gaussians: usize,
    /// Gaussians with too few frames.
    pub low_counts: Vec<LowCount>,
}

impl<G> Estimate<G> {
    /// How many Gaussians were removed.
    pub fn num_removed(&self) -> usize {
        self.low_counts.iter().filter(|low| low.removed).count()
    }
}

/// New weights: a Gaussian with enough frames gets its share of them.
pub(crate) struct NewWeights {
    /// In double precision as they are estimated.
    weights: Vec<f64>,
    pub(crate) low_counts: Vec<LowCount>,
    /// Whether each Gaussian has enough frames.
    pub(crate) enough: Vec<bool>,
    /// The Gaussians that remain.
    pub(crate) kept: Vec<usize>,
    pub(crate) count: f64,
}

impl NewWeights {
    pub(crate) fn new(old: &[f32], occupancy: &[f64], options: &LowCounts) -> Self {
        let count: f64 = occupancy.iter().sum();
        let num_gauss = occupancy.len();
        let (mut weights, mut low_counts) = (Vec::with_capacity(num_gauss), Vec::new());
        let (mut enough, mut kept) = (Vec::with_capacity(num_gauss), Vec::new());
        let mut removed = 0;
        for (gauss, (&old, &occupancy)) in old.iter().zip(occupancy).enumerate() {
            let weight = if count > 0.0 { occupancy / count } else { 1.0 / num_gauss as f64 };
            let is_enough = occupancy > f64::from(options.min_occupancy) && weight > f64::from(options.min_weight);
            let remove = !is_enough && options.remove && removed < num_gauss - 1;
            if !is_enough {
                low_counts.push(LowCount { gauss, occupancy, weight, removed: remove });
            }
            weights.push(match (is_enough, remove) {
                (true, _) => weight,
                (false, true) => old.into(),
                (false, false) => weight.max(options.min_weight.into()),
            });
            if remove {
                removed += 1;
            } else {
                kept.push(gauss);
            }
            enough.push(is_enough);
        }
        Self { weights, low_counts, enough, kept, count }
    }

    /// The weights of all Gaussians: new ones, or the old ones if they are not to be estimated.
    pub(crate) fn of_all(&self, old: &[f32], flags: GmmFlags) -> Vec<f32> {
        if flags.contains(GmmFlags::WEIGHTS) {
            return self.weights.iter().map(|&weight| weight as f32).collect();
        }
        old.to_vec()
    }

    /// The weights of the Gaussians that remain, with a sum of one if any were removed.
    pub(crate) fn of_kept(&self, weights: &[f32]) -> Vector<f32> {
        let mut kept: Vec<f32> = self.kept.iter().map(|&gauss| weights[gauss]).collect();
        if kept.len() < weights.len() {
            let sum: f32 = kept.iter().sum();
            kept.iter_mut().for_each(|weight| *weight *= 1.0 / sum);
        }
        Vector::from_vec(kept)
    }
}
