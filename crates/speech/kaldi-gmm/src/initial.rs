//! Acoustic models before training: the same Gaussian for all pdfs.

use kaldi_hmm::GaussStats;
use kaldi_matrix::{Matrix, Vector};

use crate::{AmDiagGmm, DiagGmm, Error, Result};

/// The mean and the variance of features, in double precision.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct FeatureMoments {
    count: f64,
    sums: Vec<f64>,
    squares: Vec<f64>,
}

impl FeatureMoments {
    /// Adds frames.
    ///
    /// # Errors
    /// If their dimension is not that of the frames before.
    pub fn add(&mut self, feats: &Matrix<f64>) -> Result<()> {
        let dim = feats.num_cols();
        if self.sums.is_empty() {
            (self.sums, self.squares) = (vec![0.0; dim], vec![0.0; dim]);
        }
        if feats.num_rows() > 0 && dim != self.sums.len() {
            return Err(Error::FeatsDim { expected: self.sums.len(), got: dim });
        }
        for row in feats.rows() {
            self.count += 1.0;
            for ((sum, square), value) in self.sums.iter_mut().zip(&mut self.squares).zip(row) {
                *sum += value;
                *square += value * value;
            }
        }
        Ok(())
    }

    /// The Gaussian of the frames.
    ///
    /// # Errors
    /// If there are no frames, or a dimension has no variance.
    pub fn gaussian(&self) -> Result<InitialGaussian> {
        if self.count == 0.0 {
            return Err(Error::NoFrames);
        }
        let (mut means, mut inv_vars) = (Vec::new(), Vec::new());
        for (dim, (sum, square)) in self.sums.iter().zip(&self.squares).enumerate() {
            let mean = sum / self.count;
            let variance = square / self.count - mean * mean;
            if variance.is_nan() || variance <= 0.0 {
                return Err(Error::ConstantDim { dim });
            }
            means.push(mean as f32);
            inv_vars.push((1.0 / variance) as f32);
        }
        Ok(InitialGaussian { means, inv_vars })
    }
}

/// The Gaussian that a model starts with.
#[derive(Clone, Debug, PartialEq)]
pub struct InitialGaussian {
    /// The means.
    pub means: Vec<f32>,
    /// The inverses of the variances.
    pub inv_vars: Vec<f32>,
}

impl InitialGaussian {
    /// A Gaussian with variances of 1 and this mean in all dimensions.
    pub fn flat(dim: usize, mean: f32) -> Self {
        Self { means: vec![mean; dim], inv_vars: vec![1.0; dim] }
    }

    /// The Gaussian of statistics of a tree, in single precision, with variances of at least `var_floor`.
    ///
    /// # Errors
    /// If there are no frames in the statistics.
    pub fn of_stats(stats: &GaussStats, var_floor: f32) -> Result<Self> {
        if stats.count().is_nan() || stats.count() <= 0.0 {
            return Err(Error::NoFrames);
        }
        let scale = (1.0 / f64::from(stats.count() as f32)) as f32;
        let means: Vec<f32> = stats.sum().iter().map(|&sum| sum as f32 * scale).collect();
        let inv_var = |(&square, mean): (&f64, &f32)| 1.0 / (square as f32 * scale - mean * mean).max(var_floor);
        Ok(Self { inv_vars: stats.sum_of_squares().iter().zip(&means).map(inv_var).collect(), means })
    }

    /// The model in which each of `num_pdfs` pdfs is this Gaussian.
    ///
    /// # Errors
    /// If there are no pdfs.
    pub fn model(&self, num_pdfs: usize) -> Result<AmDiagGmm> {
        AmDiagGmm::new(vec![self.mixture()?; num_pdfs])
    }

    /// The mixture of this Gaussian alone.
    ///
    /// # Errors
    /// If a number is none, or a variance is negative.
    pub fn mixture(&self) -> Result<DiagGmm> {
        let dim = self.means.len();
        let means_invvars = self.means.iter().zip(&self.inv_vars).map(|(mean, inv_var)| mean * inv_var).collect();
        DiagGmm::new(
            Vector::from_vec(vec![1.0]),
            Matrix::from_vec(1, dim, means_invvars),
            Matrix::from_vec(1, dim, self.inv_vars.clone()),
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Mixture;

    #[test]
    fn features_have_a_mean_and_a_variance() {
        let mut moments = FeatureMoments::default();
        moments.add(&Matrix::from_vec(2, 2, vec![1.0, 0.0, 3.0, 4.0])).unwrap();
        let gaussian = moments.gaussian().unwrap();
        assert_eq!((gaussian.means.clone(), gaussian.inv_vars.clone()), (vec![2.0, 2.0], vec![1.0, 0.25]));
        let model = gaussian.model(3).unwrap();
        assert_eq!((model.num_pdfs(), model.dim(), model.num_gauss()), (3, 2, 3));
        assert_eq!(model.pdfs()[2].means_invvars().row(0), [2.0, 0.5]);
        assert_eq!(model.pdfs()[2].weights(), [1.0]);
        let other = moments.add(&Matrix::from_vec(1, 1, vec![1.0]));
        assert_eq!(other, Err(Error::FeatsDim { expected: 2, got: 1 }));
    }

    #[test]
    fn statistics_have_a_gaussian_with_a_floor() {
        let mut stats = GaussStats::new(2, 0.01);
        assert_eq!(InitialGaussian::of_stats(&stats, 0.5), Err(Error::NoFrames));
        stats.add_frame(&[1.0, 5.0]);
        stats.add_frame(&[3.0, 5.0]);
        let expected = InitialGaussian { means: vec![2.0, 5.0], inv_vars: vec![1.0, 2.0] };
        assert_eq!(InitialGaussian::of_stats(&stats, 0.5), Ok(expected));
    }

    #[test]
    fn without_variance_there_is_no_gaussian() {
        let mut moments = FeatureMoments::default();
        assert_eq!(moments.gaussian(), Err(Error::NoFrames));
        moments.add(&Matrix::from_vec(1, 2, vec![1.0, 2.0])).unwrap();
        assert_eq!(moments.gaussian(), Err(Error::ConstantDim { dim: 0 }));
        assert!(InitialGaussian::flat(2, 0.0).model(0).is_err());
    }
}
