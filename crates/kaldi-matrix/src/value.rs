//! Dense matrices and vectors as table values.

use kaldi_io::{Encoded, ParseError};
use kaldi_values::{Cursor, Format, Frame, Part, Value};

use crate::binary::{self, Header, Shape};
use crate::compressed::{self, Stored};
use crate::real::encode_elements;
use crate::{Matrix, MatrixRange, Real, Vector, VectorRange, text};

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
        Self::read_elements(cursor)
    }

    fn write(&self, out: &mut Vec<u8>, format: Format) {
        format.write_marker(out);
        self.write_part(out, format);
    }

    fn into_encoded(self, format: Format) -> Encoded {
        let mut head = Vec::new();
        match format {
            Format::Binary => {
                Format::Binary.write_marker(&mut head);
                binary::write_header(&mut head, T::MATRIX_TOKEN, &[self.num_rows(), self.num_cols()]);
                encode_elements(head, self.into_vec())
            }
            Format::Text => {
                text::write_matrix(&mut head, self.rows());
                head.into()
            }
        }
    }

    fn read_range(cursor: &mut Cursor<'_>, range: &[u8]) -> Result<Self> {
        let start = cursor.offset();
        if !cursor.read_marker()? {
            let (num_rows, num_cols, data) = text::read_matrix(cursor)?;
            let MatrixRange { rows, cols, .. } = MatrixRange::place(cursor, start, range, (num_rows, num_cols))?;
            return Ok(Self::from_vec(num_rows, num_cols, data).range(rows, cols));
        }
        if cursor.peek() == Some(b'C') {
            let stored = Stored::read(cursor)?;
            let MatrixRange { rows, cols, .. } = MatrixRange::place(cursor, start, range, stored.size())?;
            return Ok(stored.range(rows, cols));
        }
        let header = Header::read(cursor, Shape::Matrix, T::MATRIX_TOKEN)?;
        let bytes = header.take_payload(cursor)?;
        let MatrixRange { rows, cols, .. } = MatrixRange::place(cursor, start, range, (header.rows, header.cols))?;
        let (num_rows, num_cols) = (rows.len(), cols.len());
        Ok(Self::from_vec(num_rows, num_cols, binary::decode_range(bytes, header, rows, cols)))
    }

    fn part(cursor: &mut Cursor<'_>, range: &[u8]) -> Result<Option<Part>> {
        let start = cursor.offset();
        if !cursor.read_marker()? {
            return Ok(None);
        }
        if cursor.peek() == Some(b'C') {
            return compressed::part(cursor, start, range);
        }
        let header = Header::read(cursor, Shape::Matrix, T::MATRIX_TOKEN)?;
        header.check_payload(cursor.offset())?;
        let MatrixRange { rows, cols, .. } = MatrixRange::place(cursor, start, range, (header.rows, header.cols))?;
        Ok(Some(binary::matrix_part(header, cursor.offset() - start, rows, cols)))
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
        let part = Self::read_elements(cursor)?;
        if cursor.is_binary() {
            cursor.count_numbers(text::count_odd(part.as_slice()), part.as_slice().len());
        }
        Ok(part)
    }

    /// Features may have any number in binary form, where looking for NaN takes time.
    fn read_elements(cursor: &mut Cursor<'_>) -> Result<Self> {
        if !cursor.is_binary() {
            let (num_rows, num_cols, data) = text::read_matrix(cursor)?;
            return Ok(Self::from_vec(num_rows, num_cols, data));
        }
        if cursor.peek() == Some(b'C') {
            return Ok(Stored::read(cursor)?.to_matrix());
        }
        let header = Header::read(cursor, Shape::Matrix, T::MATRIX_TOKEN)?;
        let bytes = header.take_payload(cursor)?;
        let data = binary::decode_range(bytes, header, 0..header.rows, 0..header.cols);
        Ok(Self::from_vec(header.rows, header.cols, data))
    }

    /// Consumes a binary matrix that is part of a larger object, compressed or not, without looking at its elements;
    /// returns the numbers of rows and columns.
    ///
    /// # Errors
    /// If the bytes are no matrix.
    pub fn skip_part(cursor: &mut Cursor<'_>) -> Result<(usize, usize)> {
        if cursor.peek() == Some(b'C') {
            return Stored::skip(cursor);
        }
        let header = Header::read(cursor, Shape::Matrix, T::MATRIX_TOKEN)?;
        header.skip_payload(cursor)?;
        Ok((header.rows, header.cols))
    }

    /// Appends the matrix as part of a larger object: without a binary marker of its own.
    pub fn write_part(&self, out: &mut Vec<u8>, format: Format) {
        match format {
            Format::Binary => {
                let sizes = [self.num_rows(), self.num_cols()];
                binary::write(out, T::MATRIX_TOKEN, &sizes, self.as_slice());
            }
            Format::Text => text::write_matrix(out, self.rows()),
        }
    }

    /// Reads the numbers of rows and columns of a matrix, or of the part that `range` names as in
    /// [`Value::read_range`]. The elements of a binary matrix are skipped.
    ///
    /// # Errors
    /// If the bytes are no matrix, or it does not have that range.
    pub fn read_size(cursor: &mut Cursor<'_>, range: Option<&[u8]>) -> Result<(usize, usize)> {
        let start = cursor.offset();
        let size = if !cursor.read_marker()? {
            let (num_rows, num_cols, _) = text::read_matrix::<T>(cursor)?;
            (num_rows, num_cols)
        } else {
            Self::skip_part(cursor)?
        };
        let Some(range) = range else { return Ok(size) };
        let MatrixRange { rows, cols, .. } = MatrixRange::place(cursor, start, range, size)?;
        Ok((rows.len(), cols.len()))
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
        Self::read_elements(cursor)
    }

    fn write(&self, out: &mut Vec<u8>, format: Format) {
        format.write_marker(out);
        self.write_part(out, format);
    }

    fn read_range(cursor: &mut Cursor<'_>, range: &[u8]) -> Result<Self> {
        let start = cursor.offset();
        if !cursor.read_marker()? {
            let data = text::read_vector(cursor)?;
            let VectorRange { elements, .. } = VectorRange::place(cursor, start, range, data.len())?;
            return Ok(Self::from_vec(data[elements].to_vec()));
        }
        let header = Header::read(cursor, Shape::Vector, T::VECTOR_TOKEN)?;
        let bytes = header.take_payload(cursor)?;
        let VectorRange { elements, .. } = VectorRange::place(cursor, start, range, header.cols)?;
        Ok(Self::from_vec(binary::decode_range(bytes, header, 0..1, elements)))
    }

    fn part(cursor: &mut Cursor<'_>, range: &[u8]) -> Result<Option<Part>> {
        let start = cursor.offset();
        if !cursor.read_marker()? {
            return Ok(None);
        }
        let header = Header::read(cursor, Shape::Vector, T::VECTOR_TOKEN)?;
        let VectorRange { elements, .. } = VectorRange::place(cursor, start, range, header.cols)?;
        Ok(Some(binary::vector_part(header, cursor.offset() - start, elements)))
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
        let start = cursor.offset();
        let dim = if !cursor.read_marker()? {
            text::read_vector::<T>(cursor)?.len()
        } else {
            Self::skip_binary_part(cursor)?
        };
        let Some(range) = range else { return Ok(dim) };
        Ok(VectorRange::place(cursor, start, range, dim)?.elements.len())
    }

    /// Reads a vector that is part of a larger object, in the form that the cursor has found: no binary marker of its
    /// own. Infinities and NaN count for the warning of the object.
    ///
    /// # Errors
    /// If the bytes are no vector.
    pub fn read_part(cursor: &mut Cursor<'_>) -> Result<Self> {
        let part = Self::read_elements(cursor)?;
        if cursor.is_binary() {
            cursor.count_numbers(text::count_odd(part.as_slice()), part.dim());
        }
        Ok(part)
    }

    /// Consumes a vector that is part of a larger object and that nobody needs: all numbers are good.
    ///
    /// # Errors
    /// If the bytes are no vector.
    pub fn skip_part(cursor: &mut Cursor<'_>) -> Result<()> {
        if !cursor.is_binary() {
            return text::read_any_vector::<T>(cursor).map(drop);
        }
        Header::read(cursor, Shape::Vector, T::VECTOR_TOKEN)?.take_payload(cursor).map(drop)
    }

    fn read_elements(cursor: &mut Cursor<'_>) -> Result<Self> {
        if !cursor.is_binary() {
            return Ok(Self::from_vec(text::read_vector(cursor)?));
        }
        let header = Header::read(cursor, Shape::Vector, T::VECTOR_TOKEN)?;
        let bytes = header.take_payload(cursor)?;
        Ok(Self::from_vec(binary::decode_range(bytes, header, 0..1, 0..header.cols)))
    }

    /// Consumes a binary vector that is part of a larger object without looking at its elements; returns their number.
    ///
    /// # Errors
    /// If the bytes are no vector.
    pub fn skip_binary_part(cursor: &mut Cursor<'_>) -> Result<usize> {
        let header = Header::read(cursor, Shape::Vector, T::VECTOR_TOKEN)?;
        header.skip_payload(cursor)?;
        Ok(header.cols)
    }

    /// Appends the vector as part of a larger object: without a binary marker of its own.
    pub fn write_part(&self, out: &mut Vec<u8>, format: Format) {
        match format {
            Format::Binary => binary::write(out, T::VECTOR_TOKEN, &[self.dim()], self.as_slice()),
            Format::Text => text::write_vector(out, self.as_slice()),
        }
    }
}

#[cfg(test)]
mod tests;
