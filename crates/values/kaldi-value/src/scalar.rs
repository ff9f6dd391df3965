//! Single numbers and truth values (Kaldi's `BasicHolder`).

use crate::framing::{frame_either, frame_ended_line};
use crate::{Basic, Cursor, Format, Frame, Value, write_basic};
use kaldi_io::ParseError;

fn read_scalar<T: Basic>(cursor: &mut Cursor<'_>, name: &str) -> Result<T, ParseError> {
    if cursor.read_marker()? {
        return cursor.read_basic();
    }
    cursor.skip_blanks();
    if cursor.peek() == Some(b'\n') {
        return Err(cursor.expected(name));
    }
    let value = cursor.read_basic()?;
    cursor.read_line_end()?;
    Ok(value)
}

fn write_scalar<T: Basic>(value: T, out: &mut Vec<u8>, format: Format) {
    format.write_marker(out);
    write_basic(out, format, value);
    format.end_line(out);
}

/// The length of a binary float, which may be a double.
fn reach_of_float(window: &[u8]) -> Result<u64, ParseError> {
    match window.get(2) {
        None => Ok(3),
        Some(4) => Ok(7),
        Some(8) => Ok(11),
        Some(size) => Err(ParseError::new(2, format!("expected a float of size 4 or 8, got size {size}"))),
    }
}

macro_rules! scalar {
    ($type:ty, $name:literal, $reach:expr, $canonical:pat) => {
        /// A line in text form, which must end with a newline (Kaldi's `BasicHolder`).
        impl Value for $type {
            const NAME: &'static str = $name;

            fn frame(window: &[u8], at_end: bool) -> Result<Frame, ParseError> {
                frame_either(window, at_end, frame_ended_line, $reach)
            }

            fn read(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
                read_scalar(cursor, Self::NAME)
            }

            fn write(&self, out: &mut Vec<u8>, format: Format) {
                write_scalar(*self, out, format);
            }

            fn is_canonical_binary(bytes: &[u8]) -> bool {
                matches!(bytes, $canonical)
            }
        }
    };
}

scalar!(i32, "int32", |_| Ok(7), [0, b'B', 4, _, _, _, _]);
scalar!(f32, "float", reach_of_float, [0, b'B', 4, _, _, _, _]);
scalar!(f64, "double", reach_of_float, [0, b'B', 8, _, _, _, _, _, _, _, _]);
scalar!(bool, "bool", |_| Ok(3), [0, b'B', b'T' | b'F']);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{keeps_the_contract, reads, reads_before, refuses};

    #[test]
    fn scalars_have_no_ranges() {
        let error = i32::read_range(&mut Cursor::new(b"5\n"), b"0:1").unwrap_err();
        assert_eq!(error.message, "a value of type int32 cannot be read in ranges");
    }

    #[test]
    fn scalars_keep_the_contract() {
        keeps_the_contract(|random| random.integer());
        keeps_the_contract(|random| random.float());
        keeps_the_contract(|random| f64::from(random.float()));
        keeps_the_contract(|random| random.below(2) == 0);
    }

    #[test]
    fn scalars_are_written_as_kaldi_does() {
        assert_eq!((-7).to_bytes(Format::Text), b"-7 \n");
        assert_eq!((-7).to_bytes(Format::Binary), b"\0B\x04\xf9\xff\xff\xff");
        assert_eq!(0.5_f32.to_bytes(Format::Text), b"0.5 \n");
        assert_eq!(0.5_f32.to_bytes(Format::Binary), b"\0B\x04\0\0\0\x3f");
        assert_eq!(0.5_f64.to_bytes(Format::Binary), b"\0B\x08\0\0\0\0\0\0\xe0\x3f");
        assert_eq!(true.to_bytes(Format::Text), b"T \n");
        assert_eq!(false.to_bytes(Format::Binary), b"\0BF");
    }

    #[test]
    fn floats_are_converted_between_widths() {
        reads(b"\0B\x08\0\0\0\0\0\0\xe0\x3f", 0.5_f32);
        reads(b"\0B\x04\0\0\0\x3f", 0.5_f64);
        assert!(!f32::is_canonical_binary(b"\0B\x08\0\0\0\0\0\0\xe0\x3f"));
    }

    #[test]
    fn non_finite_floats_can_be_read_back() {
        reads(b"inf \n", f32::INFINITY);
        reads(b"-inf \n", f64::NEG_INFINITY);
    }

    #[test]
    fn a_scalar_is_one_word_on_a_line() {
        reads_before(b"\t 5\r\n", b"b 6\n", 5);
        refuses::<i32>(b"5", 1, "expected a newline, got the end of the input");
        refuses::<i32>(b"5 6\n", 2, "expected a newline, got \"6\"");
        refuses::<i32>(b" \n5\n", 1, "expected int32, got \"\\n\"");
        refuses::<i32>(b"5.5\n", 1, "expected a newline, got \".5\"");
        refuses::<bool>(b"true\n", 0, "expected \"T\" or \"F\", got \"true\"");
        refuses::<bool>(b"TF\n", 1, "expected a newline, got \"F\"");
    }

    #[test]
    fn a_size_byte_of_another_type_is_refused() {
        refuses::<i32>(b"\0B\x08\0\0\0\0\0\0\0\0", 2, "expected an integer of size byte 4, got size byte 8");
        refuses::<f32>(b"\0B\x02\0\0", 2, "expected a float of size 4 or 8, got size 2");
        refuses::<i32>(b"\0C", 0, "expected the binary marker \"\\0B\", got \"\\0C\"");
    }
}
