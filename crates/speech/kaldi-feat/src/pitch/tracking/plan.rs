//! The common parameters of the frames of all signals.

use crate::pitch::PitchExtractionOptions;
use kaldi_wave::RateConverter;

use super::lags::Lags;
use super::options;
use super::viterbi::Transitions;
use crate::{Error, Result};

/// The preparations for tracking the pitch of any signal.
#[derive(Clone, Debug)]
pub(super) struct Plan {
    pub(super) options: PitchExtractionOptions,
    /// The number of samples in the window whose correlation is measured, and from one window to the next.
    pub(super) window: usize,
    pub(super) shift: usize,
    pub(super) lags: Lags,
    pub(super) transitions: Transitions,
    pub(super) converter: RateConverter,
}

impl Plan {
    pub(super) fn new(options: &PitchExtractionOptions) -> Result<Self> {
        options::check(options)?;
        let (window, shift) = options::window_and_shift(options)?;
        let lags = Lags::new(options)?;
        let step = (1.0 + f64::from(options.delta_pitch)).ln().powi(2) as f32;
        let transitions = Transitions::new(lags.len(), step * options.penalty_factor);
        let (from, to) = (options.sample_frequency as u32, options.resample_frequency as u32);
        let width = options.lowpass_filter_width as u32;
        let converter = RateConverter::new(from, to, options.lowpass_cutoff, width).map_err(Error::Resample)?;
        Ok(Self { options: options.clone(), window, shift, lags, transitions, converter })
    }

    /// The number of samples of a frame, with the window at the last lag.
    pub(super) fn frame_length(&self) -> usize {
        self.window + self.lags.measured().1
    }

    /// The number of frames for this many samples of the converted signal.
    pub(super) fn num_frames(&self, num_samples: usize, has_ended: bool) -> usize {
        let length = if has_ended { self.window } else { self.frame_length() };
        if num_samples < length {
            return 0;
        }
        if self.options.snip_edges {
            return (num_samples - length) / self.shift + 1;
        }
        let num_samples = if has_ended { num_samples } else { num_samples - length / 2 };
        (num_samples as f32 / self.shift as f32 + 0.5) as usize
    }

    /// The first sample of a frame, which may be before the signal.
    pub(super) fn frame_begin(&self, frame: usize) -> i64 {
        if self.options.snip_edges {
            return frame as i64 * self.shift as i64;
        }
        ((frame as f64 + 0.5) * self.shift as f64) as i64 - self.frame_length() as i64 / 2
    }

    /// The addition to products of energies if the signal has this mean square.
    pub(super) fn ballast(&self, mean_square: f64) -> f32 {
        let energy = mean_square * self.window as f64;
        (energy * energy * f64::from(self.options.nccf_ballast)) as f32
    }
}
