//! Why something cannot be computed from a lattice.

use kaldi_hmm::UnknownTransitionId;

use crate::cost::Cost;

/// Why something cannot be computed from a lattice.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum Error {
    /// There is a cycle.
    #[error("the lattice has a cycle")]
    Cycle,
    /// A cost by which paths cannot be compared: it is not a number, or minus infinity.
    #[error("expected a number as the cost of {place}, got {got}")]
    Cost { place: String, got: String },
    /// The result would have too many transition-ids.
    #[error("expected a result of at most {most} transition-ids, got {needed}")]
    TooManyIds { needed: u64, most: usize },
    /// The result needs more memory than it may take, or than there is.
    #[error("the lattice needs {needed} bytes of memory, more than there are for it")]
    Memory { needed: u64 },
    /// A scale of acoustic costs and the inverse of one are given.
    #[error("expected `inv_acoustic_scale` to be 1 where `acoustic_scale` is given, got {got}")]
    BothScales { got: String },
    /// There are too many arcs.
    #[error("expected less than 2^32 arcs, got {count}")]
    TooManyArcs { count: usize },
    /// A label that is to be added is on an arc already.
    #[error("state {state} has an arc with the label {label} already")]
    LabelIsThere { state: u32, label: i32 },
    /// The epsilon is among the labels that are to become epsilons.
    #[error("0 is the epsilon, and cannot become one")]
    EpsilonRemoved,
    /// There is no path from the start to a final state.
    #[error("the lattice has no path from the start to a final state")]
    NoPath,
    /// A state is reached after different numbers of frames.
    #[error("state {state} is reached after {first} frames and after {other} frames")]
    TimesDiffer { state: u32, first: usize, other: usize },
    /// Final states are reached after different numbers of frames.
    #[error("some paths have {longest} frames, others {other}")]
    LengthsDiffer { longest: usize, other: usize },
    /// An alignment has another number of frames.
    #[error("the lattice has {lattice} frames, the alignment {alignment}")]
    OtherLength { lattice: usize, alignment: usize },
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
    NotOfOnePhone { first: i32, last: i32 },
}

/// A graph that is computed from another one has at most so many transition-ids, or as many as that one. Where ways are copied,
/// there may be as many as the square of a lattice has.
const MOST_IDS: usize = 1 << 28;

impl Error {
    /// Checks that a graph of `needed` transition-ids may be made of another one that has `known`.
    ///
    /// # Errors
    /// If that is too large.
    pub(crate) fn check_ids(needed: u64, known: usize) -> Result<()> {
        let most = MOST_IDS.max(known);
        if needed > most as u64 { Err(Self::TooManyIds { needed, most }) } else { Ok(()) }
    }

    /// A cost that is no number.
    pub(crate) fn no_number(place: &str, Cost { graph, acoustic }: Cost) -> Self {
        Self::Cost { place: place.to_owned(), got: format!("{graph},{acoustic}") }
    }
}

/// The result of a computation.
pub type Result<T, E = Error> = std::result::Result<T, E>;
