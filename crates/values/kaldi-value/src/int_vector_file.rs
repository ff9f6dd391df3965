//! Vectors of integers, in the form of single files.

use crate::framing::{by_count, frame_either};
use crate::unit::{HEADER, count_at};
use crate::{Cursor, Format, Frame, Value, frame_by_parsing, write_int_vector};
use kaldi_io::ParseError;

/// A vector of integers in the form of a single file (Kaldi's `ReadIntegerVector` and `WriteIntegerVector`).
///
/// Text is `[ 1 2 ]`, over any number of lines; reading ends after the bracket. The binary form has one size byte for
/// all integers. Tables hold `Vec<i32>`, which has other forms.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct IntVectorFile(pub Vec<i32>);

impl Value for IntVectorFile {
    const NAME: &'static str = "int32 vector";

    fn frame(window: &[u8], at_end: bool) -> Result<Frame, ParseError> {
        frame_either(window, at_end, frame_by_parsing::<Self>, reach_of_file).map(|frame| by_count(frame, window))
    }

    fn read(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        cursor.read_marker()?;
        cursor.read_int_vector().map(Self)
    }

    fn write(&self, out: &mut Vec<u8>, format: Format) {
        format.write_marker(out);
        write_int_vector(out, format, &self.0);
    }

    fn is_canonical_binary(bytes: &[u8]) -> bool {
        bytes.starts_with(b"\0B") && reach_of_file(bytes).is_ok_and(|reach| reach == bytes.len() as u64)
    }
}

fn reach_of_file(window: &[u8]) -> Result<u64, ParseError> {
    if window.len() < HEADER {
        return Ok(HEADER as u64);
    }
    Ok(HEADER as u64 + count_at(window, 2)? * 4)
}

#[cfg(test)]
mod tests {
    use crate::testing::{keeps_the_contract, reads, reads_before, refuses};

    use super::*;

    #[test]
    fn files_keep_the_contract() {
        keeps_the_contract(|random| IntVectorFile(random.many(20, |random| random.integer())));
    }

    #[test]
    fn files_are_written_as_kaldi_does() {
        assert_eq!(IntVectorFile(vec![1, -2]).to_bytes(Format::Text), b"[ 1 -2 ]\n");
        assert_eq!(IntVectorFile(vec![1, -2]).to_bytes(Format::Binary), b"\0B\x04\x02\0\0\0\x01\0\0\0\xfe\xff\xff\xff");
    }

    #[test]
    fn a_file_ends_with_its_bracket() {
        reads_before(b"[ 1 2 ]", b"\n", IntVectorFile(vec![1, 2]));
        reads_before(b"  [ -5\n 7 ]", b" x", IntVectorFile(vec![-5, 7]));
        reads(b"[]", IntVectorFile(vec![]));
        reads(b"[1-2]", IntVectorFile(vec![1, -2]));
        refuses::<IntVectorFile>(b"1 2\n", 0, "expected \"[\", got \"1\"");
        refuses::<IntVectorFile>(b"[ 1 2", 5, "expected \"]\", got the end of the input");
        refuses::<IntVectorFile>(b"[ 1.5 ]", 3, "expected an integer, got \".5\"");
    }

    #[test]
    fn damaged_headers_are_refused() {
        refuses::<IntVectorFile>(b"\0B\x02\0\0\0\0", 2, "expected element size 4, got 2");
        let bytes = b"\0B\x04\xff\xff\xff\x7f\x01\0\0\0";
        assert_eq!(IntVectorFile::frame(bytes, false), Ok(Frame::Beyond(7 + 4 * i32::MAX as u64)));
    }
}
