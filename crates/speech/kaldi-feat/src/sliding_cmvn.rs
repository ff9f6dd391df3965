//! Normalization of means and variances over a window that slides along with the frames.

use std::ops::Range;

use kaldi_matrix::Matrix;
use kaldi_simd::{Kernel, dispatch};

use crate::frame_sums::FrameSums;
use crate::{Error, Result};

/// The least variance; smaller ones are raised to it.
const VARIANCE_FLOOR: f64 = 1.0e-10;

/// Options of [`SlidingWindowCmn`].
#[derive(Clone, Debug)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[non_exhaustive]
pub struct SlidingWindowCmnOptions {
    /// Center the window on the frame, as far as there are frames, instead of ending it there
    #[cfg_attr(feature = "cli", arg(long, default_value_t = SlidingWindowCmnOptions::default().center))]
    pub center: bool,
    /// Number of frames of the window; with `center = false` it is the frame itself and this many before
    #[cfg_attr(feature = "cli", arg(long, default_value_t = SlidingWindowCmnOptions::default().cmn_window, value_name = "int", value_parser = kaldi_value::number::count::<usize>))]
    pub cmn_window: usize,
    /// Least number of frames of the window, which includes later ones at the start (only without `center`)
    #[cfg_attr(feature = "cli", arg(long, default_value_t = SlidingWindowCmnOptions::default().min_cmn_window, value_name = "int", value_parser = kaldi_value::number::negative_is_zero))]
    pub min_cmn_window: usize,
    /// Make variances one, too
    #[cfg_attr(feature = "cli", arg(long, default_value_t = SlidingWindowCmnOptions::default().norm_vars))]
    pub norm_vars: bool,
}

impl Default for SlidingWindowCmnOptions {
    fn default() -> Self {
        Self { center: false, cmn_window: 600, min_cmn_window: 100, norm_vars: false }
    }
}

/// A frame in whose window some variances were too small.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FlooredFrame {
    /// The number of dimensions concerned.
    pub num_floored: usize,
    /// The number of frames in the window.
    pub window_frames: usize,
}

/// Sliding-window cepstral mean (and variance) normalization, like Kaldi's `apply-cmvn-sliding`.
#[derive(Clone, Debug)]
pub struct SlidingWindowCmn {
    options: SlidingWindowCmnOptions,
}

impl SlidingWindowCmn {
    /// Checks the options.
    ///
    /// # Errors
    /// If the window has no frames or, for a centered one, its least number of frames is not from 1 to that number,
    /// although it has no effect.
    pub fn new(options: SlidingWindowCmnOptions) -> Result<Self> {
        let SlidingWindowCmnOptions { cmn_window, min_cmn_window, .. } = options;
        if cmn_window < 1 {
            return Err(Error::option("cmn_window", "1 or more", cmn_window));
        }
        if options.center && !(1..=cmn_window).contains(&min_cmn_window) {
            let got = format_args!("{min_cmn_window} (and {cmn_window})");
            return Err(Error::option("min_cmn_window", "from 1 to `cmn_window`", got));
        }
        Ok(Self { options })
    }

    /// The frames for the mean and variance of one frame. From frame to frame, neither end of the window ever moves
    /// back, or forward by more than one.
    fn window(&self, frame: usize, num_frames: usize) -> Range<usize> {
        let (frame, num_frames) = (frame as i64, num_frames as i64);
        // No utterance has more.
        let frames = |number: usize| number.min(i32::MAX as usize) as i64;
        let length = frames(self.options.cmn_window);
        let (mut start, mut end) = match self.options.center {
            true => (frame - length / 2, frame - length / 2 + length),
            false => (frame - length, (frame + 1).max(frames(self.options.min_cmn_window))),
        };
        if start < 0 && self.options.center {
            end -= start;
        }
        start = start.max(0);
        if end > num_frames {
            start = (start - (end - num_frames)).max(0);
            end = num_frames;
        }
        start as usize..end as usize
    }

    /// Normalizes features, with running sums in double precision. A window of one frame has no variance: with
    /// `norm_vars` the frame becomes zero. Returns the frames where variances were too small.
    pub fn apply(&self, feats: &Matrix<f32>) -> (Matrix<f32>, Vec<FlooredFrame>) {
        dispatch(Application { cmn: self, feats })
    }

    #[inline(always)]
    fn apply_to(&self, feats: &Matrix<f32>) -> (Matrix<f32>, Vec<FlooredFrame>) {
        let (num_frames, dim) = feats.size();
        let mut normalized = Matrix::new(num_frames, dim);
        let mut floored = Vec::new();
        let sums = FrameSums::new(dim, self.options.norm_vars);
        let mut deviations = Deviations { values: sums.squares.clone(), num_floored: 0 };
        let mut sums = WindowSums { window: 0..0, sums };
        for (frame, output) in normalized.rows_mut().enumerate() {
            let window = self.window(frame, num_frames);
            let is_moved = window != sums.window;
            sums.move_to(&window, feats);
            let window_frames = window.len();
            let input = feats.row(frame);
            if !self.options.norm_vars {
                sums.normalize_mean(input, output);
            } else if window_frames > 1 {
                if is_moved {
                    sums.compute_deviations(&mut deviations);
                }
                sums.normalize(input, &deviations, output);
                if deviations.num_floored > 0 {
                    floored.push(FlooredFrame { num_floored: deviations.num_floored, window_frames });
                }
            }
        }
        (normalized, floored)
    }
}

/// A normalization and its features.
struct Application<'a> {
    cmn: &'a SlidingWindowCmn,
    feats: &'a Matrix<f32>,
}

impl Kernel for Application<'_> {
    type Output = (Matrix<f32>, Vec<FlooredFrame>);

    // Most of the time goes into divisions and square roots.
    const WANTS_AVX512: bool = true;

    #[inline(always)]
    fn compute(self) -> Self::Output {
        self.cmn.apply_to(self.feats)
    }
}

/// Sums over the frames of a window.
struct WindowSums {
    window: Range<usize>,
    sums: FrameSums,
}

impl WindowSums {
    /// Moves to a window whose ends are both not before those of the last one.
    #[inline(always)]
    fn move_to(&mut self, window: &Range<usize>, feats: &Matrix<f32>) {
        for leaving in self.window.start..window.start {
            self.sums.subtract(feats.row(leaving));
        }
        for entering in self.window.end..window.end {
            self.sums.add(feats.row(entering));
        }
        self.window = window.clone();
    }

    #[inline(always)]
    fn normalize_mean(&self, input: &[f32], output: &mut [f32]) {
        let factor = -1.0 / self.sums.count;
        for ((output, &input), sum) in output.iter_mut().zip(input).zip(&self.sums.values) {
            *output = (f64::from(input) + factor * sum) as f32;
        }
    }

    #[inline(always)]
    fn compute_deviations(&self, deviations: &mut Deviations) {
        let factor = 1.0 / self.sums.count;
        let factor_of_mean = -1.0 / (self.sums.count * self.sums.count);
        let mut num_floored = 0_u64;
        for ((deviation, &sum), &square) in deviations.values.iter_mut().zip(&self.sums.values).zip(&self.sums.squares)
        {
            let variance = square * factor + factor_of_mean * sum * sum;
            num_floored += u64::from(variance < VARIANCE_FLOOR);
            let variance = if variance < VARIANCE_FLOOR { VARIANCE_FLOOR } else { variance };
            *deviation = variance.sqrt();
        }
        deviations.num_floored = num_floored as usize;
    }

    #[inline(always)]
    fn normalize(&self, input: &[f32], deviations: &Deviations, output: &mut [f32]) {
        let factor = 1.0 / self.sums.count;
        for (((output, &input), &sum), deviation) in
            output.iter_mut().zip(input).zip(&self.sums.values).zip(&deviations.values)
        {
            *output = ((f64::from(input) - factor * sum) / deviation) as f32;
        }
    }
}

/// The roots of the variances in a window. They change only if it moves: in short utterances, hardly ever.
struct Deviations {
    values: Vec<f64>,
    /// How many variances were raised to the floor.
    num_floored: usize,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cmn(center: bool, cmn_window: usize, min_cmn_window: usize, norm_vars: bool) -> SlidingWindowCmn {
        let options = SlidingWindowCmnOptions { center, cmn_window, min_cmn_window, norm_vars };
        SlidingWindowCmn::new(options).unwrap()
    }

    fn column(values: &[f32]) -> Matrix<f32> {
        Matrix::from_vec(values.len(), 1, values.to_vec())
    }

    #[track_caller]
    fn windows(cmn: &SlidingWindowCmn, num_frames: usize, expected: &[Range<usize>]) {
        let windows: Vec<_> = (0..num_frames).map(|frame| cmn.window(frame, num_frames)).collect();
        assert_eq!(windows, expected);
    }

    #[test]
    fn a_centered_window_is_moved_into_the_utterance() {
        windows(&cmn(true, 3, 1, false), 5, &[0..3, 0..3, 1..4, 2..5, 2..5]);
        windows(&cmn(true, 4, 1, false), 5, &[0..4, 0..4, 0..4, 1..5, 1..5]);
        windows(&cmn(true, 9, 1, false), 2, &[0..2, 0..2]);
    }

    /// As in Kaldi: the frame itself is counted in addition.
    #[test]
    fn a_window_before_the_frame_has_one_frame_more() {
        windows(&cmn(false, 2, 0, false), 5, &[0..1, 0..2, 0..3, 1..4, 2..5]);
    }

    #[test]
    fn a_window_before_the_frame_has_its_least_length_at_the_beginning() {
        windows(&cmn(false, 2, 3, false), 5, &[0..3, 0..3, 0..3, 1..4, 2..5]);
        windows(&cmn(false, 2, 9, false), 3, &[0..3, 0..3, 0..3]);
    }

    #[test]
    fn windows_move_by_one_frame_at_most() {
        for num_frames in 1..30 {
            for (window, min_window) in (1..12).flat_map(|window| (0..35).map(move |least| (window, least))) {
                for center in [false, true] {
                    let least = if center { 1 } else { min_window };
                    let cmn = cmn(center, window, least, false);
                    let mut last = cmn.window(0, num_frames);
                    assert_eq!(last.start, 0);
                    for frame in 0..num_frames {
                        let next = cmn.window(frame, num_frames);
                        assert!(next.contains(&frame) && next.end <= num_frames);
                        assert!((0..=1).contains(&(next.start - last.start)), "{next:?} after {last:?}");
                        assert!((0..=1).contains(&(next.end - last.end)), "{next:?} after {last:?}");
                        last = next;
                    }
                }
            }
        }
    }

    #[test]
    fn windows_may_be_as_long_as_the_option_goes() {
        windows(&cmn(true, usize::MAX, 1, false), 2, &[0..2, 0..2]);
        windows(&cmn(false, usize::MAX, usize::MAX, false), 2, &[0..2, 0..2]);
    }

    #[test]
    fn every_frame_is_normalized_with_its_own_window() {
        let feats = column(&[1.0, 2.0, 6.0, 7.0]);
        let (means, floored) = cmn(true, 3, 1, false).apply(&feats);
        assert_eq!(means.as_slice(), [-2.0, -1.0, 1.0, 2.0]);
        assert!(floored.is_empty());
        let (both, _) = cmn(true, 2, 1, true).apply(&feats);
        assert_eq!(both.as_slice(), [-1.0, 1.0, 1.0, 1.0]);
    }

    #[test]
    fn the_variance_of_one_frame_is_unknown() {
        let (normalized, floored) = cmn(true, 1, 1, true).apply(&column(&[3.0, 4.0]));
        assert_eq!(normalized.as_slice(), [0.0, 0.0]);
        assert!(floored.is_empty());
    }

    #[test]
    fn small_variances_are_floored_and_told() {
        let feats = Matrix::from_vec(2, 2, vec![3.0_f32, 1.0, 3.0, 2.0]);
        let (normalized, floored) = cmn(true, 2, 1, true).apply(&feats);
        assert_eq!(normalized.as_slice(), [0.0, -1.0, 0.0, 1.0]);
        assert_eq!(floored, [FlooredFrame { num_floored: 1, window_frames: 2 }; 2]);
    }

    /// The square of such a length does not fit 32 bits.
    #[test]
    fn variances_over_long_windows_are_right() {
        let feats = column(&(0..50_000).map(|frame| if frame % 2 == 0 { 1.0 } else { 3.0 }).collect::<Vec<_>>());
        let (normalized, floored) = cmn(true, 50_000, 1, true).apply(&feats);
        assert_eq!(&normalized.as_slice()[..4], [-1.0, 1.0, -1.0, 1.0]);
        assert!(floored.is_empty());
    }

    #[test]
    fn the_registers_do_not_matter() {
        let feats = Matrix::from_vec(50, 13, (0..650).map(|at| ((at * 7919) % 1009) as f32 / 7.0).collect());
        for norm_vars in [false, true] {
            let cmn = cmn(true, 20, 1, norm_vars);
            assert_eq!(cmn.apply(&feats), cmn.apply_to(&feats));
        }
    }

    #[test]
    fn no_frames_give_no_frames() {
        assert!(cmn(false, 600, 100, true).apply(&Matrix::default()).0.is_empty());
    }

    #[test]
    fn windows_without_frames_are_refused() {
        let refused = |center, cmn_window, min_cmn_window| {
            let options = SlidingWindowCmnOptions { center, cmn_window, min_cmn_window, norm_vars: false };
            SlidingWindowCmn::new(options).unwrap_err().to_string()
        };
        assert_eq!(refused(false, 0, 1), "expected `cmn_window` to be 1 or more, got 0");
        assert_eq!(refused(true, 50, 100), "expected `min_cmn_window` to be from 1 to `cmn_window`, got 100 (and 50)");
        assert_eq!(refused(true, 50, 0), "expected `min_cmn_window` to be from 1 to `cmn_window`, got 0 (and 50)");
    }
}
