//! Estimates of models from vectors of known speakers.

use std::collections::BTreeMap;

use kaldi_matrix::{Matrix, SymmetricMatrix, Vector};

use super::Plda;
use crate::squares::Squares;
use crate::{Error, Result};

/// Statistics of the speakers: their mean vectors, and how their utterances spread around these.
#[derive(Clone, Debug, Default)]
pub struct PldaStats {
    dim: usize,
    num_speakers: usize,
    num_examples: usize,
    /// The means, one after the other, of speakers with the same number of utterances.
    means: BTreeMap<usize, Vec<f64>>,
    /// The squares of the differences of vectors from their speakers' means.
    scatter: Option<Squares>,
}

impl PldaStats {
    /// Adds the vectors of all utterances of a speaker; the first ones determine the dimension.
    ///
    /// # Errors
    /// If they have another dimension, or there are none.
    pub fn add(&mut self, vectors: &Matrix<f64>) -> Result<()> {
        if vectors.is_empty() {
            return Err(Error::Length { what: "utterances at least", expected: 1, got: 0 });
        }
        let dim = vectors.num_cols();
        let scatter = self.scatter.get_or_insert_with(|| Squares::new(dim));
        if scatter.dim() != dim {
            return Err(Error::Length { what: "elements of a vector", expected: scatter.dim(), got: dim });
        }
        let mut mean = vectors.column_sums();
        mean.scale(1.0 / vectors.num_rows() as f64);
        for row in vectors.rows() {
            scatter.add(1.0, row.iter().zip(mean.as_slice()).map(|(value, mean)| value - mean));
        }
        self.means.entry(vectors.num_rows()).or_default().extend(mean.into_vec());
        self.dim = dim;
        self.num_speakers += 1;
        self.num_examples += vectors.num_rows();
        Ok(())
    }

    /// The dimension of the vectors; 0 if there are none yet.
    pub fn dim(&self) -> usize {
        self.dim
    }
}

/// Estimates the covariances within and between speakers by expectation and maximization, step by step.
///
/// The mean of a speaker's vectors is the sum of two hidden parts: the position of the speaker, and the average of what
/// its utterances add. Given the covariances both are normally distributed, and given their distributions the
/// covariances are averages. Follows Kaldi's `PldaEstimator`; speakers with the same number of utterances are computed
/// together.
#[derive(Clone, Debug)]
pub struct PldaEstimator {
    mean: Vector<f64>,
    num_examples: f64,
    num_speakers: f64,
    scatter: SymmetricMatrix,
    /// Numbers of utterances, and the means of the speakers that have so many, minus the mean of all.
    groups: Vec<(f64, Matrix<f64>)>,
    within: SymmetricMatrix,
    between: SymmetricMatrix,
}

impl PldaEstimator {
    /// Starts with unit covariances. The mean of the model is the average of the speakers' means.
    ///
    /// # Errors
    /// If there are no statistics.
    pub fn new(stats: PldaStats) -> Result<Self> {
        let PldaStats { dim, num_speakers, num_examples, means, scatter } = stats;
        let Some(scatter) = scatter.filter(|_| dim > 0) else {
            return Err(Error::Length { what: "speakers at least", expected: 1, got: 0 });
        };
        let mut groups: Vec<_> = means
            .into_iter()
            .map(|(num, means)| (num as f64, Matrix::from_vec(means.len() / dim, dim, means)))
            .collect();
        let mut mean = Vector::new(dim);
        for (_, means) in &groups {
            mean.add(&means.column_sums()).map_err(Error::matrix("the mean of speakers"))?;
        }
        mean.scale(1.0 / num_speakers as f64);
        for row in groups.iter_mut().flat_map(|(_, means)| means.rows_mut()) {
            row.iter_mut().zip(mean.as_slice()).for_each(|(value, mean)| *value -= mean);
        }
        Ok(Self {
            mean,
            num_examples: num_examples as f64,
            num_speakers: num_speakers as f64,
            scatter: scatter.finish(),
            groups,
            within: SymmetricMatrix::identity(dim),
            between: SymmetricMatrix::identity(dim),
        })
    }

    /// The covariance within speakers, as estimated so far.
    pub fn within(&self) -> &SymmetricMatrix {
        &self.within
    }

    /// The covariance between speakers, as estimated so far.
    pub fn between(&self) -> &SymmetricMatrix {
        &self.between
    }

    /// Improves the covariances by one step.
    ///
    /// # Errors
    /// If one of them has become singular, or vectors are not finite.
    pub fn step(&mut self) -> Result<()> {
        let (within, between) = self.improved().map_err(Error::matrix("covariances of speakers"))?;
        (self.within, self.between) = (within, between);
        Ok(())
    }

    fn improved(&self) -> Result<(SymmetricMatrix, SymmetricMatrix), kaldi_matrix::Error> {
        let (within_inverse, between_inverse) = (self.within.inverse()?, self.between.inverse()?);
        let mut within = self.scatter.clone();
        let mut between = SymmetricMatrix::new(self.scatter.dim());
        for (num, means) in &self.groups {
            let num_speakers = means.num_rows() as f64;
            let mut precision = between_inverse.clone();
            precision.add_scaled(*num, &within_inverse)?;
            // The covariance of both hidden parts, and the matrix that maps means to the probable positions of the
            // speakers.
            let covariance = precision.inverse()?;
            let mut filter = within_inverse.to_matrix().multiply(&covariance.to_matrix())?;
            filter.scale(*num);
            let positions = means.multiply(&filter)?;
            let mut rests = means.clone();
            rests.add_scaled(-1.0, &positions)?;
            between.add_scaled(num_speakers, &covariance)?;
            between.add_gram(1.0, &positions)?;
            within.add_scaled(num_speakers * num, &covariance)?;
            within.add_gram(*num, &rests)?;
        }
        // Within speakers, two things count: the differences from their means, and the part of the means that comes
        // from utterances.
        within.scale(1.0 / self.num_examples);
        between.scale(1.0 / self.num_speakers);
        Ok((within, between))
    }

    /// The logarithm of the likelihood of the vectors, per vector.
    ///
    /// # Errors
    /// If a covariance is singular.
    pub fn objective(&self) -> Result<f64> {
        self.log_likelihood().map(|sum| sum / self.num_examples).map_err(Error::matrix("the likelihood of vectors"))
    }

    fn log_likelihood(&self) -> Result<f64, kaldi_matrix::Error> {
        let constant = std::f64::consts::TAU.ln() * self.scatter.dim() as f64;
        let within = self.within.cholesky()?;
        let num_differences = self.num_examples - self.num_speakers;
        let spread = within.inverse().trace_of_product(&self.scatter)?;
        let mut sum = -0.5 * (num_differences * (within.log_det() + constant) + spread);
        for (num, means) in &self.groups {
            let mut covariance = self.between.clone();
            covariance.add_scaled(1.0 / num, &self.within)?;
            let covariance = covariance.cholesky()?;
            let mut squares = SymmetricMatrix::new(self.scatter.dim());
            squares.add_gram(1.0, means)?;
            let spread = covariance.inverse().trace_of_product(&squares)?;
            sum -= 0.5 * (means.num_rows() as f64 * (covariance.log_det() + constant) + spread);
        }
        Ok(sum)
    }

    /// Makes the model.
    ///
    /// # Errors
    /// As [`Plda::from_covariances`].
    pub fn finish(self) -> Result<Plda> {
        Plda::from_covariances(self.mean, &self.within, &self.between)
    }
}

#[cfg(test)]
mod tests {
    use super::super::model::tests::near;
    use super::*;

    /// Vectors that look random, with means apart by speaker.
    fn stats(num_speakers: usize) -> PldaStats {
        let mut state = 1_u64;
        let mut next = || {
            state = state.wrapping_mul(6364136223846793005).wrapping_add(1442695040888963407);
            (state >> 40) as f64 / 16777216.0 - 0.5
        };
        let mut stats = PldaStats::default();
        for speaker in 0..num_speakers {
            let num = 1 + speaker % 4;
            let position = [6.0 * next(), 3.0 * next() + 1.0];
            let vectors = (0..num).flat_map(|_| [position[0] + next(), position[1] + 2.0 * next()]).collect();
            stats.add(&Matrix::from_vec(num, 2, vectors)).unwrap();
        }
        stats
    }

    #[test]
    fn likelihood_never_falls_and_converges() {
        let mut estimator = PldaEstimator::new(stats(400)).unwrap();
        let mut last = estimator.objective().unwrap();
        for _ in 0..40 {
            estimator.step().unwrap();
            let objective = estimator.objective().unwrap();
            assert!(objective >= last - 1e-12, "{objective} {last}");
            last = objective;
        }
        // Variances of uniform numbers: a twelfth of the squared width.
        let expect = |matrix: &SymmetricMatrix, expected: [f64; 2]| {
            let diagonal = matrix.diagonal();
            for (got, expected) in diagonal.as_slice().iter().zip(expected) {
                assert!((got / expected - 1.0).abs() < 0.2, "{got} {expected}");
            }
        };
        expect(estimator.within(), [1.0 / 12.0, 4.0 / 12.0]);
        expect(estimator.between(), [36.0 / 12.0, 9.0 / 12.0]);
        let plda = estimator.finish().unwrap();
        assert!(plda.psi().as_slice()[0] > 20.0);
    }

    #[test]
    fn the_mean_is_that_of_speakers_not_of_utterances() {
        let mut stats = PldaStats::default();
        stats.add(&Matrix::from_vec(1, 1, vec![6.0])).unwrap();
        stats.add(&Matrix::from_vec(3, 1, vec![1.0, 2.0, 3.0])).unwrap();
        assert_eq!(stats.dim(), 1);
        let mut estimator = PldaEstimator::new(stats).unwrap();
        near(estimator.scatter.as_slice(), &[2.0]);
        estimator.step().unwrap();
        near(estimator.finish().unwrap().mean().as_slice(), &[4.0]);
    }

    #[test]
    fn a_step_is_worked_out_by_hand() {
        let mut stats = PldaStats::default();
        stats.add(&Matrix::from_vec(1, 1, vec![3.0])).unwrap();
        stats.add(&Matrix::from_vec(2, 1, vec![-4.0, 2.0])).unwrap();
        let mut estimator = PldaEstimator::new(stats).unwrap();
        estimator.step().unwrap();
        // Means 2 - 1 and -1 - 1 + ... = 3 - 1 and -1 - 1; variances 1 / (1 + n); positions n / (1 + n) of the means.
        near(estimator.between().as_slice(), &[(0.5 + 1.0 + 1.0 / 3.0 + 16.0 / 9.0) / 2.0]);
        near(estimator.within().as_slice(), &[(18.0 + 0.5 + 1.0 + 2.0 / 3.0 + 2.0 * 4.0 / 9.0) / 3.0]);
    }

    #[test]
    fn what_cannot_be_estimated_is_refused() {
        assert!(PldaEstimator::new(PldaStats::default()).is_err());
        let mut stats = PldaStats::default();
        assert!(stats.add(&Matrix::default()).is_err());
        stats.add(&Matrix::new(2, 3)).unwrap();
        assert_eq!(stats.add(&Matrix::new(2, 2)).unwrap_err().to_string(), "expected 3 elements of a vector, got 2");
        stats.add(&Matrix::from_vec(1, 3, vec![f64::NAN; 3])).unwrap();
        let mut estimator = PldaEstimator::new(stats).unwrap();
        assert!(estimator.step().and_then(|()| estimator.step()).is_err());
    }
}
