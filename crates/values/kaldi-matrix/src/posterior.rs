//! Posteriors as matrices, a row for each frame, and back.

use kaldi_value::Posterior;

use crate::{Error, Matrix, Result};

impl Matrix<f32> {
    /// Makes a matrix of `num_cols` columns that has the weight of every index in the column of the index, and 0 if a
    /// frame does not have it. If several entries have one index, the last counts (Kaldi's `PosteriorToMatrix`).
    ///
    /// Empty if there are no frames.
    ///
    /// # Errors
    /// If an index is no column.
    pub fn from_posterior(posterior: &Posterior, num_cols: usize) -> Result<Self> {
        let mut matrix = Self::new(posterior.0.len(), num_cols);
        for (row, frame) in matrix.rows_mut().zip(&posterior.0) {
            for &(index, weight) in frame {
                let place = usize::try_from(index).ok().and_then(|index| row.get_mut(index));
                *place.ok_or(Error::Index { dim: num_cols, got: index })? = weight;
            }
        }
        Ok(matrix)
    }

    /// Makes a posterior of the numbers of the columns, with the weight that `weigh` gives to each element; elements
    /// for which it returns `None` are left out. The elements come row after row.
    pub fn to_posterior(&self, mut weigh: impl FnMut(f32) -> Option<f32>) -> Posterior {
        let mut frame = |row: &[f32]| {
            let weights = row.iter().map(|&element| weigh(element));
            (0..).zip(weights).filter_map(|(index, weight)| Some((index, weight?))).collect()
        };
        Posterior(self.rows().map(&mut frame).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn posterior(frames: &[&[(i32, f32)]]) -> Posterior {
        Posterior(frames.iter().map(|frame| frame.to_vec()).collect())
    }

    #[test]
    fn weights_stand_in_the_columns_of_their_indices() {
        let matrix = Matrix::from_posterior(&posterior(&[&[(2, 0.5), (0, 0.25)], &[]]), 3).unwrap();
        assert_eq!(matrix, Matrix::from_vec(2, 3, vec![0.25, 0.0, 0.5, 0.0, 0.0, 0.0]));
        assert!(Matrix::from_posterior(&posterior(&[]), 3).unwrap().is_empty());
    }

    #[test]
    fn the_last_entry_of_an_index_counts() {
        let matrix = Matrix::from_posterior(&posterior(&[&[(0, 0.5), (0, 0.25)]]), 1).unwrap();
        assert_eq!(matrix.as_slice(), [0.25]);
    }

    #[test]
    fn an_index_that_is_no_column_is_refused() {
        for got in [-1, 3, i32::MAX] {
            let refused = Matrix::from_posterior(&posterior(&[&[], &[(got, 0.5)]]), 3);
            assert_eq!(refused, Err(Error::Index { dim: 3, got }));
        }
    }

    #[test]
    fn elements_become_weights() {
        let matrix = Matrix::from_vec(2, 3, vec![0.25, 0.0, 0.5, 0.0, f32::NAN, 1.0]);
        let pruned = matrix.to_posterior(|element| (element >= 0.5).then_some(2.0 * element));
        assert_eq!(pruned, posterior(&[&[(2, 1.0)], &[(2, 2.0)]]));
        assert_eq!(matrix.to_posterior(Some).0[1].len(), 3);
    }
}
