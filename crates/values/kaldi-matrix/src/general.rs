//! Matrices of any kind.

use kaldi_io::ParseError;
use kaldi_value::{Cursor, Format, Frame, Part, Value};

use crate::{CompressedMatrix, Matrix, MatrixRange, Result, SparseMatrix};

/// A dense, compressed or sparse matrix, as it was stored, so that a matrix that is only passed on keeps its kind.
///
/// A matrix without rows is a dense one, in whatever form it was stored. Follows Kaldi's `GeneralMatrix`.
#[derive(Clone, Debug, PartialEq)]
pub enum GeneralMatrix {
    /// All elements.
    Dense(Matrix<f32>),
    /// All elements, with some loss.
    Compressed(CompressedMatrix),
    /// The elements that are not zero.
    Sparse(SparseMatrix<f32>),
}

impl GeneralMatrix {
    /// The number of rows.
    #[doc(alias = "nrows")]
    pub fn num_rows(&self) -> usize {
        self.size().0
    }

    /// The number of columns.
    #[doc(alias = "ncols")]
    pub fn num_cols(&self) -> usize {
        self.size().1
    }

    /// The numbers of rows and columns.
    pub fn size(&self) -> (usize, usize) {
        match self {
            Self::Dense(matrix) => matrix.size(),
            Self::Compressed(matrix) => matrix.size(),
            Self::Sparse(matrix) => matrix.size(),
        }
    }

    /// Converts it to a dense matrix: decompressed, or with all of its zeros.
    ///
    /// # Errors
    /// If a sparse one has too many zeros.
    pub fn into_matrix(self) -> Result<Matrix<f32>> {
        match self {
            Self::Dense(matrix) => Ok(matrix),
            Self::Compressed(matrix) => Ok(matrix.to_matrix()),
            Self::Sparse(matrix) => matrix.to_matrix(),
        }
    }

    /// Whether the value that starts with these bytes is a sparse matrix.
    pub fn is_sparse(bytes: &[u8]) -> bool {
        matches!(MatrixForm::of(bytes), MatrixForm::Sparse)
    }

    /// Reads the numbers of rows and columns of a matrix, or of the part that `range` names. No zeros are added to a sparse one.
    ///
    /// # Errors
    /// If the bytes are no matrix, or it does not have that range.
    pub fn read_size(cursor: &mut Cursor<'_>, range: Option<&[u8]>) -> Result<(usize, usize), ParseError> {
        if !Self::is_sparse(cursor.rest()) {
            return Matrix::<f32>::read_size(cursor, range);
        }
        let start = cursor.offset();
        let size = SparseMatrix::<f32>::read(cursor)?.size();
        let Some(range) = range else { return Ok(size) };
        let MatrixRange { rows, cols, .. } = MatrixRange::place(cursor, start, range, size)?;
        Ok((rows.len(), cols.len()))
    }
}

impl From<Matrix<f32>> for GeneralMatrix {
    fn from(matrix: Matrix<f32>) -> Self {
        Self::Dense(matrix)
    }
}

impl From<CompressedMatrix> for GeneralMatrix {
    fn from(matrix: CompressedMatrix) -> Self {
        if matrix.is_empty() { Self::Dense(Matrix::default()) } else { Self::Compressed(matrix) }
    }
}

impl From<SparseMatrix<f32>> for GeneralMatrix {
    fn from(matrix: SparseMatrix<f32>) -> Self {
        if matrix.num_rows() == 0 { Self::Dense(Matrix::default()) } else { Self::Sparse(matrix) }
    }
}

/// The kinds of matrices, distinguished by their first bytes.
enum MatrixForm {
    Dense,
    Compressed,
    Sparse,
}

impl MatrixForm {
    fn of(bytes: &[u8]) -> Self {
        match bytes {
            [0, b'B', b'C', ..] => Self::Compressed,
            [0, b'B', b'S', ..] => Self::Sparse,
            _ if bytes.trim_ascii_start().starts_with(b"r") => Self::Sparse,
            _ => Self::Dense,
        }
    }
}

/// The binary or text form of any kind of matrix; a part of one (`[0:9]`) is dense.
impl Value for GeneralMatrix {
    const NAME: &'static str = "general matrix";

    fn frame(window: &[u8], at_end: bool) -> Result<Frame, ParseError> {
        match MatrixForm::of(window) {
            MatrixForm::Dense => Matrix::<f32>::frame(window, at_end),
            MatrixForm::Compressed => CompressedMatrix::frame(window, at_end),
            MatrixForm::Sparse => SparseMatrix::<f32>::frame(window, at_end),
        }
    }

    fn read(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        Ok(match MatrixForm::of(cursor.rest()) {
            MatrixForm::Dense => Matrix::read(cursor)?.into(),
            MatrixForm::Compressed => CompressedMatrix::read(cursor)?.into(),
            MatrixForm::Sparse => SparseMatrix::read(cursor)?.into(),
        })
    }

    fn write(&self, out: &mut Vec<u8>, format: Format) {
        match self {
            Self::Compressed(matrix) if !matrix.is_empty() => matrix.write(out, format),
            Self::Sparse(matrix) if matrix.num_rows() > 0 => matrix.write(out, format),
            Self::Dense(matrix) => matrix.write(out, format),
            Self::Compressed(_) | Self::Sparse(_) => Matrix::<f32>::default().write(out, format),
        }
    }

    fn read_range(cursor: &mut Cursor<'_>, range: &[u8]) -> Result<Self, ParseError> {
        if !matches!(MatrixForm::of(cursor.rest()), MatrixForm::Sparse) {
            return Matrix::read_range(cursor, range).map(Self::Dense);
        }
        let start = cursor.offset();
        let matrix = SparseMatrix::<f32>::read(cursor)?;
        let MatrixRange { rows, cols, .. } = MatrixRange::place(cursor, start, range, matrix.size())?;
        matrix.range(rows, cols).map(Self::Dense).map_err(|error| cursor.error(error.to_string()))
    }

    fn part(cursor: &mut Cursor<'_>, range: &[u8]) -> Result<Option<Part>, ParseError> {
        match MatrixForm::of(cursor.rest()) {
            MatrixForm::Dense | MatrixForm::Compressed => Matrix::<f32>::part(cursor, range),
            MatrixForm::Sparse => Ok(None),
        }
    }

    fn is_canonical_binary(bytes: &[u8]) -> bool {
        // A matrix without rows becomes dense.
        match MatrixForm::of(bytes) {
            MatrixForm::Dense => Matrix::<f32>::is_canonical_binary(bytes),
            MatrixForm::Compressed => CompressedMatrix::is_canonical_binary(bytes),
            MatrixForm::Sparse => bytes != b"\0BSM \x04\0\0\0\0" && SparseMatrix::<f32>::is_canonical_binary(bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::CompressionMethod;
    use crate::contract::keeps_the_contract;

    fn dense() -> Matrix<f32> {
        Matrix::from_vec(2, 3, vec![0.0, 0.5, 0.0, 2.0, 0.0, 0.0])
    }

    fn compressed() -> CompressedMatrix {
        CompressedMatrix::compress(&dense(), CompressionMethod::TwoByteAuto).unwrap()
    }

    fn sparse() -> SparseMatrix<f32> {
        let mut matrix = SparseMatrix::new(3);
        matrix.push_row(&[(1, 0.5)]).unwrap();
        matrix.push_row(&[(0, 2.0)]).unwrap();
        matrix
    }

    #[test]
    fn every_kind_is_passed_on_as_it_is() {
        keeps_the_contract::<GeneralMatrix>([
            dense().into(),
            compressed().into(),
            sparse().into(),
            Matrix::default().into(),
        ]);
        for (value, token) in
            [(GeneralMatrix::from(dense()), b'F'), (compressed().into(), b'C'), (sparse().into(), b'S')]
        {
            let bytes = value.to_bytes(Format::Binary);
            assert_eq!(bytes[2], token);
            assert_eq!(GeneralMatrix::read(&mut Cursor::new(&bytes)), Ok(value.clone()));
            assert_eq!(value.size(), (2, 3));
            assert_eq!(GeneralMatrix::read_size(&mut Cursor::new(&bytes), None), Ok((2, 3)));
            assert_eq!(GeneralMatrix::read_size(&mut Cursor::new(&bytes), Some(b"1:1,0:1")), Ok((1, 2)));
            assert_eq!(value.into_matrix().unwrap().size(), (2, 3));
        }
    }

    #[test]
    fn text_tells_sparse_from_dense_and_has_no_compressed() {
        let again = |value: GeneralMatrix| {
            let bytes = value.to_bytes(Format::Text);
            GeneralMatrix::read(&mut Cursor::new(&[b" \n", bytes.as_slice()].concat())).unwrap()
        };
        assert_eq!(again(dense().into()), dense().into());
        assert_eq!(again(sparse().into()), sparse().into());
        assert!(matches!(again(compressed().into()), GeneralMatrix::Dense(matrix) if matrix.size() == (2, 3)));
    }

    #[test]
    fn a_matrix_without_rows_is_dense() {
        let empty = GeneralMatrix::from(Matrix::default());
        assert_eq!(GeneralMatrix::from(CompressedMatrix::default()), empty);
        assert_eq!(GeneralMatrix::from(SparseMatrix::new(5)), empty);
        let kaldi = [b"\0BCM ".as_slice(), &[0; 20]].concat();
        for bytes in [kaldi, SparseMatrix::<f32>::new(5).to_bytes(Format::Binary)] {
            assert!(!GeneralMatrix::is_canonical_binary(&bytes));
            assert_eq!(GeneralMatrix::read(&mut Cursor::new(&bytes)), Ok(empty.clone()));
        }
        let bytes = empty.to_bytes(Format::Binary);
        for value in
            [GeneralMatrix::Compressed(CompressedMatrix::default()), GeneralMatrix::Sparse(SparseMatrix::new(5))]
        {
            assert_eq!(value.to_bytes(Format::Binary), bytes);
        }
    }

    #[test]
    fn a_part_of_any_kind_is_dense() {
        for value in [GeneralMatrix::from(dense()), compressed().into(), sparse().into()] {
            for format in [Format::Binary, Format::Text] {
                let bytes = value.to_bytes(format);
                let part = |range: &[u8]| GeneralMatrix::read_range(&mut Cursor::new(&bytes), range);
                let GeneralMatrix::Dense(matrix) = part(b"0:3,1:2").unwrap() else { panic!("{value:?}") };
                assert_eq!(matrix.size(), (2, 2));
                assert!((matrix.row(0)[0] - 0.5).abs() < 1e-4 && matrix.row(1)[0].abs() < 1e-4, "{matrix:?}");
                let error = part(b"0:1,1:3").unwrap_err();
                assert_eq!(error.to_string(), "range [0:1,1:3] is not within a matrix of 2 by 3");
            }
        }
    }
}
