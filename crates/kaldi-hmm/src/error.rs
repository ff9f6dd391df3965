//! What can go wrong with models and alignments that do not fit each other.

use std::fmt;

use crate::TreeError;
use crate::transition_model::{TransitionTuple, UnknownTransitionId};

/// The result of the functions of this crate that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Models, alignments and posteriors that do not fit each other.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// A number in a frame is not a transition-id.
    TransitionId {
        /// The frame, from 0.
        frame: usize,
        /// The number.
        source: UnknownTransitionId,
    },
    /// Two self-loops of different states follow each other.
    SelfLoops {
        /// The second frame, from 0.
        frame: usize,
    },
    /// Statistics for trees do not fit each other.
    TreeStats(TreeError),
    /// A transition model cannot be made from a topology and a tree.
    Tree {
        /// Why.
        message: String,
    },
    /// A phone is not in a topology.
    Phone {
        /// The phone.
        got: i32,
    },
    /// A phone is not in a map of phones.
    UnmappedPhone {
        /// The phone.
        got: i32,
    },
    /// A text is not a list of phones.
    PhoneList {
        /// The text.
        got: String,
    },
    /// A file cannot be read, or makes no sense.
    Unreadable {
        /// Which, and why.
        message: String,
    },
    /// A line of a map of phones makes no sense.
    PhoneMap {
        /// The line, from 1; 0 if there is none.
        line: usize,
        /// The text of the line.
        got: String,
    },
    /// A tree has no pdf for a phone in its context.
    NoPdf {
        /// The phones around it, and itself.
        window: Vec<i32>,
        /// The pdf class.
        pdf_class: i32,
    },
    /// A model does not have a transition-state that a tree asks for.
    NoTransitionState {
        /// The phone, its state and its pdfs.
        tuple: TransitionTuple,
    },
    /// A phone cannot be as short as that.
    TooShort {
        /// The phone.
        phone: i32,
        /// The wanted number of frames.
        length: usize,
    },
    /// The weights of a frame are negative, so that it cannot be weighted as a whole.
    NegativeWeight {
        /// The frame, from 0.
        frame: usize,
    },
    /// A number in a frame is not a pdf of the model.
    Pdf {
        /// The frame, from 0.
        frame: usize,
        /// The number.
        got: i32,
        /// The number of pdfs.
        num_pdfs: usize,
    },
    /// Phones cannot be scored.
    Pronunciation {
        /// Why.
        message: String,
    },
    /// A vector has another length than a model asks for.
    Counts {
        /// What is counted.
        of: &'static str,
        /// The expected length.
        expected: usize,
        /// The length.
        got: usize,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TransitionId { frame, source } => write!(f, "frame {frame}: {source}"),
            Self::SelfLoops { frame } => {
                write!(f, "frame {frame}: the alignment goes from a self-loop of one state to that of another")
            }
            Self::TreeStats(error) => error.fmt(f),
            Self::Tree { message } | Self::Pronunciation { message } | Self::Unreadable { message } => {
                f.write_str(message)
            }
            Self::Phone { got } => write!(f, "phone {got} is not in the topology"),
            Self::UnmappedPhone { got } => write!(f, "could not map phone {got}: it is not in the map of phones"),
            Self::PhoneList { got } => write!(f, "expected phones such as 1:2:3, got {got:?}"),
            Self::PhoneMap { line: 0, .. } => f.write_str("expected lines of an old and a new phone, got an empty map"),
            Self::PhoneMap { line, got } => {
                write!(
                    f,
                    "line {line}: expected an old phone, which comes once, and a new phone, both above 0, got {got:?}"
                )
            }
            Self::NoPdf { window, pdf_class } => {
                write!(f, "the tree has no pdf for class {pdf_class} of the phone in the window {window:?}")
            }
            Self::NoTransitionState { tuple } => write!(
                f,
                "the model has no transition-state for phone {}, state {}, pdfs {} and {} (incompatible tree and model?)",
                tuple.phone, tuple.state, tuple.forward_pdf, tuple.self_loop_pdf
            ),
            Self::TooShort { phone, length } => write!(f, "phone {phone} has no path of {length} frames"),
            Self::NegativeWeight { frame } => {
                write!(f, "frame {frame}: expected weights that sum up to 0 or more, got a negative sum")
            }
            Self::Pdf { frame, got, num_pdfs } => {
                write!(f, "frame {frame}: pdf-id on input out of range, expected 0 to {}, got {got}", num_pdfs - 1)
            }
            Self::Counts { of, expected, got } => write!(f, "expected {expected} counts of {of}, got {got}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::TransitionId { source, .. } => Some(source),
            _ => None,
        }
    }
}

impl From<TreeError> for Error {
    fn from(error: TreeError) -> Self {
        Self::TreeStats(error)
    }
}
