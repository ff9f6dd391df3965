//! Cholesky factors, inverses and determinants.

use nalgebra::{DMatrix, DVector};

use super::symmetric::check_square;
use crate::{Error, Matrix, Real, Result, SymmetricMatrix, Vector};

/// The Cholesky decomposition `L * L^T` of a positive definite matrix.
#[derive(Clone, Debug)]
pub struct Cholesky {
    lower: DMatrix<f64>,
}

impl SymmetricMatrix {
    /// Decomposes a positive definite matrix.
    ///
    /// # Errors
    /// [`Error::NotPositiveDefinite`] if it is not positive definite as far as rounding shows, and
    /// [`Error::NotFinite`].
    pub fn cholesky(&self) -> Result<Cholesky> {
        check_finite(self.as_slice())?;
        let decomposition = DMatrix::from(&self.to_matrix()).cholesky().ok_or(Error::NotPositiveDefinite)?;
        let lower = decomposition.unpack();
        check_finite(lower.as_slice())?;
        Ok(Cholesky { lower })
    }

    /// Computes the inverse of a positive definite matrix.
    ///
    /// # Errors
    /// As [`SymmetricMatrix::cholesky`].
    pub fn inverse(&self) -> Result<Self> {
        Ok(self.cholesky()?.inverse())
    }
}

impl Cholesky {
    /// The factor `L`: a full matrix with zeros above the diagonal.
    pub fn factor(&self) -> Matrix<f64> {
        Matrix::from(&self.lower)
    }

    /// The inverse of the factor, also with zeros above the diagonal. As a transform it turns the decomposed covariance
    /// into the unit matrix.
    pub fn inverse_factor(&self) -> Matrix<f64> {
        let mut inverse = DMatrix::identity(self.lower.nrows(), self.lower.ncols());
        let dim = self.lower.nrows();
        for col in 0..dim {
            // Everything above the diagonal stays zero.
            let (start, size) = ((col, col), dim - col);
            let lower = self.lower.view(start, (size, size));
            lower.solve_lower_triangular_unchecked_mut(&mut inverse.view_mut(start, (size, 1)));
        }
        Matrix::from(&inverse)
    }

    /// Solves `L * x = right` for `x`.
    ///
    /// # Errors
    /// If `right` has another size.
    pub fn solve_factor(&self, right: &[f64]) -> Result<Vec<f64>> {
        if right.len() != self.lower.nrows() {
            return Err(Error::Dim { expected: self.lower.nrows(), got: right.len() });
        }
        let mut solution = nalgebra::DVector::from_column_slice(right);
        self.lower.solve_lower_triangular_unchecked_mut(&mut solution);
        Ok(solution.data.into())
    }

    /// The inverse of the decomposed matrix.
    pub fn inverse(&self) -> SymmetricMatrix {
        let factor = self.inverse_factor();
        SymmetricMatrix::lower_product(&factor, &factor)
    }

    /// Solves `matrix * x = right` for `x`, with the decomposed matrix.
    ///
    /// # Errors
    /// If `right` has another size.
    pub fn solve(&self, right: &[f64]) -> Result<Vector<f64>> {
        let dim = self.lower.nrows();
        if right.len() != dim {
            return Err(Error::Dim { expected: dim, got: right.len() });
        }
        let mut solution = DVector::from_column_slice(right);
        self.lower.solve_lower_triangular_unchecked_mut(&mut solution);
        self.lower.tr_solve_lower_triangular_unchecked_mut(&mut solution);
        Ok(Vector::from_vec(solution.data.into()))
    }

    /// The logarithm of the determinant of the decomposed matrix.
    pub fn log_det(&self) -> f64 {
        2.0 * self.lower.diagonal().iter().map(|value| value.ln()).sum::<f64>()
    }
}

impl<T: Real> Matrix<T> {
    /// Computes the inverse of a square matrix, in double precision.
    ///
    /// # Errors
    /// If it is not square, not finite or singular.
    pub fn inverse(&self) -> Result<Self> {
        Ok(inverse(&self.to_precision())?.to_precision())
    }

    /// Computes the logarithm of the absolute value of the determinant, in double precision: negative infinity if the
    /// matrix is singular, 0 if it is empty.
    ///
    /// # Errors
    /// If it is not square or not finite.
    pub fn log_abs_det(&self) -> Result<f64> {
        log_abs_det(&self.to_precision())
    }
}

impl Matrix<f64> {
    /// Solves `self * x = right` for `x`.
    ///
    /// # Errors
    /// If the matrix is not square, not finite or singular, or `right` has another size.
    pub fn solve(&self, right: &[f64]) -> Result<Vec<f64>> {
        check_square(self)?;
        check_finite(self.as_slice())?;
        if right.len() != self.num_rows() {
            return Err(Error::Size { what: "right side", expected: (self.num_rows(), 1), got: (right.len(), 1) });
        }
        let solution = DMatrix::from(self).lu().solve(&DVector::from_column_slice(right));
        let solution = solution.filter(|solution| solution.iter().all(|value| value.is_finite()));
        Ok(solution.ok_or(Error::Singular)?.data.into())
    }
}

fn check_finite(elements: &[f64]) -> Result<()> {
    if elements.iter().all(|value| value.is_finite()) { Ok(()) } else { Err(Error::NotFinite) }
}

fn inverse(matrix: &Matrix<f64>) -> Result<Matrix<f64>> {
    check_square(matrix)?;
    check_finite(matrix.as_slice())?;
    let inverse = DMatrix::from(matrix).lu().try_inverse();
    let inverse = inverse.filter(|inverse| inverse.iter().all(|value| value.is_finite()));
    Ok(Matrix::from(&inverse.ok_or(Error::Singular)?))
}

fn log_abs_det(matrix: &Matrix<f64>) -> Result<f64> {
    check_square(matrix)?;
    check_finite(matrix.as_slice())?;
    Ok(DMatrix::from(matrix).lu().u().diagonal().iter().map(|value| value.abs().ln()).sum())
}

impl From<&Matrix<f64>> for DMatrix<f64> {
    fn from(matrix: &Matrix<f64>) -> Self {
        Self::from_row_slice(matrix.num_rows(), matrix.num_cols(), matrix.as_slice())
    }
}

impl From<&DMatrix<f64>> for Matrix<f64> {
    fn from(matrix: &DMatrix<f64>) -> Self {
        // The other library stores columns.
        Self::from_vec(matrix.nrows(), matrix.ncols(), matrix.transpose().data.into())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn covariance() -> SymmetricMatrix {
        SymmetricMatrix::from_vec(3, vec![4.0, 2.0, 5.0, -2.0, 1.0, 6.0])
    }

    fn near(left: &Matrix<f64>, right: &Matrix<f64>) -> bool {
        left.size() == right.size() && left.as_slice().iter().zip(right.as_slice()).all(|(a, b)| (a - b).abs() < 1e-12)
    }

    fn unit(dim: usize) -> Matrix<f64> {
        SymmetricMatrix::identity(dim).to_matrix()
    }

    #[test]
    fn a_factor_squared_is_the_matrix() {
        let cholesky = covariance().cholesky().unwrap();
        let factor = cholesky.factor();
        assert_eq!((factor.row(0), factor.row(1)), (&[2.0, 0.0, 0.0][..], &[1.0, 2.0, 0.0][..]));
        assert!(near(&factor.multiply_transposed(&factor).unwrap(), &covariance().to_matrix()));
        assert!(near(&cholesky.inverse_factor().multiply(&factor).unwrap(), &unit(3)));
        assert!(near(&covariance().transformed(&cholesky.inverse_factor()).unwrap().to_matrix(), &unit(3)));
    }

    #[test]
    fn an_inverse_undoes_the_matrix() {
        let inverse = covariance().inverse().unwrap().to_matrix();
        assert!(near(&inverse.multiply(&covariance().to_matrix()).unwrap(), &unit(3)));
        let solution = covariance().cholesky().unwrap().solve(&[4.0, 2.0, -2.0]).unwrap();
        assert!(near(&Matrix::from_vec(1, 3, solution.into_vec()), &Matrix::from_vec(1, 3, vec![1.0, 0.0, 0.0])));
        assert_eq!(covariance().cholesky().unwrap().solve(&[1.0]).unwrap_err(), Error::Dim { expected: 3, got: 1 });
        let matrix = Matrix::from_vec(2, 2, vec![0.0, 2.0, 1.0, 3.0]);
        assert_eq!(matrix.inverse().unwrap().as_slice(), [-1.5, 1.0, 0.5, 0.0]);
        assert_eq!(matrix.solve(&[2.0, 4.0]).unwrap(), [1.0, 1.0]);
        assert_eq!(matrix.to_precision::<f32>().inverse().unwrap().as_slice(), [-1.5, 1.0, 0.5, 0.0]);
        assert!(Matrix::<f32>::default().inverse().unwrap().is_empty());
        assert!(SymmetricMatrix::new(0).inverse().unwrap().is_empty());
    }

    #[test]
    fn determinants_agree() {
        let by_factor = covariance().cholesky().unwrap().log_det();
        assert!((by_factor - 64.0_f64.ln()).abs() < 1e-12, "{by_factor}");
        assert!((covariance().to_matrix().log_abs_det().unwrap() - by_factor).abs() < 1e-12);
        let indefinite = Matrix::from_vec(2, 2, vec![0.0_f32, 2.0, 1.0, 3.0]);
        assert!((indefinite.log_abs_det().unwrap() - 2.0_f64.ln()).abs() < 1e-12);
        assert_eq!(Matrix::<f32>::new(2, 2).log_abs_det().unwrap(), f64::NEG_INFINITY);
        assert_eq!(Matrix::<f64>::default().log_abs_det().unwrap(), 0.0);
    }

    #[test]
    fn what_cannot_be_decomposed_is_refused() {
        for elements in [[1.0, 1.0, 1.0], [1.0, 2.0, 1.0], [-1.0, 0.0, 1.0], [0.0, 0.0, 0.0]] {
            let matrix = SymmetricMatrix::from_vec(2, elements.to_vec());
            assert_eq!(matrix.cholesky().unwrap_err(), Error::NotPositiveDefinite, "{elements:?}");
        }
        for element in [f64::NAN, f64::INFINITY] {
            for place in 0..3 {
                let mut matrix = SymmetricMatrix::identity(2);
                matrix.as_mut_slice()[place] = element;
                assert_eq!(matrix.inverse().unwrap_err(), Error::NotFinite);
                assert_eq!(matrix.to_matrix().inverse().unwrap_err(), Error::NotFinite);
                assert_eq!(matrix.to_matrix().solve(&[1.0, 1.0]).unwrap_err(), Error::NotFinite);
                assert_eq!(matrix.to_matrix().log_abs_det().unwrap_err(), Error::NotFinite);
            }
        }
        assert_eq!(Matrix::<f32>::new(2, 2).inverse().unwrap_err(), Error::Singular);
        assert_eq!(Matrix::<f64>::new(2, 2).solve(&[1.0, 2.0]).unwrap_err(), Error::Singular);
        let error = Matrix::<f32>::new(2, 3).inverse().unwrap_err();
        assert_eq!(error.to_string(), "expected a square matrix of 2 by 2, got 2 by 3");
        assert!(Matrix::<f32>::new(2, 3).log_abs_det().is_err());
        assert!(Matrix::<f64>::new(2, 2).solve(&[1.0]).is_err());
    }
}
