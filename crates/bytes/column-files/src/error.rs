//! What can go wrong with files of columns.

/// The result of a function of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A failure of reading a file of columns.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// The file cannot be read.
    #[error(transparent)]
    Io(#[from] kaldi_io::Error),
    /// What is in it makes no sense, or is not read.
    #[error("{place}: {message}")]
    Content {
        /// The file, and where in it.
        place: String,
        /// What was expected, and what is there.
        message: String,
    },
}

impl Error {
    pub(crate) fn content(place: impl std::fmt::Display, message: impl std::fmt::Display) -> Self {
        Self::Content { place: place.to_string(), message: message.to_string() }
    }
}
