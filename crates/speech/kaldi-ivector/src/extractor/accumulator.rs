//! Statistics of utterances, one after the other.

use std::sync::Arc;

use kaldi_matrix::{Matrix, SymmetricMatrix};
use kaldi_value::Posterior;
use kaldi_value::random::{Random, RandomState};

use super::batch::{Batch, Utterance};
use super::estimator::GROUP;
use super::{IvectorEstimator, IvectorExtractorStats, UtteranceStats, parallel};
use crate::{Error, Result};

/// The most utterances, and bytes of features and posteriors, that wait to be added.
const MOST_UTTERANCES: usize = 128;
const MOST_BYTES: usize = 64 << 20;

/// Options of [`StatsAccumulator`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StatsOptions {
    /// Also collect what the covariances of Gaussians are estimated from
    pub update_variances: bool,
    /// Compute the log likelihood of the utterances
    pub compute_objective: bool,
    /// Number of i-vectors that are drawn for each utterance to estimate projections to weights, 2 or more
    pub num_samples_for_weights: usize,
    /// Number of utterances that are added together, at most 128
    pub cache_size: usize,
}

impl Default for StatsOptions {
    fn default() -> Self {
        Self { update_variances: true, compute_objective: true, num_samples_for_weights: 10, cache_size: 100 }
    }
}

/// Collects the statistics of utterances. They do not depend on the number of threads.
#[derive(Debug)]
pub struct StatsAccumulator {
    estimator: IvectorEstimator,
    options: StatsOptions,
    num_threads: usize,
    random: Random,
    stats: IvectorExtractorStats,
    waiting: Vec<Utterance>,
    waiting_bytes: usize,
}

impl StatsAccumulator {
    /// Makes statistics of no utterance. Work is done on up to `num_threads` threads.
    ///
    /// # Errors
    /// If there would be fewer than two samples, or no utterance at a time.
    pub fn new(estimator: IvectorEstimator, options: StatsOptions, num_threads: usize) -> Result<Self> {
        let refused = |name, expected, got: usize| Error::Option { name, expected, got: got as f64 };
        if options.num_samples_for_weights < 2 {
            return Err(refused("num_samples_for_weights", "2 or more", options.num_samples_for_weights));
        }
        if options.cache_size < 1 {
            return Err(refused("cache_size", "1 or more", options.cache_size));
        }
        let stats = IvectorExtractorStats::new(estimator.extractor(), options.update_variances);
        let random = Random::default();
        Ok(Self { estimator, options, num_threads, random, stats, waiting: Vec::new(), waiting_bytes: 0 })
    }

    /// Adds an utterance: its features, and the weights of Gaussians in each frame.
    ///
    /// # Errors
    /// As [`UtteranceStats::add`], and if features or weights are not finite.
    pub fn add(&mut self, feats: Matrix<f32>, posterior: &Arc<Posterior>) -> Result<()> {
        let extractor = self.estimator.extractor();
        let mut sums = UtteranceStats::new(extractor.num_gauss(), extractor.feat_dim());
        sums.add(&feats, posterior)?;
        if !(sums.sums.sum().is_finite() && sums.count().is_finite()) {
            return Err(Error::Matrix { what: "the sums of an utterance", source: kaldi_matrix::Error::NotFinite });
        }
        let num_entries: usize = posterior.0.iter().map(Vec::len).sum();
        self.waiting_bytes += size_of_val(feats.as_slice()) + num_entries * size_of::<(i32, f32)>();
        // Only the squares need the frames again.
        let frames = self.options.update_variances.then(|| (feats, Arc::clone(posterior)));
        self.waiting.push(Utterance { sums, frames });
        let most = self.options.cache_size.min(MOST_UTTERANCES);
        if self.waiting.len() >= most || self.waiting_bytes >= MOST_BYTES { self.flush() } else { Ok(()) }
    }

    /// Returns the statistics of all utterances.
    ///
    /// # Errors
    /// If the i-vector of an utterance cannot be computed.
    pub fn finish(mut self) -> Result<IvectorExtractorStats> {
        self.flush()?;
        if self.options.compute_objective {
            for (squares, inverse) in self.stats.squares.iter().zip(&self.estimator.extractor().inverse_covariances) {
                self.stats.objective -= 0.5 * squares.trace_of_product(inverse).map_err(error)?;
            }
        }
        Ok(self.stats)
    }

    fn flush(&mut self) -> Result<()> {
        self.waiting_bytes = 0;
        let utts = std::mem::take(&mut self.waiting);
        if utts.is_empty() {
            return Ok(());
        }
        let mut batch = Batch::new(&self.estimator, utts, self.options.update_variances, self.num_threads)?;
        if self.options.compute_objective {
            self.stats.objective += batch.objective;
        }
        if self.estimator.extractor().has_weight_projections() {
            self.add_weights(&batch)?;
        }
        batch.finish(&mut self.stats, self.num_threads)
    }

    /// Adds the terms of weights, from i-vectors that are drawn from their distributions.
    fn add_weights(&mut self, batch: &Batch) -> Result<()> {
        let num_samples = self.options.num_samples_for_weights;
        let per_group = (GROUP / num_samples).max(1);
        let num_gauss = self.estimator.extractor().num_gauss();
        for (utts, normals) in batch.utts.chunks(per_group).zip(batch.normals.chunks(per_group)) {
            let num_rows = utts.len() * num_samples;
            let (mut linear, mut quadratic) = (Matrix::new(num_gauss, num_rows), Matrix::new(num_gauss, num_rows));
            let (mut ivectors, mut scatters) = (Vec::new(), Vec::new());
            for (utt, normal) in utts.iter().zip(normals) {
                let factor = normal.covariance.cholesky().map_err(error)?.factor();
                for sample in draw(normal.mean.as_slice(), &factor, num_samples, &mut self.random)?.rows() {
                    let expansion = self.estimator.extractor().expand_weights(&utt.sums, sample);
                    let column = ivectors.len() / sample.len();
                    for gauss in 0..num_gauss {
                        linear.row_mut(gauss)[column] = expansion.linear[gauss] / num_samples as f64;
                        quadratic.row_mut(gauss)[column] = expansion.quadratic[gauss] / num_samples as f64;
                    }
                    let mut outer = SymmetricMatrix::new(sample.len());
                    outer.add_outer(1.0, sample).map_err(error)?;
                    scatters.extend_from_slice(outer.as_slice());
                    ivectors.extend_from_slice(sample);
                }
            }
            let rows = |data: Vec<f64>| Matrix::from_vec(num_rows, data.len() / num_rows, data);
            add_products(&mut self.stats.weight_terms, &linear, &rows(ivectors), self.num_threads)?;
            add_products(&mut self.stats.weight_scatters, &quadratic, &rows(scatters), self.num_threads)?;
        }
        Ok(())
    }
}

/// Draws i-vectors, one a row, from a normal distribution whose covariance has this factor. Their mean is exact.
fn draw(mean: &[f64], factor: &Matrix<f64>, num_samples: usize, random: &mut Random) -> Result<Matrix<f64>> {
    let dim = mean.len();
    let mut state = RandomState::new(random);
    let mut drawn = Matrix::<f32>::new(num_samples, dim);
    drawn.rows_mut().for_each(|row| state.fill_gauss(row));
    let mut samples = drawn.to_precision::<f64>().multiply_transposed(factor).map_err(error)?;
    let average = samples.column_sums();
    let factor = (num_samples as f64 / (num_samples as f64 - 1.0)).sqrt();
    for row in samples.rows_mut() {
        for ((element, average), mean) in row.iter_mut().zip(average.as_slice()).zip(mean) {
            *element = (*element - average / num_samples as f64) * factor + mean;
        }
    }
    Ok(samples)
}

/// Rows of a sum that are computed together.
const ROWS: usize = 64;

/// Adds `left * right` to a sum.
pub(super) fn add_products(
    sum: &mut Matrix<f64>,
    left: &Matrix<f64>,
    right: &Matrix<f64>,
    num_threads: usize,
) -> Result<()> {
    let (num_rows, width) = left.size();
    let starts = (0..num_rows).step_by(ROWS);
    let blocks = sum.as_mut_slice().chunks_mut(ROWS * right.num_cols());
    parallel::for_each(num_threads, starts.zip(blocks), |(start, block)| {
        let left = left.range(start..num_rows.min(start + ROWS), 0..width);
        left.add_product_to(right, block).map_err(error)
    })
}

pub(super) fn error(source: kaldi_matrix::Error) -> Error {
    Error::Matrix { what: "the statistics of an i-vector extractor", source }
}
