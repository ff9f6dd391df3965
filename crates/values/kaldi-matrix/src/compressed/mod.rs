//! Lossily compressed matrices.
//!
//! There are three layouts, each after its token. The integers of the first are stored column after column and unevenly
//! spaced: each column has four levels, between which its bytes are interpolated. The integers of the others are stored
//! row after row and evenly spaced over the whole matrix.
//!
//! ```text
//! CM   min range rows cols   cols × (p0 p25 p75 p100, 16 bits each)   cols × rows bytes
//! CM2  min range rows cols   rows × cols 16-bit integers              min + range * integer / 65535
//! CM3  min range rows cols   rows × cols bytes                        min + range * byte / 255
//!
//! 00 42 43 4d 33 20 00 00 80 3f 00 00 00 40 01 00 00 00 02 00 00 00 00 ff   .BCM3 1.0 2.0 1 2  0 255
//! ^^^^^ marker      ^^^^^^^^^^^ min         ^^^^^^^^^^^ rows        ^^^^^ elements: 1.0 3.0
//!       ^^^^^^^^^^^ token       ^^^^^^^^^^^ range       ^^^^^^^^^^^ columns
//! ```
//!
//! `min` and `range` are 32-bit floats, the sizes 32-bit integers, without the size bytes that basic types have
//! elsewhere. In text form a compressed matrix is a matrix like others.

mod columns;
mod decompress;
mod encode;
mod method;
mod numbers;
mod part;
mod rows;
mod short_columns;
mod stored;

use std::ops::Range;

use kaldi_io::ParseError;
use kaldi_value::{Cursor, Format, Frame, Value};

use crate::{Matrix, Real, Result};

pub use method::CompressionMethod;
pub(crate) use part::part;
use stored::Header;
pub(crate) use stored::{Stored, frame};

/// A lossily compressed matrix, `num_rows × num_cols`, in the bytes of its file format.
///
/// A matrix that was compressed before is written as it was read, without a second loss. Follows Kaldi's
/// `CompressedMatrix`, byte for byte and bit for bit, except that a matrix without elements is written as a dense one
/// (`FM`): Kaldi writes four bytes more than its reader takes, which are then before the next key. Reading skips them.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CompressedMatrix {
    header: Header,
    payload: Vec<u8>,
}

impl CompressedMatrix {
    /// Compresses a matrix.
    ///
    /// NaN is replaced by other values, the same as by Kaldi on x86: the least one of the range, and in columns with
    /// four levels the third level.
    ///
    /// # Errors
    /// If the method spans the range from the least to the greatest value and one is infinite, or the very first is
    /// NaN, or they are too far apart. (Kaldi does not check for an infinite range, and the matrix that it writes is
    /// read as NaN.)
    pub fn compress(matrix: &Matrix<f32>, method: CompressionMethod) -> Result<Self> {
        Self::compress_rows(matrix.as_slice(), matrix.num_cols(), method)
    }

    /// Compresses a matrix whose rows of `num_cols` elements are one after the other, as [`CompressedMatrix::compress`] does.
    ///
    /// # Errors
    /// As for [`CompressedMatrix::compress`].
    ///
    /// # Panics
    /// If the last row is not whole.
    pub fn compress_rows(elements: &[f32], num_cols: usize, method: CompressionMethod) -> Result<Self> {
        assert!(elements.is_empty() || elements.len().is_multiple_of(num_cols), "rows of {num_cols} elements");
        let (header, payload) = encode::compress(elements, num_cols, method)?;
        Ok(Self { header, payload })
    }

    /// The number of rows; frames, in a matrix of features.
    pub fn num_rows(&self) -> usize {
        self.header.rows
    }

    /// The number of columns; the dimension, in a matrix of features.
    pub fn num_cols(&self) -> usize {
        self.header.cols
    }

    /// The numbers of rows and columns.
    pub fn size(&self) -> (usize, usize) {
        (self.header.rows, self.header.cols)
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.payload.is_empty()
    }

    /// Decompresses all of the matrix.
    pub fn to_matrix<T: Real>(&self) -> Matrix<T> {
        self.stored().to_matrix()
    }

    /// Decompresses only a rectangle.
    ///
    /// # Panics
    /// If it does not lie within the matrix.
    pub fn range<T: Real>(&self, rows: Range<usize>, cols: Range<usize>) -> Matrix<T> {
        self.stored().range(rows, cols)
    }

    /// Reads a compressed matrix that is part of a larger object: binary, without a marker of its own.
    ///
    /// # Errors
    /// If the bytes are no compressed matrix.
    pub fn read_part(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        let stored = Stored::read(cursor)?;
        Ok(Self { header: stored.header, payload: stored.payload.to_vec() })
    }

    /// Appends the matrix as part of a larger object: without a binary marker of its own.
    pub fn write_part(&self, out: &mut Vec<u8>, format: Format) {
        match format {
            Format::Binary if self.is_empty() => Matrix::<f32>::default().write_part(out, format),
            Format::Binary => self.stored().write_part(out),
            Format::Text => self.to_matrix::<f32>().write_part(out, format),
        }
    }

    fn stored(&self) -> Stored<'_> {
        Stored { header: self.header, payload: &self.payload }
    }
}

/// A compressed matrix in binary form, or a dense one in any form, which the automatic method then compresses as in
/// Kaldi's `CompressedMatrix::Read`.
impl Value for CompressedMatrix {
    const NAME: &'static str = "compressed matrix";

    fn frame(window: &[u8], at_end: bool) -> Result<Frame, ParseError> {
        match window {
            [0, b'B', b'C', ..] => stored::frame(window, at_end),
            _ => Matrix::<f32>::frame(window, at_end),
        }
    }

    fn read(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        let start = cursor.offset();
        let mut ahead = cursor.clone();
        if ahead.read_marker()? && ahead.peek() == Some(b'C') {
            let matrix = Self::read_part(&mut ahead)?;
            *cursor = ahead;
            return Ok(matrix);
        }
        let matrix = Matrix::<f32>::read(cursor)?;
        Self::compress(&matrix, CompressionMethod::Automatic).map_err(|error| ParseError::new(start, error.to_string()))
    }

    fn write(&self, out: &mut Vec<u8>, format: Format) {
        match format {
            Format::Binary if self.is_empty() => Matrix::<f32>::default().write(out, format),
            Format::Binary => self.stored().write(out),
            Format::Text => self.to_matrix::<f32>().write(out, format),
        }
    }

    fn is_canonical_binary(bytes: &[u8]) -> bool {
        stored::is_canonical(bytes)
    }
}

#[cfg(test)]
mod tests;
