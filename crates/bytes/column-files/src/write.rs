//! Parquet files, written row by row.

use std::io::{self, Write};
use std::sync::Arc;

use half::f16;
use kaldi_io::Output;
use parquet::basic::Compression;
use parquet::column::writer::{ColumnWriter, ColumnWriterImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::{ColumnDescPtr, ColumnPath};

use crate::list_pages::ListColumn;
use crate::{Cell, ColumnValue, Error, ParquetOptions, Result};

/// Bytes of a row group, unless one row alone has more. They wait in memory.
const GROUP_BYTES: usize = 1 << 25;

/// Bytes of values that the library gets at once. It ends a page only between two calls.
const BATCH_BYTES: usize = 1 << 16;

/// A Parquet file that is written row by row.
#[must_use = "a file is complete only after finish()"]
pub struct ParquetWriter {
    name: String,
    file: SerializedFileWriter<Sink>,
    group_rows: usize,
    /// The cells of the row group, column by column.
    columns: Vec<Vec<Cell>>,
    num_rows: usize,
    num_bytes: usize,
}

/// The output as the library takes it: nothing once it was given back.
struct Sink(Option<Output>);

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.as_mut().ok_or(io::ErrorKind::BrokenPipe)?.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl std::fmt::Debug for ParquetWriter {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("ParquetWriter")
            .field("name", &self.name)
            .field("num_rows", &self.num_rows)
            .finish_non_exhaustive()
    }
}

impl ParquetWriter {
    /// Starts a file with the columns of a schema in the language of Parquet: `message table { required binary key (UTF8); }`.
    /// Columns may be optional, members of structs, or lists. Numbers of half precision are `fixed_len_byte_array(2) (FLOAT16)`.
    ///
    /// # Errors
    /// If the schema makes no sense, or the output cannot be written.
    pub fn create(output: Output, schema: &str, options: ParquetOptions) -> Result<Self> {
        let name = output.name();
        let notes = options.notes.into_iter().map(|(key, text)| KeyValue::new(key, text)).collect();
        let compression = if options.is_compressed { Compression::SNAPPY } else { Compression::UNCOMPRESSED };
        let properties = WriterProperties::builder()
            .set_dictionary_enabled(false)
            .set_compression(compression)
            .set_key_value_metadata(Some(notes));
        let properties = options.plain.into_iter().map(ColumnPath::new).fold(properties, |properties, column| {
            properties
                .set_column_compression(column.clone(), Compression::UNCOMPRESSED)
                .set_column_statistics_enabled(column, EnabledStatistics::None)
        });
        let file = parse_message_type(schema).and_then(|schema| {
            SerializedFileWriter::new(Sink(Some(output)), Arc::new(schema), Arc::new(properties.build()))
        });
        let file = file.map_err(|error| explain(&name, error))?;
        let columns = vec![Vec::new(); file.schema_descr().num_columns()];
        Ok(Self { name, file, group_rows: options.group_rows, columns, num_rows: 0, num_bytes: 0 })
    }

    /// Appends a row: a cell for each column, and for each member of a struct, in their order.
    ///
    /// # Errors
    /// If there are more cells or fewer, or what was written before does not fit its columns or cannot be written.
    pub fn put(&mut self, row: Vec<Cell>) -> Result<()> {
        if row.len() != self.columns.len() {
            let message = format!("expected {} values in a row, got {}", self.columns.len(), row.len());
            return Err(Error::content(&self.name, message));
        }
        let num_bytes: usize = row.iter().map(Cell::weigh).sum();
        if self.num_rows >= self.group_rows || self.num_bytes + num_bytes > GROUP_BYTES {
            self.write_group()?;
        }
        self.num_bytes += num_bytes;
        self.num_rows += 1;
        self.columns.iter_mut().zip(row).for_each(|(column, cell)| column.push(cell));
        Ok(())
    }

    /// Writes what is left, and gives the output back, which has its name when it is finished.
    ///
    /// # Errors
    /// As [`ParquetWriter::put`].
    pub fn finish(mut self) -> Result<Output> {
        self.write_group()?;
        self.file.finish().map_err(|error| explain(&self.name, error))?;
        self.file.inner_mut().0.take().ok_or_else(|| Error::content(&self.name, "the file is finished"))
    }

    fn write_group(&mut self) -> Result<()> {
        if self.num_rows == 0 {
            return Ok(());
        }
        (self.num_rows, self.num_bytes) = (0, 0);
        let columns: Vec<_> = self.columns.iter_mut().map(std::mem::take).collect();
        write_group(&mut self.file, &columns).map_err(|error| explain(&self.name, error))
    }
}

/// The error of the output, if there is one, or that of the library.
fn explain(name: &str, error: ParquetError) -> Error {
    let ParquetError::External(source) = error else { return Error::content(name, error) };
    match source.downcast::<io::Error>().map(|error| (*error).downcast::<kaldi_io::Error>()) {
        Ok(Ok(fault)) => fault.into(),
        Ok(Err(error)) => Error::content(name, error),
        Err(source) => Error::content(name, source),
    }
}

pub(crate) fn other_type() -> ParquetError {
    ParquetError::General("expected a value of the type of its column, got another one".to_owned())
}

fn write_group(file: &mut SerializedFileWriter<Sink>, columns: &[Vec<Cell>]) -> Result<(), ParquetError> {
    let described = file.schema_descr().columns().to_vec();
    let mut group = file.next_row_group()?;
    for (cells, descr) in columns.iter().zip(described) {
        let lists = cells.iter().map(|cell| match cell {
            Cell::Numbers(numbers) => Some(numbers),
            Cell::Value(_) => None,
        });
        if let Some(lists) = lists.collect::<Option<Vec<_>>>() {
            ListColumn::new(&lists, &descr)?.append_to(&mut group, descr)?;
            continue;
        }
        let mut column = group.next_column()?.ok_or_else(other_type)?;
        let mut batch = Batch::new(&descr);
        for cell in cells {
            let Cell::Value(value) = cell else { return Err(other_type()) };
            batch.push(value)?;
            if batch.num_bytes >= BATCH_BYTES {
                batch.write(column.untyped())?;
            }
        }
        batch.write(column.untyped())?;
        column.close()?;
    }
    group.close().map(drop)
}

/// Values of a column with their levels.
struct Batch<'a> {
    /// The levels of a value that is there, and of an empty list.
    there: i16,
    empty: i16,
    is_list: bool,
    values: Vec<&'a ColumnValue>,
    definitions: Vec<i16>,
    repetitions: Vec<i16>,
    num_bytes: usize,
}

impl<'a> Batch<'a> {
    fn new(descr: &ColumnDescPtr) -> Self {
        let there = descr.max_def_level();
        // A list is there at the level before that of its elements, which is one more if these may be missing.
        let empty = there - 1 - i16::from(descr.self_type().is_optional());
        let is_list = descr.max_rep_level() > 0;
        let (values, definitions, repetitions) = (Vec::new(), Vec::new(), Vec::new());
        Self { there, empty, is_list, values, definitions, repetitions, num_bytes: 0 }
    }

    fn push(&mut self, value: &'a ColumnValue) -> Result<(), ParquetError> {
        let mut put = |value: Option<&'a ColumnValue>, definition: i16, repetition: i16| {
            self.num_bytes += value.and_then(ColumnValue::as_bytes).map_or(8, <[u8]>::len);
            self.values.extend(value);
            self.definitions.push(definition);
            self.repetitions.push(repetition);
        };
        match (value, self.is_list) {
            (ColumnValue::Null, _) if self.there > 0 => put(None, 0, 0),
            (ColumnValue::List(values), true) if values.is_empty() => put(None, self.empty, 0),
            (ColumnValue::List(values), true) => {
                let places = (0..values.len()).map(|place| i16::from(place > 0));
                values.iter().zip(places).for_each(|(value, repetition)| put(Some(value), self.there, repetition));
            }
            (ColumnValue::List(_) | ColumnValue::Null, _) | (_, true) => return Err(other_type()),
            (value, false) => put(Some(value), self.there, 0),
        }
        Ok(())
    }

    /// Writes the values, and forgets them.
    fn write(&mut self, column: &mut ColumnWriter<'_>) -> Result<(), ParquetError> {
        match column {
            ColumnWriter::BoolColumnWriter(column) => self.write_as(column, |value| match value {
                ColumnValue::Truth(truth) => Some(*truth),
                _ => None,
            }),
            ColumnWriter::Int32ColumnWriter(column) => self.write_as(column, |value| match value {
                ColumnValue::Integer(number) => i32::try_from(*number).ok(),
                _ => None,
            }),
            ColumnWriter::Int64ColumnWriter(column) => self.write_as(column, |value| match value {
                ColumnValue::Integer(number) => Some(*number),
                _ => None,
            }),
            ColumnWriter::FloatColumnWriter(column) => self.write_as(column, |value| match value {
                ColumnValue::Single(number) => Some(*number),
                _ => None,
            }),
            ColumnWriter::DoubleColumnWriter(column) => self.write_as(column, |value| match value {
                ColumnValue::Double(number) => Some(*number),
                _ => None,
            }),
            ColumnWriter::ByteArrayColumnWriter(column) => self.write_as(column, |value| match value {
                ColumnValue::Bytes(bytes) => Some(bytes.clone().into()),
                _ => None,
            }),
            ColumnWriter::FixedLenByteArrayColumnWriter(column) => self.write_as(column, |value| match value {
                ColumnValue::Single(number) => {
                    Some(ByteArray::from(f16::from_f32(*number).to_le_bytes().to_vec()).into())
                }
                _ => None,
            }),
            ColumnWriter::Int96ColumnWriter(_) => Err(other_type()),
        }?;
        self.values.clear();
        self.definitions.clear();
        self.repetitions.clear();
        self.num_bytes = 0;
        Ok(())
    }

    fn write_as<T: DataType>(
        &self,
        column: &mut ColumnWriterImpl<'_, T>,
        convert: impl Fn(&ColumnValue) -> Option<T::T>,
    ) -> Result<(), ParquetError> {
        let values = self.values.iter().map(|value| convert(value)).collect::<Option<Vec<_>>>();
        let definitions = (self.there > 0).then_some(&self.definitions[..]);
        let repetitions = self.is_list.then_some(&self.repetitions[..]);
        column.write_batch(&values.ok_or_else(other_type)?, definitions, repetitions).map(drop)
    }
}

#[cfg(test)]
mod tests {
    use kaldi_io::Output;

    use crate::ColumnFile;

    use super::*;

    const SCHEMA: &str = "message table { required binary key (UTF8); optional double number; \
         optional group audio { optional binary bytes; optional binary path (UTF8); } \
         optional group times (LIST) { repeated group list { optional int64 element; } } \
         required fixed_len_byte_array(2) half (FLOAT16); required boolean truth; \
         required group values (LIST) { repeated group list { required float element; } } }";

    fn options() -> ParquetOptions {
        let plain = [["audio", "bytes"].as_slice(), &["values", "list", "element"]];
        let plain = plain.iter().map(|path| path.iter().map(ToString::to_string).collect()).collect();
        ParquetOptions { notes: vec![("of".into(), "this".into())], is_compressed: true, plain, group_rows: 2 }
    }

    fn bytes(text: &'static str) -> ColumnValue {
        ColumnValue::Bytes(text.as_bytes().into())
    }

    fn row(place: i64) -> Vec<ColumnValue> {
        let numbers = (0..place).map(ColumnValue::Integer).collect();
        let singles = (0..place).map(|number| ColumnValue::Single(number as f32 / 3.0)).collect();
        vec![
            bytes("utt"),
            if place % 2 == 0 { ColumnValue::Null } else { ColumnValue::Double(place as f64) },
            bytes("RIFF"),
            ColumnValue::Null,
            if place == 4 { ColumnValue::Null } else { ColumnValue::List(numbers) },
            ColumnValue::Single(place as f32 / 2.0),
            ColumnValue::Truth(place > 2),
            ColumnValue::List(singles),
        ]
    }

    fn cells(row: &[ColumnValue]) -> Vec<Cell> {
        let mut cells: Vec<Cell> = row.iter().cloned().map(Cell::from).collect();
        if let Some(Cell::Value(ColumnValue::List(values))) = cells.pop() {
            let single = |value: ColumnValue| if let ColumnValue::Single(number) = value { number } else { f32::NAN };
            let numbers: Vec<u8> = values.into_iter().flat_map(|value| single(value).to_le_bytes()).collect();
            cells.push(Cell::Numbers(numbers.into()));
        }
        cells
    }

    #[test]
    fn what_is_written_can_be_read() {
        let folder = tempfile::tempdir().unwrap();
        let name = folder.path().join("a.parquet").to_str().unwrap().to_owned();
        let output = Output::create(name.as_str().into(), false).unwrap();
        let mut file = ParquetWriter::create(output, SCHEMA, options()).unwrap();
        let rows: Vec<_> = (0..5).map(row).collect();
        rows.iter().for_each(|row| file.put(cells(row)).unwrap());
        file.finish().unwrap().finish().unwrap();
        let read = ColumnFile::open(name.as_str().into()).unwrap();
        assert_eq!((read.num_rows(), read.note("of")), (5, Some("this")));
        for column in 0..rows[0].len() {
            let mut values = read.values(column);
            for row in &rows {
                assert_eq!(values.next_value().unwrap().as_ref(), Some(&row[column]), "column {column}");
            }
            assert_eq!(values.next_value().unwrap(), None);
        }
    }

    #[test]
    fn what_does_not_fit_its_column_is_refused() {
        let schema = "message table { required int32 number; }";
        let fault = |row: Vec<Cell>| {
            let output = Output::create("/dev/null".into(), true).unwrap();
            let mut file = ParquetWriter::create(output, schema, options()).unwrap();
            file.put(row).and_then(|()| file.finish()).unwrap_err().to_string()
        };
        let wrong = "/dev/null: Parquet error: expected a value of the type of its column, got another one";
        for value in [
            ColumnValue::Null,
            ColumnValue::Double(1.0),
            ColumnValue::Integer(1 << 40),
            ColumnValue::List(vec![ColumnValue::Integer(1)]),
        ] {
            assert_eq!(fault(vec![value.into()]), wrong);
        }
        assert_eq!(fault(vec![Cell::Numbers(vec![0; 4].into())]), wrong);
        assert_eq!(fault(Vec::new()), "/dev/null: expected 1 values in a row, got 0");
    }

    #[test]
    fn a_full_disk_is_reported_as_the_system_does() {
        let output = Output::create("/dev/full".into(), true).unwrap();
        let options = ParquetOptions { is_compressed: false, ..options() };
        let mut file = ParquetWriter::create(output, "message table { required binary key; }", options).unwrap();
        let long = ColumnValue::Bytes(vec![b'a'; 1 << 20].into());
        file.put(vec![long.into()]).unwrap();
        let error = file.finish().unwrap_err();
        assert!(matches!(error, Error::Io(kaldi_io::Error::Write { .. })), "{error}");
    }
}
