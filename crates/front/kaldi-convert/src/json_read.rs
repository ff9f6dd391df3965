//! Lines of JSON as values.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::{BufRead, BufReader};

use array_files::DType;
use bstr::{BStr, BString, ByteSlice};
use kaldi_any::ValueType;
use kaldi_io::without_mark;
use kaldi_lattice::GraphForm;
use kaldi_value::IntMatrix;
use kaldi_value::number::parse_f32;
use serde::{Deserialize, Deserializer, de};
use serde_json::value::RawValue;

use crate::array::Array;
use crate::example_json::{parse_chain_example, parse_example};
use crate::graph_parts::{graph_from_parts, graph_part_names, has_floats};
use crate::import::ImportOptions;
use crate::item::{Item, wave};
use crate::stream::Stream;
use crate::table_type::num_dims;
use crate::text_read::{double, inexact, integer, is_exact};
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
            return wave(rate, self.channels.unwrap_or(1), samples.into_iter().map(|it| it.0).collect());
        }
        let text = self.value.ok_or("expected a value, got none")?.get();
        parse_value(text, table_type)
    }
}

/// A lattice or an FST: an object of its arrays.
fn parse_graph(text: &str, form: GraphForm) -> Result<Item, String> {
    let object: BTreeMap<&str, &RawValue> =
        serde_json::from_str(text).map_err(|error| format!("expected an object of arrays: {error}"))?;
    let mut parts = Vec::new();
    for name in graph_part_names(form) {
        let text = object.get(name).ok_or_else(|| format!("expected an array \"{name}\", got others only"))?.get();
        let fault = |error: serde_json::Error| format!("expected numbers in \"{name}\": {error}");
        parts.push(match *name {
            "start" => Array::from_i32(&[], &[serde_json::from_str(text).map_err(fault)?]),
            name if has_floats(name) => {
                let values: Vec<Single> = serde_json::from_str(text).map_err(fault)?;
                Array::from_f32(&[values.len()], &values.into_iter().map(|value| value.0).collect::<Vec<f32>>())
            }
            _ => {
                let values: Vec<i32> = serde_json::from_str(text).map_err(fault)?;
                Array::from_i32(&[values.len()], &values)
            }
        });
    }
    Ok(Item::Graph(graph_from_parts(form, &parts)?, form))
}

/// A value of the type, or of the one that shows.
fn parse_value(text: &str, table_type: Option<ValueType>) -> Result<Item, String> {
    let expected = |form: &'static str| move |error: serde_json::Error| format!("expected {form}: {error}");
    if let Some(form) = table_type.and_then(ValueType::graph_form) {
        return parse_graph(text, form);
    }
    Ok(match table_type {
        Some(ValueType::Posterior) => {
            let frames: Vec<Vec<(i32, Single)>> =
                serde_json::from_str(text).map_err(expected("for each frame a list of [index, weight]"))?;
            let plain =
                |frame: Vec<(i32, Single)>| frame.into_iter().map(|(index, weight)| (index, weight.0)).collect();
            Item::Posterior(frames.into_iter().map(plain).collect())
        }
        Some(ValueType::GaussPost) => {
            let frames: Vec<Vec<(i32, Vec<Single>)>> =
                serde_json::from_str(text).map_err(expected("for each frame a list of [index, [weight, ...]]"))?;
            let weights = |weights: Vec<Single>| weights.into_iter().map(|weight| weight.0).collect();
            let plain = |frame: Vec<(i32, Vec<Single>)>| frame.into_iter().map(|(index, it)| (index, weights(it)));
            Item::GaussPost(frames.into_iter().map(|frame| plain(frame).collect()).collect())
        }
        Some(ValueType::Nnet3Example) => parse_example(text)?,
        Some(ValueType::Nnet3ChainExample) => parse_chain_example(text)?,
        Some(ValueType::Int32Matrix) => {
            let rows: Vec<Vec<i32>> = serde_json::from_str(text).map_err(expected("rows of integers in a list"))?;
            let matrix = IntMatrix::from_rows(&rows).map_err(|error| error.to_string())?;
            Item::Array(Array::from_i32(&[matrix.num_rows(), matrix.num_cols()], matrix.as_slice()))
        }
        Some(ValueType::Int32VectorVector) => {
            Item::Lists(serde_json::from_str(text).map_err(expected("lists of integers in a list"))?)
        }
        Some(ValueType::Int32Pairs) => {
            let pairs: Vec<(i32, i32)> = serde_json::from_str(text).map_err(expected("a list of pairs of integers"))?;
            let values: Vec<i32> = pairs.iter().flat_map(|&(first, second)| [first, second]).collect();
            Item::Array(Array::from_i32(&[pairs.len(), 2], &values))
        }
        Some(ValueType::Double) => Item::Array(Array::from_f64(&[], &[double(plain(text).as_bytes())?])),
        _ if text.starts_with('"') && !matches!(table_type, Some(table_type) if num_dims(table_type).is_some()) => {
            let word: String = serde_json::from_str(text).map_err(expected("a word"))?;
            Item::Word(word.into())
        }
        Some(ValueType::TokenVector) => {
            let words: Vec<String> = serde_json::from_str(text).map_err(expected("a list of words"))?;
            Item::Words(words.into_iter().map(BString::from).collect())
        }
        None if let Ok(words) = serde_json::from_str::<Vec<String>>(text)
            && !words.is_empty()
            && !words.iter().all(|word| parse_number(word.as_bytes()).is_some()) =>
        {
            Item::Words(words.into_iter().map(BString::from).collect())
        }
        _ => match text {
            "true" => Item::Array(Array::new(DType::Bool, &[], vec![1])),
            "false" => Item::Array(Array::new(DType::Bool, &[], vec![0])),
            _ => Item::Array(Nested::parse(text)?),
        },
    })
}

/// The word in quotes for a number that JSON does not have, without the quotes.
fn plain(text: &str) -> &str {
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
