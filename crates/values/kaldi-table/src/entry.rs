//! Entries of tables: framed, and parsed only when that is asked for.

use std::borrow::Cow;
use std::marker::PhantomData;
use std::ops::Range;

use bstr::BStr;
use kaldi_io::{Encoded, ParseError};
use kaldi_value::{Cursor, Format, Value};

use crate::Result;
use crate::raw::RawEntry;
use crate::record::Record;
use crate::value_fns::{ValueFns, kept};

/// Values of a type that is known only when the program runs (type erasure): [`SequentialReader::erased`] is a table of them, and
/// [`Entry::read_as`] reads one. Work on such a table is compiled once, whatever the types are.
///
/// [`SequentialReader::erased`]: crate::SequentialReader::erased
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Erased {}

/// An entry of a table of `T`, not parsed yet.
#[derive(Debug)]
pub struct Entry<'a, T> {
    raw: &'a RawEntry,
    value: PhantomData<T>,
}

impl<'a, T> Entry<'a, T> {
    pub(crate) fn new(raw: &'a RawEntry) -> Self {
        Self { raw, value: PhantomData }
    }

    /// The key.
    pub fn key(&self) -> &'a BStr {
        self.raw.key.as_ref()
    }

    /// Builds the value as one of the type `U`.
    ///
    /// # Errors
    /// If the bytes are not such a value. The error has the place.
    pub fn read_as<U: Value>(&self) -> Result<U> {
        self.raw.parse().inspect_err(|_| self.raw.unreadable.set(Some(ValueFns::of::<U>())))
    }

    /// The number of bytes of the value.
    pub fn length(&self) -> u64 {
        self.raw.blob.length()
    }

    /// The first bytes of the value, those in memory.
    pub fn head(&self) -> &'a [u8] {
        self.raw.head()
    }

    /// The last `count` bytes or all. Reads them now if they are not in memory.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn tail(&self, count: usize) -> Result<Cow<'a, [u8]>> {
        let (head, length) = (self.raw.head(), self.raw.blob.length());
        if self.raw.blob.is_whole() {
            return Ok(head[head.len().saturating_sub(count)..].into());
        }
        let start = length.saturating_sub(count as u64);
        let mut tail = Vec::new();
        self.raw.blob.read_at(start, &mut tail, (length - start) as usize)?;
        Ok(tail.into())
    }

    /// The bytes of the value. `None` if a script line names a part of it, or if not all bytes are in memory.
    pub fn bytes(&self) -> Option<&'a [u8]> {
        (self.raw.range.is_none() && self.raw.blob.is_whole()).then(|| self.raw.head())
    }

    /// The bytes of the value without a copy, to be kept or passed on. `None` if [`Entry::bytes`] is `None`.
    pub fn shared_bytes(&self) -> Option<Encoded> {
        self.bytes()?;
        let (block, value) = self.raw.blob.shared();
        Some(Encoded::of_pieces(Vec::new(), block, vec![value]))
    }
}

impl<T: Value> Entry<'_, T> {
    /// Builds the value.
    ///
    /// # Errors
    /// As [`Entry::read_as`].
    pub fn read(&self) -> Result<T> {
        self.read_as()
    }

    /// Reads something that can be known without building the value, such as its size. `read` gets a cursor at the
    /// value's first byte and the range of the script line, if any. It should [skip](Cursor::skip) what it does not
    /// need: if the table is [skimmed](crate::SequentialReader::skim), only the start of the value is in memory.
    ///
    /// # Errors
    /// Those of `read`, with their place.
    pub fn read_with<U>(&self, read: impl Fn(&mut Cursor<'_>, Option<&[u8]>) -> Result<U, ParseError>) -> Result<U> {
        let mut value = None;
        let skimmed = self.raw.skim(ValueFns::of::<T>(), &mut |cursor, range| {
            value = Some(read(cursor, range)?);
            Ok(())
        });
        kept(value, skimmed).inspect_err(|_| self.raw.unreadable.set(Some(ValueFns::of::<T>())))
    }

    /// Makes a record of the unchanged value in the given form. Bytes that are in that form already are passed on
    /// unparsed.
    ///
    /// # Errors
    /// As [`Entry::read`].
    pub fn copy(&self, format: Format) -> Result<Record<T>> {
        let raw = self.raw;
        let is_canonical = || match raw.blob.is_whole() {
            true => T::is_canonical_binary(raw.head()),
            false => T::is_canonical_head(raw.head(), raw.blob.length()),
        };
        if format == Format::Binary && raw.range.is_none() && is_canonical() {
            return Ok(Record::from_raw(raw));
        }
        Ok(Record::new(self.key(), &self.read()?, format))
    }

    /// Makes a record of `head` and pieces of [`Entry::bytes`] after it. The pieces are not copied.
    ///
    /// # Panics
    /// If a piece is not within the bytes.
    pub fn rearranged(&self, head: Vec<u8>, mut pieces: Vec<Range<usize>>) -> Record<T> {
        let (block, Range { start, end }) = self.raw.blob.shared();
        for piece in &mut pieces {
            assert!(piece.end <= end - start, "pieces of {} bytes", end - start);
            *piece = piece.start + start..piece.end + start;
        }
        Record::from_bytes(self.key(), Encoded::of_pieces(head, block, pieces))
    }
}
