//! More Gaussians, by splitting those with the largest weights.

use kaldi_matrix::{Matrix, SymmetricMatrix, Vector};
use kaldi_value::random::{Random, RandomState};

use crate::{DiagGmm, Error, FullGmm, Mixture, Result};

/// Splits the Gaussian with the largest weight, the first of equal ones, until there are `target`: `weights` and the
/// rows of the means (times the inverse variances) are changed and appended. `draw` draws a random vector for the Gaussian
/// that a new one comes from. Returns which Gaussians the new ones come from, in their order.
fn split(
    weights: &mut Vec<f32>,
    means: &mut Vec<Vec<f32>>,
    target: usize,
    perturb_factor: f32,
    mut draw: impl FnMut(usize) -> Result<Vec<f32>>,
) -> Result<Vec<usize>> {
    let num_gauss = weights.len();
    let mut origins: Vec<usize> = (0..num_gauss).collect();
    while weights.len() < target {
        let larger = |best: usize, at: usize| if weights[at] > weights[best] { at } else { best };
        let largest = (1..weights.len()).fold(0, larger);
        weights[largest] /= 2.0;
        weights.push(weights[largest]);
        let shift = draw(origins[largest])?;
        let mut mean = means[largest].clone();
        mean.iter_mut().zip(&shift).for_each(|(value, shift)| *value += perturb_factor * shift);
        means[largest].iter_mut().zip(&shift).for_each(|(value, shift)| *value -= perturb_factor * shift);
        means.push(mean);
        origins.push(origins[largest]);
    }
    Ok(origins)
}

fn rows_of(matrix: &Matrix<f32>) -> Vec<Vec<f32>> {
    matrix.rows().map(<[f32]>::to_vec).collect()
}

impl DiagGmm {
    /// Splits the Gaussians with the largest weights until there are `target`. The means of both halves are moved by
    /// `perturb_factor` standard deviations, times normally distributed numbers, in opposite directions.
    ///
    /// # Errors
    /// If there are more Gaussians already.
    pub fn split(&self, target: i32, perturb_factor: f32, random: &mut Random) -> Result<Self> {
        let num_gauss = self.num_gauss();
        let wanted = usize::try_from(target).ok().filter(|&wanted| wanted >= num_gauss);
        let wanted = wanted.ok_or(Error::Target { what: "split", got: num_gauss, wanted: target })?;
        let (mut weights, mut means) = (self.weights().to_vec(), rows_of(self.means_invvars()));
        // The means are divided by the variances, so that a standard deviation is the root of the inverse variance.
        let draw = |gauss: usize| {
            let vars = self.inv_vars().row(gauss).iter();
            Ok(vars.map(|inv_var| random.gauss() * inv_var.sqrt()).collect())
        };
        let origins = split(&mut weights, &mut means, wanted, perturb_factor, draw)?;
        let inv_vars = origins.iter().flat_map(|&gauss| self.inv_vars().row(gauss)).copied().collect();
        Self::new(
            Vector::from_vec(weights),
            Matrix::from_vec(wanted, self.dim(), means.concat()),
            Matrix::from_vec(wanted, self.dim(), inv_vars),
        )
    }

    /// Moves each mean by `perturb_factor` standard deviations, times normally distributed numbers.
    ///
    /// # Errors
    /// If the result is no mixture.
    pub fn perturbed(&self, perturb_factor: f32, random: &mut Random) -> Result<Self> {
        let mut means = self.means_invvars().clone();
        for (mean, inv_var) in means.as_mut_slice().iter_mut().zip(self.inv_vars().as_slice()) {
            *mean += perturb_factor * (random.gauss() * inv_var.sqrt());
        }
        Self::new(Vector::from_vec(self.weights().to_vec()), means, self.inv_vars().clone())
    }
}

impl FullGmm {
    /// Splits the Gaussians with the largest weights until there are `target`. The means of both halves are moved by
    /// `perturb_factor` times a vector with the covariance of the Gaussian, in opposite directions.
    ///
    /// # Errors
    /// If there are as many Gaussians already, or more.
    pub fn split(&self, target: i32, perturb_factor: f32, random: &mut Random) -> Result<Self> {
        let (num_gauss, dim) = (self.num_gauss(), self.dim());
        let wanted = usize::try_from(target).ok().filter(|&wanted| wanted > num_gauss);
        let wanted = wanted.ok_or(Error::Target { what: "split", got: num_gauss, wanted: target })?;
        let (mut weights, mut means) = (self.weights().to_vec(), rows_of(self.means_invcovars()));
        let draw = |gauss: usize| {
            let mut drawn = vec![0.0; dim];
            RandomState::new(random).fill_gauss(&mut drawn);
            let factor = self.inv_covar(gauss).cholesky().map_err(|source| Error::Covariance { gauss, source })?;
            // The transpose of the factor, as in Kaldi.
            let factor = factor.factor();
            let product = |col| (col..dim).map(|row| factor.row(row)[col] * f64::from(drawn[row])).sum::<f64>() as f32;
            Ok((0..dim).map(product).collect())
        };
        let origins = split(&mut weights, &mut means, wanted, perturb_factor, draw)?;
        let inv_covars: Vec<SymmetricMatrix> = origins.iter().map(|&gauss| self.inv_covar(gauss)).collect();
        Self::new(Vector::from_vec(weights), Matrix::from_vec(wanted, dim, means.concat()), &inv_covars)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn diag() -> DiagGmm {
        let weights = Vector::from_vec(vec![0.25, 0.75]);
        DiagGmm::new(weights, Matrix::from_vec(2, 1, vec![0.0, 2.0]), Matrix::from_vec(2, 1, vec![1.0, 0.25])).unwrap()
    }

    #[test]
    fn the_largest_weights_are_halved() {
        let mut random = Random::default();
        let gmm = diag().split(5, 0.1, &mut random).unwrap();
        assert_eq!(gmm.weights(), [0.25, 0.1875, 0.1875, 0.1875, 0.1875]);
        assert_eq!(gmm.inv_vars().as_slice(), [1.0, 0.25, 0.25, 0.25, 0.25]);
        // The first draw moves both halves.
        let shift = 0.1 * (Random::default().gauss() * 0.5);
        let once = diag().split(3, 0.1, &mut Random::default()).unwrap();
        assert_eq!(once.means_invvars().as_slice(), [0.0, 2.0 - shift, 2.0 + shift]);
        assert_eq!(diag().split(2, 0.1, &mut random), Ok(diag()));
        let refused = diag().split(1, 0.1, &mut random).unwrap_err();
        assert_eq!(refused.to_string(), "cannot split 2 Gaussians to get 1");
    }

    #[test]
    fn full_covariances_are_kept() {
        let full = FullGmm::from(&diag());
        let split = full.split(4, 0.1, &mut Random::default()).unwrap();
        assert_eq!(split.weights(), [0.25, 0.375 / 2.0, 0.375, 0.375 / 2.0]);
        assert_eq!(split.inv_covar(3), full.inv_covar(1));
        let mut drawn = [0.0];
        RandomState::new(&mut Random::default()).fill_gauss(&mut drawn);
        let once = full.split(3, 0.1, &mut Random::default()).unwrap();
        assert_eq!(once.means_invcovars().row(2), [2.0 + 0.1 * (0.5 * drawn[0])]);
        assert!(full.split(2, 0.1, &mut Random::default()).is_err());
    }

    #[test]
    fn means_are_moved() {
        let gmm = diag().perturbed(0.5, &mut Random::default()).unwrap();
        let mut random = Random::default();
        assert_eq!(gmm.means_invvars().row(0), [0.5 * random.gauss()]);
        assert_eq!(gmm.means_invvars().row(1), [2.0 + 0.5 * (random.gauss() * 0.5)]);
    }
}
