//! Transforms that turn features into warped features.

use kaldi_matrix::{Matrix, SymmetricMatrix};

use crate::transform::mllt::dot;
use crate::{Error, Result};

/// Statistics of features and the same features with warped frequencies, from which a transform of
/// [`LinearVtln`](crate::transform::LinearVtln) is estimated. Everything is in double precision.
#[derive(Clone, Debug, PartialEq)]
pub struct VtlnPairs {
    /// The products of the features, which have a 1 at the end.
    squares: SymmetricMatrix,
    /// The products of the warped features and of the features with their 1.
    products: Matrix<f64>,
    /// The squares of the warped features.
    warped_squares: Vec<f64>,
    /// The squares of the differences.
    differences: Vec<f64>,
}

/// How well a transform maps a dimension.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct VtlnFit {
    /// The average square of the error.
    pub error: f64,
    /// The average square of the difference without a transform.
    pub difference: f64,
    /// The average square of the features.
    pub square: f64,
    /// The variances before and after the transform, if they were made equal, and the factor that did it.
    pub scaled: Option<(f64, f64, f64)>,
}

impl VtlnPairs {
    /// Starts statistics of zeros.
    pub fn new(dim: usize) -> Self {
        Self {
            squares: SymmetricMatrix::new(dim + 1),
            products: Matrix::new(dim, dim + 1),
            warped_squares: vec![0.0; dim],
            differences: vec![0.0; dim],
        }
    }

    /// Adds a frame, what it is after warping, and its weight.
    ///
    /// # Errors
    /// If one of them has another dimension.
    pub fn add_frame(&mut self, frame: &[f32], warped: &[f32], weight: f32) -> Result<()> {
        let dim = self.differences.len();
        for got in [frame.len(), warped.len()] {
            if got != dim {
                return Err(Error::FeatsDim { expected: dim, got });
            }
        }
        let weight = f64::from(weight);
        let extended: Vec<f64> = frame.iter().map(|&value| f64::from(value)).chain([1.0]).collect();
        self.squares.add_outer(weight, &extended).map_err(Error::estimate("the products of a frame"))?;
        for (at, &warped) in warped.iter().enumerate() {
            let (warped, difference) = (f64::from(warped), f64::from(frame[at]) - f64::from(warped));
            let sums = self.products.row_mut(at).iter_mut().zip(&extended);
            sums.for_each(|(sum, value)| *sum += weight * warped * value);
            self.warped_squares[at] += weight * warped * warped;
            self.differences[at] += weight * difference * difference;
        }
        Ok(())
    }

    fn count(&self) -> f64 {
        self.squares.lower_row(self.differences.len())[self.differences.len()]
    }

    /// Estimates the transform with the smallest squares of errors; its offset does not count. With `normalize_var`, each
    /// dimension is scaled so that its variance is that of the features.
    ///
    /// # Errors
    /// If the features have no variance in some direction, or there are no frames.
    pub fn least_squares(&self, normalize_var: bool) -> Result<(Matrix<f32>, Vec<VtlnFit>)> {
        let (dim, count) = (self.differences.len(), self.count());
        let failed = || Error::estimate("the transform of the features");
        let inverse = self.squares.inverse().map_err(failed())?;
        let sums = self.squares.lower_row(dim);
        let (mut transform, mut fits) = (Matrix::<f32>::new(dim, dim), Vec::with_capacity(dim));
        for row in 0..dim {
            let linear = self.products.row(row);
            let elements = inverse.multiply_vector(linear).map_err(failed())?.into_vec();
            let form = self.squares.quadratic_form(&elements).map_err(failed())?;
            let square = self.squares.lower_row(row)[row] / count;
            let mut fit = VtlnFit {
                error: (form - 2.0 * dot(&elements, linear) + self.warped_squares[row]) / count,
                difference: self.differences[row] / count,
                square,
                scaled: None,
            };
            let mut factor = 1.0;
            if normalize_var {
                let before = square - (sums[row] / count).powi(2);
                let after = form / count - (dot(&elements, sums) / count).powi(2);
                factor = (before / after).sqrt();
                fit.scaled = Some((before, after, factor));
            }
            for (out, element) in transform.row_mut(row).iter_mut().zip(&elements) {
                *out = (f64::from(*element as f32) * factor) as f32;
            }
            fits.push(fit);
        }
        Ok((transform, fits))
    }

    /// Estimates the transform with the smallest squares of errors among those that keep the covariance, and the singular
    /// values of the normalized products (Povey's "Notes for affine-transform-based VTLN").
    ///
    /// # Errors
    /// If the features or the products have no variance in some direction, or there are no frames.
    pub fn same_covariance(&self) -> Result<(Matrix<f32>, Vec<f64>)> {
        let (dim, count) = (self.differences.len(), self.count());
        let failed = || Error::estimate("the transform of the features");
        let mean: Vec<f64> = self.squares.lower_row(dim)[..dim].iter().map(|sum| sum / count).collect();
        let mut covariance = SymmetricMatrix::new(dim);
        for row in 0..dim {
            let sums = covariance.lower_row_mut(row).iter_mut().zip(self.squares.lower_row(row));
            sums.for_each(|(out, sum)| *out = sum / count);
        }
        covariance.add_outer(-1.0, &mean).map_err(failed())?;
        let cholesky = covariance.cholesky().map_err(failed())?;
        let (factor, inverse_factor) = (cholesky.factor(), cholesky.inverse_factor());
        // The products of features and warped features around the means.
        let mut products = Matrix::<f64>::new(dim, dim);
        for (row, mean) in mean.iter().enumerate() {
            for (col, out) in products.row_mut(row).iter_mut().enumerate() {
                *out = self.products.row(col)[row] - mean * self.products.row(col)[dim];
            }
        }
        let normalized = inverse_factor.multiply(&products).map_err(failed())?;
        let normalized = normalized.multiply_transposed(&inverse_factor).map_err(failed())?;
        let (rotation, singular_values) = rotation(&normalized).map_err(failed())?;
        let changed = factor.multiply(&rotation).map_err(failed())?.multiply(&inverse_factor).map_err(failed())?;
        Ok((changed.to_precision(), singular_values.iter().map(|value| value / count).collect()))
    }
}

/// The orthogonal matrix `V Uᵀ` of a matrix `U L Vᵀ`, and the singular values `L`, the largest first.
fn rotation(matrix: &Matrix<f64>) -> Result<(Matrix<f64>, Vec<f64>), kaldi_matrix::Error> {
    let transposed = matrix.transpose();
    let mut eigen = SymmetricMatrix::from_lower(&transposed.multiply(matrix)?)?.eigen()?;
    eigen.sort();
    let values: Vec<f64> = eigen.values.as_slice().iter().map(|value| value.max(0.0).sqrt()).collect();
    // V L⁻¹ Vᵀ Mᵀ = V Uᵀ. The rows are the eigenvectors.
    let mut scaled = eigen.vectors.clone();
    for (row, value) in scaled.rows_mut().zip(&values) {
        if *value <= 0.0 {
            return Err(kaldi_matrix::Error::Singular);
        }
        row.iter_mut().for_each(|element| *element /= value);
    }
    let root = eigen.vectors.transpose().multiply(&scaled)?;
    Ok((root.multiply(&transposed)?, values))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Warped features are `2 x + y + 1` and `y - 3`.
    fn pairs() -> VtlnPairs {
        let mut pairs = VtlnPairs::new(2);
        for (x, y, weight) in [(1.0, 0.0, 1.0), (0.0, 2.0, 2.0), (-1.0, 1.0, 1.0), (3.0, -1.0, 0.5)] {
            pairs.add_frame(&[x, y], &[2.0 * x + y + 1.0, y - 3.0], weight).unwrap();
        }
        pairs
    }

    #[test]
    fn a_linear_map_is_found() {
        let (transform, fits) = pairs().least_squares(false).unwrap();
        let near = |got: &[f32], expected: &[f32]| got.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-5);
        assert!(near(transform.as_slice(), &[2.0, 1.0, 0.0, 1.0]), "{transform:?}");
        assert!(fits[0].error.abs() < 1e-9 && (fits[1].difference - 9.0).abs() < 1e-9);
        assert!((fits[1].square - 9.5 / 4.5).abs() < 1e-9 && fits[0].scaled.is_none());
        let (scaled, fits) = pairs().least_squares(true).unwrap();
        let (before, after, factor) = fits[0].scaled.unwrap();
        assert!((factor * factor * after - before).abs() < 1e-9);
        assert!(near(&[scaled.row(0)[0], scaled.row(1)[1]], &[2.0 * factor as f32, 1.0]));
    }

    #[test]
    fn the_covariance_may_be_kept() {
        let (transform, values) = pairs().same_covariance().unwrap();
        assert!(values.len() == 2 && values[0] >= values[1] && values[1] > 0.0);
        // The covariance of the features before and after.
        let count = 4.5;
        let mean = [1.5 / count, 4.5 / count];
        let squares = [6.5 / count, -2.5 / count, 9.5 / count];
        let covariance = SymmetricMatrix::from_vec(
            2,
            vec![squares[0] - mean[0] * mean[0], squares[1] - mean[0] * mean[1], squares[2] - mean[1] * mean[1]],
        );
        let after = covariance.transformed(&transform.to_precision()).unwrap();
        assert!(covariance.as_slice().iter().zip(after.as_slice()).all(|(a, b)| (a - b).abs() < 1e-5), "{after:?}");
        let mut same = VtlnPairs::new(1);
        for value in [1.0, 2.0, 4.0] {
            same.add_frame(&[value], &[3.0 * value], 1.0).unwrap();
        }
        assert!((same.same_covariance().unwrap().0.as_slice()[0] - 1.0).abs() < 1e-6);
    }

    #[test]
    fn what_has_no_variance_is_an_error() {
        assert!(VtlnPairs::new(1).least_squares(false).is_err());
        assert!(VtlnPairs::new(1).same_covariance().is_err());
        let mut flat = VtlnPairs::new(1);
        flat.add_frame(&[1.0], &[1.0], 1.0).unwrap();
        assert!(flat.least_squares(false).is_err() && flat.same_covariance().is_err());
        assert_eq!(flat.add_frame(&[1.0], &[], 1.0), Err(Error::FeatsDim { expected: 1, got: 0 }));
    }
}
