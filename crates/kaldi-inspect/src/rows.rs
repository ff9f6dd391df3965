//! Lists: text files whose lines have a key and what belongs to it.

use bstr::{BStr, BString, ByteSlice};
use kaldi_io::Lines;

use crate::{Error, Result};

/// A line of a list: a key, and the words after it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The number of the line, from 1.
    pub number: u64,
    /// The key; empty if the line is.
    pub key: BString,
    /// What is after the key, without white space at its ends.
    pub rest: BString,
    /// Whether there is a carriage return before the end of the line, as Windows programs write it.
    pub has_return: bool,
}

impl Row {
    fn read(number: u64, line: &[u8]) -> Self {
        let has_return = line.trim_end_with(|c| c == '\n').ends_with(b"\r");
        let line = line.trim_ascii();
        let end = line.iter().position(u8::is_ascii_whitespace).unwrap_or(line.len());
        Self { number, key: line[..end].into(), rest: line[end..].trim_ascii().into(), has_return }
    }

    /// The words after the key.
    pub fn words(&self) -> impl Iterator<Item = &BStr> {
        self.rest.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty()).map(ByteSlice::as_bstr)
    }

    /// The word at this place after the key, as a number.
    pub fn number_at(&self, place: usize) -> Option<f64> {
        self.words().nth(place)?.to_str().ok()?.parse().ok()
    }
}

/// Passes every line of a list to `each`.
///
/// # Errors
/// If it cannot be read or is not text.
pub fn each_row(rxfilename: &BStr, mut each: impl FnMut(Row)) -> Result<()> {
    let mut lines = Lines::open(rxfilename)?;
    loop {
        let number = lines.number() + 1;
        let Some(line) = lines.next_line().map_err(Error::from)? else { return Ok(()) };
        each(Row::read(number, line));
    }
}
