//! What i-vectors are estimated from.

use kaldi_matrix::Matrix;
use kaldi_value::Posterior;

use crate::{Error, Result};

/// The sums over the frames of an utterance, or of all utterances of a speaker, for each Gaussian (Kaldi's
/// `IvectorExtractorUtteranceStats`, in double precision).
#[derive(Clone, Debug, PartialEq)]
pub struct UtteranceStats {
    /// The sum of the weights of each Gaussian.
    pub(super) counts: Vec<f64>,
    /// The weighted sum of the frames of each Gaussian, number of Gaussians × feature dimension.
    pub(super) sums: Matrix<f64>,
}

impl UtteranceStats {
    /// Makes sums of no frames, for extractors of this many Gaussians and dimensions of features.
    pub fn new(num_gauss: usize, feat_dim: usize) -> Self {
        Self { counts: vec![0.0; num_gauss], sums: Matrix::new(num_gauss, feat_dim) }
    }

    /// Adds an utterance: its features, `num_frames × feat_dim`, and the weights of Gaussians in each frame.
    ///
    /// # Errors
    /// If the features have another dimension, the numbers of frames differ, or there is no such Gaussian.
    pub fn add(&mut self, feats: &Matrix<f32>, posterior: &Posterior) -> Result<()> {
        check(feats, posterior, self.sums.size())?;
        for (frame, weights) in feats.rows().zip(&posterior.0) {
            for &(gauss, weight) in weights {
                let (gauss, weight) = (gauss as usize, f64::from(weight));
                self.counts[gauss] += weight;
                for (sum, &value) in self.sums.row_mut(gauss).iter_mut().zip(frame) {
                    *sum += weight * f64::from(value);
                }
            }
        }
        Ok(())
    }

    /// Multiplies the weight of all frames by a factor.
    pub fn scale(&mut self, factor: f64) {
        self.counts.iter_mut().for_each(|count| *count *= factor);
        self.sums.scale(factor);
    }

    /// The sum of the weights of all frames.
    pub fn count(&self) -> f64 {
        self.counts.iter().sum()
    }
}

/// Checks features and the weights of their frames against the number of Gaussians and the dimension of a model.
pub(super) fn check(feats: &Matrix<f32>, posterior: &Posterior, (num_gauss, feat_dim): (usize, usize)) -> Result<()> {
    if feats.num_cols() != feat_dim && !feats.is_empty() {
        return Err(Error::Length { what: "dimensions of features", expected: feat_dim, got: feats.num_cols() });
    }
    if posterior.0.len() != feats.num_rows() {
        let (expected, got) = (feats.num_rows(), posterior.0.len());
        return Err(Error::Length { what: "frames of a posterior", expected, got });
    }
    for (frame, weights) in posterior.0.iter().enumerate() {
        for &(got, _) in weights {
            if usize::try_from(got).is_ok_and(|gauss| gauss < num_gauss) {
                continue;
            }
            return Err(Error::Gaussian { frame, num_gauss, got });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_added_with_their_weights() {
        let mut stats = UtteranceStats::new(2, 2);
        let feats = Matrix::from_vec(2, 2, vec![1.0, 2.0, -4.0, 8.0]);
        stats.add(&feats, &Posterior(vec![vec![(1, 0.5), (0, 0.25)], vec![(1, 0.5), (1, -0.25)]])).unwrap();
        assert_eq!(stats.counts, [0.25, 0.75]);
        assert_eq!(stats.sums.as_slice(), [0.25, 0.5, -0.5, 3.0]);
        stats.add(&Matrix::default(), &Posterior::default()).unwrap();
        stats.scale(4.0);
        assert_eq!((stats.count(), stats.sums.row(1)), (4.0, &[-2.0, 12.0][..]));
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let mut stats = UtteranceStats::new(2, 2);
        let mut refused = |columns, posterior: Vec<Vec<(i32, f32)>>| {
            stats.add(&Matrix::new(1, columns), &Posterior(posterior)).unwrap_err().to_string()
        };
        assert_eq!(refused(3, vec![vec![]]), "expected 2 dimensions of features, got 3");
        assert_eq!(refused(2, vec![]), "expected 1 frames of a posterior, got 0");
        assert_eq!(refused(2, vec![vec![(1, 1.0), (2, 1.0)]]), "frame 0: expected a Gaussian below 2, got 2");
        assert_eq!(refused(2, vec![vec![(-1, 1.0)]]), "frame 0: expected a Gaussian below 2, got -1");
        assert_eq!(stats.count(), 0.0);
    }
}
