//! Principal component analysis.

use kaldi_matrix::{Matrix, SymmetricMatrix, Vector};

use crate::transform::lda::append_offset;
use crate::{Error, Result};

/// The number of single vectors that are added together.
const BATCH: usize = 256;

/// Variances below this are replaced by this in normalization.
const LEAST_VARIANCE: f64 = 1.0e-15;

/// Statistics for PCA: the sum of vectors and of their outer products.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PcaStats {
    count: u64,
    sum: Vector<f64>,
    squares: SymmetricMatrix,
    /// Single vectors that wait to be added together, which is faster.
    waiting: Vec<f64>,
}

/// An estimate of PCA.
#[derive(Clone, Debug, PartialEq)]
pub struct Pca {
    /// The variance in each direction, the largest first.
    pub variances: Vector<f64>,
    /// The directions, one row each: a transform with all dimensions.
    pub transform: Matrix<f64>,
    mean: Vector<f64>,
}

impl PcaStats {
    /// The number of vectors.
    pub fn count(&self) -> u64 {
        self.count
    }

    /// The dimension of the vectors, 0 if there are none yet.
    pub fn dim(&self) -> usize {
        self.sum.dim()
    }

    /// Adds the rows of a matrix; the first matrix determines the dimension.
    ///
    /// # Errors
    /// If they have another dimension.
    pub fn add(&mut self, rows: &Matrix<f64>) -> Result<(), kaldi_matrix::Error> {
        self.start(rows.num_cols());
        self.sum.add(&rows.column_sums())?;
        self.squares.add_gram(1.0, rows)?;
        self.count += rows.num_rows() as u64;
        Ok(())
    }

    /// Adds one vector; the first one determines the dimension.
    ///
    /// # Errors
    /// If it has another dimension.
    pub fn add_vector(&mut self, vector: &Vector<f64>) -> Result<(), kaldi_matrix::Error> {
        self.start(vector.dim());
        self.sum.add(vector)?;
        self.waiting.extend_from_slice(vector.as_slice());
        self.count += 1;
        if self.waiting.len() >= BATCH * self.dim() { self.add_waiting() } else { Ok(()) }
    }

    fn start(&mut self, dim: usize) {
        if self.dim() == 0 {
            *self = Self { sum: Vector::new(dim), squares: SymmetricMatrix::new(dim), ..Self::default() };
        }
    }

    fn add_waiting(&mut self) -> Result<(), kaldi_matrix::Error> {
        let waiting = std::mem::take(&mut self.waiting);
        let num_rows = waiting.len().checked_div(self.dim()).unwrap_or(0);
        self.squares.add_gram(1.0, &Matrix::from_vec(num_rows, self.dim(), waiting))
    }

    /// Estimates the directions of the largest variance. The signs of the directions are Kaldi's.
    ///
    /// # Errors
    /// If there are no statistics, or they are not finite.
    pub fn estimate(mut self) -> Result<Pca> {
        if self.count == 0 {
            return Err(Error::NoData);
        }
        let refused = || Error::estimate("the directions of the largest variance");
        self.add_waiting().map_err(refused())?;
        let Self { count, sum: mut mean, squares: mut covariance, .. } = self;
        let scale = 1.0 / count as f64;
        mean.scale(scale);
        covariance.scale(scale);
        covariance.add_outer(-1.0, mean.as_slice()).map_err(refused())?;
        let mut eigen = covariance.eigen().map_err(refused())?;
        eigen.sort_by_abs();
        Ok(Pca { variances: eigen.values, transform: eigen.vectors, mean })
    }
}

impl Pca {
    /// Scales the rows of the transform so that variances become 1; returns the variances that were so small that they
    /// were replaced by 1e-15.
    pub fn normalize_variance(&mut self) -> Vec<f64> {
        for (row, variance) in self.transform.rows_mut().zip(self.variances.as_slice()) {
            let scale = 1.0 / variance.max(LEAST_VARIANCE).sqrt();
            row.iter_mut().for_each(|element| *element *= scale);
        }
        self.variances.as_slice().iter().copied().filter(|&variance| variance < LEAST_VARIANCE).collect()
    }

    /// Appends an offset to the transform that makes the mean zero; call this last.
    pub fn normalize_mean(&mut self) {
        append_offset(&mut self.transform, &self.mean);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Mean (1, 2), variance 8 along (1, 1) and 0.5 across.
    fn rows() -> Matrix<f64> {
        Matrix::from_vec(
            4,
            2,
            vec![
                1.0 + 2.0 * 2.0_f64.sqrt(),
                2.0 + 2.0 * 2.0_f64.sqrt(),
                1.0 - 2.0 * 2.0_f64.sqrt(),
                2.0 - 2.0 * 2.0_f64.sqrt(),
                1.0 + 0.5_f64.sqrt(),
                2.0 - 0.5_f64.sqrt(),
                1.0 - 0.5_f64.sqrt(),
                2.0 + 0.5_f64.sqrt(),
            ],
        )
    }

    fn estimate() -> Pca {
        let mut stats = PcaStats::default();
        stats.add(&rows()).unwrap();
        stats.estimate().unwrap()
    }

    fn near(left: &[f64], right: &[f64]) -> bool {
        left.len() == right.len() && left.iter().zip(right).all(|(a, b)| (a - b).abs() < 1e-12)
    }

    #[test]
    fn the_largest_variance_is_first() {
        let pca = estimate();
        assert!(near(pca.variances.as_slice(), &[8.0, 0.5]), "{pca:?}");
        let half = 0.5_f64.sqrt();
        assert!(near(&pca.transform.as_slice().iter().map(|value| value.abs()).collect::<Vec<_>>(), &[half; 4]));
        assert!(pca.transform.row(0)[0] * pca.transform.row(0)[1] > 0.0);
    }

    #[test]
    fn vectors_count_like_rows() {
        let mut stats = PcaStats::default();
        for row in rows().rows() {
            stats.add_vector(&Vector::from_vec(row.to_vec())).unwrap();
        }
        assert_eq!((stats.count(), stats.dim()), (4, 2));
        assert!(near(stats.estimate().unwrap().variances.as_slice(), &[8.0, 0.5]));
    }

    #[test]
    fn many_vectors_count_like_their_rows() {
        let vector = |seed: usize| Vector::from_vec(vec![(seed % 7) as f64, (seed % 11) as f64, (seed % 13) as f64]);
        let (mut one_by_one, mut together) = (PcaStats::default(), PcaStats::default());
        let vectors: Vec<_> = (0..3 * BATCH + 5).map(vector).collect();
        vectors.iter().for_each(|vector| one_by_one.add_vector(vector).unwrap());
        let rows = vectors.iter().flat_map(|vector| vector.as_slice()).copied().collect();
        together.add(&Matrix::from_vec(vectors.len(), 3, rows)).unwrap();
        // Sums of integers are exact.
        assert_eq!(one_by_one.estimate().unwrap(), together.estimate().unwrap());
    }

    #[test]
    fn normalized_variances_are_one_and_the_mean_is_zero() {
        let mut pca = estimate();
        assert!(pca.normalize_variance().is_empty());
        pca.normalize_mean();
        let normalized = rows().transformed(&pca.transform).unwrap();
        assert!(near(normalized.column_sums().as_slice(), &[0.0, 0.0]));
        assert!(near(normalized.gram().as_slice(), &[4.0, 0.0, 0.0, 4.0]));
    }

    #[test]
    fn variances_that_are_tiny_are_floored() {
        let mut stats = PcaStats::default();
        stats.add(&Matrix::from_vec(2, 2, vec![1.0, 0.0, -1.0, 0.0])).unwrap();
        let mut pca = stats.estimate().unwrap();
        assert_eq!(pca.normalize_variance(), [0.0]);
        let scale = 1.0 / LEAST_VARIANCE.sqrt();
        assert_eq!(pca.transform.row(1)[1].abs(), scale);
    }

    #[test]
    fn other_dimensions_are_refused_and_change_nothing() {
        let mut stats = PcaStats::default();
        stats.add(&rows()).unwrap();
        let before = stats.clone();
        assert!(stats.add(&Matrix::new(1, 3)).is_err());
        assert!(stats.add_vector(&Vector::new(1)).is_err());
        assert_eq!(stats, before);
    }

    #[test]
    fn nothing_is_estimated_from_nothing() {
        assert_eq!(PcaStats::default().estimate().unwrap_err(), Error::NoData);
        let mut stats = PcaStats::default();
        stats.add(&Matrix::from_vec(1, 1, vec![f64::NAN])).unwrap();
        assert!(matches!(stats.estimate(), Err(Error::Estimate { .. })));
    }
}
