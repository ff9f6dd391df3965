//! New mixtures with diagonal covariances from statistics.

use kaldi_matrix::{Matrix, Vector};

use crate::estimate::NewWeights;
use crate::{AccumDiagGmm, DiagGmm, Estimate, GmmFlags, GmmStats, Mixture, MleDiagGmmOptions, Result};

impl AccumDiagGmm {
    /// The log likelihood of the frames of the statistics, as far as they have what it needs.
    pub fn objective(&self, gmm: &DiagGmm) -> f64 {
        let products = |left: &[f64], right: &[f32]| -> f64 {
            left.iter().zip(right).filter(|(left, _)| **left != 0.0).map(|(left, &right)| left * f64::from(right)).sum()
        };
        products(self.occupancy(), gmm.gconsts()) + products(self.means().as_slice(), gmm.means_invvars().as_slice())
            - 0.5 * products(self.squares().as_slice(), gmm.inv_vars().as_slice())
    }

    /// Estimates the parameters in `flags` of a mixture; the others stay as they are in `gmm`.
    ///
    /// Follows Kaldi's `MleDiagGmmUpdate`, in double precision until the result is stored.
    ///
    /// # Errors
    /// If the statistics do not fit the mixture or do not have the flags, or the result is no mixture.
    pub fn estimate(&self, gmm: &DiagGmm, flags: GmmFlags, options: &MleDiagGmmOptions) -> Result<Estimate<DiagGmm>> {
        self.check_fits(gmm, flags)?;
        let new = NewWeights::new(gmm.weights(), self.occupancy(), &options.low_counts());
        let (num_gauss, dim) = (gmm.num_gauss(), gmm.dim());
        let (mut means_invvars, mut inv_vars) = (gmm.means_invvars().clone(), gmm.inv_vars().clone());
        let (mut floored_elements, mut floored_gaussians) = (0, 0);
        for gauss in 0..num_gauss {
            let rows = (means_invvars.row_mut(gauss), inv_vars.row_mut(gauss));
            let floored = self.estimate_gaussian(gauss, new.enough[gauss], flags, options.min_variance, rows);
            floored_elements += floored;
            floored_gaussians += usize::from(floored > 0);
        }
        let weights = new.of_all(gmm.weights(), flags);
        let all = DiagGmm::new(Vector::from_vec(weights.clone()), means_invvars.clone(), inv_vars.clone())?;
        let objective_change = self.objective(&all) - self.objective(gmm);
        let gmm = if new.kept.len() == num_gauss {
            all
        } else {
            let rows = |matrix: &Matrix<f32>| {
                let values = new.kept.iter().flat_map(|&gauss| matrix.row(gauss)).copied().collect();
                Matrix::from_vec(new.kept.len(), dim, values)
            };
            DiagGmm::new(new.of_kept(&weights), rows(&means_invvars), rows(&inv_vars))?
        };
        let NewWeights { low_counts, count, .. } = new;
        Ok(Estimate { gmm, objective_change, count, floored_elements, floored_gaussians, low_counts })
    }

    /// Estimates the mean and the variances of a Gaussian that has enough frames, and stores those in `flags`. Returns how
    /// many variances were raised to the floor.
    fn estimate_gaussian(
        &self,
        gauss: usize,
        is_enough: bool,
        flags: GmmFlags,
        floor: f64,
        (means_invvars, inv_vars): (&mut [f32], &mut [f32]),
    ) -> usize {
        let mut vars: Vec<f64> = inv_vars.iter().map(|&value| 1.0 / f64::from(value)).collect();
        let old_means: Vec<f64> = means_invvars.iter().zip(&vars).map(|(&mean, var)| f64::from(mean) * var).collect();
        let mut means = old_means.clone();
        let mut floored = 0;
        if is_enough && !self.means().is_empty() {
            let occupancy = self.occupancy()[gauss];
            means = self.means().row(gauss).iter().map(|sum| sum / occupancy).collect();
            if !self.squares().is_empty() {
                let around = if flags.contains(GmmFlags::MEANS) { &means } else { &old_means };
                floored = estimate_vars(self.squares().row(gauss), occupancy, (&means, around), floor, &mut vars);
            }
        }
        if flags.contains(GmmFlags::VARIANCES) {
            inv_vars.iter_mut().zip(&vars).for_each(|(inv_var, &var)| *inv_var = 1.0 / var as f32);
        }
        let means = if flags.contains(GmmFlags::MEANS) { &means } else { &old_means };
        if flags.contains(GmmFlags::MEANS) || flags.contains(GmmFlags::VARIANCES) {
            for ((out, &mean), &inv_var) in means_invvars.iter_mut().zip(means).zip(&*inv_vars) {
                *out = mean as f32 * inv_var;
            }
        }
        floored
    }
}

/// Estimates the variances around some means, the estimated or the old ones. Returns how many were raised to the floor.
fn estimate_vars(
    squares: &[f64],
    occupancy: f64,
    (means, around): (&[f64], &[f64]),
    floor: f64,
    vars: &mut [f64],
) -> usize {
    let mut floored = 0;
    for (((var, square), mean), around) in vars.iter_mut().zip(squares).zip(means).zip(around) {
        *var = square / occupancy - mean * mean + (around - mean) * (around - mean);
        if *var < floor {
            *var = floor;
            floored += 1;
        }
    }
    floored
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::LowCount;

    fn diag() -> DiagGmm {
        // Two Gaussians with means of 0 and 4, variances of 1 and 2.
        let weights = Vector::from_vec(vec![0.5, 0.5]);
        DiagGmm::new(weights, Matrix::from_vec(2, 1, vec![0.0, 2.0]), Matrix::from_vec(2, 1, vec![1.0, 0.5])).unwrap()
    }

    /// Frames of 1 and 3 for the first Gaussian, and one of 5 for the second.
    fn diag_stats(flags: GmmFlags) -> AccumDiagGmm {
        let mut stats = AccumDiagGmm::new(2, 1, flags);
        let feats = Matrix::from_vec(3, 1, vec![1.0, 3.0, 5.0]);
        stats.add_weighted(&feats, &[vec![(0, 6.0)], vec![(0, 6.0)], vec![(1, 3.0)]]).unwrap();
        stats
    }

    #[test]
    fn a_gaussian_gets_the_moments_of_its_frames() {
        let options = MleDiagGmmOptions { min_gaussian_occupancy: 1.0, ..MleDiagGmmOptions::default() };
        let estimate = diag_stats(GmmFlags::ALL).estimate(&diag(), GmmFlags::ALL, &options).unwrap();
        assert_eq!(estimate.gmm.weights(), [0.8, 0.2]);
        assert_eq!(estimate.gmm.means().row(0), [2.0]);
        assert_eq!(estimate.gmm.vars().row(0), [1.0]);
        assert!((estimate.gmm.vars().row(1)[0] - 0.001).abs() < 1e-9);
        assert_eq!((estimate.count, estimate.floored_elements, estimate.floored_gaussians), (15.0, 1, 1));
        assert!(estimate.objective_change > 0.0 && estimate.low_counts.is_empty());
    }

    #[test]
    fn parameters_without_a_flag_stay() {
        let options = MleDiagGmmOptions { min_gaussian_occupancy: 1.0, ..MleDiagGmmOptions::default() };
        let vars = diag_stats(GmmFlags::ALL).estimate(&diag(), GmmFlags::VARIANCES, &options).unwrap().gmm;
        // Around the old means: 1 + 4, 1.
        assert_eq!((vars.weights(), vars.means().as_slice()), (&[0.5, 0.5][..], &[0.0, 4.0][..]));
        assert!((vars.vars().row(0)[0] - 5.0).abs() < 1e-6 && (vars.vars().row(1)[0] - 1.0).abs() < 1e-6);
        let means = diag_stats(GmmFlags::ALL).estimate(&diag(), GmmFlags::MEANS, &options).unwrap().gmm;
        assert_eq!((means.means().as_slice(), means.inv_vars()), (&[2.0, 5.0][..], diag().inv_vars()));
        let refused = diag_stats(GmmFlags::MEANS).estimate(&diag(), GmmFlags::VARIANCES, &options).unwrap_err();
        assert_eq!(refused.to_string(), "expected statistics for the flags v, got those for mw");
    }

    #[test]
    fn gaussians_with_few_frames_are_removed() {
        let options = MleDiagGmmOptions::default();
        let estimate = diag_stats(GmmFlags::ALL).estimate(&diag(), GmmFlags::ALL, &options).unwrap();
        assert_eq!((estimate.gmm.num_gauss(), estimate.gmm.weights(), estimate.num_removed()), (1, &[1.0][..], 1));
        assert_eq!(estimate.low_counts[0], LowCount { gauss: 1, occupancy: 3.0, weight: 0.2, removed: true });
        let options = MleDiagGmmOptions { remove_low_count_gaussians: false, ..options };
        let kept = diag_stats(GmmFlags::ALL).estimate(&diag(), GmmFlags::ALL, &options).unwrap();
        assert_eq!((kept.gmm.num_gauss(), kept.gmm.means().row(1)), (2, &[4.0][..]));
        // The last one stays in any case.
        let empty = AccumDiagGmm::new(2, 1, GmmFlags::ALL);
        let kept = empty.estimate(&diag(), GmmFlags::ALL, &MleDiagGmmOptions::default()).unwrap();
        assert_eq!((kept.gmm.num_gauss(), kept.gmm.means().row(0)), (1, &[4.0][..]));
    }
}
