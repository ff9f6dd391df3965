//! Symmetric matrices.

use crate::factor::{Factor, Product};
use crate::product::dot;
use crate::real::Storage;
use crate::{Error, Matrix, Result, Vector};

/// Rows of a product that are computed at once: the elements above the diagonal are left out in steps of this size.
const BLOCK: usize = 64;

/// A symmetric matrix in double precision, `dim × dim`: its lower triangle, row after row.
///
/// ```text
/// a          as_slice() = [a, b, c, d, e, f]
/// b c
/// d e f
/// ```
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SymmetricMatrix {
    dim: usize,
    data: Vec<f64>,
}

/// The number of elements of a lower triangle.
#[inline(always)]
pub(super) fn packed_len(dim: usize) -> usize {
    dim * (dim + 1) / 2
}

impl SymmetricMatrix {
    /// Makes a matrix of zeros.
    ///
    /// # Panics
    /// If the size does not fit an `i32`, as the formats require.
    pub fn new(dim: usize) -> Self {
        assert!(i32::try_from(dim).is_ok(), "a symmetric matrix of {dim}");
        Self { dim, data: vec![0.0; packed_len(dim)] }
    }

    /// Makes a matrix of the elements of its lower triangle, row after row.
    ///
    /// # Panics
    /// If there are not `dim * (dim + 1) / 2` elements.
    pub fn from_vec(dim: usize, data: Vec<f64>) -> Self {
        assert!(i32::try_from(dim).is_ok() && data.len() == packed_len(dim), "elements of a triangle of {dim}");
        Self { dim, data }
    }

    /// Makes the unit matrix.
    pub fn identity(dim: usize) -> Self {
        let mut unit = Self::new(dim);
        unit.add_to_diagonal(1.0);
        unit
    }

    /// Makes a matrix with these elements on the diagonal and zeros elsewhere.
    pub fn from_diagonal(diagonal: &[f64]) -> Self {
        let mut matrix = Self::new(diagonal.len());
        for (index, &value) in diagonal.iter().enumerate() {
            matrix.lower_row_mut(index)[index] = value;
        }
        matrix
    }

    /// Takes the lower triangle of a square matrix; elements above the diagonal are ignored.
    ///
    /// # Errors
    /// If it is not square.
    pub fn from_lower(matrix: &Matrix<f64>) -> Result<Self> {
        check_square(matrix)?;
        let data = matrix.rows().enumerate().flat_map(|(index, row)| row[..=index].iter().copied()).collect();
        Ok(Self { dim: matrix.num_rows(), data })
    }

    /// Computes `left^T * right` of two `n × dim` matrices whose product is known to be symmetric, such as `A^T * A` or
    /// `A^T * (S * A)`: only its lower triangle is computed.
    ///
    /// # Errors
    /// If the sizes of the two differ.
    pub fn from_transposed_product(left: &Matrix<f64>, right: &Matrix<f64>) -> Result<Self> {
        let (samples, dim) = left.size();
        if right.size() != (samples, dim) {
            return Err(Error::Size { what: "right factor", expected: (samples, dim), got: right.size() });
        }
        Ok(Self::lower_product(left, right))
    }

    /// The lower triangle of `left^T * right`; both have the same size.
    pub(super) fn lower_product(left: &Matrix<f64>, right: &Matrix<f64>) -> Self {
        let (samples, dim) = left.size();
        let mut product = Self::new(dim);
        let mut rows = vec![0.0; BLOCK.min(dim) * dim];
        for start in (0..dim).step_by(BLOCK) {
            let end = dim.min(start + BLOCK);
            let rows = &mut rows[..(end - start) * end];
            let left = Factor { data: &left.as_slice()[start..], rows: end - start, cols: samples, strides: (1, dim) };
            let right = Factor { data: right.as_slice(), rows: samples, cols: end, strides: (dim, 1) };
            f64::gemm(&Product { left, right, beta: 0.0 }, rows);
            for (row, elements) in (start..end).zip(rows.chunks_exact(end)) {
                product.lower_row_mut(row).copy_from_slice(&elements[..=row]);
            }
        }
        product
    }

    /// The number of rows and of columns.
    pub fn dim(&self) -> usize {
        self.dim
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    /// The elements of the lower triangle, row after row.
    pub fn as_slice(&self) -> &[f64] {
        &self.data
    }

    /// The elements of the lower triangle, row after row.
    pub fn as_mut_slice(&mut self) -> &mut [f64] {
        &mut self.data
    }

    /// The elements of one row up to the diagonal, included.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn lower_row(&self, row: usize) -> &[f64] {
        &self.data[packed_len(row)..packed_len(row + 1)]
    }

    /// The elements of one row up to the diagonal, included.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn lower_row_mut(&mut self, row: usize) -> &mut [f64] {
        &mut self.data[packed_len(row)..packed_len(row + 1)]
    }

    /// Copies the elements of the diagonal.
    pub fn diagonal(&self) -> Vector<f64> {
        Vector::from_vec((0..self.dim).map(|index| self.lower_row(index)[index]).collect())
    }

    /// The sum of the elements of the diagonal.
    pub fn trace(&self) -> f64 {
        self.diagonal().sum()
    }

    /// The trace of `self * other`: the sum of the products of all their elements.
    ///
    /// # Errors
    /// If the sizes differ.
    pub fn trace_of_product(&self, other: &Self) -> Result<f64> {
        if self.dim != other.dim {
            let (expected, got) = ((self.dim, self.dim), (other.dim, other.dim));
            return Err(Error::Size { what: "symmetric matrix", expected, got });
        }
        let twice = |row| {
            let (left, right) = (self.lower_row(row), other.lower_row(row));
            2.0 * dot(left, right) - left[row] * right[row]
        };
        Ok((0..self.dim).map(twice).sum())
    }

    /// Copies to a full matrix.
    pub fn to_matrix(&self) -> Matrix<f64> {
        let dim = self.dim;
        let mut full = Matrix::new(dim, dim);
        let out = full.as_mut_slice();
        for row in 0..dim {
            for (col, &value) in self.lower_row(row).iter().enumerate() {
                out[row * dim + col] = value;
                out[col * dim + row] = value;
            }
        }
        full
    }

    /// Multiplies every element by `factor`.
    pub fn scale(&mut self, factor: f64) {
        self.data.iter_mut().for_each(|value| *value *= factor);
    }

    /// Adds `factor` times `other`.
    ///
    /// # Errors
    /// If the sizes differ.
    pub fn add_scaled(&mut self, factor: f64, other: &Self) -> Result<()> {
        if self.dim != other.dim {
            let (expected, got) = ((self.dim, self.dim), (other.dim, other.dim));
            return Err(Error::Size { what: "symmetric matrix", expected, got });
        }
        add_scaled(&mut self.data, factor, &other.data);
        Ok(())
    }

    /// Adds `value` to every element of the diagonal.
    pub fn add_to_diagonal(&mut self, value: f64) {
        for index in 0..self.dim {
            self.lower_row_mut(index)[index] += value;
        }
    }

    /// Adds `factor` times the outer product of `vector` with itself.
    ///
    /// # Errors
    /// If `vector` has another size.
    pub fn add_outer(&mut self, factor: f64, vector: &[f64]) -> Result<()> {
        self.check_dim(vector.len())?;
        for (row, &value) in vector.iter().enumerate() {
            add_scaled(self.lower_row_mut(row), factor * value, &vector[..=row]);
        }
        Ok(())
    }

    /// Adds `factor` times `samples^T * samples`: the outer products of all rows of `samples` (`num_samples × dim`).
    ///
    /// # Errors
    /// If `samples` has another number of columns than `dim`; an empty matrix adds nothing.
    pub fn add_gram(&mut self, factor: f64, samples: &Matrix<f64>) -> Result<()> {
        if samples.is_empty() {
            return Ok(());
        }
        self.check_dim(samples.num_cols())?;
        let gram = samples.gram();
        for (row, sums) in gram.rows().enumerate() {
            add_scaled(self.lower_row_mut(row), factor, &sums[..=row]);
        }
        Ok(())
    }

    /// Computes `self * vector`.
    ///
    /// # Errors
    /// If `vector` has another size.
    pub fn multiply_vector(&self, vector: &[f64]) -> Result<Vector<f64>> {
        self.check_dim(vector.len())?;
        let mut product = vec![0.0; self.dim];
        for row in 0..self.dim {
            let elements = self.lower_row(row);
            product[row] += dot(elements, &vector[..=row]);
            add_scaled(&mut product[..row], vector[row], &elements[..row]);
        }
        Ok(Vector::from_vec(product))
    }

    /// Computes `vector^T * self * vector`.
    ///
    /// # Errors
    /// If `vector` has another size.
    pub fn quadratic_form(&self, vector: &[f64]) -> Result<f64> {
        Ok(dot(self.multiply_vector(vector)?.as_slice(), vector))
    }

    /// Computes `transform * self * transform^T`: the covariance of the transformed vectors. A transform
    /// of `n × dim` gives `n × n`.
    ///
    /// # Errors
    /// If the transform has another number of columns than `dim`.
    pub fn transformed(&self, transform: &Matrix<f64>) -> Result<Self> {
        let half = transform.multiply(&self.to_matrix())?;
        Self::from_lower(&half.multiply_transposed(transform)?)
    }

    /// Checks the dimension of a vector.
    fn check_dim(&self, dim: usize) -> Result<()> {
        if dim == self.dim { Ok(()) } else { Err(Error::Dim { expected: self.dim, got: dim }) }
    }
}

#[inline(always)]
pub(super) fn add_scaled(values: &mut [f64], factor: f64, others: &[f64]) {
    for (value, other) in values.iter_mut().zip(others) {
        *value += factor * other;
    }
}

pub(super) fn check_square(matrix: &Matrix<f64>) -> Result<()> {
    let (num_rows, num_cols) = matrix.size();
    if num_rows == num_cols {
        return Ok(());
    }
    Err(Error::Size { what: "square matrix", expected: (num_rows, num_rows), got: (num_rows, num_cols) })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn three() -> SymmetricMatrix {
        SymmetricMatrix::from_vec(3, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    }

    #[test]
    fn the_lower_triangle_stands_for_all() {
        let full = Matrix::from_vec(3, 3, vec![1.0, 2.0, 4.0, 2.0, 3.0, 5.0, 4.0, 5.0, 6.0]);
        assert_eq!(three().to_matrix(), full);
        assert_eq!(SymmetricMatrix::from_lower(&full).unwrap(), three());
        assert_eq!(three().lower_row(1), [2.0, 3.0]);
        assert_eq!((three().diagonal().as_slice(), three().trace()), (&[1.0, 3.0, 6.0][..], 10.0));
        assert_eq!(SymmetricMatrix::new(0).to_matrix(), Matrix::default());
        assert_eq!(SymmetricMatrix::from_diagonal(&[1.0, 1.0]), SymmetricMatrix::identity(2));
    }

    #[test]
    fn products_are_those_of_the_full_matrix() {
        let vector = [1.0, -1.0, 2.0];
        assert_eq!(three().multiply_vector(&vector).unwrap().as_slice(), [7.0, 9.0, 11.0]);
        assert_eq!(three().quadratic_form(&vector).unwrap(), 20.0);
        let transform = Matrix::from_vec(2, 3, vec![1.0, -1.0, 2.0, 0.0, 1.0, 0.0]);
        assert_eq!(three().transformed(&transform).unwrap().as_slice(), [20.0, 9.0, 3.0]);
        let other = SymmetricMatrix::from_vec(3, vec![1.0, 0.0, 2.0, 3.0, 0.0, 1.0]);
        assert_eq!(three().trace_of_product(&other).unwrap(), 1.0 + 6.0 + 6.0 + 2.0 * 12.0);
    }

    #[test]
    fn a_product_that_is_symmetric_is_computed_in_blocks() {
        for (samples, dim) in [(3, 1), (5, 63), (7, 64), (2, 65), (9, 150)] {
            let data = (0..samples * dim).map(|index| (index * 7 % 11) as f64 - 5.0).collect();
            let matrix = Matrix::from_vec(samples, dim, data);
            let product = SymmetricMatrix::from_transposed_product(&matrix, &matrix).unwrap();
            assert_eq!(product, SymmetricMatrix::from_lower(&matrix.gram()).unwrap(), "{samples} {dim}");
        }
        assert!(SymmetricMatrix::from_transposed_product(&Matrix::default(), &Matrix::default()).unwrap().is_empty());
        assert!(SymmetricMatrix::from_transposed_product(&Matrix::new(1, 2), &Matrix::new(2, 1)).is_err());
    }

    #[test]
    fn squares_add_up() {
        let samples = Matrix::from_vec(2, 2, vec![1.0, 2.0, 3.0, -4.0]);
        let mut grams = SymmetricMatrix::identity(2);
        grams.add_gram(2.0, &samples).unwrap();
        grams.add_gram(1.0, &Matrix::default()).unwrap();
        let mut outers = SymmetricMatrix::identity(2);
        for row in samples.rows() {
            outers.add_outer(2.0, row).unwrap();
        }
        assert_eq!(grams.as_slice(), [21.0, -20.0, 41.0]);
        assert_eq!(grams, outers);
        grams.add_scaled(-1.0, &outers).unwrap();
        assert_eq!(grams, SymmetricMatrix::new(2));
    }

    #[test]
    fn other_sizes_are_refused() {
        let error = three().add_scaled(1.0, &SymmetricMatrix::new(2)).unwrap_err();
        assert_eq!(error.to_string(), "expected a symmetric matrix of 3 by 3, got 2 by 2");
        let error = three().add_outer(1.0, &[1.0]).unwrap_err();
        assert_eq!(error.to_string(), "expected a vector of dimension 3, got 1");
        assert!(three().add_gram(1.0, &Matrix::new(3, 2)).is_err());
        assert!(three().transformed(&Matrix::new(3, 2)).is_err());
        assert!(three().quadratic_form(&[]).is_err());
        assert!(SymmetricMatrix::from_lower(&Matrix::new(3, 2)).is_err());
    }
}
