//! Text files of a data directory: lines of a key and what belongs to it.

use std::fs;
use std::io::{Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

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

/// The files of a folder.
#[derive(Clone, Debug)]
pub(crate) struct Folder {
    path: PathBuf,
}

impl Folder {
    pub(crate) fn new(path: &Path) -> Self {
        Self { path: path.to_owned() }
    }

    /// The name of a file in it, as bytes.
    pub(crate) fn name(&self, file: &str) -> BString {
        self.path.join(file).as_os_str().as_encoded_bytes().into()
    }

    /// Whether there is such a file.
    pub(crate) fn has(&self, file: &str) -> bool {
        self.path.join(file).is_file()
    }

    /// Whether the last line of a file lacks its newline.
    pub(crate) fn ends_within_line(&self, file: &str) -> bool {
        let last = || -> std::io::Result<u8> {
            let mut file = fs::File::open(self.path.join(file))?;
            file.seek(SeekFrom::End(-1))?;
            let mut last = [0];
            file.read_exact(&mut last)?;
            Ok(last[0])
        };
        // An empty file is reported in another way.
        last().is_ok_and(|last| last != b'\n')
    }

    /// Passes every line of a file to `each`. Returns whether the file exists.
    ///
    /// # Errors
    /// If it cannot be read or is not text.
    pub(crate) fn for_each(&self, file: &str, each: impl FnMut(Row)) -> Result<bool> {
        let is_there = self.has(file);
        if is_there {
            each_row(self.name(file).as_bstr(), each)?;
        }
        Ok(is_there)
    }

    /// The lines of a file; `None` if there is no such file.
    ///
    /// # Errors
    /// As [`Folder::for_each`].
    pub(crate) fn rows(&self, file: &str) -> Result<Option<Vec<Row>>> {
        let mut rows = Vec::new();
        Ok(self.for_each(file, |row| rows.push(row))?.then_some(rows))
    }
}
