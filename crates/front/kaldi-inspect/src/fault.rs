//! Faults of tables.

use std::fmt;

use crate::Error;

/// Something that is wrong with a table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The name of the table, or of the file of a data directory.
    pub table: String,
    /// The key of the entry, or the number of the line; empty for the table as a whole.
    pub place: String,
    /// What is wrong.
    pub message: String,
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.place.is_empty() {
            true => write!(f, "{}: {}", self.table, self.message),
            false => write!(f, "{}: {}: {}", self.table, self.place, self.message),
        }
    }
}

impl Fault {
    pub(crate) fn new(table: &str, place: impl AsRef<[u8]>, message: impl Into<String>) -> Self {
        Self { table: table.to_owned(), place: kaldi_io::excerpt(place.as_ref()).to_string(), message: message.into() }
    }

    /// An entry that cannot be read.
    fn of_entry(table: &str, error: &kaldi_table::Error) -> Self {
        let kaldi_table::Error::Entry { key, source, .. } = error else {
            return Self::new(table, "", error.to_string());
        };
        let advice = error.advice().map_or_else(String::new, |advice| format!(" ({advice})"));
        Self::new(table, key, format!("{source}{advice}"))
    }

    /// The fault behind an error of reading the table.
    pub(crate) fn of(table: &str, error: Error) -> Self {
        match error {
            Error::Table(error @ kaldi_table::Error::Entry { .. }) => Self::of_entry(table, &error),
            Error::Table(kaldi_table::Error::ScriptLine { line, message, .. }) => {
                Self::new(table, format!("line {line}"), message)
            }
            Error::Table(kaldi_table::Error::Promise { message, .. }) => Self::new(table, "", message),
            other => Self::new(table, "", other.to_string()),
        }
    }
}
