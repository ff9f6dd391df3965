//! Tables of Parquet and Arrow, ours and those of other programs.
//!
//! `key` is a string. `values` is a list of numbers, or a list of lists: the rows of a matrix. With `rows` and `columns`, a
//! list is a matrix, without them a vector. It may be a list of words, too. `value` is a number or a word. What takes several
//! arrays has a column for each.

use array_files::DType;
use bstr::{BStr, BString};
use column_files::{ColumnFile, ColumnValue, ColumnValues, FilePlaces, Leaf, LeafType};
use kaldi_types::ValueType;
use kaldi_values::{Cursor, Value};
use kaldi_wave::Wave;
use parquet::column::reader::{ColumnReader, ColumnReaderImpl};
use parquet::data_type::DataType;
use parquet::errors::ParquetError;
use parquet::file::reader::{FileReader, RowGroupReader, SerializedFileReader};

use crate::array::Array;
use crate::cells::{Cell, Numbers};
use crate::exact::Exact;
use crate::example_parquet::{NAME, Rows, columns};
use crate::import::ImportOptions;
use crate::item::Item;
use crate::parquet_write::TYPE_ENTRY;
use crate::table_type::part_names;
use crate::{Error, Result};

/// Reads every row of a file.
pub(crate) fn read(name: &BStr, options: &ImportOptions, each: impl FnMut(&[u8], Item) -> Result<()>) -> Result<()> {
    let fault = |error: &dyn std::fmt::Display| Error::content(name, error);
    let opened = ColumnFile::open(name)?;
    let told = opened.note(TYPE_ENTRY).and_then(|told| told.parse().ok());
    let (form, columns) = Form::find(opened.leaves(), told, options).map_err(|message| fault(&message))?;
    let rows = match form {
        Form::Example(table_type) => Some(Rows::new(table_type)),
        _ => None,
    };
    let mut importer = Importer { form, rows, each };
    if opened.is_arrow() {
        let mut values: Vec<ColumnValues> = columns.iter().map(|column| opened.values(column.index)).collect();
        for number in 0..opened.num_rows() {
            let row = columns.iter().zip(&mut values).map(|(column, values)| {
                Ok::<_, Error>(Cell::of(
                    values.next_value()?.unwrap_or(ColumnValue::Null),
                    &opened.leaves()[column.index],
                ))
            });
            let row = row.collect::<Result<Vec<_>>>()?.into_iter().collect();
            importer.take(row, &|| format!("{name}: row {number}"))?;
        }
        return importer.finish();
    }
    let places = FilePlaces::open(name)?;
    let file = SerializedFileReader::new(places.clone()).map_err(|error| fault(&error))?;
    for index in 0..file.num_row_groups() {
        let group = file.get_row_group(index).map_err(|error| fault(&error))?;
        let count = usize::try_from(group.metadata().num_rows()).map_err(|error| fault(&error))?;
        let readings = columns.iter().map(|column| column.open(&*group, &places)).collect::<Result<Vec<_>, _>>();
        let mut readings = readings.map_err(|error| fault(&error))?;
        for number in 0..count {
            let row = readings.iter_mut().map(Reading::next).collect::<Result<Vec<_>, _>>();
            importer.take(row, &|| format!("{name}: row {number} of group {index}"))?;
        }
    }
    importer.finish()
}

/// Makes values of rows and hands them on.
struct Importer<F> {
    form: Form,
    /// The rows of an example.
    rows: Option<Rows>,
    each: F,
}

impl<F: FnMut(&[u8], Item) -> Result<()>> Importer<F> {
    /// Takes what a row has in the columns. `place` says where it is.
    fn take(&mut self, row: Result<Vec<Cell>, String>, place: &dyn Fn() -> String) -> Result<()> {
        let fault = |message| Error::content(place(), message);
        let example = match &mut self.rows {
            None => Some(row.and_then(|row| self.form.item(row)).map_err(fault)?),
            Some(rows) => {
                let (key, io, arrays) = row.and_then(|row| example_row(rows.table_type, row)).map_err(fault)?;
                rows.take(key, io, arrays)?
            }
        };
        example.map_or(Ok(()), |(key, item)| (self.each)(&key, item))
    }

    fn finish(mut self) -> Result<()> {
        match self.rows.map_or(Ok(None), Rows::finish)? {
            Some((key, item)) => (self.each)(&key, item),
            None => Ok(()),
        }
    }
}

/// Key, name and numbers of a row of an example.
#[allow(clippy::type_complexity, reason = "three parts")]
fn example_row(
    table_type: ValueType,
    row: Vec<Cell>,
) -> Result<(BString, BString, Vec<(&'static str, Array)>), String> {
    let mut row = row.into_iter();
    let mut word = |name: &str| match row.next() {
        Some(Cell::Words(words)) if words.len() == 1 => Ok(words.into_iter().next().unwrap_or_default()),
        _ => Err(format!("expected {name} to be a string")),
    };
    let (key, io) = (word("key")?, word(NAME)?);
    let parts = columns(table_type).into_iter().map(|(_, part)| part).filter(|part| *part != NAME);
    let arrays =
        parts.zip(row).map(|(part, cell)| Ok((part, flat(cell, table_type)?))).collect::<Result<_, String>>()?;
    Ok((key, io, arrays))
}

/// What the columns besides the key are together.
enum Form {
    /// `values`, of a vector for sure, or one without sizes.
    Values,
    /// `rows`, `columns`, `values`.
    Sized,
    /// `value`.
    Value,
    /// `value`, a word.
    Word,
    /// `value`, the bytes of sound.
    Sound,
    /// The arrays of a value of this type.
    Parts(ValueType),
    /// The arrays of an input or output of an example.
    Example(ValueType),
}

impl Form {
    /// Finds the columns that are of use: the key and those of the form.
    fn find(leaves: &[Leaf], told: Option<ValueType>, options: &ImportOptions) -> Result<(Self, Vec<Column>), String> {
        let find = |name: &str| {
            let index = Leaf::find(leaves, name)?;
            Some(Column::new(index, &leaves[index]))
        };
        let all = |names: &[&str]| names.iter().map(|name| find(name)).collect::<Option<Vec<_>>>();
        let missing = |name: &str, option: &str| {
            format!("expected a column \"{name}\", got {}; `{option}` names another one", Leaf::names(leaves))
        };
        let key = options.key.as_deref().unwrap_or("key");
        let key = find(key).ok_or_else(|| missing(key, "key"))?;
        let wanted = options.table_type.or(told);
        let form_of = |value: &Column| match wanted {
            _ if value.num_lists > 0 => Ok(Self::Values),
            Some(ValueType::Wave) if value.is_bytes => Ok(Self::Sound),
            Some(ValueType::Token) => Ok(Self::Word),
            None if value.is_bytes => {
                let name = &leaves[value.index].name;
                Err(format!("{name}: expected words or numbers, got bytes; `type = wave` reads sound"))
            }
            _ => Ok(Self::Value),
        };
        if let Some(value) = &options.value {
            let value = find(value).ok_or_else(|| missing(value, "value"))?;
            return Ok((form_of(&value)?, vec![key, value]));
        }
        if let Some(table_type) = options.table_type.or(told).filter(|it| it.is_example()) {
            let named = |(name, _): (String, _)| find(&name).ok_or_else(|| missing(&name, "type"));
            let columns = columns(table_type).into_iter().map(named).collect::<Result<Vec<_>, _>>()?;
            return Ok((Self::Example(table_type), std::iter::once(key).chain(columns).collect()));
        }
        // A type whose names are among those of another one comes after it.
        let parts = [
            ValueType::GaussPost,
            ValueType::Posterior,
            ValueType::Wave,
            ValueType::CompactLattice,
            ValueType::Lattice,
            ValueType::Fst,
            ValueType::Int32VectorVector,
        ];
        let parts = parts.into_iter().find_map(|it| Some((Self::Parts(it), all(part_names(it))?)));
        let is_sized = !matches!(told, Some(ValueType::Vector | ValueType::Int32Vector));
        let found = parts
            .or_else(|| Some((Self::Sized, all(&["rows", "columns", "values"]).filter(|_| is_sized)?)))
            .or_else(|| Some((Self::Values, all(&["values"])?)))
            .map(Ok::<_, String>)
            .or_else(|| find("value").map(|value| Ok((form_of(&value)?, vec![value]))));
        let Some(found) = found else {
            return Err(missing("values\" or \"value", "value"));
        };
        let (form, columns) = found?;
        if let (Self::Values | Self::Sized, Some(values)) = (&form, columns.last())
            && !(1..=2).contains(&values.num_lists)
        {
            return Err("expected values to be a list, or a list of lists".into());
        }
        Ok((form, std::iter::once(key).chain(columns).collect()))
    }

    /// Makes key and value of what a row has in the columns.
    fn item(&self, row: Vec<Cell>) -> Result<(BString, Item), String> {
        let mut row = row.into_iter();
        let key = match row.next() {
            Some(Cell::Words(key)) => key.into_iter().next().ok_or("expected a key, got none")?,
            Some(Cell::Numbers(numbers)) => numbers.into_key()?,
            None => return Err("expected a key, got none".into()),
        };
        let cells: Vec<Cell> = row.collect();
        let item = match (self, <[Cell; 3]>::try_from(cells)) {
            (Self::Parts(table_type), Ok(cells)) => parts(*table_type, cells.into())?,
            (Self::Parts(table_type), Err(cells)) => parts(*table_type, cells)?,
            (Self::Sized, Ok([rows, columns, Cell::Numbers(numbers)])) => {
                numbers.into_array(Some((size(rows, "rows")?, size(columns, "columns")?)))?
            }
            (_, Ok(_)) => return Err("expected numbers in values".into()),
            (_, Err(mut cells)) => match (self, cells.pop()) {
                (Self::Sound, Some(Cell::Words(bytes))) if bytes.len() == 1 => {
                    sound(&bytes[0]).map_err(|message| format!("{key}: {message}"))?
                }
                (Self::Word, Some(Cell::Words(words))) if words.len() == 1 => {
                    let word = words.into_iter().next().unwrap_or_default();
                    if !kaldi_values::is_token(&word) {
                        return Err(format!(
                            "{key}: expected one word for a token, got {word:?}; `type = token-vector` takes several"
                        ));
                    }
                    Item::Word(word)
                }
                (Self::Value, Some(Cell::Words(text))) if text.len() == 1 => {
                    let words = text[0].split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
                    Item::Words(words.map(BString::from).collect())
                }
                (Self::Value | Self::Word, Some(Cell::Numbers(numbers))) => numbers.into_single()?,
                (Self::Values, Some(Cell::Numbers(numbers))) => numbers.into_array(None)?,
                (Self::Values, Some(Cell::Words(words))) => Item::Words(words),
                _ => return Err("expected a value, got none".into()),
            },
        };
        Ok((key, item))
    }
}

/// Decodes sound.
fn sound(bytes: &BString) -> Result<Item, String> {
    let wave = Wave::read(&mut Cursor::new(bytes));
    wave.map(Item::Wave).map_err(|error| kaldi_io::explain_sound(&error.message, bytes, ""))
}

fn parts(table_type: ValueType, cells: Vec<Cell>) -> Result<Item, String> {
    let arrays = cells.into_iter().map(|cell| flat(cell, table_type));
    Item::from_parts(table_type, &arrays.collect::<Result<Vec<_>, _>>()?)
}

/// The numbers of a cell in one dimension.
fn flat(cell: Cell, table_type: ValueType) -> Result<Array, String> {
    match cell {
        Cell::Numbers(numbers) => {
            let count = numbers.bytes.len() / numbers.dtype.width();
            Ok(Array::new(numbers.dtype, &[count], numbers.bytes))
        }
        Cell::Words(_) => Err(format!("expected numbers in the columns of a {table_type}, got words")),
    }
}

fn size(cell: Cell, name: &str) -> Result<usize, String> {
    let Cell::Numbers(Numbers { dtype, bytes, .. }) = cell else {
        return Err(format!("expected {name} to be integers"));
    };
    let Ok(value) = Exact::of(&Array::new(dtype, &[bytes.len() / dtype.width()], bytes)).to_i32() else {
        return Err(format!("expected {name} to be integers of 32 bits"));
    };
    let value = value.first().ok_or_else(|| format!("expected {name} to be given, got none"))?;
    usize::try_from(*value).map_err(|_| format!("expected {name} to be 0 or more, got {value}"))
}

/// A column of a file.
struct Column {
    index: usize,
    /// The type of the numbers.
    dtype: Option<DType>,
    /// The lists that are inside of each other.
    num_lists: usize,
    /// Whether values are bytes, which may be no text.
    is_bytes: bool,
}

impl Column {
    fn new(index: usize, leaf: &Leaf) -> Self {
        let is_bytes = leaf.leaf_type == LeafType::Bytes;
        Self { index, dtype: leaf.dtype, num_lists: leaf.num_lists, is_bytes }
    }

    fn open(&self, group: &dyn RowGroupReader, file: &FilePlaces) -> Result<Reading<'_>, ParquetError> {
        let group = group.metadata();
        let max_definition = group.schema_descr().column(self.index).max_def_level();
        Ok(Reading { reader: column_files::open_column(file, group, self.index)?, column: self, max_definition })
    }
}

/// A column of a row group that is being read.
struct Reading<'a> {
    reader: ColumnReader,
    column: &'a Column,
    max_definition: i16,
}

impl Reading<'_> {
    fn next(&mut self) -> Result<Cell, String> {
        let mut lists = Lists { column: self.column, max_definition: self.max_definition, num_lists: None };
        let (dtype, bytes) = match &mut self.reader {
            ColumnReader::ByteArrayColumnReader(column) => {
                let words = lists.next(column)?.iter().map(|word| BString::from(word.data())).collect();
                return Ok(Cell::Words(words));
            }
            ColumnReader::BoolColumnReader(column) => {
                (DType::Bool, lists.next(column)?.iter().map(|&it| u8::from(it)).collect())
            }
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
            ColumnReader::FixedLenByteArrayColumnReader(column) if self.column.dtype == Some(DType::Float16) => {
                (DType::Float16, lists.next(column)?.iter().flat_map(|it| it.data().to_vec()).collect())
            }
            _ => return Err("expected integers, floating-point numbers or words".into()),
        };
        let dtype = self.column.dtype.unwrap_or(dtype);
        Ok(Cell::Numbers(Numbers { dtype, bytes, num_lists: lists.num_lists }))
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

/// Takes what a row has from a column.
struct Lists<'a> {
    column: &'a Column,
    max_definition: i16,
    num_lists: Option<usize>,
}

impl Lists<'_> {
    fn next<T: DataType>(&mut self, column: &mut ColumnReaderImpl<T>) -> Result<Vec<T::T>, String> {
        let (values, levels, repeats) = record(column)?;
        if self.column.num_lists == 0 && values.len() != 1 {
            return Err("expected a value in every column, got nothing (null)".into());
        }
        let is_empty = values.is_empty() && levels.len() == 1;
        if !is_empty && levels.iter().any(|&level| level != self.max_definition) {
            return Err("expected a value everywhere, got nothing (null)".into());
        }
        if self.column.num_lists == 2 {
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
