//! Where a value ends, as seen from bytes at its front.

use crate::ParseError;

/// How far a value reaches, as seen from a window that starts at its first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame {
    /// The value is whole and takes this many bytes.
    Whole(usize),
    /// The value ends beyond the window: it takes this many bytes, whatever the missing ones are. Who does not need them
    /// can skip them.
    Beyond(u64),
    /// More bytes are needed: the window must hold at least this many (a lower bound) before it is worth asking again.
    Partial(u64),
    /// The value goes on to the end of the stream, whatever is there, such as a waveform of unknown length.
    Rest,
}

/// Finds the end of the value at the front of bytes that have come; `true` says that none follow.
pub type FrameFn = fn(&[u8], bool) -> Result<Frame, ParseError>;
