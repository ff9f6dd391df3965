//! Going through an archive without parsing its values, and where it is a file, without reading them.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::Arc;

use bstr::{BStr, BString, ByteSlice};
use kaldi_io::{Input, ParseError, Rxfilename, Wanted, recognize};
use kaldi_table::{Error, Result};

use crate::detector::Detector;
use crate::key::{Front, front};
use crate::value_type::Extent;

/// Bytes that are read at once where a value was skipped: a key and a header.
const HEAD: usize = 128;
/// Bytes that are read at once where entries are small.
const CHUNK: usize = 1 << 19;
/// What is skipped only if it is longer, since reading on is as fast.
const SHORT: u64 = 1 << 13;
/// Bytes that are read to tell how an archive is cut, where it is known that it is.
const LAST_LOOK: u64 = 1 << 26;

/// An entry of an archive: its key, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScannedEntry {
    /// The key.
    pub key: BString,
    /// Offset of the key.
    pub start: u64,
    /// Offset of the value, as a script file has it.
    pub value: u64,
    /// Offset of what follows; white space behind text belongs to it.
    pub end: u64,
    /// Whether the value is in text form.
    pub is_text: bool,
    /// Whether the value goes on to the end of the stream, whatever is there.
    pub is_open: bool,
}

/// Goes through the entries of an archive.
///
/// In a regular file, headers are read and payloads skipped. In a pipe, an entry is in memory as long as it is the current
/// one.
#[derive(Debug)]
pub struct Scanner {
    input: Input,
    detector: Detector,
    name: BString,
    printable_name: Arc<str>,
    /// The file's length, where payloads can be skipped.
    length: Option<u64>,
    /// What was read from `base` on.
    window: Vec<u8>,
    base: u64,
    /// Where the current entry begins in the window, and how long it is.
    at: usize,
    current: u64,
    /// Bytes to read at once.
    ahead: usize,
}

impl Scanner {
    /// Opens an archive: a file, a file from an offset on, standard input or a command's output.
    ///
    /// # Errors
    /// Where the name is invalid, or the file or command cannot be opened.
    pub fn open(rxfilename: &BStr, detector: Detector) -> Result<Self> {
        let input = Input::open(rxfilename)?;
        let base = input.offset();
        let name = match Rxfilename::parse(rxfilename)? {
            // The offsets of entries count from the begin of the file.
            Rxfilename::Offset(..) => rxfilename.rsplit_once_str(b":").map_or(rxfilename, |(path, _)| path.into()),
            _ => rxfilename,
        };
        let length = input.remaining().map(|remaining| base + remaining);
        let ahead = if length.is_some() { HEAD } else { CHUNK };
        let name = name.into();
        let printable_name = input.name().into();
        let window = Vec::new();
        let scanner = Self { input, detector, name, printable_name, length, window, base, at: 0, current: 0, ahead };
        let real_length = scanner.file().and_then(|file| file.metadata().ok()).map(|metadata| metadata.len());
        if real_length.is_some_and(|length| length < base) {
            return Err(scanner.error(b"", ParseError::end(0, "an archive")));
        }
        Ok(scanner)
    }

    /// The name as given, without an offset: what to put before the offsets of entries.
    pub fn name(&self) -> &BStr {
        self.name.as_ref()
    }

    /// What messages call the archive.
    pub fn printable_name(&self) -> &Arc<str> {
        &self.printable_name
    }

    /// The file that the entries stand in, where it is a regular one.
    pub fn file(&self) -> Option<&Arc<File>> {
        self.length.map(|_| self.input.as_file())
    }

    /// What is known of the type of the values.
    pub fn detector(&self) -> &Detector {
        &self.detector
    }

    /// Length of the file from its begin, or of what was read of a stream.
    pub fn length(&self) -> u64 {
        self.length.unwrap_or(self.input.offset())
    }

    /// The bytes of the current entry, where the archive is no regular file.
    pub fn bytes(&self) -> &[u8] {
        let end = self.at + usize::try_from(self.current).unwrap_or(0);
        self.window.get(self.at..end).unwrap_or_default()
    }

    /// Moves on to the next entry, or returns nothing at the end.
    ///
    /// # Errors
    /// Where the stream cannot be read ([`Error::Io`]), is damaged or cut ([`Error::Entry`]), or where more than one type
    /// fits it ([`Error::Promise`]).
    pub fn next_entry(&mut self) -> Result<Option<ScannedEntry>> {
        self.move_on()?;
        let (start, key_end, value) = loop {
            let at_end = self.at_end();
            match front(self.rest(), at_end).map_err(|error| self.error(b"", error))? {
                Front::Key { start, end, value } => break (start, end, value),
                Front::Nothing => return Ok(None),
                Front::More => self.read_on(self.rest().len() + 1)?,
            }
        };
        self.at += start;
        let (key_length, value) = (key_end - start, value - start);
        let key = BString::from(&self.rest()[..key_length]);
        let extent = self.find_end(key.as_ref(), value)?;
        let is_text = self.detector.is_text(&self.rest()[value..]);
        self.current = value as u64
            + match extent {
                Extent::Bytes(length) => length,
                Extent::Rest | Extent::More(_) => self.length().saturating_sub(self.position() + value as u64),
            };
        if is_text {
            self.take_blanks()?;
            self.check_end(key.as_ref())?;
        }
        let start = self.position();
        Ok(Some(ScannedEntry {
            key,
            start,
            value: start + value as u64,
            end: start + self.current,
            is_text,
            is_open: extent == Extent::Rest,
        }))
    }

    /// Closes the archive.
    ///
    /// # Errors
    /// Where the command that should have written it failed.
    pub fn finish(self) -> Result<()> {
        Ok(self.input.finish()?)
    }

    /// How far the value reaches that starts at `value` in the rest; it is all there, and in memory where nothing can be
    /// skipped.
    fn find_end(&mut self, key: &BStr, value: usize) -> Result<Extent> {
        loop {
            let at_end = self.at_end();
            let window = &self.window[self.at + value..];
            let extent = self.detector.extent(window, at_end);
            let there = window.len() as u64;
            let extent = extent.map_err(|mut error| {
                error.offset += value;
                match self.detector.is_ambiguous() {
                    true => self.ambiguous(key, &error),
                    false => self.error(key, error),
                }
            })?;
            let left = match self.length {
                Some(length) => Some(length - self.position() - value as u64),
                None => at_end.then_some(there),
            };
            let (wanted, is_exact) = match extent {
                Extent::Bytes(length) if length <= there => return Ok(extent),
                Extent::Bytes(length) if self.length.is_some() && left >= Some(length) => return Ok(extent),
                Extent::Rest if at_end || self.length.is_some() => return Ok(extent),
                Extent::Bytes(length) => (length, true),
                Extent::More(length) => (length, false),
                Extent::Rest => (there + 1, false),
            };
            if let Some(left) = left
                && wanted > left
                && (is_exact || at_end || left > LAST_LOOK)
            {
                let message = format!("expected {} more bytes of the value, got the end of the input", wanted - left);
                let end = usize::try_from(value as u64 + left).unwrap_or(usize::MAX);
                return Err(self.error(key, ParseError { at_end: true, ..ParseError::new(end, message) }));
            }
            let wanted = wanted.min(left.unwrap_or(wanted)).saturating_add(value as u64);
            self.read_on(usize::try_from(wanted).unwrap_or(usize::MAX))?;
        }
    }

    /// Takes the white space behind the current entry to it.
    fn take_blanks(&mut self) -> Result<()> {
        loop {
            let used = self.bytes().len();
            let behind = &self.rest()[used..];
            let blank = behind.iter().take_while(|byte| matches!(byte, b' ' | b'\t'..=b'\r')).count();
            let is_all = blank < behind.len() || self.at_end();
            self.current += blank as u64;
            if is_all {
                return Ok(());
            }
            self.read_on(self.rest().len() + 1)?;
        }
    }

    #[cfg(test)]
    pub(crate) fn window_capacity(&self) -> usize {
        self.window.capacity()
    }

    /// Takes the last text for cut where it does not end its line, which readers do not.
    fn check_end(&self, key: &BStr) -> Result<()> {
        let text = self.bytes();
        let blank = &text[text.trim_ascii_end().len()..];
        if text.len() < self.rest().len() || blank.contains(&b'\n') {
            return Ok(());
        }
        Err(self.error(key, ParseError::end(text.len(), "the end of the line")))
    }

    /// What was read and does not belong to earlier entries.
    fn rest(&self) -> &[u8] {
        &self.window[self.at..]
    }

    /// Offset of the rest.
    fn position(&self) -> u64 {
        self.base + self.at as u64
    }

    /// Whether the window reaches to the end of the stream.
    fn at_end(&self) -> bool {
        match self.length {
            Some(length) => self.base + self.window.len() as u64 >= length,
            None => self.input.at_end(),
        }
    }

    /// Leaves the current entry behind.
    fn move_on(&mut self) -> Result<()> {
        let current = std::mem::take(&mut self.current);
        let in_window = self.rest().len() as u64;
        if current > in_window {
            let next = self.position() + current;
            if current - in_window >= SHORT {
                self.base = next;
                self.window.clear();
                self.at = 0;
                self.ahead = HEAD;
                return Ok(());
            }
            self.read_on(current as usize)?;
        }
        self.at += current as usize;
        Ok(())
    }

    /// Reads until the rest has `wanted` bytes or the stream ends.
    fn read_on(&mut self, wanted: usize) -> Result<()> {
        self.window.drain(..self.at);
        self.base += self.at as u64;
        self.at = 0;
        // A value that has grown long must grow by half before it is looked at once more.
        let grown = if self.window.len() > 4 * CHUNK { self.window.len() / 2 } else { 0 };
        let wanted = wanted.max(self.window.len().saturating_add(grown.max(1)));
        while self.window.len() < wanted && !self.at_end() {
            // A header may lie: what it claims is not reserved before it has come.
            let missing = (wanted - self.window.len()).min(self.window.len().max(CHUNK)).max(self.ahead);
            match self.length {
                Some(length) => self.read_at(missing, length)?,
                None => drop(self.input.read_some(&mut self.window, missing)?),
            }
            self.ahead = (2 * self.ahead).min(CHUNK);
        }
        Ok(())
    }

    /// Reads behind the window.
    fn read_at(&mut self, count: usize, length: u64) -> Result<()> {
        let old = self.window.len();
        let offset = self.base + old as u64;
        let count = usize::try_from(length - offset).unwrap_or(usize::MAX).min(count);
        self.window.resize(old + count, 0);
        let read = loop {
            match self.input.as_file().read_at(&mut self.window[old..], offset) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Ok(0) => break Err(io::Error::other("the file has become shorter")),
                other => break other,
            }
        };
        self.window.truncate(old + read.as_ref().copied().unwrap_or(0));
        read.map(drop)
            .map_err(|source| kaldi_io::Error::Read { name: self.printable_name.to_string(), offset, source }.into())
    }

    /// There need not be any fault in the archive.
    fn ambiguous(&self, key: &BStr, source: &ParseError) -> Error {
        let message = format!("the type of {key} at {} cannot be told: {source}", self.position());
        Error::Promise { table: self.printable_name().to_string(), message }
    }

    /// Puts the place to a fault whose offset counts from the rest.
    fn error(&self, key: &[u8], source: ParseError) -> Error {
        let is_begin = self.base == 0 && self.at == 0;
        let advice = is_begin.then(|| recognize(&self.window, Wanted::Archive, &self.printable_name, source.offset));
        if let Some(advice) = advice.flatten() {
            let source = ParseError::new(0, advice);
            return kaldi_io::Error::Content { name: self.printable_name.to_string(), offset: 0, source }.into();
        }
        let offset = self.position() + source.offset as u64;
        let source = kaldi_io::Error::Content { name: self.printable_name.to_string(), offset, source };
        Error::Entry { script: None, key: key.into(), source: Box::new(source) }
    }
}
