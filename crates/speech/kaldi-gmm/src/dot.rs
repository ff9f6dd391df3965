//! Inner products in single precision.

use kaldi_simd::{Kernel, Lanes, WIDTH, dispatch};

/// The inner products of one vector with the rows of a matrix that `rows` names; `sums` gets them added.
pub(crate) struct Products<'a> {
    pub(crate) vector: &'a [f32],
    /// Rows of the length of the vector.
    pub(crate) matrix: &'a [f32],
    pub(crate) rows: &'a [usize],
    pub(crate) sums: &'a mut [f32],
}

impl Products<'_> {
    /// Computes them.
    ///
    /// # Panics
    /// If there is no such row.
    pub(crate) fn add(self) {
        dispatch(self);
    }
}

impl Kernel for Products<'_> {
    type Output = ();

    #[inline(always)]
    fn compute(self) {
        let dim = self.vector.len();
        for (sum, &row) in self.sums.iter_mut().zip(self.rows) {
            *sum += dot(self.vector, &self.matrix[row * dim..][..dim]);
        }
    }
}

/// The inner product of two slices of the same length, in 32 sums side by side.
#[inline(always)]
fn dot(left: &[f32], right: &[f32]) -> f32 {
    const BLOCK: usize = 4 * WIDTH;
    let (left_blocks, left) = left.as_chunks::<BLOCK>();
    let (right_blocks, right) = right.as_chunks::<BLOCK>();
    let mut sums = [Lanes::ZERO; 4];
    for (left, right) in left_blocks.iter().zip(right_blocks) {
        let (left, right) = (left.as_chunks::<WIDTH>().0, right.as_chunks::<WIDTH>().0);
        for ((sum, left), right) in sums.iter_mut().zip(left).zip(right) {
            *sum += Lanes(*left) * Lanes(*right);
        }
    }
    let (left_lanes, left) = left.as_chunks::<WIDTH>();
    let (right_lanes, right) = right.as_chunks::<WIDTH>();
    for (left, right) in left_lanes.iter().zip(right_lanes) {
        sums[0] += Lanes(*left) * Lanes(*right);
    }
    let [a, b, c, d] = sums;
    let sum: f32 = ((a + b) + (c + d)).0.iter().sum();
    left.iter().zip(right).fold(sum, |sum, (left, right)| sum + left * right)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn products_are_added_for_the_rows_that_are_named() {
        for dim in [1, 7, 8, 39, 64, 100] {
            let vector: Vec<f32> = (0..dim).map(|value| value as f32).collect();
            let matrix: Vec<f32> = (0..3 * dim).map(|value| (value % 5) as f32).collect();
            let mut sums = [0.5, 1.5];
            Products { vector: &vector, matrix: &matrix, rows: &[2, 0], sums: &mut sums }.add();
            let expected = |row: usize| -> f32 { (0..dim).map(|at| (at * ((row * dim + at) % 5)) as f32).sum() };
            assert_eq!(sums, [0.5 + expected(2), 1.5 + expected(0)], "{dim}");
        }
    }
}
