//! Entries of tables: framed, and parsed where and when somebody wants to.

use std::borrow::Cow;
use std::cell::Cell;
use std::fs::File;
use std::io;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

use bstr::{BStr, BString, ByteSlice};
use kaldi_io::{Block, Cursor, Encoded, Format, Frame, Output, ParseError, Value, Wanted, read_at, recognize};
use kaldi_log::warning;

use crate::{Error, Result, WorkError};

/// [`Value::frame`] of the type that a table holds; what lets the reading of streams do without type parameters.
pub(crate) type FrameFn = fn(&[u8], bool) -> Result<Frame, ParseError>;

/// A piece of a stream that holds whole entries; shared by them, and freed with the last one.
#[derive(Debug)]
pub(crate) struct Chunk {
    pub(crate) bytes: Vec<u8>,
    /// Offset in the stream of the first byte.
    pub(crate) base: u64,
    /// Printable name of the stream.
    pub(crate) name: Arc<str>,
}

impl AsRef<[u8]> for Chunk {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// A key and the bytes of its value.
#[derive(Clone, Debug)]
pub(crate) struct RawEntry {
    pub(crate) key: BString,
    pub(crate) chunk: Arc<Chunk>,
    /// Where the value is in the chunk, or as much of it as is in memory: its header at least.
    pub(crate) value: Range<usize>,
    /// Where the value is whole, where it is not so in memory.
    pub(crate) stored: Option<Stored>,
    /// Whether the key and one space stand right before the value.
    pub(crate) has_prefix: bool,
    /// The range of a script line, without its brackets.
    pub(crate) range: Option<BString>,
    /// The script file and line that the entry comes from.
    pub(crate) script: Option<(Arc<str>, u64)>,
    /// Log lines that belong before this entry.
    pub(crate) log: Vec<u8>,
    /// Whether what is doubtful about the value has been told.
    pub(crate) warned: Cell<bool>,
}

/// A value in a file that was not read, since its header told how long it is.
#[derive(Clone, Debug)]
pub(crate) struct Stored {
    /// The chunk's file, whose position is nobody else's.
    pub(crate) file: Arc<File>,
    /// Bytes of the whole value.
    pub(crate) length: u64,
}

impl RawEntry {
    /// The value's bytes as far as they are in memory.
    fn head(&self) -> &[u8] {
        &self.chunk.bytes[self.value.clone()]
    }

    /// Bytes that the whole value takes.
    fn length(&self) -> u64 {
        self.stored.as_ref().map_or(self.value.len() as u64, |stored| stored.length)
    }

    /// The value's offset in its stream.
    fn offset(&self) -> u64 {
        self.chunk.base + self.value.start as u64
    }

    /// The whole value, read now where it was not before.
    pub(crate) fn load(&self) -> Result<Cow<'_, [u8]>> {
        let Some(stored) = &self.stored else { return Ok(self.head().into()) };
        let failed =
            |source| kaldi_io::Error::Read { name: self.chunk.name.to_string(), offset: self.offset(), source };
        let length = usize::try_from(stored.length).map_err(|_| failed(io::ErrorKind::OutOfMemory.into()))?;
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(length).map_err(|_| failed(io::ErrorKind::OutOfMemory.into()))?;
        bytes.extend_from_slice(self.head());
        let in_memory = bytes.len();
        read_at(&stored.file, self.offset() + in_memory as u64, &mut bytes, length - in_memory).map_err(failed)?;
        Ok(bytes.into())
    }

    /// Writes the key, a space and the value, in one piece where they stand so in the stream.
    pub(crate) fn write_with_key(&self, output: &mut Output) -> Result<()> {
        if !self.has_prefix {
            output.write_all(&[self.key.as_slice(), b" "].concat())?;
            return self.write_value(output);
        }
        let start = self.value.start - self.key.len() - 1;
        match &self.stored {
            None => Ok(output.write_all(&self.chunk.bytes[start..self.value.end])?),
            Some(stored) => {
                let begin = self.chunk.base + start as u64;
                Ok(output.write_from(&stored.file, begin..self.offset() + stored.length)?)
            }
        }
    }

    /// Writes the value as it was read.
    pub(crate) fn write_value(&self, output: &mut Output) -> Result<()> {
        match &self.stored {
            None => Ok(output.write_all(self.head())?),
            Some(stored) => Ok(output.write_from(&stored.file, self.offset()..self.offset() + stored.length)?),
        }
    }

    /// Builds the value, or the part of it that the range names.
    pub(crate) fn parse<T: Value>(&self) -> Result<T> {
        let bytes = self.load()?;
        let mut cursor = Cursor::new(&bytes);
        let value = T::check_name(&bytes, &self.chunk.name).and_then(|()| match &self.range {
            Some(range) => T::read_range(&mut cursor, range),
            None => T::read(&mut cursor),
        });
        self.pass_on_warnings(&mut cursor);
        value.map_err(|error| self.error(error))
    }

    /// Logs what is doubtful about how the value was read, where that was not told before.
    fn pass_on_warnings(&self, cursor: &mut Cursor<'_>) {
        let warnings = cursor.take_warnings();
        if !warnings.is_empty() && !self.warned.replace(true) {
            warnings.into_iter().for_each(|warning| warning!("{}", self.error(warning)));
        }
    }

    /// Whether the value is unreadable for its range alone.
    pub(crate) fn has_wrong_range<T: Value>(&self) -> bool {
        self.range.is_some() && self.load().is_ok_and(|bytes| T::read(&mut Cursor::new(&bytes)).is_ok())
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

/// Entries that were framed together.
#[derive(Debug, Default)]
pub(crate) struct Batch {
    pub(crate) entries: Vec<RawEntry>,
    /// Log lines that belong behind the last entry.
    pub(crate) log: Vec<u8>,
}

impl Batch {
    pub(crate) fn weigh(&self) -> usize {
        self.entries.iter().map(|entry| entry.value.len() + 64).sum()
    }
}

/// An entry of a table of `T`, not parsed yet.
#[derive(Debug)]
pub struct Entry<'a, T> {
    raw: &'a RawEntry,
    unreadable: Cell<bool>,
    value: PhantomData<T>,
}

impl<'a, T: Value> Entry<'a, T> {
    pub(crate) fn new(raw: &'a RawEntry) -> Self {
        Self { raw, unreadable: Cell::new(false), value: PhantomData }
    }

    /// The key.
    pub fn key(&self) -> &'a BStr {
        self.raw.key.as_ref()
    }

    /// Builds the value.
    ///
    /// # Errors
    /// Where the bytes are no such value, with their place.
    pub fn read(&self) -> Result<T> {
        self.raw.parse().inspect_err(|_| self.unreadable.set(true))
    }

    /// Reads something of the value that can be had without building it, such as its size: `read` gets a cursor at the
    /// value's first byte and the range of the script line, if any. It should [skip](Cursor::skip) what it does not need:
    /// of a table that is [skimmed](crate::SequentialReader::skim) only the begin is in memory.
    ///
    /// # Errors
    /// Those of `read`, with their place.
    pub fn read_with<U>(&self, read: impl Fn(&mut Cursor<'_>, Option<&[u8]>) -> Result<U, ParseError>) -> Result<U> {
        let range = self.raw.range.as_ref().map(|range| range.as_slice());
        let head = self.raw.head();
        let read_from = |mut cursor: Cursor<'_>| {
            let result = T::check_name(head, &self.raw.chunk.name).and_then(|()| read(&mut cursor, range));
            self.raw.pass_on_warnings(&mut cursor);
            result
        };
        let result = match read_from(Cursor::new_head(head, self.raw.length() - head.len() as u64)) {
            Err(error) if error.at_end && self.raw.stored.is_some() => read_from(Cursor::new(&self.raw.load()?)),
            other => other,
        };
        result.map_err(|error| {
            self.unreadable.set(true);
            self.raw.error(error)
        })
    }

    /// Makes a record of the unchanged value in the given form; the bytes are passed on unparsed where they are in that
    /// form already.
    ///
    /// # Errors
    /// As [`Entry::read`].
    pub fn copy(&self, format: Format) -> Result<Record<T>> {
        let raw = self.raw;
        let is_canonical = || match &raw.stored {
            None => T::is_canonical_binary(raw.head()),
            Some(stored) => T::is_canonical_head(raw.head(), stored.length),
        };
        if format == Format::Binary && raw.range.is_none() && is_canonical() {
            return Ok(Record { key: self.raw.key.clone(), body: Body::Raw(self.raw.clone()), value: PhantomData });
        }
        Ok(Record::new(self.key(), &self.read()?, format))
    }

    /// The bytes of the value: nothing where a script line names a part of it, or where they are not all in memory.
    pub fn bytes(&self) -> Option<&'a [u8]> {
        (self.raw.range.is_none() && self.raw.stored.is_none()).then(|| self.raw.head())
    }

    /// Makes a record of `head` and, behind it, pieces of [`Entry::bytes`], which are passed on as they lie there.
    ///
    /// # Panics
    /// Where a piece does not lie within the bytes.
    pub fn rearranged(&self, head: Vec<u8>, mut pieces: Vec<Range<usize>>) -> Record<T> {
        let Range { start, end } = self.raw.value;
        for piece in &mut pieces {
            assert!(piece.end <= end - start, "pieces of {} bytes", end - start);
            *piece = piece.start + start..piece.end + start;
        }
        let block: Block = self.raw.chunk.clone();
        Record::from_bytes(self.key(), Encoded::of_pieces(head, block, pieces))
    }

    /// A failure of the work on this entry: puts its key before `message`, where it has one.
    pub fn error(&self, message: impl std::fmt::Display) -> WorkError {
        match self.key().is_empty() {
            true => message.to_string().into(),
            false => format!("{}: {message}", self.key()).into(),
        }
    }

    pub(crate) fn is_unreadable(&self) -> bool {
        self.unreadable.get()
    }
}

/// A key and its value in the form in which they are written; made by workers, put into a table by its writer.
#[derive(Debug)]
pub struct Record<T> {
    pub(crate) key: BString,
    pub(crate) body: Body,
    value: PhantomData<fn() -> T>,
}

#[derive(Debug)]
pub(crate) enum Body {
    /// The encoded value.
    Encoded(Encoded),
    /// The bytes that were read.
    Raw(RawEntry),
}

impl Body {
    pub(crate) fn write(&self, output: &mut Output) -> Result<()> {
        match self {
            Self::Encoded(value) => Ok(output.write_encoded(value)?),
            Self::Raw(raw) => raw.write_value(output),
        }
    }

    pub(crate) fn write_with_key(&self, key: &BStr, output: &mut Output) -> Result<()> {
        match self {
            Self::Encoded(value) => {
                output.write_all(&[key.as_bytes(), b" "].concat())?;
                Ok(output.write_encoded(value)?)
            }
            Self::Raw(raw) => raw.write_with_key(output),
        }
    }
}

impl<T: Value> Record<T> {
    /// Encodes a value; what is lost of it is a warning.
    pub fn new(key: &BStr, value: &T, format: Format) -> Self {
        warn_of_loss(key, value);
        let mut bytes = Vec::new();
        value.write(&mut bytes, format);
        Self::from_bytes(key, bytes)
    }

    /// Encodes a value that is not needed any more, which spares a copy of its elements in many cases.
    pub fn from_value(key: &BStr, value: T, format: Format) -> Self {
        warn_of_loss(key, &value);
        Self::from_bytes(key, value.into_encoded(format))
    }

    /// Takes a value that was encoded before.
    pub fn from_bytes(key: &BStr, bytes: impl Into<Encoded>) -> Self {
        Self { key: key.to_owned(), body: Body::Encoded(bytes.into()), value: PhantomData }
    }
}

impl<T> Record<T> {
    /// The key.
    pub fn key(&self) -> &BStr {
        self.key.as_ref()
    }
}

/// Logs what is lost of a value that is written under `key`, which is empty for a file that is no table.
pub(crate) fn warn_of_loss<T: Value>(key: &BStr, value: &T) {
    match value.loss() {
        Some(loss) if key.is_empty() => warning!("{loss}"),
        Some(loss) => warning!("{key}: {loss}"),
        None => {}
    }
}
