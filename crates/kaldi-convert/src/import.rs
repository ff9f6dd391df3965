//! Files of other programs, read value by value.

use std::collections::BTreeMap;

use bstr::{BStr, BString, ByteSlice};
use kaldi_io::FileNames;
use kaldi_types::ValueType;

use crate::array::Array;
use crate::file_format::FileFormat;
use crate::item::Item;
use crate::stream::Stream;
use crate::table_type::part_names;
use crate::{Error, Result, json_read, npy, npz, parquet_read, safetensors, text_read};

/// Reads the file that an rxfilename names, and hands each value with its key to `each`. A `.npy` has its own name for a
/// key. `table_type` says what lines of CSV are: matrices, unless it is given; and what several arrays are together.
///
/// # Errors
/// If the file cannot be read, is damaged, or holds something else; and those of `each`.
pub fn import(
    name: &BStr,
    format: FileFormat,
    table_type: Option<ValueType>,
    mut each: impl FnMut(&[u8], Item) -> Result<()>,
) -> Result<()> {
    let lines = table_type.unwrap_or(ValueType::Matrix);
    match format {
        FileFormat::Npy => {
            let mut stream = Stream::open(name)?;
            let place = stream.input.name().to_owned();
            let array = npy::read(&place, &mut stream)?;
            stream.finish()?;
            each(&FileNames::key_of(stem(name)), Item::Array(array))
        }
        FileFormat::Npz => arrays(table_type, each, |each| npz::read(name, each)),
        FileFormat::Safetensors => arrays(table_type, each, |each| safetensors::read(name, each)),
        FileFormat::Parquet => parquet_read::read(name, each),
        FileFormat::Csv => text_read::read_rows(name, b',', lines, each),
        FileFormat::Tsv => text_read::read_rows(name, b'\t', lines, each),
        FileFormat::Jsonl => json_read::read_objects(name, table_type, each),
    }
}

/// The name of a file without folder and ending.
fn stem(name: &BStr) -> &[u8] {
    let file = name.rsplit_once_str("/").map_or(name.as_bytes(), |(_, file)| file);
    file.rsplit_once_str(".").map_or(file, |(stem, _)| stem)
}

/// Reads arrays with names, and hands over each, or values of a type that takes several, which may stand apart.
fn arrays(
    table_type: Option<ValueType>,
    mut each: impl FnMut(&[u8], Item) -> Result<()>,
    read: impl FnOnce(&mut dyn FnMut(&[u8], Array) -> Result<()>) -> Result<()>,
) -> Result<()> {
    let names = table_type.map_or(&[][..], part_names);
    let Some(table_type) = table_type.filter(|_| !names.is_empty()) else {
        return read(&mut |key, array| each(key, Item::Array(array)));
    };
    let of = |key: &[u8]| {
        let (key, part) = key.rsplit_once_str(".")?;
        Some((BString::from(key), names.iter().position(|name| name.as_bytes() == part)?))
    };
    let mut waiting = BTreeMap::<BString, Vec<Option<Array>>>::new();
    read(&mut |name, array| {
        let Some((key, part)) = of(name) else {
            let message = format!("expected arrays named <key>.{} for a {table_type}", names.join(" and <key>."));
            return Err(Error::value(name.as_bstr(), message));
        };
        let parts = waiting.entry(key.clone()).or_insert_with(|| vec![None; names.len()]);
        parts[part] = Some(array);
        if parts.iter().any(Option::is_none) {
            return Ok(());
        }
        let parts: Vec<Array> = waiting.remove(&key).into_iter().flatten().flatten().collect();
        let item = Item::from_parts(table_type, &parts).map_err(|message| Error::value(&key, message))?;
        each(&key, item)
    })?;
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
