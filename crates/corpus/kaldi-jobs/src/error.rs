//! What can go wrong with pieces of a command.

use std::io;
use std::path::{Path, PathBuf};

/// The result of the functions of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A failure of planning, running or joining pieces.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum Error {
    /// A file of the state folder, or a list, cannot be read.
    #[error("cannot read {}: {source}", .path.display())]
    Read { path: PathBuf, source: io::Error },
    /// A file of the state folder cannot be written.
    #[error("cannot write {}: {source}", .path.display())]
    Write { path: PathBuf, source: io::Error },
    /// A record of the state folder is damaged.
    #[error("{}: {message}", .path.display())]
    Record { path: PathBuf, message: String },
    /// A program cannot be started.
    #[error("cannot run {program}: {source}")]
    Start { program: String, source: io::Error },
    /// The command line cannot run in pieces.
    #[error("{0}")]
    Plan(String),
    /// The state folder belongs to something else.
    #[error("{0}")]
    Folder(String),
    /// The engine refuses, or does not answer.
    #[error("{0}")]
    Engine(String),
    /// A table cannot be read.
    #[error(transparent)]
    Table(#[from] kaldi_table::Error),
    /// An output cannot be written.
    #[error(transparent)]
    Io(#[from] kaldi_io::Error),
}

impl Error {
    pub(crate) fn read(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Read { path: path.to_owned(), source }
    }

    pub(crate) fn write(path: &Path) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::Write { path: path.to_owned(), source }
    }
}
