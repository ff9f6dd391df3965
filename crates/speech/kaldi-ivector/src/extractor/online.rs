//! i-vectors while frames come in.

use std::collections::BTreeMap;

use kaldi_matrix::{Matrix, SymmetricMatrix, Vector};
use kaldi_value::Posterior;

use super::IvectorEstimator;
use super::quadratic::{Quadratic, dot};
use super::utterance::check;
use crate::{Error, Result};

/// The residual is computed anew if its square has changed by this factor since it was last computed.
const FRESH: f64 = 1.0e-4;

/// What the frames so far say about an i-vector (Kaldi's `OnlineIvectorEstimationStats`).
#[derive(Clone, Debug)]
pub struct OnlineIvectorStats {
    prior_offset: f64,
    max_count: f64,
    /// The sum of the weights of the frames.
    count: f64,
    function: Quadratic,
}

impl OnlineIvectorStats {
    /// Makes statistics of no frames. If `max_count` is not 0, the prior counts more once the sum of the weights of frames
    /// is above it.
    ///
    /// # Errors
    /// If the weights of the extractor's Gaussians depend on the i-vector.
    pub fn new(estimator: &IvectorEstimator, max_count: f64) -> Result<Self> {
        let extractor = estimator.extractor();
        if extractor.has_weight_projections() {
            return Err(Error::WeightProjections);
        }
        let prior_offset = extractor.prior_offset();
        let function = Quadratic::prior(extractor.ivector_dim(), prior_offset);
        Ok(Self { prior_offset, max_count, count: 0.0, function })
    }

    /// The sum of the weights of the frames.
    pub fn count(&self) -> f64 {
        self.count
    }

    /// The i-vector if there are no frames: the mean of the prior.
    pub fn prior_mean(&self) -> Vector<f64> {
        let mut mean = Vector::new(self.function.linear.len());
        mean.as_mut_slice()[0] = self.prior_offset;
        mean
    }

    /// Adds frames, and the weights of Gaussians in each.
    ///
    /// # Errors
    /// If the features have another dimension, the numbers of frames differ, or there is no such Gaussian.
    pub fn add(&mut self, estimator: &IvectorEstimator, feats: &Matrix<f32>, posterior: &Posterior) -> Result<()> {
        let extractor = estimator.extractor();
        let (num_gauss, feat_dim) = (extractor.num_gauss(), extractor.feat_dim());
        check(feats, posterior, (num_gauss, feat_dim))?;
        let mut sums: BTreeMap<usize, (f64, Vec<f64>)> = BTreeMap::new();
        for (frame, weights) in feats.rows().zip(&posterior.0) {
            for &(gauss, weight) in weights.iter().filter(|(_, weight)| *weight != 0.0) {
                let weight = f64::from(weight);
                let (count, sum) = sums.entry(gauss as usize).or_insert_with(|| (0.0, vec![0.0; feat_dim]));
                *count += weight;
                sum.iter_mut().zip(frame).for_each(|(sum, &value)| *sum += weight * f64::from(value));
            }
        }
        let before = self.count;
        for (gauss, (count, sum)) in sums {
            for (row, value) in (gauss * feat_dim..).zip(sum) {
                add_scaled(&mut self.function.linear, value, estimator.linear.row(row));
            }
            add_scaled(self.function.quadratic.as_mut_slice(), count, estimator.quadratic.row(gauss));
            self.count += count;
        }
        if self.max_count > 0.0 {
            let change = self.prior_scale(self.count) - self.prior_scale(before);
            self.function.add_prior(self.prior_offset, change);
        }
        Ok(())
    }

    fn prior_scale(&self, count: f64) -> f64 {
        count.max(self.max_count) / self.max_count
    }

    /// Makes it as if there had been fewer frames: multiplies their weights by a factor from 0 to 1.
    pub fn scale(&mut self, factor: f64) {
        let before = self.count;
        self.count *= factor;
        self.function.quadratic.scale(factor);
        self.function.linear.iter_mut().for_each(|element| *element *= factor);
        // The prior keeps its weight.
        let missing = match self.max_count > 0.0 {
            true => self.prior_scale(self.count) - factor * self.prior_scale(before),
            false => 1.0 - factor,
        };
        self.function.add_prior(self.prior_offset, missing);
    }

    /// Improves an i-vector by up to `num_steps` steps of conjugate gradients, as many as needed if it is `None`. It starts
    /// as [`OnlineIvectorStats::prior_mean`], or as the one from fewer frames, and its first element includes the prior
    /// offset.
    ///
    /// # Errors
    /// If the frames are not finite.
    pub fn improve(&self, ivector: &mut Vector<f64>, num_steps: Option<usize>) -> Result<()> {
        if self.count <= 0.0 {
            *ivector = self.prior_mean();
            return Ok(());
        }
        let first = &mut ivector.as_mut_slice()[0];
        if *first == 0.0 {
            *first = self.prior_offset;
        }
        let (before, after) = self.follow_gradients(ivector.as_mut_slice(), num_steps)?;
        if after > before + 1.0e-10 * dot(&self.function.linear, &self.function.linear) || !after.is_finite() {
            *ivector = self.function.peak()?;
        }
        Ok(())
    }

    /// Returns the square of the residual before and after.
    fn follow_gradients(&self, ivector: &mut [f64], num_steps: Option<usize>) -> Result<(f64, f64)> {
        let Quadratic { linear, quadratic } = &self.function;
        let residual = |ivector: &[f64]| {
            let mut residual = times(quadratic, ivector)?;
            add_scaled(&mut residual, -1.0, linear);
            Ok::<_, Error>(residual)
        };
        let mut slope = residual(ivector)?;
        let mut direction: Vec<f64> = slope.iter().map(|element| -element).collect();
        let before = dot(&slope, &slope);
        let (mut square, mut fresh) = (before, before);
        // Rounding may make more steps necessary than there are dimensions.
        let most = linear.len() + 5;
        for _ in 0..num_steps.map_or(most, |steps| steps.min(most)) {
            if square <= f64::MIN_POSITIVE {
                break;
            }
            let product = times(quadratic, &direction)?;
            let step = -dot(&direction, &slope) / dot(&direction, &product);
            add_scaled(ivector, step, &direction);
            add_scaled(&mut slope, step, &product);
            let mut next = dot(&slope, &slope);
            if next < FRESH * fresh || next > fresh / FRESH {
                slope = residual(ivector)?;
                next = dot(&slope, &slope);
                fresh = next;
            }
            let turn = next / square;
            for (element, slope) in direction.iter_mut().zip(&slope) {
                *element = turn * *element - slope;
            }
            square = next;
        }
        Ok((before, square))
    }

    /// How much better an i-vector explains a frame than the mean of the prior does, on average: a difference of log
    /// likelihoods.
    ///
    /// # Errors
    /// If the i-vector has another dimension.
    pub fn improvement(&self, ivector: &Vector<f64>) -> Result<f64> {
        if self.count == 0.0 {
            return Ok(0.0);
        }
        let change = self.function.value(ivector.as_slice())? - self.function.value(self.prior_mean().as_slice())?;
        Ok(change / self.count)
    }
}

/// Estimates an i-vector from the frames up to the first one, and up to each `period`-th one after it. Its first element
/// includes the prior offset. Also returns the improvement of the last one ([`OnlineIvectorStats::improvement`]).
///
/// # Errors
/// If the features have another dimension, the numbers of frames differ, there is no such Gaussian, or the weights of
/// the extractor's Gaussians depend on the i-vector.
pub fn online_ivectors(
    estimator: &IvectorEstimator,
    feats: &Matrix<f32>,
    posterior: &Posterior,
    period: usize,
    num_steps: Option<usize>,
    max_count: f64,
) -> Result<(Matrix<f32>, f64)> {
    let extractor = estimator.extractor();
    let mut stats = OnlineIvectorStats::new(estimator, max_count)?;
    check(feats, posterior, (extractor.num_gauss(), extractor.feat_dim()))?;
    let mut ivector = stats.prior_mean();
    let (num_frames, period) = (feats.num_rows(), period.max(1));
    let mut rows = Vec::new();
    let mut from = 0;
    for to in (0..num_frames).step_by(period) {
        let frames = from..to + 1;
        let part = feats.range(frames.clone(), 0..feats.num_cols());
        stats.add(estimator, &part, &Posterior(posterior.0[frames].to_vec()))?;
        stats.improve(&mut ivector, num_steps)?;
        rows.extend(ivector.as_slice().iter().map(|&element| element as f32));
        from = to + 1;
    }
    let improvement = stats.improvement(&ivector)?;
    Ok((
        Matrix::from_vec(num_frames.div_ceil(period), rows.len() / num_frames.div_ceil(period).max(1), rows),
        improvement,
    ))
}

fn add_scaled(sum: &mut [f64], factor: f64, values: &[f64]) {
    sum.iter_mut().zip(values).for_each(|(sum, value)| *sum += factor * value);
}

fn times(matrix: &SymmetricMatrix, vector: &[f64]) -> Result<Vec<f64>> {
    matrix.multiply_vector(vector).map(Vector::into_vec).map_err(Error::matrix("an i-vector"))
}
