//! Features of waveforms: each frame's own, from its spectrum.
//!
//! | what | Kaldi | a frame's values |
//! | --- | --- | --- |
//! | [`Mfcc`] | compute-mfcc-feats | cosine transform of log mel energies |
//! | [`Fbank`] | compute-fbank-feats | log mel energies |
//! | [`Plp`] | compute-plp-feats | cepstrum of a linear prediction from loudness |
//! | [`Spectrogram`] | compute-spectrogram-feats | log power of every frequency |
//!
//! Samples have the scale of 16-bit integers. A waveform is cut into frames ([`FrameOptions`]); each loses its mean, is
//! preemphasized, weighed with a window function, padded with zeros and transformed (fast Fourier transform). Storage and
//! arithmetic are `f32`, as in Kaldi. Eight frames are worked on side by side, so that there is work for whole registers
//! at every step; nothing is allocated for a frame.
//!
//! ```
//! use kaldi_feat::extract::{Extractor, Mfcc, MfccOptions};
//!
//! // One second at 16 kHz.
//! let wave: Vec<f32> = (0..16_000).map(|at| 1000.0 * (at as f32 * 0.1).sin()).collect();
//! let feats = Mfcc::new(&MfccOptions::default())?.compute(&wave, 1.0)?;
//! assert_eq!(feats.size(), (98, 13));
//! # Ok::<(), kaldi_feat::Error>(())
//! ```

mod analysis;
mod energy;
mod fbank;
mod fft;
mod framing;
mod mel;
mod mfcc;
mod plp;
mod spectrogram;
mod window;

use kaldi_matrix::Matrix;

pub use fbank::Fbank;
pub use kaldi_feat_options::{
    EnergyOptions, FbankOptions, FrameOptions, MelOptions, MfccOptions, PlpOptions, SpectrogramOptions,
};
pub use mel::{MelBanks, MelBin, MelReport};
pub use mfcc::Mfcc;
pub use plp::Plp;
pub use spectrogram::Spectrogram;

use crate::Result;

/// A kind of features of waveforms, with its options.
pub trait Extractor {
    /// How waveforms are cut into frames. Resampling and noise are for the caller to do, before.
    fn frames(&self) -> &FrameOptions;

    /// Computes the features of a waveform, `num_frames × dim`: samples in the scale of 16-bit integers, at the rate of
    /// [`FrameOptions`]. `warp` is the VTLN warp factor, 1 for none; features that have no mel filters take no notice.
    ///
    /// A waveform too short for a frame yields an empty matrix.
    ///
    /// # Errors
    /// Where a sample is no finite number, energies are beyond the range of `f32`, or filters cannot be warped so.
    fn compute(&self, wave: &[f32], warp: f32) -> Result<Matrix<f32>> {
        Ok(self.compute_reported(wave, warp)?.0)
    }

    /// As [`Extractor::compute`], with a report on mel filters where there are any and [`MelOptions::debug_mel`] asks for
    /// it.
    ///
    /// # Errors
    /// As [`Extractor::compute`].
    fn compute_reported(&self, wave: &[f32], warp: f32) -> Result<(Matrix<f32>, Option<MelReport>)>;
}
