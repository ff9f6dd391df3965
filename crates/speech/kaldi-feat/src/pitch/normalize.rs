//! Pitch for a recognizer, in the older way.

use kaldi_matrix::Matrix;

use super::columns::check_has_pitch;
use crate::{Error, Result};

/// The options of the normalization.
#[derive(Clone, Debug)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[non_exhaustive]
pub struct PitchNormalizerOptions {
    /// Frames of the window whose mean is subtracted from the log pitch; odd
    #[cfg_attr(feature = "cli", arg(long, default_value_t = PitchNormalizerOptions::default().normalization_window_size, value_name = "int", value_parser = kaldi_value::number::count::<usize>))]
    pub normalization_window_size: usize,
    /// Frames of the window over which the result is averaged; odd
    #[cfg_attr(feature = "cli", arg(long, default_value_t = PitchNormalizerOptions::default().average_window_size, value_name = "int", value_parser = kaldi_value::number::count::<usize>))]
    pub average_window_size: usize,
}

impl Default for PitchNormalizerOptions {
    fn default() -> Self {
        Self { normalization_window_size: 151, average_window_size: 5 }
    }
}

/// Computes log odds from the probability of voicing, and from the pitch its logarithm around a moving mean, smoothed.
///
/// Follows Kaldi's process-pitch-feats in single precision. The mean of the first window is used for its first half.
/// After that each frame moves it by the frames just outside the window on both sides, as long as both exist. Frames
/// that the averaging window does not cover completely are not changed.
#[derive(Clone, Copy, Debug)]
pub struct PitchNormalizer {
    window: usize,
    /// The number of frames on each side of one in the averaging window.
    width: usize,
}

impl PitchNormalizer {
    /// Prepares the normalization.
    ///
    /// # Errors
    /// If a window is not odd and positive.
    pub fn new(options: &PitchNormalizerOptions) -> Result<Self> {
        let odd = |name, size: usize| match size % 2 {
            1 => Ok(size),
            _ => Err(Error::option(name, "odd and positive", size)),
        };
        let average = odd("average_window_size", options.average_window_size)?;
        let window = odd("normalization_window_size", options.normalization_window_size)?;
        Ok(Self { window, width: average / 2 })
    }

    /// Replaces the first two columns; the other columns do not change.
    ///
    /// # Errors
    /// If there are fewer than two columns, a probability is not from 0 to 1, or a pitch is not positive.
    pub fn apply(&self, feats: &mut Matrix<f32>) -> Result<()> {
        check_has_pitch(feats)?;
        let mut pitch = Vec::with_capacity(feats.num_rows());
        for (frame, row) in feats.rows_mut().enumerate() {
            let voicing = row[0];
            if !(0.0..=1.0).contains(&voicing) {
                let what = "the probability of voicing";
                return Err(Error::Value { what, expected: "from 0 to 1", got: voicing, frame });
            }
            if row[1] <= 0.0 || row[1].is_nan() {
                return Err(Error::Value { what: "the pitch", expected: "positive", got: row[1], frame });
            }
            row[0] = ((f64::from(voicing) + 0.0001) / (1.0001 - f64::from(voicing))).ln() as f32;
            pitch.push(row[1].ln());
        }
        let centred = self.subtract_moving_mean(&pitch);
        for (row, pitch) in feats.rows_mut().zip(self.averaged(&centred)) {
            row[1] = pitch;
        }
        Ok(())
    }

    fn subtract_moving_mean(&self, pitch: &[f32]) -> Vec<f32> {
        let num_frames = pitch.len();
        let first_window = &pitch[..num_frames.min(self.window)];
        let mut mean = first_window.iter().fold(0.0, |sum, value| sum + value) / first_window.len() as f32;
        let half = self.window / 2 + 1;
        let centred = pitch.iter().enumerate().map(|(frame, value)| {
            if num_frames > self.window && frame >= half && frame + half < num_frames {
                mean -= (pitch[frame - half] - pitch[frame + half]) / self.window as f32;
            }
            value - mean
        });
        centred.collect()
    }

    fn averaged(&self, values: &[f32]) -> Vec<f32> {
        let mut averaged = values.to_vec();
        for (window, center) in values.windows(2 * self.width + 1).zip(self.width..) {
            let pairs = (1..=self.width).map(|j| window[self.width - j] + window[self.width + j]);
            averaged[center] = pairs.fold(values[center], |sum, pair| sum + pair) / window.len() as f32;
        }
        averaged
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn normalized(window: usize, average: usize, rows: &[[f32; 2]]) -> Result<Matrix<f32>> {
        let options = PitchNormalizerOptions { normalization_window_size: window, average_window_size: average };
        let mut feats = Matrix::from_vec(rows.len(), 2, rows.concat());
        PitchNormalizer::new(&options)?.apply(&mut feats)?;
        Ok(feats)
    }

    fn log_pitch(window: usize, average: usize, logs: &[f32]) -> Vec<f32> {
        let rows: Vec<_> = logs.iter().map(|log| [0.5, log.exp()]).collect();
        normalized(window, average, &rows).unwrap().column(1).into_vec()
    }

    #[track_caller]
    fn is_close(got: &[f32], expected: &[f32]) {
        assert_eq!(got.len(), expected.len());
        assert!(got.iter().zip(expected).all(|(got, expected)| (got - expected).abs() < 1e-5), "{got:?} {expected:?}");
    }

    #[test]
    fn voicing_becomes_log_odds() {
        let out = normalized(151, 5, &[[0.0, 1.0], [0.5, 1.0], [1.0, 1.0]]).unwrap();
        is_close(out.column(0).as_slice(), &[(0.0001_f32 / 1.0001).ln(), (0.5001_f32 / 0.5001).ln(), 9.21044]);
    }

    #[test]
    fn the_mean_moves_with_the_window() {
        let logs = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        // Within one window there is one mean.
        is_close(&log_pitch(7, 1, &logs), &[-3.0, -2.0, -1.0, 0.0, 1.0, 2.0, 3.0]);
        // The mean of the first window is 1; frames 2, 3 and 4 move it by 4/3 each.
        is_close(&log_pitch(3, 1, &logs), &[-1.0, 0.0, 1.0 - 4.0 / 3.0, 2.0 - 8.0 / 3.0, -1.0, 0.0, 1.0]);
    }

    #[test]
    fn only_whole_windows_are_averaged() {
        is_close(&log_pitch(151, 3, &[0.0, 3.0, 0.0, 3.0]), &[-1.5, -0.5, 0.5, 1.5]);
        is_close(&log_pitch(151, 5, &[0.0, 3.0, 0.0]), &[-1.0, 2.0, -1.0]);
    }

    #[test]
    fn values_out_of_range_are_refused() {
        let message = |row| normalized(151, 5, &[[0.5, 100.0], row]).unwrap_err().to_string();
        assert_eq!(message([1.5, 9.0]), "expected the probability of voicing to be from 0 to 1, got 1.5 in frame 1");
        assert_eq!(message([0.5, 0.0]), "expected the pitch to be positive, got 0.0 in frame 1");
        assert!(message([f32::NAN, 1.0]).contains("NaN"));
        assert!(message([0.5, f32::NAN]).contains("NaN"));
    }

    #[test]
    fn windows_are_odd() {
        let message = |window, average| normalized(window, average, &[[0.5, 1.0]]).unwrap_err().to_string();
        assert_eq!(message(151, 4), "expected `average_window_size` to be odd and positive, got 4");
        assert_eq!(message(0, 5), "expected `normalization_window_size` to be odd and positive, got 0");
    }

    #[test]
    fn two_columns_are_needed() {
        let normalizer = PitchNormalizer { window: 3, width: 1 };
        assert_eq!(normalizer.apply(&mut Matrix::default()), Err(Error::Empty));
        assert_eq!(normalizer.apply(&mut Matrix::new(1, 1)), Err(Error::FeatsDim { expected: 2, got: 1 }));
        let mut wide = Matrix::from_vec(1, 3, vec![0.5, 1.0, 7.0]);
        normalizer.apply(&mut wide).unwrap();
        assert_eq!(wide.row(0)[2], 7.0);
    }
}
