//! Errors of tables.

use std::fmt;

use bstr::{BStr, BString};
use kaldi_io::is_specifier;

/// The result of the functions of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of a program's work on an entry. The table puts the key of the entry before its message, unless it is an
/// [`Error`] of a table.
pub type WorkError = Box<dyn std::error::Error + Send + Sync>;

/// A failure of a table.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A stream failed, or its content makes no sense. No entry is concerned.
    Io(kaldi_io::Error),
    /// The text is not a valid rspecifier or wspecifier.
    Specifier {
        /// `rspecifier` or `wspecifier`.
        role: &'static str,
        /// The text as given.
        text: BString,
        /// What is wrong and what to write instead.
        advice: String,
    },
    /// A table should be copied to a file, or a file to a table.
    Mixed {
        /// What was to be read.
        from: BString,
        /// What was to be written.
        to: BString,
    },
    /// An entry could not be read.
    Entry {
        /// Printable name and line of the script file that names the entry, if any.
        script: Option<(String, u64)>,
        /// The entry's key; empty for a file that is no table.
        key: BString,
        /// What happened, with the place in the data.
        source: Box<kaldi_io::Error>,
    },
    /// A line of a script file makes no sense.
    ScriptLine {
        /// The printable name of the script file.
        script: String,
        /// Its number, from 1.
        line: u64,
        /// What is wrong with it.
        message: String,
    },
    /// An option of the rspecifier (`s`, `cs`, `o`) or the format promises something that is not so.
    Promise {
        /// The printable name of the table's file.
        table: String,
        /// Which promise, and which keys break it.
        message: String,
    },
    /// A key cannot be in a table.
    Key {
        /// The key.
        key: BString,
    },
    /// The file of a key would be outside of its folder.
    Outside {
        /// The printable name of the folder.
        folder: String,
        /// The key.
        key: BString,
    },
    /// A key has no place to be written to.
    NoPlace {
        /// The printable name of the script file.
        script: String,
        /// The key.
        key: BString,
    },
    /// Offsets cannot be known, because the archive is no file.
    NoOffsets {
        /// The printable name of the archive.
        archive: String,
    },
    /// A shard is wrong: its name, the offset, the member, what was expected and what was found.
    Shard(String),
    /// The work on an entry failed.
    Work {
        /// The entry's key; empty for a file that is no table.
        key: BString,
        /// The error that the work returned.
        source: WorkError,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            Self::Specifier { role, text, advice } => write!(f, "invalid {role} {text:?}: {advice}"),
            Self::Mixed { from, to } => {
                let file = if is_specifier(from.as_ref()) { to } else { from };
                let kind = if file == from && file.ends_with(b".scp") { "scp" } else { "ark" };
                write!(
                    f,
                    "Cannot mix archives with regular files: expected both or none of {from:?} and {to:?} to be a table \
                     (as a table, {file:?} is written {:?})",
                    format!("{kind}:{file}")
                )
            }
            Self::Entry { script, key, source } => {
                if let Some((script, line)) = script {
                    write!(f, "{script}:{line}: ")?;
                }
                if !key.is_empty() {
                    write!(f, "{key}: ")?;
                }
                source.fmt(f)?;
                self.advice().map_or(Ok(()), |advice| write!(f, " ({advice})"))
            }
            Self::ScriptLine { script, line, message } => write!(f, "{script}:{line}: {message}"),
            Self::Promise { table, message } => write!(f, "{table}: {message}"),
            Self::Key { key } => {
                write!(f, "\"{}\" cannot be a key: keys are words of printable characters", kaldi_io::excerpt(key))
            }
            Self::Outside { folder, key } => {
                write!(f, "the file of key {key:?} would be outside of the folder {folder}")
            }
            Self::NoPlace { script, key } => write!(f, "Script file {script} has no entry for key {key}"),
            Self::NoOffsets { archive } => {
                write!(f, "cannot write a script file for {archive}: there are no offsets in a pipe")
            }
            Self::Shard(fault) => f.write_str(fault),
            Self::Work { key, source } => {
                if !key.is_empty() {
                    write!(f, "{key}: ")?;
                }
                source.fmt(f)
            }
        }
    }
}

impl std::error::Error for Error {
    // Every message is complete: it ends with the message of its source.
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => error.source(),
            Self::Entry { source, .. } => source.source(),
            Self::Work { source, .. } => source.source(),
            _ => None,
        }
    }
}

impl Error {
    /// Advice about an entry whose file is not where its script file says; the message ends with it.
    pub fn advice(&self) -> Option<String> {
        match self {
            Self::Entry { script: Some((script, _)), source, .. } => crate::moved::advice(script, source),
            _ => None,
        }
    }

    /// Makes an error of a failure of work on the entry of `key`. An error of a table does not change: it names its
    /// place by itself.
    pub(crate) fn of_work(key: &BStr, error: WorkError) -> Self {
        match error.downcast::<Self>() {
            Ok(error) => *error,
            Err(source) => Self::Work { key: key.to_owned(), source },
        }
    }
}

impl From<kaldi_io::Error> for Error {
    fn from(error: kaldi_io::Error) -> Self {
        Self::Io(error)
    }
}
