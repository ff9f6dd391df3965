//! The chunks of a RIFF/WAVE file.

use byteorder::{BigEndian, ByteOrder, LittleEndian};
use kaldi_io::ParseError;
use kaldi_value::Cursor;

/// The length of the name and size of a chunk.
pub(crate) const CHUNK_HEADER: u64 = 8;

/// A position at a chunk of a RIFF/WAVE file.
pub(crate) struct Chunks<'a> {
    cursor: Cursor<'a>,
    big_endian: bool,
    has_long_sizes: bool,
    riff_size: u32,
}

/// The names of the outermost chunk. RF64 and BW64 are for files above 4 GB: a chunk `ds64` has their sizes.
const RIFF_NAMES: [&[u8; 4]; 4] = [b"RIFF", b"RIFX", b"RF64", b"BW64"];

/// Whether a file that starts like this is RIFF/WAVE, or another file of chunks of the same form.
pub(crate) fn is_riff(head: &[u8]) -> bool {
    RIFF_NAMES.iter().any(|name| head.starts_with(*name))
}

/// Whether these bytes, of which there may be less than four, may be the start of such a file.
pub(crate) fn may_be_riff(head: &[u8]) -> bool {
    !head.is_empty() && RIFF_NAMES.iter().any(|name| name.starts_with(&head[..head.len().min(4)]))
}

impl<'a> Chunks<'a> {
    /// Reads the outermost header at the start of `bytes`.
    pub(crate) fn open(bytes: &'a [u8]) -> Result<Self, ParseError> {
        let mut cursor = Cursor::new(bytes);
        let start = bytes.get(..4).unwrap_or(bytes);
        if !RIFF_NAMES.iter().any(|name| name.starts_with(start)) {
            return Err(ParseError::new(0, format!("expected RIFF or RIFX, got {}", kaldi_io::printable(start))));
        }
        let name = cursor.take(4)?;
        let (big_endian, has_long_sizes) = (name == b"RIFX", matches!(name, b"RF64" | b"BW64"));
        let mut chunks = Self { cursor, big_endian, has_long_sizes, riff_size: 0 };
        chunks.riff_size = chunks.number()?;
        match chunks.cursor.take(4)? {
            b"WAVE" => Ok(chunks),
            other => Err(ParseError::new(8, format!("expected WAVE, got {}", kaldi_io::printable(other)))),
        }
    }

    /// Whether numbers are big-endian.
    pub(crate) fn is_big_endian(&self) -> bool {
        self.big_endian
    }

    /// Whether a chunk `ds64` has the sizes.
    pub(crate) fn has_long_sizes(&self) -> bool {
        self.has_long_sizes
    }

    /// The size in the outermost header: the number of bytes after it.
    pub(crate) fn riff_size(&self) -> u32 {
        self.riff_size
    }

    /// Bytes consumed so far.
    pub(crate) fn offset(&self) -> u64 {
        self.cursor.offset() as u64
    }

    /// Consumes the name and size of a chunk.
    pub(crate) fn next(&mut self) -> Result<([u8; 4], u32), ParseError> {
        let mut name = [0; 4];
        name.copy_from_slice(self.cursor.take(4)?);
        if !is_name(&name) {
            let message = format!("expected the name of a chunk, got \"{}\"", kaldi_io::printable(&name));
            return Err(ParseError::new(self.cursor.offset() - 4, message));
        }
        Ok((name, self.number()?))
    }

    /// Consumes the content of a chunk, and the zero byte after it that makes its length even (not all programs write
    /// one).
    pub(crate) fn take(&mut self, size: u32) -> Result<&'a [u8], ParseError> {
        let content = self.cursor.take(size as usize)?;
        if size % 2 == 1 && self.cursor.peek() == Some(0) {
            self.cursor.advance(1);
        }
        Ok(content)
    }

    /// An error at the chunk whose name and size were consumed last.
    pub(crate) fn error(&self, message: impl Into<String>) -> ParseError {
        ParseError::new(self.cursor.offset() - CHUNK_HEADER as usize, message.into())
    }

    fn number(&mut self) -> Result<u32, ParseError> {
        Ok(number(self.cursor.take(4)?, self.big_endian))
    }
}

/// Whether these bytes may name a chunk.
pub(crate) fn is_name(bytes: &[u8]) -> bool {
    bytes.iter().all(|byte| matches!(byte, b' '..=b'~'))
}

/// The number in the first four bytes, in the order of the file.
///
/// # Panics
/// If there are fewer bytes.
pub(crate) fn number(bytes: &[u8], big_endian: bool) -> u32 {
    if big_endian { BigEndian::read_u32(bytes) } else { LittleEndian::read_u32(bytes) }
}
