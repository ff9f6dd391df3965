//! Percentages in the form in which they are printed.

use std::fmt;

/// A percentage in single precision, shown with two digits after the point.
///
/// NaN, such as 0 of 0, shows as `-nan`, as C prints it on most machines.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Percent(pub f32);

impl Percent {
    /// How much `part` is of `whole`; infinite if `whole` is 0 and `part` is not.
    pub fn of(part: u64, whole: u64) -> Self {
        Self((100.0 * f64::from(part as f32) / f64::from(whole as f32)) as f32)
    }
}

impl fmt::Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0.is_nan() {
            true => f.write_str("-nan"),
            false => write!(f, "{:.2}", self.0),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentages_have_two_digits_behind_the_point() {
        for (part, whole, expected) in [
            (0, 7, "0.00"),
            (1, 8, "12.50"),
            (1, 3, "33.33"),
            (1, 800, "0.12"),
            (3, 800, "0.38"),
            (5, 2, "250.00"),
            (3, 0, "inf"),
            (0, 0, "-nan"),
        ] {
            assert_eq!(Percent::of(part, whole).to_string(), expected, "{part} of {whole}");
        }
    }
}
