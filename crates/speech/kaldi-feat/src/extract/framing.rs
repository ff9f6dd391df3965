//! How a waveform is cut into frames.

use std::borrow::Cow;

use super::FrameOptions;
use crate::error::finite;
use crate::{Error, Result};

/// The longest frame, in samples: 87 s at 48 kHz.
const LONGEST: usize = 1 << 22;

/// The places of the frames of a waveform, in samples.
#[derive(Clone, Debug)]
pub(crate) struct Framing {
    /// The distance from one frame to the next.
    pub(crate) shift: usize,
    /// The length of a frame.
    pub(crate) length: usize,
    /// The length that is transformed.
    pub(crate) padded: usize,
    /// The window function.
    pub(crate) window: Vec<f32>,
    snip_edges: bool,
}

impl Framing {
    pub(crate) fn new(options: &FrameOptions) -> Result<Self> {
        let FrameOptions { sample_frequency: rate, frame_length, frame_shift, .. } = *options;
        if !(rate > 0.0 && rate.is_finite()) {
            return Err(Error::option("sample_frequency", "positive", rate));
        }
        // Cut, not rounded, as in Kaldi.
        let samples = |milliseconds: f32| (f64::from(rate) * 0.001 * f64::from(milliseconds)) as usize;
        let (length, shift) = (samples(frame_length), samples(frame_shift));
        if !(1..=i32::MAX as usize).contains(&shift) {
            return Err(Error::option("frame_shift", "from 1 to 2147483647 samples", milliseconds(frame_shift)));
        }
        if !(2..=LONGEST).contains(&length) {
            return Err(Error::option("frame_length", "from 2 to 4194304 samples", milliseconds(frame_length)));
        }
        let padded = if options.round_to_power_of_two { length.next_power_of_two() } else { length };
        if padded % 2 == 1 {
            let got = format!("{} or {length} samples", milliseconds(frame_length));
            return Err(Error::option(
                "frame_length",
                "an even number of samples without `round_to_power_of_two`",
                got,
            ));
        }
        finite("blackman_coeff", options.blackman_coeff)?;
        let window = options.window_type.weights(length, options.blackman_coeff);
        Ok(Self { shift, length, padded, window, snip_edges: options.snip_edges })
    }

    /// Frames with the length of a window and this distance, all within the waveform.
    pub(crate) fn plain(shift: usize, window: Vec<f32>) -> Self {
        Self { shift, length: window.len(), padded: window.len(), window, snip_edges: true }
    }

    /// The number of frames in a waveform of this many samples (Kaldi's `NumFrames`).
    pub(crate) fn num_frames(&self, num_samples: usize) -> usize {
        match self.snip_edges {
            true if num_samples < self.length => 0,
            true => 1 + (num_samples - self.length) / self.shift,
            false => (num_samples + self.shift / 2) / self.shift,
        }
    }

    /// The samples of one frame. Beyond its ends the waveform is mirrored, repeatedly if necessary.
    #[inline(always)]
    pub(crate) fn frame<'a>(&self, wave: &'a [f32], frame: usize) -> Cow<'a, [f32]> {
        let middle = (self.shift / 2) as isize - (self.length / 2) as isize;
        let offset = if self.snip_edges { 0 } else { middle };
        let start = (frame * self.shift) as isize + offset;
        if let Some(samples) = usize::try_from(start).ok().and_then(|start| wave.get(start..start + self.length)) {
            return samples.into();
        }
        let period = 2 * wave.len() as isize;
        let mirrored = |at: isize| {
            let at = at.rem_euclid(period) as usize;
            wave[if at < wave.len() { at } else { period as usize - 1 - at }]
        };
        (start..start + self.length as isize).map(mirrored).collect()
    }
}

fn milliseconds(time: f32) -> String {
    format!("{time} ms")
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Frames of 4 samples, 3 samples apart.
    fn framing(snip_edges: bool) -> Framing {
        let options = FrameOptions {
            sample_frequency: 1000.0,
            frame_length: 4.0,
            frame_shift: 3.0,
            snip_edges,
            ..Default::default()
        };
        Framing::new(&options).unwrap()
    }

    #[test]
    fn frames_lie_within_the_wave() {
        let framing = framing(true);
        let counts = [(0, 0), (1, 0), (3, 0), (4, 1), (6, 1), (7, 2), (9, 2), (10, 3), (3001, 1000)];
        for (samples, frames) in counts {
            assert_eq!(framing.num_frames(samples), frames, "{samples}");
        }
        let wave = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        assert_eq!(*framing.frame(&wave, 0), [0.0, 1.0, 2.0, 3.0]);
        assert_eq!(*framing.frame(&wave, 1), [3.0, 4.0, 5.0, 6.0]);
    }

    #[test]
    fn frames_without_snipped_edges_depend_on_their_distance_alone() {
        let framing = framing(false);
        for (samples, frames) in [(0, 0), (1, 0), (2, 1), (4, 1), (5, 2), (7, 2), (8, 3), (3001, 1000)] {
            assert_eq!(framing.num_frames(samples), frames, "{samples}");
        }
        let wave = [0.0, 1.0, 2.0, 3.0, 4.0];
        assert_eq!(*framing.frame(&wave, 0), [0.0, 0.0, 1.0, 2.0]);
        assert_eq!(*framing.frame(&wave, 1), [2.0, 3.0, 4.0, 4.0]);
    }

    #[test]
    fn short_waves_are_mirrored_again_and_again() {
        let options = FrameOptions { frame_length: 0.75, frame_shift: 0.125, snip_edges: false, ..Default::default() };
        let framing = Framing::new(&options).unwrap();
        assert_eq!((framing.length, framing.shift), (12, 2));
        let mirrored = [1.0, 1.0, 2.0, 2.0, 1.0, 1.0, 2.0, 2.0, 1.0, 1.0, 2.0, 2.0];
        assert_eq!(*framing.frame(&[1.0, 2.0], 0), mirrored);
        assert_eq!(*framing.frame(&[7.0], 0), [7.0; 12]);
    }

    #[test]
    fn samples_are_cut_and_not_rounded() {
        let options = FrameOptions { frame_shift: 8.3, frame_length: 31.99, ..Default::default() };
        let framing = Framing::new(&options).unwrap();
        assert_eq!((framing.shift, framing.length, framing.padded), (132, 511, 512));
        let odd_rate = FrameOptions { sample_frequency: 11025.0, ..Default::default() };
        let framing = Framing::new(&odd_rate).unwrap();
        assert_eq!((framing.shift, framing.length, framing.padded), (110, 275, 512));
    }

    #[test]
    fn options_out_of_range_are_refused() {
        let message = |options: &FrameOptions| Framing::new(options).unwrap_err().to_string();
        let with = || FrameOptions::default();
        for (options, expected) in [
            (FrameOptions { sample_frequency: 0.0, ..with() }, "expected `sample_frequency` to be positive, got 0"),
            (
                FrameOptions { sample_frequency: f32::NAN, ..with() },
                "expected `sample_frequency` to be positive, got NaN",
            ),
            (
                FrameOptions { frame_shift: 0.0, ..with() },
                "expected `frame_shift` to be from 1 to 2147483647 samples, got 0 ms",
            ),
            (
                FrameOptions { frame_shift: f32::INFINITY, ..with() },
                "expected `frame_shift` to be from 1 to 2147483647 samples, got inf ms",
            ),
            (
                FrameOptions { blackman_coeff: f32::NAN, ..with() },
                "expected `blackman_coeff` to be a finite number, got NaN",
            ),
            (
                FrameOptions { frame_shift: -5.0, ..with() },
                "expected `frame_shift` to be from 1 to 2147483647 samples, got -5 ms",
            ),
            (
                FrameOptions { frame_length: 0.1, ..with() },
                "expected `frame_length` to be from 2 to 4194304 samples, got 0.1 ms",
            ),
            (
                FrameOptions { frame_length: 1e9, ..with() },
                "expected `frame_length` to be from 2 to 4194304 samples, got 1000000000 ms",
            ),
            (
                FrameOptions { frame_length: 20.07, round_to_power_of_two: false, ..with() },
                "expected `frame_length` to be an even number of samples without `round_to_power_of_two`, got 20.07 ms or \
                 321 samples",
            ),
        ] {
            assert_eq!(message(&options), expected);
        }
    }
}
