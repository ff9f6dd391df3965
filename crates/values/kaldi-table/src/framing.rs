//! Finds the entries at the front of an archive's bytes: the key, and the length of the value after it.

use kaldi_io::{FrameFn, Need, ParseError, Window, is_space};
use kaldi_value::{Cursor, Frame, Part, Value};

use crate::Error;

/// The part of a reader that knows where entries of an archive end.
///
/// An archive of a known type is framed by [`Typed`], one whose type has to be found by `kaldi_any::Detector`. Values
/// are asked for one after the other, so a framing may learn from earlier ones.
pub trait Framing: Send {
    /// Finds the key at the front of `window`. `at_end` says that nothing follows the window.
    ///
    /// # Errors
    /// If there can be no key. The error's offset is where the key should have ended.
    fn key(&self, window: &[u8], at_end: bool) -> Result<Front, ParseError> {
        find_key(window, at_end, |byte| !is_space(byte))
    }

    /// Returns how long the value at the front of `window` is. `at_end` says that nothing follows the window.
    ///
    /// # Errors
    /// If there can be no value, or it is incomplete and `at_end` is set.
    fn value(&mut self, window: &[u8], at_end: bool) -> Result<Frame, ParseError>;

    /// The fault of a value for which [`Framing::value`] asked for `wanted` bytes, if the file has only `left`. `None`
    /// if more has to be read to know. `is_exact` says that the value has exactly that length, and not at least that.
    fn cut(&mut self, window: &[u8], wanted: u64, left: u64, is_exact: bool) -> Option<ParseError>;

    /// Whether a value with this start, whose length is known, is in text form.
    fn is_text(&self, window: &[u8]) -> bool {
        window.first() != Some(&0)
    }

    /// Returns which bytes of the value the part `range` takes. `head` has the start of the value. `None` if the start
    /// does not show it.
    ///
    /// # Errors
    /// If the value has no such part.
    fn part(&self, head: &mut Cursor<'_>, range: &[u8]) -> Result<Option<Part>, ParseError> {
        let _ = (head, range);
        Ok(None)
    }

    /// A function that finds the ends of such values at places that a store fetches in advance. If it is wrong about one,
    /// more or less is fetched.
    fn frame_fn(&self) -> FrameFn;

    /// Replaces an error of the archive by a better one, if the framing knows more.
    fn explain(&self, error: Error) -> Error {
        error
    }

    /// A framing for values that are read at the same time as others. `None` if each value says something about the
    /// next.
    fn beside(&self) -> Option<Self>
    where
        Self: Sized,
    {
        None
    }
}

/// How long the value is that starts in a window.
pub(crate) enum Extent {
    /// All of it is in the window: this many bytes.
    Whole(usize),
    /// It has this many bytes. They may stay in the file.
    Stored(u64),
    /// This much of it has to be read.
    More(Need),
}

/// Returns how long the value is that starts at `start` in the window, and whether it ends with the stream, whatever is
/// there. `may_stay` gets the number of bytes of the value and how many of them are in memory, and decides whether it
/// may stay in the file.
///
/// # Errors
/// If there can be no value, or it is incomplete. The error's offset counts from the start of the value.
#[inline]
pub(crate) fn find_extent(
    framing: &mut impl Framing,
    window: &Window,
    start: usize,
    may_stay: impl Fn(u64, u64) -> bool,
) -> Result<(Extent, bool), ParseError> {
    let bytes = window.bytes().get(start..).unwrap_or_default();
    let there = bytes.len() as u64;
    let left = || window.left().map(|left| left.saturating_sub(start as u64));
    let at_end = window.at_end() || left() == Some(there);
    let (wanted, is_exact) = match framing.value(bytes, at_end)? {
        Frame::Whole(length) => return Ok((Extent::Whole(length), false)),
        Frame::Rest if at_end => return Ok((Extent::Whole(bytes.len()), true)),
        Frame::Rest => {
            let left = left();
            let wanted = left.unwrap_or(there + 1);
            let stays = left.is_some() && may_stay(wanted, there);
            return Ok((if stays { Extent::Stored(wanted) } else { Extent::More(Need::AtLeast(wanted)) }, true));
        }
        Frame::Beyond(length) => (length, true),
        Frame::Partial(length) => (length, false),
    };
    let left = left();
    let is_too_long = left.is_some_and(|left| wanted > left);
    if is_exact && left.is_some() && !is_too_long && may_stay(wanted, there) {
        return Ok((Extent::Stored(wanted), false));
    }
    // If the file is too short for what a header claims, reading it all makes no sense.
    if is_too_long || at_end {
        let cut = framing.cut(bytes, wanted, left.unwrap_or(there), is_exact);
        if let Some(error) = cut.or_else(|| at_end.then(|| ParseError::end(bytes.len(), "the rest of the value"))) {
            return Err(error);
        }
    }
    Ok((Extent::More(if is_exact { Need::Exactly(wanted) } else { Need::AtLeast(wanted) }), false))
}

/// The longest key. Something longer is no key, and no reason to read to the end.
const LONGEST_KEY: usize = 1 << 20;

/// The front of an archive's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Front {
    /// A key from `start` to `end`, and its value from `value` on.
    Key {
        /// Offset of the key.
        start: usize,
        /// Offset after the key.
        end: usize,
        /// Offset of the value.
        value: usize,
    },
    /// White space up to the end.
    Nothing,
    /// White space or a part of a key. More may follow.
    More,
    /// A key with nothing after it.
    Cut,
}

/// Finds the key at the front of `window`: white space, then a word of bytes that are `in_key`, then one space or tab.
/// A line end after the key belongs to the value.
///
/// # Errors
/// If another byte is after the key, or it has more than 1 MB.
pub fn find_key(window: &[u8], at_end: bool, in_key: impl Fn(u8) -> bool) -> Result<Front, ParseError> {
    let Some(start) = window.iter().position(|&byte| !is_space(byte)) else {
        return Ok(if at_end { Front::Nothing } else { Front::More });
    };
    let length = window[start..].iter().position(|&byte| !in_key(byte));
    if length.unwrap_or(window.len() - start) > LONGEST_KEY {
        return Err(ParseError::new(start, "expected a key, got a word of more than 1 MB"));
    }
    let Some(length) = length else {
        return Ok(if at_end { Front::Cut } else { Front::More });
    };
    let end = start + length;
    match window[end] {
        b' ' | b'\t' if length > 0 => Ok(Front::Key { start, end, value: end + 1 }),
        b'\n' if length > 0 => Ok(Front::Key { start, end, value: end }),
        other => {
            let wanted = if length > 0 { "a space after the key" } else { "a key" };
            Err(ParseError::new(end, format!("expected {wanted}, got \"{}\"", other.escape_ascii())))
        }
    }
}

/// [`Value::part`] of a type.
pub(crate) type PartFn = fn(&mut Cursor<'_>, &[u8]) -> Result<Option<Part>, ParseError>;

/// The framing of values of one type.
#[derive(Clone, Copy, Debug)]
pub struct Typed {
    /// [`Value::frame`] of the type. With it, reading needs no type parameters.
    pub(crate) frame: FrameFn,
    pub(crate) part: PartFn,
}

impl Typed {
    /// Frames values of the type `T`.
    pub fn of<T: Value>() -> Self {
        Self { frame: T::frame, part: T::part }
    }
}

impl Framing for Typed {
    fn value(&mut self, window: &[u8], at_end: bool) -> Result<Frame, ParseError> {
        (self.frame)(window, at_end)
    }

    fn cut(&mut self, window: &[u8], _: u64, _: u64, _: bool) -> Option<ParseError> {
        (self.frame)(window, true).err()
    }

    fn part(&self, head: &mut Cursor<'_>, range: &[u8]) -> Result<Option<Part>, ParseError> {
        (self.part)(head, range)
    }

    fn frame_fn(&self) -> FrameFn {
        self.frame
    }

    fn beside(&self) -> Option<Self> {
        Some(*self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn front(window: &[u8], at_end: bool) -> Result<Front, ParseError> {
        find_key(window, at_end, |byte| !is_space(byte))
    }

    #[test]
    fn a_key_ends_with_a_space_a_tab_or_the_line() {
        let key = |start, end, value| Ok(Front::Key { start, end, value });
        assert_eq!(front(b"utt1 \0B", false), key(0, 4, 5));
        assert_eq!(front(b"utt1\t\0B", false), key(0, 4, 5));
        assert_eq!(front(b" \r\nutt1\n[ ]", false), key(3, 7, 7));
        assert_eq!(front(b"\xc3\xa4 1\n", false), key(0, 2, 3));
    }

    #[test]
    fn a_window_may_end_in_a_key() {
        for window in ["", " \n", "utt1", "\nutt1"] {
            assert_eq!(front(window.as_bytes(), false), Ok(Front::More));
        }
        assert_eq!(front(b" \n", true), Ok(Front::Nothing));
        assert_eq!(front(b"\nutt1", true), Ok(Front::Cut));
    }

    #[test]
    fn a_key_has_a_megabyte_at_most() {
        let longest = [&b" "[..], &[b'k'; LONGEST_KEY]].concat();
        assert_eq!(front(&longest, false), Ok(Front::More));
        let [whole, longer] = [&b" "[..], b"k"].map(|end| [&longest, end].concat());
        assert!(matches!(front(&whole, false), Ok(Front::Key { .. })));
        assert_eq!(front(&longer, false).unwrap_err().offset, 1);
        assert_eq!(front(&[&longer[..], b" "].concat(), true).unwrap_err().offset, 1);
    }

    #[test]
    fn a_key_ends_with_no_other_space() {
        let error = front(b"utt1\r1", false).unwrap_err();
        assert_eq!((error.offset, &*error.message), (4, "expected a space after the key, got \"\\r\""));
    }
}
