//! What can go wrong with scoring.

use std::fmt;

/// The result of the functions of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A failure of scoring.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// No mode has this name.
    Mode(String),
    /// A sentence has no hypothesis, and the mode is strict.
    NoHypothesis,
    /// An integer that is counted is negative.
    Negative(i32),
    /// Counts by integer would not fit a format or the memory.
    TooManyCounts,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Mode(name) => write!(f, "expected strict, present or all, got {name:?}"),
            Self::NoHypothesis => f.write_str("expected a hypothesis, got none"),
            Self::Negative(integer) => write!(f, "expected an integer of 0 or more where it is counted, got {integer}"),
            Self::TooManyCounts => f.write_str("the integers are too large to be counted"),
        }
    }
}

impl std::error::Error for Error {}
