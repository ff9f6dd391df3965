//! Script files: lines of a key and the rxfilename of its value.
//!
//! ```text
//! utt1 raw.ark:5
//! utt2 raw.ark:9341[0:99]         rows 0 to 99 only
//! utt3 gunzip -c utt3.mat.gz |
//! ```

use std::collections::VecDeque;
use std::hash::{BuildHasher, RandomState};
use std::ops::Range;
use std::sync::Arc;

use bstr::{BStr, BString};
use hashbrown::HashTable;
use kaldi_io::log::warning;
use kaldi_io::{ExpectedStream, KeyedLine, Lines, Locator, LocatorError, is_remote, printable_rxfilename, recognize};

use crate::framing::Framing;
use crate::read::loader::ValueLoader;
use crate::{Error, Result};

/// One line of a script file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScriptLine {
    /// The key.
    pub key: BString,
    /// Where the value is read from, or written to.
    pub xfilename: BString,
}

impl ScriptLine {
    /// Where the value is.
    ///
    /// # Errors
    /// If the name is not an rxfilename, or the range after it makes no sense.
    pub fn locator(&self) -> Result<Locator, LocatorError> {
        Locator::parse(self.xfilename.as_ref())
    }

    /// Whether the value is the output of a command.
    pub fn is_command(&self) -> bool {
        self.locator().is_ok_and(|locator| locator.is_command())
    }

    /// Adds the script file and the line to an error of reading the value.
    pub(crate) fn error(&self, (name, number): (Arc<str>, u64), source: kaldi_io::Error) -> Error {
        if let kaldi_io::Error::Open { .. } | kaldi_io::Error::Name { .. } = source
            && let Some(message) = self.recognize(&name, number)
        {
            return Error::ScriptLine { script: name.to_string(), line: number, message };
        }
        Error::entry(Some((name.to_string(), number)), self.key.clone(), source)
    }
}

impl ScriptLine {
    /// Returns what the file of this name is instead, for a fault in the line of this number.
    pub(crate) fn recognize(&self, script: &str, number: u64) -> Option<String> {
        recognize_line(script, number, &[self.key.as_slice(), b" ", &self.xfilename].concat())
    }
}

/// Returns what a file is whose first line is not a line of a script file.
fn recognize_line(script: &str, number: u64, line: &[u8]) -> Option<String> {
    if number > 1 {
        return None;
    }
    recognize(line, ExpectedStream::Script, script, 0)
}

/// Splits a line into key and xfilename, without the white space around them.
///
/// # Errors
/// If one of them is missing; the message says what was expected.
pub fn parse_script_line(line: &[u8]) -> Result<ScriptLine, String> {
    let KeyedLine { key, rest } = KeyedLine::split(line);
    match rest.is_empty() {
        false => Ok(ScriptLine { key: key.into(), xfilename: rest.into() }),
        true => Err(format!("expected a key and a file name, got {:?}", BStr::new(line))),
    }
}

/// Appends the line for a value in an archive.
pub fn write_script_line(out: &mut Vec<u8>, key: impl AsRef<[u8]>, archive: impl AsRef<[u8]>, offset: u64) {
    out.extend_from_slice(key.as_ref());
    out.push(b' ');
    out.extend_from_slice(archive.as_ref());
    out.push(b':');
    kaldi_value::number::write_integer(out, offset as i64);
    out.push(b'\n');
}

/// The lines of a script file, read only as far as needed.
#[derive(Debug)]
pub struct ScriptLines {
    name: Arc<str>,
    lines: Lines,
    /// Number of the line delivered last, from 1.
    number: u64,
    /// What was read ahead, with the numbers of the lines. After an end or an error, nothing is read ahead.
    ahead: VecDeque<(u64, Result<Option<ScriptLine>>)>,
    /// This many of them are being fetched.
    num_expected: usize,
}

/// Lines that are read ahead.
const LINES: usize = 64;

impl ScriptLines {
    /// Opens a script file.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn open(rxfilename: &BStr) -> Result<Self> {
        Ok(Self {
            name: printable_rxfilename(rxfilename).as_ref().into(),
            lines: Lines::open_as(rxfilename, ExpectedStream::Script)?,
            number: 0,
            ahead: VecDeque::new(),
            num_expected: 0,
        })
    }

    /// The printable name of the script file.
    pub fn name(&self) -> &Arc<str> {
        &self.name
    }

    /// Number of the line delivered last, from 1.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Whether reading lines may have to wait.
    pub(crate) fn may_wait(&self) -> bool {
        self.lines.may_wait()
    }

    /// Whether the next line can be had without waiting.
    pub(crate) fn has_line(&self) -> bool {
        !self.ahead.is_empty() || self.lines.has_line()
    }

    /// The next line; `None` at the end. After a line that makes no sense, the next one can be asked for.
    ///
    /// # Errors
    /// If the script file cannot be read on, the line makes no sense, or a pipe failed at its end.
    pub fn next_line(&mut self) -> Result<Option<ScriptLine>> {
        self.num_expected = self.num_expected.saturating_sub(1);
        let (number, line) = match self.ahead.pop_front() {
            Some(next) => next,
            None => {
                let line = self.read_line();
                (self.lines.number(), line)
            }
        };
        self.number = number;
        line
    }

    /// Lets stores fetch the value of this line, which was just delivered, and the values of the lines after it, in
    /// advance. If it is not in a store, nothing is read ahead.
    pub fn expect_values<F: Framing>(&mut self, line: &ScriptLine, loader: &ValueLoader<F>) {
        if !is_remote(&line.xfilename) || self.num_expected > LINES / 2 {
            return;
        }
        let may_go_on = |ahead: &VecDeque<_>| ahead.back().is_none_or(|(_, line)| matches!(line, Ok(Some(_))));
        while self.ahead.len() < LINES && may_go_on(&self.ahead) && self.lines.has_line() {
            let line = self.read_line();
            self.ahead.push_back((self.lines.number(), line));
        }
        let first = (self.num_expected == 0).then_some(line);
        let new = self.ahead.iter().skip(self.num_expected).filter_map(|(_, line)| line.as_ref().ok()?.as_ref());
        loader.expect(first.into_iter().chain(new));
        self.num_expected = self.ahead.len();
    }

    fn read_line(&mut self) -> Result<Option<ScriptLine>> {
        let number = self.lines.number() + 1;
        match self.lines.next_line() {
            Ok(Some(line)) => match parse_script_line(line) {
                Ok(line) => Ok(Some(line)),
                Err(message) => {
                    let message = recognize_line(&self.name, number, line).unwrap_or(message);
                    Err(self.error(number, message))
                }
            },
            Ok(None) => Ok(None),
            Err(kaldi_io::Error::Content { source, .. }) => Err(self.error(number, source.to_string())),
            Err(error) => Err(error.into()),
        }
    }

    pub(crate) fn restart(&mut self) -> Result<()> {
        self.ahead.clear();
        (self.number, self.num_expected) = (0, 0);
        Ok(self.lines.restart()?)
    }

    /// Closes the file. A command that failed is an error if its lines were read to the end.
    ///
    /// # Errors
    /// If the command failed.
    pub fn finish(&mut self) -> Result<()> {
        self.ahead.clear();
        Ok(self.lines.finish()?)
    }

    pub(crate) fn error(&self, line: u64, message: String) -> Error {
        Error::ScriptLine { script: self.name.to_string(), line, message }
    }
}

/// Reads a whole script file.
///
/// # Errors
/// If it cannot be read, or a line makes no sense.
pub fn read_script(rxfilename: impl AsRef<[u8]>, permissive: bool) -> Result<Vec<ScriptLine>> {
    let mut script = Vec::new();
    for_each_line(BStr::new(rxfilename.as_ref()), permissive, |line| {
        script.push(line);
        Ok(())
    })?;
    Ok(script)
}

/// Calls `each` with all lines of a script file.
fn for_each_line(rxfilename: &BStr, permissive: bool, mut each: impl FnMut(ScriptLine) -> Result<()>) -> Result<()> {
    let mut lines = ScriptLines::open(rxfilename)?;
    loop {
        match lines.next_line() {
            Ok(Some(line)) => each(line)?,
            Ok(None) => return Ok(()),
            Err(Error::Io(error @ kaldi_io::Error::Status { .. })) if permissive => {
                warning!("{error}; ignored, as permissive mode (p) asks");
            }
            Err(Error::Io(error)) if permissive && error.is_damage() => {
                warning!("{error}; the lines from there on are left out, as permissive mode (p) asks");
                return Ok(());
            }
            Err(error) => return Err(error),
        }
    }
}

/// A script file in memory, to find entries by key.
///
/// A line takes its bytes, 16 bytes for its place, and 10 to 21 bytes of the index.
pub(crate) struct Script {
    pub(crate) name: Arc<str>,
    /// Keys and names of all lines, one after the other.
    text: Vec<u8>,
    places: Vec<LineBounds>,
    /// Numbers of the lines, counted from 0, by the hashes of their keys.
    index: HashTable<usize>,
    hasher: RandomState,
}

/// Where a line is in the text.
struct LineBounds {
    start: usize,
    /// The end of the key, where the name starts.
    middle: usize,
}

impl Script {
    /// Reads the whole file. With `sorted`, its keys have to ascend.
    pub(crate) fn read(rxfilename: &BStr, sorted: bool, permissive: bool) -> Result<Self> {
        let mut script = Self {
            name: printable_rxfilename(rxfilename).as_ref().into(),
            text: Vec::new(),
            places: Vec::new(),
            index: HashTable::new(),
            hasher: RandomState::new(),
        };
        for_each_line(rxfilename, permissive, |line| script.push(&line, sorted))?;
        Ok(script)
    }

    fn push(&mut self, line: &ScriptLine, sorted: bool) -> Result<()> {
        let number = self.places.len();
        let error = |message| Error::ScriptLine { script: self.name.to_string(), line: number as u64 + 1, message };
        let key = line.key.as_slice();
        if let Some(first) = self.number(key) {
            let message = format!("contains duplicate key {}, which line {} has already", line.key, first + 1);
            return Err(error(message));
        }
        if sorted
            && let Some(before) = number.checked_sub(1).map(|before| self.key(before))
            && before > key
        {
            let message = format!(
                "is not sorted, though the option s says so: {} is followed by {} (sort with LC_ALL=C, or remove s)",
                BStr::new(before),
                line.key
            );
            return Err(error(message));
        }
        let start = self.text.len();
        self.text.extend_from_slice(key);
        self.places.push(LineBounds { start, middle: self.text.len() });
        self.text.extend_from_slice(&line.xfilename);
        let Self { text, places, index, hasher, .. } = self;
        let rehash = |&number: &usize| {
            let LineBounds { start, middle } = places[number];
            hasher.hash_one(&text[start..middle])
        };
        index.insert_unique(hasher.hash_one(key), number, rehash);
        Ok(())
    }

    /// The key of a line.
    fn key(&self, number: usize) -> &[u8] {
        let LineBounds { start, middle } = self.places[number];
        &self.text[start..middle]
    }

    /// The number of the line of `key`, counted from 0.
    fn number(&self, key: &[u8]) -> Option<usize> {
        self.index.find(self.hasher.hash_one(key), |&number| self.key(number) == key).copied()
    }

    fn line(&self, number: usize) -> ScriptLine {
        let end = self.places.get(number + 1).map_or(self.text.len(), |next| next.start);
        let xfilename = &self.text[self.places[number].middle..end];
        ScriptLine { key: self.key(number).into(), xfilename: xfilename.into() }
    }

    /// The line of `key` and its number, from 1.
    pub(crate) fn find(&self, key: &BStr) -> Option<(ScriptLine, u64)> {
        let number = self.number(key)?;
        Some((self.line(number), number as u64 + 1))
    }

    /// Whether there is a line of `key`.
    pub(crate) fn has(&self, key: &BStr) -> bool {
        self.number(key).is_some()
    }

    /// The lines of these numbers, from 1, as far as there are that many.
    pub(crate) fn lines(&self, numbers: Range<u64>) -> Vec<ScriptLine> {
        let indices = numbers.start.saturating_sub(1)..numbers.end.saturating_sub(1).min(self.places.len() as u64);
        indices.map(|index| self.line(index as usize)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn white_space_around_key_and_name_is_dropped() {
        let t = |line: &str, key: &str, name: &str| {
            let expected = ScriptLine { key: key.into(), xfilename: name.into() };
            assert_eq!(parse_script_line(line.as_bytes()), Ok(expected), "{line:?}");
        };
        t("a b", "a", "b");
        t("  a \t b c |  \r", "a", "b c |");
        t("a\tb", "a", "b");
        for line in ["", " ", "a", " a ", "\t"] {
            assert!(parse_script_line(line.as_bytes()).is_err(), "{line:?}");
        }
    }
}
