//! Entries as they lie in an archive: a key and the bytes of its value.

use std::borrow::Cow;
use std::cell::Cell;
use std::io;
use std::ops::Range;
use std::sync::Arc;

use bstr::{BStr, BString};
use kaldi_io::{Output, ParseError, ReadAt, Wanted, fallible, recognize};
use kaldi_log::warning;
use kaldi_values::with_type_advice;
use kaldi_values::{Cursor, Value};

use crate::framing::PartFn;
use crate::ranged::Ranged;
use crate::{Error, Result};

/// A piece of a stream that holds whole entries; shared by them, and freed with the last one.
#[derive(Debug)]
pub(crate) struct Chunk {
    pub(crate) bytes: Vec<u8>,
    /// Offset in the stream of the first byte.
    pub(crate) base: u64,
    /// Printable name of the stream.
    pub(crate) name: Arc<str>,
    /// The stream for reading at any place, where values may be left out of memory.
    pub(crate) source: Option<Arc<dyn ReadAt>>,
}

impl AsRef<[u8]> for Chunk {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// A key and the bytes of its value, framed and not parsed.
#[derive(Clone, Debug)]
pub struct RawEntry {
    pub(crate) key: BString,
    pub(crate) chunk: Arc<Chunk>,
    /// Bytes of the key and the space that stand right before the value; 0 where the key is not there.
    pub(crate) prefix: usize,
    /// Where the value is in the chunk, or as much of it as is in memory: its header at least.
    pub(crate) value: Range<usize>,
    /// Bytes of the whole value, where it is not whole in memory.
    pub(crate) stored: Option<u64>,
    /// Whether the value goes on to the end of the stream, whatever stands there.
    pub(crate) is_open: bool,
    /// The range of a script line.
    pub(crate) range: Option<Ranged>,
    /// The script file and line that the entry comes from.
    pub(crate) script: Option<(Arc<str>, u64)>,
    /// What it weighs besides the bytes of the value that are in memory.
    pub(crate) burden: usize,
    /// Log lines that belong before this entry.
    pub(crate) log: Vec<u8>,
    /// Whether what is doubtful about the value has been told.
    pub(crate) warned: Cell<bool>,
}

impl RawEntry {
    /// The key.
    pub fn key(&self) -> &BStr {
        self.key.as_ref()
    }

    /// Offset in the stream of the key.
    pub fn start(&self) -> u64 {
        self.offset() - self.prefix as u64
    }

    /// Offset in the stream of the value.
    pub fn offset(&self) -> u64 {
        self.chunk.base + self.value.start as u64
    }

    /// Offset in the stream behind the value.
    pub fn end(&self) -> u64 {
        self.offset() + self.length()
    }

    /// Whether the value goes on to the end of the stream, whatever stands there.
    pub fn is_open(&self) -> bool {
        self.is_open
    }

    /// The bytes of the value, or as many of them as are in memory: its header at least.
    pub fn head(&self) -> &[u8] {
        &self.chunk.bytes[self.value.clone()]
    }

    /// The bytes of key and value, where they are whole in memory.
    pub fn bytes(&self) -> Option<&[u8]> {
        self.stored.is_none().then(|| &self.chunk.bytes[self.value.start - self.prefix..self.value.end])
    }

    /// The stream for reading at any place, where that is possible.
    pub fn source(&self) -> Option<&Arc<dyn ReadAt>> {
        self.chunk.source.as_ref()
    }

    /// Bytes that the whole value takes.
    pub(crate) fn length(&self) -> u64 {
        self.stored.unwrap_or(self.value.len() as u64)
    }

    /// Bytes in memory, about, now or when the value is read.
    pub(crate) fn weigh(&self) -> usize {
        self.value.len().saturating_add(self.burden).saturating_add(64)
    }

    /// The whole value, read now where it was not before.
    ///
    /// # Errors
    /// Where the file cannot be read.
    pub fn load(&self) -> Result<Cow<'_, [u8]>> {
        let (Some(length), Some(source)) = (self.stored, &self.chunk.source) else { return Ok(self.head().into()) };
        let failed =
            |source| kaldi_io::Error::Read { name: self.chunk.name.to_string(), offset: self.offset(), source };
        let length = usize::try_from(length).map_err(|_| failed(io::ErrorKind::OutOfMemory.into()))?;
        let mut bytes = Vec::new();
        fallible(|| bytes.try_reserve_exact(length)).map_err(|_| failed(io::ErrorKind::OutOfMemory.into()))?;
        bytes.extend_from_slice(self.head());
        let in_memory = bytes.len();
        source.read_at(self.offset() + in_memory as u64, &mut bytes, length - in_memory).map_err(failed)?;
        Ok(bytes.into())
    }

    /// Writes the key, a space and the value, in one piece where they stand so in the stream.
    pub(crate) fn write_with_key(&self, output: &mut Output) -> Result<()> {
        let start = self.value.start - self.prefix;
        if self.prefix != self.key.len() + 1 || self.chunk.bytes[self.value.start - 1] != b' ' {
            output.write_all(&[self.key.as_slice(), b" "].concat())?;
            return self.write_from(self.value.start, output);
        }
        self.write_from(start, output)
    }

    /// Writes the key and the value as they were read, with the space between them.
    pub(crate) fn write_whole(&self, output: &mut Output) -> Result<()> {
        self.write_from(self.value.start - self.prefix, output)
    }

    /// Writes the value as it was read.
    pub(crate) fn write_value(&self, output: &mut Output) -> Result<()> {
        self.write_from(self.value.start, output)
    }

    /// Writes what stands in the stream from `start` in the chunk to the end of the value.
    fn write_from(&self, start: usize, output: &mut Output) -> Result<()> {
        let file = self.chunk.source.as_ref().and_then(|source| source.as_file());
        match (self.stored, file) {
            (Some(_), Some(file)) => Ok(output.write_from(file, self.chunk.base + start as u64..self.end())?),
            (Some(_), None) => {
                output.write_all(&self.chunk.bytes[start..self.value.start])?;
                Ok(output.write_all(&self.load()?)?)
            }
            (None, _) => Ok(output.write_all(&self.chunk.bytes[start..self.value.end])?),
        }
    }

    /// Builds the value, or the part of it that the range names.
    pub(crate) fn parse<T: Value>(&self) -> Result<T> {
        T::check_name(self.head(), &self.chunk.name).map_err(|error| self.error(error))?;
        let Some(ranged) = &self.range else {
            let bytes = self.load()?;
            let mut cursor = Cursor::new(&bytes);
            let value = T::read(&mut cursor);
            return self.settle(value, cursor.take_warnings());
        };
        if let Some((mut head, source)) = self.stored_head() {
            let part = ranged.read_pieces(&mut head, |piece, bytes| {
                let offset = self.offset() + piece.start;
                let length = usize::try_from(piece.end - piece.start).unwrap_or(usize::MAX);
                let failed = |source| kaldi_io::Error::Read { name: self.chunk.name.to_string(), offset, source };
                source.read_at(offset, bytes, length).map_err(failed)
            });
            if let Some(value) = part? {
                return self.settle(value, head.take_warnings());
            }
        }
        let (value, warnings) = ranged.read::<T, _>(&self.load()?, |cursor| T::read_range(cursor, &ranged.range));
        self.settle(value, warnings)
    }

    /// The begin of a value that is not whole in memory, and where all of it is.
    fn stored_head(&self) -> Option<(Cursor<'_>, &Arc<dyn ReadAt>)> {
        let head = self.head();
        Some((Cursor::new_head(head, self.stored? - head.len() as u64), self.chunk.source.as_ref()?))
    }

    /// Logs what is doubtful about how the value was read, where that was not told before, and puts the place to a fault.
    pub(crate) fn settle<U>(&self, read: Result<U, ParseError>, warnings: Vec<ParseError>) -> Result<U> {
        if !warnings.is_empty() && !self.warned.replace(true) {
            warnings.into_iter().for_each(|warning| warning!("{}", self.error(warning)));
        }
        let advised =
            |error: ParseError| if self.range.is_none() { with_type_advice(error, self.head()) } else { error };
        read.map_err(|error| self.error(advised(error)))
    }

    /// Whether the value is unreadable for its range alone.
    pub(crate) fn has_wrong_range<T: Value>(&self) -> bool {
        let Some(ranged) = &self.range else { return false };
        let is_wrong = |(mut head, _): (Cursor<'_>, _)| T::part(&mut head, &ranged.range).is_err();
        self.stored_head().is_some_and(is_wrong)
            || self.load().is_ok_and(|bytes| ranged.read::<T, _>(&bytes, T::read).0.is_ok())
    }

    /// Makes the entry weigh what its part will take in memory.
    pub(crate) fn weigh_part(&mut self, part: PartFn) {
        let (Some(ranged), Some((mut head, _))) = (&self.range, self.stored_head()) else { return };
        let length = match part(&mut head, &ranged.range) {
            Ok(Some(part)) => part.length(),
            Ok(None) => self.length(),
            Err(_) => 0,
        };
        self.burden = self.burden.saturating_add(usize::try_from(length).unwrap_or(usize::MAX));
    }

    /// Says what the stream is instead, for a fault in the first value of an archive or in a file of one value.
    fn recognize(&self) -> Option<String> {
        let wanted = match (self.value.start, self.script.is_some() || self.key.is_empty()) {
            (0, true) => Wanted::Value,
            (start, false) if start == self.key.len() + 1 => Wanted::Archive,
            _ => return None,
        };
        // What could be framed as a value is a waveform only where one was wanted.
        if self.chunk.base == 0 { recognize(&self.chunk.bytes, wanted, &self.chunk.name, self.value.end) } else { None }
    }

    /// Puts the place to a fault in the value.
    pub(crate) fn error(&self, source: ParseError) -> Error {
        let source = source.with_advice(self.recognize());
        let offset = self.offset() + source.offset as u64;
        let source = kaldi_io::Error::Content { name: self.chunk.name.to_string(), offset, source };
        let script = self.script.as_ref().map(|(name, line)| (name.to_string(), *line));
        Error::Entry { script, key: self.key.clone(), source: Box::new(source) }
    }
}
