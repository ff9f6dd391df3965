//! Dense matrices and vectors as table values.

use kaldi_io::{Encoded, ParseError};
use kaldi_value::{Cursor, Format, Frame, Part, Value};

use crate::binary::{self, Shape};
use crate::{Matrix, Real, Vector, compressed, dense, text};

type Result<T> = std::result::Result<T, ParseError>;

/// A matrix, binary (`FM`, `DM`, or compressed) or text; the precision is converted.
///
/// Follows Kaldi's `Matrix::Read` and `Matrix::Write`; in addition, it reads `+1`, `.5` and infinities with a sign in
/// text.
impl<T: Real> Value for Matrix<T> {
    const NAME: &'static str = "matrix";
    const HAS_FILE_RANGES: bool = true;

    fn frame(window: &[u8], at_end: bool) -> Result<Frame> {
        match window {
            [0, b'B', b'C', ..] => compressed::frame(window, at_end),
            [0, ..] => binary::frame(window, at_end, Shape::Matrix, T::MATRIX_TOKEN),
            _ => text::frame(window, at_end, Shape::Matrix),
        }
    }

    fn read(cursor: &mut Cursor<'_>) -> Result<Self> {
        cursor.read_marker()?;
        (T::dense().read_matrix)(cursor)
    }

    fn write(&self, out: &mut Vec<u8>, format: Format) {
        format.write_marker(out);
        self.write_part(out, format);
    }

    fn into_encoded(self, format: Format) -> Encoded {
        (T::dense().encode_matrix)(self, format)
    }

    fn read_range(cursor: &mut Cursor<'_>, range: &[u8]) -> Result<Self> {
        (T::dense().read_matrix_range)(cursor, range)
    }

    fn part(cursor: &mut Cursor<'_>, range: &[u8]) -> Result<Option<Part>> {
        dense::matrix_part(cursor, range, T::MATRIX_TOKEN)
    }

    fn is_canonical_binary(bytes: &[u8]) -> bool {
        Self::is_canonical_head(bytes, bytes.len() as u64)
    }

    fn is_canonical_head(head: &[u8], length: u64) -> bool {
        binary::is_canonical(head, length, Shape::Matrix, T::MATRIX_TOKEN)
    }
}

impl<T: Real> Matrix<T> {
    /// Reads a matrix that is part of a larger object, in the form that the cursor has found: no binary marker of its
    /// own. Infinities and NaN count for the warning of the object: no model works with them.
    ///
    /// # Errors
    /// If the bytes are no matrix.
    pub fn read_part(cursor: &mut Cursor<'_>) -> Result<Self> {
        let part = (T::dense().read_matrix)(cursor)?;
        (T::dense().count)(cursor, part.as_slice());
        Ok(part)
    }

    /// Consumes a binary matrix that is part of a larger object, compressed or not, without looking at its elements;
    /// returns the numbers of rows and columns.
    ///
    /// # Errors
    /// If the bytes are no matrix.
    pub fn skip_part(cursor: &mut Cursor<'_>) -> Result<(usize, usize)> {
        dense::skip_matrix(cursor, T::MATRIX_TOKEN)
    }

    /// Appends the matrix as part of a larger object: without a binary marker of its own.
    pub fn write_part(&self, out: &mut Vec<u8>, format: Format) {
        (T::dense().write_matrix)(self, out, format);
    }

    /// Reads the numbers of rows and columns of a matrix, or of the part that `range` names as in
    /// [`Value::read_range`]. The elements of a binary matrix are skipped.
    ///
    /// # Errors
    /// If the bytes are no matrix, or it does not have that range.
    pub fn read_size(cursor: &mut Cursor<'_>, range: Option<&[u8]>) -> Result<(usize, usize)> {
        (T::dense().read_size)(cursor, range)
    }
}

/// A vector, binary (`FV`, `DV`) or text on one line; the precision is converted.
///
/// Follows Kaldi's `Vector::Read` and `Vector::Write`; in addition, it reads `+1`, `.5` and infinities with a sign in
/// text.
impl<T: Real> Value for Vector<T> {
    const NAME: &'static str = "vector";

    fn frame(window: &[u8], at_end: bool) -> Result<Frame> {
        match window {
            [0, ..] => binary::frame(window, at_end, Shape::Vector, T::VECTOR_TOKEN),
            _ => text::frame(window, at_end, Shape::Vector),
        }
    }

    fn read(cursor: &mut Cursor<'_>) -> Result<Self> {
        cursor.read_marker()?;
        (T::dense().read_vector)(cursor)
    }

    fn write(&self, out: &mut Vec<u8>, format: Format) {
        format.write_marker(out);
        self.write_part(out, format);
    }

    fn read_range(cursor: &mut Cursor<'_>, range: &[u8]) -> Result<Self> {
        (T::dense().read_vector_range)(cursor, range)
    }

    fn part(cursor: &mut Cursor<'_>, range: &[u8]) -> Result<Option<Part>> {
        dense::vector_part(cursor, range, T::VECTOR_TOKEN)
    }

    fn is_canonical_binary(bytes: &[u8]) -> bool {
        Self::is_canonical_head(bytes, bytes.len() as u64)
    }

    fn is_canonical_head(head: &[u8], length: u64) -> bool {
        binary::is_canonical(head, length, Shape::Vector, T::VECTOR_TOKEN)
    }
}

impl<T: Real> Vector<T> {
    /// Reads the number of elements of a vector, or of the part that `range` names as in [`Value::read_range`]. The
    /// elements of a binary vector are skipped.
    ///
    /// # Errors
    /// If the bytes are no vector, or it does not have that range.
    pub fn read_dim(cursor: &mut Cursor<'_>, range: Option<&[u8]>) -> Result<usize> {
        (T::dense().read_dim)(cursor, range)
    }

    /// Reads a vector that is part of a larger object, in the form that the cursor has found: no binary marker of its
    /// own. Infinities and NaN count for the warning of the object.
    ///
    /// # Errors
    /// If the bytes are no vector.
    pub fn read_part(cursor: &mut Cursor<'_>) -> Result<Self> {
        let part = (T::dense().read_vector)(cursor)?;
        (T::dense().count)(cursor, part.as_slice());
        Ok(part)
    }

    /// Consumes a vector that is part of a larger object and that nobody needs: all numbers are good.
    ///
    /// # Errors
    /// If the bytes are no vector.
    pub fn skip_part(cursor: &mut Cursor<'_>) -> Result<()> {
        (T::dense().skip_vector)(cursor)
    }

    /// Consumes a binary vector that is part of a larger object without looking at its elements; returns their number.
    ///
    /// # Errors
    /// If the bytes are no vector.
    pub fn skip_binary_part(cursor: &mut Cursor<'_>) -> Result<usize> {
        dense::skip_vector(cursor, T::VECTOR_TOKEN)
    }

    /// Appends the vector as part of a larger object: without a binary marker of its own.
    pub fn write_part(&self, out: &mut Vec<u8>, format: Format) {
        (T::dense().write_vector)(self, out, format);
    }
}

#[cfg(test)]
mod tests;
