//! The header of a member.
//!
//! | bytes | field |
//! | --- | --- |
//! | 0 to 99 | name |
//! | 100, 108, 116 (8 each) | mode, user, group, octal |
//! | 124, 136 (12 each) | size, time, octal |
//! | 148 (8) | sum of the header's bytes, with blanks in place of this field |
//! | 156 | type |
//! | 157 (100) | target of a link |
//! | 257 (8) | `ustar`, a zero byte, `00`; other programs have blanks, or nothing |
//! | 265, 297 (32 each) | names of user and group |
//! | 329, 337 (8 each) | device |
//! | 345 (155) | what is before the name, with `/` between (only after `ustar` and a zero byte) |

use bstr::ByteSlice;

use super::block::BLOCK;

/// The fields of a header that readers need.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Header {
    pub(crate) path: Vec<u8>,
    pub(crate) size: u64,
    pub(crate) kind: u8,
}

impl Header {
    /// Reads a header.
    ///
    /// # Errors
    /// What was expected and what was found, and where in the block.
    pub(crate) fn parse(block: &[u8; BLOCK]) -> Result<Self, (usize, String)> {
        let claimed = octal(&block[148..156]).ok_or_else(|| (148, not_octal("a checksum", &block[148..156])))?;
        let sum = |byte: fn(u8) -> i64| {
            let outside: i64 = block[..148].iter().chain(&block[156..]).map(|&b| byte(b)).sum();
            outside + 8 * i64::from(b' ')
        };
        let unsigned = sum(i64::from);
        // Some old programs add up signed bytes.
        if claimed != unsigned as u64 && i64::try_from(claimed) != Ok(sum(|byte| i64::from(byte as i8))) {
            return Err((148, format!("expected a tar header whose checksum is {unsigned}, got {claimed}")));
        }
        let size = &block[124..136];
        let size = number(size).ok_or_else(|| (124, not_octal("a size", size)))?;
        let mut path = until_zero(&block[..100]).to_vec();
        let prefix = until_zero(&block[345..500]);
        if block[257..263] == *b"ustar\0" && !prefix.is_empty() {
            path = [prefix, b"/", &path].concat();
        }
        Ok(Self { path, size, kind: block[156] })
    }
}

fn not_octal(what: &str, field: &[u8]) -> String {
    format!("expected {what} in octal digits, got \"{}\"", field.escape_ascii())
}

/// The bytes before the first zero byte.
fn until_zero(field: &[u8]) -> &[u8] {
    &field[..field.find_byte(0).unwrap_or(field.len())]
}

/// A number in octal digits, perhaps with blanks around; an empty field is zero.
fn octal(field: &[u8]) -> Option<u64> {
    let digits = until_zero(field).trim_ascii();
    digits.iter().try_fold(0_u64, |sum, byte| match byte {
        b'0'..=b'7' => sum.checked_mul(8)?.checked_add(u64::from(byte - b'0')),
        _ => None,
    })
}

/// A number in octal digits or, with the highest bit set, in binary (GNU), big-endian.
fn number(field: &[u8]) -> Option<u64> {
    let [first, rest @ ..] = field else { return None };
    if first & 0x80 == 0 {
        return octal(field);
    }
    // A first byte of 0xff means a negative number.
    let first = u64::from(first & 0x7f);
    let number = rest.iter().try_fold(first, |sum, &byte| Some(sum.checked_mul(256)? | u64::from(byte)))?;
    i64::try_from(number).ok().map(|number| number as u64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_octal_or_binary() {
        assert_eq!(number(b"00000001750\0"), Some(1000));
        assert_eq!(number(b"     1750 \0\0"), Some(1000));
        assert_eq!(number(b"777777777777"), Some((1 << 36) - 1));
        assert_eq!(number(&[0; 12]), Some(0));
        assert_eq!(number(b"\x80\0\0\0\0\0\0\x02\0\0\0\0"), Some(1 << 33));
        assert_eq!(number(&[0xff; 12]), None);
        assert_eq!(number(b"00000000008\0"), None);
        assert_eq!(number(b"0000-000008\0"), None);
    }
}
