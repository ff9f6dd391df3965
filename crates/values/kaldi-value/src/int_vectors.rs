//! Vectors of vectors of integers (Kaldi's `BasicVectorVectorHolder<int32>`), which hold Gaussian selections.

use crate::framing::{frame_either, frame_ended_line};
use crate::unit::{
    HEADER, UNIT, are_units, check_count, count_at, read_count, read_units, write_count, write_header, write_units,
};
use crate::{Cursor, Format, Frame, Value};
use kaldi_io::ParseError;

/// A line in text form, which must end with a newline; every vector ends with a semicolon.
impl Value for Vec<Vec<i32>> {
    const NAME: &'static str = "int32 vector vector";

    fn frame(window: &[u8], at_end: bool) -> Result<Frame, ParseError> {
        frame_either(window, at_end, frame_ended_line, |window| reach(window, |_, _| Ok(())))
    }

    fn read(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        let mut vectors = Vec::new();
        if cursor.read_marker()? {
            for _ in 0..read_count(cursor)? {
                let count = read_count(cursor)?;
                vectors.push(read_units(cursor, count)?);
            }
            return Ok(vectors);
        }
        let mut vector = Vec::new();
        loop {
            cursor.skip_blanks();
            match cursor.peek() {
                Some(b';') => {
                    check_count(cursor, vector.len())?;
                    vectors.push(vector.to_vec());
                    vector.clear();
                }
                Some(b'\n') if vector.is_empty() => {
                    check_count(cursor, vectors.len())?;
                    cursor.advance(1);
                    return Ok(vectors);
                }
                Some(b'\n') => return Err(cursor.expected("\";\"")),
                Some(_) => {
                    cursor.read_int_row(&mut vector)?;
                    continue;
                }
                None => return Err(cursor.end("a newline")),
            }
            cursor.advance(1);
        }
    }

    fn write(&self, out: &mut Vec<u8>, format: Format) {
        match format {
            Format::Binary => {
                write_header(out, self.len());
                for vector in self {
                    write_count(out, vector.len());
                    write_units(out, vector);
                }
            }
            Format::Text => {
                for vector in self {
                    crate::number::write_i32_row(out, vector);
                    out.extend_from_slice(b"; ");
                }
                out.push(b'\n');
            }
        }
    }

    fn is_canonical_binary(bytes: &[u8]) -> bool {
        bytes.starts_with(b"\0B")
            && are_units(&bytes[2..])
            && reach(bytes, |_, _| Ok(())).is_ok_and(|reach| reach == bytes.len() as u64)
    }
}

/// How far a binary value reaches, at least as far as the window shows it. `each` gets the place after the count of each
/// vector in the window, and the count.
///
/// # Errors
/// If a count is damaged, and those of `each`.
pub(crate) fn reach(
    window: &[u8],
    mut each: impl FnMut(usize, u64) -> Result<(), ParseError>,
) -> Result<u64, ParseError> {
    if window.len() < HEADER {
        return Ok(HEADER as u64);
    }
    let mut at = HEADER;
    for left in (0..count_at(window, 2)?).rev() {
        // Each of the following vectors takes at least a count.
        let after = left * UNIT as u64;
        if window.len() - at < UNIT {
            return Ok((at + UNIT) as u64 + after);
        }
        let count = count_at(window, at)?;
        each(at + UNIT, count)?;
        let end = (at + UNIT) as u64 + count * UNIT as u64;
        match usize::try_from(end) {
            Ok(end) if end <= window.len() => at = end,
            _ => return Ok(end + after),
        }
    }
    Ok(at as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{keeps_the_contract, reads_before, refuses};

    #[test]
    fn vectors_of_int_vectors_keep_the_contract() {
        keeps_the_contract(|random| random.many(6, |random| random.many(4, |random| random.integer())));
    }

    #[test]
    fn vectors_of_int_vectors_are_written_as_kaldi_does() {
        let value = vec![vec![1, 2], vec![], vec![3]];
        assert_eq!(value.to_bytes(Format::Text), b"1 2 ; ; 3 ; \n");
        assert_eq!(
            value.to_bytes(Format::Binary),
            b"\0B\x04\x03\0\0\0\x04\x02\0\0\0\x04\x01\0\0\0\x04\x02\0\0\0\x04\0\0\0\0\x04\x01\0\0\0\x04\x03\0\0\0"
        );
        assert_eq!(Vec::<Vec<i32>>::new().to_bytes(Format::Text), b"\n");
    }

    #[test]
    fn every_vector_ends_with_a_semicolon() {
        reads_before(b"1 2;3;;4;\n", b"b 1 ;\n", vec![vec![1, 2], vec![3], vec![], vec![4]]);
        reads_before(b" ; ;\r\n", b"b\n", vec![Vec::<i32>::new(), vec![]]);
        reads_before(b"-5+7 ;\t\n", b"\n", vec![vec![-5, 7]]);
        reads_before(b"\n", b"b 1 ;\n", Vec::<Vec<i32>>::new());
        refuses::<Vec<Vec<i32>>>(b"1 ; 2\n", 5, "expected \";\", got \"\\n\"");
        refuses::<Vec<Vec<i32>>>(b"1 ;", 3, "expected a newline, got the end of the input");
        refuses::<Vec<Vec<i32>>>(b"", 0, "expected a newline, got the end of the input");
        refuses::<Vec<Vec<i32>>>(b"1 : 2 ;\n", 2, "expected an integer, got \":\"");
    }

    #[test]
    fn counts_are_claims() {
        let all = i32::MAX as u64;
        let bytes = b"\0B\x04\xff\xff\xff\x7f\x04\xff\xff\xff\x7f\x04\x01\0\0\0";
        assert_eq!(Vec::<Vec<i32>>::frame(bytes, false), Ok(Frame::Partial(7 + 5 * (all + all))));
        refuses::<Vec<Vec<i32>>>(bytes, 17, "expected 1 bytes at 17, got the end of the input");
        refuses::<Vec<Vec<i32>>>(b"\0B\x04\x01\0\0\0\x04\0\0\0\x80", 7, "expected a count, got -2147483648");
    }
}
