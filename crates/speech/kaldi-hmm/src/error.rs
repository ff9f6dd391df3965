//! What can go wrong with models and alignments that do not fit each other.

use crate::TreeError;
use crate::transition_model::{TransitionTuple, UnknownTransitionId};

/// The result of the functions of this crate that can fail.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Models, alignments and posteriors that do not fit each other.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum Error {
    /// A number in a frame is not a transition-id.
    #[error("frame {frame}: {source}")]
    TransitionId { frame: usize, source: UnknownTransitionId },
    /// Two self-loops of different states follow each other.
    #[error("frame {frame}: the alignment goes from a self-loop of one state to that of another")]
    SelfLoops { frame: usize },
    /// Statistics for trees do not fit each other.
    #[error(transparent)]
    TreeStats(#[from] TreeError),
    /// A transition model cannot be made from a topology and a tree.
    #[error("{message}")]
    Tree { message: String },
    /// A phone is not in a topology.
    #[error("phone {got} is not in the topology")]
    Phone { got: i32 },
    /// A phone is not in a map of phones.
    #[error("could not map phone {got}: it is not in the map of phones")]
    UnmappedPhone { got: i32 },
    /// A text is not a list of phones.
    #[error("expected phones such as 1:2:3, got {got:?}")]
    PhoneList { got: String },
    /// A file cannot be read, or makes no sense.
    #[error("{message}")]
    Unreadable { message: String },
    /// A line of a map of phones makes no sense.
    #[error("{}", no_phone_map(*.line, .got))]
    PhoneMap { line: usize, got: String },
    /// A tree has no pdf for a phone in its context.
    #[error("the tree has no pdf for class {pdf_class} of the phone in the window {window:?}")]
    NoPdf { window: Vec<i32>, pdf_class: i32 },
    /// A model does not have a transition-state that a tree asks for.
    #[error(
        "the model has no transition-state for phone {}, state {}, pdfs {} and {} (incompatible tree and model?)",
        .tuple.phone, .tuple.state, .tuple.forward_pdf, .tuple.self_loop_pdf
    )]
    NoTransitionState { tuple: TransitionTuple },
    /// A phone cannot be as short as that.
    #[error("phone {phone} has no path of {length} frames")]
    TooShort { phone: i32, length: usize },
    /// The weights of a frame are negative, so that it cannot be weighted as a whole.
    #[error("frame {frame}: expected weights that sum up to 0 or more, got a negative sum")]
    NegativeWeight { frame: usize },
    /// A number in a frame is not a pdf of the model.
    #[error("frame {frame}: pdf-id on input out of range, expected 0 to {}, got {got}", .num_pdfs - 1)]
    Pdf { frame: usize, got: i32, num_pdfs: usize },
    /// Phones cannot be scored.
    #[error("{message}")]
    Pronunciation { message: String },
    /// A vector has another length than a model asks for.
    #[error("expected {expected} counts of {of}, got {got}")]
    Counts { of: &'static str, expected: usize, got: usize },
}

/// What is wrong with a map of phones: a line, or that it is empty.
fn no_phone_map(line: usize, got: &str) -> String {
    match line {
        0 => "expected lines of an old and a new phone, got an empty map".to_owned(),
        _ => {
            format!("line {line}: expected an old phone, which comes once, and a new phone, both above 0, got {got:?}")
        }
    }
}
