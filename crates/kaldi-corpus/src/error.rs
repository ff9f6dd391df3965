//! What can go wrong with corpora.

use std::fmt;
use std::sync::Arc;

/// The result of working on a corpus.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Where something is: a file, or a line of it.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct CorpusPlace {
    /// The name of the file, for messages.
    pub name: Arc<str>,
    /// The number of the line, from 1.
    pub line: Option<u64>,
}

impl CorpusPlace {
    /// A line of a file.
    pub fn line(name: &Arc<str>, line: u64) -> Self {
        Self { name: name.clone(), line: Some(line) }
    }

    /// An error there.
    pub(crate) fn error(&self, message: impl Into<String>) -> Error {
        Error::Content { place: self.clone(), message: message.into() }
    }
}

impl fmt::Display for CorpusPlace {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "{}:{line}", self.name),
            None => f.write_str(&self.name),
        }
    }
}

/// An error of a corpus.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A file cannot be read.
    Io(kaldi_io::Error),
    /// A folder cannot be read.
    Folder {
        /// Its name.
        name: String,
        /// The error of the system.
        source: std::io::Error,
    },
    /// Something makes no sense.
    Content {
        /// Where it is.
        place: CorpusPlace,
        /// What was expected and found.
        message: String,
    },
    /// Nothing is there to make a data directory of.
    Nothing(String),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            Self::Folder { name, source } => write!(f, "cannot read the folder {name}: {source}"),
            Self::Content { place, message } => write!(f, "{place}: {message}"),
            Self::Nothing(message) => f.write_str(message),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => error.source(),
            Self::Folder { source, .. } => Some(source),
            Self::Content { .. } | Self::Nothing(_) => None,
        }
    }
}

impl From<kaldi_io::Error> for Error {
    fn from(error: kaldi_io::Error) -> Self {
        Self::Io(error)
    }
}
