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

/// What stands before the number of a row.
const ROW: &str = ": row ";

impl CorpusPlace {
    /// A line of a file.
    pub fn line(name: &Arc<str>, line: u64) -> Self {
        Self { name: name.clone(), line: Some(line) }
    }

    /// A row of a file of columns, from 0.
    pub(crate) fn row(name: &str, row: u64) -> Self {
        Self { name: format!("{name}{ROW}{row}").into(), line: None }
    }

    /// Whether it is a row of a file of columns.
    pub(crate) fn is_row(&self) -> bool {
        self.row_of().is_some()
    }

    /// The name of the file, and the number of the line or row.
    pub(crate) fn file_and_number(&self) -> (&str, Option<u64>) {
        self.row_of().map_or((&self.name, self.line), |(file, row)| (file, Some(row)))
    }

    fn row_of(&self) -> Option<(&str, u64)> {
        let (file, row) = self.name.rsplit_once(ROW).filter(|_| self.line.is_none())?;
        Some((file, row.parse().ok()?))
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
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum Error {
    /// A file cannot be read.
    #[error(transparent)]
    Io(#[from] kaldi_io::Error),
    /// A folder cannot be read.
    #[error("cannot read the folder {name}: {source}")]
    Folder { name: String, source: std::io::Error },
    /// A file cannot be written.
    #[error("cannot write {name}: {source}")]
    Write { name: String, source: std::io::Error },
    /// A shard, or a file of cuts, cannot be read or makes no sense.
    #[error(transparent)]
    Shard(#[from] shards::Error),
    /// A file of columns cannot be read.
    #[error(transparent)]
    Columns(#[from] column_files::Error),
    /// Something makes no sense.
    #[error("{place}: {message}")]
    Content { place: CorpusPlace, message: String },
    /// Nothing is there to make a data directory of.
    #[error("{0}")]
    Nothing(String),
}
