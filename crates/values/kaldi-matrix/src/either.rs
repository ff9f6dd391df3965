//! Matrices or vectors, for tables whose type shows in their bytes.

use kaldi_io::ParseError;
use kaldi_value::{Cursor, Format, Frame, Part, Value};
use memchr::memchr3;

use crate::{Matrix, Vector};

type Result<T> = std::result::Result<T, ParseError>;

/// A matrix or a vector, as its bytes say.
///
/// Binary values are distinguished by their token. In text, numbers between brackets on one line are a vector, as Kaldi
/// writes it; with a line end or `;` among them, or without any numbers, it is a matrix.
#[derive(Clone, Debug, PartialEq)]
pub enum MatrixOrVector {
    /// A matrix, which may have been compressed.
    Matrix(Matrix<f32>),
    /// A vector.
    Vector(Vector<f32>),
}

impl MatrixOrVector {
    /// Whether the value that starts with these bytes is a vector.
    pub fn is_vector(bytes: &[u8]) -> bool {
        if let [0, ..] = bytes {
            return matches!(bytes, [0, b'B', _, b'V', ..]);
        }
        let open = bytes.iter().position(|byte| !byte.is_ascii_whitespace());
        let Some([b'[', rest @ ..]) = open.map(|open| &bytes[open..]) else { return false };
        let Some(end) = memchr3(b']', b';', b'\n', rest) else { return false };
        rest[end] == b']' && !rest[..end].trim_ascii().is_empty()
    }
}

impl Value for MatrixOrVector {
    const NAME: &'static str = "matrix or vector";

    fn frame(window: &[u8], at_end: bool) -> Result<Frame> {
        match window {
            [0, b'B', _, b'V', ..] => Vector::<f32>::frame(window, at_end),
            // The text of a vector is also text of a matrix.
            _ => Matrix::<f32>::frame(window, at_end),
        }
    }

    fn read(cursor: &mut Cursor<'_>) -> Result<Self> {
        match Self::is_vector(cursor.rest()) {
            true => Vector::read(cursor).map(Self::Vector),
            false => Matrix::read(cursor).map(Self::Matrix),
        }
    }

    fn write(&self, out: &mut Vec<u8>, format: Format) {
        match self {
            Self::Matrix(matrix) => matrix.write(out, format),
            Self::Vector(vector) => vector.write(out, format),
        }
    }

    fn read_range(cursor: &mut Cursor<'_>, range: &[u8]) -> Result<Self> {
        match Self::is_vector(cursor.rest()) {
            true => Vector::read_range(cursor, range).map(Self::Vector),
            false => Matrix::read_range(cursor, range).map(Self::Matrix),
        }
    }

    fn part(cursor: &mut Cursor<'_>, range: &[u8]) -> Result<Option<Part>> {
        match Self::is_vector(cursor.rest()) {
            true => Vector::<f32>::part(cursor, range),
            false => Matrix::<f32>::part(cursor, range),
        }
    }

    fn is_canonical_binary(bytes: &[u8]) -> bool {
        match Self::is_vector(bytes) {
            true => Vector::<f32>::is_canonical_binary(bytes),
            false => Matrix::<f32>::is_canonical_binary(bytes),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(bytes: &[u8]) -> MatrixOrVector {
        let mut cursor = Cursor::new(bytes);
        let value = MatrixOrVector::read(&mut cursor).unwrap();
        assert_eq!(MatrixOrVector::frame(bytes, true), Ok(Frame::Whole(cursor.offset())), "{}", bytes.escape_ascii());
        value
    }

    #[test]
    fn every_value_comes_back_as_what_it_was() {
        let matrix = |rows| MatrixOrVector::Matrix(Matrix::from_vec(rows, 2, vec![0.5; 2 * rows]));
        let vector = MatrixOrVector::Vector(Vector::from_vec(vec![0.5, 1.0]));
        for value in [matrix(0), matrix(1), matrix(2), vector] {
            for format in [Format::Binary, Format::Text] {
                let bytes = value.to_bytes(format);
                assert_eq!(read(&bytes), value, "{}", bytes.escape_ascii());
                assert_eq!(MatrixOrVector::is_canonical_binary(&bytes), format == Format::Binary);
            }
        }
        let bytes = MatrixOrVector::Vector(Vector::default()).to_bytes(Format::Binary);
        assert!(MatrixOrVector::is_vector(&bytes));
    }

    #[test]
    fn text_on_one_line_is_a_vector() {
        for (text, is_vector) in [
            ("[ 1 2 ]\n", true),
            ("\n [ 1\t2]", true),
            ("[ 1 2 ; ]\n", false),
            ("[ 1 2 ; 3 4 ]\n", false),
            ("[\n 1 2 ]\n", false),
            ("[ 1 2\n]\n", false),
            ("[ ]\n", false),
            ("[]\n", false),
            ("", false),
            ("[ 1 2", false),
            ("1 2\n", false),
        ] {
            assert_eq!(MatrixOrVector::is_vector(text.as_bytes()), is_vector, "{text:?}");
        }
    }

    #[test]
    fn ranges_are_those_of_the_type() {
        let range = |text: &str, range: &[u8]| MatrixOrVector::read_range(&mut Cursor::new(text.as_bytes()), range);
        assert_eq!(range("[ 1 2 3 ]", b"1:2"), Ok(MatrixOrVector::Vector(Vector::from_vec(vec![2.0, 3.0]))));
        let matrix = MatrixOrVector::Matrix(Matrix::from_vec(1, 1, vec![3.0]));
        assert_eq!(range("[\n 1 2\n 3 4 ]", b"1:1,0:0"), Ok(matrix));
    }
}
