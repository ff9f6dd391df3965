//! Tracking the pitch of a signal.
//!
//! The tracker of Ghahremani et al., "A pitch extraction algorithm tuned for automatic speech recognition" (ICASSP
//! 2014), as in Kaldi. The signal is converted to a low sample rate. A window of it is compared with the window a lag
//! later (normalized cross-correlation). The lag of every frame is chosen so that correlations are large and lags
//! change little (Viterbi). There is no decision about voicing: every frame has a pitch, and the correlation shows how
//! reliable it is.

mod correlation;
mod lags;
mod options;
mod plan;
#[cfg(test)]
mod tests;
mod tracker;
mod viterbi;

use kaldi_matrix::Matrix;

use crate::pitch::PitchExtractionOptions;
pub use tracker::PitchTracker;

use super::process::{ProcessPitch, ProcessedPitch};
use crate::{Error, Result};
use plan::Plan;

/// Finds the pitch of whole signals (Kaldi's `ComputeKaldiPitch`).
///
/// ```
/// use kaldi_feat::pitch::{PitchExtractionOptions, PitchExtractor};
///
/// let extractor = PitchExtractor::new(&PitchExtractionOptions::default())?;
/// let sawtooth: Vec<f32> = (0..16_000).map(|n| (n % 80) as f32 * 50.0 - 2000.0).collect();
/// let feats = extractor.compute(&sawtooth)?;
/// assert_eq!(feats.size(), (98, 2));
/// assert!(feats.row(50)[0] > 0.98 && (feats.row(50)[1] - 200.0).abs() < 1.0);
/// # Ok::<(), kaldi_feat::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct PitchExtractor {
    plan: Plan,
}

impl PitchExtractor {
    /// Prepares the extraction.
    ///
    /// # Errors
    /// If an option is out of its range, or some contradict each other.
    pub fn new(options: &PitchExtractionOptions) -> Result<Self> {
        Ok(Self { plan: Plan::new(options)? })
    }

    /// Checks that a signal has the sample rate of the options, in Hz.
    ///
    /// # Errors
    /// If it has another one.
    pub fn check_rate(&self, sample_rate: f32) -> Result<()> {
        let expected = self.plan.options.sample_frequency;
        match sample_rate == expected {
            true => Ok(()),
            false => Err(Error::SampleRate { expected, got: sample_rate }),
        }
    }

    /// Whether the output is the one that online decoding would have seen at first.
    pub fn is_first_pass(&self) -> bool {
        self.plan.options.simulate_first_pass_online
    }

    /// Starts tracking the pitch of a signal that comes in pieces.
    pub fn tracker(&self) -> PitchTracker<'_> {
        PitchTracker::new(&self.plan)
    }

    /// Finds the pitch of a signal, scaled like 16-bit samples: `num_frames × 2`, normalized cross-correlation and
    /// pitch in Hz. A signal that is too short for a frame gives an empty matrix.
    ///
    /// With `--simulate-first-pass-online` each frame has the values known when it first becomes available.
    ///
    /// # Errors
    /// If samples are not finite or too large. Without `--snip-edges` also if Kaldi does not keep the samples of a
    /// frame: of signals a little longer than a window, or in pieces shorter than that.
    pub fn compute(&self, samples: &[f32]) -> Result<Matrix<f32>> {
        let mut rows: Vec<[f32; 2]> = Vec::new();
        self.track(samples, |tracker| {
            if self.is_first_pass() || tracker.has_ended() {
                rows.extend((rows.len()..tracker.num_frames_ready()).map(|frame| tracker.frame(frame)));
            }
            Ok(())
        })?;
        let num_cols = if rows.is_empty() { 0 } else { 2 };
        Ok(Matrix::from_vec(rows.len(), num_cols, rows.concat()))
    }

    /// Finds the pitch of a signal and computes features for a recognizer from it (Kaldi's
    /// `ComputeAndProcessKaldiPitch`).
    ///
    /// With `--simulate-first-pass-online` each frame is processed with the knowledge of that time: its normalization
    /// ends at the last available frame.
    ///
    /// # Errors
    /// As [`PitchExtractor::compute`]; also if the signal is too short for a frame, unless the first pass is wanted.
    pub fn compute_processed(&self, process: &ProcessPitch, samples: &[f32]) -> Result<ProcessedPitch> {
        if !self.is_first_pass() {
            let measured = self.compute(samples)?;
            return if measured.is_empty() { Err(Error::TooShort) } else { process.compute(&measured) };
        }
        let mut processed = process.start();
        self.track(samples, |tracker| {
            process.append(
                tracker.num_frames_ready(),
                tracker.has_ended(),
                |frame| tracker.frame(frame),
                &mut processed,
            )
        })?;
        Ok(processed)
    }

    /// Tracks the pitch of a signal. `look` sees the tracker after every piece; the last one ends the signal. A signal
    /// without samples has no pieces.
    fn track(&self, samples: &[f32], mut look: impl FnMut(&PitchTracker<'_>) -> Result<()>) -> Result<()> {
        let mut tracker = self.tracker();
        let size = match options::chunk_size(&self.plan.options) {
            0 => samples.len().max(1),
            size => size,
        };
        let mut pieces = samples.chunks(size).peekable();
        while let Some(piece) = pieces.next() {
            tracker.accept(piece)?;
            if pieces.peek().is_none() {
                tracker.finish()?;
            }
            look(&tracker)?;
        }
        Ok(())
    }
}
