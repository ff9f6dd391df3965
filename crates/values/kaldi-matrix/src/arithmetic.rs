//! Arithmetic on the elements of matrices and vectors.

use crate::product::dot;
use crate::{Error, Matrix, Real, Result, Vector};

impl<T: Real> Matrix<T> {
    /// Multiplies every element by `factor`; 0 makes all of them 0, infinities too, as BLAS does.
    pub fn scale(&mut self, factor: T) {
        scale(self.as_mut_slice(), factor);
    }

    /// Adds `factor` times `other`; a factor of 0 adds nothing, even to infinities, as in BLAS.
    ///
    /// # Errors
    /// If the sizes differ.
    pub fn add_scaled(&mut self, factor: T, other: &Self) -> Result<()> {
        if self.size() != other.size() {
            return Err(Error::Size { what: "matrix", expected: self.size(), got: other.size() });
        }
        add_scaled(self.as_mut_slice(), factor, other.as_slice());
        Ok(())
    }

    /// Adds `other`, which may be of the other precision, in the precision of `self`.
    ///
    /// # Errors
    /// If the sizes differ.
    pub fn add<U: Real>(&mut self, other: &Matrix<U>) -> Result<()> {
        if self.size() != other.size() {
            return Err(Error::Size { what: "matrix", expected: self.size(), got: other.size() });
        }
        add(self.as_mut_slice(), other.as_slice());
        Ok(())
    }

    /// Raises every element that is below that of `other` to it; NaN in `other` changes nothing.
    ///
    /// # Errors
    /// If the sizes differ.
    pub fn raise_to(&mut self, other: &Self) -> Result<()> {
        if self.size() != other.size() {
            return Err(Error::Size { what: "matrix", expected: self.size(), got: other.size() });
        }
        for (value, &other) in self.as_mut_slice().iter_mut().zip(other.as_slice()) {
            if *value < other {
                *value = other;
            }
        }
        Ok(())
    }

    /// Raises elements below `floor` to it; NaN stays NaN.
    pub fn apply_floor(&mut self, floor: T) {
        self.apply(|value| if value < floor { floor } else { value });
    }

    /// Takes the natural logarithm of every element: negative infinity at zero, NaN below.
    pub fn apply_log(&mut self) {
        self.apply(Real::ln);
    }

    /// Raises e to every element.
    pub fn apply_exp(&mut self) {
        self.apply(Real::exp);
    }

    /// Raises every element to `power`, as C's `pow` does in double precision: a negative element to a fraction gives
    /// NaN.
    pub fn apply_pow(&mut self, power: T) {
        let power = power.to_f64();
        self.apply(|value| T::from_f64(value.to_f64().powf(power)));
    }

    /// Makes the elements of each row positive with a sum of one: raises e to them and divides by the sum of the row.
    pub fn apply_softmax_per_row(&mut self) {
        self.rows_mut().for_each(softmax);
    }

    /// Replaces every element by the result of `function`.
    pub fn apply(&mut self, function: impl Fn(T) -> T) {
        self.as_mut_slice().iter_mut().for_each(|value| *value = function(*value));
    }

    /// Sums every column, over the rows, in double precision.
    pub fn column_sums(&self) -> Vector<f64> {
        let mut sums = Vector::new(self.num_cols());
        for row in self.rows() {
            for (sum, value) in sums.as_mut_slice().iter_mut().zip(row) {
                *sum += value.to_f64();
            }
        }
        sums
    }

    /// Sums all elements in double precision.
    pub fn sum(&self) -> f64 {
        sum(self.as_slice())
    }

    /// The largest element; `None` if the matrix is empty or all elements are NaN.
    pub fn max(&self) -> Option<T> {
        largest(self.as_slice())
    }

    /// Whether the sizes are the same and the norm of the difference is at most `tolerance` times the norm of `self`.
    pub fn is_approx_equal(&self, other: &Self, tolerance: f64) -> bool {
        self.size() == other.size() && is_approx_equal(self.as_slice(), other.as_slice(), tolerance)
    }
}

impl<T: Real> Vector<T> {
    /// Multiplies every element by `factor`; 0 makes all of them 0, infinities too, as BLAS does.
    pub fn scale(&mut self, factor: T) {
        scale(self.as_mut_slice(), factor);
    }

    /// Adds `factor` times `other`; a factor of 0 adds nothing, even to infinities, as in BLAS.
    ///
    /// # Errors
    /// If the sizes differ.
    pub fn add_scaled(&mut self, factor: T, other: &Self) -> Result<()> {
        if self.dim() != other.dim() {
            return Err(Error::Dim { expected: self.dim(), got: other.dim() });
        }
        add_scaled(self.as_mut_slice(), factor, other.as_slice());
        Ok(())
    }

    /// Adds `other`, which may be of the other precision, in the precision of `self`.
    ///
    /// # Errors
    /// If the sizes differ.
    pub fn add<U: Real>(&mut self, other: &Vector<U>) -> Result<()> {
        if self.dim() != other.dim() {
            return Err(Error::Dim { expected: self.dim(), got: other.dim() });
        }
        add(self.as_mut_slice(), other.as_slice());
        Ok(())
    }

    /// Sums all elements in double precision.
    pub fn sum(&self) -> f64 {
        sum(self.as_slice())
    }

    /// The largest element; `None` if the vector is empty or all elements are NaN.
    pub fn max(&self) -> Option<T> {
        largest(self.as_slice())
    }

    /// The inner product, summed in double precision.
    ///
    /// # Errors
    /// If the sizes differ.
    pub fn dot(&self, other: &Self) -> Result<f64> {
        if self.dim() != other.dim() {
            return Err(Error::Dim { expected: self.dim(), got: other.dim() });
        }
        Ok(dot(self.as_slice(), other.as_slice()))
    }

    /// The Euclidean length, summed in double precision.
    pub fn norm(&self) -> f64 {
        dot(self.as_slice(), self.as_slice()).sqrt()
    }

    /// Whether the sizes are the same and the length of the difference is at most `tolerance` times that of `self`.
    pub fn is_approx_equal(&self, other: &Self, tolerance: f64) -> bool {
        self.dim() == other.dim() && is_approx_equal(self.as_slice(), other.as_slice(), tolerance)
    }
}

fn scale<T: Real>(values: &mut [T], factor: T) {
    if factor == T::default() {
        values.fill(T::default());
        return;
    }
    values.iter_mut().for_each(|value| *value *= factor);
}

fn add_scaled<T: Real>(values: &mut [T], factor: T, others: &[T]) {
    if factor == T::default() {
        return;
    }
    for (value, other) in values.iter_mut().zip(others) {
        *value += factor * *other;
    }
}

fn add<T: Real, U: Real>(values: &mut [T], others: &[U]) {
    for (value, other) in values.iter_mut().zip(others) {
        *value += T::from_f64(other.to_f64());
    }
}

fn sum<T: Real>(values: &[T]) -> f64 {
    values.iter().map(|value| value.to_f64()).sum()
}

fn largest<T: Real>(values: &[T]) -> Option<T> {
    values.iter().copied().filter(|value| !value.to_f64().is_nan()).reduce(|a, b| if b > a { b } else { a })
}

fn is_approx_equal<T: Real>(left: &[T], right: &[T], tolerance: f64) -> bool {
    let squares = |(a, b): (&T, &T)| (a.to_f64() - b.to_f64()).powi(2);
    let difference: f64 = left.iter().zip(right).map(squares).sum();
    difference.sqrt() <= tolerance * dot(left, left).sqrt()
}

/// The sum is that of rounded values in their own precision, and their factor is rounded to it: this order gives
/// Kaldi's bytes.
fn softmax<T: Real>(row: &mut [T]) {
    let mut max = T::from_f64(f64::NEG_INFINITY);
    for &value in row.iter() {
        if value > max {
            max = value;
        }
    }
    let mut sum = T::default();
    for value in row.iter_mut() {
        *value = (*value - max).exp();
        sum += *value;
    }
    scale(row, T::from_f64(1.0 / sum.to_f64()));
}

#[cfg(test)]
mod tests {
    use super::*;

    fn row(values: &[f32]) -> Matrix<f32> {
        Matrix::from_vec(1, values.len(), values.to_vec())
    }

    #[test]
    fn scaled_matrices_add_up() {
        let mut sum = row(&[1.0, 2.0]);
        sum.scale(2.0);
        sum.add_scaled(0.5, &row(&[4.0, -8.0])).unwrap();
        assert_eq!(sum, row(&[4.0, 0.0]));
        let error = sum.add_scaled(1.0, &row(&[1.0])).unwrap_err();
        assert_eq!(error.to_string(), "expected a matrix of 1 by 2, got 1 by 1");
    }

    #[test]
    fn scaled_vectors_add_up() {
        let mut sum = Vector::from_vec(vec![1.0_f64, 2.0]);
        sum.scale(3.0);
        sum.add_scaled(-1.0, &Vector::from_vec(vec![1.0, 1.0])).unwrap();
        assert_eq!(sum.as_slice(), [2.0, 5.0]);
        assert_eq!(sum.dot(&sum).unwrap(), 29.0);
        assert_eq!((sum.sum(), sum.max(), sum.norm()), (7.0, Some(5.0), 29.0_f64.sqrt()));
        assert!(sum.add_scaled(1.0, &Vector::new(3)).is_err());
        assert!(sum.dot(&Vector::new(1)).is_err());
    }

    #[test]
    fn a_factor_of_zero_leaves_no_trace() {
        let mut matrix = row(&[-1.0, f32::INFINITY, f32::NAN]);
        matrix.scale(0.0);
        assert_eq!(matrix.as_slice().iter().map(|value| value.to_bits()).collect::<Vec<_>>(), [0, 0, 0]);
        matrix.add_scaled(0.0, &row(&[1.0, f32::INFINITY, f32::NAN])).unwrap();
        assert_eq!(matrix, row(&[0.0, 0.0, 0.0]));
    }

    #[test]
    fn a_sum_has_the_precision_of_what_is_added_to() {
        let mut sum = Matrix::<f64>::new(1, 2);
        sum.add(&row(&[16777216.0, f32::MAX])).unwrap();
        sum.add(&row(&[1.0, f32::MAX])).unwrap();
        assert_eq!(sum.as_slice(), [16777217.0, 2.0 * f64::from(f32::MAX)]);
        let mut sum = Vector::from_vec(vec![16777216.0_f32]);
        sum.add(&Vector::from_vec(vec![1.0_f64])).unwrap();
        assert_eq!(sum.as_slice(), [16777216.0]);
        assert!(sum.add(&Vector::<f64>::new(2)).is_err());
        assert!(row(&[1.0]).add(&row(&[1.0, 2.0])).is_err());
    }

    #[test]
    fn the_larger_element_stays() {
        let mut max = row(&[1.0, -2.0, f32::NAN, 3.0]);
        max.raise_to(&row(&[0.0, -1.0, 5.0, f32::NAN])).unwrap();
        assert_eq!((&max.as_slice()[..2], max.as_slice()[3]), (&[1.0, -1.0][..], 3.0));
        assert!(max.as_slice()[2].is_nan());
        assert!(max.raise_to(&row(&[1.0])).is_err());
    }

    #[test]
    fn the_logarithm_of_a_floored_value_is_finite() {
        let mut matrix = row(&[0.0, 1.0, -3.0, f32::NAN]);
        matrix.apply_floor(1e-20);
        matrix.apply_log();
        assert_eq!(matrix.as_slice()[..3], [1e-20_f32.ln(), 0.0, 1e-20_f32.ln()]);
        assert!(matrix.as_slice()[3].is_nan());
    }

    #[test]
    fn powers_are_those_of_pow() {
        let power = |power| {
            let mut matrix = row(&[1.0, -2.0, 0.0]);
            matrix.apply_pow(power);
            matrix.into_vec()
        };
        assert_eq!(power(2.0), [1.0, 4.0, 0.0]);
        assert_eq!(power(3.0), [1.0, -8.0, 0.0]);
        assert_eq!(power(-1.0), [1.0, -0.5, f32::INFINITY]);
        assert_eq!(power(0.0), [1.0, 1.0, 1.0]);
        assert!(power(0.5)[1].is_nan());
    }

    #[test]
    fn a_softmax_sums_to_one_even_of_large_values() {
        let mut matrix = Matrix::from_vec(2, 3, vec![0.0_f32, 1.0, 2.0, 1000.0, 1000.0, -1000.0]);
        matrix.apply_softmax_per_row();
        assert_eq!(matrix.as_slice(), [0.09003057, 0.24472847, 0.66524096, 0.5, 0.5, 0.0]);
    }

    #[test]
    fn sums_are_in_double_precision() {
        let matrix = Matrix::from_vec(3, 2, vec![16777216.0_f32, 1.0, 1.0, 1.0, 1.0, 1.0]);
        assert_eq!(matrix.column_sums().as_slice(), [16777218.0, 3.0]);
        assert_eq!(matrix.sum(), 16777221.0);
    }

    #[test]
    fn the_largest_is_a_number() {
        assert_eq!(row(&[f32::NAN, -1.0, -3.0]).max(), Some(-1.0));
        assert_eq!(row(&[f32::NAN]).max(), None);
        assert_eq!(Matrix::<f32>::default().max(), None);
    }

    #[test]
    fn approximately_equal_is_relative_to_the_first() {
        assert!(row(&[100.0]).is_approx_equal(&row(&[101.0]), 0.01));
        assert!(!row(&[100.0]).is_approx_equal(&row(&[102.0]), 0.01));
        assert!(!row(&[1.0]).is_approx_equal(&row(&[1.0, 1.0]), 1.0));
        assert!(!row(&[f32::NAN]).is_approx_equal(&row(&[f32::NAN]), 1.0));
    }
}
