//! Numbers in log lines and messages, as C++ streams print them.

use std::fmt;

/// Significant digits where nothing else is said.
const PRECISION: usize = 6;

/// Shows a number as C++ streams do by default (`%g`): six significant digits, as Kaldi's log lines have them.
pub fn general(value: f64) -> String {
    Digits(value, PRECISION).to_string()
}

/// A number with this many significant digits at most, as C's `%g` prints it: without trailing zeros, with an exponent
/// below 1e-04 and where the digits before the point would not be enough.
///
/// Kaldi's log lines have 6 digits where nothing else is said; recipes read averages and percentages in them.
///
/// ```
/// assert_eq!(kaldi_value::number::Digits(100.0 / 3.0, 4).to_string(), "33.33");
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Digits(pub f64, pub usize);

impl fmt::Display for Digits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(value, digits) = *self;
        if !value.is_finite() || value == 0.0 {
            let sign = if value.is_sign_negative() { "-" } else { "" };
            let word = match value {
                0.0 => "0",
                _ if value.is_nan() => "nan",
                _ => "inf",
            };
            return write!(f, "{sign}{word}");
        }
        let digits = digits.max(1);
        let scientific = format!("{value:.*e}", digits - 1);
        let (mantissa, exponent) = scientific.split_once('e').unwrap_or((&scientific, "0"));
        let exponent: i32 = exponent.parse().unwrap_or(0);
        if (-4..digits as i32).contains(&exponent) {
            let fixed = format!("{value:.*}", (digits as i32 - 1 - exponent) as usize);
            return f.write_str(without_trailing_zeros(&fixed));
        }
        let sign = if exponent < 0 { '-' } else { '+' };
        write!(f, "{}e{sign}{:02}", without_trailing_zeros(mantissa), exponent.abs())
    }
}

fn without_trailing_zeros(text: &str) -> &str {
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_those_of_a_stream() {
        for (value, digits, expected) in [
            (1.0, 6, "1"),
            (-0.5, 6, "-0.5"),
            (0.97, 6, "0.97"),
            (1e-10, 6, "1e-10"),
            (0.00002, 6, "2e-05"),
            (1e10, 6, "1e+10"),
            (-123456.7, 6, "-123457"),
            (16000.0, 6, "16000"),
            (1.5e300, 6, "1.5e+300"),
            (f64::from(0.99_f32), 6, "0.99"),
            (f64::INFINITY, 6, "inf"),
            (0.0, 6, "0"),
            (-0.0, 6, "-0"),
            (100.0, 6, "100"),
            (100.0, 2, "1e+02"),
            (12.0, 2, "12"),
            (-1234.567, 6, "-1234.57"),
            (999999.5, 6, "1e+06"),
            (999999.4, 6, "999999"),
            (0.0001, 6, "0.0001"),
            (0.00001, 6, "1e-05"),
            (1.5e300, 4, "1.5e+300"),
            (33.335, 4, "33.34"),
            (2.5, 1, "2"),
            (f64::NAN, 6, "nan"),
            (-f64::NAN, 6, "-nan"),
            (f64::NEG_INFINITY, 6, "-inf"),
        ] {
            assert_eq!(Digits(value, digits).to_string(), expected, "{value:e} with {digits} digits");
            if digits == 6 {
                assert_eq!(general(value), expected);
            }
        }
    }
}
