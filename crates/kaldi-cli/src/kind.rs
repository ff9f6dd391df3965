//! The types of options and the text of their values.

use std::any::TypeId;
use std::fmt;

use bstr::{BStr, BString, ByteSlice};
use clap::builder::ValueParser;
use kaldi_number::general;

/// The type of an option, as the usage text names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Bool,
    Int { min: i64, max: i64 },
    Float,
    Double,
    Text,
}

impl Kind {
    /// The kind of the type that a field of an `Options` struct is parsed to.
    pub(crate) fn of(parser: &ValueParser) -> Self {
        let id = parser.type_id();
        let int = |min, max| Self::Int { min, max };
        if id == TypeId::of::<bool>() {
            Self::Bool
        } else if id == TypeId::of::<i32>() {
            int(i32::MIN.into(), i32::MAX.into())
        } else if id == TypeId::of::<u32>() {
            int(0, u32::MAX.into())
        } else if id == TypeId::of::<i64>() || id == TypeId::of::<isize>() {
            int(i64::MIN, i64::MAX)
        } else if id == TypeId::of::<u64>() || id == TypeId::of::<usize>() {
            int(0, i64::MAX)
        } else if id == TypeId::of::<f32>() {
            Self::Float
        } else if id == TypeId::of::<f64>() {
            Self::Double
        } else {
            Self::Text
        }
    }

    /// Turns the value of an option as the dialect allows it into the one form that Rust's own parsers read.
    ///
    /// `value` is `None` if the option has no `=`, which only a bool allows. Spaces around a value do not
    /// reach this function.
    ///
    /// # Errors
    ///
    /// What was expected instead.
    pub(crate) fn canonical(self, value: Option<&BStr>) -> Result<BString, Expected> {
        let canonical = match self {
            Self::Bool => value.map_or(Some(true), read_bool).map(|value| value.to_string()),
            Self::Int { min, max } => match value.and_then(read_int) {
                Some(value) if !(min.into()..=max.into()).contains(&value) => return Err(Expected::Range { min, max }),
                value => value.map(|value| value.to_string()),
            },
            Self::Float => self.real(value, |text| text.parse::<f32>().ok().map(f32::is_finite))?,
            Self::Double => self.real(value, |text| text.parse::<f64>().ok().map(f64::is_finite))?,
            Self::Text => return value.map(BString::from).ok_or(Expected::Kind(self)),
        };
        canonical.map(BString::from).ok_or(Expected::Kind(self))
    }

    /// Returns the text of a real number, if it is one; `is_finite` parses it. C++ streams and Rust share one grammar
    /// for them (`1.`, `.5`, `+2`, `1E1`, no hexadecimal form), and Kaldi adds the words `inf`, `infinity` and `nan` as
    /// Rust does.
    fn real(self, value: Option<&BStr>, is_finite: fn(&str) -> Option<bool>) -> Result<Option<String>, Expected> {
        let Some(text) = value.and_then(|value| value.to_str().ok()) else { return Ok(None) };
        match is_finite(text) {
            Some(false) if !is_word(text) => Err(Expected::Smaller(self)),
            found => Ok(found.map(|_| text.to_owned())),
        }
    }

    /// Shows a default value as Kaldi's usage text does.
    pub(crate) fn show_default(self, default: &str) -> String {
        match self {
            Self::Float | Self::Double => default.parse().map_or_else(|_| default.to_owned(), general),
            Self::Bool | Self::Int { .. } => default.to_owned(),
            Self::Text => format!("\"{default}\""),
        }
    }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bool => "bool",
            Self::Int { min: 0, .. } => "uint",
            Self::Int { .. } => "int",
            Self::Float => "float",
            Self::Double => "double",
            Self::Text => "string",
        })
    }
}

/// Describes what the value of an option should be.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Expected {
    Kind(Kind),
    /// An integer, as it was, but in this range.
    Range {
        min: i64,
        max: i64,
    },
    /// A number, as it was, but one that its type can hold.
    Smaller(Kind),
}

impl fmt::Display for Expected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Range { min, max } => write!(f, "expected an integer from {min} to {max}"),
            Self::Kind(Kind::Bool) => f.write_str("expected true or false"),
            Self::Kind(Kind::Int { .. }) => f.write_str("expected an integer"),
            Self::Smaller(Kind::Float) => write!(f, "expected a number up to {:e}", f32::MAX),
            Self::Smaller(_) => write!(f, "expected a number up to {:e}", f64::MAX),
            Self::Kind(Kind::Float | Kind::Double) => f.write_str("expected a number"),
            Self::Kind(Kind::Text) => f.write_str("expected a text"),
        }
    }
}

/// Reads `true`, `t`, `1`, `false`, `f`, `0` in any case.
fn read_bool(value: &BStr) -> Option<bool> {
    match value.to_ascii_lowercase().as_slice() {
        b"true" | b"t" | b"1" => Some(true),
        b"false" | b"f" | b"0" => Some(false),
        _ => None,
    }
}

/// Reads a decimal integer with an optional sign; leading zeros are allowed.
fn read_int(value: &BStr) -> Option<i128> {
    value.to_str().ok()?.parse().ok()
}

/// Returns whether the text is the word `inf` or `nan`, and not a number that is too large.
fn is_word(text: &str) -> bool {
    !text.bytes().any(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;

    const INT: Kind = Kind::Int { min: i32::MIN as i64, max: i32::MAX as i64 };

    fn canonical(kind: Kind, value: &str) -> Option<String> {
        kind.canonical(Some(value.into())).ok().map(|value| value.to_string())
    }

    #[test]
    fn integers_are_decimal_and_fit_their_type() {
        for (value, expected) in [("3", "3"), ("03", "3"), ("+3", "3"), ("-3", "-3"), ("2147483647", "2147483647")] {
            assert_eq!(canonical(INT, value).as_deref(), Some(expected));
        }
        for value in ["", "x", "1.5", "0x3", "2147483648", "99999999999999999999", "1 2", "+", "--3"] {
            assert_eq!(canonical(INT, value), None, "{value}");
        }
        assert_eq!(INT.canonical(None), Err(Expected::Kind(INT)));
        assert_eq!(canonical(Kind::Int { min: 0, max: 9 }, "-1"), None);
    }

    #[test]
    fn real_numbers_are_what_cpp_streams_read() {
        for value in ["1", "1.", ".5", "-.5", "+.5", "1e1", "1E1", "inf", "-inf", "Infinity", "nan", "1e-50"] {
            assert!(canonical(Kind::Float, value).is_some(), "{value}");
        }
        for value in ["", ".", "abc", "2x", "1e", "1e99", "-1e99", "0x2", "1 2", "1,5", "\u{0}"] {
            assert_eq!(canonical(Kind::Float, value), None, "{value}");
        }
        assert!(canonical(Kind::Double, "1e99").is_some());
        assert_eq!(canonical(Kind::Double, "1e999"), None);
    }

    #[test]
    fn bools_are_words_letters_or_digits_in_any_case() {
        for value in ["true", "True", "T", "t", "1"] {
            assert_eq!(canonical(Kind::Bool, value).as_deref(), Some("true"));
        }
        for value in ["false", "FALSE", "F", "f", "0"] {
            assert_eq!(canonical(Kind::Bool, value).as_deref(), Some("false"));
        }
        for value in ["", "yes", "no", "2", "tru"] {
            assert_eq!(canonical(Kind::Bool, value), None, "{value}");
        }
        assert_eq!(Kind::Bool.canonical(None), Ok(BString::from("true")));
    }

    #[test]
    fn defaults_look_as_cpp_streams_print_them() {
        assert_eq!(Kind::Float.show_default("0.970"), "0.97");
        assert_eq!(Kind::Double.show_default("0.00002"), "2e-05");
        assert_eq!(Kind::Float.show_default("inf"), "inf");
        assert_eq!(Kind::Text.show_default("povey"), "\"povey\"");
        assert_eq!(Kind::Float.show_default("0.0000000001"), "1e-10");
    }
}
