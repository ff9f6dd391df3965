//! Tables of Parquet, ours and those of other programs.
//!
//! `key` is a string, `values` a list of numbers, or a list of lists: the rows of a matrix. With `rows` and `columns`, a list
//! is a matrix, without them a vector.

use bstr::BStr;
use parquet::basic::{ConvertedType, LogicalType};
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::{ByteArray, DataType};
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};
use parquet::schema::types::SchemaDescriptor;

use crate::array::{Array, DType};
use crate::parquet_write::TYPE_ENTRY;
use crate::stream::Places;
use crate::{Error, Result};

/// Reads every row of a file.
pub(crate) fn read(name: &BStr, mut each: impl FnMut(&[u8], Array) -> Result<()>) -> Result<()> {
    let fault = |error: &dyn std::fmt::Display| Error::content(name, error);
    let file = SerializedFileReader::new(Places::open(name)?).map_err(|error| fault(&error))?;
    let metadata = file.metadata().file_metadata();
    let is_vector =
        metadata.key_value_metadata().into_iter().flatten().any(|entry| {
            entry.key == TYPE_ENTRY && entry.value.as_deref().is_some_and(|value| value.ends_with("vector"))
        });
    let columns = Columns::find(metadata.schema_descr()).map_err(|message| fault(&message))?;
    for index in 0..file.num_row_groups() {
        let group = file.get_row_group(index).map_err(|error| fault(&error))?;
        let count = usize::try_from(group.metadata().num_rows()).map_err(|error| fault(&error))?;
        let mut rows = Rows::open(&*group, &columns).map_err(|error| fault(&error))?;
        for number in 0..count {
            let place = || format!("{name}: row {number} of group {index}");
            let (key, numbers) = rows.next().map_err(|message| Error::content(place(), message))?;
            let array = numbers.into_array(is_vector).map_err(|message| Error::content(place(), message))?;
            each(key.data(), array)?;
        }
    }
    Ok(())
}

/// Which columns of a file are of use.
struct Columns {
    key: usize,
    values: usize,
    size: Option<(usize, usize)>,
    /// The type of the numbers where the plain type does not tell.
    dtype: Option<DType>,
    max_definition: i16,
    max_repetition: i16,
}

impl Columns {
    fn find(schema: &SchemaDescriptor) -> Result<Self, String> {
        let find = |name: &str| {
            schema.columns().iter().position(|column| column.path().parts().first().is_some_and(|it| it == name))
        };
        let all = || schema.columns().iter().map(|column| column.path().string()).collect::<Vec<_>>().join(", ");
        let wanted = |name: &str| find(name).ok_or_else(|| format!("expected a column {name:?}, got {}", all()));
        let (key, values) = (wanted("key")?, wanted("values")?);
        let column = schema.column(values);
        if !(1..=2).contains(&column.max_rep_level()) {
            return Err(format!("expected values to be a list, or a list of lists, got {}", column.path()));
        }
        let dtype = match (column.logical_type_ref(), column.converted_type()) {
            (Some(LogicalType::Float16), _) => Some(DType::Float16),
            (_, ConvertedType::UINT_32) => Some(DType::Uint32),
            (_, ConvertedType::UINT_64) => Some(DType::Uint64),
            _ => None,
        };
        Ok(Self {
            key,
            values,
            size: find("rows").zip(find("columns")),
            dtype,
            max_definition: column.max_def_level(),
            max_repetition: column.max_rep_level(),
        })
    }
}

/// The rows of a row group, column by column.
struct Rows<'a> {
    key: ColumnReader,
    size: Option<(ColumnReader, ColumnReader)>,
    values: ColumnReader,
    columns: &'a Columns,
}

/// The numbers of a row and what is known of their arrangement.
struct Numbers {
    dtype: DType,
    bytes: Vec<u8>,
    size: Option<(usize, usize)>,
    /// The lists that a list of lists has.
    num_lists: Option<usize>,
}

impl<'a> Rows<'a> {
    fn open(group: &dyn RowGroupReader, columns: &'a Columns) -> Result<Self, ParquetError> {
        let size = match columns.size {
            Some((rows, columns)) => Some((group.get_column_reader(rows)?, group.get_column_reader(columns)?)),
            None => None,
        };
        let (key, values) = (group.get_column_reader(columns.key)?, group.get_column_reader(columns.values)?);
        Ok(Self { key, size, values, columns })
    }

    fn next(&mut self) -> Result<(ByteArray, Numbers), String> {
        let ColumnReader::ByteArrayColumnReader(keys) = &mut self.key else {
            return Err("expected key to be a string".into());
        };
        let (mut key, _, _) = record(keys)?;
        let key = key.pop().ok_or("expected a key, got none")?;
        let size = match &mut self.size {
            Some((rows, columns)) => Some((size(rows, "rows")?, size(columns, "columns")?)),
            None => None,
        };
        let mut lists = Lists { columns: self.columns, num_lists: None };
        let (dtype, bytes) = match &mut self.values {
            ColumnReader::FloatColumnReader(column) => {
                (DType::Float32, lists.next(column)?.iter().flat_map(|it| it.to_le_bytes()).collect())
            }
            ColumnReader::DoubleColumnReader(column) => {
                (DType::Float64, lists.next(column)?.iter().flat_map(|it| it.to_le_bytes()).collect())
            }
            ColumnReader::Int32ColumnReader(column) => {
                (DType::Int32, lists.next(column)?.iter().flat_map(|it| it.to_le_bytes()).collect())
            }
            ColumnReader::Int64ColumnReader(column) => {
                (DType::Int64, lists.next(column)?.iter().flat_map(|it| it.to_le_bytes()).collect())
            }
            ColumnReader::FixedLenByteArrayColumnReader(column) if self.columns.dtype == Some(DType::Float16) => {
                (DType::Float16, lists.next(column)?.iter().flat_map(|it| it.data().to_vec()).collect())
            }
            _ => return Err("expected values to be integers or floating-point numbers".into()),
        };
        let dtype = self.columns.dtype.unwrap_or(dtype);
        Ok((key, Numbers { dtype, bytes, size, num_lists: lists.num_lists }))
    }
}

/// One record of a column: its values, and the levels of each.
#[allow(clippy::type_complexity, reason = "three lists")]
fn record<T: DataType>(column: &mut ColumnReaderImpl<T>) -> Result<(Vec<T::T>, Vec<i16>, Vec<i16>), String> {
    let (mut values, mut levels, mut repeats) = (Vec::new(), Vec::new(), Vec::new());
    let read = column.read_records(1, Some(&mut levels), Some(&mut repeats), &mut values);
    match read.map_err(|error| error.to_string())? {
        (1, _, _) => Ok((values, levels, repeats)),
        _ => Err("expected a value in every column, got the end of one".into()),
    }
}

fn size(column: &mut ColumnReader, name: &str) -> Result<usize, String> {
    let value = match column {
        ColumnReader::Int32ColumnReader(column) => record(column)?.0.pop().map(i64::from),
        ColumnReader::Int64ColumnReader(column) => record(column)?.0.pop(),
        _ => return Err(format!("expected {name} to be integers")),
    };
    let value = value.ok_or_else(|| format!("expected {name} to be given, got none"))?;
    usize::try_from(value).map_err(|_| format!("expected {name} to be 0 or more, got {value}"))
}

/// Takes lists from the column of values.
struct Lists<'a> {
    columns: &'a Columns,
    num_lists: Option<usize>,
}

impl Lists<'_> {
    fn next<T: DataType>(&mut self, column: &mut ColumnReaderImpl<T>) -> Result<Vec<T::T>, String> {
        let (values, levels, repeats) = record(column)?;
        let is_empty = values.is_empty() && levels.len() == 1;
        if !is_empty && levels.iter().any(|&level| level != self.columns.max_definition) {
            return Err("expected numbers in values, got nothing (null) among them".into());
        }
        if self.columns.max_repetition == 2 {
            let lists = repeats.iter().filter(|&&repeat| repeat < 2);
            self.num_lists = Some(if is_empty { 0 } else { lists.count() });
            let starts: Vec<usize> = (0..repeats.len()).filter(|&at| repeats[at] < 2).collect();
            if starts.windows(2).any(|pair| pair[1] - pair[0] != starts[1])
                || starts.last().is_some_and(|last| starts.len() > 1 && repeats.len() - last != starts[1])
            {
                return Err("expected lists of one length in values, got others".into());
            }
        }
        Ok(values)
    }
}

impl Numbers {
    fn into_array(self, is_vector: bool) -> Result<Array, String> {
        let count = self.bytes.len() / self.dtype.width();
        let dims = match (self.num_lists, self.size) {
            (Some(0), _) => vec![0, 0],
            (Some(rows), _) => vec![rows, count / rows],
            (None, Some((rows, columns))) => {
                if rows.checked_mul(columns) != Some(count) {
                    return Err(format!("expected {rows} times {columns} values, got {count}"));
                }
                if is_vector { vec![count] } else { vec![rows, columns] }
            }
            (None, None) => vec![count],
        };
        Ok(Array::new(self.dtype, &dims, self.bytes))
    }
}
