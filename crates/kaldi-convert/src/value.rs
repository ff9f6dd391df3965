//! Entries of tables as arrays, whatever their type.

use kaldi_io::{Cursor, Format, Frame, ParseError, Value};
use kaldi_matrix::{GeneralMatrix, Matrix, MatrixOrVector, Vector};

use crate::{Array, DType};

type Result<T> = std::result::Result<T, ParseError>;

/// Bytes before the elements of a binary matrix, and of a vector.
const MATRIX_HEADER: usize = 15;
const VECTOR_HEADER: usize = 10;

/// What the bytes at the begin of a value tell about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    /// A matrix in single precision, compressed or sparse.
    Matrix,
    /// A matrix in double precision.
    DoubleMatrix,
    Vector,
    DoubleVector,
    /// Integers, and in text other numbers too.
    Line,
}

impl Kind {
    fn of(window: &[u8]) -> Self {
        match window {
            [0, b'B', b'D', b'M', ..] => Self::DoubleMatrix,
            [0, b'B', b'D', b'V', ..] => Self::DoubleVector,
            [0, b'B', b'F', b'V', ..] => Self::Vector,
            [0, b'B', 4, ..] => Self::Line,
            [0, ..] => Self::Matrix,
            text if MatrixOrVector::is_vector(text) => Self::Vector,
            text => match text.trim_ascii_start() {
                [b'[' | b'r', ..] => Self::Matrix,
                _ => Self::Line,
            },
        }
    }
}

/// Matrices, vectors, integer vectors, and in text single numbers, which are vectors of one. In binary form, integers that
/// stand alone look like vectors of integers, and are not read.
impl Value for Array {
    const NAME: &'static str = "matrix, vector or integer vector";
    const HAS_FILE_RANGES: bool = true;

    fn frame(window: &[u8], at_end: bool) -> Result<Frame> {
        match Kind::of(window) {
            Kind::Line => Vec::<i32>::frame(window, at_end),
            Kind::Vector | Kind::DoubleVector if window[0] == 0 => Vector::<f32>::frame(window, at_end),
            _ => GeneralMatrix::frame(window, at_end),
        }
    }

    fn read(cursor: &mut Cursor<'_>) -> Result<Self> {
        Ok(match Kind::of(cursor.rest()) {
            Kind::Matrix => of_matrix(&GeneralMatrix::read(cursor)?.into_matrix()),
            Kind::DoubleMatrix => of_double_matrix(&Matrix::read(cursor)?),
            Kind::Vector => of_vector(&Vector::read(cursor)?),
            Kind::DoubleVector => of_double_vector(&Vector::read(cursor)?),
            Kind::Line => return read_line(cursor),
        })
    }

    fn write(&self, out: &mut Vec<u8>, format: Format) {
        // Tables are written as `to_record` makes it, where the type is known; this is the same for what it may be.
        let bytes = self.bytes();
        let values = bytes.chunks_exact(self.dtype.width());
        match (self.dtype, self.dims.len()) {
            (DType::Int32, _) => {
                let values = values.map(|bytes| i32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]));
                values.collect::<Vec<i32>>().write(out, format);
            }
            (_, 2) => {
                let (rows, columns) = self.size();
                let (wide, _) = self.to_float(DType::Float64);
                Matrix::from_vec(rows, columns, doubles(&wide.bytes())).write(out, format);
            }
            _ => Vector::from_vec(doubles(&self.to_float(DType::Float64).0.bytes())).write(out, format),
        }
    }

    fn read_range(cursor: &mut Cursor<'_>, range: &[u8]) -> Result<Self> {
        Ok(match Kind::of(cursor.rest()) {
            Kind::Matrix => of_matrix(&GeneralMatrix::read_range(cursor, range)?.into_matrix()),
            Kind::DoubleMatrix => of_double_matrix(&Matrix::read_range(cursor, range)?),
            Kind::Vector => of_vector(&Vector::read_range(cursor, range)?),
            Kind::DoubleVector => of_double_vector(&Vector::read_range(cursor, range)?),
            Kind::Line => {
                let values = Vec::<i32>::read_range(cursor, range)?;
                Array::from_i32(&[values.len()], &values)
            }
        })
    }
}

impl Array {
    /// The array of a value that is in single or double precision and binary: its bytes are not looked at but for their
    /// header. Nothing for other values, which have to be read.
    pub(crate) fn of_encoded(bytes: &[u8]) -> Option<(DType, Vec<usize>, usize)> {
        let size = |at: usize| {
            let bytes = bytes.get(at..at + 5)?.strip_prefix(&[4])?;
            usize::try_from(i32::from_le_bytes(bytes.try_into().ok()?)).ok()
        };
        let dtype = match bytes {
            [0, b'B', b'F', ..] => DType::Float32,
            [0, b'B', b'D', ..] => DType::Float64,
            _ => return None,
        };
        let (dims, header) = match bytes.get(3..5)? {
            b"M " => (vec![size(5)?, size(10)?], MATRIX_HEADER),
            b"V " => (vec![size(5)?], VECTOR_HEADER),
            _ => return None,
        };
        let length = dims.iter().try_fold(dtype.width(), |product, &dim| product.checked_mul(dim))?;
        (bytes.len() == header + length).then_some((dtype, dims, header))
    }
}

fn doubles(bytes: &[u8]) -> Vec<f64> {
    bytes.as_chunks().0.iter().map(|&bytes| f64::from_le_bytes(bytes)).collect()
}

fn of_matrix(matrix: &Matrix<f32>) -> Array {
    Array::from_f32(&[matrix.num_rows(), matrix.num_cols()], matrix.as_slice())
}

fn of_double_matrix(matrix: &Matrix<f64>) -> Array {
    Array::from_f64(&[matrix.num_rows(), matrix.num_cols()], matrix.as_slice())
}

fn of_vector(vector: &Vector<f32>) -> Array {
    Array::from_f32(&[vector.dim()], vector.as_slice())
}

fn of_double_vector(vector: &Vector<f64>) -> Array {
    Array::from_f64(&[vector.dim()], vector.as_slice())
}

/// Reads integers, or the one number with a fraction that stands on a line of text.
fn read_line(cursor: &mut Cursor<'_>) -> Result<Array> {
    let mut number = cursor.clone();
    let error = match Vec::<i32>::read(cursor) {
        Ok(values) => return Ok(Array::from_i32(&[values.len()], &values)),
        Err(error) => error,
    };
    match f32::read(&mut number) {
        Ok(value) => {
            *cursor = number;
            Ok(Array::from_f32(&[1], &[value]))
        }
        Err(_) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> Array {
        let mut cursor = Cursor::new(bytes);
        let array = Array::read(&mut cursor).unwrap();
        assert_eq!(Array::frame(bytes, true), Ok(Frame::Whole(cursor.offset())), "{}", bytes.escape_ascii());
        array
    }

    fn written<T: Value>(value: &T) -> Vec<u8> {
        let mut bytes = Vec::new();
        value.write(&mut bytes, Format::Binary);
        bytes
    }

    #[test]
    fn every_type_is_known_by_its_bytes() {
        let matrix = Matrix::from_vec(1, 2, vec![0.5_f32, 1.5]);
        let double = Matrix::from_vec(2, 1, vec![0.5, 1.5]);
        for (bytes, dtype, dims) in [
            (written(&matrix), DType::Float32, vec![1, 2]),
            (written(&double), DType::Float64, vec![2, 1]),
            (written(&Vector::from_vec(vec![1.0_f32; 3])), DType::Float32, vec![3]),
            (written(&Vector::from_vec(vec![1.0_f64; 3])), DType::Float64, vec![3]),
            (written(&vec![1, 2]), DType::Int32, vec![2]),
            (b" [\n 1 2\n 3 4 ]\n".to_vec(), DType::Float32, vec![2, 2]),
            (b" [ 1 2 3 ]\n".to_vec(), DType::Float32, vec![3]),
            (b"rows=1 dim=2 [ 1 0.5 ] \n".to_vec(), DType::Float32, vec![1, 2]),
            (b"1 2 3\n".to_vec(), DType::Int32, vec![3]),
            (b"0.5\n".to_vec(), DType::Float32, vec![1]),
            (b"\n".to_vec(), DType::Int32, vec![0]),
        ] {
            let array = read(&bytes);
            assert_eq!((array.dtype(), array.dims()), (dtype, &dims[..]), "{}", bytes.escape_ascii());
            if let Some((dtype, dims, header)) = Array::of_encoded(&bytes) {
                assert_eq!((dtype, &dims[..], &bytes[header..]), (array.dtype, array.dims(), &array.bytes()[..]));
            }
            let again = read(&written(&array));
            assert_eq!(again.dims(), array.dims(), "{}", bytes.escape_ascii());
        }
    }

    #[test]
    fn what_is_no_number_is_refused() {
        for text in ["a b\n", "1 2 x\n", "0.5 1.5\n", "[ a ]\n"] {
            assert!(Array::read(&mut Cursor::new(text.as_bytes())).is_err(), "{text:?}");
        }
        assert!(Array::of_encoded(b"\0BFM \x04\x01\0\0\0\x04\x01\0\0\0").is_none());
    }

    #[test]
    fn a_range_is_cut_out() {
        let array = Array::read_range(&mut Cursor::new(b" [\n 1 2\n 3 4 ]\n"), b"1:1,0:0").unwrap();
        assert_eq!((array.dims(), array.bytes()), (&[1, 1][..], 3.0_f32.to_le_bytes().to_vec()));
    }
}
