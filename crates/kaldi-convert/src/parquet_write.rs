//! Tables of Parquet: a row for each key.
//!
//! `values` holds the numbers row after row; `rows` is 1 for a vector. The file's entry `kaldi.type` tells the type of the
//! table: `matrix`, `vector` or `int32-vector`.

use std::sync::Arc;

use bstr::{BStr, ByteSlice};
use byteorder::{ByteOrder, LittleEndian};
use kaldi_io::Output;
use parquet::column::writer::ColumnWriter;
use parquet::data_type::{ByteArray, FixedLenByteArray};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::ColumnPath;

use crate::array::{Array, DType};
use crate::record::TableType;
use crate::stream::Sink;
use crate::{Error, Result};

/// The entry of a file that has the type of the table.
pub(crate) const TYPE_ENTRY: &str = "kaldi.type";

/// Bytes of numbers, and rows, that are gathered for a row group.
const GROUP_BYTES: usize = 1 << 25;
const GROUP_ROWS: usize = 1 << 17;

/// Writes rows into a file, whose schema follows from the first one.
pub(crate) struct ParquetWriter {
    name: String,
    state: State,
    keys: Vec<ByteArray>,
    arrays: Vec<Array>,
    num_bytes: usize,
}

enum State {
    /// Nothing is known of the numbers yet.
    Waiting(Output),
    Open {
        file: Box<SerializedFileWriter<Sink>>,
        dtype: DType,
        table_type: TableType,
    },
    /// An error ended it.
    Lost,
}

impl ParquetWriter {
    pub(crate) fn new(output: Output) -> Self {
        let name = output.name();
        Self { name, state: State::Waiting(output), keys: Vec::new(), arrays: Vec::new(), num_bytes: 0 }
    }

    /// Appends a row.
    pub(crate) fn put(&mut self, key: &BStr, array: Array) -> Result<()> {
        if key.to_str().is_err() {
            return Err(Error::value(key, "expected a key in UTF-8, which strings of Parquet are"));
        }
        let found = TableType::of(&array);
        self.open(array.dtype, found)?;
        if let State::Open { dtype, table_type, .. } = self.state
            && (dtype, table_type) != (array.dtype, found)
        {
            let message = format!(
                "expected {table_type} of {dtype:?} as before, got {found} of {:?}; --dtype= makes numbers alike",
                array.dtype
            );
            return Err(Error::value(key, message));
        }
        self.num_bytes += array.data.len();
        self.keys.push(key.to_vec().into());
        self.arrays.push(array);
        if self.num_bytes >= GROUP_BYTES || self.keys.len() >= GROUP_ROWS {
            self.write_group()?;
        }
        Ok(())
    }

    /// Writes what is left and the footer, and gives the output back.
    pub(crate) fn finish(mut self) -> Result<Output> {
        self.open(DType::Float32, TableType::Matrix)?;
        if !self.keys.is_empty() {
            self.write_group()?;
        }
        let State::Open { mut file, .. } = self.state else { return Err(Error::content(self.name, "cannot write on")) };
        let finished = file.finish();
        finished.map_err(|error| file.inner_mut().explain(error))?;
        file.inner_mut().take()
    }

    /// Begins the file, where that has not happened yet.
    fn open(&mut self, dtype: DType, table_type: TableType) -> Result<()> {
        let output = match std::mem::replace(&mut self.state, State::Lost) {
            State::Waiting(output) => output,
            other => {
                self.state = other;
                return Ok(());
            }
        };
        let element = match dtype {
            DType::Float16 => "fixed_len_byte_array(2) element (FLOAT16)",
            DType::Float64 => "double element",
            DType::Int32 => "int32 element",
            _ => "float element",
        };
        let schema = format!(
            "message table {{ required binary key (UTF8); required int32 rows; required int32 columns;
             required group values (LIST) {{ repeated group list {{ required {element}; }} }} }}"
        );
        let properties = WriterProperties::builder()
            .set_dictionary_enabled(false)
            .set_column_statistics_enabled(ColumnPath::from("values.list.element"), EnabledStatistics::None)
            .set_key_value_metadata(Some(vec![KeyValue::new(TYPE_ENTRY.to_owned(), table_type.to_string())]))
            .build();
        let name = &self.name;
        let failed = |error: ParquetError| Error::content(name, error);
        let schema = parse_message_type(&schema).map_err(failed)?;
        let file =
            SerializedFileWriter::new(Sink::new(output), Arc::new(schema), Arc::new(properties)).map_err(failed)?;
        self.state = State::Open { file: file.into(), dtype, table_type };
        Ok(())
    }

    fn write_group(&mut self) -> Result<()> {
        let (keys, arrays) = (std::mem::take(&mut self.keys), std::mem::take(&mut self.arrays));
        self.num_bytes = 0;
        let State::Open { file, .. } = &mut self.state else { return Ok(()) };
        write_group(file, &keys, &arrays).map_err(|error| file.inner_mut().explain(error))
    }
}

fn write_group(
    file: &mut SerializedFileWriter<Sink>,
    keys: &[ByteArray],
    arrays: &[Array],
) -> Result<(), ParquetError> {
    let mut group = file.next_row_group()?;
    let mut index = 0;
    while let Some(mut column) = group.next_column()? {
        let sizes = |size: fn(&Array) -> usize| -> Vec<i32> { arrays.iter().map(|array| size(array) as i32).collect() };
        match (index, column.untyped()) {
            (0, ColumnWriter::ByteArrayColumnWriter(column)) => column.write_batch(keys, None, None).map(drop)?,
            (1, ColumnWriter::Int32ColumnWriter(column)) => {
                column.write_batch(&sizes(|array| array.size().0), None, None).map(drop)?;
            }
            (2, ColumnWriter::Int32ColumnWriter(column)) => {
                column.write_batch(&sizes(|array| array.size().1), None, None).map(drop)?;
            }
            (_, values) => arrays.iter().try_for_each(|array| write_values(values, array))?,
        }
        column.close()?;
        index += 1;
    }
    group.close().map(drop)
}

/// Writes one list: 0 begins a list, 1 goes on with it; 1 is a number, 0 a list without any.
fn write_values(column: &mut ColumnWriter<'_>, array: &Array) -> Result<(), ParquetError> {
    let bytes = array.bytes();
    let count = bytes.len() / array.dtype.width();
    let levels = vec![i16::from(count > 0); count.max(1)];
    let mut repeats = vec![1; count.max(1)];
    repeats[0] = 0;
    let (levels, repeats) = (Some(&levels[..]), Some(&repeats[..]));
    match column {
        ColumnWriter::FloatColumnWriter(column) => {
            let values: Vec<f32> = bytes.chunks_exact(4).map(LittleEndian::read_f32).collect();
            column.write_batch(&values, levels, repeats)
        }
        ColumnWriter::DoubleColumnWriter(column) => {
            let values: Vec<f64> = bytes.chunks_exact(8).map(LittleEndian::read_f64).collect();
            column.write_batch(&values, levels, repeats)
        }
        ColumnWriter::Int32ColumnWriter(column) => {
            let values: Vec<i32> = bytes.chunks_exact(4).map(LittleEndian::read_i32).collect();
            column.write_batch(&values, levels, repeats)
        }
        ColumnWriter::FixedLenByteArrayColumnWriter(column) => {
            let whole = bytes::Bytes::from(bytes);
            let value = |at: usize| FixedLenByteArray::from(ByteArray::from(whole.slice(2 * at..2 * at + 2)));
            column.write_batch(&(0..count).map(value).collect::<Vec<_>>(), levels, repeats)
        }
        _ => Err(ParquetError::General("a column of another type".into())),
    }
    .map(drop)
}
