//! Parquet files, and the values of a column.

use std::sync::Arc;

use bytes::Bytes;
use half::f16;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};

use crate::{ColumnValue, Error, FilePlaces, Leaf, LeafType, Result, open_column};

/// A Parquet file.
#[derive(Clone, Debug)]
pub(crate) struct ParquetFile {
    name: Arc<str>,
    places: FilePlaces,
    metadata: Arc<ParquetMetaData>,
    leaves: Vec<Leaf>,
}

impl ParquetFile {
    /// Reads what the directory of a file says.
    ///
    /// # Errors
    /// If it cannot be read, or is no such file.
    pub(crate) fn open(name: Arc<str>, places: FilePlaces) -> Result<Self> {
        let metadata = ParquetMetaDataReader::new().parse_and_finish(&places);
        let metadata = metadata.map_err(|error| {
            Error::content(
                &name,
                format!("expected a whole Parquet file, whose directory is at the end: {}", plain(&error)),
            )
        })?;
        let leaves = Leaf::all(metadata.file_metadata().schema_descr());
        Ok(Self { name, places, metadata: Arc::new(metadata), leaves })
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    pub(crate) fn leaves(&self) -> &[Leaf] {
        &self.leaves
    }

    /// The number of its rows, as its directory says.
    pub(crate) fn num_rows(&self) -> u64 {
        self.metadata.file_metadata().num_rows().max(0).unsigned_abs()
    }

    /// The rows that have nothing in the leaf with this index, if the file says how many.
    pub(crate) fn num_nulls(&self, leaf: usize) -> Option<u64> {
        let groups = self.metadata.row_groups().iter();
        groups.map(|group| group.columns().get(leaf)?.statistics()?.null_count_opt()).sum()
    }

    /// What the file says of itself under a key.
    pub(crate) fn note(&self, key: &str) -> Option<&str> {
        let notes = self.metadata.file_metadata().key_value_metadata()?;
        notes.iter().find(|entry| entry.key == key)?.value.as_deref()
    }

    /// The values of the leaf with this index.
    pub(crate) fn values(&self, leaf: usize) -> ParquetValues {
        ParquetValues { file: self.clone(), leaf, group: 0, row: 0, left: 0, reader: None }
    }
}

/// What an error of the crate says, without its own words before it.
fn plain(error: &ParquetError) -> String {
    let text = error.to_string();
    text.strip_prefix("Parquet error: ").unwrap_or(&text).to_owned()
}

/// The values of a leaf, one for each row.
pub(crate) struct ParquetValues {
    file: ParquetFile,
    leaf: usize,
    /// The next row group.
    group: usize,
    /// The next row.
    row: u64,
    /// Rows of this row group that are left.
    left: u64,
    reader: Option<ColumnReader>,
}

impl ParquetValues {
    /// The value of the next row; `None` at the end.
    ///
    /// # Errors
    /// If it cannot be read, or is of a type that is not read.
    pub(crate) fn next_value(&mut self) -> Result<Option<ColumnValue>> {
        if !self.open()? {
            return Ok(None);
        }
        let leaf = &self.file.leaves[self.leaf];
        let value = match &mut self.reader {
            _ if matches!(leaf.leaf_type, LeafType::Other(_)) => Err(format!("a {leaf} is not read")),
            None => Err("expected a column, got none".to_owned()),
            Some(reader) => read(reader, leaf),
        };
        let value = value.map_err(|message| self.fault(&message))?;
        self.row += 1;
        self.left -= 1;
        Ok(Some(value))
    }

    /// Passes over rows.
    ///
    /// # Errors
    /// If they cannot be read, or there are fewer.
    pub(crate) fn skip(&mut self, mut count: u64) -> Result<()> {
        while count > 0 {
            if !self.open()? {
                return Err(self.fault("expected more rows, got the end"));
            }
            let now = count.min(self.left);
            // A row group that is passed over as a whole is not read.
            if now < self.left {
                let skipped = self.reader.as_mut().map_or(Ok(0), |reader| pass(reader, now));
                let skipped = skipped.map_err(|error| self.fault(&plain(&error)))?;
                if skipped as u64 != now {
                    return Err(self.fault("expected a value in every column, got the end of one"));
                }
            }
            self.left -= now;
            self.row += now;
            count -= now;
        }
        Ok(())
    }

    /// Opens the row group of the next row. Returns `false` at the end.
    fn open(&mut self) -> Result<bool> {
        while self.left == 0 {
            let groups = self.file.metadata.row_groups();
            let Some(group) = groups.get(self.group) else { return Ok(false) };
            self.reader = None;
            let reader = open_column(&self.file.places, group, self.leaf);
            let left = group.num_rows().max(0).unsigned_abs();
            self.reader = Some(reader.map_err(|error| self.fault(&plain(&error)))?);
            (self.group, self.left) = (self.group + 1, left);
        }
        Ok(true)
    }

    fn fault(&self, message: &str) -> Error {
        let leaf = &self.file.leaves[self.leaf].name;
        Error::content(format!("{}: row {}: {leaf}", self.file.name, self.row), message)
    }
}

/// Reads the value of a row.
fn read(reader: &mut ColumnReader, leaf: &Leaf) -> Result<ColumnValue, String> {
    match reader {
        ColumnReader::BoolColumnReader(column) => record(column, leaf, |&value| ColumnValue::Truth(value)),
        ColumnReader::Int32ColumnReader(column) if leaf.is_unsigned => {
            record(column, leaf, |&value| ColumnValue::Unsigned(value.cast_unsigned().into()))
        }
        ColumnReader::Int32ColumnReader(column) => record(column, leaf, |&value| ColumnValue::Integer(value.into())),
        ColumnReader::Int64ColumnReader(column) if leaf.is_unsigned => {
            record(column, leaf, |&value| ColumnValue::Unsigned(value.cast_unsigned()))
        }
        ColumnReader::Int64ColumnReader(column) => record(column, leaf, |&value| ColumnValue::Integer(value)),
        ColumnReader::FloatColumnReader(column) => record(column, leaf, |&value| ColumnValue::Single(value)),
        ColumnReader::DoubleColumnReader(column) => record(column, leaf, |&value| ColumnValue::Double(value)),
        ColumnReader::ByteArrayColumnReader(column) => {
            record(column, leaf, |value| ColumnValue::Bytes(Bytes::copy_from_slice(value.data())))
        }
        ColumnReader::FixedLenByteArrayColumnReader(column) => record(column, leaf, |value| match *value.data() {
            [low, high] if leaf.is_half => ColumnValue::Single(f16::from_le_bytes([low, high]).to_f32()),
            ref bytes => ColumnValue::Bytes(Bytes::copy_from_slice(bytes)),
        }),
        ColumnReader::Int96ColumnReader(_) => Err("a timestamp is not read".to_owned()),
    }
}

fn record<T: DataType>(
    column: &mut ColumnReaderImpl<T>,
    leaf: &Leaf,
    convert: impl Fn(&T::T) -> ColumnValue,
) -> Result<ColumnValue, String> {
    let (mut values, mut levels, mut repeats) = (Vec::new(), Vec::new(), Vec::new());
    let read = column.read_records(1, Some(&mut levels), Some(&mut repeats), &mut values);
    if read.map_err(|error| plain(&error))?.0 != 1 {
        return Err("expected a value in every column, got the end of one".to_owned());
    }
    match (leaf.is_list(), values.as_slice()) {
        (false, [value]) => Ok(convert(value)),
        (false, _) => Ok(ColumnValue::Null),
        (true, []) if levels.iter().all(|&level| level < leaf.list_level) => Ok(ColumnValue::Null),
        // Without levels, every list has what it has.
        (true, values) => {
            let is_empty = values.is_empty() && levels.len() <= 1 && levels.iter().all(|&it| it == leaf.list_level);
            let mut values = values.iter().map(convert);
            Ok(ColumnValue::List(match is_empty || values.len() == levels.len() || levels.is_empty() {
                true => values.collect(),
                false => {
                    let value = |&level: &i16| if level == leaf.value_level { values.next() } else { None };
                    levels.iter().map(value).map(|value| value.unwrap_or(ColumnValue::Null)).collect()
                }
            }))
        }
    }
}

fn pass(reader: &mut ColumnReader, count: u64) -> Result<usize, ParquetError> {
    let count = usize::try_from(count)?;
    match reader {
        ColumnReader::BoolColumnReader(column) => column.skip_records(count),
        ColumnReader::Int32ColumnReader(column) => column.skip_records(count),
        ColumnReader::Int64ColumnReader(column) => column.skip_records(count),
        ColumnReader::Int96ColumnReader(column) => column.skip_records(count),
        ColumnReader::FloatColumnReader(column) => column.skip_records(count),
        ColumnReader::DoubleColumnReader(column) => column.skip_records(count),
        ColumnReader::ByteArrayColumnReader(column) => column.skip_records(count),
        ColumnReader::FixedLenByteArrayColumnReader(column) => column.skip_records(count),
    }
}
