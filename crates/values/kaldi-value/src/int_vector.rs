//! Vectors of integers, in the form of table entries.

use crate::framing::{by_count, frame_either, frame_line};
use crate::unit::{HEADER, UNIT, are_units, check_count, count_at, read_count, read_units, write_header, write_units};
use crate::{Cursor, Format, Frame, Value};
use byteorder::{ByteOrder, LittleEndian};
use kaldi_io::ParseError;

/// A line in text form, whose newline may be missing at the end of the stream (Kaldi's `BasicVectorHolder<int32>`).
impl Value for Vec<i32> {
    const NAME: &'static str = "int32 vector";

    fn frame(window: &[u8], at_end: bool) -> Result<Frame, ParseError> {
        frame_either(window, at_end, frame_line, reach).map(|frame| by_count(frame, window))
    }

    fn read(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        if cursor.read_marker()? {
            let count = read_count(cursor)?;
            return read_units(cursor, count);
        }
        let line = cursor.clone().read_line()?;
        cursor.skip_blanks();
        if cursor.peek() == Some(b'[') {
            return Err(cursor.error("expected an integer, got \"[\""));
        }
        let mut values = Vec::with_capacity(line.len() / 4);
        while !cursor.skip_line_end()? {
            cursor.read_int_row(&mut values)?;
        }
        check_count(cursor, values.len())?;
        Ok(values)
    }

    fn write(&self, out: &mut Vec<u8>, format: Format) {
        match format {
            Format::Binary => {
                out.reserve(HEADER + UNIT * self.len());
                write_header(out, self.len());
                write_units(out, self);
            }
            Format::Text => {
                crate::number::write_i32_row(out, self);
                out.push(b'\n');
            }
        }
    }

    fn is_canonical_binary(bytes: &[u8]) -> bool {
        bytes.starts_with(b"\0B")
            && are_units(&bytes[2..])
            && reach(bytes).is_ok_and(|reach| reach == bytes.len() as u64)
    }
}

/// The integers in the bytes of a binary vector, for [`integer_of_unit`]. `None` if the bytes are not in the form that is written
/// here.
pub fn integer_units(bytes: &[u8]) -> Option<&[[u8; UNIT]]> {
    Vec::<i32>::is_canonical_binary(bytes).then(|| bytes[HEADER..].as_chunks().0)
}

/// The integer in a unit.
#[inline]
pub fn integer_of_unit([_, a, b, c, d]: &[u8; UNIT]) -> i32 {
    i32::from_le_bytes([*a, *b, *c, *d])
}

/// Replaces each integer in the bytes of a binary vector, without making the vector. `None` if the bytes are not in the form
/// that is written here, or `convert` gives `None` for an integer.
pub fn convert_binary_integers(bytes: &[u8], convert: impl Fn(i32) -> Option<i32>) -> Option<Vec<u8>> {
    if !Vec::<i32>::is_canonical_binary(bytes) {
        return None;
    }
    let mut converted = bytes.to_vec();
    for unit in converted.get_mut(HEADER..)?.as_chunks_mut::<UNIT>().0 {
        let integer = convert(LittleEndian::read_i32(&unit[1..]))?;
        unit[1..].copy_from_slice(&integer.to_le_bytes());
    }
    Some(converted)
}

fn reach(window: &[u8]) -> Result<u64, ParseError> {
    if window.len() < HEADER {
        return Ok(HEADER as u64);
    }
    Ok(HEADER as u64 + count_at(window, 2)? * UNIT as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{keeps_the_contract, reads, reads_before, refuses};

    #[test]
    fn int_vectors_keep_the_contract() {
        keeps_the_contract(|random| random.many(20, |random| random.integer()));
    }

    #[test]
    fn int_vectors_are_written_as_kaldi_does() {
        assert_eq!(vec![1, -2].to_bytes(Format::Text), b"1 -2 \n");
        assert_eq!(vec![1, -2].to_bytes(Format::Binary), b"\0B\x04\x02\0\0\0\x04\x01\0\0\0\x04\xfe\xff\xff\xff");
        assert_eq!(Vec::<i32>::new().to_bytes(Format::Text), b"\n");
    }

    #[test]
    fn integers_are_replaced_in_bytes() {
        let read = |bytes: &[u8]| Some(integer_units(bytes)?.iter().map(integer_of_unit).collect::<Vec<_>>());
        let double = |bytes: &[u8]| convert_binary_integers(bytes, |value| (value < 10).then_some(2 * value));
        for values in [vec![], vec![-7], (0..10).collect()] {
            let doubled: Vec<i32> = values.iter().map(|value| 2 * value).collect();
            assert_eq!(double(&values.to_bytes(Format::Binary)), Some(doubled.to_bytes(Format::Binary)));
            assert_eq!(read(&values.to_bytes(Format::Binary)), Some(values));
        }
        assert_eq!(double(&vec![1, 10].to_bytes(Format::Binary)), None);
        assert_eq!(double(&vec![1].to_bytes(Format::Text)), None);
        let bytes = vec![1].to_bytes(Format::Binary);
        assert_eq!(double(&bytes[..bytes.len() - 1]), None);
        assert_eq!((read(&bytes[..bytes.len() - 1]), read(b" 1 2\n")), (None, None));
    }

    #[test]
    fn an_int_vector_is_a_line() {
        reads_before(b"\n", b"b 1\n", Vec::<i32>::new());
        reads_before(b"   \n", b"b 1\n", Vec::<i32>::new());
        reads_before(b"1  2 \r\n", b"b 1\n", vec![1, 2]);
        reads(b"1 2", vec![1, 2]);
        reads(b" ", Vec::<i32>::new());
        reads(b"1\x0b2\x0c3\t4\n", vec![1, 2, 3, 4]);
        refuses::<Vec<i32>>(b"", 0, "expected a line, got the end of the input");
    }

    #[test]
    fn a_sign_starts_the_next_integer() {
        reads(b"1-2+3\n", vec![1, -2, 3]);
        reads(b"007 +5 -0 -1\n", vec![7, 5, 0, -1]);
        reads(b"2147483647 -2147483648\n", vec![i32::MAX, i32::MIN]);
    }

    #[test]
    fn what_is_no_integer_is_refused() {
        refuses::<Vec<i32>>(b"1 1.0\n", 3, "expected an integer, got \".0\"");
        refuses::<Vec<i32>>(b"1 2147483648\n", 2, "an integer is out of range: \"2147483648\"");
        refuses::<Vec<i32>>(b"99999999999999999999\n", 0, "an integer is out of range: \"99999999999999999999\"");
        for line in ["1 x\n", "0x10\n", "1e3\n", "1,2\n", "--1\n", "- 1\n", "1 ;\n", "inf\n", "1 -", "1\x00\n"] {
            assert!(Vec::<i32>::read(&mut Cursor::new(line.as_bytes())).is_err(), "{line:?}");
        }
    }

    #[test]
    fn damaged_headers_are_refused() {
        refuses::<Vec<i32>>(b"\0B\x04\xff\xff\xff\xff", 2, "expected a count, got -1");
        refuses::<Vec<i32>>(b"\0B\x08\0\0\0\0", 2, "expected a count of size byte 4, got size byte 8");
        refuses::<Vec<i32>>(
            b"\0B\x04\x02\0\0\0\x04\0\0\0\0\xfc\0\0\0\0",
            12,
            "expected an integer of size byte 4, got size byte -4",
        );
    }

    #[test]
    fn other_types_are_refused() {
        let message = "expected a count, got token \"FM\"";
        refuses::<Vec<i32>>(b"\0BFM \x04\x01\0\0\0", 2, message);
        let error = Vec::<i32>::frame(b"\0BFM \x04\x01\0\0\0", false).unwrap_err();
        assert_eq!(error.message, message);
        refuses::<Vec<i32>>(b" [ 1 2 ]\n", 1, "expected an integer, got \"[\"");
    }

    #[test]
    fn a_count_beyond_the_bytes_allocates_nothing() {
        let bytes = b"\0B\x04\xff\xff\xff\x7f\x04\x01\0\0\0";
        refuses::<Vec<i32>>(bytes, 12, "expected 1 bytes at 12, got the end of the input");
        assert_eq!(Vec::<i32>::frame(bytes, false), Ok(Frame::Beyond(7 + 5 * i32::MAX as u64)));
    }
}
