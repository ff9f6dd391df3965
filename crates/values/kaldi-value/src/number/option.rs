//! Numbers as values of options: the whole text is one number, and an error says what was expected.

use std::ops::RangeInclusive;

/// The parser of an integer in this range; leading zeros and a plus are allowed.
pub fn integer<T: TryFrom<i64> + 'static>(
    range: RangeInclusive<i64>,
) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync + 'static {
    move |text| {
        let value: i128 = text.parse().map_err(|_| "expected an integer")?;
        let value = i64::try_from(value).ok().filter(|value| range.contains(value));
        let value = value.and_then(|value| T::try_from(value).ok());
        value.ok_or_else(|| format!("expected an integer from {} to {}", range.start(), range.end()))
    }
}

/// Parses a count, an integer that is not negative and fits `i32`.
///
/// # Errors
/// If the text is none.
pub fn count<T: TryFrom<i64> + 'static>(text: &str) -> Result<T, String> {
    integer(0..=i32::MAX.into())(text)
}

/// Parses a count for which a negative number means 0.
///
/// # Errors
/// If the text is no integer that fits `i32`.
pub fn negative_is_zero(text: &str) -> Result<usize, String> {
    let value = int(text)?;
    Ok(usize::try_from(value).unwrap_or(0))
}

/// Parses a real number that must be whole.
///
/// # Errors
/// If the text is no integer that fits `i32`.
pub fn whole(text: &str) -> Result<f32, String> {
    Ok(int(text)? as f32)
}

fn int(text: &str) -> Result<i32, String> {
    integer(i32::MIN.into()..=i32::MAX.into())(text)
}

/// Parses a real number, as C++ streams read it; `inf`, `infinity` and `nan` are numbers, and what is too large for the type is none.
///
/// # Errors
/// If the text is no such number.
pub fn single(text: &str) -> Result<f32, String> {
    let value: f32 = text.parse().map_err(|_| "expected a number")?;
    let is_number = value.is_finite() || is_word(text);
    if is_number { Ok(value) } else { Err(format!("expected a number up to {:e}", f32::MAX)) }
}

/// As [`single`], in double precision.
///
/// # Errors
/// If the text is no such number.
pub fn double(text: &str) -> Result<f64, String> {
    let value: f64 = text.parse().map_err(|_| "expected a number")?;
    let is_number = value.is_finite() || is_word(text);
    if is_number { Ok(value) } else { Err(format!("expected a number up to {:e}", f64::MAX)) }
}

/// Whether the text is the word `inf` or `nan`, and not a number that is too large.
fn is_word(text: &str) -> bool {
    !text.bytes().any(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_decimal_and_fit_their_type() {
        for (value, expected) in [("3", 3), ("03", 3), ("+3", 3), ("-3", -3), ("2147483647", i32::MAX)] {
            assert_eq!(int(value), Ok(expected));
        }
        for value in ["", "x", "1.5", "0x3", "2147483648", "99999999999999999999", "1 2", "+", "--3"] {
            assert!(int(value).is_err(), "{value}");
        }
        assert_eq!(int("2147483648").unwrap_err(), "expected an integer from -2147483648 to 2147483647");
        assert_eq!(integer::<usize>(0..=9)("-1").unwrap_err(), "expected an integer from 0 to 9");
        assert_eq!((integer::<usize>(0..=9)("9"), count("9")), (Ok(9), Ok(9_u32)));
        assert_eq!((negative_is_zero("-7"), negative_is_zero("7"), whole("-22")), (Ok(0), Ok(7), Ok(-22.0)));
        assert_eq!(whole("1.5").unwrap_err(), "expected an integer");
    }

    #[test]
    fn real_numbers_are_what_cpp_streams_read() {
        for value in ["1", "1.", ".5", "-.5", "+.5", "1e1", "1E1", "inf", "-inf", "Infinity", "nan", "1e-50"] {
            assert!(single(value).is_ok(), "{value}");
        }
        for value in ["", ".", "abc", "2x", "1e", "1e99", "-1e99", "0x2", "1 2", "1,5", "\u{0}"] {
            assert!(single(value).is_err(), "{value}");
        }
        assert_eq!(single("1e99").unwrap_err(), "expected a number up to 3.4028235e38");
        assert!(double("1e99").is_ok() && double("1e999").is_err());
    }
}
