//! Tables of Parquet and Arrow, ours and those of other programs.
//!
//! `key` is a string. `values` is a list of numbers, or a list of lists: the rows of a matrix. With `rows` and `columns`, a
//! list is a matrix, without them a vector. It may be a list of words, too. `value` is a number or a word. What takes several
//! arrays has a column for each.

use bstr::{BStr, BString};
use column_files::{ColumnFile, ColumnNumbers, ColumnValues, Leaf, LeafType};
use kaldi_any::ValueType;
use kaldi_value::{Cursor, Value};
use kaldi_wave::Wave;

use crate::array::Array;
use crate::cells::{Cell, array_of, key_of, number_of};
use crate::exact::Exact;
use crate::example_parquet::{NAME, Rows, columns};
use crate::import::ImportOptions;
use crate::item::Item;
use crate::parquet_write::TYPE_ENTRY;
use crate::types::{part_names, row, types_of_parts};
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
    let leaves: Vec<&Leaf> = columns.iter().map(|column| &opened.leaves()[*column]).collect();
    let mut values: Vec<ColumnValues> = columns.iter().map(|column| opened.values(*column)).collect();
    for number in 0..opened.num_rows() {
        let place = || format!("{name}: row {number}");
        let cell = |(leaf, values): (&&Leaf, &mut ColumnValues)| {
            Cell::next(values, leaf)?
                .ok_or_else(|| Error::content(place(), format!("{}: expected a value, got the end", leaf.name)))
        };
        let row = leaves.iter().zip(&mut values).map(cell).collect::<Result<Vec<_>>>()?;
        importer.take(row, &place)?;
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
    fn take(&mut self, row: Vec<Cell>, place: &dyn Fn() -> String) -> Result<()> {
        let fault = |message| Error::content(place(), message);
        let example = match &mut self.rows {
            None => Some(self.form.item(row).map_err(fault)?),
            Some(rows) => {
                let (key, io, arrays) = example_row(rows.table_type, row).map_err(fault)?;
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
    fn find(leaves: &[Leaf], told: Option<ValueType>, options: &ImportOptions) -> Result<(Self, Vec<usize>), String> {
        let find = |name: &str| Leaf::find(leaves, name);
        let all = |names: &[&str]| names.iter().map(|name| find(name)).collect::<Option<Vec<_>>>();
        let missing = |name: &str, option: &str| {
            format!("expected a column \"{name}\", got {}; `{option}` names another one", Leaf::names(leaves))
        };
        let key = options.key.as_deref().unwrap_or("key");
        let key = find(key).ok_or_else(|| missing(key, "key"))?;
        if leaves[key].is_list()
            || !matches!(leaves[key].leaf_type, LeafType::Text | LeafType::Bytes | LeafType::Integer)
        {
            return Err(format!(
                "{}: expected the key to be a string or an integer, got a {}",
                leaves[key].name, leaves[key]
            ));
        }
        let wanted = options.table_type.or(told);
        let form_of = |value: usize| {
            let leaf = &leaves[value];
            match (wanted, leaf.num_lists) {
                (_, 3..) => Err(format!("{}: expected a list, or a list of lists, got {}", leaf.name, leaf.stored())),
                (_, 1..) => Ok(Self::Values),
                (Some(ValueType::Wave), _) if leaf.leaf_type == LeafType::Bytes => Ok(Self::Sound),
                (Some(ValueType::Token), _) => Ok(Self::Word),
                (None, _) if leaf.leaf_type == LeafType::Bytes => {
                    Err(format!("{}: expected words or numbers, got bytes; `type = wave` reads sound", leaf.name))
                }
                _ => Ok(Self::Value),
            }
        };
        if let Some(value) = &options.value {
            let value = find(value).ok_or_else(|| missing(value, "value"))?;
            return Ok((form_of(value)?, vec![key, value]));
        }
        if let Some(table_type) = options.table_type.or(told).filter(|it| it.is_example()) {
            let named = |(name, _): (String, _)| find(&name).ok_or_else(|| missing(&name, "type"));
            let columns = columns(table_type).into_iter().map(named).collect::<Result<Vec<_>, _>>()?;
            return Ok((Self::Example(table_type), std::iter::once(key).chain(columns).collect()));
        }
        let parts = types_of_parts().into_iter().find_map(|it| Some((Self::Parts(it), all(part_names(it))?)));
        let is_sized = told.and_then(row).is_none_or(|row| row.num_dims != Some(1));
        let found = parts
            .or_else(|| Some((Self::Sized, all(&["rows", "columns", "values"]).filter(|_| is_sized)?)))
            .or_else(|| Some((Self::Values, all(&["values"])?)))
            .map(Ok::<_, String>)
            .or_else(|| find("value").map(|value| Ok((form_of(value)?, vec![value]))));
        let Some(found) = found else {
            return Err(missing("values\" or \"value", "value"));
        };
        let (form, columns) = found?;
        if let (Self::Values | Self::Sized, Some(values)) = (&form, columns.last().map(|values| &leaves[*values]))
            && !(1..=2).contains(&values.num_lists)
        {
            let name = &values.name;
            return Err(format!("{name}: expected a list, or a list of lists, got {}", values.stored()));
        }
        Ok((form, std::iter::once(key).chain(columns).collect()))
    }

    /// Makes key and value of what a row has in the columns.
    fn item(&self, row: Vec<Cell>) -> Result<(BString, Item), String> {
        let mut row = row.into_iter();
        let key = match row.next() {
            Some(Cell::Words(key)) => key.into_iter().next().ok_or("expected a key, got none")?,
            Some(Cell::Numbers(numbers)) => key_of(&numbers)?,
            None => return Err("expected a key, got none".into()),
        };
        let cells: Vec<Cell> = row.collect();
        let item = match (self, <[Cell; 3]>::try_from(cells)) {
            (Self::Parts(table_type), Ok(cells)) => parts(*table_type, cells.into())?,
            (Self::Parts(table_type), Err(cells)) => parts(*table_type, cells)?,
            (Self::Sized, Ok([rows, columns, Cell::Numbers(numbers)])) => {
                array_of(numbers, Some((size(rows, "rows")?, size(columns, "columns")?)))?
            }
            (_, Ok(_)) => return Err("expected numbers in values".into()),
            (_, Err(mut cells)) => match (self, cells.pop()) {
                (Self::Sound, Some(Cell::Words(bytes))) if bytes.len() == 1 => {
                    sound(&bytes[0]).map_err(|message| format!("{key}: {message}"))?
                }
                (Self::Word, Some(Cell::Words(words))) if words.len() == 1 => {
                    let word = words.into_iter().next().unwrap_or_default();
                    if !kaldi_value::is_token(&word) {
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
                (Self::Value | Self::Word, Some(Cell::Numbers(numbers))) => number_of(numbers)?,
                (Self::Values, Some(Cell::Numbers(numbers))) => array_of(numbers, None)?,
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
    wave.map(Item::from).map_err(|error| kaldi_io::explain_sound(&error.message, bytes, ""))
}

fn parts(table_type: ValueType, cells: Vec<Cell>) -> Result<Item, String> {
    let arrays = cells.into_iter().map(|cell| flat(cell, table_type)).collect::<Result<Vec<_>, _>>()?;
    row(table_type).map_or(Err("expected a type of arrays".into()), |row| (row.join)(&arrays))
}

/// The numbers of a cell in one dimension.
fn flat(cell: Cell, table_type: ValueType) -> Result<Array, String> {
    match cell {
        Cell::Numbers(ColumnNumbers { dims, .. }) if dims.len() > 1 => {
            Err(format!("expected numbers or a list of them in the columns of a {table_type}, got a list of lists"))
        }
        Cell::Numbers(ColumnNumbers { dtype, bytes, .. }) => {
            Ok(Array::new(dtype, &[bytes.len() / dtype.width()], bytes))
        }
        Cell::Words(_) => Err(format!("expected numbers in the columns of a {table_type}, got words")),
    }
}

fn size(cell: Cell, name: &str) -> Result<usize, String> {
    let single = |numbers: ColumnNumbers| numbers.dims.is_empty().then_some((numbers.dtype, numbers.bytes));
    let Some((dtype, bytes)) = (if let Cell::Numbers(numbers) = cell { single(numbers) } else { None }) else {
        return Err(format!("expected {name} to be integers"));
    };
    let Ok(value) = Exact::of(&Array::new(dtype, &[1], bytes)).to_i32() else {
        return Err(format!("expected {name} to be integers of 32 bits"));
    };
    let value = value.first().ok_or_else(|| format!("expected {name} to be given, got none"))?;
    usize::try_from(*value).map_err(|_| format!("expected {name} to be 0 or more, got {value}"))
}
