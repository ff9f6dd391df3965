//! Lists of dimensions.

use std::fmt;
use std::str::FromStr;

use crate::{Error, Result};

/// A list of dimensions, counted from 0, as on a command line: integers separated by colons. An empty text is an empty
/// list.
///
/// Parsing checks only the form; whether the dimensions exist is checked when they are used.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Dims(pub Vec<i32>);

impl fmt::Display for Dims {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let numbers: Vec<_> = self.0.iter().map(i32::to_string).collect();
        f.write_str(&numbers.join(":"))
    }
}

impl FromStr for Dims {
    type Err = Error;

    /// # Errors
    /// If the text is no such list, or a number does not fit.
    fn from_str(text: &str) -> Result<Self> {
        if text.is_empty() {
            return Ok(Self::default());
        }
        let numbers = text.split(':').map(|number| number.trim_ascii_start().parse());
        numbers.collect::<Result<_, _>>().map(Self).map_err(|_| Error::Dims { got: text.to_owned() })
    }
}

/// The index of a dimension, in features that have `dim` of them.
///
/// # Errors
/// If there is no such dimension.
pub(crate) fn index_of_dim(got: i32, dim: usize) -> Result<usize> {
    usize::try_from(got).ok().filter(|&index| index < dim).ok_or(Error::Dim { dim, got })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dimensions_are_separated_by_colons() {
        let t = |text: &str, expected: &[i32]| assert_eq!(text.parse(), Ok(Dims(expected.to_vec())), "{text:?}");
        t("13:14:15", &[13, 14, 15]);
        t("0", &[0]);
        t("", &[]);
        t("-1:+2: 3", &[-1, 2, 3]);
        assert_eq!(Dims(vec![13, 14]).to_string(), "13:14");
    }

    #[test]
    fn anything_else_is_no_list() {
        for text in ["a", "1,2", "1:", ":1", "1::2", "1 :2", "2147483648", "1.0"] {
            let error = text.parse::<Dims>().unwrap_err().to_string();
            assert!(error.ends_with(&format!("such as 13:14:15, got {text:?}")), "{error}");
        }
    }
}
