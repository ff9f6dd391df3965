//! The shape of values.

use std::fmt;
use std::str::FromStr;

/// The declared dimensions of values; some may be free.
///
/// ```
/// use kaldi_reader::Shape;
///
/// let shape: Shape = "-1,80".parse()?;
/// assert!(shape.matches(&[312, 80]));
/// assert!(!shape.matches(&[312, 40]) && !shape.matches(&[80]));
/// # Ok::<(), std::num::ParseIntError>(())
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Shape(Vec<Option<usize>>);

impl Shape {
    /// Declares dimensions; negative ones are free.
    pub fn new(dims: &[i64]) -> Self {
        Self(dims.iter().map(|&dim| usize::try_from(dim).ok()).collect())
    }

    /// The shape without a free dimension.
    pub fn of(dims: &[usize]) -> Self {
        Self(dims.iter().copied().map(Some).collect())
    }

    /// Whether a value with these dimensions fits the declaration.
    pub fn matches(&self, dims: &[usize]) -> bool {
        self.0.len() == dims.len()
            && self.0.iter().zip(dims).all(|(declared, dim)| declared.is_none_or(|it| it == *dim))
    }
}

impl fmt::Display for Shape {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("[")?;
        for (index, dim) in self.0.iter().enumerate() {
            let comma = if index == 0 { "" } else { ", " };
            match dim {
                Some(dim) => write!(f, "{comma}{dim}")?,
                None => write!(f, "{comma}-1")?,
            }
        }
        f.write_str("]")
    }
}

impl FromStr for Shape {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let dims: Result<Vec<i64>, _> = text.split(',').map(|dim| dim.trim().parse()).collect();
        Ok(Self::new(&dims?))
    }
}
