//! Lines of CSV and TSV as values.

use bstr::{BStr, BString, ByteSlice};
use kaldi_any::ValueType;
use kaldi_io::log::warning;
use kaldi_value::Posterior;
use kaldi_value::number::{parse_f32, parse_integer};

use crate::array::Array;
use crate::import::ImportOptions;
use crate::item::Item;
use crate::stream::Stream;
use crate::text_write::{WORD, WORDS};
use crate::types::row;
use crate::{Error, Result};

/// Reads lines of a key and numbers or words. Lines of the same key that follow each other are the rows of a value, where
/// values of the type have rows.
pub(crate) fn read_rows(
    name: &BStr,
    delimiter: u8,
    options: &ImportOptions,
    mut each: impl FnMut(&[u8], Item) -> Result<()>,
) -> Result<()> {
    let stream = Stream::open(name)?;
    let place = stream.input.name().to_owned();
    let mut builder = csv::ReaderBuilder::new();
    let mut lines = builder.delimiter(delimiter).has_headers(false).flexible(true).from_reader(stream);
    let mut line = csv::ByteRecord::new();
    let mut open: Option<Rows> = None;
    let mut columns = None;
    let mut table_type = options.table_type;
    if options.key.is_some() || options.value.is_some() {
        lines.read_byte_record(&mut line).map_err(|error| Error::content(&place, error))?;
        let found = Columns::find(&line, options).map_err(|message| Error::content(format!("{place}:1"), message))?;
        columns = Some(found);
    }
    // The line after the first, which shows what that is.
    let mut ahead: Option<csv::ByteRecord> = None;
    let mut read =
        |line: &mut csv::ByteRecord| lines.read_byte_record(line).map_err(|error| Error::content(&place, error));
    loop {
        match ahead.take() {
            Some(next) => line = next,
            None if read(&mut line)? => {}
            None => break,
        }
        let number = line.position().map_or(0, csv::Position::line);
        let at = || format!("{place}:{number}");
        let fault = |message| Error::content(at(), message);
        if let Some(columns) = &columns {
            line = columns.take(&line).map_err(fault)?;
        } else if line.position().is_some_and(|place| place.record() == 0) {
            if table_type.is_none() {
                let mut next = csv::ByteRecord::new();
                ahead = read(&mut next)?.then_some(next);
                table_type = are_words(&line, ahead.as_ref()).then_some(ValueType::TokenVector);
            }
            if is_header(&line, table_type) {
                continue;
            }
            if has_words(table_type) && (names_words(&line) || options.table_type.is_none() && has_key_name(&line)) {
                warning!("{}: these are names of columns and no entry", at());
                continue;
            }
            if !has_words(table_type) && is_numbered(&line) {
                warning!("{}: these are names of columns and no entry", at());
                continue;
            }
        }
        let table_type =
            *table_type.get_or_insert_with(|| columns.as_ref().map_or(ValueType::Matrix, |it| it.guess(&line)));
        let is_guessed = options.table_type.is_none() && columns.as_ref().is_some_and(|it| it.value.is_some());
        if is_guessed && !table_type.is_words() {
            let odd = line.iter().skip(1).find(|field| is_name(field.trim_ascii()));
            odd.map_or(Ok(()), |odd| Err(fault(no_number(odd))))?;
        }
        let key = line.get(0).unwrap_or_default();
        let new_body = match row(table_type).map_or(Lines::None, |row| row.lines) {
            Lines::None => return Err(fault(format!("lines of csv and tsv have no place for a {table_type}"))),
            Lines::Line(value) => {
                each(key, value(&line, table_type).map_err(fault)?)?;
                continue;
            }
            Lines::Rows(body) => body,
        };
        let last = open.take_if(|rows| rows.key != key);
        if let Some(rows) = last {
            each(&rows.key, rows.body.into_item())?;
        }
        let rows = match &mut open {
            Some(rows) => rows,
            None => open.insert(Rows { key: key.into(), body: new_body() }),
        };
        rows.push(&line).map_err(fault)?;
    }
    if let Some(rows) = open {
        each(&rows.key, rows.body.into_item())?;
    }
    lines.into_inner().finish()
}

/// Whether the first lines are of words: there is a field after the key, and none is empty or a number. Above numbers, there are names.
fn are_words(first: &csv::ByteRecord, second: Option<&csv::ByteRecord>) -> bool {
    let is_word = |field: &[u8]| !field.trim_ascii().is_empty() && float(field).is_err();
    let has_words = |line: &csv::ByteRecord| line.len() > 1 && line.iter().skip(1).all(is_word);
    has_words(first) && second.is_none_or(has_words)
}

/// Whether the first line is that of [`write_names`](crate::text_write::write_names) for words.
fn names_words(line: &csv::ByteRecord) -> bool {
    let is_field = |field: &[u8]| field == WORD.as_bytes() || field == WORDS.as_bytes();
    line.len() == 2 && line.get(0) == Some(b"key") && line.get(1).is_some_and(is_field)
}

/// Whether the first line has names where numbers are expected. A line that is no entry anyway is skipped.
fn is_header(line: &csv::ByteRecord, table_type: Option<ValueType>) -> bool {
    let is_name = |field: &[u8]| field.first().is_some_and(u8::is_ascii_alphabetic) && float(field).is_err();
    !has_words(table_type) && line.len() > 1 && line.iter().skip(1).all(is_name)
}

fn has_words(table_type: Option<ValueType>) -> bool {
    table_type.is_some_and(|table_type| table_type.is_words() || table_type == ValueType::Bool)
}

/// Whether the first field is what columns of keys are called.
fn has_key_name(line: &csv::ByteRecord) -> bool {
    const NAMES: [&[u8]; 8] = [b"key", b"id", b"utt", b"utt_id", b"uttid", b"name", b"index", b"speaker"];
    line.get(0).is_some_and(|name| NAMES.iter().any(|it| name.trim_ascii().eq_ignore_ascii_case(it)))
}

/// Whether the first line names a column of keys, and numbers the others from 0 or 1, as programs for data frames do.
fn is_numbered(line: &csv::ByteRecord) -> bool {
    let is_name = line.get(0).is_some_and(|name| name.trim_ascii().is_empty()) || has_key_name(line);
    let numbers = || line.iter().skip(1).map(integer);
    let counts_from = |first: i32| numbers().zip(first..).all(|(number, place)| number == Ok(place));
    is_name && line.len() > 2 && (counts_from(0) || counts_from(1))
}

/// Where key and value are in lines with a header.
struct Columns {
    key: usize,
    /// `None` for all others.
    value: Option<usize>,
}

impl Columns {
    fn find(header: &csv::ByteRecord, options: &ImportOptions) -> Result<Self, String> {
        let names = || header.iter().map(String::from_utf8_lossy).collect::<Vec<_>>().join(", ");
        let find = |name: &str| {
            let place = header.iter().position(|field| field.trim_ascii() == name.as_bytes());
            place.ok_or_else(|| format!("expected a column \"{name}\" in the first line, got {}", names()))
        };
        let key = find(options.key.as_deref().unwrap_or("key"))?;
        Ok(Self { key, value: options.value.as_deref().map(find).transpose()? })
    }

    /// Puts the key first. A value of one column may be a list: `[0.5, 1.5]` or `0.5 1.5`.
    fn take(&self, line: &csv::ByteRecord) -> Result<csv::ByteRecord, String> {
        let field = |at: usize| {
            line.get(at)
                .ok_or_else(|| format!("expected at least {} fields as in the first line, got {}", at + 1, line.len()))
        };
        let mut taken = csv::ByteRecord::new();
        taken.push_field(field(self.key)?);
        match self.value {
            Some(value) => {
                let text = field(value)?.trim_ascii();
                let list = text.strip_prefix(b"[").and_then(|text| text.strip_suffix(b"]")).unwrap_or(text);
                let words = list.split(|&byte| byte == b',' || byte.is_ascii_whitespace());
                words.filter(|word| !word.is_empty()).for_each(|word| taken.push_field(word));
            }
            None => (0..line.len()).filter(|&at| at != self.key).for_each(|at| taken.push_field(&line[at])),
        }
        taken.set_position(line.position().cloned());
        Ok(taken)
    }

    /// The type of the table with this first line: a column has vectors, numbers or words.
    fn guess(&self, line: &csv::ByteRecord) -> ValueType {
        let are_numbers = line.iter().skip(1).all(|field| float(field).is_ok() && !is_name(field.trim_ascii()));
        match (self.value, line.len()) {
            (None, _) => ValueType::Matrix,
            (Some(_), 2) if are_numbers => ValueType::Float,
            (Some(_), _) if are_numbers => ValueType::Vector,
            (Some(_), _) => ValueType::TokenVector,
        }
    }
}

/// What lines are for values of a type.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Lines {
    /// Lines have no place for a value.
    None,
    /// A line is a value.
    Line(fn(&csv::ByteRecord, ValueType) -> Result<Item, String>),
    /// A line is a row, and those of a key are a value.
    Rows(fn() -> Body),
}

/// The words after the key.
pub(crate) fn words_of(line: &csv::ByteRecord) -> impl Iterator<Item = &[u8]> {
    let fields = line.iter().skip(1);
    fields.flat_map(|field| field.split(u8::is_ascii_whitespace)).filter(|word| !word.is_empty())
}

/// The only field after the key.
pub(crate) fn one_field(line: &csv::ByteRecord, table_type: ValueType) -> Result<&[u8], String> {
    match (line.get(1), line.len()) {
        (Some(field), 2) => Ok(field.trim_ascii()),
        (_, count) => {
            Err(format!("expected one field after the key for the type {table_type}, got {}", count.saturating_sub(1)))
        }
    }
}

/// A vector of single precision.
pub(crate) fn vector_of(line: &csv::ByteRecord) -> Result<Item, String> {
    let values = line.iter().skip(1).map(exact_float).collect::<Result<Vec<_>, _>>()?;
    Ok(Array::from_f32(&[values.len()], &values).into())
}

/// The rows of a key so far.
struct Rows {
    key: BString,
    body: Body,
}

pub(crate) enum Body {
    Numbers { num_rows: usize, values: Vec<f32> },
    Integers(Vec<i32>),
    Lists(Vec<Vec<i32>>),
    Frames(Vec<Vec<(i32, f32)>>),
}

impl Rows {
    fn push(&mut self, line: &csv::ByteRecord) -> Result<(), String> {
        match &mut self.body {
            Body::Numbers { num_rows, values } => {
                let before = values.len();
                for field in line.iter().skip(1) {
                    values.push(exact_float(field)?);
                }
                let columns = values.len() - before;
                if *num_rows > 0 && before / *num_rows != columns {
                    return Err(format!(
                        "expected {} numbers as in the line before of {:?}, got {columns}",
                        before / *num_rows,
                        self.key
                    ));
                }
                *num_rows += 1;
            }
            Body::Integers(values) => match integers_of(line)?[..] {
                [first, second] => values.extend([first, second]),
                ref other => return Err(format!("expected two numbers for a pair, got {}", other.len())),
            },
            Body::Lists(lists) => lists.push(integers_of(line)?),
            Body::Frames(frames) => {
                if line.len().is_multiple_of(2) {
                    return Err(format!("expected pairs of an index and a weight, got {} fields", line.len() - 1));
                }
                let pair = |at: usize| Ok((integer(&line[at])?, exact_float(&line[at + 1])?));
                frames.push((1..line.len()).step_by(2).map(pair).collect::<Result<_, String>>()?);
            }
        }
        Ok(())
    }
}

impl Body {
    pub(crate) fn numbers() -> Self {
        Self::Numbers { num_rows: 0, values: Vec::new() }
    }

    fn into_item(self) -> Item {
        match self {
            Body::Numbers { num_rows, values } => {
                Item::Array(Array::from_f32(&[num_rows, values.len() / num_rows.max(1)], &values))
            }
            Body::Integers(values) => Item::Array(Array::from_i32(&[values.len() / 2, 2], &values)),
            Body::Lists(lists) => lists.into(),
            Body::Frames(frames) => Posterior(frames).into(),
        }
    }
}

pub(crate) fn integers_of(line: &csv::ByteRecord) -> Result<Vec<i32>, String> {
    line.iter().skip(1).map(integer).collect()
}

pub(crate) fn float(field: &[u8]) -> Result<f32, String> {
    let field = field.trim_ascii();
    match parse_f32(field) {
        Ok((value, length)) if length == field.len() => Ok(value),
        _ => Err(format!(
            "expected a number, got {:?}; a line of names has to be cut off first; `type = token-vector` reads words",
            field.as_bstr()
        )),
    }
}

/// A number of single precision; an integer is exactly that.
pub(crate) fn exact_float(field: &[u8]) -> Result<f32, String> {
    let value = float(field)?;
    if is_exact(field.trim_ascii(), value) { Ok(value) } else { Err(inexact(field)) }
}

/// Whether a number of single precision is exactly the integer that the text is. Text of other numbers has as many digits as it likes.
pub(crate) fn is_exact(text: &[u8], value: f32) -> bool {
    let digits = text.strip_prefix(b"-").or(text.strip_prefix(b"+")).unwrap_or(text);
    if digits.is_empty() || !digits.iter().all(u8::is_ascii_digit) {
        return true;
    }
    text.to_str().ok().and_then(|text| text.parse().ok()) == Some(value as i128)
}

/// Whether text of digits is a name rather than a number: it would not come back letter by letter.
pub(crate) fn is_name(text: &[u8]) -> bool {
    let digits = text.strip_prefix(b"-").or(text.strip_prefix(b"+")).unwrap_or(text);
    let is_integer = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    let is_odd = text.starts_with(b"+") || (digits.len() > 1 && digits.starts_with(b"0"));
    is_integer && (is_odd || !float(text).is_ok_and(|value| is_exact(text, value)))
}

/// What is wrong with a name of digits where the type of values was found by looking.
pub(crate) fn no_number(text: &[u8]) -> String {
    let text = text.trim_ascii().as_bstr();
    format!(
        "expected numbers that come back letter by letter, got {text}: `type = token-vector` keeps words, another `type` takes numbers"
    )
}

/// What is wrong with an integer that single precision does not hold.
pub(crate) fn inexact(text: &[u8]) -> String {
    let text = text.trim_ascii().as_bstr();
    format!(
        "{text} is not exactly a number of single precision: `type = int32-matrix` and `type = int32-vector` keep integers"
    )
}

pub(crate) fn double(field: &[u8]) -> Result<f64, String> {
    let value = field.to_str().ok().and_then(|text| text.parse().ok());
    value.ok_or_else(|| format!("expected a number, got {:?}", field.as_bstr()))
}

pub(crate) fn integer(field: &[u8]) -> Result<i32, String> {
    let field = field.trim_ascii();
    let value = parse_integer(field).ok().filter(|&(_, length)| length == field.len());
    let value = value.and_then(|(value, _)| i32::try_from(value).ok());
    value.ok_or_else(|| format!("expected a 32-bit integer, got {:?}", field.as_bstr()))
}

pub(crate) fn truth(field: &[u8]) -> Result<bool, String> {
    match field.to_ascii_lowercase().as_slice() {
        b"true" | b"t" | b"1" => Ok(true),
        b"false" | b"f" | b"0" => Ok(false),
        _ => Err(format!("expected true or false, got {:?}", field.as_bstr())),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_whole_fields() {
        assert_eq!(float(b" 1e-3 "), Ok(0.001));
        assert_eq!(float(b"inf"), Ok(f32::INFINITY));
        assert!(float(b"NaN").unwrap().is_nan());
        assert!(float(b"1 2").is_err() && float(b"").is_err() && float(b"x1").is_err());
        assert_eq!((exact_float(b"16777216"), exact_float(b"16777217.0")), (Ok(16_777_216.0), Ok(16_777_216.0)));
        for lossy in ["16777217", " -16777217", "16777219"] {
            assert!(exact_float(lossy.as_bytes()).unwrap_err().contains("is not exactly a number of single precision"));
        }
        assert_eq!(integer(b"-7"), Ok(-7));
        assert!(
            ["007", "+5", "-01", "00", "16777217", "12345678901234567890"].iter().all(|name| is_name(name.as_bytes()))
        );
        assert!(["7", "-5", "0", "0.10", "1e3", "16777216", "x1", ""].iter().all(|number| !is_name(number.as_bytes())));
        assert!(integer(b"2147483648").is_err() && integer(b"1.0").is_err());
        assert_eq!((double(b"0.1"), truth(b"True"), truth(b"0")), (Ok(0.1), Ok(true), Ok(false)));
        assert!(double(b"x").is_err() && truth(b"2").is_err());
    }
}
