//! What can go wrong with files of arrays.

use std::{fmt, io};

/// The result of a function of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A failure of reading or writing a file of arrays. The caller knows the file, and puts its name before the message.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file cannot be read or written.
    #[error(transparent)]
    Io(#[from] io::Error),
    /// What the file holds makes no sense, or has no place in it.
    #[error("{0}")]
    Content(String),
}

impl Error {
    pub(crate) fn content(message: impl fmt::Display) -> Self {
        Self::Content(message.to_string())
    }
}

#[cfg(feature = "npz")]
impl From<zip::result::ZipError> for Error {
    fn from(error: zip::result::ZipError) -> Self {
        match error {
            zip::result::ZipError::Io(error) => Self::Io(error),
            error => Self::content(error),
        }
    }
}
