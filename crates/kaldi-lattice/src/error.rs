//! Why something cannot be computed from a lattice.

use std::fmt;

use kaldi_hmm::UnknownTransitionId;

/// Why something cannot be computed from a lattice.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Error {
    /// There is a cycle.
    Cycle,
    /// A scale of acoustic costs and the inverse of one are given.
    BothScales {
        /// The inverse.
        got: String,
    },
    /// There is no path from the start to a final state.
    NoPath,
    /// A state is reached after different numbers of frames.
    TimesDiffer {
        /// The state, as it is numbered after sorting.
        state: u32,
        /// The frames of the first path.
        first: usize,
        /// The frames of another path.
        other: usize,
    },
    /// Final states are reached after different numbers of frames.
    LengthsDiffer {
        /// The frames of the longest path.
        longest: usize,
        /// The frames of another path.
        other: usize,
    },
    /// An alignment has another number of frames.
    OtherLength {
        /// The frames of the lattice.
        lattice: usize,
        /// The frames of the alignment.
        alignment: usize,
    },
    /// A transition-id is not in the model.
    TransitionId(UnknownTransitionId),
    /// A phone is not in the table of word boundaries.
    UnknownPhone(i32),
    /// A word is not in the lexicon.
    UnknownWord(i32),
    /// An arc has transition-ids of several phones where one has to be.
    NotOfOnePhone {
        /// The phone of the first transition-id.
        first: i32,
        /// The phone of the last one.
        last: i32,
    },
}

/// The result of a computation.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Cycle => f.write_str("the lattice has a cycle"),
            Self::BothScales { got } => {
                write!(f, "expected `inv_acoustic_scale` to be 1 where `acoustic_scale` is given, got {got}")
            }
            Self::NoPath => f.write_str("the lattice has no path from the start to a final state"),
            Self::TimesDiffer { state, first, other } => {
                write!(f, "state {state} is reached after {first} frames and after {other} frames")
            }
            Self::LengthsDiffer { longest, other } => {
                write!(f, "some paths have {longest} frames, others {other}")
            }
            Self::OtherLength { lattice, alignment } => {
                write!(f, "the lattice has {lattice} frames, the alignment {alignment}")
            }
            Self::TransitionId(error) => error.fmt(f),
            Self::UnknownPhone(phone) => write!(f, "phone {phone} is not in the table of word boundaries"),
            Self::UnknownWord(word) => write!(f, "word {word} is not in the lexicon"),
            Self::NotOfOnePhone { first, last } => {
                write!(f, "expected an arc of one phone, got one from phone {first} to phone {last}")
            }
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::TransitionId(error) => Some(error),
            _ => None,
        }
    }
}

impl From<UnknownTransitionId> for Error {
    fn from(error: UnknownTransitionId) -> Self {
        Self::TransitionId(error)
    }
}
