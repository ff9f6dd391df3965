//! What tools say in the same way.

use crate::Estimate;
use kaldi_io::log::warning;

/// Warns of each Gaussian that had too few frames to be estimated; `remove` says whether such Gaussians are removed.
pub fn warn_of_low_counts<G>(estimate: &Estimate<G>, dim: usize, remove: bool) {
    for low in &estimate.low_counts {
        let (weight, occupancy, gauss) = (low.weight, low.occupancy, low.gauss);
        if low.removed {
            warning!(
                "Too little data - removing Gaussian (weight {weight:.6}, occupation count {occupancy:.6}, vector size \
                 {dim})"
            );
            continue;
        }
        let why = if remove { "it is the last Gaussian" } else { "remove-low-count-gaussians == false" };
        warning!(
            "Gaussian has too little data but not removing it because {why}: i = {gauss}, occ = {occupancy:.6}, weight = \
             {weight:.6}"
        );
    }
}
