//! Options of the estimation of Gaussian mixtures.

use kaldi_gmm::{LowCounts, MleDiagGmmOptions, MleFullGmmOptions};

/// Options of [`MleDiagGmmOptions`].
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct MleDiagGmmArguments {
    /// A Gaussian with at most this share of the frames has too few
    #[arg(long, default_value_t = 1.0e-5)]
    pub min_gaussian_weight: f32,
    /// A Gaussian with at most so many frames has too few
    #[arg(long, default_value_t = 10.0)]
    pub min_gaussian_occupancy: f32,
    /// Smaller variances are raised to this
    #[arg(long, default_value_t = 0.001)]
    pub min_variance: f64,
    /// Remove Gaussians with too few frames, all but the last one; otherwise they stay as they are
    #[arg(long, default_value_t = true)]
    pub remove_low_count_gaussians: bool,
}

impl From<&MleDiagGmmArguments> for MleDiagGmmOptions {
    fn from(arguments: &MleDiagGmmArguments) -> Self {
        let low_counts = LowCounts {
            min_weight: arguments.min_gaussian_weight,
            min_occupancy: arguments.min_gaussian_occupancy,
            remove: arguments.remove_low_count_gaussians,
        };
        Self { low_counts, min_variance: arguments.min_variance }
    }
}

/// Options of [`MleFullGmmOptions`].
#[derive(Clone, Copy, Debug, clap::Args)]
pub struct MleFullGmmArguments {
    /// A Gaussian with at most this share of the frames has too few
    #[arg(long, default_value_t = 1.0e-5)]
    pub min_gaussian_weight: f32,
    /// A Gaussian with at most so many frames has too few
    #[arg(long, default_value_t = 100.0)]
    pub min_gaussian_occupancy: f32,
    /// Smaller eigenvalues of covariances are raised to this
    #[arg(long, default_value_t = 0.001)]
    pub variance_floor: f64,
    /// The largest eigenvalue of a covariance is at most so many times the smallest; smaller ones are raised
    #[arg(long, default_value_t = 1.0e4)]
    pub max_condition: f64,
    /// Remove Gaussians with too few frames, all but the last one; otherwise they stay as they are
    #[arg(long, default_value_t = true)]
    pub remove_low_count_gaussians: bool,
}

impl From<&MleFullGmmArguments> for MleFullGmmOptions {
    fn from(arguments: &MleFullGmmArguments) -> Self {
        let low_counts = LowCounts {
            min_weight: arguments.min_gaussian_weight,
            min_occupancy: arguments.min_gaussian_occupancy,
            remove: arguments.remove_low_count_gaussians,
        };
        Self { low_counts, variance_floor: arguments.variance_floor, max_condition: arguments.max_condition }
    }
}
