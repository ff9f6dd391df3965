//! Linear and affine transforms.
//!
//! A transform of input with `dim` elements is a matrix. It is linear if it has `dim` columns, and affine if it has one
//! more: the last column is then an offset. Its rows are the elements of the output.

use kaldi_simd::{Kernel, dispatch};

use crate::factor::{Factor, Product};
use crate::{Error, Matrix, Real, Result, Vector};

/// A transform that is applied: the output is `input * linear + beta * out`.
pub(crate) struct Parts<'a, T> {
    /// The offsets, or anything.
    pub out: Matrix<T>,
    pub linear: Factor<'a, T>,
    pub beta: T,
}

impl<T: Real> Matrix<T> {
    /// Applies a transform to every row: `num_frames × dim` gives `num_frames × transform.num_rows()`.
    ///
    /// The transform is linear if it has `dim` columns, and affine if it has one more: the last column is then an
    /// offset. Follows Kaldi's transform-feats.
    ///
    /// # Errors
    /// If the transform has another number of columns.
    pub fn transformed(&self, transform: &Self) -> Result<Self> {
        let Parts { mut out, linear: right, beta } = transform.parts(self.size())?;
        T::gemm(&Product { left: self.factor(), right, beta }, out.as_mut_slice());
        Ok(out)
    }

    /// Makes ready for the application of this transform to `num_rows × dim` input.
    pub(crate) fn parts(&self, (num_rows, dim): (usize, usize)) -> Result<Parts<'_, T>> {
        let mut out = Self::new(num_rows, self.num_rows());
        if self.num_cols() == dim {
            return Ok(Parts { out, linear: self.transposed_factor(), beta: T::default() });
        }
        if self.num_cols() != dim + 1 {
            return Err(Error::Transform { dim, got: self.size() });
        }
        for row in out.rows_mut() {
            for (element, offset) in row.iter_mut().zip(self.as_slice()[dim..].iter().step_by(dim + 1)) {
                *element = *offset;
            }
        }
        let linear = Factor { rows: dim, ..self.transposed_factor() };
        Ok(Parts { out, linear, beta: T::from_f64(1.0) })
    }

    /// Composes two transforms: applying the result is applying `first` and then `self`.
    ///
    /// `self` is linear or affine according to its columns and the rows of `first`. The size of `first` does not show
    /// whether it is affine. The result is affine if one of the two is. Follows Kaldi's `ComposeTransforms`.
    ///
    /// # Errors
    /// If `self` cannot be applied to the output of `first`.
    pub fn composed_after(&self, first: &Self, first_is_affine: bool) -> Result<Self> {
        let dim = first.num_rows();
        if self.num_cols() == dim {
            return self.multiply(first);
        }
        if self.num_cols() != dim + 1 || first.is_empty() {
            return Err(Error::Transform { dim, got: self.size() });
        }
        let mut composed = self.range(0..self.num_rows(), 0..dim).multiply(first)?;
        if !first_is_affine {
            composed.resize(self.num_rows(), first.num_cols() + 1);
        }
        for (row, of_self) in composed.rows_mut().zip(self.rows()) {
            if let Some(offset) = row.last_mut() {
                *offset += of_self[dim];
            }
        }
        Ok(composed)
    }
}

impl<T: Real> Matrix<T> {
    /// Extends a transform of square size, `dim × dim` or affine with an offset, to `new_dim`: it does not change the
    /// new dimensions. A transform without elements becomes the unit matrix.
    ///
    /// # Errors
    /// If it is neither, or `new_dim` is smaller. Follows Kaldi's extend-transform-dim.
    pub fn extended_to(&self, new_dim: usize) -> Result<Self> {
        let (dim, num_cols) = self.size();
        let is_affine = num_cols == dim + 1;
        if !is_affine && num_cols != dim {
            return Err(Error::Transform { dim, got: self.size() });
        }
        if new_dim < dim {
            let size = |dim| (dim, dim + usize::from(is_affine));
            return Err(Error::Size { what: "transform", expected: size(new_dim), got: size(dim) });
        }
        let mut extended = self.range(0..dim, 0..dim);
        extended.resize(new_dim, new_dim + usize::from(is_affine));
        for index in dim..new_dim {
            extended.row_mut(index)[index] = T::from_f64(1.0);
        }
        if is_affine {
            for (to, from) in extended.rows_mut().zip(self.rows()) {
                to[new_dim] = from[dim];
            }
        }
        Ok(extended)
    }
}

impl<T: Real> Vector<T> {
    /// Applies a transform: `dim` elements give `transform.num_rows()`.
    ///
    /// The transform is linear if it has `dim` columns, and affine if it has one more: the last column is then an
    /// offset. Follows Kaldi's transform-vec.
    ///
    /// # Errors
    /// If the transform has another number of columns.
    pub fn transformed(&self, transform: &Matrix<T>) -> Result<Self> {
        let dim = self.dim();
        if transform.num_cols() != dim && transform.num_cols() != dim + 1 {
            return Err(Error::Transform { dim, got: transform.size() });
        }
        Ok(dispatch(Application { transform, vector: self }))
    }
}

/// A transform that is applied to a vector.
struct Application<'a, T> {
    transform: &'a Matrix<T>,
    vector: &'a Vector<T>,
}

impl<T: Real> Kernel for Application<'_, T> {
    type Output = Vector<T>;

    #[inline(always)]
    fn compute(self) -> Vector<T> {
        let Self { transform, vector } = self;
        let dim = vector.dim();
        let mut out = Vector::new(transform.num_rows());
        for (out, row) in out.as_mut_slice().iter_mut().zip(transform.rows()) {
            let sum = sum_of_products(&row[..dim], vector.as_slice());
            *out = if dim < row.len() { sum + row[dim] } else { sum };
        }
        out
    }
}

/// The inner product in the precision of the elements, as 32 parallel sums: the processor adds to several at once, and
/// need not wait for one before the next.
#[inline(always)]
fn sum_of_products<T: Real>(left: &[T], right: &[T]) -> T {
    const LANES: usize = 32;
    let (left, left_rest) = left.as_chunks::<LANES>();
    let (right, right_rest) = right.as_chunks::<LANES>();
    let mut sums = [T::default(); LANES];
    for (left, right) in left.iter().zip(right) {
        for lane in 0..LANES {
            sums[lane] += left[lane] * right[lane];
        }
    }
    let mut sum = T::default();
    for lane in sums {
        sum += lane;
    }
    for (&a, &b) in left_rest.iter().zip(right_rest) {
        sum += a * b;
    }
    sum
}

/// Transforms to be applied one after the other, composed to one.
///
/// Whether the first one is linear or affine depends on its input, so that there is one composition for each case.
#[derive(Clone, Debug, PartialEq)]
pub struct ComposedTransform<T> {
    /// For input with as many elements as the first transform has columns.
    linear: Matrix<T>,
    /// For input with one element less.
    affine: Matrix<T>,
    num_cols: usize,
}

impl<T: Real> ComposedTransform<T> {
    /// Starts with the transform that is applied first.
    pub fn new(first: Matrix<T>) -> Self {
        Self { num_cols: first.num_cols(), linear: first.clone(), affine: first }
    }

    /// Appends a transform.
    ///
    /// # Errors
    /// If it cannot be applied to the output so far.
    pub fn then(self, next: &Matrix<T>) -> Result<Self> {
        let became_affine = self.linear.num_cols() > self.num_cols;
        Ok(Self {
            linear: next.composed_after(&self.linear, became_affine)?,
            affine: next.composed_after(&self.affine, true)?,
            num_cols: self.num_cols,
        })
    }

    /// The transform for input with `dim` elements.
    ///
    /// # Errors
    /// If the first transform cannot be applied to that.
    pub fn for_dim(&self, dim: usize) -> Result<&Matrix<T>> {
        if dim == self.num_cols {
            Ok(&self.linear)
        } else if dim + 1 == self.num_cols {
            Ok(&self.affine)
        } else {
            Err(Error::Transform { dim, got: (self.affine.num_rows(), self.num_cols) })
        }
    }

    /// Rounds to a precision.
    pub fn to_precision<U: Real>(&self) -> ComposedTransform<U> {
        ComposedTransform {
            linear: self.linear.to_precision(),
            affine: self.affine.to_precision(),
            num_cols: self.num_cols,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(rows: usize, values: &[f32]) -> Matrix<f32> {
        Matrix::from_vec(rows, values.len() / rows, values.to_vec())
    }

    #[test]
    fn nothing_is_transformed_to_nothing() {
        let empty = Matrix::<f32>::default();
        assert!(empty.transformed(&empty).unwrap().is_empty());
    }

    #[test]
    fn one_column_more_is_an_offset() {
        let feats = matrix(2, &[1.0, 2.0, 3.0, 4.0]);
        let linear = matrix(3, &[1.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
        assert_eq!(feats.transformed(&linear).unwrap(), matrix(2, &[1.0, 2.0, 3.0, 3.0, 4.0, 7.0]));
        let affine = matrix(3, &[1.0, 0.0, 10.0, 0.0, 1.0, 20.0, 1.0, 1.0, 30.0]);
        assert_eq!(feats.transformed(&affine).unwrap(), matrix(2, &[11.0, 22.0, 33.0, 13.0, 24.0, 37.0]));
        let error = feats.transformed(&matrix(1, &[1.0; 4])).unwrap_err();
        assert_eq!(error.to_string(), "expected a transform with 2 or 3 columns, got 1 by 4");
    }

    #[test]
    fn a_composition_does_what_its_parts_do() {
        let feats = matrix(2, &[1.0, 2.0, 3.0, 4.0]);
        let linear = matrix(3, &[1.0, 0.0, 0.0, 2.0, 1.0, -1.0]);
        let affine = matrix(3, &[1.0, 0.0, 10.0, 0.0, 1.0, 20.0, 1.0, 1.0, 30.0]);
        let linear_second = matrix(2, &[1.0, 2.0, 3.0, 0.0, 1.0, 0.5]);
        let affine_second = matrix(2, &[1.0, 2.0, 3.0, 4.0, 0.0, 1.0, 0.5, -5.0]);
        for (first, is_affine) in [(&linear, false), (&affine, true)] {
            for second in [&linear_second, &affine_second] {
                let composed = second.composed_after(first, is_affine).unwrap();
                let one_by_one = feats.transformed(first).unwrap().transformed(second).unwrap();
                assert_eq!(feats.transformed(&composed).unwrap(), one_by_one);
            }
        }
        let error = matrix(1, &[1.0; 4]).composed_after(&linear_second, false).unwrap_err();
        assert_eq!(error.to_string(), "expected a transform with 2 or 3 columns, got 1 by 4");
        assert!(matrix(1, &[1.0]).composed_after(&Matrix::default(), true).is_err());
    }

    #[test]
    fn an_extended_transform_leaves_what_is_new() {
        let linear = matrix(2, &[1.0, 2.0, 3.0, 4.0]);
        let extended = linear.extended_to(3).unwrap();
        assert_eq!(extended, matrix(3, &[1.0, 2.0, 0.0, 3.0, 4.0, 0.0, 0.0, 0.0, 1.0]));
        let affine = matrix(2, &[1.0, 2.0, 8.0, 3.0, 4.0, 9.0]);
        let extended = affine.extended_to(3).unwrap();
        assert_eq!(extended, matrix(3, &[1.0, 2.0, 0.0, 8.0, 3.0, 4.0, 0.0, 9.0, 0.0, 0.0, 1.0, 0.0]));
        assert_eq!(affine.extended_to(2).unwrap(), affine);
        assert_eq!(Matrix::default().extended_to(1).unwrap(), matrix(1, &[1.0_f32]));
        let error = affine.extended_to(1).unwrap_err();
        assert_eq!(error.to_string(), "expected a transform of 1 by 2, got 2 by 3");
        let error = matrix(1, &[1.0; 3]).extended_to(5).unwrap_err();
        assert_eq!(error.to_string(), "expected a transform with 1 or 2 columns, got 1 by 3");
    }

    #[test]
    fn vectors_are_transformed_like_rows() {
        let vector = Vector::from_vec(vec![1.0_f32, 2.0]);
        let linear = matrix(3, &[1.0, 0.0, 0.0, 1.0, 1.0, 1.0]);
        assert_eq!(vector.transformed(&linear).unwrap().as_slice(), [1.0, 2.0, 3.0]);
        let affine = matrix(1, &[1.0, 1.0, 10.0]);
        assert_eq!(vector.transformed(&affine).unwrap().as_slice(), [13.0]);
        assert_eq!(Vector::default().transformed(&matrix(2, &[5.0, 6.0])).unwrap().as_slice(), [5.0, 6.0]);
        let error = vector.transformed(&matrix(1, &[1.0; 4])).unwrap_err();
        assert_eq!(error.to_string(), "expected a transform with 2 or 3 columns, got 1 by 4");
    }

    #[test]
    fn long_vectors_lose_no_element() {
        for dim in [0, 1, 15, 16, 17, 100] {
            let vector = Vector::from_vec((0..dim).map(|value| value as f32).collect());
            let mut ones = vec![1.0; dim];
            ones.push(0.5);
            let sum = (dim * dim.saturating_sub(1) / 2) as f32;
            let transform = Matrix::from_vec(1, dim + 1, ones);
            assert_eq!(vector.transformed(&transform).unwrap().as_slice(), [sum + 0.5], "{dim}");
        }
    }

    #[test]
    fn a_chain_does_what_its_parts_do_whatever_the_first_one_is() {
        let first = matrix(2, &[1.0, 0.5, -1.0, 0.0, 2.0, 3.0]);
        let affine = matrix(2, &[1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let linear = matrix(1, &[2.0, -1.0]);
        let chain = ComposedTransform::new(first.clone()).then(&affine).unwrap().then(&affine).unwrap();
        let chain = chain.then(&linear).unwrap();
        for feats in [matrix(2, &[1.0, 2.0, 3.0, 4.0]), matrix(1, &[1.0, 2.0, 3.0])] {
            let mut expected = feats.clone();
            for transform in [&first, &affine, &affine, &linear] {
                expected = expected.transformed(transform).unwrap();
            }
            let composed = chain.for_dim(feats.num_cols()).unwrap();
            assert_eq!(feats.transformed(composed).unwrap(), expected);
            assert_eq!(chain.to_precision::<f64>().for_dim(feats.num_cols()).unwrap(), &composed.to_precision());
        }
        let error = chain.for_dim(4).unwrap_err();
        assert_eq!(error.to_string(), "expected a transform with 4 or 5 columns, got 1 by 3");
        let error = chain.then(&first).unwrap_err();
        assert_eq!(error.to_string(), "expected a transform with 1 or 2 columns, got 2 by 3");
    }
}
