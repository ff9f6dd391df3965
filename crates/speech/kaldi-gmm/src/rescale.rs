//! Models that follow a change of the features.

use crate::normal::NormalGmm;
use crate::{AccumDiagGmm, AmDiagGmm, Error, GmmFlags, GmmStats, PdfStats, Result};

/// A model that was moved and scaled as the statistics of its Gaussians have changed.
#[derive(Clone, Debug, PartialEq)]
pub struct Rescaled {
    /// The model.
    pub model: AmDiagGmm,
    /// The Kullback-Leibler divergence of the new from the old Gaussians, times their frames.
    pub divergence: f64,
    /// The number of frames.
    pub count: f64,
    /// The old and the new numbers of frames of the Gaussians that had too few.
    pub low_counts: Vec<(f64, f64)>,
}

impl PdfStats {
    /// Moves the means of a model by the change from these statistics to others, and scales its variances likewise, so that
    /// what discriminative training has changed stays (Kaldi's `DoRescalingUpdate`). Weights do not change.
    ///
    /// Gaussians with `min_occupancy` frames or fewer stay. No variance becomes smaller than `min_variance`.
    ///
    /// # Errors
    /// If the statistics are not of the model, or have no means and variances, or a Gaussian is no longer one.
    pub fn rescale(&self, new: &Self, model: &AmDiagGmm, min_variance: f32, min_occupancy: f32) -> Result<Rescaled> {
        self.check_num_pdfs(model.num_pdfs())?;
        new.check_num_pdfs(model.num_pdfs())?;
        let (mut divergence, mut count, mut low_counts) = (0.0, 0.0, Vec::new());
        let mut pdfs = Vec::with_capacity(model.num_pdfs());
        for (pdf, gmm) in model.pdfs().iter().enumerate() {
            let (old, new) = (&self.pdfs[pdf], &new.pdfs[pdf]);
            for stats in [old, new] {
                stats.check_fits(gmm, GmmFlags::MEANS | GmmFlags::VARIANCES).map_err(Error::in_pdf(pdf))?;
            }
            let mut normal = NormalGmm::of(gmm);
            for (gauss, (&before, &after)) in old.occupancy().iter().zip(new.occupancy()).enumerate() {
                if before <= f64::from(min_occupancy) || after <= f64::from(min_occupancy) {
                    low_counts.push((before, after));
                    continue;
                }
                count += after;
                divergence += after * rescale_gaussian([old, new], gauss, f64::from(min_variance), &mut normal);
            }
            pdfs.push(normal.to_gmm(gmm, GmmFlags::ALL).map_err(Error::in_pdf(pdf))?);
        }
        Ok(Rescaled { model: AmDiagGmm::new(pdfs)?, divergence, count, low_counts })
    }
}

/// The mean and the variance of a Gaussian's frames in a dimension.
pub(crate) fn moments(stats: &AccumDiagGmm, gauss: usize, dim: usize) -> (f64, f64) {
    let count = stats.occupancy()[gauss];
    let mean = stats.means().row(gauss)[dim] / count;
    (mean, stats.squares().row(gauss)[dim] / count - mean * mean)
}

/// Changes a Gaussian; returns the divergence from the old one.
fn rescale_gaussian([old, new]: [&AccumDiagGmm; 2], gauss: usize, min_variance: f64, normal: &mut NormalGmm) -> f64 {
    let mut divergence = 0.0;
    let moved = normal.means.row_mut(gauss).iter_mut().zip(normal.vars.row_mut(gauss));
    for (dim, (mean, var)) in moved.enumerate() {
        let ((old_mean, old_var), (new_mean, new_var)) = (moments(old, gauss, dim), moments(new, gauss, dim));
        let (moved, scaled) = (*mean + new_mean - old_mean, min_variance.max(*var * new_var / old_var));
        let change = moved - *mean;
        divergence += 0.5 * ((change * change + scaled - *var) / *var + (*var / scaled).ln());
        (*mean, *var) = (moved, scaled);
    }
    divergence
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{model, stats, stats_of};

    #[test]
    fn a_gaussian_moves_as_its_frames_do() {
        // From a mean of 1 and a variance of 1 to 3 and 4.
        let (old, new) = (stats([20.0, 20.0, 40.0]), stats([10.0, 30.0, 130.0]));
        let found = old.rescale(&new, &model(5.0, 0.5), 0.001, 5.0).unwrap();
        assert_eq!((found.model, found.count, found.low_counts.len()), (model(7.0, 2.0), 10.0, 0));
        let divergence = 10.0 * 0.5 * ((4.0 + 1.5) / 0.5 - 4.0_f64.ln());
        assert!((found.divergence - divergence).abs() < 1e-9);
        let few = old.rescale(&new, &model(5.0, 0.5), 0.001, 10.0).unwrap();
        assert_eq!((few.model, few.count, few.low_counts), (model(5.0, 0.5), 0.0, vec![(20.0, 10.0)]));
        let floored = old.rescale(&new, &model(5.0, 0.5), 4.0, 5.0).unwrap();
        assert_eq!(floored.model, model(7.0, 4.0));
        let without = stats_of(GmmFlags::MEANS, [20.0, 20.0, 0.0]).rescale(&new, &model(5.0, 0.5), 0.001, 5.0);
        assert_eq!(without.unwrap_err().to_string(), "pdf 0: expected statistics for the flags mv, got those for mw");
    }
}
