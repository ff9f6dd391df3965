//! The binary forms of dense matrices and vectors, reading and writing.
//!
//! The marker `\0B`, a token, the sizes as basic types, the elements in little-endian order. The token says the
//! precision of the elements; reading converts them to the wanted one.

use std::ops::Range;

use byteorder::{BigEndian, ByteOrder};
use kaldi_io::ParseError;
use kaldi_value::{Cursor, Format, Frame, Part, write_basic, write_token};

use crate::Real;
use crate::real::Storage;

type Result<T> = std::result::Result<T, ParseError>;

/// What is stored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Matrix,
    Vector,
}

impl Shape {
    /// The tokens of single and double precision.
    fn tokens(self) -> [&'static [u8]; 2] {
        match self {
            Self::Matrix => [b"FM", b"DM"],
            Self::Vector => [b"FV", b"DV"],
        }
    }

    /// The length of the shortest value: marker, token and sizes.
    fn header(self) -> u64 {
        match self {
            Self::Matrix => 15,
            Self::Vector => 10,
        }
    }
}

/// The header before the elements; its sizes are not yet compared with the bytes that are there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    /// Bytes of an element: 4 or 8.
    pub width: usize,
    /// Rows; 1 for vectors.
    pub rows: usize,
    /// Columns; elements, for vectors.
    pub cols: usize,
}

impl Header {
    /// Consumes the header after the marker.
    pub fn read(cursor: &mut Cursor<'_>, shape: Shape, wanted: &str) -> Result<Self> {
        let width = read_token(cursor, shape, wanted)?;
        let start = cursor.offset();
        match shape {
            Shape::Matrix => {
                let (rows, cols): (i32, i32) = (cursor.read_basic()?, cursor.read_basic()?);
                // Kaldi has no matrices with rows but without columns, or the other way round.
                if rows < 0 || cols < 0 || (rows > 0 && cols == 0) {
                    return Err(ParseError::new(start, format!("expected the size of a matrix, got {rows} by {cols}")));
                }
                if rows == 0 && cols > 0 {
                    // Other programs write matrices without frames like this.
                    let message = format!("a matrix of 0 by {cols} is taken for an empty one");
                    cursor.warn_at(ParseError::new(start, message));
                    return Ok(Self { width, rows: 0, cols: 0 });
                }
                Ok(Self { width, rows: rows as usize, cols: cols as usize })
            }
            Shape::Vector => {
                let dim: i32 = cursor.read_basic()?;
                if dim < 0 {
                    return Err(ParseError::new(start, format!("expected the size of a vector, got {dim}")));
                }
                Ok(Self { width, rows: 1, cols: dim as usize })
            }
        }
    }

    /// The number of bytes of all elements, if it can be computed: below 2^65.
    pub fn payload(&self) -> Option<u64> {
        (self.rows as u64 * self.cols as u64).checked_mul(self.width as u64)
    }

    /// Consumes the elements.
    pub fn take_payload<'a>(&self, cursor: &mut Cursor<'a>) -> Result<&'a [u8]> {
        match self.payload().and_then(|length| usize::try_from(length).ok()) {
            Some(length) => cursor.take(length),
            None => Err(self.too_large(cursor.offset())),
        }
    }

    /// Checks that the number of bytes can be computed.
    pub fn check_payload(&self, offset: usize) -> Result<()> {
        self.payload().map_or_else(|| Err(self.too_large(offset)), |_| Ok(()))
    }

    /// Consumes the elements without looking at them.
    pub fn skip_payload(&self, cursor: &mut Cursor<'_>) -> Result<()> {
        match self.payload() {
            Some(length) => cursor.skip(length),
            None => Err(self.too_large(cursor.offset())),
        }
    }

    fn too_large(&self, offset: usize) -> ParseError {
        ParseError::new(offset, format!("{} by {} elements are too many", self.rows, self.cols))
    }
}

/// Consumes the token and returns the width of the elements.
fn read_token(cursor: &mut Cursor<'_>, shape: Shape, wanted: &str) -> Result<usize> {
    let [single, double] = shape.tokens();
    let rest = cursor.rest();
    let token = match rest {
        [first, second, third, ..] if kaldi_io::is_space(*third) => [*first, *second],
        // A token of this length and its space may still follow.
        _ if rest.len() < 3 && (single.starts_with(rest) || double.starts_with(rest)) => {
            return Err(ParseError::end(cursor.offset() + rest.len(), format_args!("token \"{wanted}\"")));
        }
        _ => return Err(cursor.expected(&format!("token \"{wanted}\""))),
    };
    let width = match token {
        token if token == single => 4,
        token if token == double => 8,
        _ => return Err(cursor.expected(&format!("token \"{wanted}\""))),
    };
    cursor.advance(3);
    Ok(width)
}

/// Consumes `token`, which includes the space after it.
pub(crate) fn expect_token(cursor: &mut Cursor<'_>, token: &'static [u8; 3]) -> Result<()> {
    let wanted = token[..2].escape_ascii();
    if cursor.rest().starts_with(token) {
        cursor.advance(3);
        Ok(())
    } else if token.starts_with(cursor.rest()) {
        Err(ParseError::end(cursor.offset() + cursor.rest().len(), format_args!("token \"{wanted}\"")))
    } else {
        Err(cursor.expected(&format!("token \"{wanted}\"")))
    }
}

/// Returns the length of a value whose first byte is that of the binary marker.
pub(crate) fn frame(window: &[u8], at_end: bool, shape: Shape, wanted: &str) -> Result<Frame> {
    let mut cursor = Cursor::new(window);
    let header = cursor.read_marker().and_then(|_| Header::read(&mut cursor, shape, wanted));
    let header = match header {
        Err(error) if error.at_end && !at_end => return Ok(Frame::Partial(shape.header())),
        other => other?,
    };
    let total = header.payload().and_then(|length| length.checked_add(cursor.offset() as u64));
    match total {
        None => Err(header.too_large(cursor.offset())),
        Some(total) if total <= window.len() as u64 => Ok(Frame::Whole(total as usize)),
        Some(total) if !at_end => Ok(Frame::Beyond(total)),
        Some(total) => Err(ParseError::end(window.len(), format_args!("{} more bytes", total - window.len() as u64))),
    }
}

/// Whether a value that starts with `head` and has `length` bytes is as it would be written with this token.
pub(crate) fn is_canonical(head: &[u8], length: u64, shape: Shape, token: &str) -> bool {
    let mut cursor = Cursor::new(head);
    head.get(2..4) == Some(token.as_bytes())
        && head.get(4) == Some(&b' ')
        && cursor.read_marker().is_ok_and(|binary| binary)
        && Header::read(&mut cursor, shape, token).is_ok_and(|header| {
            header.payload().and_then(|payload| payload.checked_add(cursor.offset() as u64)) == Some(length)
        })
        // A value with a doubtful header is written anew.
        && cursor.take_warnings().is_empty()
}

/// Appends the elements in `bytes`, of `width` bytes each, in the wanted precision.
pub(crate) fn decode<T: Real>(out: &mut Vec<T>, bytes: &[u8], width: usize) {
    if width == size_of::<T>() {
        T::decode_le(bytes, out, |value| value);
    } else if width == 4 {
        f32::decode_le(bytes, out, |value| T::from_f64(f64::from(value)));
    } else {
        f64::decode_le(bytes, out, T::from_f64);
    }
}

/// Decodes a rectangle of elements that are stored row after row.
pub(crate) fn decode_range<T: Real>(bytes: &[u8], header: Header, rows: Range<usize>, cols: Range<usize>) -> Vec<T> {
    let mut out = Vec::with_capacity(rows.len() * cols.len());
    let stride = header.cols * header.width;
    if cols.len() == header.cols {
        decode(&mut out, &bytes[rows.start * stride..rows.end * stride], header.width);
    } else {
        for row in rows {
            let row = &bytes[row * stride..][..stride];
            decode(&mut out, &row[cols.start * header.width..cols.end * header.width], header.width);
        }
    }
    out
}

/// The bytes of a rectangle of a matrix whose elements start at `start`: its rows, cut to the columns.
pub(crate) fn matrix_part(header: Header, start: usize, rows: Range<usize>, cols: Range<usize>) -> Part {
    let stride = header.cols * header.width;
    let head = part_head(header, Shape::Matrix, &[rows.len(), header.cols]);
    let piece = piece(start, rows.start * stride..rows.end * stride);
    Part { head, pieces: vec![piece], range: Some(format!(":,{}:{}", cols.start, cols.end - 1).into()) }
}

/// The bytes of some elements of a vector whose elements start at `start`.
pub(crate) fn vector_part(header: Header, start: usize, elements: Range<usize>) -> Part {
    let head = part_head(header, Shape::Vector, &[elements.len()]);
    let piece = piece(start, elements.start * header.width..elements.end * header.width);
    Part { head, pieces: vec![piece], range: None }
}

/// Marker, token and sizes for a part of the value with this header.
fn part_head(header: Header, shape: Shape, sizes: &[usize]) -> Vec<u8> {
    let [single, double] = shape.tokens();
    let mut head = Vec::new();
    Format::Binary.write_marker(&mut head);
    write_token(&mut head, if header.width == 4 { single } else { double });
    for &size in sizes {
        write_basic(&mut head, Format::Binary, size as i32);
    }
    head
}

fn piece(start: usize, elements: Range<usize>) -> Range<u64> {
    (start + elements.start) as u64..(start + elements.end) as u64
}

/// Appends what follows the marker: token, sizes, elements.
pub(crate) fn write<T: Real>(out: &mut Vec<u8>, token: &str, sizes: &[usize], elements: &[T]) {
    out.reserve(15 + size_of_val(elements));
    write_header(out, token, sizes);
    T::encode_le(out, elements);
}

/// Appends what is between the marker and the elements.
pub(crate) fn write_header(out: &mut Vec<u8>, token: &str, sizes: &[usize]) {
    write_token(out, token.as_bytes());
    for &size in sizes {
        // The types do not allow a larger size.
        write_basic(out, Format::Binary, size as i32);
    }
}

/// Reads big-endian floats.
pub(crate) fn decode_be(bytes: &[u8]) -> Vec<f32> {
    bytes.as_chunks::<4>().0.iter().map(|word| BigEndian::read_f32(word)).collect()
}

/// Appends big-endian floats.
pub(crate) fn encode_be(out: &mut Vec<u8>, values: &[f32]) {
    let start = out.len();
    out.resize(start + 4 * values.len(), 0);
    BigEndian::write_f32_into(values, &mut out[start..]);
}
