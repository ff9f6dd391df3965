//! The messages of a file: its schema, and where batches and dictionaries are.

use std::sync::Arc;

use super::buffer::BufferCodec;
use super::field::{Counts, Field, Kind, Schema};
use super::flat::{Looked, Table};
use super::{BATCH, DICTIONARY, MAGIC, MESSAGE, SCHEMA};
use crate::pages::has_too_many;
use crate::{Error, FilePlaces, Leaf, Result};

/// Bytes of the largest metadata.
const LARGEST_METADATA: u64 = 1 << 28;

/// A file of Arrow.
#[derive(Debug)]
pub(crate) struct ArrowFile {
    pub(super) name: Arc<str>,
    pub(super) places: FilePlaces,
    pub(super) schema: Schema,
    pub(super) leaves: Vec<Leaf>,
    /// The indices of the fields that lead to each leaf.
    pub(super) paths: Vec<Vec<usize>>,
    pub(super) batches: Vec<Batch>,
    /// Values of dictionaries in the order of the file.
    pub(super) dictionaries: Vec<DictionaryBatch>,
}

/// A part of a file.
#[derive(Debug)]
pub(super) struct Batch {
    pub(super) num_rows: u64,
    /// Where its body starts.
    pub(super) body: u64,
    pub(super) codec: Option<BufferCodec>,
    /// Values and nulls of each field.
    pub(super) nodes: Box<[(u64, u64)]>,
    /// Start in the body and length of each buffer.
    pub(super) buffers: Box<[(u64, u64)]>,
    /// The buffers that each view has more.
    views: Box<[u64]>,
    /// How many of the dictionaries may say what is meant.
    pub(super) num_dictionaries: usize,
}

/// Values of a dictionary.
#[derive(Debug)]
pub(super) struct DictionaryBatch {
    pub(super) id: i64,
    /// Whether those before them stay.
    pub(super) is_delta: bool,
    pub(super) batch: Batch,
}

/// A message that has been read.
struct Message {
    metadata: Vec<u8>,
    body: u64,
    body_length: u64,
}

impl ArrowFile {
    /// Reads all but the values.
    ///
    /// # Errors
    /// If it cannot be read, makes no sense, or is cut.
    pub(crate) fn open(name: Arc<str>, places: FilePlaces) -> Result<Self> {
        let empty = Schema::default();
        let mut file = Self {
            name,
            places,
            schema: empty,
            leaves: Vec::new(),
            paths: Vec::new(),
            batches: Vec::new(),
            dictionaries: Vec::new(),
        };
        match file.places.piece(0, MAGIC.len()).is_ok_and(|head| head == MAGIC) {
            true => file.read_directory()?,
            false => file.read_stream()?,
        }
        (file.leaves, file.paths) = file.schema.leaves();
        let (num_rows, length) = (file.num_rows(), file.places.length());
        match has_too_many(num_rows, length) {
            true => Err(Error::content(&file.name, format!("expected no {num_rows} rows in {length} bytes"))),
            false => Ok(file),
        }
    }

    /// The number of all rows.
    pub(crate) fn num_rows(&self) -> u64 {
        self.batches.iter().fold(0, |sum, batch| sum.saturating_add(batch.num_rows))
    }

    /// The rows without a value in a leaf; `None` if structs or dictionaries may have more of them.
    pub(crate) fn num_nulls(&self, leaf: usize) -> Option<u64> {
        let fields: Vec<&Field> = self.fields_to(leaf);
        let (last, before) = fields.split_last()?;
        if last.dictionary.is_some() {
            return None;
        }
        let nulls = |batch: &Batch, field: &Field| batch.nodes.get(field.node).map(|(_, nulls)| *nulls);
        let of_batch = |batch| {
            let is_whole = before.iter().all(|field| nulls(batch, field) == Some(0));
            is_whole.then(|| nulls(batch, last)).flatten()
        };
        self.batches.iter().map(of_batch).sum()
    }

    /// The fields that lead to a leaf.
    fn fields_to(&self, leaf: usize) -> Vec<&Field> {
        let (mut fields, mut found) = (self.schema.fields.as_slice(), Vec::new());
        for &index in self.paths.get(leaf).into_iter().flatten() {
            let Some(field) = fields.get(index) else { break };
            found.push(field);
            fields = &field.children;
        }
        found
    }

    pub(crate) fn leaves(&self) -> &[Leaf] {
        &self.leaves
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// What the schema says under a key.
    pub(crate) fn note(&self, key: &str) -> Option<&str> {
        self.schema.notes.iter().find(|(name, _)| name == key).map(|(_, note)| note.as_str())
    }

    fn fault(&self, at: u64, message: impl std::fmt::Display) -> Error {
        Error::content(format!("{}: byte {at}", self.name), message)
    }

    /// Reads the messages of a stream, one after the other.
    fn read_stream(&mut self) -> Result<()> {
        let (mut at, mut has_schema) = (0, false);
        while let Some(message) = self.message(at)? {
            self.take(&message, &mut has_schema).map_err(|problem| self.fault(at, problem))?;
            at = message.body + message.body_length;
        }
        let after = self.places.length() - at - 8;
        match (has_schema, after) {
            (false, _) => Err(self.fault(0, "expected a schema in the stream, got none")),
            (true, 0) => Ok(()),
            _ => Err(self
                .fault(at, format!("expected the end of the file after that of the stream, got {after} bytes more"))),
        }
    }

    /// Reads the messages to which the directory at the end of a file leads.
    fn read_directory(&mut self) -> Result<()> {
        let whole = "expected a whole file of Arrow, which ends with its directory, its size and ARROW1";
        let length = self.places.length();
        let end = length.checked_sub(10).filter(|end| *end >= 8);
        let end = end.ok_or_else(|| Error::content(&self.name, format!("{whole}, got {length} bytes")))?;
        let tail = self.read(end, 10)?;
        let size = tail.first_chunk().map_or(0, |size| u64::from(u32::from_le_bytes(*size)));
        if !tail.ends_with(MAGIC) || size > (end - 8).min(LARGEST_METADATA) {
            return Err(Error::content(&self.name, format!("{whole}, got another end: the file may be cut")));
        }
        let directory = self.read(end - size, size)?;
        let blocks = (|| {
            let directory = Table::root(&directory)?;
            let schema = directory.table(1)?.ok_or("expected a schema in the directory, got none")?;
            self.schema = Schema::read(&schema, checked_version(&directory)?)?;
            let start = |block: &[u8; 24]| block.first_chunk().map_or(0, |start| u64::from_le_bytes(*start));
            let all = directory.records::<24>(2)?.iter().chain(directory.records(3)?);
            Ok(all.map(start).collect::<Vec<_>>())
        })();
        for at in blocks.map_err(|problem: String| self.fault(end - size, problem))? {
            match self.message(at)? {
                Some(message) => self.take(&message, &mut true).map_err(|problem| self.fault(at, problem))?,
                None => return Err(self.fault(at, "expected a message, got the end of a stream")),
            }
        }
        let num_dictionaries = self.dictionaries.len();
        self.batches.iter_mut().for_each(|batch| batch.num_dictionaries = num_dictionaries);
        Ok(())
    }

    fn read(&self, at: u64, length: u64) -> Result<Vec<u8>> {
        let read = usize::try_from(length).map_err(std::io::Error::other).and_then(|size| self.places.piece(at, size));
        read.map_err(|error| self.fault(at, error))
    }

    /// Reads the message at a place; `None` for the end of the stream.
    fn message(&self, at: u64) -> Result<Option<Message>> {
        let left = self.places.length().saturating_sub(at);
        if left < 8 {
            return Err(self
                .fault(at, format!("expected a message or the end of the stream, got {left} bytes: the file is cut")));
        }
        let head = self.read(at, 8)?;
        let (Some(&start), Some(&size)) = (head.first_chunk::<4>(), head.last_chunk::<4>()) else {
            return Err(self.fault(at, "expected a message, got less"));
        };
        if start != MESSAGE {
            return Err(self.fault(at, format!("expected a message, which starts with ff ff ff ff, got {start:02x?}")));
        }
        let size = u64::from(u32::from_le_bytes(size));
        if size == 0 {
            return Ok(None);
        }
        if size > (left - 8).min(LARGEST_METADATA) {
            return Err(
                self.fault(at, format!("expected metadata of {size} bytes, got {} bytes: the file is cut", left - 8))
            );
        }
        let (metadata, body) = (self.read(at + 8, size)?, at + 8 + size);
        let body_length = Table::root(&metadata).and_then(|message| message.i64(3));
        let body_length = body_length.map_err(|problem| self.fault(at, problem))?;
        match u64::try_from(body_length) {
            Ok(body_length) if body_length <= left - 8 - size => Ok(Some(Message { metadata, body, body_length })),
            _ => Err(self.fault(
                at,
                format!("expected a body of {body_length} bytes, got {} bytes: the file is cut", left - 8 - size),
            )),
        }
    }

    /// Takes what a message has.
    fn take(&mut self, message: &Message, has_schema: &mut bool) -> Looked<()> {
        let table = Table::root(&message.metadata)?;
        let version = checked_version(&table)?;
        let header = table.table(2)?.ok_or("expected a message with content, got none")?;
        match (table.u8(1)?, *has_schema) {
            (SCHEMA, false) => {
                (self.schema, *has_schema) = (Schema::read(&header, version)?, true);
            }
            (DICTIONARY, true) => {
                let batch = header.table(1)?.ok_or("expected values of a dictionary, got none")?;
                let batch = Batch::read(&batch, message, 0)?;
                let (id, is_delta) = (header.i64(0)?, header.u8(2)? != 0);
                self.dictionaries.push(DictionaryBatch { id, is_delta, batch });
            }
            (BATCH, true) => {
                let batch = Batch::read(&header, message, self.dictionaries.len())?;
                batch.check(&self.schema)?;
                self.batches.push(batch);
            }
            (SCHEMA, true) => return Err("expected one schema, got another one".to_owned()),
            (DICTIONARY | BATCH, false) => return Err("expected a schema first, got values".to_owned()),
            (other, _) => {
                return Err(format!(
                    "expected a schema, a dictionary or a batch of rows, got a message of kind {other}"
                ));
            }
        }
        Ok(())
    }
}

/// The version of a message or a directory: 4 or 5, which are 3 and 4 there.
fn checked_version(table: &Table<'_>) -> Looked<i16> {
    match table.i16(0)? {
        version @ 3..=4 => Ok(version),
        other => Err(format!("expected version 4 or 5 of the metadata, got {}", i32::from(other) + 1)),
    }
}

/// Two numbers that are not negative.
fn pair(bytes: &[u8; 16]) -> Looked<(u64, u64)> {
    let numbers = bytes.as_chunks().0;
    let number = |at: usize| numbers.get(at).map_or(-1, |bytes| i64::from_le_bytes(*bytes));
    match (u64::try_from(number(0)), u64::try_from(number(1))) {
        (Ok(first), Ok(second)) => Ok((first, second)),
        _ => Err(format!("expected sizes and places of 0 or more, got {} and {}", number(0), number(1))),
    }
}

impl Batch {
    fn read(batch: &Table<'_>, message: &Message, num_dictionaries: usize) -> Looked<Self> {
        let rows = batch.i64(0)?;
        let codec = match batch.table(3)? {
            None => None,
            Some(compression) => match (compression.u8(0)?, compression.u8(1)?) {
                (0, 0) => Some(BufferCodec::Lz4),
                (1, 0) => Some(BufferCodec::Zstd),
                (codec, _) => {
                    return Err(format!(
                        "expected buffers that are plain, or compressed by LZ4 or zstd, got codec {codec}"
                    ));
                }
            },
        };
        let batch = Self {
            num_rows: u64::try_from(rows).map_err(|_| format!("expected 0 or more rows, got {rows}"))?,
            body: message.body,
            codec,
            nodes: batch.records(1)?.iter().map(pair).collect::<Looked<_>>()?,
            buffers: batch.records(2)?.iter().map(pair).collect::<Looked<_>>()?,
            views: batch.records(4)?.iter().map(|count| u64::from_le_bytes(*count)).collect(),
            num_dictionaries,
        };
        let is_outside =
            |&&(start, length): &&(u64, u64)| start.checked_add(length).is_none_or(|end| end > message.body_length);
        match batch.buffers.iter().find(is_outside) {
            None => Ok(batch),
            Some((start, length)) => Err(format!(
                "expected a buffer of {length} bytes from {start} on, got a body of {} bytes",
                message.body_length
            )),
        }
    }

    /// Makes sure that a batch has what the schema says, and no more rows than bytes can be.
    fn check(&self, schema: &Schema) -> Looked<()> {
        let Counts { nodes, buffers, views, .. } = schema.counts;
        let more = self.views.iter().fold(0, |sum: u64, count| sum.saturating_add(*count));
        let found = (self.nodes.len(), self.views.len(), self.buffers.len() as u64);
        let wanted = (nodes, views, more.saturating_add(buffers as u64));
        // Without views, their number is of no use.
        if (found.0, found.2) != (wanted.0, wanted.2) || (views > 0 && found.1 != views) {
            return Err(format!(
                "expected {} fields and {} buffers as the schema says, got {} and {}",
                wanted.0, wanted.2, found.0, found.2
            ));
        }
        schema.fields.iter().try_for_each(|field| self.check_rows(field))
    }

    fn check_rows(&self, field: &Field) -> Looked<()> {
        let (name, rows) = (&field.name, self.num_rows);
        match self.nodes.get(field.node) {
            Some((length, _)) if *length == rows => {}
            found => {
                let found = found.map_or(0, |(length, _)| *length);
                return Err(format!("{name}: expected {rows} values as there are rows, got {found}"));
            }
        }
        let offsets = |is_large| rows.saturating_add(1).saturating_mul(if is_large { 8 } else { 4 });
        let least = match (field.dictionary, field.kind) {
            _ if rows == 0 => 0,
            (Some((_, dtype)), _) | (None, Kind::Number(dtype)) => rows.saturating_mul(dtype.width() as u64),
            (None, Kind::Fixed(width)) => rows.saturating_mul(width as u64),
            (None, Kind::Truth) => rows.div_ceil(8),
            (None, Kind::Bytes { is_large, .. } | Kind::List { is_large }) => offsets(is_large),
            (None, Kind::Struct) => return field.children.iter().try_for_each(|child| self.check_rows(child)),
            (None, Kind::Null | Kind::FixedList(_) | Kind::Other { .. }) => 0,
        };
        match self.place(field, 1) {
            // How long it is when it is decompressed is known later.
            _ if self.codec.is_some() || least == 0 => Ok(()),
            Some((_, length)) if length >= least => Ok(()),
            found => {
                let found = found.map_or(0, |(_, length)| length);
                Err(format!("{name}: expected a buffer of {least} bytes or more, got {found}"))
            }
        }
    }

    /// Start in the body and length of a buffer of a field.
    pub(super) fn place(&self, field: &Field, index: usize) -> Option<(u64, u64)> {
        let more = self.views.iter().take(field.num_views).fold(0, |sum: u64, count| sum.saturating_add(*count));
        let index = usize::try_from(more).ok()?.checked_add(field.buffer + index)?;
        self.buffers.get(index).copied()
    }
}
