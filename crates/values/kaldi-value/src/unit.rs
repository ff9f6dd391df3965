//! Units: a size byte and four bytes, the parts of binary integers, counts and floats.
//!
//! A value that consists only of integers and floats of four bytes is a row of units, including its counts.

use byteorder::{ByteOrder, LittleEndian};

use crate::Cursor;
use kaldi_io::{ParseError, excerpt, is_space};

/// Length of a unit: the size byte and the number.
pub const UNIT: usize = 5;

/// Length of the binary marker and a count, with which the binary forms of vectors start.
pub const HEADER: usize = 2 + UNIT;

/// A unit as it is written.
pub fn unit([a, b, c, d]: [u8; 4]) -> [u8; UNIT] {
    [4, a, b, c, d]
}

/// Appends the marker and a count.
pub fn write_header(out: &mut Vec<u8>, count: usize) {
    out.extend_from_slice(b"\0B");
    write_count(out, count);
}

/// Appends a count; readers make sure by [`check_count`] that it fits.
pub fn write_count(out: &mut Vec<u8>, count: usize) {
    out.extend_from_slice(&unit((count as i32).to_le_bytes()));
}

/// Appends integers as units.
pub fn write_units(out: &mut Vec<u8>, values: &[i32]) {
    let start = out.len();
    out.resize(start + values.len() * UNIT, 4);
    let (units, _) = out[start..].as_chunks_mut::<UNIT>();
    for (target, value) in units.iter_mut().zip(values) {
        *target = unit(value.to_le_bytes());
    }
}

/// Consumes `count` units that hold integers.
///
/// # Errors
/// If a unit is missing or has another size.
pub fn read_units(cursor: &mut Cursor<'_>, count: usize) -> Result<Vec<i32>, ParseError> {
    if let Some(bytes) = cursor.rest().get(..count * UNIT) {
        let mut wrong = 0;
        let (units, _) = bytes.as_chunks::<UNIT>();
        let gather = |unit: &[u8; UNIT]| {
            wrong |= unit[0] ^ 4;
            LittleEndian::read_i32(&unit[1..])
        };
        let values = units.iter().map(gather).collect();
        if wrong == 0 {
            cursor.advance(bytes.len());
            return Ok(values);
        }
    }
    // Something is missing or wrong: reading one by one finds and names it.
    let mut values = Vec::new();
    for _ in 0..count {
        values.push(cursor.read_basic()?);
    }
    Ok(values)
}

/// Consumes a count in the cursor's form. It is a claim: do not allocate memory for it.
///
/// # Errors
/// If there is none: another size byte, a negative number, the end.
pub fn read_count(cursor: &mut Cursor<'_>) -> Result<usize, ParseError> {
    let start = cursor.offset();
    if cursor.is_binary() && cursor.peek().is_some_and(|size| size != 4) {
        return Err(wrong_size(cursor.rest(), start));
    }
    let count: i32 = cursor.read_basic()?;
    usize::try_from(count).map_err(|_| not_a_count(start, count))
}

/// Returns an error if the binary form has no room for a count from text.
///
/// # Errors
/// If `count` is no `i32`.
pub fn check_count(cursor: &Cursor<'_>, count: usize) -> Result<(), ParseError> {
    match i32::try_from(count) {
        Ok(_) => Ok(()),
        Err(_) => Err(cursor.error(format!("expected at most {} elements, got {count}", i32::MAX))),
    }
}

/// The count in the unit at `at`.
///
/// # Errors
/// If the unit has another size or its number is negative.
///
/// # Panics
/// If the unit does not lie within `bytes`.
pub fn count_at(bytes: &[u8], at: usize) -> Result<u64, ParseError> {
    let unit = &bytes[at..at + UNIT];
    if unit[0] != 4 {
        return Err(wrong_size(&bytes[at..], at));
    }
    let count = LittleEndian::read_i32(&unit[1..]);
    u64::try_from(count).map_err(|_| not_a_count(at, count))
}

/// The error for a count that would start with the first of `bytes`.
fn wrong_size(bytes: &[u8], at: usize) -> ParseError {
    let token = bytes.split(|&byte| is_space(byte)).next().unwrap_or_default();
    if token.first().is_some_and(u8::is_ascii_uppercase) {
        return ParseError::new(at, format!("expected a count, got token \"{}\"", excerpt(token)));
    }
    ParseError::new(at, format!("expected a count of size byte 4, got size byte {}", bytes[0] as i8))
}

fn not_a_count(at: usize, count: i32) -> ParseError {
    ParseError::new(at, format!("expected a count, got {count}"))
}

/// Returns whether `bytes` consist only of units.
pub fn are_units(bytes: &[u8]) -> bool {
    // Size bytes of the eight units in a block of 40 bytes, as they fall into five words of eight bytes.
    const MASKS: [u64; 5] = {
        let mut masks = [0; 5];
        let mut at = 0;
        while at < 40 {
            masks[at / 8] |= 0xff << (8 * (at % 8));
            at += UNIT;
        }
        masks
    };
    const FOURS: u64 = 0x0404_0404_0404_0404;
    let (blocks, rest) = bytes.as_chunks::<40>();
    let mut wrong = 0;
    for block in blocks {
        let (words, _) = block.as_chunks::<8>();
        for (word, mask) in words.iter().zip(MASKS) {
            wrong |= (LittleEndian::read_u64(word) ^ FOURS) & mask;
        }
    }
    let (units, rest) = rest.as_chunks::<UNIT>();
    wrong == 0 && rest.is_empty() && units.iter().all(|unit| unit[0] == 4)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_size_byte_of_many_units_is_looked_at() {
        for count in 0..40 {
            let mut bytes = Vec::new();
            write_units(&mut bytes, &vec![0x0505_0505; count]);
            assert!(are_units(&bytes));
            for at in 0..bytes.len() {
                let kept = bytes[at];
                bytes[at] = 8;
                assert_eq!(are_units(&bytes), at % UNIT != 0, "{at} of {count}");
                bytes[at] = kept;
            }
            bytes.push(4);
            assert!(!are_units(&bytes));
        }
    }
}
