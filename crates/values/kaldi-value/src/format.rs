//! Writing of tokens, basic types and integer vectors, the counterpart of `cursor.rs`.

use crate::Basic;
use crate::number::write_integer;

/// The form in which values are written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Format {
    /// `\0B` and little-endian numbers.
    Binary,
    /// Words and numbers, readable.
    Text,
}

impl Format {
    /// `Binary` if `binary` is set, as in the options.
    pub fn from_binary(binary: bool) -> Self {
        if binary { Self::Binary } else { Self::Text }
    }

    /// Appends the marker that starts a binary object; nothing in text form.
    pub fn write_marker(self, out: &mut Vec<u8>) {
        if self == Self::Binary {
            out.extend_from_slice(b"\0B");
        }
    }

    /// Appends the end of a line in text form; nothing in binary form.
    pub fn end_line(self, out: &mut Vec<u8>) {
        if self == Self::Text {
            out.push(b'\n');
        }
    }
}

/// Appends a token and the space that ends it (the same in both forms).
pub fn write_token(out: &mut Vec<u8>, token: &[u8]) {
    out.extend_from_slice(token);
    out.push(b' ');
}

/// Appends a number or truth value: after its size byte in binary form, followed by a space in text form.
pub fn write_basic<T: Basic>(out: &mut Vec<u8>, format: Format, value: T) {
    match format {
        Format::Binary => value.write_binary(out),
        Format::Text => {
            value.write_text(out);
            out.push(b' ');
        }
    }
}

/// Appends integers as Kaldi's `WriteIntegerVector`: element size, count and raw elements in binary form,
/// `[ 1 2 ]` and a newline in text form.
pub fn write_int_vector(out: &mut Vec<u8>, format: Format, values: &[i32]) {
    match format {
        Format::Binary => {
            out.push(4);
            out.extend_from_slice(&(values.len() as i32).to_le_bytes());
            for value in values {
                out.extend_from_slice(&value.to_le_bytes());
            }
        }
        Format::Text => {
            out.extend_from_slice(b"[ ");
            for &value in values {
                write_integer(out, i64::from(value));
                out.push(b' ');
            }
            out.extend_from_slice(b"]\n");
        }
    }
}
