//! New mixtures with full covariances from statistics.

use kaldi_matrix::{Matrix, SymmetricMatrix, Vector};

use crate::estimate::NewWeights;
use crate::{AccumFullGmm, Error, Estimate, FullGmm, GmmFlags, GmmStats, Mixture, MleFullGmmOptions, Result};

impl AccumFullGmm {
    /// The log likelihood of the frames of the statistics, as far as they have what it needs.
    ///
    /// # Errors
    /// If the mixture has another size.
    pub fn objective(&self, gmm: &FullGmm) -> Result<f64> {
        let mut sum = 0.0;
        for (gauss, &occupancy) in self.occupancy().iter().enumerate() {
            if occupancy != 0.0 {
                sum += occupancy * f64::from(gmm.gconsts()[gauss]);
            }
            if !self.means().is_empty() {
                let means = self.means().row(gauss).iter().zip(gmm.means_invcovars().row(gauss));
                sum += means.map(|(sum, &mean)| sum * f64::from(mean)).sum::<f64>();
            }
            let trace = self.squares(gauss).trace_of_product(&gmm.inv_covar(gauss));
            sum -= 0.5 * trace.map_err(|source| Error::Covariance { gauss, source })?;
        }
        Ok(sum)
    }

    /// Estimates the parameters in `flags` of a mixture; the others stay as they are in `gmm`.
    ///
    /// Follows Kaldi's `MleFullGmmUpdate`, in double precision until the result is stored.
    ///
    /// # Errors
    /// If the statistics do not fit the mixture or do not have the flags, or the result is no mixture.
    pub fn estimate(&self, gmm: &FullGmm, flags: GmmFlags, options: &MleFullGmmOptions) -> Result<Estimate<FullGmm>> {
        self.check_fits(gmm, flags)?;
        let new = NewWeights::new(gmm.weights(), self.occupancy(), &options.low_counts());
        let num_gauss = gmm.num_gauss();
        let weights = new.of_all(gmm.weights(), flags);
        let mut means_invcovars = gmm.means_invcovars().clone();
        let mut inv_covars = Vec::with_capacity(num_gauss);
        let (mut floored_elements, mut floored_gaussians) = (0, 0);
        for gauss in 0..num_gauss {
            let estimated = self.estimate_gaussian(gauss, gmm, new.enough[gauss], flags, options)?;
            let (mean_invcovar, inv_covar, floored) = estimated;
            means_invcovars.row_mut(gauss).copy_from_slice(mean_invcovar.as_slice());
            inv_covars.push(inv_covar);
            floored_elements += floored;
            floored_gaussians += usize::from(floored > 0);
        }
        let all = FullGmm::new(Vector::from_vec(weights.clone()), means_invcovars.clone(), &inv_covars)?;
        let objective_change = self.objective(&all)? - self.objective(gmm)?;
        let gmm = if new.kept.len() == num_gauss {
            all
        } else {
            let means = new.kept.iter().flat_map(|&gauss| means_invcovars.row(gauss)).copied().collect();
            let covars: Vec<SymmetricMatrix> = new.kept.iter().map(|&gauss| inv_covars[gauss].clone()).collect();
            FullGmm::new(new.of_kept(&weights), Matrix::from_vec(new.kept.len(), self.dim(), means), &covars)?
        };
        let NewWeights { low_counts, count, .. } = new;
        Ok(Estimate { gmm, objective_change, count, floored_elements, floored_gaussians, low_counts })
    }

    /// Estimates the mean and the covariance of a Gaussian that has enough frames. Returns the mean times the inverse of the
    /// covariance, that inverse, both with the old parameters that are not in `flags`, and how many eigenvalues were raised.
    fn estimate_gaussian(
        &self,
        gauss: usize,
        gmm: &FullGmm,
        is_enough: bool,
        flags: GmmFlags,
        options: &MleFullGmmOptions,
    ) -> Result<(Vector<f32>, SymmetricMatrix, usize)> {
        let refused = |source| Error::Covariance { gauss, source };
        let (old_mean, mut covar) = gmm.moments(gauss)?;
        let (mut mean, mut floored) = (old_mean.clone(), 0);
        if is_enough && !self.means().is_empty() {
            let occupancy = self.occupancy()[gauss];
            mean = Vector::from_vec(self.means().row(gauss).iter().map(|sum| sum / occupancy).collect());
            if self.flags().contains(GmmFlags::VARIANCES) {
                covar = self.squares(gauss);
                covar.scale(1.0 / occupancy);
                covar.add_outer(-1.0, mean.as_slice()).map_err(refused)?;
                if !flags.contains(GmmFlags::MEANS) {
                    // Around the old mean.
                    let shift = old_mean.as_slice().iter().zip(mean.as_slice()).map(|(old, new)| old - new);
                    covar.add_outer(1.0, &shift.collect::<Vec<_>>()).map_err(refused)?;
                }
                floored = floor_covariance(&mut covar, options).map_err(refused)?;
            }
        }
        let (new_means, new_covars) = (flags.contains(GmmFlags::MEANS), flags.contains(GmmFlags::VARIANCES));
        let inv_covar =
            if new_covars { rounded(&rounded(&covar).inverse().map_err(refused)?) } else { gmm.inv_covar(gauss) };
        if !new_means && !new_covars {
            return Ok((Vector::from_vec(gmm.means_invcovars().row(gauss).to_vec()), inv_covar, floored));
        }
        let mean = if new_means { mean } else { old_mean };
        let product = inv_covar.multiply_vector(mean.as_slice()).map_err(refused)?;
        Ok((product.to_precision(), inv_covar, floored))
    }
}

/// Raises the eigenvalues of a covariance to the floor, and to a part of the largest one; returns how many were raised.
pub(crate) fn floor_covariance(
    covar: &mut SymmetricMatrix,
    options: &MleFullGmmOptions,
) -> Result<usize, kaldi_matrix::Error> {
    let mut eigen = covar.eigen()?;
    let largest = eigen.values.as_slice().iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
    let floor = f64::from(options.variance_floor.max(largest / options.max_condition) as f32);
    let mut floored = 0;
    for value in eigen.values.as_mut_slice().iter_mut().filter(|value| **value < floor) {
        *value = floor;
        floored += 1;
    }
    // The vectors are rows, so that their transpose puts the covariance together again.
    if floored > 0 {
        *covar = SymmetricMatrix::from_diagonal(eigen.values.as_slice()).transformed(&eigen.vectors.transpose())?;
    }
    Ok(floored)
}

/// The matrix as it is in single precision.
pub(crate) fn rounded(matrix: &SymmetricMatrix) -> SymmetricMatrix {
    let values = matrix.as_slice().iter().map(|&value| f64::from(value as f32)).collect();
    SymmetricMatrix::from_vec(matrix.dim(), values)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two Gaussians with means of 0 and 4, variances of 1 and 2.
    fn gmm() -> FullGmm {
        let covars = [1.0, 0.5].map(|value| SymmetricMatrix::from_vec(1, vec![value]));
        FullGmm::new(Vector::from_vec(vec![0.5, 0.5]), Matrix::from_vec(2, 1, vec![0.0, 2.0]), &covars).unwrap()
    }

    #[test]
    fn full_covariances_are_those_of_the_frames() {
        let gmm = gmm();
        let mut stats = AccumFullGmm::new(2, 1, GmmFlags::ALL);
        let feats = Matrix::from_vec(3, 1, vec![1.0, 3.0, 5.0]);
        stats.add_weighted(&feats, &[vec![(0, 6.0)], vec![(0, 6.0)], vec![(1, 3.0)]]).unwrap();
        let mut options = MleFullGmmOptions { min_gaussian_occupancy: 1.0, ..MleFullGmmOptions::default() };
        let estimate = stats.estimate(&gmm, GmmFlags::ALL, &options).unwrap();
        let (mean, covar) = estimate.gmm.moments(0).unwrap();
        assert_eq!((mean.as_slice(), covar.as_slice()), (&[2.0][..], &[1.0][..]));
        assert_eq!(estimate.floored_elements, 1);
        let only = stats.estimate(&gmm, GmmFlags::VARIANCES, &options).unwrap().gmm;
        let (mean, covar) = only.moments(0).unwrap();
        assert!(mean.as_slice()[0].abs() < 1e-6 && (covar.as_slice()[0] - 5.0).abs() < 1e-5);
        options.min_gaussian_occupancy = 100.0;
        assert_eq!(stats.estimate(&gmm, GmmFlags::ALL, &options).unwrap().gmm.num_gauss(), 1);
    }

    #[test]
    fn eigenvalues_are_raised() {
        let options = MleFullGmmOptions { max_condition: 10.0, ..MleFullGmmOptions::default() };
        // Eigenvalues of 3 and 0.1 in the directions (1, 1) and (1, -1).
        let mut covar = SymmetricMatrix::from_vec(2, vec![1.55, 1.45, 1.55]);
        assert_eq!(floor_covariance(&mut covar, &options), Ok(1));
        let expected = [1.65, 1.35, 1.65];
        assert!(
            covar.as_slice().iter().zip(expected).all(|(got, expected)| (got - expected).abs() < 1e-6),
            "{covar:?}"
        );
    }
}
