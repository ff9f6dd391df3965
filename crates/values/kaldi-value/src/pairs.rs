//! Vectors of pairs of numbers (Kaldi's `BasicPairVectorHolder`).

use crate::framing::{by_count, frame_either, frame_ended_line};
use crate::unit::{HEADER, UNIT, are_units, check_count, count_at, read_count, write_header};
use crate::{Basic, Cursor, Format, Frame, Value, write_basic};
use kaldi_io::ParseError;

fn read_pairs<T: Basic>(cursor: &mut Cursor<'_>) -> Result<Vec<(T, T)>, ParseError> {
    let mut pairs = Vec::new();
    if cursor.read_marker()? {
        for _ in 0..read_count(cursor)? {
            pairs.push((cursor.read_basic()?, cursor.read_basic()?));
        }
        return Ok(pairs);
    }
    // Only a vector without pairs may end where a pair would start.
    cursor.skip_blanks();
    if cursor.peek() == Some(b'\n') {
        cursor.advance(1);
        return Ok(pairs);
    }
    loop {
        pairs.push((cursor.read_on_line("a number")?, cursor.read_on_line("a number")?));
        cursor.skip_blanks();
        match cursor.peek() {
            Some(b';') => cursor.advance(1),
            Some(b'\n') => break,
            _ => return Err(cursor.expected("\";\" or a newline")),
        }
    }
    check_count(cursor, pairs.len())?;
    cursor.advance(1);
    Ok(pairs)
}

fn write_pairs<T: Basic>(pairs: &[(T, T)], out: &mut Vec<u8>, format: Format) {
    if format == Format::Binary {
        write_header(out, pairs.len());
    }
    for (index, &(first, second)) in pairs.iter().enumerate() {
        if format == Format::Text && index > 0 {
            out.extend_from_slice(b"; ");
        }
        write_basic(out, format, first);
        write_basic(out, format, second);
    }
    format.end_line(out);
}

fn reach_of_integers(window: &[u8]) -> Result<u64, ParseError> {
    if window.len() < HEADER {
        return Ok(HEADER as u64);
    }
    Ok(HEADER as u64 + count_at(window, 2)? * 2 * UNIT as u64)
}

fn reach_of_floats(window: &[u8]) -> Result<u64, ParseError> {
    if window.len() < HEADER {
        return Ok(HEADER as u64);
    }
    let mut at = HEADER;
    for left in (0..count_at(window, 2)? * 2).rev() {
        // Any of the floats may be a double.
        at += match window.get(at) {
            Some(4) => 5,
            Some(8) => 9,
            Some(size) => {
                return Err(ParseError::new(at, format!("expected a float of size 4 or 8, got size {size}")));
            }
            None => return Ok(at as u64 + (left + 1) * UNIT as u64),
        };
    }
    Ok(at as u64)
}

macro_rules! pairs {
    ($type:ty, $name:literal, $reach:expr, $exact:expr) => {
        /// A line in text form, which must end with a newline; semicolons are between the pairs.
        impl Value for Vec<($type, $type)> {
            const NAME: &'static str = $name;

            fn frame(window: &[u8], at_end: bool) -> Result<Frame, ParseError> {
                let frame = frame_either(window, at_end, frame_ended_line, $reach)?;
                Ok(if $exact { by_count(frame, window) } else { frame })
            }

            fn read(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
                read_pairs(cursor)
            }

            fn write(&self, out: &mut Vec<u8>, format: Format) {
                write_pairs(self, out, format);
            }

            fn is_canonical_binary(bytes: &[u8]) -> bool {
                bytes.starts_with(b"\0B")
                    && are_units(&bytes[2..])
                    && reach_of_integers(bytes).is_ok_and(|reach| reach == bytes.len() as u64)
            }
        }
    };
}

pairs!(i32, "int32 pairs", reach_of_integers, true);
pairs!(f32, "float pairs", reach_of_floats, false);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{keeps_the_contract, reads, reads_before, refuses};

    #[test]
    fn pairs_keep_the_contract() {
        keeps_the_contract(|random| random.many(6, |random| (random.integer(), random.integer())));
        keeps_the_contract(|random| random.many(6, |random| (random.float(), random.float())));
    }

    #[test]
    fn pairs_are_written_as_kaldi_does() {
        assert_eq!(vec![(1, 2), (3, -4)].to_bytes(Format::Text), b"1 2 ; 3 -4 \n");
        assert_eq!((Vec::<(i32, i32)>::new()).to_bytes(Format::Text), b"\n");
        assert_eq!(vec![(1, -2)].to_bytes(Format::Binary), b"\0B\x04\x01\0\0\0\x04\x01\0\0\0\x04\xfe\xff\xff\xff");
        assert_eq!(vec![(0.5_f32, 2.0)].to_bytes(Format::Text), b"0.5 2 \n");
        assert_eq!(vec![(0.5_f32, 2.0)].to_bytes(Format::Binary), b"\0B\x04\x01\0\0\0\x04\0\0\0\x3f\x04\0\0\0\x40");
    }

    #[test]
    fn semicolons_stand_between_pairs() {
        reads_before(b" 1 2;3 4\t\r\n", b"b 1 2\n", vec![(1, 2), (3, 4)]);
        reads_before(b"1-2\n", b"\n", vec![(1, -2)]);
        reads_before(b" \n", b"b 1 2\n", Vec::<(i32, i32)>::new());
        for line in ["1 2 ;\n", "1\n", "1 2 3\n", "; 1 2\n", "1 2 ; 3\n", "1 2", "1 2 x\n", ""] {
            assert!(Vec::<(i32, i32)>::read(&mut Cursor::new(line.as_bytes())).is_err(), "{line:?}");
        }
        refuses::<Vec<(i32, i32)>>(b"1 2 3\n", 4, "expected \";\" or a newline, got \"3\"");
        refuses::<Vec<(i32, i32)>>(b"1 2 ;\n", 5, "expected a number, got \"\\n\"");
    }

    #[test]
    fn floats_in_pairs_may_be_doubles() {
        let bytes = b"\0B\x04\x01\0\0\0\x04\0\0\0\x3f\x08\0\0\0\0\0\0\xe0\x3f";
        reads(bytes, vec![(0.5_f32, 0.5)]);
        assert!(!Vec::<(f32, f32)>::is_canonical_binary(bytes));
        refuses::<Vec<(f32, f32)>>(
            b"\0B\x04\x01\0\0\0\x02\0\0\0\x3f\x02\0\0\0\x3f",
            7,
            "expected a float of size 4 or 8, got size 2",
        );
    }
}
