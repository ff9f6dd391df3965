//! Text files that are read as a whole.

use bstr::BStr;

use crate::{Error, Input, Result};

/// Why a text file, such as a lexicon, cannot be read.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TextError {
    /// The file cannot be read.
    #[error(transparent)]
    Io(#[from] Error),
    /// A line is not what it should be.
    #[error("{name}:{line}: {message}")]
    Line {
        /// The file.
        name: String,
        /// The number of the line, from 1.
        line: u64,
        /// What was expected, and what is there.
        message: String,
    },
    /// The whole text is not what it should be.
    #[error("{name}: {message}")]
    Whole {
        /// The file.
        name: String,
        /// What was expected, and what is there.
        message: String,
    },
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
