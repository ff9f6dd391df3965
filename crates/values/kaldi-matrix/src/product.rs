//! Matrix products, and determinants computed from them.

use std::sync::Arc;

use crate::factor::{Factor, Product};
use crate::linear_algebra::lower_factor;
use crate::{Error, Matrix, Real, Result};
use kaldi_io::sync::Mutex;

impl<T: Real> Matrix<T> {
    pub(crate) fn factor(&self) -> Factor<'_, T> {
        Factor { data: self.as_slice(), rows: self.num_rows(), cols: self.num_cols(), strides: (self.num_cols(), 1) }
    }

    pub(crate) fn transposed_factor(&self) -> Factor<'_, T> {
        Factor { data: self.as_slice(), rows: self.num_cols(), cols: self.num_rows(), strides: (1, self.num_cols()) }
    }

    /// Computes `self * other`: `m × k` times `k × n` gives `m × n`.
    ///
    /// # Errors
    /// If `other` does not have as many rows as `self` has columns.
    pub fn multiply(&self, other: &Self) -> Result<Self> {
        if other.num_rows() != self.num_cols() {
            let expected = (self.num_cols(), other.num_cols());
            return Err(Error::Size { what: "right factor", expected, got: other.size() });
        }
        let mut out = Self::new(self.num_rows(), other.num_cols());
        let product = Product { left: self.factor(), right: other.factor(), beta: T::default() };
        T::gemm(&product, out.as_mut_slice());
        Ok(out)
    }

    /// Computes `self * other^T`: `m × k` times the transpose of `n × k` gives `m × n`.
    ///
    /// # Errors
    /// If the two do not have the same number of columns.
    pub fn multiply_transposed(&self, other: &Self) -> Result<Self> {
        if other.num_cols() != self.num_cols() {
            let expected = (other.num_rows(), self.num_cols());
            return Err(Error::Size { what: "right factor", expected, got: other.size() });
        }
        let mut out = Self::new(self.num_rows(), other.num_rows());
        let product = Product { left: self.factor(), right: other.transposed_factor(), beta: T::default() };
        T::gemm(&product, out.as_mut_slice());
        Ok(out)
    }

    /// Adds `left * right^T`: `m × k` times the transpose of `n × k` to `m × n`.
    ///
    /// # Errors
    /// If the sizes do not fit.
    pub fn add_product_transposed(&mut self, left: &Self, right: &Self) -> Result<()> {
        for (what, expected, got) in [
            ("left factor", (self.num_rows(), right.num_cols()), left.size()),
            ("right factor", (self.num_cols(), left.num_cols()), right.size()),
        ] {
            if got != expected {
                return Err(Error::Size { what, expected, got });
            }
        }
        let product = Product { left: left.factor(), right: right.transposed_factor(), beta: T::from_f64(1.0) };
        T::gemm(&product, self.as_mut_slice());
        Ok(())
    }

    /// Adds `left^T * right`: the transpose of `k × m` times `k × n` to `m × n`.
    ///
    /// # Errors
    /// If the sizes do not fit.
    pub fn add_transposed_product(&mut self, left: &Self, right: &Self) -> Result<()> {
        for (what, expected, got) in [
            ("left factor", (right.num_rows(), self.num_rows()), left.size()),
            ("right factor", (left.num_rows(), self.num_cols()), right.size()),
        ] {
            if got != expected {
                return Err(Error::Size { what, expected, got });
            }
        }
        let product = Product { left: left.transposed_factor(), right: right.factor(), beta: T::from_f64(1.0) };
        T::gemm(&product, self.as_mut_slice());
        Ok(())
    }

    /// Adds `self * other` to `out`, the `m × n` elements of a matrix or of some of its rows, row after row.
    ///
    /// # Errors
    /// If `other` does not have as many rows as `self` has columns, or `out` has another length.
    pub fn add_product_to(&self, other: &Self, out: &mut [T]) -> Result<()> {
        let (rows, cols) = (self.num_rows(), other.num_cols());
        if other.num_rows() != self.num_cols() {
            return Err(Error::Size { what: "right factor", expected: (self.num_cols(), cols), got: other.size() });
        }
        if rows.checked_mul(cols) != Some(out.len()) {
            return Err(Error::Dim { expected: rows.saturating_mul(cols), got: out.len() });
        }
        let product = Product { left: self.factor(), right: other.factor(), beta: T::from_f64(1.0) };
        T::gemm(&product, out);
        Ok(())
    }

    /// Computes `self^T * self`: the sum of the outer products of all rows, `num_cols × num_cols`.
    pub fn gram(&self) -> Self {
        let mut out = Self::new(self.num_cols(), self.num_cols());
        let product = Product { left: self.transposed_factor(), right: self.factor(), beta: T::default() };
        T::gemm(&product, out.as_mut_slice());
        out
    }

    /// Computes half of `log det(A A^T)` of the first `dim` columns `A`, in double precision. If `A` is square, that is
    /// the logarithm of its absolute determinant; if it reduces the dimension, that of the change of volume.
    ///
    /// Negative infinity if `A` does not have full row rank, as far as rounding shows. transform-feats logs this.
    pub fn half_log_det_gram(&self, dim: usize) -> f64 {
        let size = self.num_rows();
        let gram = |row: usize, col: usize| dot(&self.row(row)[..dim], &self.row(col)[..dim]);
        match lower_factor(size, gram, |rest, gram| rest > gram * f64::EPSILON * size as f64) {
            Ok(factor) => factor.rows().enumerate().fold(0.0, |sum, (index, row)| sum + row[index].ln()),
            Err(rest) if rest.is_nan() => f64::NAN,
            Err(_) => f64::NEG_INFINITY,
        }
    }
}

/// The inner product of two slices of the same length, summed in double precision, in several parallel sums.
#[inline(always)]
pub(crate) fn dot<T: Real>(left: &[T], right: &[T]) -> f64 {
    const LANES: usize = 8;
    debug_assert_eq!(left.len(), right.len());
    let (left, left_rest) = left.as_chunks::<LANES>();
    let (right, right_rest) = right.as_chunks::<LANES>();
    let mut sums = [0.0; LANES];
    for (a, b) in left.iter().zip(right) {
        for ((sum, a), b) in sums.iter_mut().zip(a).zip(b) {
            *sum += a.to_f64() * b.to_f64();
        }
    }
    let rest = left_rest.iter().zip(right_rest).map(|(a, b)| a.to_f64() * b.to_f64());
    rest.fold(sums.iter().sum(), |sum, product| sum + product)
}

/// The last [`Matrix::half_log_det_gram`], for transforms that are often the same as the one before.
#[derive(Debug)]
pub struct LogDetCache<T>(Mutex<Option<LogDet<T>>>);

#[derive(Debug)]
struct LogDet<T> {
    transform: Arc<Matrix<T>>,
    dim: usize,
    log_det: f64,
}

impl<T> Default for LogDetCache<T> {
    fn default() -> Self {
        Self(Mutex::new(None))
    }
}

impl<T: Real> LogDetCache<T> {
    /// The result of [`Matrix::half_log_det_gram`].
    pub fn get(&self, transform: &Arc<Matrix<T>>, dim: usize) -> f64 {
        let last = || self.0.lock();
        if let Some(last) = &*last()
            && Arc::ptr_eq(&last.transform, transform)
            && last.dim == dim
        {
            return last.log_det;
        }
        // Other threads may compute the same at the same time, which is better than waiting for one of them.
        let log_det = transform.half_log_det_gram(dim);
        *last() = Some(LogDet { transform: Arc::clone(transform), dim, log_det });
        log_det
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(rows: usize, values: &[f32]) -> Matrix<f32> {
        Matrix::from_vec(rows, values.len() / rows, values.to_vec())
    }

    #[test]
    fn a_product_takes_rows_times_columns() {
        let left = matrix(2, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let right = matrix(3, &[1.0, 0.0, -1.0, 2.0, 0.5, 1.0]);
        assert_eq!(left.multiply(&right).unwrap(), matrix(2, &[0.5, 7.0, 2.0, 16.0]));
        assert_eq!(left.multiply_transposed(&right.transpose()).unwrap(), left.multiply(&right).unwrap());
        let wide = left.to_precision::<f64>().multiply(&right.to_precision()).unwrap();
        assert_eq!(wide, matrix(2, &[0.5, 7.0, 2.0, 16.0]).to_precision());
    }

    #[test]
    fn a_product_is_added_to_what_is_there() {
        let (left, right) = (matrix(2, &[1.0, 2.0, 3.0, 4.0]), matrix(3, &[1.0, 0.0, 0.0, 1.0, 2.0, -1.0]));
        let mut sum = matrix(2, &[1.0, 1.0, 1.0, 2.0, 2.0, 2.0]);
        sum.add_product_transposed(&left, &right).unwrap();
        assert_eq!(sum, matrix(2, &[2.0, 3.0, 1.0, 5.0, 6.0, 4.0]));
        let error = sum.add_product_transposed(&right, &left).unwrap_err();
        assert_eq!(error.to_string(), "expected a left factor of 2 by 2, got 3 by 2");
        assert!(sum.add_product_transposed(&left, &left).is_err());
        let mut squares = matrix(2, &[1.0, 0.0, 0.0, 1.0]);
        squares.add_transposed_product(&right, &right).unwrap();
        assert_eq!(squares, matrix(2, &[6.0, -2.0, -2.0, 3.0]));
        assert!(squares.add_transposed_product(&left, &right).is_err());
    }

    #[test]
    fn a_product_is_added() {
        let (left, right) = (matrix(2, &[1.0, 2.0, 3.0, 4.0]), matrix(2, &[1.0, 0.5]));
        let mut sums = [10.0, 20.0];
        left.add_product_to(&right, &mut sums).unwrap();
        assert_eq!(sums, [12.0, 25.0]);
        assert!(left.add_product_to(&right, &mut [0.0; 3]).is_err());
        assert!(right.add_product_to(&left.transpose(), &mut sums).is_err());
    }

    #[test]
    fn the_outer_products_of_rows_add_up() {
        let gram = matrix(2, &[1.0, 2.0, 3.0, -4.0]).gram();
        assert_eq!(gram, matrix(2, &[10.0, -10.0, -10.0, 20.0]));
        assert!(Matrix::<f64>::default().gram().is_empty());
    }

    #[test]
    fn factors_of_other_sizes_are_refused() {
        let left = matrix(2, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(left.multiply(&left).unwrap_err().to_string(), "expected a right factor of 3 by 3, got 2 by 3");
        assert!(left.multiply_transposed(&left.transpose()).is_err());
    }

    #[test]
    fn empty_factors_give_an_empty_product() {
        let empty = Matrix::<f32>::default();
        assert!(empty.multiply(&empty).unwrap().is_empty());
    }

    #[test]
    fn the_determinant_of_a_square_is_that_of_the_matrix() {
        let square = matrix(2, &[1.0, 2.0, 9.0, 3.0, 4.0, 9.0]);
        assert!((square.half_log_det_gram(2) - 2.0_f64.ln()).abs() < 1e-12);
        assert_eq!(matrix(2, &[1.0, 2.0, 2.0, 4.0]).half_log_det_gram(2), f64::NEG_INFINITY);
        assert_eq!(matrix(2, &[0.0; 4]).half_log_det_gram(2), f64::NEG_INFINITY);
        assert!(matrix(2, &[f32::NAN; 4]).half_log_det_gram(2).is_nan());
    }

    #[test]
    fn a_kept_determinant_is_that_of_the_transform_and_dimension_asked_for() {
        let (first, second) = (Arc::new(matrix(1, &[2.0, 3.0])), Arc::new(matrix(1, &[5.0, 0.0])));
        let cache = LogDetCache::default();
        for (transform, dim) in [(&first, 1), (&first, 1), (&first, 2), (&second, 2), (&first, 1)] {
            assert_eq!(cache.get(transform, dim), transform.half_log_det_gram(dim));
        }
    }
}
