//! What can go wrong with pieces of a command.

use std::path::{Path, PathBuf};
use std::{fmt, io};

/// The result of the functions of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A failure of planning, running or joining pieces.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A file of the state folder, or a list, cannot be read.
    Read {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// A file of the state folder cannot be written.
    Write {
        /// The file.
        path: PathBuf,
        /// The reason.
        source: io::Error,
    },
    /// A record of the state folder is not what was written there.
    Record {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        message: String,
    },
    /// A program cannot be started.
    Start {
        /// The program.
        program: String,
        /// The reason.
        source: io::Error,
    },
    /// The command line cannot run in pieces.
    Plan(String),
    /// The state folder belongs to something else.
    Folder(String),
    /// The engine refuses, or does not answer.
    Engine(String),
    /// A table cannot be read.
    Table(kaldi_table::Error),
    /// An output cannot be written.
    Io(kaldi_io::Error),
}

impl Error {
    pub(crate) fn read(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Read { path: path.to_owned(), source }
    }

    pub(crate) fn write(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Write { path: path.to_owned(), source }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Read { path, source } => write!(f, "cannot read {}: {source}", path.display()),
            Self::Write { path, source } => write!(f, "cannot write {}: {source}", path.display()),
            Self::Record { path, message } => write!(f, "{}: {message}", path.display()),
            Self::Start { program, source } => write!(f, "cannot run {program}: {source}"),
            Self::Plan(message) | Self::Folder(message) | Self::Engine(message) => f.write_str(message),
            Self::Table(error) => error.fmt(f),
            Self::Io(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {}

impl From<kaldi_table::Error> for Error {
    fn from(error: kaldi_table::Error) -> Self {
        Self::Table(error)
    }
}

impl From<kaldi_io::Error> for Error {
    fn from(error: kaldi_io::Error) -> Self {
        Self::Io(error)
    }
}
