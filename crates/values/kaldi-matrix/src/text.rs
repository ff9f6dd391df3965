//! The text forms of dense matrices and vectors, reading and writing.
//!
//! A matrix is rows of numbers between brackets. Rows end at a line end or `;`, empty ones do not count, and the line
//! end after the closing bracket belongs to the matrix. A vector is on one line.

use kaldi_io::ParseError;
use kaldi_value::number::{NumberError, RowError};
use kaldi_value::{Cursor, Frame};
use memchr::{memchr, memchr2, memchr3};

use crate::Real;
use crate::binary::Shape;

type Result<T> = std::result::Result<T, ParseError>;

/// Returns the length of a value whose first byte is not that of the binary marker.
pub(crate) fn frame(window: &[u8], at_end: bool, shape: Shape) -> Result<Frame> {
    let more = Ok(Frame::Partial(window.len() as u64 + 1));
    let mut cursor = Cursor::new(window);
    match open(&mut cursor) {
        // The next byte decides whether "[]" is a word.
        Ok(true) if cursor.rest().is_empty() && !at_end => return more,
        Ok(true) => return Ok(Frame::Whole(cursor.offset())),
        Ok(false) => {}
        Err(error) if error.at_end && !at_end => return more,
        Err(error) => return Err(error),
    }
    // A search that also looks for errors finds them without reading on to the next bracket, which may be far.
    let found = match shape {
        Shape::Matrix => memchr2(b']', b'[', cursor.rest()),
        Shape::Vector => memchr3(b']', b'[', b'\n', cursor.rest()),
    };
    let Some(found) = found else {
        return if at_end { Err(ParseError::end(window.len(), "\"]\"")) } else { more };
    };
    cursor.advance(found);
    match cursor.peek() {
        Some(b']') => {}
        Some(b'\n') => return Err(line_end(&cursor)),
        _ => return Err(cursor.expected("a number or \"]\"")),
    }
    let end = cursor.offset() + 1;
    let length = end + trailer(&window[end..]);
    // More of a line end may follow.
    if length > window.len() || (length == end && end == window.len()) {
        return if at_end { Ok(Frame::Whole(window.len())) } else { more };
    }
    Ok(Frame::Whole(length))
}

/// Consumes `[` or `[]`, which have to be words; returns whether that was all.
fn open(cursor: &mut Cursor<'_>) -> Result<bool> {
    cursor.skip_space();
    match cursor.rest() {
        [] => Err(cursor.end("\"[\"")),
        [b'['] => {
            cursor.advance(1);
            Ok(false)
        }
        [b'[', space, ..] if is_space(*space) => {
            cursor.advance(1);
            Ok(false)
        }
        [b'[', b']'] => {
            cursor.advance(2);
            Ok(true)
        }
        [b'[', b']', space, ..] if is_space(*space) => {
            cursor.advance(2);
            Ok(true)
        }
        _ => Err(cursor.expected("\"[\"")),
    }
}

/// The length of the line end after a closing bracket. A carriage return includes the next byte, whatever it is, as in
/// Kaldi.
fn trailer(rest: &[u8]) -> usize {
    match rest {
        [b'\r', ..] => 2,
        [b'\n', ..] => 1,
        _ => 0,
    }
}

/// Consumes the closing bracket at the cursor and the line end after it.
fn close(cursor: &mut Cursor<'_>) {
    cursor.advance(1);
    cursor.advance(trailer(cursor.rest()).min(cursor.rest().len()));
}

/// C's `isspace`.
fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t'..=b'\r')
}

fn line_end(cursor: &Cursor<'_>) -> ParseError {
    cursor.error("expected a vector on one line, got a line end")
}

/// Memory for the numbers up to the closing bracket, if they have a common length.
fn room<T>(cursor: &Cursor<'_>) -> Vec<T> {
    let length = memchr(b']', cursor.rest()).unwrap_or(0);
    Vec::with_capacity(length / 9)
}

/// Consumes a matrix; returns the numbers of rows and columns, and the elements.
pub(crate) fn read_matrix<T: Real>(cursor: &mut Cursor<'_>) -> Result<(usize, usize, Vec<T>)> {
    if open(cursor)? {
        return Ok((0, 0, Vec::new()));
    }
    let mut data: Vec<T> = room(cursor);
    let (mut num_rows, mut num_cols, mut num_odd) = (0, 0, 0);
    loop {
        let begin = data.len();
        let last = read_row(cursor, &mut data)?;
        let length = data.len() - begin;
        num_odd += count_odd(&data[begin..]);
        if num_rows == 0 {
            num_cols = length;
        } else if length != num_cols && length != 0 {
            let message = format!("expected {num_cols} columns, got {length} in row {}", num_rows + 1);
            return Err(cursor.error(message));
        }
        num_rows += usize::from(length != 0);
        if last {
            break;
        }
    }
    close(cursor);
    cursor.count_numbers(num_odd, num_rows * num_cols);
    if i32::try_from(num_rows.max(num_cols)).is_err() {
        return Err(cursor.error(format!("{num_rows} by {num_cols} elements are too many")));
    }
    Ok((num_rows, num_cols, data))
}

/// Consumes rows that need not have the same length; returns all elements.
pub(crate) fn read_rows<T: Real>(cursor: &mut Cursor<'_>) -> Result<Vec<T>> {
    let mut data = Vec::new();
    if open(cursor)? {
        return Ok(data);
    }
    while !read_row(cursor, &mut data)? {}
    close(cursor);
    cursor.count_numbers(count_odd(&data), data.len());
    Ok(data)
}

/// Consumes the numbers up to the end of the row, and the end unless it is the closing bracket; returns whether it is.
fn read_row<T: Real>(cursor: &mut Cursor<'_>, data: &mut Vec<T>) -> Result<bool> {
    loop {
        read_numbers(cursor, data)?;
        match cursor.peek() {
            Some(b']') => return Ok(true),
            Some(b'\n' | b';') => {
                cursor.advance(1);
                return Ok(false);
            }
            // Kaldi wants no space before these: `1-2` is two numbers. `1.5.5` and `1+2` are none.
            Some(b'-' | b'i' | b'I' | b'n' | b'N') => {}
            Some(byte) if is_space(byte) => cursor.advance(1),
            _ => return Err(cursor.expected("a number or \"]\"")),
        }
    }
}

/// Consumes a vector; returns the elements.
pub(crate) fn read_vector<T: Real>(cursor: &mut Cursor<'_>) -> Result<Vec<T>> {
    let data = read_any_vector(cursor)?;
    cursor.count_numbers(count_odd(&data), data.len());
    Ok(data)
}

/// Like [`read_vector`], but infinities and NaN are nothing special.
pub(crate) fn read_any_vector<T: Real>(cursor: &mut Cursor<'_>) -> Result<Vec<T>> {
    if open(cursor)? {
        return Ok(Vec::new());
    }
    let mut data: Vec<T> = room(cursor);
    read_numbers(cursor, &mut data)?;
    match cursor.peek() {
        Some(b']') => close(cursor),
        Some(b'\n' | b'\r') => return Err(line_end(cursor)),
        _ => return Err(cursor.expected("a number or \"]\"")),
    }
    if i32::try_from(data.len()).is_err() {
        return Err(cursor.error(format!("{} elements are too many", data.len())));
    }
    Ok(data)
}

/// Counts the numbers that are infinite or NaN.
pub(crate) fn count_odd<T: Real>(numbers: &[T]) -> usize {
    numbers.iter().filter(|number| !number.to_f64().is_finite()).count()
}

/// Consumes numbers with spaces and tabs around them.
fn read_numbers<T: Real>(cursor: &mut Cursor<'_>, data: &mut Vec<T>) -> Result<()> {
    match T::parse_row(cursor.rest(), data) {
        Ok(length) => {
            cursor.advance(length);
            Ok(())
        }
        Err(RowError { offset, error }) => {
            cursor.advance(offset);
            Err(match error {
                NumberError::OutOfRange => cursor.expected(&format!("a number that fits {} bits", 8 * size_of::<T>())),
                NumberError::Invalid => cursor.expected("a number"),
            })
        }
    }
}

/// The length of most numbers with the space after them: `-2.345678 `.
const USUAL_LENGTH: usize = 10;

/// Appends a matrix.
pub(crate) fn write_matrix<'a, T: Real>(out: &mut Vec<u8>, rows: impl ExactSizeIterator<Item = &'a [T]>) {
    let num_rows = rows.len();
    if num_rows == 0 {
        out.extend_from_slice(b" [ ]\n");
        return;
    }
    out.extend_from_slice(b" [");
    for (index, row) in rows.enumerate() {
        if index == 0 {
            out.reserve(num_rows * (3 + USUAL_LENGTH * row.len()) + 2);
        }
        out.extend_from_slice(b"\n  ");
        T::write_row(out, row);
    }
    out.extend_from_slice(b"]\n");
}

/// Appends a vector.
pub(crate) fn write_vector<T: Real>(out: &mut Vec<u8>, elements: &[T]) {
    out.extend_from_slice(b" [ ");
    T::write_row(out, elements);
    out.extend_from_slice(b"]\n");
}
