//! Rows of binary matrices, found in their bytes.

use std::ops::Range;

use kaldi_value::{Cursor, Format};

use crate::binary::{self, Header, Shape};
use crate::factor::Product;
use crate::real::Storage;
use crate::row_products::{self, Rows};
use crate::transform::Parts;
use crate::{Matrix, Real, Result};

/// The rows of a binary matrix that is not decoded: they can be passed on as bytes, in any order and number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BinaryRows {
    token: &'static str,
    num_rows: usize,
    num_cols: usize,
    /// The bytes of a row, and the offset of the first one.
    length: usize,
    start: usize,
}

impl BinaryRows {
    /// Finds the rows in the bytes of a value; `None` if these are not exactly the binary form of a `Matrix<T>`.
    pub fn find<T: Real>(bytes: &[u8]) -> Option<Self> {
        if !binary::is_canonical(bytes, bytes.len() as u64, Shape::Matrix, T::MATRIX_TOKEN) {
            return None;
        }
        let mut cursor = Cursor::new(bytes);
        cursor.read_marker().ok()?;
        let Header { width, rows, cols } = Header::read(&mut cursor, Shape::Matrix, T::MATRIX_TOKEN).ok()?;
        let (length, start) = (cols * width, cursor.offset());
        Some(Self { token: T::MATRIX_TOKEN, num_rows: rows, num_cols: cols, length, start })
    }

    /// The numbers of rows and columns.
    pub fn size(&self) -> (usize, usize) {
        (self.num_rows, self.num_cols)
    }

    /// Makes a matrix of the rows in `runs`, one run after the other, and joins `per_row` rows at a time to one.
    /// Returns everything before the elements, and where in the bytes the elements are.
    ///
    /// # Panics
    /// If `per_row` is 0, or a size does not fit an `i32`.
    pub fn rearranged(&self, runs: &[Range<usize>], per_row: usize) -> (Vec<u8>, Vec<Range<usize>>) {
        let num_rows = runs.iter().map(ExactSizeIterator::len).sum::<usize>() / per_row;
        let num_cols = if num_rows == 0 { 0 } else { self.num_cols * per_row };
        assert!(i32::try_from(num_rows.max(num_cols)).is_ok(), "a matrix of {num_rows} by {num_cols}");
        let mut head = Vec::with_capacity(15);
        Format::Binary.write_marker(&mut head);
        binary::write_header(&mut head, self.token, &[num_rows, num_cols]);
        let pieces = runs.iter().map(|run| self.start + run.start * self.length..self.start + run.end * self.length);
        (head, pieces.collect())
    }

    /// The elements of all rows in `bytes`, those in which the rows were found. `None` if they are not of single precision.
    ///
    /// # Panics
    /// If these are other bytes.
    pub fn single_elements<'a>(&self, bytes: &'a [u8]) -> Option<&'a [u8]> {
        (self.token == f32::MATRIX_TOKEN).then(|| self.elements(bytes))
    }

    fn elements<'a>(&self, bytes: &'a [u8]) -> &'a [u8] {
        &bytes[self.start..][..self.num_rows * self.length]
    }

    /// Decodes the rows in `bytes`, those in which the rows were found.
    ///
    /// # Panics
    /// If these are other bytes.
    pub fn decode(&self, bytes: &[u8]) -> Matrix<f32> {
        let mut elements = Vec::with_capacity(self.num_rows * self.num_cols);
        let width = self.length.checked_div(self.num_cols).unwrap_or_default();
        binary::decode(&mut elements, self.elements(bytes), width);
        Matrix::from_vec(self.num_rows, self.num_cols, elements)
    }

    /// Applies a transform to every row of `bytes`, those in which the rows were found, as [`Matrix::transformed`] does.
    ///
    /// # Errors
    /// If the transform has another number of columns.
    ///
    /// # Panics
    /// If these are other bytes.
    pub fn transformed(&self, bytes: &[u8], transform: &Matrix<f32>) -> Result<Matrix<f32>> {
        let Parts { mut out, linear: right, beta } = transform.parts(self.size())?;
        match self.single_elements(bytes).filter(|_| row_products::is_for_rows(&right)) {
            Some(rows) => row_products::multiply_rows(Rows::Bytes(rows), &right, beta, out.as_mut_slice()),
            None => f32::gemm(&Product { left: self.decode(bytes).factor(), right, beta }, out.as_mut_slice()),
        }
        Ok(out)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use kaldi_io::Encoded;
    use kaldi_value::Value;

    use super::*;

    fn matrix(num_rows: usize, values: &[f64]) -> Matrix<f64> {
        Matrix::from_vec(num_rows, values.len().checked_div(num_rows).unwrap_or(0), values.to_vec())
    }

    fn rearranged<T: Real>(matrix: &Matrix<T>, runs: &[Range<usize>], per_row: usize) -> Matrix<T> {
        let bytes = matrix.to_bytes(Format::Binary);
        let rows = BinaryRows::find::<T>(&bytes).unwrap();
        assert_eq!(rows.size(), matrix.size());
        let (head, pieces) = rows.rearranged(runs, per_row);
        let encoded = Encoded::of_pieces(head, Arc::new(bytes), pieces);
        Matrix::read(&mut Cursor::new(&encoded.slices().collect::<Vec<_>>().concat())).unwrap()
    }

    #[test]
    fn rows_may_come_in_any_order_and_number() {
        let original = matrix(3, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        assert_eq!(rearranged(&original, &[2..3, 0..2], 1), matrix(3, &[5.0, 6.0, 1.0, 2.0, 3.0, 4.0]));
        let single = original.to_precision::<f32>();
        let spliced = matrix(2, &[1.0, 2.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]).to_precision();
        assert_eq!(rearranged(&single, &[0..1, 0..3], 2), spliced);
    }

    #[test]
    fn rows_are_transformed_as_those_of_the_matrix() {
        for (num_cols, affine) in [(3, 0), (300, 0), (310, 1)] {
            let element = |at: usize| ((at * 7919) % 1009) as f64 / 504.0 - 1.0;
            let feats = matrix(20, &(0..20 * num_cols).map(element).collect::<Vec<_>>());
            let num_cols = num_cols + affine;
            let transform = matrix(7, &(0..7 * num_cols).map(element).collect::<Vec<_>>()).to_precision();
            let single = feats.to_precision::<f32>();
            let expected = single.transformed(&transform).unwrap();
            let (mut bytes, mut double) = (Vec::new(), Vec::new());
            single.write(&mut bytes, Format::Binary);
            feats.write(&mut double, Format::Binary);
            let of_bytes = BinaryRows::find::<f32>(&bytes).unwrap().transformed(&bytes, &transform).unwrap();
            let of_double = BinaryRows::find::<f64>(&double).unwrap().transformed(&double, &transform).unwrap();
            assert!(of_bytes == expected && of_double == expected, "{num_cols}");
            let (rows, narrow) = (BinaryRows::find::<f32>(&bytes).unwrap(), Matrix::new(1, 2));
            assert_eq!(rows.transformed(&bytes, &narrow), single.transformed(&narrow));
            assert!(rows.transformed(&bytes, &narrow).is_err());
        }
    }

    #[test]
    fn no_rows_are_an_empty_matrix() {
        assert!(rearranged(&matrix(1, &[1.0]), &[], 1).is_empty());
        assert!(rearranged(&matrix(0, &[]), &[], 3).is_empty());
    }

    #[test]
    fn only_binary_matrices_of_the_precision_have_such_rows() {
        let (mut binary, mut text) = (Vec::new(), Vec::new());
        matrix(1, &[1.0]).write(&mut binary, Format::Binary);
        matrix(1, &[1.0]).write(&mut text, Format::Text);
        assert_eq!(BinaryRows::find::<f64>(&text), None);
        assert_eq!(BinaryRows::find::<f32>(&binary), None);
        assert_eq!(BinaryRows::find::<f64>(&binary[..binary.len() - 1]), None);
        assert!(BinaryRows::find::<f64>(&binary).is_some());
    }
}
