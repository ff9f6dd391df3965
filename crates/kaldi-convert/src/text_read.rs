//! Lines of CSV, TSV and JSON as arrays.

use std::io::{BufRead, BufReader};

use bstr::{BStr, BString, ByteSlice};
use kaldi_io::number::{parse_f32, parse_integer};
use serde::Deserialize;
use serde_json::value::RawValue;

use crate::array::Array;
use crate::record::TableType;
use crate::stream::Stream;
use crate::{Error, Result};

/// Reads lines of a key and numbers. Lines of the same key that follow each other are a matrix, unless it is known to be
/// something else.
pub(crate) fn read_rows(
    name: &BStr,
    delimiter: u8,
    table_type: TableType,
    mut each: impl FnMut(&[u8], Array) -> Result<()>,
) -> Result<()> {
    let stream = Stream::open(name)?;
    let place = stream.input.name().to_owned();
    let mut builder = csv::ReaderBuilder::new();
    let mut lines = builder.delimiter(delimiter).has_headers(false).flexible(true).from_reader(stream);
    let mut line = csv::ByteRecord::new();
    let mut open: Option<Rows> = None;
    while lines.read_byte_record(&mut line).map_err(|error| Error::content(&place, error))? {
        let at = || format!("{place}:{}", line.position().map_or(0, csv::Position::line));
        let key = line.get(0).unwrap_or_default();
        if table_type == TableType::Int32Vector {
            let values = line.iter().skip(1).map(integer).collect::<Result<Vec<_>, _>>();
            let values = values.map_err(|message| Error::content(at(), message))?;
            each(key, Array::from_i32(&[values.len()], &values))?;
            continue;
        }
        let is_next = open.as_ref().is_none_or(|rows| rows.key != key) || table_type == TableType::Vector;
        if is_next && let Some(rows) = open.take() {
            each(&rows.key, rows.into_array(table_type))?;
        }
        let rows = open.get_or_insert_with(|| Rows { key: key.into(), num_rows: 0, values: Vec::new() });
        let before = rows.values.len();
        for field in line.iter().skip(1) {
            rows.values.push(float(field).map_err(|message| Error::content(at(), message))?);
        }
        let columns = rows.values.len() - before;
        if rows.num_rows > 0 && before / rows.num_rows != columns {
            let message = format!(
                "expected {} numbers as in the line before of {:?}, got {columns}",
                before / rows.num_rows,
                rows.key
            );
            return Err(Error::content(at(), message));
        }
        rows.num_rows += 1;
    }
    if let Some(rows) = open {
        each(&rows.key, rows.into_array(table_type))?;
    }
    lines.into_inner().finish()
}

/// The rows of a key so far.
struct Rows {
    key: BString,
    num_rows: usize,
    values: Vec<f32>,
}

impl Rows {
    fn into_array(self: &Rows, table_type: TableType) -> Array {
        match table_type {
            TableType::Matrix => {
                Array::from_f32(&[self.num_rows, self.values.len() / self.num_rows.max(1)], &self.values)
            }
            _ => Array::from_f32(&[self.values.len()], &self.values),
        }
    }
}

fn float(field: &[u8]) -> Result<f32, String> {
    let field = field.trim_ascii();
    match parse_f32(field) {
        Ok((value, length)) if length == field.len() => Ok(value),
        _ => Err(format!("expected a number, got {:?}; a line of names has to be cut off first", field.as_bstr())),
    }
}

fn integer(field: &[u8]) -> Result<i32, String> {
    let field = field.trim_ascii();
    let value = parse_integer(field).ok().filter(|&(_, length)| length == field.len());
    let value = value.and_then(|(value, _)| i32::try_from(value).ok());
    value.ok_or_else(|| format!("expected a 32-bit integer, got {:?}", field.as_bstr()))
}

/// A line of JSON. Other entries than these are passed over.
#[derive(Deserialize)]
struct Object<'a> {
    key: String,
    #[serde(borrow)]
    value: &'a RawValue,
}

/// Reads lines with an object of a key and a value each: numbers in a list, or lists of them in a list.
pub(crate) fn read_objects(name: &BStr, mut each: impl FnMut(&[u8], Array) -> Result<()>) -> Result<()> {
    let stream = Stream::open(name)?;
    let place = stream.input.name().to_owned();
    let mut lines = BufReader::new(stream);
    let mut line = Vec::new();
    let mut number = 0_u64;
    loop {
        line.clear();
        let count = lines.read_until(b'\n', &mut line).map_err(|error| Error::content(&place, error))?;
        if count == 0 {
            return lines.into_inner().finish();
        }
        number += 1;
        if line.trim_ascii().is_empty() {
            continue;
        }
        let at = || format!("{place}:{number}");
        let object: Object<'_> = serde_json::from_slice(&line)
            .map_err(|error| Error::content(at(), format!("expected {{\"key\": ..., \"value\": [...]}}: {error}")))?;
        let array = Nested::parse(object.value.get()).map_err(|message| Error::content(at(), message))?;
        each(object.key.as_bytes(), array)?;
    }
}

/// Numbers in lists, as they come.
#[derive(Default)]
struct Nested {
    depth: usize,
    max_depth: usize,
    values: Vec<f32>,
    integers: Vec<i32>,
    /// Where inner lists end.
    ends: Vec<usize>,
}

impl Nested {
    /// Takes text that is known to be JSON.
    fn parse(text: &str) -> Result<Array, String> {
        let mut nested = Self::default();
        let mut rest = text.as_bytes();
        while let Some((&byte, behind)) = rest.split_first() {
            rest = match byte {
                b'[' => {
                    nested.depth += 1;
                    nested.max_depth = nested.max_depth.max(nested.depth);
                    behind
                }
                b']' => {
                    nested.depth -= 1;
                    if nested.depth == 1 {
                        nested.ends.push(nested.values.len());
                    }
                    behind
                }
                b',' | b' ' | b'\t' | b'\r' | b'\n' => behind,
                _ => nested.take_number(rest)?,
            };
        }
        nested.into_array()
    }

    /// Reads a number, or what stands for one; returns what follows.
    fn take_number<'a>(&mut self, rest: &'a [u8]) -> Result<&'a [u8], String> {
        let end = rest.iter().position(|byte| matches!(byte, b',' | b']' | b' ' | b'\t' | b'\r' | b'\n'));
        let (word, behind) = rest.split_at(end.unwrap_or(rest.len()));
        let text = match word {
            b"null" => b"nan",
            word => word.strip_prefix(b"\"").and_then(|word| word.strip_suffix(b"\"")).unwrap_or(word),
        };
        let is_number = text != word || matches!(word, [b'-' | b'0'..=b'9', ..]);
        let value = parse_f32(text).ok().filter(|&(_, length)| is_number && length == text.len());
        let Some((value, _)) = value else { return Err(format!("expected a number, got {:?}", word.as_bstr())) };
        self.values.push(value);
        if let Ok(integer) = integer(text) {
            self.integers.push(integer);
        }
        Ok(behind)
    }

    fn into_array(self) -> Result<Array, String> {
        let num_rows = self.ends.len();
        match self.max_depth {
            1 if !self.values.is_empty() && self.integers.len() == self.values.len() => {
                Ok(Array::from_i32(&[self.integers.len()], &self.integers))
            }
            1 if self.values.is_empty() => Ok(Array::from_f32(&[0, 0], &[])),
            1 => Ok(Array::from_f32(&[self.values.len()], &self.values)),
            2 => {
                let columns = self.ends[0];
                if (0..num_rows).any(|row| self.ends[row] != (row + 1) * columns)
                    || num_rows * columns != self.values.len()
                {
                    return Err("expected rows of one length, got others".into());
                }
                Ok(Array::from_f32(&[num_rows, columns], &self.values))
            }
            depth => Err(format!("expected a list of numbers, or a list of such lists, got a depth of {depth}")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_are_arrays() {
        for (text, dims) in [
            ("[1, 2,3]", &[3][..]),
            ("[1.0, \"NaN\", null, \"-Infinity\", 1e-7]", &[5]),
            ("[[1],[2.5]]", &[2, 1]),
            ("[]", &[0, 0]),
            ("[[]]", &[1, 0]),
        ] {
            assert_eq!(Nested::parse(text).unwrap().dims(), dims, "{text}");
        }
        for text in ["1", "[[1], [1, 2]]", "[[1], 2]", "[[[1]]]", "[\"a\"]", "[true]", "{\"a\": 1}", "[\"1 2\"]"] {
            assert!(Nested::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn numbers_are_whole_fields() {
        assert_eq!(float(b" 1e-3 "), Ok(0.001));
        assert_eq!(float(b"inf"), Ok(f32::INFINITY));
        assert!(float(b"NaN").unwrap().is_nan());
        assert!(float(b"1 2").is_err() && float(b"").is_err() && float(b"x1").is_err());
        assert_eq!(integer(b"-7"), Ok(-7));
        assert!(integer(b"2147483648").is_err() && integer(b"1.0").is_err());
    }
}
