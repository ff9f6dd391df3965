//! Weights of Gaussians that depend on the i-vector.

use kaldi_matrix::{Matrix, SymmetricMatrix};

use super::quadratic::{Quadratic, dot};
use super::{IvectorExtractor, UtteranceStats};
use crate::{Error, Result};

/// A quadratic function near an i-vector that stands for the log likelihood of the weights: each Gaussian adds its
/// factors times its projection `w`, and times `w w^T`. It is below the true function near this i-vector (equation 58 of
/// Daniel Povey and others, "The subspace Gaussian mixture model", Computer Speech and Language, 2011).
pub(super) struct Expansion {
    /// The factors of the linear term, one for each Gaussian.
    pub linear: Vec<f64>,
    /// The factors of the quadratic term.
    pub quadratic: Vec<f64>,
}

impl Expansion {
    /// Adds the function to `sum`.
    pub fn add_to(&self, projections: &Matrix<f64>, sum: &mut Quadratic) -> Result<()> {
        let mut scaled = projections.clone();
        for ((row, linear), quadratic) in scaled.rows_mut().zip(&self.linear).zip(&self.quadratic) {
            for (sum, element) in sum.linear.iter_mut().zip(row) {
                *sum += linear * *element;
                *element *= quadratic;
            }
        }
        let squares = SymmetricMatrix::from_transposed_product(projections, &scaled).map_err(error)?;
        sum.quadratic.add_scaled(1.0, &squares).map_err(error)
    }
}

impl IvectorExtractor {
    /// Expands the log likelihood of the weights near an i-vector.
    pub(super) fn expand_weights(&self, utt: &UtteranceStats, ivector: &[f64]) -> Expansion {
        let unnormalized: Vec<f64> = self.weight_projections.rows().map(|row| dot(row, ivector)).collect();
        let sum = log_sum_exp(&unnormalized);
        let total = utt.count();
        let terms = unnormalized.iter().zip(&utt.counts).map(|(&log_weight, &count)| {
            let expected = total * (log_weight - sum).exp();
            let most = count.max(expected);
            (count - expected + most * log_weight, most)
        });
        let (linear, quadratic) = terms.unzip();
        Expansion { linear, quadratic }
    }

    /// Half of what the uncertainty of the i-vector adds to the log likelihood of the weights. As in Kaldi the change of a
    /// log weight with the i-vector `x` is `w + p(x) Σ_j p_j(x) w_j`, where a minus is due; it is for information only.
    pub(super) fn weight_uncertainty(
        &self,
        utt: &UtteranceStats,
        ivector: &[f64],
        covariance: &SymmetricMatrix,
    ) -> Result<f64> {
        if !self.has_weight_projections() {
            return Ok(0.0);
        }
        let probabilities: Vec<f64> = self.log_weights(ivector).iter().map(|log_weight| log_weight.exp()).collect();
        let projections = &self.weight_projections;
        let mut mean = vec![0.0; ivector.len()];
        for (row, probability) in projections.rows().zip(&probabilities) {
            mean.iter_mut().zip(row).for_each(|(sum, element)| *sum += probability * element);
        }
        let mut changes = projections.clone();
        for (row, probability) in changes.rows_mut().zip(&probabilities) {
            row.iter_mut().zip(&mean).for_each(|(element, mean)| *element += probability * mean);
        }
        let products = changes.multiply(&covariance.to_matrix()).map_err(error)?;
        let squares = changes.rows().zip(products.rows()).map(|(change, product)| dot(change, product));
        Ok(0.5 * squares.zip(&utt.counts).map(|(square, count)| count * square).sum::<f64>())
    }

    /// The log likelihood of the weights for an i-vector.
    pub(super) fn weight_objective(&self, utt: &UtteranceStats, ivector: &[f64]) -> f64 {
        let logs = self.log_weights(ivector);
        // A weight of zero does not count if no frame has it.
        let terms = utt.counts.iter().zip(&logs).filter(|(count, _)| **count != 0.0);
        terms.map(|(count, log_weight)| count * log_weight).sum()
    }

    /// The logarithms of the weights for an i-vector.
    fn log_weights(&self, ivector: &[f64]) -> Vec<f64> {
        if !self.has_weight_projections() {
            return self.weights.as_slice().iter().map(|weight| weight.ln()).collect();
        }
        let mut logs: Vec<f64> = self.weight_projections.rows().map(|row| dot(row, ivector)).collect();
        let sum = log_sum_exp(&logs);
        logs.iter_mut().for_each(|log| *log -= sum);
        logs
    }
}

/// The logarithm of the sum of the exponentials of values.
fn log_sum_exp(values: &[f64]) -> f64 {
    let max = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    max + values.iter().map(|value| (value - max).exp()).sum::<f64>().ln()
}

fn error(source: kaldi_matrix::Error) -> Error {
    Error::Matrix { what: "the weights of Gaussians", source }
}
