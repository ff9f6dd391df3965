//! Framing for implementations of [`Value::frame`](crate::Value::frame): text ends at a line end, the sizes of binary
//! values give their ends.

use memchr::memchr;

use crate::unit::HEADER;
use crate::{Cursor, Frame};
use kaldi_io::ParseError;

/// Frames a value that has both forms: `text` finds its end in text form, `reach` in binary form.
///
/// `reach` reads the headers in the window, which starts with the marker, and returns the length of the value: the
/// exact one if the window holds all of it, otherwise a lower bound that exceeds the window.
///
/// # Errors
/// Those of `text` and `reach`, and an end of the stream (`at_end`) within the value.
pub fn frame_either(
    window: &[u8],
    at_end: bool,
    text: fn(&[u8], bool) -> Result<Frame, ParseError>,
    reach: fn(&[u8]) -> Result<u64, ParseError>,
) -> Result<Frame, ParseError> {
    let mut cursor = if at_end { Cursor::new(window) } else { Cursor::new_open(window) };
    match cursor.read_marker() {
        Ok(false) => return text(window, at_end),
        Ok(true) => {}
        Err(error) if error.at_end && !at_end => return Ok(Frame::Partial(window.len() as u64 + 1)),
        Err(error) => return Err(error),
    }
    let reach = reach(window)?;
    match usize::try_from(reach) {
        Ok(length) if length <= window.len() => Ok(Frame::Whole(length)),
        _ if at_end => Err(ParseError::end(window.len(), format_args!("a value of {reach} bytes or more"))),
        _ => Ok(Frame::Partial(reach)),
    }
}

/// Makes a lower bound exact if the count at the start of a binary value, seen in `window`, gives its whole length.
pub fn by_count(frame: Frame, window: &[u8]) -> Frame {
    match frame {
        Frame::Partial(length) if window.first() == Some(&0) && window.len() >= HEADER => Frame::Beyond(length),
        other => other,
    }
}

/// Frames a line whose newline may be missing at the end of the stream; but there must be a line.
///
/// # Errors
/// If the stream ends (`at_end`) without a byte of the line.
pub fn frame_line(window: &[u8], at_end: bool) -> Result<Frame, ParseError> {
    match memchr(b'\n', window) {
        Some(length) => Ok(Frame::Whole(length + 1)),
        None if !at_end => Ok(Frame::Partial(window.len() as u64 + 1)),
        None if window.is_empty() => Err(ParseError::end(0, "a line")),
        None => Ok(Frame::Whole(window.len())),
    }
}

/// Frames a line that must end with a newline.
///
/// # Errors
/// If the stream ends (`at_end`) without the newline.
pub fn frame_ended_line(window: &[u8], at_end: bool) -> Result<Frame, ParseError> {
    match memchr(b'\n', window) {
        Some(length) => Ok(Frame::Whole(length + 1)),
        None if at_end => Err(ParseError::end(window.len(), "a newline")),
        None => Ok(Frame::Partial(window.len() as u64 + 1)),
    }
}
