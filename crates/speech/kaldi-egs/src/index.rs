//! Indexes of rows, and the bytes in which they are stored.

use kaldi_io::ParseError;
use kaldi_value::{Cursor, Format, write_basic, write_token};

use crate::walk::Walk;

type Result<T, E = ParseError> = std::result::Result<T, E>;

/// The byte before an index in full.
const IN_FULL: i8 = 127;
/// The largest difference that is stored in a byte.
const MOST: i32 = 124;
/// The indexes for which memory is taken because a count says so.
const CLAIMED: usize = 1 << 12;

/// What a row of an input or output belongs to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Index {
    /// The sequence in the minibatch, from 0.
    pub n: i32,
    /// The frame, from 0 for the first that has a label; frames before it are negative.
    pub t: i32,
    /// A spare number, almost always 0.
    pub x: i32,
}

impl Index {
    /// The byte that stores the index after `last`, if a byte can.
    fn step_from(self, last: Self) -> Option<i8> {
        let step = self.t.wrapping_sub(last.t);
        (self.n == last.n && self.x == last.x && (-MOST..=MOST).contains(&step)).then_some(step as i8)
    }

    fn read_in_full(cursor: &mut Cursor<'_>) -> Result<Self> {
        Ok(Self { n: cursor.read_basic()?, t: cursor.read_basic()?, x: cursor.read_basic()? })
    }

    /// Reads the index after `last`; the flag says whether it is stored as it would be written.
    fn read_code(cursor: &mut Cursor<'_>, last: Self) -> Result<(Self, bool)> {
        let at = cursor.offset();
        let code = cursor.take(1)?[0] as i8;
        if (-MOST..=MOST).contains(&code.into()) {
            return Ok((Self { t: last.t.wrapping_add(code.into()), ..last }, true));
        }
        if code != IN_FULL {
            return Err(ParseError::new(
                at,
                format!("expected the code of an index, from -124 to 124 or 127, got {code}"),
            ));
        }
        let index = Self::read_in_full(cursor)?;
        Ok((index, index.step_from(last).is_none()))
    }

    fn read_count(cursor: &mut Cursor<'_>) -> Result<usize> {
        let at = cursor.offset();
        let count: i32 = cursor.read_basic()?;
        usize::try_from(count).map_err(|_| ParseError::new(at, format!("expected a number of indexes, got {count}")))
    }

    /// Reads `<I1V> `, a count and the indexes.
    pub(crate) fn read_all(cursor: &mut Cursor<'_>) -> Result<Vec<Self>> {
        cursor.expect_token("<I1V>")?;
        let count = Self::read_count(cursor)?;
        let mut indexes = Vec::with_capacity(count.min(CLAIMED));
        let mut last = Self::default();
        for _ in 0..count {
            last = if cursor.is_binary() {
                Self::read_code(cursor, last)?.0
            } else {
                cursor.expect_token("<I1>")?;
                Self::read_in_full(cursor)?
            };
            indexes.push(last);
        }
        Ok(indexes)
    }

    /// Walks over what [`Index::read_all`] reads in binary form; returns the count.
    pub(crate) fn walk_all(walk: &mut Walk<'_>) -> Result<usize> {
        walk.token("<I1V>")?;
        let count = Self::read_count(&mut walk.cursor)?;
        let mut last = Self::default();
        let mut left = count;
        while left > 0 {
            // Most indexes are a byte each, from -124 to 124.
            let is_step = |code: &&u8| (-MOST..=MOST).contains(&i32::from(**code as i8));
            let steps = walk.cursor.rest().iter().take(left).take_while(is_step);
            let (mut num_steps, mut sum) = (0, 0_i32);
            for &code in steps {
                num_steps += 1;
                sum = sum.wrapping_add(i32::from(code as i8));
            }
            walk.cursor.advance(num_steps);
            last.t = last.t.wrapping_add(sum);
            left -= num_steps;
            if left > 0 {
                let (index, is_canonical) = Self::read_code(&mut walk.cursor, last)?;
                walk.expect_canonical(is_canonical);
                last = index;
                left -= 1;
            }
        }
        Ok(count)
    }

    /// Appends `<I1V> `, the count and the indexes.
    pub(crate) fn write_all(indexes: &[Self], out: &mut Vec<u8>, format: Format) {
        write_token(out, b"<I1V>");
        write_basic(out, format, indexes.len() as i32);
        let mut last = Self::default();
        for &index in indexes {
            match (format, index.step_from(last)) {
                (Format::Binary, Some(step)) => out.push(step as u8),
                (Format::Binary, None) => {
                    out.push(IN_FULL as u8);
                    index.write_in_full(out, format);
                }
                (Format::Text, _) => {
                    write_token(out, b"<I1>");
                    index.write_in_full(out, format);
                }
            }
            last = index;
        }
    }

    fn write_in_full(self, out: &mut Vec<u8>, format: Format) {
        for number in [self.n, self.t, self.x] {
            write_basic(out, format, number);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn frames(frames: &[i32]) -> Vec<Index> {
        frames.iter().map(|&t| Index { t, ..Index::default() }).collect()
    }

    fn binary(indexes: &[Index]) -> Vec<u8> {
        let mut out = b"\0B".to_vec();
        Index::write_all(indexes, &mut out, Format::Binary);
        out
    }

    fn read(bytes: &[u8]) -> Result<Vec<Index>> {
        let mut cursor = Cursor::new(bytes);
        cursor.read_marker()?;
        Index::read_all(&mut cursor)
    }

    #[test]
    fn neighbours_take_a_byte_each() {
        let indexes = frames(&[-3, -2, -1, 0, 124, 0, -124]);
        let bytes = binary(&indexes);
        assert_eq!(bytes, b"\0B<I1V> \x04\x07\0\0\0\xfd\x01\x01\x01\x7c\x84\x84");
        assert_eq!(read(&bytes).unwrap(), indexes);
    }

    #[test]
    fn far_ones_and_other_sequences_take_fifteen() {
        for (indexes, size) in [
            (frames(&[125]), 16),
            (frames(&[-125]), 16),
            (frames(&[0, 125]), 17),
            (vec![Index { n: 1, t: 0, x: 0 }], 16),
            (vec![Index { n: 0, t: 0, x: 2 }, Index { n: 0, t: 1, x: 2 }], 17),
            (frames(&[i32::MIN, i32::MAX]), 17),
        ] {
            let bytes = binary(&indexes);
            assert_eq!(bytes.len(), b"\0B<I1V> \x04....".len() + size, "{indexes:?}");
            assert_eq!(read(&bytes).unwrap(), indexes);
        }
    }

    #[test]
    fn four_codes_have_no_meaning() {
        for code in [125, 126, 0x80, 0x81, 0x82, 0x83] {
            let bytes = [b"\0B<I1V> \x04\x01\0\0\0".as_slice(), &[code]].concat();
            let error = read(&bytes).unwrap_err();
            assert_eq!(error.offset, 13);
            assert!(error.message.contains(&format!("got {}", code as i8)), "{}", error.message);
        }
    }

    #[test]
    fn a_count_is_a_claim() {
        assert!(read(b"\0B<I1V> \x04\xff\xff\xff\x7f\x01\x01").unwrap_err().at_end);
        assert_eq!(read(b"\0B<I1V> \x04\xff\xff\xff\xff").unwrap_err().message, "expected a number of indexes, got -1");
    }

    #[test]
    fn text_has_all_three_numbers() {
        let indexes = vec![Index { n: 0, t: -1, x: 0 }, Index { n: 3, t: 2_000_000_000, x: -5 }];
        let mut out = Vec::new();
        Index::write_all(&indexes, &mut out, Format::Text);
        assert_eq!(out, b"<I1V> 2 <I1> 0 -1 0 <I1> 3 2000000000 -5 ");
        assert_eq!(read(&out).unwrap(), indexes);
    }
}
