//! The values of a leaf.

use std::sync::Arc;

use array_files::DType;
use bytes::Bytes;
use half::f16;

use super::buffer::Buffer;
use super::field::{Field, Kind};
use super::file::{ArrowFile, Batch};
use crate::{ColumnValue, Error, Result};

/// Bytes of the largest dictionary.
const LARGEST_DICTIONARY: usize = 1 << 28;

/// The values of a leaf, one for each row.
pub(crate) struct ArrowValues {
    file: Arc<ArrowFile>,
    leaf: usize,
    /// The next batch.
    batch: usize,
    /// The next row in all.
    row: u64,
    /// The next row of this batch.
    at: u64,
    /// Rows of this batch that are left.
    left: u64,
    column: Option<Column>,
    dictionary: Option<Dictionary>,
}

/// The values of a dictionary, and the batches that they were read from: the first, and the one after the last.
struct Dictionary {
    from: (usize, usize),
    values: Arc<[ColumnValue]>,
}

impl ArrowValues {
    /// Those of the leaf with this index.
    pub(crate) fn new(file: Arc<ArrowFile>, leaf: usize) -> Self {
        Self { file, leaf, batch: 0, row: 0, at: 0, left: 0, column: None, dictionary: None }
    }

    /// The value of the next row; `None` at the end.
    ///
    /// # Errors
    /// If it cannot be read, or is of a type that is not read.
    pub(crate) fn next_value(&mut self) -> Result<Option<ColumnValue>> {
        if !self.find_batch() {
            return Ok(None);
        }
        let value = self.read().map_err(|problem| self.fault(problem))?;
        (self.row, self.at, self.left) = (self.row + 1, self.at + 1, self.left - 1);
        Ok(Some(value))
    }

    /// Passes over rows.
    ///
    /// # Errors
    /// If there are fewer.
    pub(crate) fn skip(&mut self, mut count: u64) -> Result<()> {
        while count > 0 {
            if !self.find_batch() {
                return Err(self.fault("expected more rows, got the end"));
            }
            let now = count.min(self.left);
            (self.row, self.at, self.left) = (self.row + now, self.at + now, self.left - now);
            count -= now;
        }
        Ok(())
    }

    /// Goes to the batch of the next row. Returns `false` at the end.
    fn find_batch(&mut self) -> bool {
        while self.left == 0 {
            let Some(batch) = self.file.batches.get(self.batch) else { return false };
            (self.at, self.left, self.column) = (0, batch.num_rows, None);
            self.batch += 1;
        }
        true
    }

    fn read(&mut self) -> Result<ColumnValue, String> {
        if self.column.is_none() {
            let file = &self.file;
            let (Some(batch), Some((first, path))) =
                (file.batches.get(self.batch - 1), file.paths.get(self.leaf).and_then(|path| path.split_first()))
            else {
                return Err("expected a column, got none".to_owned());
            };
            let field = file.schema.fields.get(*first).ok_or("expected a column, got none")?;
            self.column = Some(Opener { file, batch, dictionary: &mut self.dictionary }.open(field, path)?);
        }
        self.column.as_mut().map_or(Ok(ColumnValue::Null), |column| column.value(self.at))
    }

    fn fault(&self, problem: impl std::fmt::Display) -> Error {
        let leaf = self.file.leaves.get(self.leaf).map_or("", |leaf| leaf.name.as_str());
        Error::content(format!("{}: row {}: {leaf}", self.file.name, self.row), problem)
    }
}

/// Opens columns of a batch.
struct Opener<'a> {
    file: &'a ArrowFile,
    batch: &'a Batch,
    dictionary: &'a mut Option<Dictionary>,
}

impl Opener<'_> {
    /// A field, and what is below it on the way that the indices say.
    fn open(&mut self, field: &Field, path: &[usize]) -> Result<Column, String> {
        let &(length, nulls) = self.batch.nodes.get(field.node).ok_or("expected values, got none")?;
        let buffer = |index: usize| {
            let (start, length) = self.batch.place(field, index).ok_or("expected a buffer, got none")?;
            Buffer::open(&self.file.places, self.batch.body + start, length, self.batch.codec)
        };
        let offsets = |is_large| Ok::<_, String>(Offsets { buffer: buffer(1)?, is_large });
        let has_validity = nulls > 0 && !matches!(field.kind, Kind::Null);
        let validity = has_validity.then(|| buffer(0)).transpose()?;
        let data = match (field.dictionary, field.kind) {
            (Some((id, dtype)), _) => {
                let indices = buffer(1)?;
                Data::Dictionary { indices, dtype, values: self.dictionary(id, &field.values())? }
            }
            (None, Kind::Null) => Data::Null,
            (None, Kind::Truth) => Data::Truth(buffer(1)?),
            (None, Kind::Number(dtype)) => Data::Numbers(buffer(1)?, dtype),
            (None, Kind::Fixed(width)) => Data::Fixed(buffer(1)?, width as u64),
            (None, Kind::Bytes { is_large, .. }) => Data::Bytes { offsets: offsets(is_large)?, bytes: buffer(2)? },
            (None, Kind::Struct) => {
                let (first, rest) = path.split_first().ok_or("a list of structs is not read")?;
                let child = field.children.get(*first).ok_or("expected a member of a struct, got none")?;
                Data::Struct(Box::new(self.open(child, rest)?))
            }
            (None, Kind::List { is_large }) => {
                let offsets = offsets(is_large)?;
                Data::List { offsets, values: Box::new(self.values_of_list(field)?) }
            }
            (None, Kind::FixedList(size)) => {
                Data::FixedList { size: size as u64, values: Box::new(self.values_of_list(field)?) }
            }
            (None, Kind::Other { name, .. }) => return Err(format!("a column of the type {name} is not read")),
        };
        Ok(Column { length, validity, data })
    }

    fn values_of_list(&mut self, list: &Field) -> Result<Column, String> {
        let values = list.children.first().ok_or("expected values in lists, got none")?;
        // They could be as many as they like, without a byte.
        match values.kind {
            Kind::Null => Err("a list of null is not read".to_owned()),
            _ => self.open(values, &[]),
        }
    }

    /// The values of a dictionary, as far as this batch knows it.
    fn dictionary(&mut self, id: i64, field: &Field) -> Result<Arc<[ColumnValue]>, String> {
        let known = self.file.dictionaries.get(..self.batch.num_dictionaries).unwrap_or_default();
        let start = known.iter().rposition(|part| part.id == id && !part.is_delta);
        let start = start.ok_or_else(|| format!("expected dictionary {id} before the values, got none"))?;
        let from = (start, known.len());
        if let Some(dictionary) = self.dictionary.as_ref().filter(|dictionary| dictionary.from == from) {
            return Ok(Arc::clone(&dictionary.values));
        }
        if !matches!(field.kind, Kind::Truth | Kind::Number(_) | Kind::Fixed(_) | Kind::Bytes { .. }) {
            return Err("a dictionary of structs or lists is not read".to_owned());
        }
        let (mut values, mut size) = (Vec::new(), 0);
        for part in known.iter().skip(start).filter(|part| part.id == id) {
            let mut column = Opener { file: self.file, batch: &part.batch, dictionary: &mut None }.open(field, &[])?;
            for at in 0..column.length {
                let value = column.value(at)?;
                size += size_of::<ColumnValue>() + value.as_bytes().map_or(0, <[u8]>::len);
                if size > LARGEST_DICTIONARY {
                    return Err(format!("expected a dictionary of at most {LARGEST_DICTIONARY} bytes, got more"));
                }
                values.push(value);
            }
        }
        let values: Arc<[ColumnValue]> = values.into();
        *self.dictionary = Some(Dictionary { from, values: Arc::clone(&values) });
        Ok(values)
    }
}

/// A field in a batch.
struct Column {
    length: u64,
    /// A bit for each value.
    validity: Option<Buffer>,
    data: Data,
}

enum Data {
    Null,
    Truth(Buffer),
    Numbers(Buffer, DType),
    Fixed(Buffer, u64),
    Bytes { offsets: Offsets, bytes: Buffer },
    Struct(Box<Column>),
    List { offsets: Offsets, values: Box<Column> },
    FixedList { size: u64, values: Box<Column> },
    Dictionary { indices: Buffer, dtype: DType, values: Arc<[ColumnValue]> },
}

impl Column {
    fn value(&mut self, at: u64) -> Result<ColumnValue, String> {
        if at >= self.length {
            return Err(format!("expected {} values or more, got {}", at.saturating_add(1), self.length));
        }
        if let Some(validity) = &mut self.validity
            && !bit(validity, at)?
        {
            return Ok(ColumnValue::Null);
        }
        Ok(match &mut self.data {
            Data::Null => ColumnValue::Null,
            Data::Truth(bits) => ColumnValue::Truth(bit(bits, at)?),
            Data::Numbers(numbers, dtype) => number(numbers, *dtype, at)?,
            Data::Fixed(bytes, width) => ColumnValue::Bytes(bytes.value(at.saturating_mul(*width), *width)?),
            Data::Bytes { offsets, bytes } => {
                let (start, end) = offsets.pair(at)?;
                ColumnValue::Bytes(if start == end { Bytes::new() } else { bytes.value(start, end - start)? })
            }
            Data::Struct(member) => member.value(at)?,
            Data::List { offsets, values } => {
                let (start, end) = offsets.pair(at)?;
                values.list(start, end)?
            }
            Data::FixedList { size, values } => {
                let start = at.saturating_mul(*size);
                values.list(start, start.saturating_add(*size))?
            }
            Data::Dictionary { indices, dtype, values } => {
                let index = match number(indices, *dtype, at)? {
                    ColumnValue::Integer(index) => usize::try_from(index).ok(),
                    ColumnValue::Unsigned(index) => usize::try_from(index).ok(),
                    _ => None,
                };
                let value = index.and_then(|index| values.get(index)).cloned();
                value.ok_or_else(|| format!("expected an index below {}, got another one", values.len()))?
            }
        })
    }

    fn list(&mut self, start: u64, end: u64) -> Result<ColumnValue, String> {
        let mut values = Vec::new();
        for at in start..end {
            values.push(self.value(at)?);
        }
        Ok(ColumnValue::List(values))
    }
}

/// Where values of different lengths start, and the last one ends.
struct Offsets {
    buffer: Buffer,
    is_large: bool,
}

impl Offsets {
    /// Start and end of a value.
    fn pair(&mut self, at: u64) -> Result<(u64, u64), String> {
        let mut offset = |at: u64| {
            Ok::<_, String>(match self.is_large {
                true => i64::from_le_bytes(self.buffer.few(at.saturating_mul(8))?),
                false => i32::from_le_bytes(self.buffer.few(at.saturating_mul(4))?).into(),
            })
        };
        let (start, end) = (offset(at)?, offset(at + 1)?);
        match (u64::try_from(start), u64::try_from(end)) {
            (Ok(first), Ok(second)) if first <= second => Ok((first, second)),
            _ => Err(format!("expected offsets that ascend from 0 on, got {start} and {end}")),
        }
    }
}

fn bit(bits: &mut Buffer, at: u64) -> Result<bool, String> {
    Ok(bits.few::<1>(at / 8)?[0] >> (at % 8) & 1 == 1)
}

fn number(numbers: &mut Buffer, dtype: DType, at: u64) -> Result<ColumnValue, String> {
    let at = at.saturating_mul(dtype.width() as u64);
    Ok(match dtype {
        DType::Int8 => ColumnValue::Integer(i8::from_le_bytes(numbers.few(at)?).into()),
        DType::Int16 => ColumnValue::Integer(i16::from_le_bytes(numbers.few(at)?).into()),
        DType::Int32 => ColumnValue::Integer(i32::from_le_bytes(numbers.few(at)?).into()),
        DType::Int64 => ColumnValue::Integer(i64::from_le_bytes(numbers.few(at)?)),
        DType::Uint8 => ColumnValue::Unsigned(u8::from_le_bytes(numbers.few(at)?).into()),
        DType::Uint16 => ColumnValue::Unsigned(u16::from_le_bytes(numbers.few(at)?).into()),
        DType::Uint32 => ColumnValue::Unsigned(u32::from_le_bytes(numbers.few(at)?).into()),
        DType::Uint64 => ColumnValue::Unsigned(u64::from_le_bytes(numbers.few(at)?)),
        DType::Float16 => ColumnValue::Single(f16::from_le_bytes(numbers.few(at)?).to_f32()),
        DType::Float32 => ColumnValue::Single(f32::from_le_bytes(numbers.few(at)?)),
        DType::Float64 => ColumnValue::Double(f64::from_le_bytes(numbers.few(at)?)),
        DType::Bool | DType::Bfloat16 => return Err("expected numbers that Arrow has, got others".to_owned()),
    })
}
