//! The contract between a value and the tables that hold it.

use std::ops::Range;

use memchr::memmem;

use crate::{Cursor, Format};
use kaldi_io::{Encoded, Frame, ParseError};

/// A part of a long value, as bytes: a value of its own, made of new bytes and of pieces of the long one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Part {
    /// The start of the new value: everything before the pieces.
    pub head: Vec<u8>,
    /// What follows: offsets in the bytes of the long value.
    pub pieces: Vec<Range<u64>>,
    /// The range of the new value that is wanted, for [`Value::read_range`]; `None` if [`Value::read`] shall read it.
    pub range: Option<Vec<u8>>,
}

impl Part {
    /// The number of bytes that have to be read.
    pub fn length(&self) -> u64 {
        self.pieces.iter().map(|piece| piece.end - piece.start).sum()
    }
}

/// A value that a Kaldi table can hold (Kaldi's Holder as a trait of the value itself).
///
/// The bytes of a value start right after the space that follows its key, with the binary marker `\0B` if the value is
/// binary. Every function works on bytes in memory; the caller reads more of a stream if it is needed.
pub trait Value: Sized + Send + 'static {
    /// The name of the value in messages: `matrix`, `vector`, `posterior` ...
    const NAME: &'static str;

    /// Whether a range may follow the name of a file that is no table (`foo.mat[0:9]`), which Kaldi has only for
    /// matrices.
    const HAS_FILE_RANGES: bool = false;

    /// The field of a sample that is such a value, when shards are read (`shard:`); `wav` means sound of any suffix.
    const SHARD_FIELD: Option<&'static str> = None;

    /// Whether there is a text form. If not, [`Value::write`] always writes the only form, and tables are not created
    /// in text form.
    const HAS_TEXT: bool = true;

    /// Returns how many bytes the value at the start of `window` takes, without building it.
    ///
    /// `at_end` says that nothing follows the window; then the answer is `Whole` or an error. This only reads headers
    /// and searches for terminators. Payloads are skipped, so a complete frame may still fail to parse. The length must
    /// be the number of bytes that [`Value::read`] consumes.
    ///
    /// # Errors
    /// If the header is malformed, or if the value is cut short and `at_end` is set.
    fn frame(window: &[u8], at_end: bool) -> Result<Frame, ParseError>;

    /// Builds the value at the cursor, binary or text according to its first bytes.
    ///
    /// # Errors
    /// If the bytes are not a value of this type, with the offset from the cursor's start.
    fn read(cursor: &mut Cursor<'_>) -> Result<Self, ParseError>;

    /// Appends the value's bytes to `out`, the binary marker included.
    ///
    /// Text ends with a newline, like table entries.
    fn write(&self, out: &mut Vec<u8>, format: Format);

    /// The bytes of [`Value::write`].
    fn to_bytes(&self, format: Format) -> Vec<u8> {
        let mut bytes = Vec::new();
        self.write(&mut bytes, format);
        bytes
    }

    /// Converts into the bytes of [`Value::write`]. A large part of them need not be copied if it has the same form in
    /// memory as in the file.
    fn into_encoded(self, format: Format) -> Encoded {
        self.to_bytes(format).into()
    }

    /// Reads the part of the value that `range` names, the text between `[` and `]` of a script line.
    ///
    /// # Errors
    /// If the type has no ranges, the range makes no sense, or the value does not have it.
    fn read_range(cursor: &mut Cursor<'_>, range: &[u8]) -> Result<Self, ParseError> {
        let _ = range;
        Err(has_no_ranges(cursor, Self::NAME))
    }

    /// Returns which bytes [`Value::read_range`] needs, so that the others need not be read. The cursor is at the start
    /// of the value; perhaps only a header is in memory. `None` if the header is not enough to know.
    ///
    /// # Errors
    /// As [`Value::read_range`].
    fn part(cursor: &mut Cursor<'_>, range: &[u8]) -> Result<Option<Part>, ParseError> {
        let _ = (cursor, range);
        Ok(None)
    }

    /// Returns whether `bytes`, one whole frame, are exactly what [`Value::write`] would produce in binary form, so that
    /// a copy may pass them on unparsed.
    ///
    /// An implementation that returns true has checked what a reader would check (sizes, types), except numbers.
    fn is_canonical_binary(bytes: &[u8]) -> bool {
        let _ = bytes;
        false
    }

    /// Like [`Value::is_canonical_binary`], with only the start of the frame in memory (at least the header), and the
    /// `length` of all. Returns false if the rest would have to be read.
    fn is_canonical_head(head: &[u8], length: u64) -> bool {
        let _ = (head, length);
        false
    }

    /// Checks whether a value that starts like this may be in a file of this name, for types whose encodings have their
    /// own names.
    ///
    /// # Errors
    /// If the file should have another name.
    fn check_name(head: &[u8], name: &str) -> Result<(), ParseError> {
        let _ = (head, name);
        Ok(())
    }

    /// A description of what writing the value loses; the writer logs it with the key.
    fn loss(&self) -> Option<String> {
        None
    }
}

fn has_no_ranges(cursor: &Cursor<'_>, name: &str) -> ParseError {
    cursor.error(format!("a value of type {name} cannot be read in ranges"))
}

/// Frames a value by parsing it: for small text forms whose end cannot be known from a terminator.
///
/// # Errors
/// Those of [`Value::read`]; an unexpected end before `at_end` is no error but a request for more.
pub fn frame_by_parsing<T: Value>(window: &[u8], at_end: bool) -> Result<Frame, ParseError> {
    let mut cursor = if at_end { Cursor::new(window) } else { Cursor::new_open(window) };
    match T::read(&mut cursor) {
        Ok(_) => Ok(Frame::Whole(cursor.offset())),
        Err(error) if error.at_end && !at_end => Ok(Frame::Partial(window.len() as u64 + 1)),
        Err(error) => Err(error),
    }
}

/// Frames a value between the tokens `begin` and `end`, such as a model, with one space after it: text by searching for
/// the tokens, binary by parsing.
///
/// # Errors
/// Those of [`Value::read`]; an unexpected end before `at_end` is no error but a request for more.
pub fn frame_between_tokens<T: Value>(
    window: &[u8],
    at_end: bool,
    begin: &str,
    end: &str,
) -> Result<Frame, ParseError> {
    let text = window.trim_ascii_start();
    let is_other = text.iter().zip(begin.as_bytes()).any(|(byte, expected)| byte != expected);
    if at_end || window.first() == Some(&0) || is_other {
        return frame_by_parsing::<T>(window, at_end);
    }
    match memmem::find(window, end.as_bytes()) {
        Some(start) if start + end.len() < window.len() => Ok(Frame::Whole(start + end.len() + 1)),
        _ => Ok(Frame::Partial(window.len() as u64 + 1)),
    }
}
