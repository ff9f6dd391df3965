//! The fault of text that should be a number.

/// Why bytes are not a number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NumberError {
    /// They do not start with a number.
    Invalid,
    /// The number does not fit the type.
    OutOfRange,
}
