//! Numbers of lines, which are the places of faults in text.

use std::sync::Weak;
use std::sync::atomic::Ordering;

use memchr::memchr_iter;

use crate::{ReadAt, Session};

/// Bytes that show whether a value is text.
const SHOWN: usize = 64;
/// Bytes of files that a session reads again to count their lines: a table may have very many entries with faults.
const COUNTED: u64 = 1 << 30;
const PIECE: u64 = 1 << 20;

/// How the number of a line is found, for a fault in a value in text form.
#[derive(Clone, Debug, Default)]
pub enum TextLines {
    /// It is not known: the place is an offset.
    #[default]
    Unknown,
    /// The value starts in the line of this number, from 1.
    From(u64),
    /// The lines before the value are counted here, if it is still open, when there is a fault.
    In(Weak<dyn ReadAt>),
}

impl TextLines {
    /// That of a value at this offset of a stream: only the first line is known.
    pub fn at(offset: u64) -> Self {
        if offset == 0 { Self::From(1) } else { Self::Unknown }
    }

    /// The number of the line that has the byte `at` of a value, from 1. `value` are the bytes from its start on, which are at `offset` of
    /// the stream. `None` for binary values, and if the number is not known.
    pub fn number(&self, value: &[u8], offset: u64, at: usize) -> Option<u64> {
        // At its first byte, the whole file is something else than was expected.
        if !is_text(value) || (offset, at) == (0, 0) {
            return None;
        }
        let first = match self {
            Self::Unknown => return None,
            Self::From(number) => *number,
            Self::In(source) => 1 + count_before(&*source.upgrade().filter(|source| source.is_near())?, offset)?,
        };
        // The end of the text belongs to its last line.
        let before = match value.get(..at).filter(|before| before.len() < value.len()) {
            Some(before) => before,
            None => value.strip_suffix(b"\n").unwrap_or(value),
        };
        Some(first + line_ends(before))
    }
}

/// Whether a value that starts with these bytes is text: it has no control characters but white space.
pub fn is_text(value: &[u8]) -> bool {
    let is_shown = |byte: &u8| *byte >= b' ' || byte.is_ascii_whitespace() || *byte == b'\x0b';
    value[..value.len().min(SHOWN)].iter().all(is_shown)
}

/// The number of line ends in these bytes.
pub fn line_ends(bytes: &[u8]) -> u64 {
    memchr_iter(b'\n', bytes).count() as u64
}

/// The number of line ends before `offset`. `None` if this is no text, cannot be read, or would be too much work.
fn count_before(source: &dyn ReadAt, offset: u64) -> Option<u64> {
    let is_allowed = |counted: u64| counted.checked_add(offset).filter(|&sum| sum <= COUNTED);
    let count = |session: &Session| {
        session.counted_bytes().fetch_update(Ordering::Relaxed, Ordering::Relaxed, is_allowed).is_ok()
    };
    if !Session::with(count) {
        return None;
    }
    let (mut at, mut number, mut piece) = (0, 0, Vec::new());
    while at < offset {
        let length = (offset - at).min(PIECE);
        piece.clear();
        source.read_at(at, &mut piece, length as usize).ok()?;
        if piece.contains(&0) {
            return None;
        }
        number += line_ends(&piece);
        at += length;
    }
    Some(number)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::Input;

    #[test]
    fn lines_are_counted_from_the_start_of_the_stream() {
        let number = |lines: &TextLines, value: &str, at| lines.number(value.as_bytes(), 4, at);
        let value = "[ 1\n2\nx ]\n";
        assert_eq!(number(&TextLines::From(7), value, 6), Some(9));
        assert_eq!(number(&TextLines::From(7), value, 0), Some(7));
        assert_eq!(number(&TextLines::Unknown, value, 6), None);
        assert_eq!(number(&TextLines::From(7), "\0BFM \x04", 3), None);
        let source = |text: &str| Input::from_bytes("memory", text.into()).positioned().unwrap();
        let text: Arc<dyn ReadAt> = source("a\nb\n[ 1\n2\nx ]\n");
        assert_eq!(number(&TextLines::In(Arc::downgrade(&text)), value, 6), Some(5));
        let binary: Arc<dyn ReadAt> = source("a\0b\n[ 1\n2\nx ]\n");
        assert_eq!(number(&TextLines::In(Arc::downgrade(&binary)), value, 6), None);
        let closed = Arc::downgrade(&source("a\nb\n"));
        assert_eq!(number(&TextLines::In(closed), value, 6), None);
    }

    #[test]
    fn the_end_of_a_text_is_in_its_last_line() {
        for at in [6, 7] {
            assert_eq!(TextLines::From(1).number(b"[ 1\n2\n", 0, at), Some(2), "{at}");
        }
        assert_eq!(TextLines::From(1).number(b"x", 0, 0), None);
    }

    #[test]
    fn a_session_does_not_count_lines_for_ever() {
        #[derive(Debug)]
        struct Endless;
        impl ReadAt for Endless {
            fn length(&self) -> u64 {
                u64::MAX
            }
            fn read_at(&self, _: u64, buffer: &mut Vec<u8>, length: usize) -> std::io::Result<()> {
                buffer.resize(buffer.len() + length, b'\n');
                Ok(())
            }
        }
        let source: Arc<dyn ReadAt> = Arc::new(Endless);
        let lines = TextLines::In(Arc::downgrade(&source));
        Session::default().enter(|| {
            assert_eq!(lines.number(b"x", COUNTED - 5, 0), Some(COUNTED - 4));
            assert_eq!(lines.number(b"x", 6, 0), None);
            assert_eq!(lines.number(b"x", 5, 0), Some(6));
        });
    }
}
