//! What can go wrong with scoring.

/// The result of the functions of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A failure of scoring.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// No mode has this name.
    #[error("expected strict, present or all, got {0:?}")]
    Mode(String),
    /// A sentence has no hypothesis, and the mode is strict.
    #[error("expected a hypothesis, got none")]
    NoHypothesis,
    /// An integer that is counted is negative.
    #[error("expected an integer of 0 or more where it is counted, got {0}")]
    Negative(i32),
    /// Counts by integer would not fit a format or the memory.
    #[error("the integers are too large to be counted")]
    TooManyCounts,
}
