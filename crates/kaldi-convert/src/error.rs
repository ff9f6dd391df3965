//! What can go wrong between tables and other files.

use std::fmt;

/// The result of a function of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A failure of reading or writing a file of another program.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A stream failed.
    Io(kaldi_io::Error),
    /// A table failed.
    Table(kaldi_table::Error),
    /// A file of columns makes no sense, or is not read.
    Columns(column_files::Error),
    /// What a file holds makes no sense, or is not read.
    Content {
        /// The file, and where in it.
        place: String,
        /// What was expected, and what is there.
        message: String,
    },
    /// A value cannot be converted.
    Value {
        /// Its key.
        key: String,
        /// What was expected, and what it is.
        message: String,
    },
}

impl Error {
    pub(crate) fn content(place: impl fmt::Display, message: impl fmt::Display) -> Self {
        Self::Content { place: place.to_string(), message: message.to_string() }
    }

    pub(crate) fn value(key: impl fmt::Display, message: impl fmt::Display) -> Self {
        Self::Value { key: key.to_string(), message: message.to_string() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            Self::Table(error) => error.fmt(f),
            Self::Columns(error) => error.fmt(f),
            Self::Content { place, message } => write!(f, "{place}: {message}"),
            Self::Value { key, message } => write!(f, "{key}: {message}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => error.source(),
            Self::Table(error) => error.source(),
            Self::Columns(error) => error.source(),
            Self::Content { .. } | Self::Value { .. } => None,
        }
    }
}

impl From<kaldi_io::Error> for Error {
    fn from(error: kaldi_io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<kaldi_table::Error> for Error {
    fn from(error: kaldi_table::Error) -> Self {
        Self::Table(error)
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
