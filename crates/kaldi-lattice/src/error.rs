//! Why something cannot be computed from a lattice.

use kaldi_hmm::UnknownTransitionId;

/// Why something cannot be computed from a lattice.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is a cycle.
    #[error("the lattice has a cycle")]
    Cycle,
    /// A scale of acoustic costs and the inverse of one are given.
    #[error("expected `inv_acoustic_scale` to be 1 where `acoustic_scale` is given, got {got}")]
    BothScales {
        /// The inverse.
        got: String,
    },
    /// There is no path from the start to a final state.
    #[error("the lattice has no path from the start to a final state")]
    NoPath,
    /// A state is reached after different numbers of frames.
    #[error("state {state} is reached after {first} frames and after {other} frames")]
    TimesDiffer {
        /// The state, as it is numbered after sorting.
        state: u32,
        /// The frames of the first path.
        first: usize,
        /// The frames of another path.
        other: usize,
    },
    /// Final states are reached after different numbers of frames.
    #[error("some paths have {longest} frames, others {other}")]
    LengthsDiffer {
        /// The frames of the longest path.
        longest: usize,
        /// The frames of another path.
        other: usize,
    },
    /// An alignment has another number of frames.
    #[error("the lattice has {lattice} frames, the alignment {alignment}")]
    OtherLength {
        /// The frames of the lattice.
        lattice: usize,
        /// The frames of the alignment.
        alignment: usize,
    },
    /// A transition-id is not in the model.
    #[error(transparent)]
    TransitionId(#[from] UnknownTransitionId),
    /// A phone is not in the table of word boundaries.
    #[error("phone {0} is not in the table of word boundaries")]
    UnknownPhone(i32),
    /// A word is not in the lexicon.
    #[error("word {0} is not in the lexicon")]
    UnknownWord(i32),
    /// An arc has transition-ids of several phones where one has to be.
    #[error("expected an arc of one phone, got one from phone {first} to phone {last}")]
    NotOfOnePhone {
        /// The phone of the first transition-id.
        first: i32,
        /// The phone of the last one.
        last: i32,
    },
}

/// The result of a computation.
pub type Result<T, E = Error> = std::result::Result<T, E>;
