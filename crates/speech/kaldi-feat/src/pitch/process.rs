//! Pitch for a recognizer, in Kaldi's current way.

use std::ops::Range;

use kaldi_matrix::Matrix;
use kaldi_value::random::Random;

use super::ProcessPitchOptions;
use crate::{DeltaOptions, Deltas, Error, Result};

/// Computes features for a recognizer from measured pitch (Kaldi's `ProcessPitch`).
///
/// The input is normalized cross-correlation and pitch in Hz, `num_frames × 2`. The output has up to four columns: the
/// correlation, warped so that its distribution is even; the log pitch minus its weighted moving mean; its derivative;
/// and the log pitch itself. Moving sums are in double precision, everything else in single.
#[derive(Clone, Debug)]
pub struct ProcessPitch {
    options: ProcessPitchOptions,
    deltas: Option<Deltas>,
    contexts: (usize, usize),
    delay: usize,
}

impl ProcessPitch {
    /// Prepares the computation.
    ///
    /// # Errors
    /// If an option is out of its range, or no columns are wanted.
    pub fn new(options: &ProcessPitchOptions) -> Result<Self> {
        // No utterance has more frames.
        let [left, right, delay] =
            [options.normalization_left_context, options.normalization_right_context, options.delay]
                .map(|frames| frames.min(i32::MAX as usize));
        let deltas = DeltaOptions { order: 1, window: options.delta_window };
        let deltas = options.add_delta_pitch.then(|| Deltas::new(&deltas)).transpose()?;
        let this = Self { options: options.clone(), deltas, contexts: (left, right), delay };
        if this.dim() == 0 {
            return Err(Error::option("add_pov_feature", "true unless another feature is written", false));
        }
        Ok(this)
    }

    /// The number of columns of the output.
    pub fn dim(&self) -> usize {
        let ProcessPitchOptions {
            add_pov_feature, add_normalized_log_pitch, add_delta_pitch, add_raw_log_pitch, ..
        } = self.options;
        [add_pov_feature, add_normalized_log_pitch, add_delta_pitch, add_raw_log_pitch]
            .into_iter()
            .map(usize::from)
            .sum()
    }

    /// Computes the features. With a delay of `d` frames there are `d` more than in the input; the first one is
    /// repeated.
    ///
    /// # Errors
    /// If there are not two columns, a correlation is NaN, or a pitch that is used is not positive.
    pub fn compute(&self, measured: &Matrix<f32>) -> Result<ProcessedPitch> {
        if measured.num_cols() != 2 {
            return Err(Error::FeatsDim { expected: 2, got: measured.num_cols() });
        }
        let mut processed = self.start();
        let num_frames = measured.num_rows();
        processed.push(&self.columns(measured, 0..num_frames)?, 0, num_frames + self.delay);
        Ok(processed)
    }

    /// Features of no frames yet, for [`ProcessPitch::append`].
    pub(super) fn start(&self) -> ProcessedPitch {
        let options = &self.options;
        let delta = self.deltas.is_some().then(|| Delta {
            column: usize::from(options.add_pov_feature) + usize::from(options.add_normalized_log_pitch),
            noise: options.delta_pitch_noise_stddev,
            scale: options.delta_pitch_scale,
        });
        ProcessedPitch { features: Vec::new(), dim: self.dim(), delay: self.delay, delta }
    }

    /// Appends features of the frames that can be normalized when there are `num_measured` frames (like Kaldi's
    /// `OnlineProcessPitch`): all but the last ones, until the utterance `has_ended`. The values of `measured` for a
    /// frame may change from call to call.
    pub(super) fn append(
        &self,
        num_measured: usize,
        has_ended: bool,
        measured: impl Fn(usize) -> [f32; 2],
        processed: &mut ProcessedPitch,
    ) -> Result<()> {
        let (left, right) = self.contexts;
        let num_rows = match (num_measured, has_ended) {
            (0, _) => 0,
            (_, true) => num_measured + self.delay,
            (_, false) => (num_measured + self.delay).saturating_sub(right),
        };
        let first_row = processed.num_rows();
        if num_rows <= first_row {
            return Ok(());
        }
        let frames = first_row.saturating_sub(self.delay)..num_rows.saturating_sub(self.delay).max(1);
        let delta_window = if self.deltas.is_some() { self.options.delta_window } else { 0 };
        let begin = frames.start.saturating_sub(left.max(delta_window));
        let end = (frames.end + right.max(delta_window)).min(num_measured);
        let around: Vec<f32> = (begin..end).flat_map(measured).collect();
        let around = Matrix::from_vec(end - begin, 2, around);
        let columns = self.columns(&around, frames.start - begin..frames.end - begin)?;
        processed.push(&columns, frames.start, num_rows);
        Ok(())
    }

    /// The columns of the features of some frames, derivatives without noise and scale.
    fn columns(&self, measured: &Matrix<f32>, frames: Range<usize>) -> Result<Vec<Vec<f32>>> {
        let options = &self.options;
        let correlation = measured.column(0).into_vec();
        let needs_pitch = options.add_normalized_log_pitch || options.add_delta_pitch || options.add_raw_log_pitch;
        let log_pitch = if needs_pitch { log_pitch(measured)? } else { Vec::new() };

        let mut columns = Vec::with_capacity(4);
        if options.add_pov_feature {
            let warped = frames.clone().map(|frame| {
                let warped = finite(warp(correlation[frame]), correlation[frame], frame);
                warped.map(|warped| options.pov_scale * warped + options.pov_offset)
            });
            columns.push(warped.collect::<Result<Vec<f32>>>()?);
        }
        if options.add_normalized_log_pitch {
            let means = self.weighted_means(&correlation, &log_pitch, frames.clone())?;
            let log_pitch = &log_pitch[frames.clone()];
            let normalized =
                log_pitch.iter().zip(means).map(|(log_pitch, mean)| (log_pitch - mean) * options.pitch_scale);
            columns.push(normalized.collect());
        }
        if let Some(deltas) = &self.deltas {
            let deltas = deltas.compute(&Matrix::from_vec(log_pitch.len(), 1, log_pitch.clone()))?;
            columns.push(frames.clone().map(|frame| deltas.row(frame)[1]).collect());
        }
        if options.add_raw_log_pitch {
            columns.push(log_pitch[frames].to_vec());
        }
        Ok(columns)
    }

    /// The mean log pitch around some frames, weighted by the probability of voicing.
    fn weighted_means(&self, correlation: &[f32], log_pitch: &[f32], frames: Range<usize>) -> Result<Vec<f32>> {
        let num_frames = correlation.len();
        let mut weights = Vec::with_capacity(num_frames);
        for (frame, &value) in correlation.iter().enumerate() {
            weights.push(finite(probability_of_voicing(value), value, frame)?);
        }
        let (left, right) = self.contexts;
        let mut begin = frames.start.saturating_sub(left);
        let mut end = begin;
        let (mut sum, mut weight) = (0.0_f64, 0.0_f64);
        let means = frames.map(|frame| {
            // Earlier frames leave before later ones are added, as in Kaldi.
            while begin < frame.saturating_sub(left) {
                weight -= f64::from(weights[begin]);
                sum -= f64::from(weights[begin] * log_pitch[begin]);
                begin += 1;
            }
            while end < (frame + right + 1).min(num_frames) {
                weight += f64::from(weights[end]);
                sum += f64::from(weights[end] * log_pitch[end]);
                end += 1;
            }
            (sum / weight) as f32
        });
        Ok(means.collect())
    }
}

/// Features computed from pitch, whose derivatives still lack their noise.
///
/// The noise is drawn in the order of utterances and of their frames, so it is added last, on one thread.
#[derive(Clone, Debug)]
#[must_use]
pub struct ProcessedPitch {
    features: Vec<f32>,
    dim: usize,
    delay: usize,
    delta: Option<Delta>,
}

/// The rest of the work on derivatives.
#[derive(Clone, Copy, Debug)]
struct Delta {
    column: usize,
    noise: f32,
    scale: f32,
}

impl ProcessedPitch {
    /// The number of frames.
    pub fn num_rows(&self) -> usize {
        self.features.len() / self.dim
    }

    /// Appends rows up to `num_rows`, from columns that start with the frame `first_frame`.
    fn push(&mut self, columns: &[Vec<f32>], first_frame: usize, num_rows: usize) {
        let has_frames = columns.iter().any(|column| !column.is_empty());
        self.features.reserve((num_rows - self.num_rows()) * self.dim);
        for row in self.num_rows()..if has_frames { num_rows } else { 0 } {
            let frame = row.saturating_sub(self.delay) - first_frame;
            self.features.extend(columns.iter().map(|column| column[frame]));
        }
    }

    /// Draws a number for each frame from `random` if derivatives have noise, and completes the features.
    pub fn with_noise(self, random: &mut Random) -> Matrix<f32> {
        let (num_rows, Self { mut features, dim, delay, delta }) = (self.num_rows(), self);
        if let Some(Delta { column, noise, scale }) = delta {
            let mut of_frame = 0.0;
            for (row, features) in features.chunks_exact_mut(dim).enumerate() {
                // Rows before the delay belong to the first frame.
                if noise != 0.0 && (row == 0 || row > delay) {
                    of_frame = random.gauss() * noise;
                }
                features[column] = (features[column] + of_frame) * scale;
            }
        }
        Matrix::from_vec(num_rows, dim, features)
    }
}

fn log_pitch(measured: &Matrix<f32>) -> Result<Vec<f32>> {
    let log = |(frame, row): (usize, &[f32])| match row[1] {
        pitch if pitch > 0.0 => Ok(pitch.ln()),
        got => Err(Error::Value { what: "the pitch", expected: "positive", got, frame }),
    };
    measured.rows().enumerate().map(log).collect()
}

/// Returns `computed`, or an error if `correlation` is NaN.
fn finite(computed: f32, correlation: f32, frame: usize) -> Result<f32> {
    match computed.is_finite() {
        true => Ok(computed),
        false => Err(Error::Value { what: "the cross-correlation", expected: "a number", got: correlation, frame }),
    }
}

/// The voicing feature: a correlation warped so that its values are evenly distributed (Kaldi's `NccfToPovFeature`).
fn warp(correlation: f32) -> f32 {
    // NaN stays NaN.
    let bounded = if correlation > 1.0 { 1.0 } else { correlation };
    let bounded = if bounded < -1.0 { -1.0 } else { bounded };
    ((1.0001 - f64::from(bounded)).powf(0.15) - 1.0) as f32
}

/// The probability that a frame with this correlation is voiced (Kaldi's `NccfToPov`).
fn probability_of_voicing(correlation: f32) -> f32 {
    let size = correlation.abs();
    let size = f64::from(if size > 1.0 { 1.0 } else { size });
    let log_odds = -5.2 + 5.4 * (7.5 * (size - 1.0)).exp() + 4.8 * size - 2.0 * (-10.0 * size).exp()
        + 4.2 * (20.0 * (size - 1.0)).exp();
    (1.0 / (1.0 + (-f64::from(log_odds as f32)).exp())) as f32
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUIET: fn() -> ProcessPitchOptions =
        || ProcessPitchOptions { delta_pitch_noise_stddev: 0.0, add_raw_log_pitch: true, ..Default::default() };

    fn computed(options: &ProcessPitchOptions, rows: &[[f32; 2]]) -> Result<Matrix<f32>> {
        let measured = Matrix::from_vec(rows.len(), 2, rows.concat());
        Ok(ProcessPitch::new(options)?.compute(&measured)?.with_noise(&mut Random::default()))
    }

    #[track_caller]
    fn is_close(got: &[f32], expected: &[f32]) {
        assert_eq!(got.len(), expected.len());
        assert!(got.iter().zip(expected).all(|(got, expected)| (got - expected).abs() < 2e-5), "{got:?} {expected:?}");
    }

    #[test]
    fn the_four_features_are_what_kaldi_computes() {
        let rows = [[0.9, 100.0], [0.5, 110.0], [-0.3, 120.0], [1.5, 130.0]];
        let out = computed(&QUIET(), &rows).unwrap();
        assert_eq!(out.size(), (4, 4));
        is_close(out.row(0), &[-0.5838961, -0.2738476, 0.4599542, 4.60517]);
        is_close(out.row(1), &[-0.197445, -0.08322716, 0.7070513, 4.70048]);
        is_close(out.row(2), &[0.08030259, 0.09079552, 0.6917835, 4.787492]);
        is_close(out.row(3), &[-1.497623, 0.2508812, 0.4141511, 4.867535]);
    }

    #[test]
    fn a_context_of_one_frame_leaves_nothing_of_the_pitch() {
        let options = ProcessPitchOptions { normalization_left_context: 0, normalization_right_context: 0, ..QUIET() };
        let out = computed(&options, &[[0.9, 100.0], [0.5, 150.0], [0.1, 80.0]]).unwrap();
        is_close(out.column(1).as_slice(), &[0.0; 3]);
    }

    #[test]
    fn a_delay_repeats_the_first_frame() {
        let rows = [[0.9, 100.0], [0.5, 110.0]];
        let plain = computed(&QUIET(), &rows).unwrap();
        let late = computed(&ProcessPitchOptions { delay: 2, ..QUIET() }, &rows).unwrap();
        assert_eq!(late.num_rows(), 4);
        for (frame, of) in [0, 0, 0, 1].into_iter().enumerate() {
            assert_eq!(late.row(frame), plain.row(of));
        }
    }

    #[test]
    fn only_what_is_asked_for_is_computed() {
        let voicing = ProcessPitchOptions {
            add_normalized_log_pitch: false,
            add_delta_pitch: false,
            add_raw_log_pitch: false,
            ..QUIET()
        };
        // The pitch is not used then.
        assert_eq!(computed(&voicing, &[[0.5, 0.0]]).unwrap().size(), (1, 1));
        let none = ProcessPitchOptions { add_pov_feature: false, ..voicing };
        let message = ProcessPitch::new(&none).unwrap_err().to_string();
        assert_eq!(message, "expected `add_pov_feature` to be true unless another feature is written, got false");
    }

    #[test]
    fn noise_is_added_to_derivatives_only() {
        let rows = [[0.9, 100.0]; 5];
        let noisy = computed(&ProcessPitchOptions { delta_pitch_noise_stddev: 1.0, ..QUIET() }, &rows).unwrap();
        let quiet = computed(&QUIET(), &rows).unwrap();
        for col in [0, 1, 3] {
            assert_eq!(noisy.column(col), quiet.column(col));
        }
        assert!(noisy.column(2).as_slice().iter().all(|delta| *delta != 0.0));
        is_close(quiet.column(2).as_slice(), &[0.0; 5]);
    }

    #[test]
    fn values_out_of_range_are_refused() {
        let message = |row| computed(&QUIET(), &[[0.5, 100.0], row]).unwrap_err().to_string();
        assert_eq!(message([0.5, 0.0]), "expected the pitch to be positive, got 0.0 in frame 1");
        assert_eq!(message([0.5, f32::NAN]), "expected the pitch to be positive, got NaN in frame 1");
        assert_eq!(message([f32::NAN, 9.0]), "expected the cross-correlation to be a number, got NaN in frame 1");
        let error = ProcessPitch::new(&QUIET()).unwrap().compute(&Matrix::new(2, 3)).unwrap_err();
        assert_eq!(error, Error::FeatsDim { expected: 2, got: 3 });
    }

    #[test]
    fn options_out_of_range_are_refused() {
        let options = ProcessPitchOptions { delta_window: 0, ..QUIET() };
        let message = ProcessPitch::new(&options).unwrap_err().to_string();
        assert!(message.starts_with("expected `delta_window` to be"), "{message}");
        let unused = ProcessPitchOptions { delta_window: 0, add_delta_pitch: false, ..QUIET() };
        assert!(ProcessPitch::new(&unused).is_ok());
    }
}
