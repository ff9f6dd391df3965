//! Options of the use and the estimation of Gaussian mixtures.

use kaldi_cli::{InputName, OutputName};
use kaldi_gmm::{GmmFlags, LowCounts, MleDiagGmmOptions, MleFullGmmOptions};

use crate::refused;

/// Options of the selection of the best Gaussians of each frame.
#[derive(Clone, Debug, option_table::Options)]
pub struct SelectArguments {
    /// The number of Gaussians to select
    #[option(default = 50)]
    pub n: i32,
    /// Wspecifier for the log likelihood of each utterance, as far as it comes from the selected Gaussians
    #[option]
    pub write_likes: Option<OutputName>,
    /// Rspecifier of Gaussians for each frame among which to select
    #[option]
    pub gselect: Option<InputName>,
}

impl SelectArguments {
    /// The number of Gaussians to select.
    ///
    /// # Errors
    /// If there are none.
    pub fn num_selected(&self) -> Result<usize, kaldi_feat::Error> {
        usize::try_from(self.n).ok().filter(|n| *n > 0).ok_or_else(|| refused("n", "1 or more", self.n))
    }
}

/// Options of statistics of features for the estimation of a mixture.
#[derive(Clone, Debug, option_table::Options)]
pub struct MixtureStatsArguments {
    /// Write in binary mode
    #[option(default = true)]
    pub binary: bool,
    /// The parameters to keep statistics for: m means, v variances, w weights
    #[option(default = "mvw")]
    pub update_flags: GmmFlags,
    /// Rspecifier of the Gaussians that count in each frame
    #[option]
    pub gselect: Option<InputName>,
    /// Rspecifier of vectors with a weight for each frame
    #[option]
    pub weights: Option<InputName>,
}

/// Options of [`MleDiagGmmOptions`].
#[derive(Clone, Copy, Debug, option_table::Options)]
pub struct MleDiagGmmArguments {
    /// A Gaussian with at most this share of the frames has too few
    #[option(default = 1.0e-5)]
    pub min_gaussian_weight: f32,
    /// A Gaussian with at most so many frames has too few
    #[option(default = 10.0)]
    pub min_gaussian_occupancy: f32,
    /// Smaller variances are raised to this
    #[option(default = 0.001)]
    pub min_variance: f64,
    /// Remove Gaussians with too few frames, all but the last one; otherwise they stay as they are
    #[option(default = true)]
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
#[derive(Clone, Copy, Debug, option_table::Options)]
pub struct MleFullGmmArguments {
    /// A Gaussian with at most this share of the frames has too few
    #[option(default = 1.0e-5)]
    pub min_gaussian_weight: f32,
    /// A Gaussian with at most so many frames has too few
    #[option(default = 100.0)]
    pub min_gaussian_occupancy: f32,
    /// Smaller eigenvalues of covariances are raised to this
    #[option(default = 0.001)]
    pub variance_floor: f64,
    /// The largest eigenvalue of a covariance is at most so many times the smallest; smaller ones are raised
    #[option(default = 1.0e4)]
    pub max_condition: f64,
    /// Remove Gaussians with too few frames, all but the last one; otherwise they stay as they are
    #[option(default = true)]
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
