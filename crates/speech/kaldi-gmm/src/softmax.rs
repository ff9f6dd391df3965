//! Log likelihoods of Gaussians as probabilities.

use kaldi_matrix::Matrix;
use kaldi_simd::{Kernel, WIDTH, dispatch, exp_all};

/// Rows whose sums are computed side by side: each addition of a row waits for the one before.
const ROWS: usize = 8;

/// Turns log likelihoods into probabilities with a sum of one, and returns the log of the sum of the likelihoods. They
/// are no numbers if no likelihood is more than zero.
pub fn softmax(values: &mut [f32]) -> f32 {
    let mut log_sum = f32::NEG_INFINITY;
    softmax_of(values, values.len(), |row_log_sum| log_sum = row_log_sum);
    log_sum
}

/// Does the same with each row of a matrix, and returns the logs of the sums.
pub(crate) fn softmax_rows(matrix: &mut Matrix<f32>) -> Vec<f32> {
    let (num_rows, dim) = matrix.size();
    let mut log_sums = Vec::with_capacity(num_rows);
    softmax_of(matrix.as_mut_slice(), dim, |log_sum| log_sums.push(log_sum));
    log_sums
}

/// `rows` have `dim` numbers each.
fn softmax_of(rows: &mut [f32], dim: usize, mut visit: impl FnMut(f32)) {
    for rows in rows.chunks_mut((ROWS * dim).max(1)) {
        let maxima = dispatch(SubtractMaxima { rows, dim });
        exp_all(rows);
        let sums = dispatch(DivideBySums { rows, dim });
        maxima.into_iter().zip(sums).take(rows.len() / dim).for_each(|(max, sum)| visit(max + sum.ln()));
    }
}

/// Subtracts the largest number of each row from the row.
struct SubtractMaxima<'a> {
    rows: &'a mut [f32],
    dim: usize,
}

impl Kernel for SubtractMaxima<'_> {
    type Output = [f32; ROWS];

    #[inline(always)]
    fn compute(self) -> [f32; ROWS] {
        let mut maxima = [f32::NEG_INFINITY; ROWS];
        for (row, max) in self.rows.chunks_exact_mut(self.dim).zip(&mut maxima) {
            *max = largest(row);
            for value in row {
                *value -= *max;
            }
        }
        maxima
    }
}

/// The largest number; minus infinity if there is none.
#[inline(always)]
fn largest(row: &[f32]) -> f32 {
    let (blocks, rest) = row.as_chunks::<WIDTH>();
    let mut maxima = [f32::NEG_INFINITY; WIDTH];
    for block in blocks {
        for lane in 0..WIDTH {
            maxima[lane] = if block[lane] > maxima[lane] { block[lane] } else { maxima[lane] };
        }
    }
    let mut max = f32::NEG_INFINITY;
    for &value in maxima.iter().chain(rest) {
        max = if value > max { value } else { max };
    }
    max
}

/// Divides each row by its sum.
struct DivideBySums<'a> {
    rows: &'a mut [f32],
    dim: usize,
}

impl Kernel for DivideBySums<'_> {
    type Output = [f32; ROWS];

    #[inline(always)]
    fn compute(self) -> [f32; ROWS] {
        let Self { rows, dim } = self;
        let mut sums = [0.0; ROWS];
        if rows.len() == ROWS * dim {
            for at in 0..dim {
                for (row, sum) in sums.iter_mut().enumerate() {
                    *sum += rows[row * dim + at];
                }
            }
        } else {
            for (row, sum) in rows.chunks_exact(dim).zip(&mut sums) {
                *sum = row.iter().sum();
            }
        }
        for (row, sum) in rows.chunks_exact_mut(dim).zip(&sums) {
            for value in row {
                *value /= *sum;
            }
        }
        sums
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn probabilities_have_a_sum_of_one() {
        for (dim, num_rows) in [(1, 1), (3, 8), (20, 19), (64, 8), (7, 3)] {
            let values = (0..dim * num_rows).map(|at| ((at * 7919) % 101) as f32 / 7.0 - 900.0).collect();
            let logs = Matrix::from_vec(num_rows, dim, values);
            let mut rows = logs.clone();
            let log_sums = softmax_rows(&mut rows);
            for ((row, logs), log_sum) in rows.rows().zip(logs.rows()).zip(log_sums) {
                assert!((row.iter().sum::<f32>() - 1.0).abs() < 1e-5);
                let exact: f64 = logs.iter().map(|&log| f64::from(log + 900.0).exp()).sum();
                assert!((f64::from(log_sum) + 900.0 - exact.ln()).abs() < 1e-4, "{dim} {log_sum}");
                // One row alone gets the same bits.
                let mut alone = logs.to_vec();
                assert_eq!((softmax(&mut alone), &alone[..]), (log_sum, row));
            }
        }
    }

    #[test]
    fn likelihoods_of_zero_give_no_probabilities() {
        let mut none = [f32::NEG_INFINITY; 9];
        assert!(!softmax(&mut none).is_finite() && none.iter().all(|value| value.is_nan()));
        let mut one = [f32::NEG_INFINITY, 3.0, f32::NAN];
        assert!(softmax(&mut one).is_nan());
        let mut one = [f32::NEG_INFINITY, 3.0];
        assert_eq!((softmax(&mut one), one), (3.0, [0.0, 1.0]));
        assert_eq!(softmax(&mut []), f32::NEG_INFINITY);
        assert!(softmax_rows(&mut Matrix::default()).is_empty());
    }
}
