//! Where a value ends, found from bytes at its front.

use crate::ParseError;

/// How long a value is, as far as a window shows that starts at its first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame {
    /// The value is complete and takes this many bytes.
    Whole(usize),
    /// The value ends beyond the window. It takes this many bytes, whatever the missing ones are. A reader that does
    /// not need them can skip them.
    Beyond(u64),
    /// More bytes are needed: the window must have at least this many (a lower bound) before asking again makes sense.
    Partial(u64),
    /// The value ends with the stream, whatever is there, such as a waveform of unknown length.
    Rest,
}

/// Finds the end of the value at the front of the bytes read so far. `true` says that no more bytes follow.
pub type FrameFn = fn(&[u8], bool) -> Result<Frame, ParseError>;
