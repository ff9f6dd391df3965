//! The matrices of examples.

use bstr::{BStr, BString};
use kaldi_io::ParseError;
use kaldi_matrix::{CompressedMatrix, CompressionMethod, GeneralMatrix, Matrix};
use kaldi_value::{Cursor, Format};

use crate::{Error, Result, SparseRows};

/// A matrix of an example, as it was stored: full, compressed or sparse (Kaldi's `GeneralMatrix`).
///
/// A matrix without rows is a full one.
#[derive(Clone, Debug, PartialEq)]
pub enum IoMatrix {
    /// All elements.
    Full(Matrix<f32>),
    /// All elements, with some loss.
    Compressed(CompressedMatrix),
    /// The elements that are not zero.
    Sparse(SparseRows),
}

impl Default for IoMatrix {
    fn default() -> Self {
        Self::Full(Matrix::default())
    }
}

impl From<GeneralMatrix> for IoMatrix {
    fn from(matrix: GeneralMatrix) -> Self {
        match matrix {
            GeneralMatrix::Dense(matrix) => Self::Full(matrix),
            GeneralMatrix::Compressed(matrix) => Self::Compressed(matrix),
            GeneralMatrix::Sparse(matrix) => Self::Sparse(SparseRows::from(&matrix)),
        }
        .or_empty()
    }
}

impl IoMatrix {
    /// The number of rows.
    pub fn num_rows(&self) -> usize {
        match self {
            Self::Full(matrix) => matrix.num_rows(),
            Self::Compressed(matrix) => matrix.num_rows(),
            Self::Sparse(rows) => rows.num_rows(),
        }
    }

    /// The number of columns; the dimension of the first row of a sparse matrix.
    pub fn num_cols(&self) -> usize {
        match self {
            Self::Full(matrix) => matrix.num_cols(),
            Self::Compressed(matrix) => matrix.num_cols(),
            Self::Sparse(rows) => rows.num_cols(),
        }
    }

    /// How it is stored, as a word: `full`, `compressed`, `sparse`.
    pub fn stored(&self) -> &'static str {
        match self {
            Self::Full(_) => "full",
            Self::Compressed(_) => "compressed",
            Self::Sparse(_) => "sparse",
        }
    }

    /// A matrix without rows becomes a full one.
    fn or_empty(self) -> Self {
        if self.num_rows() == 0 { Self::default() } else { self }
    }

    /// Converts to a matrix with all elements.
    ///
    /// # Errors
    /// If rows of a sparse one do not make a matrix.
    pub fn to_matrix(&self) -> Result<Matrix<f32>> {
        match self {
            Self::Full(matrix) => Ok(matrix.clone()),
            Self::Compressed(matrix) => Ok(matrix.to_matrix()),
            Self::Sparse(rows) => rows.to_matrix(),
        }
    }

    /// Multiplies all elements by a number. Of a compressed matrix, only the header changes.
    pub fn scale(&mut self, factor: f32) {
        match self {
            Self::Full(matrix) => matrix.as_mut_slice().iter_mut().for_each(|value| *value *= factor),
            Self::Compressed(matrix) => matrix.scale(factor),
            Self::Sparse(rows) => rows.scale(factor),
        }
    }

    /// Compresses a full matrix; others stay as they are.
    ///
    /// # Errors
    /// If elements are infinite, or too far apart.
    pub fn compressed(self) -> Result<Self> {
        match self {
            Self::Full(matrix) if !matrix.is_empty() => {
                Ok(Self::Compressed(CompressedMatrix::compress(&matrix, CompressionMethod::Automatic)?))
            }
            other => Ok(other),
        }
    }

    /// Keeps the rows for which `keep` is true. If that is not all of them, a compressed matrix becomes a full one.
    ///
    /// # Panics
    /// If `keep` does not have as many values as there are rows.
    #[must_use]
    pub fn kept_rows(&self, keep: &[bool]) -> Self {
        assert_eq!(keep.len(), self.num_rows(), "a value for each row");
        if keep.iter().all(|&keep| keep) {
            return self.clone();
        }
        let places = || keep.iter().enumerate().filter(|&(_, &keep)| keep).map(|(row, _)| row);
        match self {
            Self::Full(matrix) => Self::Full(select(matrix, places())),
            Self::Compressed(matrix) => Self::Full(matrix.kept_rows(keep)),
            Self::Sparse(rows) => Self::Sparse(rows.selected(places())),
        }
        .or_empty()
    }

    /// Copies `num_rows` rows from `first` on, without decompressing them; a row before the first or after the last is a
    /// copy of that one. See [`CompressedMatrix::rows_padded`].
    ///
    /// # Errors
    /// If rows that have to be compressed anew cannot be.
    pub fn rows_padded(&self, first: i64, num_rows: usize) -> Result<Self> {
        let rows = self.num_rows();
        if rows == 0 || num_rows == 0 {
            return Ok(Self::default());
        }
        let places = (0..num_rows).map(|row| first.saturating_add(row as i64).clamp(0, rows as i64 - 1) as usize);
        Ok(match self {
            Self::Full(matrix) => Self::Full(select(matrix, places)),
            Self::Compressed(matrix) => Self::Compressed(matrix.rows_padded(first, num_rows)?),
            Self::Sparse(rows) => Self::Sparse(rows.selected(places)),
        })
    }

    /// Puts the rows of matrices one after the other: sparse ones stay sparse if all are; otherwise all become one full
    /// matrix. `name` is for errors.
    ///
    /// # Errors
    /// If they have different numbers of columns.
    pub fn joined(matrices: &[&Self], name: &BStr) -> Result<Self> {
        let filled = || matrices.iter().filter(|matrix| matrix.num_rows() > 0);
        if filled().all(|matrix| matches!(matrix, Self::Sparse(_))) {
            let mut joined = SparseRows::default();
            for matrix in filled() {
                if let Self::Sparse(rows) = matrix {
                    joined.append(rows);
                }
            }
            if let Some(got) = joined.odd_dim() {
                return Err(columns(name, joined.num_cols(), i64::from(got)));
            }
            return Ok(Self::Sparse(joined).or_empty());
        }
        let (mut data, mut num_rows, mut num_cols) = (Vec::new(), 0, None);
        for matrix in filled() {
            let expected = *num_cols.get_or_insert(matrix.num_cols());
            if matrix.num_cols() != expected {
                return Err(columns(name, expected, matrix.num_cols() as i64));
            }
            num_rows += matrix.num_rows();
            match matrix {
                Self::Full(matrix) => data.extend_from_slice(matrix.as_slice()),
                other => data.extend_from_slice(other.to_matrix()?.as_slice()),
            }
        }
        Ok(Self::Full(Matrix::from_vec(num_rows, num_cols.unwrap_or(0), data)))
    }

    /// Reads a matrix within an example, in the form that the cursor has found; in text, the cursor is at its first byte.
    pub(crate) fn read(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        Ok(match (cursor.is_binary(), cursor.peek()) {
            (true, Some(b'C')) => Self::Compressed(CompressedMatrix::read_part(cursor)?),
            (true, Some(b'S')) | (false, Some(b'r')) => Self::Sparse(SparseRows::read(cursor)?),
            _ => Self::Full(Matrix::read_part(cursor)?),
        }
        .or_empty())
    }

    /// Appends the matrix without a marker.
    pub(crate) fn write(&self, out: &mut Vec<u8>, format: Format) {
        match self {
            Self::Full(matrix) => matrix.write_part(out, format),
            Self::Compressed(matrix) => matrix.write_part(out, format),
            Self::Sparse(rows) if rows.num_rows() > 0 => rows.write(out, format),
            Self::Sparse(_) => Matrix::<f32>::default().write_part(out, format),
        }
    }
}

fn columns(name: &BStr, expected: usize, got: i64) -> Error {
    Error::Columns { name: BString::from(name), expected: expected as i64, got }
}

/// Copies rows of a matrix.
fn select(matrix: &Matrix<f32>, rows: impl Iterator<Item = usize>) -> Matrix<f32> {
    let mut data = Vec::with_capacity(rows.size_hint().0 * matrix.num_cols());
    rows.for_each(|row| data.extend_from_slice(matrix.row(row)));
    match data.len() {
        0 => Matrix::default(),
        length => Matrix::from_vec(length / matrix.num_cols(), matrix.num_cols(), data),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn full(rows: usize) -> IoMatrix {
        IoMatrix::Full(Matrix::from_vec(rows, 2, (0..2 * rows).map(|number| number as f32).collect()))
    }

    fn sparse(dim: i32, labels: &[i32]) -> IoMatrix {
        let mut rows = SparseRows::default();
        labels.iter().for_each(|&label| rows.push_labels(dim, &[(label, 1.0)]).unwrap());
        IoMatrix::Sparse(rows)
    }

    #[test]
    fn all_rows_keep_their_kind_and_some_become_full() {
        let compressed = full(9).compressed().unwrap();
        assert_eq!(compressed.kept_rows(&[true; 9]), compressed);
        let mut keep = [true; 9];
        keep[0] = false;
        assert_eq!(compressed.kept_rows(&keep).stored(), "full");
        assert_eq!(sparse(5, &[1, 2]).kept_rows(&[false, true]), sparse(5, &[2]));
        assert_eq!(full(2).kept_rows(&[false, false]), IoMatrix::default());
    }

    #[test]
    fn sparse_ones_stay_sparse_only_together() {
        let name = BStr::new("o");
        assert_eq!(IoMatrix::joined(&[&sparse(2, &[0]), &sparse(2, &[1])], name).unwrap(), sparse(2, &[0, 1]));
        let both = IoMatrix::joined(&[&sparse(2, &[1]), &full(1)], name).unwrap();
        assert_eq!(both, IoMatrix::Full(Matrix::from_vec(2, 2, vec![0.0, 1.0, 0.0, 1.0])));
        let error = IoMatrix::joined(&[&sparse(2, &[0]), &sparse(3, &[1])], name).unwrap_err();
        assert_eq!(error.to_string(), "expected rows of 2 columns in \"o\", got 3");
        assert_eq!(IoMatrix::joined(&[&IoMatrix::default()], name).unwrap(), IoMatrix::default());
    }

    #[test]
    fn rows_outside_repeat_the_first_and_the_last() {
        let rows = full(2).rows_padded(-1, 4).unwrap();
        assert_eq!(rows.to_matrix().unwrap().column(0).as_slice(), [0.0, 0.0, 2.0, 2.0]);
        assert_eq!(sparse(4, &[1, 3]).rows_padded(1, 2).unwrap(), sparse(4, &[3, 3]));
    }
}
