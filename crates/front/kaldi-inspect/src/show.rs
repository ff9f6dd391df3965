//! Entries as text, as JSON, and as entries of another archive.

use bstr::{BStr, ByteSlice};
use kaldi_any::{Content, ValueShape, ValueType};
use kaldi_io::quote_name;
use kaldi_table::{ArchiveWriter, RawEntry};
use kaldi_value::Format;
use serde::Serialize;
use serde_json::{Value, json};

use crate::Result;
use crate::example::example_json;
use crate::graph::graph_json;
use crate::value::{read_content, read_header, write_value};

/// Appends an entry as text: key and value, as in an archive in text form. For a waveform and a binary
/// value that does not become text, a line describes it.
///
/// # Errors
/// If the value cannot be read, or does not have the type.
pub fn show(entry: &RawEntry, value_type: ValueType, out: &mut Vec<u8>) -> Result<()> {
    if !entry.key().is_empty() {
        out.extend_from_slice(&quote_name(entry.key()));
        out.push(b' ');
    }
    if value_type == ValueType::Unknown && !entry.is_text() {
        out.extend_from_slice(format!("{value_type}: {} bytes\n", entry.size()).as_bytes());
        return Ok(());
    }
    if matches!(value_type, ValueType::Htk | ValueType::Sphinx)
        && let Content::Numbers { shape: ValueShape::Matrix { columns }, values } = read_content(entry, value_type)?
    {
        out.extend_from_slice(b" [");
        for row in values.chunks(columns.max(1)) {
            out.extend_from_slice(b"\n  ");
            row.iter().for_each(|value| {
                out.extend_from_slice(format!("{} ", kaldi_value::number::general(*value)).as_bytes())
            });
        }
        out.extend_from_slice(b"]\n");
        return Ok(());
    }
    if value_type.has_text() {
        write_value(entry, value_type, Format::Text, out)?;
        // The text of an example ends without a newline.
        if !out.ends_with(b"\n") {
            out.push(b'\n');
        }
        return Ok(());
    }
    let header = read_header(entry, value_type)?;
    let rate = header.sample_rate.unwrap_or_default();
    let length = match (header.rows, header.seconds) {
        (Some(samples), Some(seconds)) => format!("{samples} samples, {seconds:.3} s"),
        _ => "length unknown".to_owned(),
    };
    let channels = header.columns.unwrap_or(1);
    let plural = if channels == 1 { "" } else { "s" };
    out.extend_from_slice(format!("wave: {rate} Hz, {channels} channel{plural}, {length}\n").as_bytes());
    Ok(())
}

/// An entry as a line of JSON.
#[derive(Serialize)]
struct Line<'a> {
    table: &'a str,
    key: &'a str,
    #[serde(rename = "type")]
    value_type: &'a str,
    value: Value,
}

/// Appends an entry as a line of JSON: an object with table, key, type and value.
///
/// The value is a number, an array of numbers, an array for each row or list, a word or an array of words; an object for a
/// training example, a lattice or an FST. A number that is not finite becomes null.
///
/// # Errors
/// If the value cannot be read, or does not have the type.
pub fn show_json(table: &BStr, entry: &RawEntry, value_type: ValueType, out: &mut Vec<u8>) -> Result<()> {
    let value = match value_type.graph_form() {
        Some(form) => graph_json(entry, form)?,
        None if value_type.is_example() => example_json(entry, value_type)?,
        None => to_json(read_content(entry, value_type)?),
    };
    let line =
        Line { table: &table.to_str_lossy(), key: &entry.key().to_str_lossy(), value_type: value_type.name(), value };
    // Strings and numbers can always be written.
    let text = serde_json::to_string(&line).unwrap_or_default();
    out.extend_from_slice(kaldi_io::printable_json(&text).as_bytes());
    out.push(b'\n');
    Ok(())
}

fn to_json(content: Content) -> Value {
    let (shape, values) = match content {
        Content::Numbers { shape, values } => (shape, values),
        Content::Word(word) => return word.to_str_lossy().into(),
        Content::Words(words) => return words.iter().map(|word| Value::from(word.to_str_lossy())).collect(),
    };
    let array = |values: &[f64]| Value::from(values.iter().map(number).collect::<Vec<_>>());
    match shape {
        ValueShape::Scalar => values.first().map_or(Value::Null, number),
        ValueShape::Vector => array(&values),
        ValueShape::Matrix { columns } => values.chunks(columns.max(1)).map(array).collect(),
        ValueShape::Lists(lengths) => {
            let mut rest = values.as_slice();
            let list = |length| {
                let (list, behind) = rest.split_at(length);
                rest = behind;
                array(list)
            };
            lengths.into_iter().map(list).collect()
        }
    }
}

/// A number with as many digits as its precision needs.
pub(crate) fn number(value: &f64) -> Value {
    let single = *value as f32;
    match value.fract() == 0.0 && value.abs() < 1e15 {
        true => json!(*value as i64),
        false if f64::from(single) == *value => json!(single.to_string().parse().unwrap_or(*value)),
        false => json!(value),
    }
}

/// Writes an entry to an archive in the archive's form: unchanged if it already has that form.
///
/// # Errors
/// If the value cannot be read, does not have the type, or cannot be written.
pub fn copy(entry: &RawEntry, value_type: ValueType, target: &mut ArchiveWriter) -> Result<()> {
    let mut bytes = [entry.key().as_bytes(), b" "].concat();
    let value_at = bytes.len() as u64;
    let is_same = target.format() == Format::Binary && !entry.is_text() && entry.range().is_none() && !entry.is_open();
    if is_same {
        bytes.extend_from_slice(&entry.bytes()?);
    } else {
        write_value(entry, value_type, target.format(), &mut bytes)?;
    }
    Ok(target.put(entry.key(), value_at, &bytes)?)
}

/// Cuts every line of a text to this many characters. A cut line ends in `...`.
pub fn cut_lines(text: &[u8], width: usize) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len().min(1 << 16));
    for line in text.lines() {
        let end = line.char_indices().nth(width).map(|(start, ..)| start);
        match end {
            None => out.extend_from_slice(line),
            Some(_) => {
                let end = line.char_indices().nth(width.saturating_sub(3)).map_or(line.len(), |(start, ..)| start);
                out.extend_from_slice(&line[..end]);
                out.extend_from_slice(b"...");
            }
        }
        out.push(b'\n');
    }
    out
}

/// Leaves the middle of a text of more than so many lines out, and says how many lines that are.
pub fn cut_rows(text: Vec<u8>, rows: usize) -> Vec<u8> {
    let count = text.lines().count();
    // A line that says that one line is missing takes as much room as the line.
    if count <= rows.max(1) + 1 {
        return text;
    }
    let (first, last) = (rows.div_ceil(2).max(1), rows / 2);
    let mut out = Vec::new();
    for (at, line) in text.lines_with_terminator().enumerate() {
        if at == first {
            out.extend_from_slice(format!("... {} more\n", count - first - last).as_bytes());
        }
        if at < first || at >= count - last {
            out.extend_from_slice(line);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_digits_of_their_precision() {
        let written =
            [0.1_f32.into(), 0.1, -3.0, 1e300, f64::NAN, f32::MAX.into()].map(|value| number(&value).to_string());
        assert_eq!(written, ["0.1", "0.1", "-3", "1e+300", "null", "3.4028235e+38"]);
    }

    #[test]
    fn the_middle_of_many_lines_is_left_out() {
        let cut = |text: &str, rows| String::from_utf8(cut_rows(text.into(), rows)).unwrap();
        assert_eq!(cut("a\nb\nc\nd\ne\nf\n", 4), "a\nb\n... 2 more\ne\nf\n");
        assert_eq!(cut("a\nb\nc\nd\ne\n", 3), "a\nb\n... 2 more\ne\n");
        assert_eq!(cut("a\nb\nc\n", 0), "a\n... 2 more\n");
        assert_eq!(cut("a\nb\nc\nd\ne\n", 4), "a\nb\nc\nd\ne\n");
    }

    #[test]
    fn long_lines_are_cut() {
        let cut = |text: &str, width| String::from_utf8(cut_lines(text.as_bytes(), width)).unwrap();
        assert_eq!(cut("abcdefgh\nabc\n\n", 8), "abcdefgh\nabc\n\n");
        assert_eq!(cut("abcdefghi\n\u{e4}\u{e4}\u{e4}\u{e4}\n", 8), "abcde...\n\u{e4}\u{e4}\u{e4}\u{e4}\n");
        assert_eq!(cut("\u{e4}\u{e4}\u{e4}\u{e4}\u{e4}\n", 4), "\u{e4}...\n");
    }
}
