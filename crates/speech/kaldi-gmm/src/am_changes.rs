//! What is computed with all mixtures of an acoustic model, and models that are changed.

use kaldi_matrix::{Matrix, Vector};
use kaldi_value::random::Random;

use crate::{AmDiagGmm, DiagGmm, Error, Mixture, Result, log_sum_exp};

impl AmDiagGmm {
    /// Splits the Gaussians of each pdf until there are as many as its target; a pdf with more stays as it is. Random numbers
    /// are drawn pdf by pdf.
    ///
    /// # Errors
    /// If there is not one target for each pdf.
    pub fn split(&self, targets: &[i32], perturb_factor: f32, random: &mut Random) -> Result<Self> {
        self.changed(targets, |gmm, target| match gmm.num_gauss() < target.max(0) as usize {
            true => gmm.split(target, perturb_factor, random),
            false => Ok(gmm.clone()),
        })
    }

    /// The same numbers of Gaussians with the same weights in another dimension, with means of zero and variances of one.
    ///
    /// # Errors
    /// If the dimension is 0.
    pub fn resized(&self, dim: usize) -> Result<Self> {
        let resize = |gmm: &DiagGmm| {
            let (num_gauss, weights) = (gmm.num_gauss(), Vector::from_vec(gmm.weights().to_vec()));
            let ones = Matrix::from_vec(num_gauss, dim, vec![1.0; num_gauss * dim]);
            DiagGmm::new(weights, Matrix::new(num_gauss, dim), ones)
        };
        Self::new(self.pdfs().iter().map(resize).collect::<Result<_>>()?)
    }

    /// Moves each mean by `perturb_factor` standard deviations, times normally distributed numbers, pdf by pdf.
    ///
    /// # Errors
    /// If the result is no model.
    pub fn perturbed(&self, perturb_factor: f32, random: &mut Random) -> Result<Self> {
        Self::new(self.pdfs().iter().map(|gmm| gmm.perturbed(perturb_factor, random)).collect::<Result<_>>()?)
    }

    /// Merges the Gaussians of each pdf until there are as many as its target; a pdf with fewer stays as it is.
    ///
    /// # Errors
    /// If there is not one target for each pdf.
    pub fn merge(&self, targets: &[i32]) -> Result<Self> {
        self.changed(targets, |gmm, target| match gmm.num_gauss() > target.max(1) as usize {
            true => gmm.merge(target.max(1)),
            false => Ok(gmm.clone()),
        })
    }

    fn changed(&self, targets: &[i32], mut change: impl FnMut(&DiagGmm, i32) -> Result<DiagGmm>) -> Result<Self> {
        if targets.len() != self.num_pdfs() {
            return Err(Error::NumPdfs { expected: self.num_pdfs(), got: targets.len() });
        }
        Self::new(self.pdfs().iter().zip(targets).map(|(gmm, &target)| change(gmm, target)).collect::<Result<_>>()?)
    }

    /// Multiplies the weights of some pdfs by a factor; they do not sum up to 1 then.
    ///
    /// # Errors
    /// If a pdf does not exist, or the factor is negative.
    pub fn boosted(&self, pdfs: &[i32], factor: f32) -> Result<Self> {
        let mut boosted = self.pdfs().to_vec();
        for &pdf in pdfs {
            let index = usize::try_from(pdf).ok().filter(|&pdf| pdf < boosted.len());
            let index = index.ok_or(Error::NumPdfs { expected: self.num_pdfs(), got: pdf.max(0) as usize + 1 })?;
            let gmm = &boosted[index];
            let weights = gmm.weights().iter().map(|weight| weight * factor).collect();
            boosted[index] =
                DiagGmm::new(Vector::from_vec(weights), gmm.means_invvars().clone(), gmm.inv_vars().clone())?;
        }
        Self::new(boosted)
    }

    /// Transforms the means: linearly if `transform` has as many columns as there are dimensions, or with an offset in one
    /// column more.
    ///
    /// # Errors
    /// If the transform has other sizes.
    pub fn with_transformed_means(&self, transform: &Matrix<f32>) -> Result<Self> {
        let dim = self.dim();
        if transform.num_rows() != dim || !(dim..=dim + 1).contains(&transform.num_cols()) {
            return Err(Error::Transform { dim, got: transform.size() });
        }
        let change = |gmm: &DiagGmm| {
            let (means, inv_vars) = (gmm.means(), gmm.inv_vars());
            let mut transformed = Matrix::new(means.num_rows(), dim);
            for ((mean, inv_vars), new) in means.rows().zip(inv_vars.rows()).zip(transformed.rows_mut()) {
                for ((new, inv_var), row) in new.iter_mut().zip(inv_vars).zip(transform.rows()) {
                    let offset = row.get(dim).copied().unwrap_or(0.0);
                    let sum: f32 = row.iter().zip(mean).map(|(element, mean)| element * mean).sum();
                    *new = (sum + offset) * inv_var;
                }
            }
            DiagGmm::new(Vector::from_vec(gmm.weights().to_vec()), transformed, inv_vars.clone())
        };
        Self::new(self.pdfs().iter().map(change).collect::<Result<_>>()?)
    }

    /// The log likelihood of each frame with each pdf: `num_frames × num_pdfs`.
    ///
    /// # Errors
    /// If the features have another dimension.
    pub fn log_likelihoods(&self, feats: &Matrix<f32>) -> Result<Matrix<f32>> {
        let mut likelihoods = Matrix::new(feats.num_rows(), self.num_pdfs());
        for (pdf, gmm) in self.pdfs().iter().enumerate() {
            let of_gaussians = gmm.log_likelihoods(feats)?;
            for (sums, gaussians) in likelihoods.rows_mut().zip(of_gaussians.rows()) {
                sums[pdf] = log_sum_exp(gaussians);
            }
        }
        Ok(likelihoods)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::InitialGaussian;

    fn model() -> AmDiagGmm {
        let pdf = |mean| InitialGaussian { means: vec![mean, 1.0], inv_vars: vec![4.0, 1.0] }.mixture().unwrap();
        AmDiagGmm::new(vec![pdf(0.0), pdf(2.0)]).unwrap()
    }

    #[test]
    fn gaussians_are_split_and_merged() {
        let split = model().split(&[3, 1], 0.01, &mut Random::default()).unwrap();
        assert_eq!(split.pdfs().iter().map(Mixture::num_gauss).collect::<Vec<_>>(), [3, 1]);
        let merged = split.merge(&[2, 5]).unwrap();
        assert_eq!(merged.pdfs().iter().map(Mixture::num_gauss).collect::<Vec<_>>(), [2, 1]);
        assert_eq!(split.merge(&[0, 0]).unwrap().num_gauss(), 2);
        assert_eq!(model().merge(&[1]), Err(Error::NumPdfs { expected: 2, got: 1 }));
    }

    #[test]
    fn weights_are_boosted() {
        let boosted = model().boosted(&[1], 1.5).unwrap();
        assert_eq!((boosted.pdfs()[0].weights(), boosted.pdfs()[1].weights()), (&[1.0][..], &[1.5][..]));
        assert!(model().boosted(&[2], 1.5).is_err() && model().boosted(&[-1], 1.5).is_err());
    }

    #[test]
    fn means_are_transformed() {
        let linear = model().with_transformed_means(&Matrix::from_vec(2, 2, vec![0.0, 1.0, 2.0, 0.0])).unwrap();
        assert_eq!(linear.pdfs()[1].means().row(0), [1.0, 4.0]);
        let affine = Matrix::from_vec(2, 3, vec![1.0, 0.0, 0.5, 0.0, 1.0, -1.0]);
        assert_eq!(model().with_transformed_means(&affine).unwrap().pdfs()[1].means().row(0), [2.5, 0.0]);
        let wrong = model().with_transformed_means(&Matrix::new(2, 4));
        assert_eq!(wrong, Err(Error::Transform { dim: 2, got: (2, 4) }));
    }

    #[test]
    fn likelihoods_are_those_of_the_pdfs() {
        let likelihoods = model().log_likelihoods(&Matrix::from_vec(1, 2, vec![2.0, 1.0])).unwrap();
        // Two standard deviations of 0.5 for each unit.
        assert!((likelihoods.row(0)[1] - likelihoods.row(0)[0] - 8.0).abs() < 1e-5, "{likelihoods:?}");
        let twice = model().split(&[2, 2], 0.0, &mut Random::default()).unwrap();
        let of_two = twice.log_likelihoods(&Matrix::from_vec(1, 2, vec![2.0, 1.0])).unwrap();
        assert!((of_two.row(0)[1] - likelihoods.row(0)[1]).abs() < 1e-5);
    }
}
