//! Options of statistics for the estimation of Gaussian mixtures.

use crate::GmmFlags;
use kaldi_io::InputName;

/// Options of statistics of features for the estimation of a mixture.
#[derive(Clone, Debug, clap::Args)]
pub struct MixtureStatsArguments {
    /// Write in binary mode
    #[arg(long, default_value_t = true)]
    pub binary: bool,
    /// The parameters to keep statistics for: m means, v variances, w weights
    #[arg(long, default_value = "mvw")]
    pub update_flags: GmmFlags,
    /// Rspecifier of the Gaussians that count in each frame
    #[arg(long)]
    pub gselect: Option<InputName>,
    /// Rspecifier of vectors with a weight for each frame
    #[arg(long)]
    pub weights: Option<InputName>,
}
