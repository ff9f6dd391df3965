//! Quadratic functions of i-vectors: logarithms of normal distributions, without their constants.

use kaldi_matrix::{Matrix, SymmetricMatrix, Vector};

use crate::{Error, Result};

/// The function `linear · x − x^T quadratic x / 2` of a vector `x`.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Quadratic {
    pub linear: Vec<f64>,
    pub quadratic: SymmetricMatrix,
}

/// The normal distribution whose logarithm is a quadratic function, apart from a constant.
pub(super) struct Normal {
    pub mean: Vector<f64>,
    pub covariance: SymmetricMatrix,
    /// The logarithm of the determinant of the covariance.
    pub log_det: f64,
}

impl Quadratic {
    /// The logarithm of the prior of i-vectors: their covariance is the unit matrix, and their mean is zero except for
    /// its first element.
    pub fn prior(dim: usize, offset: f64) -> Self {
        let mut prior = Self { linear: vec![0.0; dim], quadratic: SymmetricMatrix::new(dim) };
        prior.add_prior(offset, 1.0);
        prior
    }

    /// Adds the logarithm of the prior, `scale` times.
    pub fn add_prior(&mut self, offset: f64, scale: f64) {
        self.linear[0] += offset * scale;
        self.quadratic.add_to_diagonal(scale);
    }

    pub fn value(&self, vector: &[f64]) -> Result<f64> {
        let square = self.quadratic.quadratic_form(vector).map_err(error)?;
        Ok(dot(&self.linear, vector) - 0.5 * square)
    }

    /// The vector at which the function is largest; with negative weights of frames it may be another one at which the
    /// slope is zero.
    pub fn peak(&self) -> Result<Vector<f64>> {
        match self.quadratic.cholesky() {
            Ok(cholesky) => cholesky.solve(&self.linear).map_err(error),
            Err(_) => self.quadratic.to_matrix().solve(&self.linear).map(Vector::from_vec).map_err(error),
        }
    }

    pub fn normal(&self) -> Result<Normal> {
        let cholesky = self.quadratic.cholesky().map_err(error)?;
        let mean = cholesky.solve(&self.linear).map_err(error)?;
        Ok(Normal { mean, covariance: cholesky.inverse(), log_det: -cholesky.log_det() })
    }

    /// As [`Quadratic::normal`], but no variance is above 1, which is that of the prior: an eigenvalue of the quadratic
    /// term below 1 counts as 1.
    pub fn normal_within_prior(&self) -> Result<Normal> {
        let mut eigen = self.quadratic.eigen().map_err(error)?;
        let values = eigen.values.as_mut_slice();
        values.iter_mut().for_each(|value| *value = 1.0 / value.max(1.0));
        let log_det = values.iter().map(|value| value.ln()).sum();
        let covariance = from_eigen(&eigen.values, &eigen.vectors)?;
        let mean = covariance.multiply_vector(&self.linear).map_err(error)?;
        Ok(Normal { mean, covariance, log_det })
    }
}

/// The matrix with these eigenvalues and eigenvectors, a row each.
pub(super) fn from_eigen(values: &Vector<f64>, vectors: &Matrix<f64>) -> Result<SymmetricMatrix> {
    let mut scaled = vectors.clone();
    for (row, value) in scaled.rows_mut().zip(values.as_slice()) {
        row.iter_mut().for_each(|element| *element *= value);
    }
    SymmetricMatrix::from_transposed_product(vectors, &scaled).map_err(error)
}

pub(super) fn dot(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(a, b)| a * b).sum()
}

fn error(source: kaldi_matrix::Error) -> Error {
    Error::Matrix { what: "an i-vector", source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_is_the_mean() {
        let mut function = Quadratic::prior(2, 3.0);
        assert_eq!(function.peak().unwrap().as_slice(), [3.0, 0.0]);
        function.quadratic.as_mut_slice()[1] = 0.5;
        function.add_prior(3.0, 1.0);
        let peak = function.peak().unwrap();
        let (normal, within) = (function.normal().unwrap(), function.normal_within_prior().unwrap());
        for index in 0..2 {
            assert!((normal.mean.as_slice()[index] - peak.as_slice()[index]).abs() < 1e-12);
            assert!((within.mean.as_slice()[index] - peak.as_slice()[index]).abs() < 1e-12);
            let mut beside = peak.clone();
            beside.as_mut_slice()[index] += 0.01;
            assert!(function.value(beside.as_slice()).unwrap() < function.value(peak.as_slice()).unwrap());
        }
        // 2 on the diagonal, 0.5 beside it.
        assert!((normal.log_det + 3.75_f64.ln()).abs() < 1e-12 && (within.log_det - normal.log_det).abs() < 1e-12);
        assert!((normal.covariance.as_slice()[1] + 0.5 / 3.75).abs() < 1e-12);
    }

    #[test]
    fn no_variance_is_larger_than_that_of_the_prior() {
        let function = Quadratic { linear: vec![1.0, 1.0], quadratic: SymmetricMatrix::from_diagonal(&[4.0, -2.0]) };
        assert!(function.normal().is_err());
        assert_eq!(function.normal_within_prior().unwrap().covariance.as_slice(), [0.25, 0.0, 1.0]);
    }
}
