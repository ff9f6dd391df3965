//! Lines of CSV, TSV and JSON.

use std::io::Write;

use array_files::DType;
use bstr::{BStr, ByteSlice};

use crate::array::Array;
use crate::exact::Exact;
use crate::item::Item;

/// Appends a line for each row: the key, if there is one, then the numbers. Words are one field.
///
/// # Errors
/// If the value has no rows.
pub(crate) fn write_rows(out: &mut Vec<u8>, key: &BStr, item: &Item, delimiter: u8) -> Result<(), String> {
    let mut start = Vec::new();
    write_field(&mut start, key, delimiter);
    // A single value has no key, and its rows no field for it.
    let skipped = usize::from(key.is_empty());
    let mut row = |fields: &[u8]| {
        if skipped == 0 {
            out.extend_from_slice(&start);
        }
        out.extend_from_slice(fields.get(skipped..).unwrap_or_default());
        out.push(b'\n');
    };
    let mut fields = Vec::new();
    match item {
        Item::Array(array) => {
            let (rows, columns) = array.size();
            let numbers = Exact::of(array);
            for number in 0..rows {
                fields.clear();
                for at in number * columns..(number + 1) * columns {
                    fields.push(delimiter);
                    match array.dtype {
                        DType::Bool => fields.extend_from_slice(truth(&numbers, at)),
                        _ => write_number(&mut fields, &numbers, at, false),
                    }
                }
                row(&fields);
            }
        }
        Item::Word(word) => {
            fields.push(delimiter);
            write_field(&mut fields, word.as_ref(), delimiter);
            row(&fields);
        }
        Item::Words(words) => {
            fields.push(delimiter);
            write_field(&mut fields, bstr::join(" ", words).as_bstr(), delimiter);
            row(&fields);
        }
        Item::Compound(value) => {
            let Some(rows) = value.rows(char::from(delimiter)) else {
                let name = value.table_type();
                return Err(format!(
                    "a {name} has no rows for csv and tsv: npz, safetensors, parquet and jsonl have a place"
                ));
            };
            rows.iter().for_each(|fields| row(fields.as_bytes()));
        }
    }
    Ok(())
}

/// Appends a line of names for the fields of [`write_rows`].
///
/// # Errors
/// If lines have fields of any number.
pub(crate) fn write_names(out: &mut Vec<u8>, item: &Item, delimiter: u8) -> Result<(), String> {
    let delimiter = char::from(delimiter);
    let names = match item {
        Item::Array(array) if !array.dims().is_empty() => {
            (0..array.size().1).map(|column| format!("{delimiter}v{column}")).collect::<String>()
        }
        Item::Array(_) => format!("{delimiter}value"),
        Item::Word(_) => format!("{delimiter}{WORD}"),
        Item::Words(_) => format!("{delimiter}{WORDS}"),
        _ => return Err(format!("lines of a {} have any number of fields, which have no names", item.table_type())),
    };
    out.extend_from_slice(format!("key{names}\n").as_bytes());
    Ok(())
}

/// The names of fields of words.
pub(crate) const WORD: &str = "word";
pub(crate) const WORDS: &str = "words";

/// Appends the line of a CTM file: each word is a field. `None` if the words are no such line.
pub(crate) fn write_times(out: &mut Vec<u8>, key: &BStr, words: &[bstr::BString], delimiter: u8) -> Option<()> {
    if !is_time(words) {
        return None;
    }
    write_field(out, key, delimiter);
    for word in words {
        out.push(delimiter);
        write_field(out, word.as_ref(), delimiter);
    }
    out.push(b'\n');
    Some(())
}

/// The names of the fields of [`write_times`].
pub(crate) fn write_time_names(out: &mut Vec<u8>, words: &[bstr::BString], delimiter: u8) {
    let names = ["recording", "channel", "start", "duration", "word", "confidence"];
    out.extend_from_slice(
        names[..(words.len() + 1).min(names.len())].join(&*char::from(delimiter).to_string()).as_bytes(),
    );
    out.push(b'\n');
}

/// Whether words are what a line of a CTM file has after the recording: channel, start, duration, word, and perhaps confidence.
pub(crate) fn is_time(words: &[bstr::BString]) -> bool {
    let is_number = |word: &bstr::BString| {
        word.to_str()
            .ok()
            .and_then(|word| word.parse().ok())
            .is_some_and(|number: f64| number.is_finite() && number >= 0.0)
    };
    match words {
        [_, start, duration, _] => is_number(start) && is_number(duration),
        [_, start, duration, _, confidence] => is_number(start) && is_number(duration) && is_number(confidence),
        _ => false,
    }
}

/// Appends bytes, in quotes where they would be taken for something else.
fn write_field(out: &mut Vec<u8>, field: &BStr, delimiter: u8) {
    if field.iter().any(|&byte| byte == delimiter || matches!(byte, b'"' | b'\r' | b'\n')) {
        out.push(b'"');
        out.extend(field.replace(b"\"", b"\"\""));
        out.push(b'"');
    } else {
        out.extend_from_slice(field);
    }
}

/// Appends a line with an object. `key` is UTF-8.
///
/// # Errors
/// If a word is not UTF-8.
pub(crate) fn write_object(out: &mut Vec<u8>, key: &str, item: &Item) -> Result<(), String> {
    match (key, item) {
        ("", Item::Compound(value)) if value.is_entries() => out.push(b'{'),
        ("", _) => {
            write_value(out, item)?;
            out.push(b'\n');
            return Ok(());
        }
        _ => out.extend(format!("{{\"key\": {}, ", serde_json::Value::from(key)).into_bytes()),
    }
    if !matches!(item, Item::Compound(value) if value.is_entries()) {
        out.extend_from_slice(b"\"value\": ");
    }
    write_value(out, item)?;
    out.extend_from_slice(b"}\n");
    Ok(())
}

fn write_value(out: &mut Vec<u8>, item: &Item) -> Result<(), String> {
    match item {
        Item::Array(array) => write_array(out, array),
        Item::Word(word) => write_word(out, word.as_ref())?,
        Item::Words(words) => write_list(out, words, |out, word| write_word(out, word.as_ref()))?,
        Item::Compound(value) => value.write_json(out)?,
    }
    Ok(())
}

pub(crate) fn write_word(out: &mut Vec<u8>, word: &BStr) -> Result<(), String> {
    let word = word.to_str().map_err(|_| format!("expected words in UTF-8, which JSON is, got {word:?}"))?;
    out.extend(serde_json::Value::from(word).to_string().into_bytes());
    Ok(())
}

pub(crate) fn write_list<T>(
    out: &mut Vec<u8>,
    values: &[T],
    write: impl Fn(&mut Vec<u8>, &T) -> Result<(), String>,
) -> Result<(), String> {
    out.push(b'[');
    for (number, value) in values.iter().enumerate() {
        if number > 0 {
            out.extend_from_slice(b", ");
        }
        write(out, value)?;
    }
    out.push(b']');
    Ok(())
}

pub(crate) fn write_single(out: &mut Vec<u8>, value: f32) {
    write_number(out, &Exact::Single(vec![value]), 0, true);
}

pub(crate) fn write_array(out: &mut Vec<u8>, array: &Array) {
    let (rows, columns) = array.size();
    let numbers = Exact::of(array);
    match (array.dims.len(), array.dtype) {
        (0, DType::Bool) => return out.extend_from_slice(truth(&numbers, 0)),
        (0, _) => return write_number(out, &numbers, 0, true),
        _ => {}
    }
    let is_matrix = array.dims.len() == 2;
    if is_matrix {
        out.push(b'[');
    }
    for row in 0..rows {
        out.extend_from_slice(if row > 0 { b", [" } else { b"[" });
        for at in row * columns..(row + 1) * columns {
            if at > row * columns {
                out.extend_from_slice(b", ");
            }
            write_number(out, &numbers, at, true);
        }
        out.push(b']');
    }
    if is_matrix {
        out.push(b']');
    }
}

fn truth(numbers: &Exact, at: usize) -> &'static [u8] {
    if numbers.to_f64()[at] == 0.0 { b"false" } else { b"true" }
}

/// Appends a number with as few digits as distinguish it from its neighbours. In JSON, NaN and infinities are strings.
fn write_number(out: &mut Vec<u8>, numbers: &Exact, at: usize, is_json: bool) {
    let unusual = |value: f64| match value {
        value if value.is_nan() => "\"NaN\"",
        value if value > 0.0 => "\"Infinity\"",
        _ => "\"-Infinity\"",
    };
    // Writing to memory does not fail.
    let _ = match numbers {
        Exact::Integer(values) => write!(out, "{}", values[at]),
        Exact::Single(values) if is_json && !values[at].is_finite() => write!(out, "{}", unusual(values[at].into())),
        Exact::Double(values) if is_json && !values[at].is_finite() => write!(out, "{}", unusual(values[at])),
        Exact::Single(values) => write!(out, "{:?}", values[at]),
        Exact::Double(values) => write!(out, "{:?}", values[at]),
    };
}

#[cfg(test)]
mod tests {
    use kaldi_lattice::{CompactLattice, GraphForm, StoredGraph};
    use kaldi_value::{Cursor, GaussPost, Posterior};
    use kaldi_wave::Wave;

    use super::*;

    #[test]
    fn a_line_is_a_row() {
        let mut out = Vec::new();
        let mut rows = |key: &str, item: Item, delimiter| write_rows(&mut out, key.into(), &item, delimiter).unwrap();
        rows("a", Item::Array(Array::from_f32(&[2, 2], &[1.0, 0.1, f32::NAN, f32::NEG_INFINITY])), b',');
        rows("b,\"", Item::Array(Array::from_i32(&[2], &[1, -2])), b',');
        rows("c", Item::Array(Array::from_f32(&[0], &[])), b'\t');
        rows("d", Item::Array(Array::new(DType::Bool, &[], vec![1])), b'\t');
        rows("e", Item::Words(vec!["a,b".into(), "c".into()]), b',');
        rows("f", Posterior(vec![vec![(3, 0.5), (7, 1.0)], vec![]]).into(), b',');
        rows("g", vec![vec![1, 2], vec![]].into(), b',');
        assert_eq!(
            out.as_bstr(),
            "a,1.0,0.1\na,NaN,-inf\n\"b,\"\"\",1,-2\nc\nd\ttrue\ne,\"a,b c\"\nf,3,0.5,7,1.0\nf\ng,1,2\ng\n"
        );
        let wave = Item::from(Wave::new(8000.0, vec![vec![1.0]]));
        assert!(write_rows(&mut out, "h".into(), &wave, b',').unwrap_err().contains("a wave has no rows"));
    }

    #[test]
    fn a_line_is_an_object() {
        let mut out = Vec::new();
        let mut object = |key, item: Item| write_object(&mut out, key, &item).unwrap();
        object("a\"", Item::Array(Array::from_f32(&[2, 2], &[1.0, 1e-10, f32::NAN, f32::INFINITY])));
        object("b", Item::Array(Array::from_i32(&[2], &[1, -2])));
        object("c", Item::Array(Array::from_f32(&[0, 0], &[])));
        object("d", Posterior(vec![vec![(3, 0.5), (7, 1.0)], vec![]]).into());
        object("e", GaussPost(vec![vec![(3, vec![0.5, f32::NAN])]]).into());
        object("f", Item::Words(vec!["a\"".into(), "b".into()]));
        object("g", Item::Word("a".into()));
        object("h", Item::Array(Array::new(DType::Bool, &[], vec![0])));
        let text = b"\n0 1 8 1,2,3_4\n1\n\n";
        let lattice = StoredGraph::read(&mut Cursor::new(text), GraphForm::Compact).unwrap();
        object("j", CompactLattice(lattice.graph).into());
        object("i", Wave::new(8000.0, vec![vec![1.0, -3.0]]).into());
        let expected = "{\"key\": \"a\\\"\", \"value\": [[1.0, 1e-10], [\"NaN\", \"Infinity\"]]}\n\
                        {\"key\": \"b\", \"value\": [1, -2]}\n{\"key\": \"c\", \"value\": []}\n\
                        {\"key\": \"d\", \"value\": [[[3, 0.5], [7, 1.0]], []]}\n\
                        {\"key\": \"e\", \"value\": [[[3, [0.5, \"NaN\"]]]]}\n\
                        {\"key\": \"f\", \"value\": [\"a\\\"\", \"b\"]}\n\
                        {\"key\": \"g\", \"value\": \"a\"}\n\
                        {\"key\": \"h\", \"value\": false}\n\
                        {\"key\": \"j\", \"value\": {\"start\": 0, \"from\": [0], \"to\": [1], \"input\": [8], \"output\": [8], \
                        \"graph\": [1.0], \"final_graph\": [\"Infinity\", 0.0], \"acoustic\": [2.0], \
                        \"final_acoustic\": [\"Infinity\", 0.0], \"lengths\": [2, 0, 0], \"ids\": [3, 4]}}\n\
                        {\"key\": \"i\", \"rate\": 8000, \"channels\": 1, \"samples\": [1, -3]}\n";
        assert_eq!(out.as_bstr(), expected);
    }
}
