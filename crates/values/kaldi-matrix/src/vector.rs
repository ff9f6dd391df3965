//! Dense vectors.

use std::fmt;

use kaldi_value::number::general;

use crate::Real;

/// A dense vector.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Vector<T> {
    data: Vec<T>,
}

impl<T: Real> Vector<T> {
    /// Makes a vector of zeros.
    ///
    /// # Panics
    /// If the size does not fit an `i32`, as the formats require.
    #[doc(alias = "zeros")]
    pub fn new(dim: usize) -> Self {
        Self::from_vec(vec![T::default(); dim])
    }

    /// Makes a vector of the elements in `data`.
    ///
    /// # Panics
    /// If the size does not fit an `i32`, as the formats require.
    pub fn from_vec(data: Vec<T>) -> Self {
        assert!(i32::try_from(data.len()).is_ok(), "a vector of {}", data.len());
        Self { data }
    }

    /// The number of elements.
    #[doc(alias = "len")]
    pub fn dim(&self) -> usize {
        self.data.len()
    }

    /// Whether there are no elements.
    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    /// The elements.
    pub fn as_slice(&self) -> &[T] {
        &self.data
    }

    /// The elements.
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        &mut self.data
    }

    /// Converts into the elements.
    pub fn into_vec(self) -> Vec<T> {
        self.data
    }

    /// Changes the size: cuts the end off, or appends zeros.
    ///
    /// # Panics
    /// If the size does not fit an `i32`.
    pub fn resize(&mut self, dim: usize) {
        assert!(i32::try_from(dim).is_ok(), "a vector of {dim}");
        self.data.resize(dim, T::default());
    }

    /// Copies to a precision: to the nearest values, or infinity if they are too large.
    pub fn to_precision<U: Real>(&self) -> Vector<U> {
        Vector { data: self.data.iter().map(|value| U::from_f64(value.to_f64())).collect() }
    }
}

/// As log lines show it: ` [ 1 2.5 ]`, with six significant digits.
impl<T: Real> fmt::Display for Vector<T> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(" [ ")?;
        self.data.iter().try_for_each(|value| write!(f, "{} ", general(value.to_f64())))?;
        f.write_str("]")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn resizing_cuts_or_appends_zeros() {
        let mut vector = Vector::from_vec(vec![1.0_f32, 2.0, 3.0]);
        vector.resize(2);
        vector.resize(4);
        assert_eq!(vector.as_slice(), [1.0, 2.0, 0.0, 0.0]);
        assert_eq!(Vector::<f64>::new(2).into_vec(), [0.0, 0.0]);
    }

    #[test]
    fn log_lines_show_six_digits() {
        assert_eq!(Vector::from_vec(vec![1.0_f64, 2.0 / 3.0, 1.0e-15]).to_string(), " [ 1 0.666667 1e-15 ]");
    }

    #[test]
    fn precision_is_rounded_to_nearest_and_too_large_becomes_infinite() {
        let vector = Vector::from_vec(vec![16777217.0_f64, -1e39]);
        assert_eq!(vector.to_precision::<f32>().as_slice(), [16777216.0, f32::NEG_INFINITY]);
        assert!(vector.to_precision::<f64>() == vector);
    }
}
