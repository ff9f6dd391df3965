//! Lines of CSV, TSV and JSON.

use std::io::Write;

use bstr::{BStr, ByteSlice};

use crate::array::Array;
use crate::exact::Exact;

/// Appends a line for each row: the key, then the numbers.
pub(crate) fn write_rows(out: &mut Vec<u8>, key: &BStr, array: &Array, delimiter: u8) {
    let mut field = Vec::new();
    if key.iter().any(|&byte| byte == delimiter || matches!(byte, b'"' | b'\r' | b'\n')) {
        field.push(b'"');
        field.extend(key.replace(b"\"", b"\"\""));
        field.push(b'"');
    } else {
        field.extend_from_slice(key);
    }
    let (rows, columns) = array.size();
    let numbers = Exact::of(array);
    for row in 0..rows {
        out.extend_from_slice(&field);
        for at in row * columns..(row + 1) * columns {
            out.push(delimiter);
            write_number(out, &numbers, at, false);
        }
        out.push(b'\n');
    }
}

/// Appends a line with an object. `key` is UTF-8.
pub(crate) fn write_object(out: &mut Vec<u8>, key: &str, array: &Array) {
    let (rows, columns) = array.size();
    let numbers = Exact::of(array);
    out.extend(format!("{{\"key\": {}, \"value\": ", serde_json::Value::from(key)).into_bytes());
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
    out.extend_from_slice(if is_matrix { b"]}\n" } else { b"}\n" });
}

/// Appends a number with as few digits as tell it from its neighbours. JSON has strings for what is none.
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
    use super::*;

    #[test]
    fn a_line_is_a_row() {
        let mut out = Vec::new();
        write_rows(&mut out, "a".into(), &Array::from_f32(&[2, 2], &[1.0, 0.1, f32::NAN, f32::NEG_INFINITY]), b',');
        write_rows(&mut out, "b,\"".into(), &Array::from_i32(&[2], &[1, -2]), b',');
        write_rows(&mut out, "c".into(), &Array::from_f32(&[0], &[]), b'\t');
        assert_eq!(out.as_bstr(), "a,1.0,0.1\na,NaN,-inf\n\"b,\"\"\",1,-2\nc\n");
    }

    #[test]
    fn a_line_is_an_object() {
        let mut out = Vec::new();
        write_object(&mut out, "a\"", &Array::from_f32(&[2, 2], &[1.0, 1e-10, f32::NAN, f32::INFINITY]));
        write_object(&mut out, "b", &Array::from_i32(&[2], &[1, -2]));
        write_object(&mut out, "c", &Array::from_f32(&[0, 0], &[]));
        let expected = "{\"key\": \"a\\\"\", \"value\": [[1.0, 1e-10], [\"NaN\", \"Infinity\"]]}\n\
                        {\"key\": \"b\", \"value\": [1, -2]}\n{\"key\": \"c\", \"value\": []}\n";
        assert_eq!(out.as_bstr(), expected);
    }
}
