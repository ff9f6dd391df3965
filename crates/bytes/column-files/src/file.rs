//! Parquet files, and the values of a column.

use std::sync::Arc;

use parquet::column::reader::ColumnReader;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ParquetMetaData, ParquetMetaDataReader};

use crate::pages::open_column;
use crate::records::{read_numbers, read_value};
use crate::{ColumnNumbers, ColumnValue, Error, FilePlaces, Leaf, Result};

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
        let (rows, groups) = (metadata.file_metadata().num_rows(), metadata.row_groups());
        let sum = groups.iter().fold(0_i64, |sum, group| sum.saturating_add(group.num_rows()));
        if rows != sum {
            return Err(Error::content(&name, format!("expected {rows} rows in the row groups, got {sum}")));
        }
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
        let column = self.leaves.get(leaf)?.column;
        let groups = self.metadata.row_groups().iter();
        groups.map(|group| group.columns().get(column)?.statistics()?.null_count_opt()).sum()
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
pub(crate) fn plain(error: &ParquetError) -> String {
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
        self.next_with(read_value)
    }

    /// The numbers of the next row; `None` at the end.
    ///
    /// # Errors
    /// If they cannot be read, or there is nothing in some place.
    pub(crate) fn next_numbers(&mut self) -> Result<Option<ColumnNumbers>> {
        self.next_with(read_numbers)
    }

    fn next_with<V>(&mut self, read: fn(&mut ColumnReader, &Leaf) -> Result<V, String>) -> Result<Option<V>> {
        if !self.open()? {
            return Ok(None);
        }
        let leaf = &self.file.leaves[self.leaf];
        let value = match &mut self.reader {
            None => Err("expected a column, got none".to_owned()),
            Some(reader) => leaf.check().and_then(|()| read(reader, leaf)),
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
            let reader = open_column(&self.file.places, group, self.file.leaves[self.leaf].column);
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
