//! Entries as they are in an archive: a key and the bytes of its value.

use std::borrow::Cow;
use std::cell::Cell;
use std::ops::Range;
use std::sync::Arc;

use bstr::{BStr, BString};
use kaldi_io::log::warning;
use kaldi_io::{Blob, ExpectedStream, Output, ParseError, TextLines, recognize};
use kaldi_value::{Cursor, Value};

use crate::framing::Framing;
use crate::ranged::Ranged;
use crate::value_fns::{ReadFn, ValueFns, kept};
use crate::{Error, Result};

/// Bytes that a detached entry keeps of a value in a file.
const KEPT: usize = 1 << 8;

/// A key and its value, framed and not parsed.
#[derive(Clone, Debug)]
pub struct RawEntry {
    pub(crate) key: BString,
    /// The value.
    pub(crate) blob: Blob,
    /// Bytes of the key and the space directly before the value; 0 if the key is not there.
    pub(crate) prefix: usize,
    pub(crate) is_text: bool,
    /// Whether the value ends with the stream, whatever is there.
    pub(crate) is_open: bool,
    /// How lines are counted up to the value.
    pub(crate) lines: TextLines,
    /// The range of a script line.
    pub(crate) range: Option<Ranged>,
    /// The script file and line that the entry comes from.
    pub(crate) script: Option<(Arc<str>, u64)>,
    /// Its weight besides the bytes of the value that are in memory.
    pub(crate) mem_size: usize,
    /// Whether doubtful places of the value have been reported.
    pub(crate) warned: Cell<bool>,
    /// The functions of the type as which the work on the entry could not read the value.
    pub(crate) unreadable: Cell<Option<&'static ValueFns>>,
}

impl RawEntry {
    /// A new entry of this key and value.
    #[inline]
    pub(crate) fn new(key: BString, blob: Blob) -> Self {
        Self {
            key,
            is_text: blob.head().first() != Some(&0),
            blob,
            prefix: 0,
            is_open: false,
            lines: TextLines::Unknown,
            range: None,
            script: None,
            mem_size: 0,
            warned: Cell::new(false),
            unreadable: Cell::new(None),
        }
    }

    /// The key.
    pub fn key(&self) -> &BStr {
        self.key.as_ref()
    }

    /// The value.
    pub fn blob(&self) -> &Blob {
        &self.blob
    }

    /// Offset of the key in the stream.
    pub fn start(&self) -> u64 {
        self.blob.offset() - self.prefix as u64
    }

    /// Printable name of the file or stream that has the value.
    pub fn file(&self) -> &Arc<str> {
        self.blob.name()
    }

    /// The number of bytes of the value.
    pub fn size(&self) -> u64 {
        self.blob.length()
    }

    /// Whether [`RawEntry::head`] is all of the value.
    pub fn is_whole(&self) -> bool {
        self.blob.is_whole()
    }

    /// All bytes of the value. They are read now if they are not in memory.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn bytes(&self) -> Result<Cow<'_, [u8]>> {
        Ok(self.blob.load()?)
    }

    /// The part of the value that is meant: the text in the brackets of a script line.
    pub fn range(&self) -> Option<&BStr> {
        self.range.as_ref().map(|ranged| ranged.range.as_ref())
    }

    /// Limits the entry to the part of the value that `range` names, without brackets.
    ///
    /// # Errors
    /// If the script line already names a part.
    pub fn with_range(self, range: Option<BString>) -> Result<Self> {
        match (&self.range, range) {
            (_, None) => Ok(self),
            (None, Some(range)) => Ok(Self { range: Some(Ranged::new(range.as_ref(), Arc::default())), ..self }),
            (Some(Ranged { range: first, .. }), Some(range)) => {
                let message = format!("expected one range, got [{first}] in the script file and [{range}]");
                Err(Error::Work { key: self.key, source: message.into() })
            }
        }
    }

    /// The line number in the script file, from 1.
    pub fn line(&self) -> Option<u64> {
        self.script.as_ref().map(|(_, number)| *number)
    }

    /// The key and the value as they are in the stream, to be kept longer: still in the file if they are in one, else
    /// in their own memory.
    pub fn with_key(&self) -> Blob {
        let length = self.end() - self.start();
        match (self.blob.file(), self.blob.rest()) {
            (Some(_), Some(rest)) => Blob::stored(Arc::clone(self.file()), Arc::clone(rest), self.start(), length),
            _ => {
                let (chunk, value) = self.blob.surroundings();
                let bytes = chunk.bytes[value.start - self.prefix..value.end].to_vec();
                Blob::in_memory(Arc::clone(self.file()), self.start(), bytes)
            }
        }
    }

    /// Frees the memory around the value, also its key, for an entry that is kept longer. Of a value in a file, only
    /// the first bytes stay in memory.
    #[must_use]
    pub fn detached(self) -> Self {
        Self { blob: self.blob.detached(KEPT), prefix: 0, ..self }
    }

    /// As [`RawEntry::detached`], but what is in memory of an object of a store is not fetched again: it stays if it has at
    /// most `room` bytes, which become fewer.
    #[must_use]
    pub fn detached_within(self, room: &mut usize) -> Self {
        let is_object = self.blob.rest().is_some_and(|rest| rest.as_file().is_none());
        let length = self.blob.head().len();
        if !is_object || length > *room {
            return self.detached();
        }
        *room -= length;
        Self { blob: self.blob.detached(length), prefix: 0, ..self }
    }

    /// Offset of the value in the stream.
    pub fn offset(&self) -> u64 {
        self.blob.offset()
    }

    /// Offset of the end of the value in the stream.
    pub fn end(&self) -> u64 {
        self.blob.end()
    }

    /// Whether the value is in text form.
    pub fn is_text(&self) -> bool {
        self.is_text
    }

    /// Whether the value ends with the stream, whatever is there.
    pub fn is_open(&self) -> bool {
        self.is_open
    }

    /// The bytes of the value that are in memory: at least its header.
    pub fn head(&self) -> &[u8] {
        self.blob.head()
    }

    /// About how many bytes it takes in memory, now or when the value is read.
    pub(crate) fn mem_size(&self) -> usize {
        self.head().len().saturating_add(self.mem_size).saturating_add(64)
    }

    /// Writes the key and the value as they were read, with the space between them.
    pub(crate) fn write_whole(&self, output: &mut Output) -> Result<()> {
        Ok(self.blob.write(self.prefix, output)?)
    }

    /// Builds the value, or the part of it that the range names.
    ///
    /// # Errors
    /// If the bytes are no such value, or cannot be read. The error has the place.
    pub fn parse<T: Value>(&self) -> Result<T> {
        let mut value = None;
        let read = self.read(ValueFns::of::<T>(), &mut |cursor, range| {
            value = Some(match range {
                None => T::read(cursor)?,
                Some(range) => T::read_range(cursor, range)?,
            });
            Ok(())
        });
        kept(value, read)
    }

    /// Lets `read` build the value, or the part of it that the range names.
    fn read(&self, fns: &ValueFns, read: &mut ReadFn<'_>) -> Result<()> {
        (fns.check_name)(self.head(), self.blob.name()).map_err(|error| self.error(error))?;
        let Some(ranged) = &self.range else {
            let bytes = self.blob.load()?;
            let mut cursor = Cursor::new(&bytes);
            let result = read(&mut cursor, None);
            return self.settle(result, cursor.take_warnings());
        };
        if let Some(mut head) = self.stored_head() {
            let read_piece = |piece: Range<u64>, bytes: &mut Vec<u8>| {
                let length = usize::try_from(piece.end - piece.start).unwrap_or(usize::MAX);
                self.blob.read_at(piece.start, bytes, length)
            };
            if let Some(result) = ranged.read_pieces(fns, &mut head, read_piece, read)? {
                return self.settle(result, head.take_warnings());
            }
        }
        let range = ranged.range.as_slice();
        let (result, warnings) = ranged.read(fns, &self.blob.load()?, &mut |cursor| read(cursor, Some(range)));
        self.settle(result, warnings)
    }

    /// Lets `read` look at the start of the value, as much of it as it needs. It gets the range of the script line, if any.
    pub(crate) fn skim(&self, fns: &ValueFns, read: &mut ReadFn<'_>) -> Result<()> {
        let head = self.head();
        let range = self.range.as_ref().map(|ranged| ranged.range.as_slice());
        let mut read_from = |mut cursor: Cursor<'_>| {
            let result = read(&mut cursor, range);
            (result, cursor.take_warnings())
        };
        let (result, warnings) = match ((fns.check_name)(head, self.blob.name()), &self.range) {
            (Err(error), _) => (Err(error), Vec::new()),
            (Ok(()), Some(ranged)) if self.blob.is_whole() => ranged.read(fns, head, &mut |cursor| read(cursor, range)),
            (Ok(()), _) => match read_from(Cursor::new_head(head, self.blob.length() - head.len() as u64)) {
                (Err(error), _) if error.at_end && !self.blob.is_whole() => read_from(Cursor::new(&self.blob.load()?)),
                other => other,
            },
        };
        self.settle(result, warnings)
    }

    /// The start of a value that is not whole in memory.
    fn stored_head(&self) -> Option<Cursor<'_>> {
        let beyond = self.blob.length() - self.head().len() as u64;
        (beyond > 0).then(|| Cursor::new_head(self.head(), beyond))
    }

    /// Logs doubtful places in the value, if that was not done before.
    pub fn warn_of(&self, warnings: Vec<ParseError>) {
        if !warnings.is_empty() && !self.warned.replace(true) {
            warnings.into_iter().for_each(|warning| warning!("{}", self.error(warning)));
        }
    }

    /// Logs doubtful places in the value, and adds the place to an error.
    fn settle(&self, read: Result<(), ParseError>, warnings: Vec<ParseError>) -> Result<()> {
        self.warn_of(warnings);
        read.map_err(|error| {
            let (chunk, value) = self.blob.surroundings();
            let following = chunk.bytes.get(value.start..).unwrap_or_default();
            self.error(if self.range.is_none() { error.in_value(following, false) } else { error })
        })
    }

    /// Whether the value is unreadable only because of its range.
    pub(crate) fn has_wrong_range(&self, fns: &ValueFns) -> bool {
        let Some(ranged) = &self.range else { return false };
        let is_wrong = |mut head: Cursor<'_>| (fns.part)(&mut head, &ranged.range).is_err();
        self.stored_head().is_some_and(is_wrong)
            || self.blob.load().is_ok_and(|bytes| ranged.read(fns, &bytes, &mut |cursor| fns.check(cursor)).0.is_ok())
    }

    /// Changes the weight of the entry to what its part will take in memory.
    pub(crate) fn weigh_part(&mut self, framing: &impl Framing) {
        let (Some(ranged), Some(mut head)) = (&self.range, self.stored_head()) else { return };
        let length = match framing.part(&mut head, &ranged.range) {
            Ok(Some(part)) => part.length(),
            Ok(None) => self.blob.length(),
            Err(_) => 0,
        };
        self.mem_size = self.mem_size.saturating_add(usize::try_from(length).unwrap_or(usize::MAX));
    }

    /// Returns what the stream is instead, for a fault in the first value of an archive or in a file of one value.
    fn recognize(&self) -> Option<String> {
        let (chunk, value) = self.blob.surroundings();
        let wanted = match (value.start, self.script.is_some() || self.key.is_empty()) {
            (0, true) => ExpectedStream::Value,
            (start, false) if start == self.key.len() + 1 => ExpectedStream::Archive,
            _ => return None,
        };
        // Something that could be framed as a value is a waveform only if one was wanted.
        if chunk.base == 0 { recognize(&chunk.bytes, wanted, &chunk.name, value.end) } else { None }
    }

    /// Adds the place to an error in the value.
    pub fn error(&self, source: ParseError) -> Error {
        let source = match self.recognize() {
            None => source,
            advice => ParseError { value: None, ..source }.with_advice(advice),
        };
        let offset = self.blob.offset() + source.offset as u64;
        let (chunk, head) = self.blob.surroundings();
        let value = chunk.bytes.get(head.start..).unwrap_or_default();
        let line = self.lines.number(value, self.blob.offset(), source.offset);
        let source = kaldi_io::Error::content(self.blob.name().to_string(), offset, source).in_line(line);
        let script = self.script.as_ref().map(|(name, line)| (name.to_string(), *line));
        Error::entry(script, self.key.clone(), source)
    }
}

/// Writes the key, a space and the value, in one piece if they are so in the stream: if `prefix` bytes before the value are the key and
/// the space.
pub(crate) fn write_with_key(value: &Blob, prefix: usize, key: &BStr, output: &mut Output) -> Result<()> {
    if prefix == key.len() + 1 && value.before().ends_with(b" ") {
        return Ok(value.write(prefix, output)?);
    }
    output.write_all(&[key.as_ref(), b" ".as_slice()].concat())?;
    Ok(value.write(0, output)?)
}
