//! The common interface of all features of waveforms.

use super::FrameOptions;
use kaldi_matrix::Matrix;

use super::MelReport;
use crate::Result;

/// A kind of features of waveforms, with its options.
pub trait Extractor {
    /// How waveforms are cut into frames. The caller does resampling and noise before.
    fn frames(&self) -> &FrameOptions;

    /// The number of frames for a waveform of this many samples.
    fn num_frames(&self, num_samples: usize) -> usize;

    /// Computes the features of a waveform, `num_frames × dim`. Samples have the scale of 16-bit integers, at the rate
    /// of [`FrameOptions`]. `warp` is the VTLN warp factor, 1 for none; features without mel filters ignore it.
    ///
    /// A waveform too short for a frame yields an empty matrix.
    ///
    /// # Errors
    /// If a sample is not finite, energies are beyond the range of `f32`, or filters cannot be warped by this factor.
    fn compute(&self, wave: &[f32], warp: f32) -> Result<Matrix<f32>> {
        Ok(self.compute_reported(wave, warp)?.0)
    }

    /// As [`Extractor::compute`], with a report on mel filters where there are any and
    /// [`MelOptions::debug_mel`](super::MelOptions::debug_mel) asks for it.
    ///
    /// # Errors
    /// As [`Extractor::compute`].
    fn compute_reported(&self, wave: &[f32], warp: f32) -> Result<(Matrix<f32>, Option<MelReport>)>;
}
