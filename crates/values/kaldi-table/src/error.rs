//! Errors of tables.

use std::fmt;

use bstr::{BStr, BString};
use kaldi_io::{advise_on_moved, is_specifier};

/// The result of the functions of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of a program's work on an entry. The table puts the key of the entry before its message, unless it is an
/// [`Error`] of a table.
pub type WorkError = Box<dyn std::error::Error + Send + Sync>;

/// A failure of a table.
#[derive(thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum Error {
    /// A stream failed, or its content makes no sense. No entry is concerned.
    #[error(transparent)]
    Io(#[from] kaldi_io::Error),
    /// The text is not a valid rspecifier or wspecifier.
    #[error("invalid {role} {text:?}: {advice}")]
    Specifier { role: &'static str, text: BString, advice: String },
    /// A table should be copied to a file, or a file to a table.
    #[error(
        "Cannot mix archives with regular files: expected both or none of {from:?} and {to:?} to be a table ({})",
        as_table(.from, .to)
    )]
    Mixed { from: BString, to: BString },
    /// An entry could not be read. The key of a file that is no table is empty.
    #[error("{}{}{source}{}", script_place(.script.as_ref()), key_place(.key), in_brackets(.advice.as_ref()))]
    Entry { script: Option<(String, u64)>, key: BString, source: Box<kaldi_io::Error>, advice: Option<String> },
    /// A line of a script file makes no sense.
    #[error("{script}:{line}: {message}")]
    ScriptLine { script: String, line: u64, message: String },
    /// An option of the rspecifier (`s`, `cs`, `o`) or the format promises something that is not so.
    #[error("{table}: {message}")]
    Promise { table: String, message: String },
    /// A key cannot be in a table.
    #[error("\"{}\" cannot be a key: keys are words of printable characters", kaldi_io::excerpt(.key))]
    Key { key: BString },
    /// The file of a key would be outside of its folder.
    #[error("the file of key {key:?} would be outside of the folder {folder}")]
    Outside { folder: String, key: BString },
    /// A key has no place to be written to.
    #[error("Script file {script} has no entry for key {key}")]
    NoPlace { script: String, key: BString },
    /// Offsets cannot be known, because the archive is no file.
    #[error("cannot write a script file for {archive}: there are no offsets in a pipe")]
    NoOffsets { archive: String },
    /// A shard is wrong: its name, the offset, the member, what was expected and what was found.
    #[error("{0}")]
    Shard(String),
    /// The work on an entry failed.
    #[error("{}{source}", key_place(.key))]
    Work { key: BString, source: WorkError },
}

/// The same text as `Display`. It is not derived: what is derived is compiled anew in each crate that has such an error.
impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl Error {
    /// An entry that could not be read ([`Error::Entry`]), with the advice of the session of this thread.
    pub(crate) fn entry(script: Option<(String, u64)>, key: BString, source: kaldi_io::Error) -> Self {
        let advice = script.as_ref().and_then(|(script, _)| advise_on_moved(script, &source));
        Self::Entry { script, key, source: Box::new(source), advice }
    }

    /// Advice about an entry whose file is not where its script file says; the message ends with it.
    pub fn advice(&self) -> Option<&str> {
        match self {
            Self::Entry { advice, .. } => advice.as_deref(),
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

/// How the name of a file is written as a table, which the other name is.
fn as_table(from: &BString, to: &BString) -> String {
    let file = if is_specifier(from.as_ref()) { to } else { from };
    let kind = if file == from && file.ends_with(b".scp") { "scp" } else { "ark" };
    format!("as a table, {file:?} is written {:?}", format!("{kind}:{file}"))
}

fn script_place(script: Option<&(String, u64)>) -> String {
    script.map_or(String::new(), |(script, line)| format!("{script}:{line}: "))
}

fn key_place(key: &BString) -> String {
    if key.is_empty() { String::new() } else { format!("{key}: ") }
}

fn in_brackets(advice: Option<&String>) -> String {
    advice.map_or(String::new(), |advice| format!(" ({advice})"))
}
