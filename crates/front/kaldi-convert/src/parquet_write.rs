//! Tables of Parquet: a row for each key.
//!
//! `values` holds the numbers of a matrix or vector, row after row; `rows` is 1 for a vector. A single number or word is the
//! `value`. What takes several arrays has a column for each; a training example has a row for each input and output. The file's entry
//! `kaldi.type` has the type of the table.

use array_files::DType;
use bstr::{BStr, BString, ByteSlice};
use column_files::{Cell, ColumnValue, ParquetOptions, ParquetWriter};
use kaldi_any::ValueType;
use kaldi_io::Output;

use crate::array::Array;
use crate::exact::Exact;
use crate::example_arrays::IoArrays;
use crate::example_parquet::{NAME, columns, is_number, numbers};
use crate::item::Item;
use crate::types::part_names;
use crate::{Error, Result};

/// The entry of a file that has the type of the table.
pub(crate) const TYPE_ENTRY: &str = "kaldi.type";

/// Rows that are gathered for a row group, at most.
const GROUP_ROWS: usize = 1 << 17;

/// The type of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum CellType {
    Number(DType),
    List(DType),
    Word,
    Words,
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

/// The type of a column, and what a row has in it.
type Typed = (CellType, Cell);

/// A number.
fn number(array: &Array) -> Result<Typed, String> {
    let value = values(array).pop().ok_or("expected a number, got none")?;
    Ok((CellType::Number(array.dtype), value.into()))
}

fn integer(number: usize) -> Typed {
    (CellType::Number(DType::Int32), ColumnValue::Integer(number as i64).into())
}

/// Numbers. The bytes of most are those of their column.
fn list(array: Array) -> Result<Typed, String> {
    let cell = match array.dtype {
        DType::Float16 | DType::Float32 | DType::Float64 | DType::Int32 => Cell::Numbers(array.data),
        DType::Int16 => {
            let integers = Exact::of(&array).to_i32()?;
            Cell::Numbers(Array::from_i32(&[integers.len()], &integers).data)
        }
        _ => ColumnValue::List(values(&array)).into(),
    };
    Ok((CellType::List(array.dtype), cell))
}

fn values(array: &Array) -> Vec<ColumnValue> {
    match Exact::of(array) {
        Exact::Single(values) => values.into_iter().map(ColumnValue::Single).collect(),
        Exact::Double(values) => values.into_iter().map(ColumnValue::Double).collect(),
        Exact::Integer(values) if array.dtype == DType::Bool => {
            values.into_iter().map(|value| ColumnValue::Truth(value != 0)).collect()
        }
        Exact::Integer(values) => values.into_iter().map(|value| ColumnValue::Integer(value as i64)).collect(),
    }
}

fn word(word: &BString) -> Result<Typed, String> {
    Ok((CellType::Word, text(word)?.into()))
}

/// The columns of a value besides the key.
fn cells(item: Item) -> Result<Vec<(String, Typed)>, String> {
    let cells = match item {
        Item::Array(array) if array.dims.is_empty() => vec![("value", number(&array)?)],
        Item::Array(array) => {
            let (rows, columns) = array.size();
            vec![("rows", integer(rows)), ("columns", integer(columns)), ("values", list(array)?)]
        }
        Item::Word(value) => vec![("value", word(&value)?)],
        Item::Words(words) => {
            let words = words.iter().map(text).collect::<Result<_, _>>()?;
            vec![("values", (CellType::Words, ColumnValue::List(words).into()))]
        }
        Item::Compound(value) => {
            let names = part_names(value.table_type());
            let cell = |array: Array| if array.dims.is_empty() { number(&array) } else { list(array) };
            let cells = value.parts().into_iter().map(cell).collect::<Result<Vec<_>, _>>()?;
            names.iter().copied().zip(cells).collect()
        }
    };
    Ok(cells.into_iter().map(|(name, cell)| (name.to_owned(), cell)).collect())
}

/// The columns of an input or output of an example besides the key.
fn io_cells(io: &IoArrays, table_type: ValueType) -> Result<Vec<(String, Typed)>, String> {
    let cell = |(column, part): (String, &'static str)| {
        let cell = match part {
            NAME => word(&io.name)?,
            part if is_number(part) => number(&numbers(io, part)?)?,
            part => list(numbers(io, part)?)?,
        };
        Ok((column, cell))
    };
    columns(table_type).into_iter().map(cell).collect()
}

fn text(word: &BString) -> Result<ColumnValue, String> {
    match word.to_str() {
        Ok(_) => Ok(ColumnValue::Bytes(word.to_vec().into())),
        Err(_) => Err(format!("expected words in UTF-8, which strings of Parquet are, got {word:?}")),
    }
}

/// Writes rows into a file, whose schema follows from the first one.
pub(crate) struct ParquetTable {
    name: String,
    state: State,
    /// The key of the last example.
    last: Option<BString>,
}

enum State {
    /// Nothing is known of the values yet.
    Waiting(Output),
    Open {
        file: Box<ParquetWriter>,
        table_type: ValueType,
        cell_types: Vec<CellType>,
    },
    /// An error ended it.
    Lost,
}

impl ParquetTable {
    pub(crate) fn new(output: Output) -> Self {
        let name = output.name();
        Self { name, state: State::Waiting(output), last: None }
    }

    /// Appends a value: a row, or of an example a row for each input and output.
    pub(crate) fn put(&mut self, key: &BStr, item: Item) -> Result<()> {
        if key.to_str().is_err() {
            return Err(Error::value(key, "expected a key in UTF-8, which strings of Parquet are"));
        }
        let found = item.table_type();
        let fault = |message: String| Error::value(key, message);
        let examples = match &item {
            Item::Compound(value) if found.is_example() => value.examples(),
            _ => return self.put_row(key, found, cells(item).map_err(fault)?),
        };
        if self.last.as_ref().is_some_and(|last| last == key) {
            return Err(fault("this key comes twice in succession, which rows of one key do not show".into()));
        }
        self.last = Some(key.to_owned());
        for io in examples {
            self.put_row(key, found, io_cells(&io, found).map_err(fault)?)?;
        }
        Ok(())
    }

    fn put_row(&mut self, key: &BStr, found: ValueType, cells: Vec<(String, Typed)>) -> Result<()> {
        let (names, cells): (Vec<String>, Vec<Typed>) = cells.into_iter().unzip();
        let (found_types, cells): (Vec<CellType>, Vec<Cell>) = cells.into_iter().unzip();
        if let State::Waiting(_) = self.state {
            self.open(found, &names, &found_types)?;
        }
        let State::Open { file, table_type, cell_types } = &mut self.state else { return Ok(()) };
        if (*table_type, &*cell_types) != (found, &found_types) {
            let (wanted, got) = (numbers_of(cell_types), numbers_of(&found_types));
            let message =
                format!("expected {table_type}{wanted} as before, got {found}{got}; `dtype` makes numbers alike");
            return Err(Error::value(key, message));
        }
        let key = ColumnValue::Bytes(key.to_vec().into());
        Ok(file.put(std::iter::once(key.into()).chain(cells).collect())?)
    }

    /// Writes what is left and the footer, and gives the output back.
    pub(crate) fn finish(mut self) -> Result<Output> {
        if let State::Waiting(_) = self.state {
            let int = CellType::Number(DType::Int32);
            let types = [int, int, CellType::List(DType::Float32)];
            self.open(ValueType::Matrix, &["rows", "columns", "values"].map(str::to_owned), &types)?;
        }
        match self.state {
            State::Open { file, .. } => Ok(file.finish()?),
            _ => Err(Error::content(self.name, "cannot write on")),
        }
    }

    /// Starts the file, where that has not happened yet.
    fn open(&mut self, table_type: ValueType, names: &[String], cell_types: &[CellType]) -> Result<()> {
        let output = match std::mem::replace(&mut self.state, State::Lost) {
            State::Waiting(output) => output,
            other => {
                self.state = other;
                return Ok(());
            }
        };
        let fields: Vec<String> = names.iter().zip(cell_types).map(|(name, it)| it.field(name)).collect();
        let schema = format!("message table {{ required binary key (UTF8); {} }}", fields.join(" "));
        let lists = names.iter().zip(cell_types).filter(|(_, it)| matches!(it, CellType::List(_) | CellType::Words));
        let path = |name: &String| vec![name.clone(), "list".to_owned(), "element".to_owned()];
        let options = ParquetOptions {
            notes: vec![(TYPE_ENTRY.to_owned(), table_type.to_string())],
            is_compressed: false,
            plain: lists.map(|(name, _)| path(name)).collect(),
            group_rows: GROUP_ROWS,
        };
        let file = ParquetWriter::create(output, &schema, options)?;
        self.state = State::Open { file: file.into(), table_type, cell_types: cell_types.to_vec() };
        Ok(())
    }
}

/// What an error message says about the numbers.
fn numbers_of(cell_types: &[CellType]) -> String {
    match cell_types.last() {
        Some(CellType::Number(dtype) | CellType::List(dtype)) => format!(" of {dtype:?}"),
        _ => String::new(),
    }
}
