//! Reading and writing of dense matrices and vectors, compiled once for each precision.

use kaldi_io::{Encoded, ParseError};
use kaldi_value::{Cursor, Format, Part};

use crate::binary::{self, Header, Shape};
use crate::compressed::{self, Stored};
use crate::real::encode_elements;
use crate::{Matrix, MatrixRange, Real, Vector, VectorRange, text};

type Result<T> = std::result::Result<T, ParseError>;

/// Numbers of rows and columns.
type Size = (usize, usize);

/// The functions for the values of one precision. The generic methods of [`Matrix`] and [`Vector`] call them through the two
/// statics of this type, so that no crate that uses them compiles them anew.
pub struct DenseFns<T> {
    /// Features may have any number in binary form, where looking for NaN takes time.
    pub(crate) read_matrix: fn(&mut Cursor<'_>) -> Result<Matrix<T>>,
    pub(crate) read_matrix_range: fn(&mut Cursor<'_>, &[u8]) -> Result<Matrix<T>>,
    pub(crate) read_size: fn(&mut Cursor<'_>, Option<&[u8]>) -> Result<Size>,
    pub(crate) write_matrix: fn(&Matrix<T>, &mut Vec<u8>, Format),
    pub(crate) encode_matrix: fn(Matrix<T>, Format) -> Encoded,
    pub(crate) read_vector: fn(&mut Cursor<'_>) -> Result<Vector<T>>,
    pub(crate) read_vector_range: fn(&mut Cursor<'_>, &[u8]) -> Result<Vector<T>>,
    pub(crate) read_dim: fn(&mut Cursor<'_>, Option<&[u8]>) -> Result<usize>,
    pub(crate) skip_vector: fn(&mut Cursor<'_>) -> Result<()>,
    pub(crate) write_vector: fn(&Vector<T>, &mut Vec<u8>, Format),
    /// Counts elements of a part of a binary object, for the warning of the object.
    pub(crate) count: fn(&mut Cursor<'_>, &[T]),
}

/// The functions for `f32`.
pub(crate) static SINGLE: DenseFns<f32> = DenseFns::new();

/// The functions for `f64`.
pub(crate) static DOUBLE: DenseFns<f64> = DenseFns::new();

impl<T: Real> DenseFns<T> {
    const fn new() -> Self {
        Self {
            read_matrix,
            read_matrix_range,
            read_size: read_size::<T>,
            write_matrix,
            encode_matrix,
            read_vector,
            read_vector_range,
            read_dim: read_dim::<T>,
            skip_vector: skip_any_vector::<T>,
            write_vector,
            count,
        }
    }
}

fn read_matrix<T: Real>(cursor: &mut Cursor<'_>) -> Result<Matrix<T>> {
    if !cursor.is_binary() {
        let (num_rows, num_cols, data) = text::read_matrix(cursor)?;
        return Ok(Matrix::from_vec(num_rows, num_cols, data));
    }
    if cursor.peek() == Some(b'C') {
        return Ok(Stored::read(cursor)?.to_matrix());
    }
    let header = Header::read(cursor, Shape::Matrix, T::MATRIX_TOKEN)?;
    let bytes = header.take_payload(cursor)?;
    let data = binary::decode_range(bytes, header, 0..header.rows, 0..header.cols);
    Ok(Matrix::from_vec(header.rows, header.cols, data))
}

fn read_matrix_range<T: Real>(cursor: &mut Cursor<'_>, range: &[u8]) -> Result<Matrix<T>> {
    let start = cursor.offset();
    if !cursor.read_marker()? {
        let (num_rows, num_cols, data) = text::read_matrix(cursor)?;
        let MatrixRange { rows, cols, .. } = MatrixRange::place(cursor, start, range, (num_rows, num_cols))?;
        return Ok(Matrix::from_vec(num_rows, num_cols, data).range(rows, cols));
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
    Ok(Matrix::from_vec(num_rows, num_cols, binary::decode_range(bytes, header, rows, cols)))
}

pub(crate) fn matrix_part(cursor: &mut Cursor<'_>, range: &[u8], token: &str) -> Result<Option<Part>> {
    let start = cursor.offset();
    if !cursor.read_marker()? {
        return Ok(None);
    }
    if cursor.peek() == Some(b'C') {
        return compressed::part(cursor, start, range);
    }
    let header = Header::read(cursor, Shape::Matrix, token)?;
    header.check_payload(cursor.offset())?;
    let MatrixRange { rows, cols, .. } = MatrixRange::place(cursor, start, range, (header.rows, header.cols))?;
    Ok(Some(binary::matrix_part(header, cursor.offset() - start, rows, cols)))
}

pub(crate) fn skip_matrix(cursor: &mut Cursor<'_>, token: &str) -> Result<Size> {
    if cursor.peek() == Some(b'C') {
        return Stored::skip(cursor);
    }
    let header = Header::read(cursor, Shape::Matrix, token)?;
    header.skip_payload(cursor)?;
    Ok((header.rows, header.cols))
}

fn read_size<T: Real>(cursor: &mut Cursor<'_>, range: Option<&[u8]>) -> Result<Size> {
    let start = cursor.offset();
    let size = if !cursor.read_marker()? {
        let (num_rows, num_cols, _) = text::read_matrix::<T>(cursor)?;
        (num_rows, num_cols)
    } else {
        skip_matrix(cursor, T::MATRIX_TOKEN)?
    };
    let Some(range) = range else { return Ok(size) };
    let MatrixRange { rows, cols, .. } = MatrixRange::place(cursor, start, range, size)?;
    Ok((rows.len(), cols.len()))
}

fn write_matrix<T: Real>(matrix: &Matrix<T>, out: &mut Vec<u8>, format: Format) {
    match format {
        Format::Binary => {
            let sizes = [matrix.num_rows(), matrix.num_cols()];
            binary::write(out, T::MATRIX_TOKEN, &sizes, matrix.as_slice());
        }
        Format::Text => text::write_matrix(out, matrix.rows()),
    }
}

fn encode_matrix<T: Real>(matrix: Matrix<T>, format: Format) -> Encoded {
    let mut head = Vec::new();
    match format {
        Format::Binary => {
            Format::Binary.write_marker(&mut head);
            binary::write_header(&mut head, T::MATRIX_TOKEN, &[matrix.num_rows(), matrix.num_cols()]);
            encode_elements(head, matrix.into_vec())
        }
        Format::Text => {
            text::write_matrix(&mut head, matrix.rows());
            head.into()
        }
    }
}

fn read_vector<T: Real>(cursor: &mut Cursor<'_>) -> Result<Vector<T>> {
    if !cursor.is_binary() {
        return Ok(Vector::from_vec(text::read_vector(cursor)?));
    }
    let header = Header::read(cursor, Shape::Vector, T::VECTOR_TOKEN)?;
    let bytes = header.take_payload(cursor)?;
    Ok(Vector::from_vec(binary::decode_range(bytes, header, 0..1, 0..header.cols)))
}

fn read_vector_range<T: Real>(cursor: &mut Cursor<'_>, range: &[u8]) -> Result<Vector<T>> {
    let start = cursor.offset();
    if !cursor.read_marker()? {
        let data = text::read_vector(cursor)?;
        let VectorRange { elements, .. } = VectorRange::place(cursor, start, range, data.len())?;
        return Ok(Vector::from_vec(data[elements].to_vec()));
    }
    let header = Header::read(cursor, Shape::Vector, T::VECTOR_TOKEN)?;
    let bytes = header.take_payload(cursor)?;
    let VectorRange { elements, .. } = VectorRange::place(cursor, start, range, header.cols)?;
    Ok(Vector::from_vec(binary::decode_range(bytes, header, 0..1, elements)))
}

pub(crate) fn vector_part(cursor: &mut Cursor<'_>, range: &[u8], token: &str) -> Result<Option<Part>> {
    let start = cursor.offset();
    if !cursor.read_marker()? {
        return Ok(None);
    }
    let header = Header::read(cursor, Shape::Vector, token)?;
    let VectorRange { elements, .. } = VectorRange::place(cursor, start, range, header.cols)?;
    Ok(Some(binary::vector_part(header, cursor.offset() - start, elements)))
}

fn read_dim<T: Real>(cursor: &mut Cursor<'_>, range: Option<&[u8]>) -> Result<usize> {
    let start = cursor.offset();
    let dim = if !cursor.read_marker()? {
        text::read_vector::<T>(cursor)?.len()
    } else {
        skip_vector(cursor, T::VECTOR_TOKEN)?
    };
    let Some(range) = range else { return Ok(dim) };
    Ok(VectorRange::place(cursor, start, range, dim)?.elements.len())
}

fn skip_any_vector<T: Real>(cursor: &mut Cursor<'_>) -> Result<()> {
    if !cursor.is_binary() {
        return text::read_any_vector::<T>(cursor).map(drop);
    }
    Header::read(cursor, Shape::Vector, T::VECTOR_TOKEN)?.take_payload(cursor).map(drop)
}

pub(crate) fn skip_vector(cursor: &mut Cursor<'_>, token: &str) -> Result<usize> {
    let header = Header::read(cursor, Shape::Vector, token)?;
    header.skip_payload(cursor)?;
    Ok(header.cols)
}

fn write_vector<T: Real>(vector: &Vector<T>, out: &mut Vec<u8>, format: Format) {
    match format {
        Format::Binary => binary::write(out, T::VECTOR_TOKEN, &[vector.dim()], vector.as_slice()),
        Format::Text => text::write_vector(out, vector.as_slice()),
    }
}

fn count<T: Real>(cursor: &mut Cursor<'_>, part: &[T]) {
    if cursor.is_binary() {
        cursor.count_numbers(text::count_odd(part), part.len());
    }
}
