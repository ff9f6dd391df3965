//! Text of costs: six significant digits are written, everything that C reads is read.

use kaldi_value::number::{Digits, parse_f64};

/// Digits of a written cost.
const DIGITS: usize = 6;

/// Appends a cost as a stream of C++ prints it with six digits; `Infinity`, `-Infinity` and `BadNumber` are words.
pub(crate) fn write_cost_number(out: &mut Vec<u8>, cost: f32) {
    if cost.is_nan() {
        return out.extend_from_slice(b"BadNumber");
    }
    if cost.is_sign_negative() {
        out.push(b'-');
    }
    let size = f64::from(cost.abs());
    if size == f64::INFINITY {
        return out.extend_from_slice(b"Infinity");
    }
    if size == 0.0 {
        return out.push(b'0');
    }
    if !write_usual(out, size) {
        out.extend_from_slice(Digits(size, DIGITS).to_string().as_bytes());
    }
}

/// Appends a number that needs no exponent; returns false if it does, and appends nothing.
///
/// A float times a power of ten up to 10^9 fits a double, so that rounding the product is rounding the decimal number.
fn write_usual(out: &mut Vec<u8>, size: f64) -> bool {
    const BOUNDS: [f64; 10] = [1e-4, 1e-3, 1e-2, 1e-1, 1.0, 1e1, 1e2, 1e3, 1e4, 1e5];
    const FACTORS: [f64; 10] = [1e9, 1e8, 1e7, 1e6, 1e5, 1e4, 1e3, 1e2, 1e1, 1.0];
    if !(1e-4..999_999.5).contains(&size) {
        return false;
    }
    let mut place: usize = BOUNDS.iter().map(|&bound| usize::from(size >= bound)).sum::<usize>() - 1;
    let mut number = (size * FACTORS[place]).round_ties_even() as u32;
    if number == 1_000_000 {
        (number, place) = (100_000, place + 1);
    }
    let digits = digits_of(number);
    let significant = 8 - (digits | 1).leading_zeros() as usize / 8;
    let digits = digits | u64::from_le_bytes([b'0'; 8]);
    let mut text = *b"0.000000000000000";
    let (at, digits, length) = match place {
        0..=3 => (5 - place, digits, 5 - place + significant),
        // The point comes between the digits.
        _ => {
            let whole = place - 3;
            let mask = (1 << (8 * whole)) - 1;
            let pointed = (digits & mask) | u64::from(b'.') << (8 * whole) | (digits & !mask) << 8;
            (0, pointed, if significant > whole { significant + 1 } else { whole })
        }
    };
    text[at..at + 8].copy_from_slice(&digits.to_le_bytes());
    let end = out.len() + length;
    // All of it is copied, since its size is known, and what is too much is dropped.
    out.extend_from_slice(&text);
    out.truncate(end);
    true
}

/// The digits of a number of six digits, the first in the lowest byte, and two zeros.
fn digits_of(number: u32) -> u64 {
    // Each step splits every lane in two: by 10000, by 100, by 10; the divisions are multiplications.
    let number = 100 * number;
    let high = number / 10_000;
    let fours = u64::from(high) | u64::from(number - 10_000 * high) << 32;
    let hundreds = ((fours * 10_486) >> 20) & 0x7f_0000_007f;
    let pairs = hundreds | (fours - 100 * hundreds) << 16;
    let tens = ((pairs * 103) >> 10) & 0x000f_000f_000f_000f;
    tens | (pairs - 10 * tens) << 8
}

/// The number of a whole word as C's `strtod` reads it, rounded to single precision. `None` if it is none.
pub(crate) fn parse_number(word: &[u8]) -> Option<f32> {
    match parse_f64(word) {
        Ok((number, length)) if length == word.len() => Some(number as f32),
        _ => parse_unusual(word),
    }
}

/// Infinite numbers, hexadecimal ones, and what is too large.
fn parse_unusual(word: &[u8]) -> Option<f32> {
    let (sign, size) = match word {
        [b'-', size @ ..] => (-1.0, size),
        [b'+', size @ ..] => (1.0, size),
        size => (1.0, size),
    };
    let is = |name: &str| size.eq_ignore_ascii_case(name.as_bytes());
    if is("inf") || is("infinity") {
        return Some(sign * f32::INFINITY);
    }
    if is("nan") || size == b"BadNumber" {
        return Some(f32::NAN);
    }
    let text = std::str::from_utf8(size).ok()?;
    if let Some(digits) = text.strip_prefix("0x").or(text.strip_prefix("0X")) {
        return Some(sign * parse_hexadecimal(digits)? as f32);
    }
    // A number that no double holds.
    let is_decimal = size.first().is_some_and(|byte| byte.is_ascii_digit() || *byte == b'.');
    if is_decimal { text.parse::<f64>().ok().map(|number| sign * number as f32) } else { None }
}

fn parse_hexadecimal(text: &str) -> Option<f64> {
    let (digits, exponent) = match text.split_once(['p', 'P']) {
        Some((digits, exponent)) => (digits, exponent.parse::<i32>().ok()?),
        None => (text, 0),
    };
    let (whole, fraction) = digits.split_once('.').unwrap_or((digits, ""));
    if whole.is_empty() && fraction.is_empty() {
        return None;
    }
    let mut number = 0.0_f64;
    for digit in whole.chars().chain(fraction.chars()) {
        number = number * 16.0 + f64::from(digit.to_digit(16)?);
    }
    let exponent = exponent.saturating_sub(4 * fraction.len() as i32);
    Some(number * 2.0_f64.powi(exponent))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn written(cost: f32) -> String {
        let mut out = Vec::new();
        write_cost_number(&mut out, cost);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn costs_have_six_digits() {
        for (cost, text) in [
            (0.0, "0"),
            (-0.0, "-0"),
            (1.0, "1"),
            (0.5, "0.5"),
            (7.09375, "7.09375"),
            (-53.349, "-53.349"),
            (100_000.0, "100000"),
            (1e6, "1e+06"),
            (999_999.5, "1e+06"),
            (999_999.4, "999999"),
            (99_999.95, "100000"),
            (0.0001, "0.0001"),
            (0.00001, "1e-05"),
            (10.0, "10"),
            (1_234.567, "1234.57"),
            (f32::INFINITY, "Infinity"),
            (f32::NEG_INFINITY, "-Infinity"),
            (f32::NAN, "BadNumber"),
        ] {
            assert_eq!(written(cost), text);
        }
    }

    #[test]
    fn the_quick_way_gives_the_same_as_the_general_one() {
        let mut bits = 1_u32;
        for _ in 0..200_000 {
            bits = bits.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let cost = f32::from_bits(bits);
            if cost.is_finite() {
                assert_eq!(written(cost), Digits(f64::from(cost), DIGITS).to_string(), "{bits}");
            }
            let near = (bits >> 8) as f32 / 1024.0;
            assert_eq!(written(near), Digits(f64::from(near), DIGITS).to_string(), "{near}");
        }
    }

    #[test]
    fn what_c_reads_is_read() {
        for (word, number) in [
            ("1", 1.0),
            ("+1", 1.0),
            (".5", 0.5),
            ("5.", 5.0),
            ("0x10", 16.0),
            ("-0x1.8p1", -3.0),
            ("inf", f32::INFINITY),
            ("-Infinity", f32::NEG_INFINITY),
            ("1e39", f32::INFINITY),
            ("1e400", f32::INFINITY),
            ("1e-50", 0.0),
        ] {
            assert_eq!(parse_number(word.as_bytes()), Some(number), "{word}");
        }
        assert!(parse_number(b"nan").is_some_and(f32::is_nan));
        assert!(parse_number(b"BadNumber").is_some_and(f32::is_nan));
        for word in ["", "a", "1x", "1 ", "-", "0x", "1e", "1,2", "--1", "infx"] {
            assert_eq!(parse_number(word.as_bytes()), None, "{word}");
        }
    }
}
