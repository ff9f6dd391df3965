//! What can go wrong between tables and other files.

use std::fmt;

/// The result of a function of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A failure of reading or writing a file of another program.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum Error {
    /// A stream failed.
    #[error(transparent)]
    Io(#[from] kaldi_io::Error),
    /// A table failed.
    #[error(transparent)]
    Table(#[from] kaldi_table::Error),
    /// A file of columns makes no sense, or is not read.
    #[error(transparent)]
    Columns(column_files::Error),
    /// What a file holds makes no sense, or is not read.
    #[error("{place}: {message}")]
    Content { place: String, message: String },
    /// A value cannot be converted.
    #[error("{key}: {message}")]
    Value { key: String, message: String },
}

impl Error {
    pub(crate) fn content(place: impl fmt::Display, message: impl fmt::Display) -> Self {
        Self::Content { place: place.to_string(), message: message.to_string() }
    }

    pub(crate) fn value(key: impl fmt::Display, message: impl fmt::Display) -> Self {
        Self::Value { key: key.to_string(), message: message.to_string() }
    }
}

impl From<column_files::Error> for Error {
    fn from(error: column_files::Error) -> Self {
        match error {
            column_files::Error::Io(error) => Self::Io(error),
            other => Self::Columns(other),
        }
    }
}
