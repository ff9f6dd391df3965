//! The log likelihood of utterances, whose growth shows how training goes on.

use super::quadratic::{Normal, Quadratic, dot};
use super::{IvectorEstimator, UtteranceStats};
use crate::{Error, Result};

impl IvectorEstimator {
    /// The expected log likelihood of an utterance and of its i-vector, which has the distribution `ivector`; `function`
    /// is that of the means and the prior.
    ///
    /// The squares of the frames are not in it: their part, `−tr(S Σ^-1) / 2` for each Gaussian, is the same for any
    /// i-vector. If they are not known (`squares_known` is false), it is the one that the model expects.
    pub(super) fn objective(
        &self,
        utt: &UtteranceStats,
        function: &Quadratic,
        ivector: &Normal,
        squares_known: bool,
    ) -> Result<f64> {
        let extractor = self.extractor();
        let mean = ivector.mean.as_slice();
        let spread = function.quadratic.trace_of_product(&ivector.covariance).map_err(error)?;
        let means = function.value(mean)? - 0.5 * spread;
        let prior = 0.5 * (mean.len() as f64 + ivector.log_det - extractor.prior_offset.powi(2));
        let weights =
            extractor.weight_objective(utt, mean) - extractor.weight_uncertainty(utt, mean, &ivector.covariance)?;
        let peaks = dot(&utt.counts, &self.log_peaks);
        let squares = if squares_known { 0.0 } else { self.expected_squares(utt)? };
        Ok(means + prior + weights + peaks + squares)
    }

    /// What the squares of the frames add if their covariance is that of the model.
    fn expected_squares(&self, utt: &UtteranceStats) -> Result<f64> {
        let mut sum = utt.count() * self.extractor().feat_dim() as f64;
        let frames = utt.counts.iter().zip(utt.sums.rows()).zip(&self.extractor().inverse_covariances);
        for ((&count, frames), inverse) in frames.filter(|((count, _), _)| **count != 0.0) {
            sum += inverse.quadratic_form(frames).map_err(error)? / count;
        }
        Ok(-0.5 * sum)
    }
}

fn error(source: kaldi_matrix::Error) -> Error {
    Error::Matrix { what: "the log likelihood of an utterance", source }
}
