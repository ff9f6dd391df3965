//! Reading of single numbers.

use std::ops::Neg;
use std::str::FromStr;

use crate::number::NumberError;
use crate::number::lanes::{count_digits, sum_digits};
use crate::number::powers::{POWERS_OF_TEN, SMALLEST_POWER};

/// Reads the integer at the start of `bytes` (an optional sign and digits); returns it with its length.
///
/// Stops at the first byte that is no digit, as `istream >> int` does: `1.5` is 1, and `.5` is left.
///
/// # Errors
/// If no digit is there, or the integer does not fit 64 bits.
pub fn parse_integer(bytes: &[u8]) -> Result<(i64, usize), NumberError> {
    let (negative, start) = read_sign(bytes);
    let mut size = 0;
    let length = read_digits(bytes, start, &mut size);
    if length == start {
        return Err(NumberError::Invalid);
    }
    // 19 digits fit 64 bits without a sign; more may be zeros.
    if length - start > 19 {
        let text = std::str::from_utf8(&bytes[start..length]).unwrap_or_default();
        size = text.parse().map_err(|_| NumberError::OutOfRange)?;
    }
    let value = if negative { 0_i64.checked_sub_unsigned(size) } else { 0_i64.checked_add_unsigned(size) };
    Ok((value.ok_or(NumberError::OutOfRange)?, length))
}

/// Reads the number at the start of `bytes`; returns it, rounded to the nearest `f32`, with its length.
///
/// A number is an optional sign, digits with an optional point, and an optional exponent; it ends at the first byte
/// that cannot continue it, and it is the caller's concern what follows (`0x10` is 0, and `x10` is left). `inf`,
/// `infinity` and `nan` count in any case, where white space, `]`, `;` or the end follows. What is too small for the
/// type becomes a denormal number or 0.
///
/// Takes what `istream >> float` takes and the words that Kaldi's matrices add to it, with a sign too. A value is
/// infinite or not a number only if it is such a word.
///
/// # Errors
/// If no number is there, its exponent has no digits (`1e`, `1e+`), or it is too large for the type.
pub fn parse_f32(bytes: &[u8]) -> Result<(f32, usize), NumberError> {
    parse_float(bytes, [f32::INFINITY, f32::NAN], Decimal::to_f32)
}

/// Reads the number at the start of `bytes`; like [`parse_f32`], rounded to the nearest `f64`.
///
/// # Errors
/// Those of [`parse_f32`].
pub fn parse_f64(bytes: &[u8]) -> Result<(f64, usize), NumberError> {
    parse_float(bytes, [f64::INFINITY, f64::NAN], Decimal::to_f64)
}

/// Reads a number; `quick` makes usual ones of their digits, the standard library the others.
#[inline(always)]
fn parse_float<T: Copy + FromStr + Neg<Output = T> + PartialEq>(
    bytes: &[u8],
    [infinity, nan]: [T; 2],
    quick: impl Fn(&Decimal) -> Option<T>,
) -> Result<(T, usize), NumberError> {
    let (negative, start) = read_sign(bytes);
    let (size, length) = match Decimal::read(bytes, start)? {
        Some((decimal, end)) => match quick(&decimal) {
            Some(size) => (size, end),
            None => {
                let text = std::str::from_utf8(&bytes[start..end]).unwrap_or_default();
                let size = text.parse().map_err(|_| NumberError::Invalid)?;
                if size == infinity {
                    return Err(NumberError::OutOfRange);
                }
                (size, end)
            }
        },
        None => {
            let end = bytes.iter().skip(start).position(|&byte| ends_word(byte));
            let word = &bytes[start..end.map_or(bytes.len(), |length| start + length)];
            let size = if word.eq_ignore_ascii_case(b"inf") || word.eq_ignore_ascii_case(b"infinity") {
                infinity
            } else if word.eq_ignore_ascii_case(b"nan") {
                nan
            } else {
                return Err(NumberError::Invalid);
            };
            (size, start + word.len())
        }
    };
    Ok((if negative { -size } else { size }, length))
}

/// Whether a word cannot go on with this byte: white space of C, or what ends a row.
fn ends_word(byte: u8) -> bool {
    kaldi_io::is_space(byte) || matches!(byte, b']' | b';')
}

/// A number as its digits say it, without its sign.
struct Decimal {
    /// The digits without the point, which has overflowed if there are more than 19.
    number: u64,
    digits: usize,
    /// The power of ten that `number` is multiplied with.
    exponent: i64,
}

impl Decimal {
    /// Reads a number from `start` on; returns it with where it ends, or `None` if it has no digit or point.
    #[inline(always)]
    fn read(bytes: &[u8], start: usize) -> Result<Option<(Self, usize)>, NumberError> {
        let mut number = 0;
        let mut at = read_digits(bytes, start, &mut number);
        let mut digits = at - start;
        let mut exponent = 0;
        if bytes.get(at) == Some(&b'.') {
            let end = read_digits(bytes, at + 1, &mut number);
            let decimals = end - at - 1;
            digits += decimals;
            exponent = -(decimals as i64);
            at = end;
        } else if digits == 0 {
            return Ok(None);
        }
        if digits == 0 {
            return Err(NumberError::Invalid);
        }
        if let Some(b'e' | b'E') = bytes.get(at) {
            let (negative, sign) = read_sign(&bytes[at + 1..]);
            let mut size = 0;
            let end = read_digits(bytes, at + 1 + sign, &mut size);
            match end - (at + 1 + sign) {
                0 => return Err(NumberError::Invalid),
                1..=9 => {}
                // As good as any number that may have overflowed.
                _ => digits = usize::MAX,
            }
            let size = size as i64;
            exponent = exponent.wrapping_add(if negative { -size } else { size });
            at = end;
        }
        Ok(Some((Self { number, digits, exponent }, at)))
    }

    /// The nearest `f64`, where one rounding is known to make it.
    #[inline(always)]
    fn to_f64(&self) -> Option<f64> {
        const EXACT: i64 = 22;
        if self.digits > 19 || self.number > 1 << 53 || self.exponent.abs() > EXACT {
            return None;
        }
        let number = self.number as f64;
        let power = POWERS_OF_TEN[(self.exponent.abs() - SMALLEST_POWER) as usize];
        Some(if self.exponent < 0 { number / power } else { number * power })
    }

    /// The nearest `f32`, where a product of `f64` is far enough from the middle between two of them.
    #[inline(always)]
    fn to_f32(&self) -> Option<f32> {
        if self.digits > 19 {
            return None;
        }
        let place = usize::try_from(self.exponent - SMALLEST_POWER).ok()?;
        let product = self.number as f64 * POWERS_OF_TEN.get(place)?;
        // Three roundings change the last two bits; the middle is where the lower 29 bits are half of what they can be.
        let certain = (product.to_bits() & 0x1fff_ffff).abs_diff(0x1000_0000) > 8;
        let normal = (f64::from(f32::MIN_POSITIVE)..f64::from(f32::MAX)).contains(&product) || product == 0.0;
        (certain && normal).then_some(product as f32)
    }
}

/// Whether there is a minus sign, and how many bytes a sign takes.
#[inline(always)]
fn read_sign(bytes: &[u8]) -> (bool, usize) {
    match bytes.first() {
        Some(b'-') => (true, 1),
        Some(b'+') => (false, 1),
        _ => (false, 0),
    }
}

/// Appends the digits from `at` on to those of `number`, which wraps, and returns where they end.
#[inline(always)]
fn read_digits(bytes: &[u8], mut at: usize, number: &mut u64) -> usize {
    const POWERS: [u64; 9] = [1, 10, 100, 1_000, 10_000, 100_000, 1_000_000, 10_000_000, 100_000_000];
    loop {
        let rest = &bytes[at..];
        let word = match rest.first_chunk() {
            Some(word) => *word,
            None => {
                let mut word = [0; 8];
                word[..rest.len()].copy_from_slice(rest);
                word
            }
        };
        let count = count_digits(word);
        if count > 0 {
            *number = number.wrapping_mul(POWERS[count]).wrapping_add(sum_digits(word, count));
        }
        at += count;
        if count < 8 {
            return at;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::number::NumberError::{Invalid, OutOfRange};
    use crate::number::random::draws;

    #[test]
    fn floats_are_read_as_kaldi_reads_them() {
        for (text, value, length) in [
            ("0", 0.0, 1),
            ("-0", -0.0, 2),
            ("007", 7.0, 3),
            ("1.", 1.0, 2),
            ("-.5", -0.5, 3),
            ("+.5", 0.5, 3),
            (".5", 0.5, 2),
            ("+1", 1.0, 2),
            ("1E5", 1e5, 3),
            ("1e+05", 1e5, 5),
            ("1e-40", 1e-40, 5),
            ("1e-45", 1e-45, 5),
            ("7e-46", 0.0, 5),
            ("-1e-400", -0.0, 7),
            ("3.4028235e+38", f32::MAX, 13),
            ("3.40282356e38", f32::MAX, 13),
            ("0.10000000149011612", 0.1, 19),
            ("16777217", 16777216.0, 8),
            ("16777219", 16777220.0, 8),
            ("1.000000059604644775390625", 1.0, 26),
            ("1.00000005960464477539062500001", 1.0000001, 31),
            ("inf", f32::INFINITY, 3),
            ("-Inf]", -f32::INFINITY, 4),
            ("+INFINITY ", f32::INFINITY, 9),
            // What follows is not looked at.
            ("0x10", 0.0, 1),
            ("1f", 1.0, 1),
            ("1.5.5", 1.5, 3),
            ("1,000", 1.0, 1),
            ("1-2", 1.0, 1),
            ("1e5e5", 1e5, 3),
            ("2]", 2.0, 1),
        ] {
            let (got, got_length) = parse_f32(text.as_bytes()).unwrap();
            assert_eq!((got.to_bits(), got_length), (value.to_bits(), length), "{text}");
        }
        assert_eq!(parse_f32(b"NaN").unwrap().0.to_bits(), 0x7fc0_0000);
        assert_eq!(parse_f32(b"-nan\n").unwrap().0.to_bits(), 0xffc0_0000);
        assert_eq!(parse_f64(b"-nan").unwrap().0.to_bits(), 0xfff8 << 48);
    }

    #[test]
    fn what_is_no_float_is_refused() {
        for text in [
            "", "-", "+", ".", "-.", "--1", "e5", ".e5", "1e", "1e+", "1e-x", "infx", "nan(1)", "in", "-x", "\u{bd}",
            " 1",
        ] {
            assert_eq!(parse_f32(text.as_bytes()), Err(Invalid), "{text}");
        }
        for text in ["1e39", "-1e39", "3.40282357e38", "1e99999999999999999999"] {
            assert_eq!(parse_f32(text.as_bytes()), Err(OutOfRange), "{text}");
        }
        assert_eq!(parse_f64(b"1e39").unwrap().0, 1e39);
        assert_eq!(parse_f64(b"-1e309"), Err(OutOfRange));
    }

    /// The length of the number at the start of `text` by its grammar, byte by byte.
    fn length_by_grammar(text: &[u8]) -> Option<usize> {
        let digits = |at: usize| at + text[at..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        let sign = |at: usize| at + usize::from(matches!(text.get(at), Some(b'+' | b'-')));
        let whole = sign(0);
        let mut at = digits(whole);
        let mut empty = at == whole;
        if text.get(at) == Some(&b'.') {
            let end = digits(at + 1);
            empty &= end == at + 1;
            at = end;
        }
        if !empty && matches!(text.get(at), Some(b'e' | b'E')) {
            let exponent = sign(at + 1);
            at = digits(exponent);
            empty = at == exponent;
        }
        (!empty).then_some(at)
    }

    fn check(text: &str) {
        let length = length_by_grammar(text.as_bytes());
        let number = length.map(|length| &text[..length]);
        let single = number.map(|number| number.parse::<f32>().unwrap());
        let double = number.map(|number| number.parse::<f64>().unwrap());
        let refused = |infinite: Option<bool>| match infinite {
            None => Err(Invalid),
            Some(true) => Err(OutOfRange),
            Some(false) => Ok(length.unwrap_or(0)),
        };
        let got = parse_f32(text.as_bytes());
        assert_eq!(got.map(|(_, length)| length), refused(single.map(f32::is_infinite)), "{text}");
        if let Ok((value, _)) = got {
            assert_eq!(Some(value.to_bits()), single.map(f32::to_bits), "{text}");
        }
        let got = parse_f64(text.as_bytes());
        assert_eq!(got.map(|(_, length)| length), refused(double.map(f64::is_infinite)), "{text}");
        if let Ok((value, _)) = got {
            assert_eq!(Some(value.to_bits()), double.map(f64::to_bits), "{text}");
        }
    }

    #[test]
    fn printed_floats_are_read_like_the_standard_library_does() {
        let mut random = draws();
        for _ in 0..50_000 {
            let bits = random.bits();
            let single = f32::from_bits(bits as u32 & 0x7fff_ffff);
            let double = f64::from_bits((bits >> 1) & !(1 << 62));
            if single.is_nan() || single.is_infinite() {
                continue;
            }
            check(&format!("{single:.6e}"));
            check(&format!("-{single:e}"));
            check(&format!("{double:e}"));
            check(&format!("{:.*}", (bits % 12) as usize, bits as u32 as f64 / 1e5));
            check(&format!("+{bits}e{}", (bits >> 32) % 80));
        }
    }

    #[test]
    fn ties_between_floats_are_read_exactly() {
        let mut random = draws();
        for _ in 0..10_000 {
            let low = f32::from_bits(random.bits() as u32 % 0x7f7f_ffff);
            let high = f32::from_bits(low.to_bits() + 1);
            let middle = (f64::from(low) + f64::from(high)) / 2.0;
            // Up to 21 digits of it, all of it, and a little more than it.
            check(&format!("{middle:.20e}"));
            let all = format!("{middle:.120e}");
            check(&all);
            check(&all.replace('e', "1e"));
            check(&format!("{middle:.8e}"));
            check(&middle.to_string());
        }
    }

    #[test]
    fn any_text_is_read_by_the_grammar() {
        let mut random = draws();
        let bytes = b"0011234567890123456789......eeEE++--  ]x";
        for _ in 0..100_000 {
            let length = random.bits() % 24;
            let text: String = (0..length).map(|_| bytes[random.bits() as usize % bytes.len()] as char).collect();
            check(&text);
        }
    }

    #[test]
    fn many_digits_take_linear_time() {
        for text in ["1".repeat(1 << 20), "0.".to_owned() + &"0".repeat(1 << 20) + "1", "0".repeat(1 << 20) + "7.5"] {
            check(&text);
            check(&(text + "e-1048577"));
        }
        check(&("1".to_owned() + &"0".repeat(1000) + "e-1000"));
        check(&("1e-".to_owned() + &"0".repeat(1000) + "3"));
        check(&("0e".to_owned() + &"9".repeat(1000)));
    }

    #[test]
    fn integers_end_at_the_first_other_byte() {
        for (text, value, length) in [
            ("0", 0, 1),
            ("-0", 0, 2),
            ("+5", 5, 2),
            ("007 ", 7, 3),
            ("1.5", 1, 1),
            ("1-2", 1, 1),
            ("0x3", 0, 1),
            ("9223372036854775807", i64::MAX, 19),
            ("-9223372036854775808", i64::MIN, 20),
            ("000000000000000000000000000012", 12, 30),
        ] {
            assert_eq!(parse_integer(text.as_bytes()), Ok((value, length)), "{text}");
        }
        for text in ["", "-", "+", "--1", "- 1", "x", ".5", " 1"] {
            assert_eq!(parse_integer(text.as_bytes()), Err(Invalid), "{text}");
        }
        for text in ["9223372036854775808", "-9223372036854775809", "99999999999999999999999"] {
            assert_eq!(parse_integer(text.as_bytes()), Err(OutOfRange), "{text}");
        }
        let mut random = draws();
        for _ in 0..50_000 {
            let value = random.bits() as i64 >> (random.bits() % 64);
            let text = value.to_string();
            assert_eq!(parse_integer(text.as_bytes()), Ok((value, text.len())));
        }
    }
}
