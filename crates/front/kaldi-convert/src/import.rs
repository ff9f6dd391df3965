//! Files of other programs, read value by value.

use std::collections::BTreeMap;

use bstr::{BStr, BString, ByteSlice};
use kaldi_any::ValueType;
use kaldi_io::FileNames;

use crate::array::Array;
use crate::example_names::Gathered;
use crate::file_format::FileFormat;
use crate::item::Item;
use crate::stream::Stream;
use crate::types::{Row, row};
use crate::{Error, Result, json_read, npy, npz, parquet_read, safetensors, text_read};

/// How files are read.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct ImportOptions {
    /// What lines of CSV are (matrices, unless it is given), and what several arrays are together.
    pub table_type: Option<ValueType>,
    /// The name of the key: of a column of Parquet, CSV or TSV, or of an entry of JSON objects; `key` if it is not given.
    pub key: Option<String>,
    /// The name of the value in the same way; in CSV and TSV, the value is all columns but the key unless it is given.
    pub value: Option<String>,
    /// The entries of a `.npy` of stacked rows, in their order.
    pub stacked: Option<Vec<StackedKey>>,
}

/// An entry among stacked rows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StackedKey {
    /// The key.
    pub key: BString,
    /// The rows of a matrix; `None` for a vector, which is one row.
    pub num_rows: Option<usize>,
}

impl StackedKey {
    /// Parses a line: a key, and for a matrix the number of its rows.
    pub fn parse(line: &[u8]) -> Option<Self> {
        let mut words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
        let key = words.next()?.into();
        let num_rows = words.next().map(|word| word.to_str().ok()?.parse().ok());
        let is_end = words.next().is_none();
        match num_rows {
            Some(None) => None,
            num_rows => is_end.then_some(Self { key, num_rows: num_rows.flatten() }),
        }
    }
}

/// Reads the file that an rxfilename names, and hands each value with its key to `each`. A `.npy` has its own name for a
/// key, unless it has stacked rows.
///
/// # Errors
/// If the file cannot be read, is damaged, or holds something else; and those of `each`.
pub fn import(
    name: &BStr,
    format: FileFormat,
    options: &ImportOptions,
    mut each: impl FnMut(&[u8], Item) -> Result<()>,
) -> Result<()> {
    match format {
        FileFormat::Npy => {
            let mut stream = Stream::open(name)?;
            let place = stream.input.name().to_owned();
            let array = npy::read(&place, &mut stream)?;
            stream.finish()?;
            match &options.stacked {
                None => each(&FileNames::key_of(stem(name)), Item::Array(array)),
                Some(keys) => unstack(&place, &array, keys, each),
            }
        }
        FileFormat::Npz => arrays(npz::NpzArrays::open(name)?, options.table_type, each),
        FileFormat::Safetensors => arrays(safetensors::Tensors::open(name)?, options.table_type, each),
        FileFormat::Parquet => parquet_read::read(name, options, each),
        FileFormat::Csv => text_read::read_rows(name, b',', options, each),
        FileFormat::Tsv => text_read::read_rows(name, b'\t', options, each),
        FileFormat::Jsonl => json_read::read_objects(name, options, each),
    }
}

/// Cuts stacked rows into the values that they were.
fn unstack(
    place: &str,
    array: &Array,
    keys: &[StackedKey],
    mut each: impl FnMut(&[u8], Item) -> Result<()>,
) -> Result<()> {
    let [num_rows, num_columns] = array.dims[..] else {
        let message = format!("expected rows in two dimensions for the keys, got {} dimension(s)", array.dims.len());
        return Err(Error::content(place, message));
    };
    let wanted = keys.iter().try_fold(0_usize, |sum, key| sum.checked_add(key.num_rows.unwrap_or(1)));
    if wanted != Some(num_rows) {
        let wanted = wanted.map_or("more".to_owned(), |wanted| wanted.to_string());
        return Err(Error::content(place, format!("expected {wanted} rows as the keys say, got {num_rows}")));
    }
    let bytes = array.contiguous();
    let width = num_columns * array.dtype.width();
    let mut start = 0;
    for StackedKey { key, num_rows } in keys {
        let (count, dims) = match num_rows {
            Some(rows) => (*rows, vec![*rows, num_columns]),
            None => (1, vec![num_columns]),
        };
        let end = start + count * width;
        each(key, Item::Array(Array::new(array.dtype, &dims, bytes[start..end].to_vec())))?;
        start = end;
    }
    Ok(())
}

/// The name of a file without folder and ending.
fn stem(name: &BStr) -> &[u8] {
    let file = name.rsplit_once_str("/").map_or(name.as_bytes(), |(_, file)| file);
    file.rsplit_once_str(".").map_or(file, |(stem, _)| stem)
}

/// A file of arrays with names.
pub(crate) trait NamedArrays {
    /// The names of the arrays that are left, before any was read.
    fn names(&mut self) -> Result<Vec<BString>>;

    /// The next array with its name; `None` at the end, which was found to be sound.
    fn next_array(&mut self) -> Result<Option<(BString, Array)>>;
}

/// Reads arrays with names, and hands over each, or values of a type that takes several, which may stand apart.
fn arrays(
    mut source: impl NamedArrays,
    table_type: Option<ValueType>,
    mut each: impl FnMut(&[u8], Item) -> Result<()>,
) -> Result<()> {
    match table_type {
        Some(table_type) if table_type.is_example() => {
            let mut gathered = Gathered::new(source.names()?, table_type)?;
            while let Some((name, array)) = source.next_array()? {
                if let Some((key, item)) = gathered.take(name.as_ref(), array)? {
                    each(&key, item)?;
                }
            }
            Ok(())
        }
        Some(table_type) if let Some(row) = row(table_type).filter(|row| !(row.part_names)().is_empty()) => {
            joined(source, table_type, row, each)
        }
        _ => {
            while let Some((name, array)) = source.next_array()? {
                each(&name, Item::Array(array))?;
            }
            Ok(())
        }
    }
}

/// Puts values together whose arrays have the names of their parts.
fn joined(
    mut source: impl NamedArrays,
    table_type: ValueType,
    row: &Row,
    mut each: impl FnMut(&[u8], Item) -> Result<()>,
) -> Result<()> {
    let names = (row.part_names)();
    let of = |key: &[u8]| {
        let (key, part) = key.rsplit_once_str(".")?;
        Some((BString::from(key), names.iter().position(|name| name.as_bytes() == part)?))
    };
    let mut waiting = BTreeMap::<BString, Vec<Option<Array>>>::new();
    while let Some((name, array)) = source.next_array()? {
        let Some((key, part)) = of(&name) else {
            let message = format!("expected arrays named <key>.{} for a {table_type}", names.join(" and <key>."));
            return Err(Error::value(name, message));
        };
        let parts = waiting.entry(key.clone()).or_insert_with(|| vec![None; names.len()]);
        parts[part] = Some(array);
        if parts.iter().any(Option::is_none) {
            continue;
        }
        let parts: Vec<Array> = waiting.remove(&key).into_iter().flatten().flatten().collect();
        let item = (row.join)(&parts).map_err(|message| Error::value(&key, message))?;
        each(&key, item)?;
    }
    match waiting.first_key_value() {
        None => Ok(()),
        Some((key, parts)) => {
            let missing = names.iter().zip(parts).find(|(_, part)| part.is_none()).map_or("", |(name, _)| name);
            Err(Error::value(
                key,
                format!("expected the array {key}.{missing} for a {table_type}, got the others only"),
            ))
        }
    }
}
