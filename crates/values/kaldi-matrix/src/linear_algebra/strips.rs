//! Many reflections and rotations of the rows of a matrix.
//!
//! Each of them changes every column in the same way. If all are applied to a few columns before the next ones, these columns
//! stay in the first-level cache, and the row that two rotations share stays in registers.

use kaldi_simd::{Kernel, dispatch};

use crate::Matrix;

/// The columns of a strip.
const COLUMNS: usize = 32;

/// A row of a strip, where registers can be loaded from at once.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Row([f64; COLUMNS]);

impl Row {
    const ZERO: Self = Self([0.0; COLUMNS]);
}

/// The reflection `1 - beta * v * v^T` of the first rows, as many as `v` has elements.
#[derive(Clone, Debug)]
pub(super) struct Reflection {
    pub vector: Vec<f64>,
    pub beta: f64,
}

/// Rotations of a row and the next one.
#[derive(Clone, Debug)]
pub(super) struct Rotations {
    /// The first of two rows of the first rotation. Each other one starts with the second row of the one before it.
    pub first: usize,
    /// The cosine and the sine of each.
    pub cos_sin: Vec<(f64, f64)>,
}

/// Applies reflections, one after the other.
pub(super) fn reflect(matrix: &mut Matrix<f64>, reflections: &[Reflection]) {
    change_strips(matrix, |strip| dispatch(Reflect { strip, reflections }));
}

/// Applies rotations, one after the other.
pub(super) fn rotate(matrix: &mut Matrix<f64>, rotations: &[Rotations]) {
    change_strips(matrix, |strip| dispatch(Rotate { strip, rotations }));
}

/// Calls `change` with some columns after the others. It may change what comes after the last one, too.
fn change_strips(matrix: &mut Matrix<f64>, mut change: impl FnMut(&mut [Row])) {
    let mut strip = vec![Row::ZERO; matrix.num_rows()];
    for first in (0..matrix.num_cols()).step_by(COLUMNS) {
        let end = matrix.num_cols().min(first + COLUMNS);
        for (row, part) in strip.iter_mut().zip(matrix.rows()) {
            row.0[..end - first].copy_from_slice(&part[first..end]);
        }
        change(&mut strip);
        for (row, part) in strip.iter().zip(matrix.rows_mut()) {
            part[first..end].copy_from_slice(&row.0[..end - first]);
        }
    }
}

struct Reflect<'a> {
    strip: &'a mut [Row],
    reflections: &'a [Reflection],
}

impl Kernel for Reflect<'_> {
    type Output = ();

    #[inline(always)]
    fn compute(self) {
        for Reflection { vector, beta } in self.reflections {
            let mut sums = [0.0; COLUMNS];
            for (row, value) in self.strip.iter().zip(vector) {
                sums.iter_mut().zip(&row.0).for_each(|(sum, element)| *sum += value * element);
            }
            for (row, value) in self.strip.iter_mut().zip(vector) {
                let factor = -beta * value;
                row.0.iter_mut().zip(&sums).for_each(|(element, sum)| *element += factor * sum);
            }
        }
    }
}

struct Rotate<'a> {
    strip: &'a mut [Row],
    rotations: &'a [Rotations],
}

impl Kernel for Rotate<'_> {
    type Output = ();

    #[inline(always)]
    fn compute(self) {
        for Rotations { first, cos_sin } in self.rotations {
            let rows = &mut self.strip[*first..=first + cos_sin.len()];
            let Row(mut left) = rows[0];
            for (at, (c, s)) in cos_sin.iter().enumerate() {
                let Row(right) = rows[at + 1];
                let (mut turned, mut next) = ([0.0; COLUMNS], [0.0; COLUMNS]);
                for column in 0..COLUMNS {
                    turned[column] = c * left[column] - s * right[column];
                    next[column] = s * left[column] + c * right[column];
                }
                rows[at] = Row(turned);
                left = next;
            }
            rows[cos_sin.len()] = Row(left);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix(num_rows: usize, num_cols: usize) -> Matrix<f64> {
        let element = |at: usize| ((at * 7919 + num_cols) % 1009) as f64 / 504.0 - 1.0;
        Matrix::from_vec(num_rows, num_cols, (0..num_rows * num_cols).map(element).collect())
    }

    #[test]
    fn rows_are_reflected_one_column_like_the_other() {
        for (num_rows, num_cols) in [(1, 1), (5, 32), (7, 70)] {
            let mut reflected = matrix(num_rows, num_cols);
            let mut expected = reflected.clone();
            let vector = |length: usize| (0..length).map(|at| 0.3 * at as f64 - 0.7).collect::<Vec<_>>();
            let lengths = [num_rows, num_rows / 2 + 1, 0];
            let reflections = lengths.map(|length| Reflection { vector: vector(length), beta: 0.1 * length as f64 });
            reflect(&mut reflected, &reflections);
            for Reflection { vector, beta } in &reflections {
                for column in 0..num_cols {
                    let terms = vector.iter().zip(expected.rows()).map(|(value, row)| value * row[column]);
                    let sum = terms.fold(0.0, |sum, term| sum + term);
                    for (value, row) in vector.iter().zip(expected.rows_mut()) {
                        row[column] += -beta * value * sum;
                    }
                }
            }
            assert_eq!(reflected, expected);
        }
    }

    #[test]
    fn rows_are_rotated_one_pair_after_the_other() {
        for num_cols in [1, 32, 70] {
            let mut rotated = matrix(6, num_cols);
            let mut expected = rotated.clone();
            let rotations = [
                Rotations { first: 0, cos_sin: vec![(0.6, 0.8), (0.8, -0.6), (0.0, 1.0), (0.28, 0.96), (1.0, 0.0)] },
                Rotations { first: 5, cos_sin: Vec::new() },
                Rotations { first: 2, cos_sin: vec![(-0.6, 0.8), (0.8, 0.6)] },
            ];
            rotate(&mut rotated, &rotations);
            for Rotations { first, cos_sin } in &rotations {
                for (upper, (c, s)) in (*first..).zip(cos_sin) {
                    for column in 0..num_cols {
                        let (x, y) = (expected.row(upper)[column], expected.row(upper + 1)[column]);
                        expected.row_mut(upper)[column] = c * x - s * y;
                        expected.row_mut(upper + 1)[column] = s * x + c * y;
                    }
                }
            }
            assert_eq!(rotated, expected);
        }
    }
}
