//! The bytes of compressed matrices: header, length, and the checks of a reader.

use byteorder::{ByteOrder, LittleEndian};
use kaldi_io::ParseError;
use kaldi_value::{Cursor, Format, Frame};

type Result<T> = std::result::Result<T, ParseError>;

/// The size of `min`, `range`, `rows` and `cols`.
const FIELDS: usize = 16;
/// The length of the shortest value: marker, `CM `, fields.
const SHORTEST: u64 = 21;
/// What follows the fields of a matrix without elements as Kaldi writes it, with one field too many.
const STRAY: [u8; 4] = [0; 4];

/// Where the integers are, and their width.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) enum Layout {
    /// `CM`: bytes, column after column, after the levels of all columns.
    #[default]
    Columns,
    /// `CM2`: 16-bit integers, row after row.
    TwoByte,
    /// `CM3`: bytes, row after row.
    OneByte,
}

impl Layout {
    fn token(self) -> &'static [u8] {
        match self {
            Self::Columns => b"CM",
            Self::TwoByte => b"CM2",
            Self::OneByte => b"CM3",
        }
    }
}

/// The fields before the integers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Header {
    pub layout: Layout,
    /// The value of the lowest integer.
    pub min: f32,
    /// The difference between the values of the highest and the lowest integer.
    pub range: f32,
    pub rows: usize,
    pub cols: usize,
}

impl Header {
    /// The number of bytes after the header; the sizes are below 2^31.
    pub fn payload(&self) -> u64 {
        let (rows, cols) = (self.rows as u64, self.cols as u64);
        match self.layout {
            Layout::Columns => cols * (8 + rows),
            Layout::TwoByte => 2 * rows * cols,
            Layout::OneByte => rows * cols,
        }
    }

    /// Consumes token and fields.
    pub fn read(cursor: &mut Cursor<'_>) -> Result<Self> {
        let layout = read_token(cursor)?;
        let start = cursor.offset();
        let fields = cursor.take(FIELDS)?;
        let [min, range] = [0, 4].map(|at| LittleEndian::read_f32(&fields[at..]));
        let [rows, cols] = [8, 12].map(|at| LittleEndian::read_i32(&fields[at..]));
        if rows < 0 || cols < 0 || (rows == 0) != (cols == 0) {
            return Err(ParseError::new(start + 8, format!("expected the size of a matrix, got {rows} by {cols}")));
        }
        Ok(Self { layout, min, range, rows: rows as usize, cols: cols as usize })
    }
}

fn read_token(cursor: &mut Cursor<'_>) -> Result<Layout> {
    let rest = cursor.rest();
    let (layout, length) = match rest {
        [b'C', b'M', space, ..] if space.is_ascii_whitespace() => (Layout::Columns, 3),
        [b'C', b'M', b'2', space, ..] if space.is_ascii_whitespace() => (Layout::TwoByte, 4),
        [b'C', b'M', b'3', space, ..] if space.is_ascii_whitespace() => (Layout::OneByte, 4),
        [] | [b'C'] | [b'C', b'M'] | [b'C', b'M', b'2' | b'3'] => {
            return Err(ParseError::end(cursor.offset() + rest.len(), "token \"CM\", \"CM2\" or \"CM3\""));
        }
        _ => return Err(cursor.expected("token \"CM\", \"CM2\" or \"CM3\"")),
    };
    cursor.advance(length);
    Ok(layout)
}

/// A compressed matrix whose integers are in memory.
#[derive(Clone, Debug)]
pub(crate) struct Stored<'a> {
    pub(super) header: Header,
    pub(super) payload: &'a [u8],
}

impl<'a> Stored<'a> {
    /// Consumes what follows the marker without looking at the elements; returns the size.
    pub fn skip(cursor: &mut Cursor<'_>) -> Result<(usize, usize)> {
        let header = Header::read(cursor)?;
        if header.payload() == 0 {
            cursor.advance(if cursor.rest().starts_with(&STRAY) { STRAY.len() } else { 0 });
            return Ok((0, 0));
        }
        cursor.skip(header.payload())?;
        Ok((header.rows, header.cols))
    }

    /// Consumes what follows the marker.
    pub fn read(cursor: &mut Cursor<'a>) -> Result<Self> {
        let header = Header::read(cursor)?;
        let Ok(length) = usize::try_from(header.payload()) else {
            return Err(cursor.error(format!("{} by {} elements are too many", header.rows, header.cols)));
        };
        let payload = cursor.take(length)?;
        if length > 0 {
            return Ok(Self { header, payload });
        }
        if cursor.rest().starts_with(&STRAY) {
            cursor.advance(STRAY.len());
        }
        Ok(Self { header: Header::default(), payload })
    }

    /// The numbers of rows and columns.
    pub fn size(&self) -> (usize, usize) {
        (self.header.rows, self.header.cols)
    }

    /// Appends marker, token, fields and integers of a matrix that has elements.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.reserve(22 + self.payload.len());
        Format::Binary.write_marker(out);
        self.write_part(out);
    }

    /// Appends what follows the marker.
    pub fn write_part(&self, out: &mut Vec<u8>) {
        let Header { layout, min, range, rows, cols } = self.header;
        kaldi_value::write_token(out, layout.token());
        let fields = [min.to_le_bytes(), range.to_le_bytes(), (rows as i32).to_le_bytes(), (cols as i32).to_le_bytes()];
        out.extend_from_slice(fields.as_flattened());
        out.extend_from_slice(self.payload);
    }
}

/// Returns the length of a value that starts with the marker and `C`.
pub(crate) fn frame(window: &[u8], at_end: bool) -> Result<Frame> {
    let mut cursor = Cursor::new(window);
    let header = match cursor.read_marker().and_then(|_| Header::read(&mut cursor)) {
        Err(error) if error.at_end && !at_end => return Ok(Frame::Partial(SHORTEST.max(window.len() as u64 + 1))),
        other => other?,
    };
    let rest = cursor.rest();
    // Below 2^64: the payload is below 2^63.
    let total = cursor.offset() as u64 + header.payload();
    if header.rows == 0 && rest.starts_with(&STRAY) {
        Ok(Frame::Whole(cursor.offset() + STRAY.len()))
    } else if header.rows == 0 && STRAY.starts_with(rest) && !at_end {
        Ok(Frame::Partial(window.len() as u64 + 1))
    } else if total <= window.len() as u64 {
        Ok(Frame::Whole(total as usize))
    } else if !at_end {
        Ok(Frame::Beyond(total))
    } else {
        Err(ParseError::end(window.len(), format_args!("{} more bytes", total - window.len() as u64)))
    }
}

/// Whether `bytes` are a whole value in the form in which it would be written.
pub(crate) fn is_canonical(bytes: &[u8]) -> bool {
    let mut cursor = Cursor::new(bytes);
    let header = cursor.read_marker().and_then(|_| Header::read(&mut cursor));
    let Ok(header) = header else { return false };
    if header.rows == 0 {
        return false;
    }
    bytes[2 + header.layout.token().len()] == b' ' && cursor.rest().len() as u64 == header.payload()
}
