//! Cholesky factors, inverses and determinants.

use super::symmetric::{add_scaled, check_square};
use crate::product::dot;
use crate::{Error, Matrix, Real, Result, SymmetricMatrix, Vector};

/// The Cholesky decomposition `L * L^T` of a positive definite matrix.
#[derive(Clone, Debug)]
pub struct Cholesky {
    lower: Matrix<f64>,
}

impl SymmetricMatrix {
    /// Decomposes a positive definite matrix.
    ///
    /// # Errors
    /// [`Error::NotPositiveDefinite`] if it is not positive definite as far as rounding shows, and
    /// [`Error::NotFinite`].
    pub fn cholesky(&self) -> Result<Cholesky> {
        check_finite(self.as_slice())?;
        let lower = lower_factor(self.dim(), |row, col| self.lower_row(row)[col], |rest, _| rest > 0.0)
            .map_err(|_| Error::NotPositiveDefinite)?;
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

/// The factor `L` of the Cholesky decomposition of a matrix, of which `element` returns what is not above the diagonal.
///
/// # Errors
/// If `is_positive` refuses what is left of an element of the diagonal (the first argument) for the element itself (the second):
/// what is left.
pub(crate) fn lower_factor(
    dim: usize,
    element: impl Fn(usize, usize) -> f64,
    is_positive: impl Fn(f64, f64) -> bool,
) -> Result<Matrix<f64>, f64> {
    let mut lower = Matrix::<f64>::new(dim, dim);
    for row in 0..dim {
        for col in 0..=row {
            let element = element(row, col);
            let rest = element - dot(&lower.row(row)[..col], &lower.row(col)[..col]);
            if col == row && !is_positive(rest, element) {
                return Err(rest);
            }
            lower.row_mut(row)[col] = if col == row { rest.sqrt() } else { rest / lower.row(col)[col] };
        }
    }
    Ok(lower)
}

impl Cholesky {
    /// The factor `L`: a full matrix with zeros above the diagonal.
    pub fn factor(&self) -> Matrix<f64> {
        self.lower.clone()
    }

    /// The inverse of the factor, also with zeros above the diagonal. As a transform it turns the decomposed covariance
    /// into the unit matrix.
    pub fn inverse_factor(&self) -> Matrix<f64> {
        let mut inverse = unit(self.lower.num_rows());
        for (index, factor) in self.lower.rows().enumerate() {
            let (above, row) = split_at_row(&mut inverse, index);
            for (other, scale) in above.enumerate().map(|(col, other)| (&other[..=col], -factor[col])) {
                add_scaled(row, scale, other);
            }
            row.iter_mut().for_each(|element| *element /= factor[index]);
        }
        inverse
    }

    /// Solves `L * x = right` for `x`.
    ///
    /// # Errors
    /// If `right` has another size.
    pub fn solve_factor(&self, right: &[f64]) -> Result<Vec<f64>> {
        if right.len() != self.lower.num_rows() {
            return Err(Error::Dim { expected: self.lower.num_rows(), got: right.len() });
        }
        let mut solution = right.to_vec();
        for (index, factor) in self.lower.rows().enumerate() {
            solution[index] = (solution[index] - dot(&factor[..index], &solution[..index])) / factor[index];
        }
        Ok(solution)
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
        let mut solution = self.solve_factor(right)?;
        for (index, factor) in self.lower.rows().enumerate().rev() {
            let element = solution[index] / factor[index];
            solution[index] = element;
            add_scaled(&mut solution[..index], -element, &factor[..index]);
        }
        Ok(Vector::from_vec(solution))
    }

    /// The logarithm of the determinant of the decomposed matrix.
    pub fn log_det(&self) -> f64 {
        2.0 * self.lower.rows().enumerate().map(|(index, row)| row[index].ln()).sum::<f64>()
    }
}

/// The decomposition of a square matrix, its rows in another order, into `L * U`: by each column the row with the largest element
/// comes first.
struct LuFactors {
    /// `U`, and below its diagonal `L`, whose diagonal is 1.
    both: Matrix<f64>,
    /// Which row of the matrix is in each row.
    order: Vec<usize>,
}

impl LuFactors {
    fn of(matrix: &Matrix<f64>) -> Self {
        let (mut both, dim) = (matrix.clone(), matrix.num_rows());
        let mut order: Vec<usize> = (0..dim).collect();
        for col in 0..dim {
            let size = |row: usize| both.row(row)[col].abs();
            let largest = (col..dim).reduce(|best, row| if size(row) > size(best) { row } else { best });
            let largest = largest.unwrap_or(col);
            if both.row(largest)[col] == 0.0 {
                continue;
            }
            order.swap(col, largest);
            (0..dim).for_each(|at| both.as_mut_slice().swap(col * dim + at, largest * dim + at));
            let (pivots, below) = both.as_mut_slice().split_at_mut((col + 1) * dim);
            let pivots = &pivots[col * dim..];
            for row in below.chunks_exact_mut(dim) {
                row[col] /= pivots[col];
                let factor = row[col];
                add_scaled(&mut row[col + 1..], -factor, &pivots[col + 1..]);
            }
        }
        Self { both, order }
    }

    fn diagonal(&self) -> impl Iterator<Item = f64> {
        self.both.rows().enumerate().map(|(index, row)| row[index])
    }

    /// Solves `matrix * x = right` for each column of `right`.
    fn solve(&self, right: &Matrix<f64>) -> Result<Matrix<f64>> {
        if self.diagonal().any(|element| element == 0.0) {
            return Err(Error::Singular);
        }
        let rows = self.order.iter().flat_map(|&row| right.row(row)).copied().collect();
        let mut solution = Matrix::from_vec(right.num_rows(), right.num_cols(), rows);
        for (index, factors) in self.both.rows().enumerate() {
            let (above, row) = split_at_row(&mut solution, index);
            above.zip(factors).for_each(|(other, factor)| add_scaled(row, -factor, other));
        }
        let width = right.num_cols();
        for (index, factors) in self.both.rows().enumerate().rev() {
            let (above, below) = solution.as_mut_slice().split_at_mut((index + 1) * width);
            let row = &mut above[index * width..];
            let others = below.chunks_exact(width).zip(&factors[index + 1..]);
            others.for_each(|(other, factor)| add_scaled(row, -factor, other));
            row.iter_mut().for_each(|element| *element /= factors[index]);
        }
        if solution.as_slice().iter().all(|value| value.is_finite()) { Ok(solution) } else { Err(Error::Singular) }
    }
}

impl<T: Real> Matrix<T> {
    /// Computes the inverse of a square matrix, in double precision.
    ///
    /// # Errors
    /// If it is not square, not finite or singular.
    pub fn inverse(&self) -> Result<Self> {
        let matrix = self.to_precision();
        Ok(factors(&matrix)?.solve(&unit(matrix.num_rows()))?.to_precision())
    }

    /// Computes the logarithm of the absolute value of the determinant, in double precision: negative infinity if the
    /// matrix is singular, 0 if it is empty.
    ///
    /// # Errors
    /// If it is not square or not finite.
    pub fn log_abs_det(&self) -> Result<f64> {
        Ok(factors(&self.to_precision())?.diagonal().map(|value| value.abs().ln()).sum())
    }
}

impl Matrix<f64> {
    /// Solves `self * x = right` for `x`.
    ///
    /// # Errors
    /// If the matrix is not square, not finite or singular, or `right` has another size.
    pub fn solve(&self, right: &[f64]) -> Result<Vec<f64>> {
        let factors = factors(self)?;
        if right.len() != self.num_rows() {
            return Err(Error::Size { what: "right side", expected: (self.num_rows(), 1), got: (right.len(), 1) });
        }
        Ok(factors.solve(&Matrix::from_vec(right.len(), 1, right.to_vec()))?.into_vec())
    }
}

fn factors(matrix: &Matrix<f64>) -> Result<LuFactors> {
    check_square(matrix)?;
    check_finite(matrix.as_slice())?;
    Ok(LuFactors::of(matrix))
}

fn check_finite(elements: &[f64]) -> Result<()> {
    if elements.iter().all(|value| value.is_finite()) { Ok(()) } else { Err(Error::NotFinite) }
}

fn unit(dim: usize) -> Matrix<f64> {
    SymmetricMatrix::identity(dim).to_matrix()
}

/// The rows above one, and it.
fn split_at_row(matrix: &mut Matrix<f64>, row: usize) -> (std::slice::ChunksExact<'_, f64>, &mut [f64]) {
    let width = matrix.num_cols();
    let (above, rest) = matrix.as_mut_slice().split_at_mut(row * width);
    (above.chunks_exact(width), &mut rest[..width])
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
