//! The types of options and the text of their values.

use std::any::TypeId;
use std::fmt;

use bstr::{BStr, BString, ByteSlice};

/// The type of an option, as the usage text names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OptionKind {
    /// `bool`: true or false.
    Bool,
    /// `int`, or `uint` if it is not negative and may be too large for `i32`: an integer of this range.
    Int {
        /// The least value.
        min: i64,
        /// The largest value.
        max: i64,
    },
    /// `float`: a real number in single precision.
    Float,
    /// `double`: a real number in double precision.
    Double,
    /// `string`: any text.
    Text,
}

impl OptionKind {
    /// The kind of a type of values: text for all types that are no numbers and not `bool`.
    #[must_use]
    pub fn of<T: 'static>() -> Self {
        Self::of_id(TypeId::of::<T>())
    }

    fn of_id(id: TypeId) -> Self {
        let is = |other: TypeId| id == other;
        let int = |min, max| Self::Int { min, max };
        if is(TypeId::of::<bool>()) {
            Self::Bool
        } else if is(TypeId::of::<i32>()) {
            int(i32::MIN.into(), i32::MAX.into())
        } else if is(TypeId::of::<u32>()) {
            int(0, u32::MAX.into())
        } else if is(TypeId::of::<i64>()) || is(TypeId::of::<isize>()) {
            int(i64::MIN, i64::MAX)
        } else if is(TypeId::of::<u64>()) || is(TypeId::of::<usize>()) {
            int(0, i64::MAX)
        } else if is(TypeId::of::<u16>()) {
            int(0, u16::MAX.into())
        } else if is(TypeId::of::<u8>()) {
            int(0, u8::MAX.into())
        } else if is(TypeId::of::<f32>()) {
            Self::Float
        } else if is(TypeId::of::<f64>()) {
            Self::Double
        } else {
            Self::Text
        }
    }

    /// Turns the value of an option as the dialect allows it into the one form that Rust's own parsers read.
    ///
    /// `value` is `None` if the option has no `=`, which only a bool allows. It has no spaces around it.
    ///
    /// # Errors
    /// What was expected instead.
    pub fn canonical(self, value: Option<&BStr>) -> Result<BString, ExpectedValue> {
        let canonical = match self {
            Self::Bool => value.map_or(Some(true), read_bool).map(|value| value.to_string()),
            Self::Int { min, max } => match value.and_then(read_int) {
                Some(value) if !(min.into()..=max.into()).contains(&value) => {
                    return Err(ExpectedValue::Range { min, max });
                }
                value => value.map(|value| value.to_string()),
            },
            Self::Float => self.real(value, |text| text.parse::<f32>().ok().map(f32::is_finite))?,
            Self::Double => self.real(value, |text| text.parse::<f64>().ok().map(f64::is_finite))?,
            Self::Text => return value.map(BString::from).ok_or(ExpectedValue::Kind(self)),
        };
        canonical.map(BString::from).ok_or(ExpectedValue::Kind(self))
    }

    /// Returns the text of a real number, if it is one; `is_finite` parses it. C++ streams and Rust share one grammar
    /// for them (`1.`, `.5`, `+2`, `1E1`, no hexadecimal form), and Kaldi adds the words `inf`, `infinity` and `nan` as
    /// Rust does.
    fn real(self, value: Option<&BStr>, is_finite: fn(&str) -> Option<bool>) -> Result<Option<String>, ExpectedValue> {
        let Some(text) = value.and_then(|value| value.to_str().ok()) else { return Ok(None) };
        match is_finite(text) {
            Some(false) if !is_word(text) => Err(ExpectedValue::Smaller(self)),
            found => Ok(found.map(|_| text.to_owned())),
        }
    }
}

impl fmt::Display for OptionKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Bool => "bool",
            Self::Int { min: 0, max } if *max > i64::from(i32::MAX) => "uint",
            Self::Int { .. } => "int",
            Self::Float => "float",
            Self::Double => "double",
            Self::Text => "string",
        })
    }
}

/// What the value of an option should be.
#[derive(Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ExpectedValue {
    /// A value of this kind.
    Kind(OptionKind),
    /// An integer, as it was, but in this range.
    Range {
        /// The least value.
        min: i64,
        /// The largest value.
        max: i64,
    },
    /// A number, as it was, but one that its type can hold.
    Smaller(OptionKind),
}

impl fmt::Display for ExpectedValue {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Range { min, max } => write!(f, "expected an integer from {min} to {max}"),
            Self::Kind(OptionKind::Bool) => f.write_str("expected true or false"),
            Self::Kind(OptionKind::Int { .. }) => f.write_str("expected an integer"),
            Self::Smaller(OptionKind::Float) => write!(f, "expected a number up to {:e}", f32::MAX),
            Self::Smaller(_) => write!(f, "expected a number up to {:e}", f64::MAX),
            Self::Kind(OptionKind::Float | OptionKind::Double) => f.write_str("expected a number"),
            Self::Kind(OptionKind::Text) => f.write_str("expected a text"),
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

    const INT: OptionKind = OptionKind::Int { min: i32::MIN as i64, max: i32::MAX as i64 };

    fn canonical(kind: OptionKind, value: &str) -> Option<String> {
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
        assert_eq!(INT.canonical(None), Err(ExpectedValue::Kind(INT)));
        assert_eq!(canonical(OptionKind::Int { min: 0, max: 9 }, "-1"), None);
    }

    #[test]
    fn real_numbers_are_what_cpp_streams_read() {
        for value in ["1", "1.", ".5", "-.5", "+.5", "1e1", "1E1", "inf", "-inf", "Infinity", "nan", "1e-50"] {
            assert!(canonical(OptionKind::Float, value).is_some(), "{value}");
        }
        for value in ["", ".", "abc", "2x", "1e", "1e99", "-1e99", "0x2", "1 2", "1,5", "\u{0}"] {
            assert_eq!(canonical(OptionKind::Float, value), None, "{value}");
        }
        assert!(canonical(OptionKind::Double, "1e99").is_some());
        assert_eq!(canonical(OptionKind::Double, "1e999"), None);
    }

    #[test]
    fn bools_are_words_letters_or_digits_in_any_case() {
        for value in ["true", "True", "T", "t", "1"] {
            assert_eq!(canonical(OptionKind::Bool, value).as_deref(), Some("true"));
        }
        for value in ["false", "FALSE", "F", "f", "0"] {
            assert_eq!(canonical(OptionKind::Bool, value).as_deref(), Some("false"));
        }
        for value in ["", "yes", "no", "2", "tru"] {
            assert_eq!(canonical(OptionKind::Bool, value), None, "{value}");
        }
        assert_eq!(OptionKind::Bool.canonical(None), Ok(BString::from("true")));
    }
}
