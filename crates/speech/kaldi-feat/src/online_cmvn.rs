//! Normalization of means and variances while the frames come in.

use kaldi_matrix::Matrix;

use crate::dims::index_of_dim;
use crate::frame_sums::FrameSums;
use crate::normalizer::{Normalizer, Sums};
use crate::{Dims, Error, Flooring, Result};

/// Options of [`OnlineCmvn`].
#[derive(Clone, Debug)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[non_exhaustive]
pub struct OnlineCmvnOptions {
    /// Number of frames of the window, which ends at the frame that is normalized
    #[cfg_attr(feature = "cli", arg(long, default_value_t = OnlineCmvnOptions::default().cmn_window, value_name = "int", value_parser = kaldi_value::number::count::<usize>))]
    pub cmn_window: usize,
    /// Largest number of frames for which the global statistics count if the window is not full
    #[cfg_attr(feature = "cli", arg(long, default_value_t = OnlineCmvnOptions::default().global_frames, value_name = "int", value_parser = kaldi_value::number::negative_is_zero))]
    pub global_frames: usize,
    /// Make means zero (variances are not normalized without)
    #[cfg_attr(feature = "cli", arg(long, default_value_t = OnlineCmvnOptions::default().norm_means))]
    pub norm_means: bool,
    /// Make variances one, too
    #[cfg_attr(feature = "cli", arg(long, default_value_t = OnlineCmvnOptions::default().norm_vars))]
    pub norm_vars: bool,
    /// Dimensions that are not normalized, for example 13:14:15
    #[cfg_attr(feature = "cli", arg(long))]
    pub skip_dims: Option<Dims>,
    /// Largest number of frames for which earlier utterances of the speaker count if the window is not full
    #[cfg_attr(feature = "cli", arg(long, default_value_t = OnlineCmvnOptions::default().speaker_frames, value_name = "int", value_parser = kaldi_value::number::negative_is_zero))]
    pub speaker_frames: usize,
}

impl Default for OnlineCmvnOptions {
    fn default() -> Self {
        Self {
            cmn_window: 600,
            global_frames: 200,
            norm_means: true,
            norm_vars: false,
            skip_dims: None,
            speaker_frames: 600,
        }
    }
}

/// Cepstral mean (and variance) normalization without knowledge of later frames (Kaldi's `OnlineCmvn`).
///
/// Means and variances are those of the last frames. If there are fewer frames than the window has room for, they are
/// filled up: first with the frames of earlier utterances of the speaker, if any, and then with global statistics.
/// These are not added frame by frame; their sums are scaled to the number of frames that are missing or allowed.
#[derive(Clone, Debug)]
pub struct OnlineCmvn {
    options: OnlineCmvnOptions,
    global: Matrix<f64>,
}

/// The statistics of earlier utterances of a speaker.
#[derive(Clone, Debug, Default)]
pub struct OnlineCmvnState {
    speaker: Option<FrameSums>,
}

/// Normalized features.
#[derive(Clone, Debug, PartialEq)]
pub struct Normalized {
    /// As many frames as there were.
    pub feats: Matrix<f32>,
    /// The first variance that was too small.
    pub first_floored: Option<Flooring>,
    /// The number of variances that were too small, in all frames together.
    pub num_floored: usize,
}

impl OnlineCmvn {
    /// Takes global statistics, `2 × (dim + 1)`, of [`CmvnStats`](crate::CmvnStats).
    ///
    /// # Errors
    /// If the window has no frames, or variances are to be normalized and means are not.
    pub fn new(options: OnlineCmvnOptions, global: Matrix<f64>) -> Result<Self> {
        if options.cmn_window < 1 {
            return Err(Error::option("cmn_window", "1 or more", options.cmn_window));
        }
        if options.norm_vars && !options.norm_means {
            return Err(Error::option("norm_means", "true with `norm_vars`", false));
        }
        Ok(Self { options, global })
    }

    /// Normalizes an utterance; `state` is that of its speaker. No frames give no frames.
    ///
    /// # Errors
    /// If the dimension is not that of earlier utterances or of the global statistics, or these do not have a positive
    /// count (both only if they are needed), a dimension to skip does not exist, or a variance is NaN.
    pub fn apply(&self, feats: &Matrix<f32>, state: &OnlineCmvnState) -> Result<Normalized> {
        let mut normalized = Normalized { feats: feats.clone(), first_floored: None, num_floored: 0 };
        let dim = feats.num_cols();
        if feats.is_empty() {
            return Ok(normalized);
        }
        let global = self.global_sums(dim)?;
        let skipped = self.skipped_dims(dim)?;
        let speaker = state.speaker.as_ref();
        if let Some(speaker) = speaker {
            check_dim(speaker, dim)?;
        }
        if !self.options.norm_means {
            return Ok(normalized);
        }
        let mut window = FrameSums::new(dim, self.options.norm_vars);
        let mut smoothed = window.clone();
        let mut normalizer = Normalizer::default();
        for (frame, output) in normalized.feats.rows_mut().enumerate() {
            window.add(feats.row(frame));
            if let Some(leaving) = frame.checked_sub(self.options.cmn_window) {
                window.subtract(feats.row(leaving));
            }
            smoothed.copy_from(&window);
            self.smooth(&mut smoothed, speaker, global.as_ref());
            for &dim in &skipped {
                smoothed.values[dim] = 0.0;
                if let Some(square) = smoothed.squares.get_mut(dim) {
                    *square = smoothed.count;
                }
            }
            let squares = self.options.norm_vars.then_some(smoothed.squares.as_slice());
            let floored = normalizer.set(Sums { values: &smoothed.values, squares, count: smoothed.count })?;
            normalized.num_floored += floored.len();
            normalized.first_floored = normalized.first_floored.or(floored.first().copied());
            normalizer.apply(output);
        }
        Ok(normalized)
    }

    /// The global statistics for features of dimension `dim`; `None` if they are not needed.
    fn global_sums(&self, dim: usize) -> Result<Option<FrameSums>> {
        if self.options.cmn_window == 1 || self.options.global_frames == 0 {
            return Ok(None);
        }
        if self.global.size() != (2, dim + 1) {
            return Err(Error::CmvnDim { stats: self.global.size(), dim });
        }
        let row = |row| self.global.row(row)[..dim].to_vec();
        let count = self.global.row(0)[dim];
        if count.is_nan() || count <= 0.0 {
            return Err(Error::Count { expected: "above 0 of the global ones", got: count });
        }
        Ok(Some(FrameSums { values: row(0), squares: row(1), count }))
    }

    /// Fills up a window that is not full.
    fn smooth(&self, sums: &mut FrameSums, speaker: Option<&FrameSums>, global: Option<&FrameSums>) {
        let options = &self.options;
        let speaker = speaker.map(|speaker| ((options.speaker_frames as f64).min(speaker.count), speaker));
        let global = global.map(|global| (options.global_frames as f64, global));
        for (most, other) in speaker.into_iter().chain(global) {
            let frames = most.min(options.cmn_window as f64 - sums.count);
            if frames > 0.0 {
                sums.add_scaled(frames / other.count, other);
            }
        }
    }

    /// The dimensions to skip, checked for features of dimension `dim`.
    fn skipped_dims(&self, dim: usize) -> Result<Vec<usize>> {
        let dims = self.options.skip_dims.iter().flat_map(|dims| &dims.0);
        dims.map(|&got| index_of_dim(got, dim)).collect()
    }
}

impl OnlineCmvnState {
    /// Adds an utterance. An utterance without frames changes nothing.
    ///
    /// # Errors
    /// If the dimension is not that of earlier utterances.
    pub fn add(&mut self, feats: &Matrix<f32>) -> Result<()> {
        if feats.is_empty() {
            return Ok(());
        }
        let dim = feats.num_cols();
        let speaker = self.speaker.get_or_insert_with(|| FrameSums::new(dim, true));
        check_dim(speaker, dim)?;
        feats.rows().for_each(|frame| speaker.add(frame));
        Ok(())
    }

    /// Makes it as if there had been no more than `most` frames, if there were.
    pub fn limit(&mut self, most: f64) {
        if let Some(speaker) = self.speaker.as_mut().filter(|speaker| speaker.count > most) {
            let mut limited = FrameSums::new(speaker.values.len(), true);
            limited.add_scaled(most / speaker.count, speaker);
            *speaker = limited;
        }
    }
}

fn check_dim(sums: &FrameSums, dim: usize) -> Result<()> {
    if sums.values.len() != dim {
        return Err(Error::FeatsDim { expected: sums.values.len(), got: dim });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn options(cmn_window: usize, speaker_frames: usize, global_frames: usize) -> OnlineCmvnOptions {
        OnlineCmvnOptions {
            cmn_window,
            global_frames,
            norm_means: true,
            norm_vars: false,
            skip_dims: None,
            speaker_frames,
        }
    }

    fn column(values: &[f32]) -> Matrix<f32> {
        Matrix::from_vec(values.len(), 1, values.to_vec())
    }

    /// Four frames with a mean of 10 and a variance of 4.
    fn global() -> Matrix<f64> {
        Matrix::from_vec(2, 2, vec![40.0, 4.0, 416.0, 0.0])
    }

    fn cmvn(options: OnlineCmvnOptions) -> OnlineCmvn {
        OnlineCmvn::new(options, global()).unwrap()
    }

    #[track_caller]
    fn normalizes(options: OnlineCmvnOptions, earlier: &[f32], values: &[f32], expected: &[f32]) {
        let mut state = OnlineCmvnState::default();
        state.add(&column(earlier)).unwrap();
        let normalized = cmvn(options).apply(&column(values), &state).unwrap();
        assert_eq!(normalized.feats.as_slice(), expected);
        assert_eq!((normalized.num_floored, normalized.first_floored), (0, None));
    }

    #[test]
    fn the_window_ends_at_the_frame() {
        normalizes(options(2, 0, 0), &[], &[1.0, 3.0, 7.0], &[0.0, 1.0, 2.0]);
    }

    #[test]
    fn global_statistics_fill_the_window_as_far_as_they_may() {
        // Means of 1 and 10; of 1, 3.5 and 10; of 1, 3.5 and 8.5.
        normalizes(options(3, 0, 1), &[], &[1.0, 3.5, 8.5], &[-4.5, 3.5 - 14.5 / 3.0, 8.5 - 13.0 / 3.0]);
        // Of 1, 10 and 10; of 1, 4 and 10; of 1, 4 and 7: no more frames than there is room for.
        normalizes(options(3, 0, 9), &[], &[1.0, 4.0, 7.0], &[-6.0, -1.0, 3.0]);
    }

    #[test]
    fn the_speaker_comes_before_global_statistics() {
        // The mean of 2, 5, 5 and 10.
        normalizes(options(4, 2, 9), &[4.0, 5.0, 6.0], &[2.0], &[-3.5]);
        // Of 2, 5, 5 and 5: there are no more frames of the speaker.
        normalizes(options(4, 9, 0), &[4.0, 5.0, 6.0], &[2.0], &[-2.25]);
        normalizes(options(9, 9, 1), &[5.0], &[3.0], &[-3.0]);
    }

    #[test]
    fn variances_are_normalized_where_wanted() {
        let options = OnlineCmvnOptions { norm_vars: true, ..options(2, 0, 2) };
        // 1 and 10; the deviation is 5.408.
        let normalized = cmvn(options).apply(&column(&[1.0, 3.0]), &OnlineCmvnState::default()).unwrap();
        let variance: f64 = (1.0 + 104.0) / 2.0 - 5.5 * 5.5;
        let expected = [-4.5 / variance.sqrt(), 1.0];
        for (value, expected) in normalized.feats.as_slice().iter().zip(expected) {
            assert!((f64::from(*value) - expected).abs() < 1e-6, "{normalized:?}");
        }
    }

    #[test]
    fn skipped_dimensions_stay() {
        for norm_vars in [false, true] {
            let options = OnlineCmvnOptions { skip_dims: Some(Dims(vec![0])), norm_vars, ..options(2, 0, 2) };
            let normalized = cmvn(options).apply(&column(&[1.0, 3.0]), &OnlineCmvnState::default()).unwrap();
            assert_eq!(normalized.feats.as_slice(), [1.0, 3.0]);
        }
        let options = OnlineCmvnOptions { skip_dims: Some(Dims(vec![1])), ..options(2, 0, 2) };
        let error = cmvn(options).apply(&column(&[1.0]), &OnlineCmvnState::default()).unwrap_err();
        assert_eq!(error, Error::Dim { dim: 1, got: 1 });
    }

    #[test]
    fn earlier_utterances_may_count_as_fewer_frames() {
        let mut state = OnlineCmvnState::default();
        state.limit(1.0);
        state.add(&column(&[4.0, 5.0, 6.0])).unwrap();
        state.limit(3.0);
        let apply = |state: &OnlineCmvnState| cmvn(options(9, 9, 0)).apply(&column(&[2.0]), state).unwrap().feats;
        assert_eq!(apply(&state).as_slice(), [2.0 - 17.0 / 4.0]);
        state.limit(1.0);
        assert_eq!(apply(&state).as_slice(), [-1.5]);
    }

    #[test]
    fn without_means_nothing_changes() {
        let options = OnlineCmvnOptions { norm_means: false, ..options(2, 0, 2) };
        let normalized = cmvn(options).apply(&column(&[1.0, 3.0]), &OnlineCmvnState::default()).unwrap();
        assert_eq!(normalized.feats, column(&[1.0, 3.0]));
    }

    #[test]
    fn small_variances_are_floored_and_told() {
        let options = OnlineCmvnOptions { norm_vars: true, ..options(2, 0, 0) };
        let normalized = cmvn(options).apply(&column(&[2.0, 2.0, 4.0]), &OnlineCmvnState::default()).unwrap();
        assert_eq!(normalized.feats.as_slice(), [0.0, 0.0, 1.0]);
        assert_eq!(normalized.num_floored, 2);
        assert_eq!(normalized.first_floored, Some(Flooring { dim: 0, variance: 0.0 }));
    }

    #[test]
    fn an_utterance_without_frames_changes_nothing() {
        let mut state = OnlineCmvnState::default();
        state.add(&Matrix::default()).unwrap();
        state.add(&column(&[1.0])).unwrap();
        state.add(&Matrix::default()).unwrap();
        assert!(cmvn(options(2, 1, 1)).apply(&Matrix::default(), &state).unwrap().feats.is_empty());
        assert_eq!(cmvn(options(2, 1, 0)).apply(&column(&[2.0]), &state).unwrap().feats.as_slice(), [0.5]);
    }

    #[test]
    fn all_utterances_of_a_speaker_are_of_one_dimension() {
        let mut state = OnlineCmvnState::default();
        state.add(&Matrix::new(1, 2)).unwrap();
        assert_eq!(state.add(&column(&[1.0])), Err(Error::FeatsDim { expected: 2, got: 1 }));
        let applied = cmvn(options(2, 0, 0)).apply(&column(&[1.0]), &state);
        assert_eq!(applied.unwrap_err(), Error::FeatsDim { expected: 2, got: 1 });
    }

    #[test]
    fn global_statistics_have_to_fit_where_they_are_used() {
        let apply = |global: Matrix<f64>, options: OnlineCmvnOptions| {
            OnlineCmvn::new(options, global).unwrap().apply(&column(&[1.0]), &OnlineCmvnState::default())
        };
        for global in [Matrix::new(2, 3), Matrix::new(1, 2), Matrix::default()] {
            let expected = Error::CmvnDim { stats: global.size(), dim: 1 };
            assert_eq!(apply(global.clone(), options(2, 1, 1)).unwrap_err(), expected);
            assert!(apply(global.clone(), options(2, 1, 0)).is_ok());
            assert!(apply(global, options(1, 1, 1)).is_ok());
        }
        let error = apply(Matrix::new(2, 2), options(2, 1, 1)).unwrap_err().to_string();
        assert!(error.ends_with("expected a count above 0 of the global ones, got 0"), "{error}");
    }

    #[test]
    fn options_that_make_no_sense_are_refused() {
        let refused = |options| OnlineCmvn::new(options, global()).unwrap_err().to_string();
        assert_eq!(refused(options(0, 1, 1)), "expected `cmn_window` to be 1 or more, got 0");
        let without_means = OnlineCmvnOptions { norm_vars: true, norm_means: false, ..options(1, 1, 1) };
        assert_eq!(refused(without_means), "expected `norm_means` to be true with `norm_vars`, got false");
    }
}
