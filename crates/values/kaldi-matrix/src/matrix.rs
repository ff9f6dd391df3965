//! Dense matrices.

use std::ops::Range;
use std::slice::{ChunksExact, ChunksExactMut};

use crate::{Error, Real, Result, Vector};

/// A dense matrix, `num_rows × num_cols`, row after row in one block of memory without padding.
///
/// A matrix without elements is 0 × 0, as in Kaldi: there are no rows without columns and no columns without rows.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Matrix<T> {
    num_rows: usize,
    num_cols: usize,
    data: Vec<T>,
}

impl<T: Real> Matrix<T> {
    /// Makes a matrix of zeros.
    ///
    /// # Panics
    /// If a size does not fit an `i32`, as the formats require.
    #[doc(alias = "zeros")]
    pub fn new(num_rows: usize, num_cols: usize) -> Self {
        Self::from_vec(num_rows, num_cols, vec![T::default(); num_rows * num_cols])
    }

    /// Makes a matrix of the elements in `data`, row after row.
    ///
    /// # Panics
    /// If `data` does not have `num_rows * num_cols` elements, or a size does not fit an `i32`, as the formats require.
    #[doc(alias = "from_shape_vec")]
    pub fn from_vec(num_rows: usize, num_cols: usize, data: Vec<T>) -> Self {
        assert_eq!(
            Some(data.len()),
            num_rows.checked_mul(num_cols),
            "elements of a matrix of {num_rows} by {num_cols}"
        );
        if data.is_empty() {
            return Self::default();
        }
        assert!(i32::try_from(num_rows.max(num_cols)).is_ok(), "a matrix of {num_rows} by {num_cols}");
        Self { num_rows, num_cols, data }
    }

    /// The number of rows; frames, in a matrix of features.
    #[doc(alias = "nrows")]
    pub fn num_rows(&self) -> usize {
        self.num_rows
    }

    /// The number of columns; the dimension, in a matrix of features.
    #[doc(alias = "ncols")]
    pub fn num_cols(&self) -> usize {
        self.num_cols
    }

    /// The numbers of rows and columns.
    #[doc(alias = "shape")]
    pub fn size(&self) -> (usize, usize) {
        (self.num_rows, self.num_cols)
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    /// The elements, row after row.
    pub fn as_slice(&self) -> &[T] {
        &self.data
    }

    /// The elements, row after row.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.data
    }

    /// Converts into the elements, row after row.
    pub fn into_vec(self) -> Vec<T> {
        self.data
    }

    /// The elements of one row.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row(&self, row: usize) -> &[T] {
        &self.data[row * self.num_cols..][..self.num_cols]
    }

    /// The elements of one row.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn row_mut(&mut self, row: usize) -> &mut [T] {
        &mut self.data[row * self.num_cols..][..self.num_cols]
    }

    /// The rows in order.
    pub fn rows(&self) -> ChunksExact<'_, T> {
        self.data.chunks_exact(self.num_cols.max(1))
    }

    /// The rows in order.
    pub fn rows_mut(&mut self) -> ChunksExactMut<'_, T> {
        self.data.chunks_exact_mut(self.num_cols.max(1))
    }

    /// Copies one column.
    ///
    /// # Panics
    /// If there is no such column.
    pub fn column(&self, col: usize) -> Vector<T> {
        assert!(col < self.num_cols, "column {col} of {}", self.num_cols);
        Vector::from_vec(self.rows().map(|row| row[col]).collect())
    }

    /// Copies a rectangle.
    ///
    /// # Panics
    /// If it does not lie within the matrix.
    pub fn range(&self, rows: Range<usize>, cols: Range<usize>) -> Self {
        let (num_rows, num_cols) = (rows.len(), cols.len());
        if num_cols == self.num_cols {
            let data = self.data[rows.start * num_cols..rows.end * num_cols].to_vec();
            return Self::from_vec(num_rows, num_cols, data);
        }
        let mut data = Vec::with_capacity(num_rows * num_cols);
        for row in rows {
            data.extend_from_slice(&self.row(row)[cols.clone()]);
        }
        Self::from_vec(num_rows, num_cols, data)
    }

    /// Copies the columns that `columns` lists, in that order; a column may be listed more than once.
    ///
    /// # Panics
    /// If there is no such column.
    pub fn select_columns(&self, columns: &[usize]) -> Self {
        let mut data = Vec::with_capacity(self.num_rows * columns.len());
        for row in self.rows() {
            data.extend(columns.iter().map(|&col| row[col]));
        }
        Self::from_vec(self.num_rows, columns.len(), data)
    }

    /// Appends a vector to every row: `num_rows × num_cols` gives `num_rows × (num_cols + vector.dim())`.
    ///
    /// # Errors
    /// If the matrix or the vector is empty.
    ///
    /// # Panics
    /// If the new number of columns does not fit an `i32`.
    pub fn with_appended(&self, vector: &Vector<T>) -> Result<Self> {
        let num_cols = self.num_cols + vector.dim();
        if self.is_empty() || vector.is_empty() {
            let what = if self.is_empty() { "matrix" } else { "vector" };
            return Err(Error::Empty { what });
        }
        let mut data = Vec::with_capacity(self.num_rows * num_cols);
        for row in self.rows() {
            data.extend_from_slice(row);
            data.extend_from_slice(vector.as_slice());
        }
        Ok(Self::from_vec(self.num_rows, num_cols, data))
    }

    /// Changes the size: elements that are in both the old and the new matrix are kept, the others are zero.
    ///
    /// # Panics
    /// If a size does not fit an `i32`.
    pub fn resize(&mut self, num_rows: usize, num_cols: usize) {
        if self.size() == (num_rows, num_cols) {
            return;
        }
        let mut resized = Self::new(num_rows, num_cols);
        let shared = self.num_cols.min(num_cols);
        for (to, from) in resized.rows_mut().zip(self.rows()) {
            to[..shared].copy_from_slice(&from[..shared]);
        }
        *self = resized;
    }

    /// Copies with rows and columns exchanged.
    pub fn transpose(&self) -> Self {
        let mut transposed = Self::new(self.num_cols, self.num_rows);
        for (index, row) in self.rows().enumerate() {
            for (to, from) in transposed.data[index..].iter_mut().step_by(self.num_rows).zip(row) {
                *to = *from;
            }
        }
        transposed
    }

    /// Copies to a precision: to the nearest values, or infinity if they are too large.
    pub fn to_precision<U: Real>(&self) -> Matrix<U> {
        let data = self.data.iter().map(|value| U::from_f64(value.to_f64())).collect();
        Matrix { num_rows: self.num_rows, num_cols: self.num_cols, data }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counting(rows: usize, cols: usize) -> Matrix<f32> {
        Matrix::from_vec(rows, cols, (0..rows * cols).map(|value| value as f32).collect())
    }

    #[test]
    fn a_matrix_without_elements_has_neither_rows_nor_columns() {
        for matrix in [Matrix::<f32>::new(0, 3), Matrix::new(3, 0), counting(3, 2).range(1..1, 0..2)] {
            assert_eq!(matrix.size(), (0, 0));
            assert_eq!(matrix.rows().count(), 0);
        }
    }

    #[test]
    #[should_panic(expected = "elements of a matrix of 2 by 2")]
    fn elements_that_do_not_fill_the_matrix_are_a_mistake() {
        Matrix::from_vec(2, 2, vec![0.0_f32; 3]);
    }

    #[test]
    fn rows_and_columns_are_where_they_should_be() {
        let mut matrix = counting(2, 3);
        assert_eq!(matrix.row(1), [3.0, 4.0, 5.0]);
        assert_eq!(matrix.column(1).as_slice(), [1.0, 4.0]);
        matrix.row_mut(0)[2] = 9.0;
        assert_eq!(matrix.rows().map(|row| row[2]).collect::<Vec<_>>(), [9.0, 5.0]);
    }

    #[test]
    fn parts_are_copied_in_order() {
        let matrix = counting(4, 3);
        assert_eq!(matrix.range(1..3, 0..3).as_slice(), [3.0, 4.0, 5.0, 6.0, 7.0, 8.0]);
        assert_eq!(matrix.range(1..3, 1..2).as_slice(), [4.0, 7.0]);
        assert_eq!(matrix.range(0..2, 0..2).select_columns(&[1, 0, 1]).as_slice(), [1.0, 0.0, 1.0, 4.0, 3.0, 4.0]);
    }

    #[test]
    fn a_vector_is_appended_to_every_row() {
        let vector = Vector::from_vec(vec![8.0, 9.0]);
        let appended = counting(2, 1).with_appended(&vector).unwrap();
        assert_eq!((appended.size(), appended.as_slice()), ((2, 3), &[0.0, 8.0, 9.0, 1.0, 8.0, 9.0][..]));
        let error = Matrix::default().with_appended(&vector).unwrap_err();
        assert_eq!(error.to_string(), "expected a matrix with elements, got an empty one");
        assert!(counting(2, 2).with_appended(&Vector::default()).is_err());
    }

    #[test]
    fn resizing_keeps_what_is_in_both() {
        let mut matrix = counting(2, 2);
        matrix.resize(3, 3);
        assert_eq!(matrix.as_slice(), [0.0, 1.0, 0.0, 2.0, 3.0, 0.0, 0.0, 0.0, 0.0]);
        matrix.resize(2, 1);
        assert_eq!(matrix.as_slice(), [0.0, 2.0]);
        matrix.resize(0, 0);
        assert!(matrix.is_empty());
    }

    #[test]
    fn a_transpose_exchanges_rows_and_columns() {
        assert_eq!(counting(2, 3).transpose().as_slice(), [0.0, 3.0, 1.0, 4.0, 2.0, 5.0]);
        assert_eq!(counting(2, 3).transpose().transpose(), counting(2, 3));
        assert!(Matrix::<f64>::default().transpose().is_empty());
    }

    #[test]
    fn precision_is_rounded_to_nearest_and_too_large_becomes_infinite() {
        let matrix = Matrix::from_vec(1, 3, vec![0.1_f64, 1e39, -1e39]);
        assert_eq!(matrix.to_precision::<f32>().as_slice(), [0.1, f32::INFINITY, f32::NEG_INFINITY]);
        assert_eq!(Matrix::from_vec(1, 1, vec![0.1_f32]).to_precision::<f64>().as_slice(), [f64::from(0.1_f32)]);
    }
}
