//! Sums of squares of vectors.

use kaldi_matrix::{Matrix, SymmetricMatrix};

/// The number of vectors whose outer products are computed together: a product of matrices is much faster than its
/// parts.
const BLOCK: usize = 256;

/// A sum of the outer products of vectors with themselves, in double precision.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Squares {
    sum: SymmetricMatrix,
    /// Vectors whose products are not in the sum yet.
    waiting: Vec<f64>,
}

impl Squares {
    pub(crate) fn new(dim: usize) -> Self {
        Self { sum: SymmetricMatrix::new(dim), waiting: Vec::new() }
    }

    pub(crate) fn dim(&self) -> usize {
        self.sum.dim()
    }

    /// Adds `weight` times the outer product of a vector of the right dimension; `weight` is not negative.
    pub(crate) fn add(&mut self, weight: f64, vector: impl IntoIterator<Item = f64>) {
        let root = weight.sqrt();
        self.waiting.extend(vector.into_iter().map(|value| value * root));
        if self.waiting.len() >= BLOCK * self.dim() {
            self.flush();
        }
    }

    /// The sum of all that was added.
    pub(crate) fn finish(mut self) -> SymmetricMatrix {
        self.flush();
        self.sum
    }

    fn flush(&mut self) {
        let waiting = std::mem::take(&mut self.waiting);
        let num_vectors = waiting.len().checked_div(self.dim()).unwrap_or(0);
        let added = self.sum.add_gram(1.0, &Matrix::from_vec(num_vectors, self.dim(), waiting));
        debug_assert!(added.is_ok());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_add_up_to_the_sum_of_all() {
        let mut squares = Squares::new(2);
        let mut expected = SymmetricMatrix::new(2);
        for index in 0..3 * BLOCK / 2 {
            let vector = [index as f64, 1.0];
            squares.add(4.0, vector);
            expected.add_outer(4.0, &vector).unwrap();
        }
        assert_eq!(squares.finish(), expected);
        assert_eq!(Squares::new(3).finish(), SymmetricMatrix::new(3));
        assert!(Squares::new(0).finish().is_empty());
    }
}
