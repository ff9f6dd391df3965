//! What can go wrong, and the faults of a dataset.

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};

use crate::TokenType;

/// The result of the functions of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A failure.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum Error {
    /// A file could not be opened.
    #[error("cannot open {}: {}", shown(.path), reason(.source))]
    Open { path: PathBuf, source: io::Error },
    /// A folder could not be made, or its names could not be read.
    #[error(transparent)]
    Folder(#[from] kaldi_io::Error),
    /// A file could not be read.
    #[error("cannot read {}:{offset}: {}", shown(.path), reason(.source))]
    Read { path: PathBuf, offset: u64, source: io::Error },
    /// A file could not be written.
    #[error("cannot write {}: {}", shown(.path), reason(.source))]
    Write { path: PathBuf, source: io::Error },
    /// The files are not what they should be.
    #[error("{0}")]
    Fault(Box<DatasetFault>),
    /// The file has another format, whose name is known.
    #[error("{}: expected an index (MMIDIDX), found {format}", shown(.path))]
    Foreign { path: PathBuf, format: String },
    /// A token does not fit the type to write.
    #[error("{sequence}: token {position}: expected {expected}, found {value}")]
    Token { sequence: String, position: u64, value: i128, expected: String },
    /// A request that the dataset cannot fulfil, or that makes no sense.
    #[error("{0}")]
    Request(String),
}

impl Error {
    pub(crate) fn open(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        |source| Self::Open { path, source }
    }

    pub(crate) fn read(path: &Path, offset: u64) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Read { path, offset, source }
    }

    pub(crate) fn write(path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        |source| Self::Write { path, source }
    }

    /// A token that is outside of the range of `token_type`.
    pub(crate) fn misfit(sequence: impl fmt::Display, misfit: Misfit, token_type: TokenType) -> Self {
        let expected = format!("a number that fits {token_type}");
        Self::Token { sequence: sequence.to_string(), position: misfit.position, value: misfit.value, expected }
    }
}

/// A contradiction in the files of a dataset.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DatasetFault {
    /// The file in which it is.
    pub file: PathBuf,
    /// `magic`, `version`, `type code`, `length`, `sizes`, `pointers`, `documents` or `tokens`.
    pub field: &'static str,
    /// The entry of an array, counted from 0; for `tokens`, the position in the whole file.
    pub position: Option<u64>,
    /// What should be there.
    pub expected: String,
    /// What is there.
    pub found: String,
}

impl DatasetFault {
    pub(crate) fn new(
        file: &Path,
        field: &'static str,
        position: Option<u64>,
        expected: impl fmt::Display,
        found: impl fmt::Display,
    ) -> Self {
        Self { file: file.to_owned(), field, position, expected: expected.to_string(), found: found.to_string() }
    }
}

impl fmt::Display for DatasetFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { file, field, position, expected, found } = self;
        let position = position.map(|position| format!("[{position}]")).unwrap_or_default();
        write!(f, "{}: {field}{position}: expected {expected}, found {found}", shown(file))
    }
}

impl From<DatasetFault> for Error {
    fn from(fault: DatasetFault) -> Self {
        Self::Fault(Box::new(fault))
    }
}

/// A token that does not fit a type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Misfit {
    /// Its position among the tokens, counted from 0.
    pub position: u64,
    /// The token.
    pub value: i128,
}

/// A name on one line, quoted if necessary.
pub(crate) fn shown(path: &Path) -> String {
    if let Some(name) = kaldi_io::remote_name(path) {
        return kaldi_io::printable_rxfilename(name).into_owned();
    }
    let name = path.to_string_lossy();
    if name.contains(|c: char| c.is_control()) { format!("{name:?}") } else { name.into_owned() }
}

/// The system's reason, without the number that Rust appends.
fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    match text.split_once(" (os error") {
        Some((reason, _)) => reason.to_owned(),
        None => text,
    }
}
