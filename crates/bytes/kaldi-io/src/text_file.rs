//! Text files that are read as a whole.

use bstr::BStr;

use crate::{Error, Input, Result};

/// Why a text file, such as a lexicon, cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum TextError {
    /// The file cannot be read.
    #[error(transparent)]
    Io(#[from] Error),
    /// A line is not what it should be.
    #[error("{name}:{line}: {message}")]
    Line { name: String, line: u64, message: String },
    /// The whole text is not what it should be.
    #[error("{name}: {message}")]
    Whole { name: String, message: String },
}

/// Reads the text that an rxfilename names, without a byte order mark; returns its printable name, too.
///
/// # Errors
/// If the file cannot be read, or its command fails.
pub fn read_text_file(rxfilename: &BStr) -> Result<(String, Vec<u8>)> {
    let mut input = Input::open(rxfilename)?;
    let text = input.read_text()?;
    let name = input.name().to_owned();
    input.finish()?;
    Ok((name, text))
}
