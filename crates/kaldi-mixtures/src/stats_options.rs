//! Options of statistics for the estimation of Gaussian mixtures.

use kaldi_gmm::GmmFlags;
use kaldi_io::InputName;

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
