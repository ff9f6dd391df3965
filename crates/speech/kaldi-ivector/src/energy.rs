//! The directions in which the vectors of a recording vary most.

use kaldi_gmm::transform::PcaStats;
use kaldi_matrix::Matrix;

use crate::{Error, Result};

/// A target this near to 1 keeps everything.
const NEAR: f32 = 0.001;

/// Finds the projection of vectors (`num_vectors × dim`) to the directions of the largest variance. It has one
/// direction more than needed to have more than `target_energy` of all the variance. `None` if the target is 1, or
/// nearly 1.
///
/// If the vectors do not vary, the first dimension is kept. If there are only as many vectors as directions kept, the
/// last direction is arbitrary. Follows Kaldi's `ivector-plda-scoring-dense`, which compares sums in single precision.
///
/// # Errors
/// If more directions are needed than there are, or the vectors are not finite.
pub fn energy_projection(vectors: &Matrix<f32>, target_energy: f32) -> Result<Option<Matrix<f32>>> {
    if target_energy.is_finite() && (target_energy - 1.0).abs() <= NEAR * (target_energy.abs() + 1.0) {
        return Ok(None);
    }
    let what = "the directions of the largest variance";
    let mut stats = PcaStats::default();
    stats.add(&vectors.to_precision()).map_err(Error::matrix(what))?;
    let pca = stats.estimate().map_err(Error::Gmm)?;
    let variances: Vec<f32> = pca.variances.to_precision().into_vec();
    let total: f32 = variances.iter().sum();
    let (mut dim, mut energy) = (1, 0.0);
    while energy / total <= target_energy {
        // Using all directions is not enough.
        energy += variances.get(dim - 1).filter(|_| dim < variances.len()).ok_or(Error::Option {
            name: "target_energy",
            expected: "a part of the variance for which fewer directions are enough than there are",
            got: f64::from(target_energy),
        })?;
        dim += 1;
    }
    Ok(Some(pca.transform.range(0..dim, 0..pca.transform.num_cols()).to_precision()))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Variances 8, 2 and 0.5 in the three dimensions.
    fn vectors() -> Matrix<f32> {
        let (a, b, c) = (24.0_f32.sqrt(), 6.0_f32.sqrt(), 1.5_f32.sqrt());
        let rows = [[a, 0.0, 0.0], [-a, 0.0, 0.0], [0.0, b, 0.0], [0.0, -b, 0.0], [0.0, 0.0, c], [0.0, 0.0, -c]];
        Matrix::from_vec(6, 3, rows.as_flattened().to_vec())
    }

    #[test]
    fn one_more_direction_is_kept_than_has_enough_variance() {
        let dim = |target| energy_projection(&vectors(), target).unwrap().unwrap().num_rows();
        // The first has 76 percent, the first two have 95.
        assert_eq!([dim(-1.0), dim(0.5), dim(0.76), dim(0.77), dim(0.95)], [1, 2, 2, 3, 3]);
        let projection = energy_projection(&vectors(), 0.5).unwrap().unwrap();
        assert!((projection.row(0)[0].abs() - 1.0).abs() < 1e-6 && (projection.row(1)[1].abs() - 1.0).abs() < 1e-6);
    }

    #[test]
    fn everything_is_kept_by_no_projection() {
        for target in [1.0, 0.9985, 1.0015] {
            assert_eq!(energy_projection(&vectors(), target).unwrap(), None);
        }
    }

    #[test]
    fn vectors_that_do_not_vary_keep_the_first_dimension() {
        let projection = energy_projection(&Matrix::from_vec(1, 2, vec![3.0, 4.0]), 0.5).unwrap().unwrap();
        assert_eq!(projection.as_slice(), [1.0, 0.0]);
    }

    #[test]
    fn more_directions_than_there_are_are_refused() {
        for target in [0.96, 2.0, f32::INFINITY] {
            let message = energy_projection(&vectors(), target).unwrap_err().to_string();
            assert!(message.starts_with("expected `target_energy` to be a part of the variance"), "{message}");
        }
        assert!(energy_projection(&Matrix::from_vec(1, 1, vec![f32::NAN]), 0.5).is_err());
        assert!(energy_projection(&Matrix::default(), 0.5).is_err());
    }
}
