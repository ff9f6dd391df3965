//! Tables of Parquet: a row for each key.
//!
//! `values` holds the numbers of a matrix or vector, row after row; `rows` is 1 for a vector. A single number or word is the
//! `value`. What takes several arrays has a column for each; a training example has a row for each input and output. The file's entry `kaldi.type` has the type of the table.

use std::borrow::Cow;
use std::sync::Arc;

use array_files::DType;
use bstr::{BStr, BString, ByteSlice};
use kaldi_io::Output;
use kaldi_types::ValueType;
use parquet::column::writer::ColumnWriter;
use parquet::data_type::{ByteArray, FixedLenByteArray};
use parquet::errors::ParquetError;
use parquet::file::metadata::KeyValue;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::SerializedFileWriter;
use parquet::schema::parser::parse_message_type;
use parquet::schema::types::ColumnPath;

use crate::array::Array;
use crate::exact::Exact;
use crate::example_arrays::IoArrays;
use crate::example_parquet::{NAME, columns, is_number, numbers};
use crate::item::Item;
use crate::parquet_lists::ListColumn;
use crate::stream::Sink;
use crate::table_type::part_names;
use crate::{Error, Result};

/// The entry of a file that has the type of the table.
pub(crate) const TYPE_ENTRY: &str = "kaldi.type";

/// Bytes of numbers, and rows, that are gathered for a row group.
const GROUP_BYTES: usize = 1 << 25;
const GROUP_ROWS: usize = 1 << 17;

/// What a row has in a column.
enum Cell {
    /// A number.
    Number(Array),
    /// Numbers.
    List(Array),
    Word(ByteArray),
    Words(Vec<ByteArray>),
}

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CellType {
    Number(DType),
    List(DType),
    Word,
    Words,
}

impl Cell {
    fn cell_type(&self) -> CellType {
        match self {
            Self::Number(array) => CellType::Number(array.dtype),
            Self::List(array) => CellType::List(array.dtype),
            Self::Word(_) => CellType::Word,
            Self::Words(_) => CellType::Words,
        }
    }

    fn num_bytes(&self) -> usize {
        match self {
            Self::Number(array) | Self::List(array) => array.data.len(),
            Self::Word(word) => word.len(),
            Self::Words(words) => words.iter().map(|word| word.len() + 32).sum(),
        }
    }
}

impl CellType {
    /// The field of this name in a schema.
    fn field(self, name: &str) -> String {
        let number = |dtype| match dtype {
            DType::Bool => ("boolean", ""),
            DType::Float16 => ("fixed_len_byte_array(2)", " (FLOAT16)"),
            DType::Float64 => ("double", ""),
            DType::Int16 => ("int32", " (INTEGER(16,true))"),
            DType::Int32 => ("int32", ""),
            _ => ("float", ""),
        };
        let of = |name: &str, (plain, logical): (&str, &str)| format!("required {plain} {name}{logical};");
        let list =
            |kind| format!("required group {name} (LIST) {{ repeated group list {{ {} }} }}", of("element", kind));
        match self {
            Self::Number(dtype) => of(name, number(dtype)),
            Self::List(dtype) => list(number(dtype)),
            Self::Word => of(name, ("binary", " (UTF8)")),
            Self::Words => list(("binary", " (UTF8)")),
        }
    }
}

/// The columns of a value besides the key.
fn cells(item: Item) -> Result<Vec<(String, Cell)>, String> {
    let number = |value: usize| Cell::Number(Array::from_i32(&[], &[value as i32]));
    let cells = match item {
        Item::Array(array) if array.dims.is_empty() => vec![("value", Cell::Number(array))],
        Item::Array(array) => {
            let (rows, columns) = array.size();
            vec![("rows", number(rows)), ("columns", number(columns)), ("values", Cell::List(array))]
        }
        Item::Word(word) => vec![("value", Cell::Word(utf8(&word)?))],
        Item::Words(words) => vec![("values", Cell::Words(words.iter().map(utf8).collect::<Result<_, _>>()?))],
        item => {
            let names = part_names(item.table_type());
            let cell = |array: Array| if array.dims.is_empty() { Cell::Number(array) } else { Cell::List(array) };
            names.iter().copied().zip(item.parts().into_iter().map(cell)).collect()
        }
    };
    Ok(cells.into_iter().map(|(name, cell)| (name.to_owned(), cell)).collect())
}

/// The columns of an input or output of an example besides the key.
fn io_cells(io: &IoArrays, table_type: ValueType) -> Result<Vec<(String, Cell)>, String> {
    let cell = |(column, part): (String, &'static str)| {
        let cell = match part {
            NAME => Cell::Word(utf8(&io.name)?),
            part if is_number(part) => Cell::Number(numbers(io, part)?),
            part => Cell::List(numbers(io, part)?),
        };
        Ok((column, cell))
    };
    columns(table_type).into_iter().map(cell).collect()
}

fn utf8(word: &BString) -> Result<ByteArray, String> {
    match word.to_str() {
        Ok(_) => Ok(ByteArray::from(word.to_vec())),
        Err(_) => Err(format!("expected words in UTF-8, which strings of Parquet are, got {word:?}")),
    }
}

/// Writes rows into a file, whose schema follows from the first one.
pub(crate) struct ParquetWriter {
    name: String,
    state: State,
    keys: Vec<ByteArray>,
    /// For each column the cells of the rows.
    columns: Vec<Vec<Cell>>,
    num_bytes: usize,
    /// The key of the last example.
    last: Option<BString>,
}

enum State {
    /// Nothing is known of the values yet.
    Waiting(Output),
    Open {
        file: Box<SerializedFileWriter<Sink>>,
        table_type: ValueType,
        cell_types: Vec<CellType>,
    },
    /// An error ended it.
    Lost,
}

impl ParquetWriter {
    pub(crate) fn new(output: Output) -> Self {
        let name = output.name();
        Self { name, state: State::Waiting(output), keys: Vec::new(), columns: Vec::new(), num_bytes: 0, last: None }
    }

    /// Appends a value: a row, or of an example a row for each input and output.
    pub(crate) fn put(&mut self, key: &BStr, item: Item) -> Result<()> {
        if key.to_str().is_err() {
            return Err(Error::value(key, "expected a key in UTF-8, which strings of Parquet are"));
        }
        let found = item.table_type();
        let fault = |message: String| Error::value(key, message);
        if !found.is_example() {
            return self.put_row(key, found, cells(item).map_err(fault)?);
        }
        if self.last.as_ref().is_some_and(|last| last == key) {
            return Err(fault("this key comes twice in succession, which rows of one key do not show".into()));
        }
        self.last = Some(key.to_owned());
        for io in IoArrays::all_of(&item) {
            self.put_row(key, found, io_cells(&io, found).map_err(fault)?)?;
        }
        Ok(())
    }

    fn put_row(&mut self, key: &BStr, found: ValueType, cells: Vec<(String, Cell)>) -> Result<()> {
        let found_types: Vec<CellType> = cells.iter().map(|(_, cell)| cell.cell_type()).collect();
        if let State::Waiting(_) = self.state {
            let names: Vec<&str> = cells.iter().map(|(name, _)| name.as_str()).collect();
            self.open(found, &names, &found_types)?;
        }
        if let State::Open { table_type, cell_types, .. } = &self.state
            && (*table_type, cell_types) != (found, &found_types)
        {
            let (wanted, got) = (numbers_of(cell_types), numbers_of(&found_types));
            let message =
                format!("expected {table_type}{wanted} as before, got {found}{got}; `dtype` makes numbers alike");
            return Err(Error::value(key, message));
        }
        self.keys.push(key.to_vec().into());
        self.columns.resize_with(cells.len(), Vec::new);
        for (column, (_, cell)) in self.columns.iter_mut().zip(cells) {
            self.num_bytes += cell.num_bytes();
            column.push(cell);
        }
        if self.num_bytes >= GROUP_BYTES || self.keys.len() >= GROUP_ROWS {
            self.write_group()?;
        }
        Ok(())
    }

    /// Writes what is left and the footer, and gives the output back.
    pub(crate) fn finish(mut self) -> Result<Output> {
        if let State::Waiting(_) = self.state {
            let int = CellType::Number(DType::Int32);
            let types = [int, int, CellType::List(DType::Float32)];
            self.open(ValueType::Matrix, &["rows", "columns", "values"], &types)?;
        }
        if !self.keys.is_empty() {
            self.write_group()?;
        }
        let State::Open { mut file, .. } = self.state else { return Err(Error::content(self.name, "cannot write on")) };
        let finished = file.finish();
        finished.map_err(|error| file.inner_mut().explain(error))?;
        file.inner_mut().take()
    }

    /// Starts the file, where that has not happened yet.
    fn open(&mut self, table_type: ValueType, names: &[&str], cell_types: &[CellType]) -> Result<()> {
        let output = match std::mem::replace(&mut self.state, State::Lost) {
            State::Waiting(output) => output,
            other => {
                self.state = other;
                return Ok(());
            }
        };
        let fields: Vec<String> = names.iter().zip(cell_types).map(|(name, it)| it.field(name)).collect();
        let schema = format!("message table {{ required binary key (UTF8); {} }}", fields.join(" "));
        let metadata = vec![KeyValue::new(TYPE_ENTRY.to_owned(), table_type.to_string())];
        let properties =
            WriterProperties::builder().set_dictionary_enabled(false).set_key_value_metadata(Some(metadata));
        let lists = names.iter().zip(cell_types).filter(|(_, it)| matches!(it, CellType::List(_) | CellType::Words));
        let properties = lists.fold(properties, |properties, (name, _)| {
            let column = ColumnPath::from(format!("{name}.list.element"));
            properties.set_column_statistics_enabled(column, EnabledStatistics::None)
        });
        let properties = properties.build();
        let name = &self.name;
        let failed = |error: ParquetError| Error::content(name, error);
        let schema = parse_message_type(&schema).map_err(failed)?;
        let file =
            SerializedFileWriter::new(Sink::new(output), Arc::new(schema), Arc::new(properties)).map_err(failed)?;
        self.state = State::Open { file: file.into(), table_type, cell_types: cell_types.to_vec() };
        Ok(())
    }

    fn write_group(&mut self) -> Result<()> {
        let (keys, columns) = (std::mem::take(&mut self.keys), std::mem::take(&mut self.columns));
        self.num_bytes = 0;
        let State::Open { file, .. } = &mut self.state else { return Ok(()) };
        write_group(file, &keys, columns).map_err(|error| file.inner_mut().explain(error))
    }
}

/// What an error message says about the numbers.
fn numbers_of(cell_types: &[CellType]) -> String {
    match cell_types.last() {
        Some(CellType::Number(dtype) | CellType::List(dtype)) => format!(" of {dtype:?}"),
        _ => String::new(),
    }
}

fn write_group(
    file: &mut SerializedFileWriter<Sink>,
    keys: &[ByteArray],
    columns: Vec<Vec<Cell>>,
) -> Result<(), ParquetError> {
    // The key is the first column, and each other field is one, too.
    let described = file.schema_descr().columns()[1..].to_vec();
    let mut group = file.next_row_group()?;
    if let Some(mut column) = group.next_column()? {
        if let ColumnWriter::ByteArrayColumnWriter(column) = column.untyped() {
            column.write_batch(keys, None, None)?;
        }
        column.close()?;
    }
    let mut levels = Levels::default();
    for (cells, described) in columns.into_iter().zip(described) {
        if let Some(lists) = lists(&cells)? {
            ListColumn::new(&lists)?.append_to(&mut group, described)?;
            continue;
        }
        let Some(mut column) = group.next_column()? else { break };
        cells.into_iter().try_for_each(|cell| levels.write_cell(column.untyped(), cell))?;
        column.close()?;
    }
    group.close().map(drop)
}

/// The arrays of a column of lists of numbers, in the type of the column. `None` for any other column.
fn lists(cells: &[Cell]) -> Result<Option<Vec<Cow<'_, Array>>>, ParquetError> {
    let mut lists = Vec::with_capacity(cells.len());
    for cell in cells {
        lists.push(match cell {
            Cell::List(array)
                if matches!(array.dtype, DType::Float16 | DType::Float32 | DType::Float64 | DType::Int32) =>
            {
                Cow::Borrowed(array)
            }
            Cell::List(array) if array.dtype == DType::Int16 => {
                let values = Exact::of(array).to_i32().map_err(ParquetError::General)?;
                Cow::Owned(Array::from_i32(&[values.len()], &values))
            }
            _ => return Ok(None),
        });
    }
    Ok(Some(lists))
}

/// What is beside the values of a list: 1 for each that there is, or 0 alone for an empty list; 0 starts a list, 1 goes
/// on with it. Both are kept for the next list.
#[derive(Default)]
struct Levels {
    definitions: Vec<i16>,
    repetitions: Vec<i16>,
}

impl Levels {
    fn write_cell(&mut self, column: &mut ColumnWriter<'_>, cell: Cell) -> Result<(), ParquetError> {
        let (array, is_list) = match cell {
            Cell::Number(array) => (array, false),
            Cell::List(array) => (array, true),
            Cell::Word(word) => return self.write(column, Values::Words(&[word]), false),
            Cell::Words(words) => return self.write(column, Values::Words(&words), true),
        };
        let bytes = array.contiguous();
        match array.dtype {
            DType::Float32 => {
                let values: Vec<f32> = bytes.as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect();
                self.write(column, Values::Singles(&values), is_list)
            }
            DType::Float64 => {
                let values: Vec<f64> = bytes.as_chunks().0.iter().map(|&bytes| f64::from_le_bytes(bytes)).collect();
                self.write(column, Values::Doubles(&values), is_list)
            }
            DType::Float16 => {
                let whole = bytes::Bytes::from(bytes.into_owned());
                let value = |at: usize| FixedLenByteArray::from(ByteArray::from(whole.slice(at..at + 2)));
                let values: Vec<_> = (0..whole.len()).step_by(2).map(value).collect();
                self.write(column, Values::Halves(&values), is_list)
            }
            DType::Bool => {
                let values: Vec<bool> = bytes.iter().map(|&byte| byte != 0).collect();
                self.write(column, Values::Truths(&values), is_list)
            }
            _ => {
                let values = Exact::of(&array).to_i32().map_err(ParquetError::General)?;
                self.write(column, Values::Integers(&values), is_list)
            }
        }
    }

    fn write(&mut self, column: &mut ColumnWriter<'_>, values: Values<'_>, is_list: bool) -> Result<(), ParquetError> {
        let count = values.len();
        if self.definitions.len() < count {
            self.definitions.resize(count, 1);
            self.repetitions.resize(count, 1);
            self.repetitions[0] = 0;
        }
        let (definitions, repetitions) = match (is_list, count) {
            (false, _) => (None, None),
            (true, 0) => (Some(&[0][..]), Some(&[0][..])),
            (true, _) => (Some(&self.definitions[..count]), Some(&self.repetitions[..count])),
        };
        match (column, values) {
            (ColumnWriter::FloatColumnWriter(column), Values::Singles(values)) => {
                column.write_batch(values, definitions, repetitions)
            }
            (ColumnWriter::DoubleColumnWriter(column), Values::Doubles(values)) => {
                column.write_batch(values, definitions, repetitions)
            }
            (ColumnWriter::Int32ColumnWriter(column), Values::Integers(values)) => {
                column.write_batch(values, definitions, repetitions)
            }
            (ColumnWriter::BoolColumnWriter(column), Values::Truths(values)) => {
                column.write_batch(values, definitions, repetitions)
            }
            (ColumnWriter::FixedLenByteArrayColumnWriter(column), Values::Halves(values)) => {
                column.write_batch(values, definitions, repetitions)
            }
            (ColumnWriter::ByteArrayColumnWriter(column), Values::Words(values)) => {
                column.write_batch(values, definitions, repetitions)
            }
            _ => Err(ParquetError::General("a column of another type".into())),
        }
        .map(drop)
    }
}

/// Values in the types of the library.
enum Values<'a> {
    Singles(&'a [f32]),
    Doubles(&'a [f64]),
    Halves(&'a [FixedLenByteArray]),
    Integers(&'a [i32]),
    Truths(&'a [bool]),
    Words(&'a [ByteArray]),
}

impl Values<'_> {
    fn len(&self) -> usize {
        match self {
            Self::Singles(values) => values.len(),
            Self::Doubles(values) => values.len(),
            Self::Halves(values) => values.len(),
            Self::Integers(values) => values.len(),
            Self::Truths(values) => values.len(),
            Self::Words(values) => values.len(),
        }
    }
}
