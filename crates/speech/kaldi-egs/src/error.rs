//! What can go wrong with examples that were read well.

use bstr::BString;

/// The result of the functions of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Examples or options with which the work cannot be done.
///
/// Errors in the bytes of a value are [`kaldi_io::ParseError`]s instead.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum Error {
    /// An example has no input or output of this name.
    #[error("the example has no input or output of the name \"{name}\"")]
    NoIo { name: &'static str },
    /// An example has more than one sequence, where one is needed.
    #[error("expected an example of one sequence, got n = {n} in \"{name}\" (is it merged already?)")]
    Merged { name: BString, n: i32 },
    /// An input or output has no rows.
    #[error("\"{name}\" has no rows")]
    NoRows { name: BString },
    /// No row of an input or output is within the frames that are wanted.
    #[error("\"{name}\" has no row with a frame from {first} to {last}")]
    NothingKept { name: BString, first: i32, last: i32 },
    /// The frames of a chain example do not have a step.
    #[error("expected at least two ascending frames in \"{name}\"")]
    NoStep { name: BString },
    /// A sequence that is to be merged has a number beyond those of the first example.
    #[error("expected n below {num_sequences} in \"{name}\", as in the first example that is merged, got {n}")]
    Sequence { name: BString, n: i32, num_sequences: i64 },
    /// Rows that are to be put together have different dimensions.
    #[error("expected rows of {expected} columns in \"{name}\", got {got}")]
    Columns { name: BString, expected: i64, got: i64 },
    /// The index of a label or of an element of a row is not below the dimension.
    #[error("expected an index below {dim}, got {got}")]
    Label { dim: i32, got: i32 },
    /// The indexes of the elements of a row do not ascend.
    #[error("expected an index from {least} on, since indexes ascend, got {got}")]
    Order { least: i32, got: i32 },
    /// An utterance has fewer targets than its last chunk needs.
    #[error("expected at least {expected} rows of targets, as the last chunk needs, got {got}")]
    TooFewTargets { expected: usize, got: usize },
    /// The numbers of frames or indexes leave the range of 32 bits.
    #[error("the numbers of frames leave the range of 32 bits")]
    OutOfRange,
    /// A value of an option makes no sense.
    #[error("expected `{name}` to be {expected}, got \"{got}\"")]
    Option { name: &'static str, expected: &'static str, got: String },
    /// A matrix cannot be compressed, or does not fit.
    #[error(transparent)]
    Matrix(#[from] kaldi_matrix::Error),
}
