//! The mean of vectors, and their mean length.

use kaldi_matrix::{Result, Vector};

/// Sums over vectors of one dimension, in double precision: the vectors themselves, and the squares of their lengths.
#[derive(Clone, Debug, Default)]
pub struct VectorMoments {
    count: u64,
    sum: Vector<f64>,
    sum_of_squares: f64,
}

impl VectorMoments {
    /// Adds a vector. The first one that has elements determines the dimension.
    ///
    /// # Errors
    /// If it has another dimension than those before it.
    pub fn add(&mut self, vector: &Vector<f32>) -> Result<()> {
        if self.sum.is_empty() {
            self.sum.resize(vector.dim());
        }
        self.sum.add(vector)?;
        self.sum_of_squares += vector.dot(vector)?;
        self.count += 1;
        Ok(())
    }

    /// The number of vectors.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The sum of the vectors.
    pub fn sum(&self) -> &Vector<f64> {
        &self.sum
    }

    /// The mean of the vectors; NaN if there are none.
    pub fn mean(&self) -> Vector<f64> {
        let mut mean = self.sum.clone();
        mean.scale(1.0 / self.count as f64);
        mean
    }

    /// The mean of the squares of their lengths; NaN if there are no vectors.
    pub fn mean_square(&self) -> f64 {
        self.sum_of_squares / self.count as f64
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_means_over_vectors() {
        let mut moments = VectorMoments::default();
        assert!(moments.mean().is_empty() && moments.mean_square().is_nan());
        for vector in [[1.0, 0.0], [3.0, -4.0]] {
            moments.add(&Vector::from_vec(vector.to_vec())).unwrap();
        }
        assert_eq!(moments.count(), 2);
        assert_eq!((moments.sum().as_slice(), moments.mean().as_slice()), (&[4.0, -4.0][..], &[2.0, -2.0][..]));
        assert_eq!(moments.mean_square(), 13.0);
    }

    #[test]
    fn a_vector_of_another_dimension_is_refused_and_not_counted() {
        let mut moments = VectorMoments::default();
        moments.add(&Vector::from_vec(vec![1.0])).unwrap();
        assert!(moments.add(&Vector::from_vec(vec![1.0, 2.0])).is_err());
        assert_eq!(moments.count(), 1);
    }
}
