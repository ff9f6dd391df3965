//! Lines of JSON as values.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};

use array_files::DType;
use bstr::{BStr, BString, ByteSlice};
use kaldi_any::ValueType;
use kaldi_io::without_mark;
use kaldi_value::number::parse_f32;
use serde::{Deserialize, Deserializer, de};
use serde_json::value::RawValue;

use crate::array::Array;
use crate::compound::wave;
use crate::import::ImportOptions;
use crate::item::Item;
use crate::stream::Stream;
use crate::text_read::{inexact, integer, is_exact};
use crate::types::row;
use crate::{Error, Result};

/// A line. Other entries than these are skipped.
#[derive(Deserialize)]
struct Object<'a> {
    key: String,
    #[serde(borrow)]
    value: Option<&'a RawValue>,
    /// Of a waveform, which has no value.
    rate: Option<f64>,
    channels: Option<i64>,
    samples: Option<Vec<Single>>,
}

/// Reads lines with an object of a key and a value each.
pub(crate) fn read_objects(
    name: &BStr,
    options: &ImportOptions,
    mut each: impl FnMut(&[u8], Item) -> Result<()>,
) -> Result<()> {
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
        if number == 1 {
            line.drain(..line.len() - without_mark(&line).len());
        }
        if line.trim_ascii().is_empty() {
            continue;
        }
        let at = || format!("{place}:{number}");
        let (key, item) = match (&options.key, &options.value) {
            (None, None) => Object::parse(&line, options.table_type),
            (key, value) => parse_named(
                &line,
                key.as_deref().unwrap_or("key"),
                value.as_deref().unwrap_or("value"),
                options.table_type,
            ),
        }
        .map_err(|message| Error::content(at(), message))?;
        each(key.as_bytes(), item)?;
    }
}

/// Key and value of an object by their names there. The key may be a number.
fn parse_named(
    line: &[u8],
    key_name: &str,
    value_name: &str,
    table_type: Option<ValueType>,
) -> Result<(String, Item), String> {
    let object: BTreeMap<Cow<'_, str>, &RawValue> =
        serde_json::from_slice(line).map_err(|error| format!("expected an object: {error}"))?;
    let find = |name: &str| {
        let names = || object.keys().map(|name| name.as_ref()).collect::<Vec<_>>().join(", ");
        object
            .get(name)
            .map(|value| value.get())
            .ok_or_else(|| format!("expected an entry \"{name}\", got {}", names()))
    };
    let key = find(key_name)?;
    let key = match serde_json::from_str::<String>(key) {
        Ok(word) => word,
        Err(_) if key.starts_with(|first: char| first == '-' || first.is_ascii_digit()) => key.to_owned(),
        Err(_) => return Err(format!("expected a string or a number as \"{key_name}\", got {key}")),
    };
    Ok((key, parse_value(find(value_name)?, table_type)?))
}

impl Object<'_> {
    fn parse(line: &[u8], table_type: Option<ValueType>) -> Result<(String, Item), String> {
        let object: Object<'_> = serde_json::from_slice(line).map_err(|error| {
            format!("expected {{\"key\": ..., \"value\": ...}} (`key` and `value` set other names): {error}")
        })?;
        Ok((object.key.clone(), object.into_item(table_type)?))
    }

    fn into_item(self, table_type: Option<ValueType>) -> Result<Item, String> {
        if let (Some(samples), None) = (self.samples, self.value) {
            let rate = self.rate.ok_or("expected the rate of the samples, got none")?;
            let samples: Vec<f32> = samples.into_iter().map(|it| it.0).collect();
            return wave(rate, self.channels.unwrap_or(1), &samples).map(Item::from);
        }
        let text = self.value.ok_or("expected a value, got none")?.get();
        parse_value(text, table_type)
    }
}

/// A value of the type, or of the one that shows.
fn parse_value(text: &str, table_type: Option<ValueType>) -> Result<Item, String> {
    match table_type.and_then(row) {
        Some(row) => (row.parse_json)(text),
        None if let Ok(words) = serde_json::from_str::<Vec<String>>(text)
            && !words.is_empty()
            && !words.iter().all(|word| parse_number(word.as_bytes()).is_some()) =>
        {
            Ok(Item::Words(words.into_iter().map(BString::from).collect()))
        }
        None => numbers_or_words(text),
    }
}

/// A message that says what was expected.
pub(crate) fn expected(form: &'static str) -> impl Fn(serde_json::Error) -> String {
    move |error| format!("expected {form}: {error}")
}

/// A word, or numbers.
pub(crate) fn numbers_or_words(text: &str) -> Result<Item, String> {
    match text.starts_with('"') {
        true => Ok(Item::Word(serde_json::from_str::<String>(text).map_err(expected("a word"))?.into())),
        false => parse_numbers(text),
    }
}

/// A truth value, a number, a list of numbers, or a list of rows.
pub(crate) fn parse_numbers(text: &str) -> Result<Item, String> {
    Ok(Item::Array(match text {
        "true" => Array::new(DType::Bool, &[], vec![1]),
        "false" => Array::new(DType::Bool, &[], vec![0]),
        _ => Nested::parse(text)?,
    }))
}

/// The word in quotes for a number that JSON does not have, without the quotes.
pub(crate) fn plain(text: &str) -> &str {
    match text {
        "null" => "nan",
        _ => text.strip_prefix('"').and_then(|text| text.strip_suffix('"')).unwrap_or(text),
    }
}

fn parse_number(text: &[u8]) -> Option<f32> {
    parse_f32(text).ok().filter(|&(_, length)| length == text.len()).map(|(value, _)| value)
}

/// A number of single precision, exactly as its digits say, or a word for one that JSON does not have.
pub(crate) struct Single(pub(crate) f32);

impl<'de> Deserialize<'de> for Single {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let raw = <&RawValue>::deserialize(deserializer)?.get();
        let text = plain(raw).as_bytes();
        match parse_number(text) {
            Some(value) if is_exact(text, value) => Ok(Self(value)),
            Some(_) => Err(de::Error::custom(inexact(text))),
            None => Err(de::Error::custom(format_args!("expected a number, got {raw}"))),
        }
    }
}

const UNEVEN: &str = "expected a list of numbers, or rows of one length, got others";

/// Numbers in lists, as they come.
#[derive(Default)]
struct Nested {
    depth: usize,
    max_depth: usize,
    values: Vec<f32>,
    integers: Vec<i32>,
    /// The first integer that is not exactly a number of single precision.
    inexact: Option<BString>,
    /// Where inner lists end.
    ends: Vec<usize>,
    /// How deep the numbers are, if they are equally deep.
    number_depth: Option<usize>,
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

    /// Reads a number, or a word for one; returns what follows.
    fn take_number<'a>(&mut self, rest: &'a [u8]) -> Result<&'a [u8], String> {
        let end = rest.iter().position(|byte| matches!(byte, b',' | b']' | b' ' | b'\t' | b'\r' | b'\n'));
        let (word, behind) = rest.split_at(end.unwrap_or(rest.len()));
        let text = match word {
            b"null" => b"nan",
            word => word.strip_prefix(b"\"").and_then(|word| word.strip_suffix(b"\"")).unwrap_or(word),
        };
        let is_number = text != word || matches!(word, [b'-' | b'0'..=b'9', ..]);
        let value = parse_number(text).filter(|_| is_number);
        let Some(value) = value else { return Err(format!("expected a number, got {:?}", word.as_bstr())) };
        if *self.number_depth.get_or_insert(self.depth) != self.depth {
            return Err(UNEVEN.into());
        }
        if self.inexact.is_none() && !is_exact(text, value) {
            self.inexact = Some(text.into());
        }
        self.values.push(value);
        if let Ok(integer) = integer(text) {
            self.integers.push(integer);
        }
        Ok(behind)
    }

    fn into_array(self) -> Result<Array, String> {
        let num_rows = self.ends.len();
        if self.number_depth.is_some_and(|depth| depth != self.max_depth) {
            return Err(UNEVEN.into());
        }
        let singles = |dims: &[usize]| match &self.inexact {
            Some(text) => Err(inexact(text)),
            None => Ok(Array::from_f32(dims, &self.values)),
        };
        match self.max_depth {
            0 if self.integers.len() == 1 => Ok(Array::from_i32(&[], &self.integers)),
            0 => singles(&[]),
            1 if !self.values.is_empty() && self.integers.len() == self.values.len() => {
                Ok(Array::from_i32(&[self.integers.len()], &self.integers))
            }
            1 if self.values.is_empty() => Ok(Array::from_f32(&[0, 0], &[])),
            1 => singles(&[self.values.len()]),
            2 => {
                let columns = self.ends[0];
                if (0..num_rows).any(|row| self.ends[row] != (row + 1) * columns)
                    || num_rows * columns != self.values.len()
                {
                    return Err(UNEVEN.into());
                }
                singles(&[num_rows, columns])
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
            ("7", &[]),
            ("\"NaN\"", &[]),
        ] {
            assert_eq!(Nested::parse(text).unwrap().dims(), dims, "{text}");
        }
        for text in [
            "[[1], [1, 2]]",
            "[[1], 2]",
            "[1, [2, 3]]",
            "[[1, 2], 3, 4]",
            "[1, []]",
            "[[], 1]",
            "[[[]], 1]",
            "[[[1]]]",
            "[\"a\"]",
            "[true]",
            "{\"a\": 1}",
            "[\"1 2\"]",
        ] {
            assert!(Nested::parse(text).is_err(), "{text}");
        }
    }

    #[test]
    fn values_have_the_type_that_is_asked_for_or_shows() {
        let item = |text: &str, table_type: Option<ValueType>| {
            parse_value(text, table_type).map(|item| (item.table_type(), format!("{item:?}")))
        };
        for (text, wanted, found) in [
            ("[[[3, 0.1], [7, \"NaN\"]], []]", Some(ValueType::Posterior), ValueType::Posterior),
            ("[[[3, [0.1]]]]", Some(ValueType::GaussPost), ValueType::GaussPost),
            ("[[1], []]", Some(ValueType::Int32VectorVector), ValueType::Int32VectorVector),
            ("[[1, 2]]", Some(ValueType::Int32Pairs), ValueType::Int32Matrix),
            ("[[16777217, 2], [3, 4]]", Some(ValueType::Int32Matrix), ValueType::Int32Matrix),
            ("[[1, 2], [3, 4]]", None, ValueType::Matrix),
            ("0.1", Some(ValueType::Double), ValueType::Double),
            ("0.1", None, ValueType::Float),
            ("3", None, ValueType::Int32),
            ("true", None, ValueType::Bool),
            ("\"a b\"", None, ValueType::Token),
            ("\"NaN\"", Some(ValueType::Float), ValueType::Float),
            ("[\"a\", \"b\"]", None, ValueType::TokenVector),
            ("[]", Some(ValueType::TokenVector), ValueType::TokenVector),
            ("[\"NaN\", \"Infinity\"]", None, ValueType::Vector),
        ] {
            assert_eq!(item(text, wanted).unwrap().0, found, "{text}");
        }
        assert!(item("[[[3, 0.1]]]", Some(ValueType::Posterior)).unwrap().1.contains("0.1"));
        for (text, wanted) in [("[[3, 0.5]]", ValueType::Posterior), ("[[1.5]]", ValueType::Int32VectorVector)] {
            assert!(item(text, Some(wanted)).is_err(), "{text}");
        }
        assert!(item("[1, \"a\"]", None).is_err());
        assert_eq!(item("[16777217, 1]", None).unwrap().0, ValueType::Int32Vector);
        for (text, wanted) in [
            ("[[16777217, 1]]", None),
            ("[[16777217, 1]]", Some(ValueType::Matrix)),
            ("[16777217, 0.5]", None),
            ("3000000001", None),
            ("[[[3, 16777217]]]", Some(ValueType::Posterior)),
        ] {
            let error = item(text, wanted).unwrap_err();
            assert!(error.contains("is not exactly a number of single precision"), "{error}");
        }
    }
}
