//! Frames with their neighbours.

use std::ops::Range;

use kaldi_matrix::Matrix;

use crate::error::checked_size;
use crate::{Error, Result};

/// Puts each frame between the frames before it and those after it (Kaldi's `SpliceFrames`).
///
/// The first and the last frame are repeated beyond the ends.
#[derive(Clone, Copy, Debug)]
pub struct Splice {
    left: usize,
    right: usize,
}

impl Splice {
    /// Takes `left_context` frames before and `right_context` frames after each frame.
    pub fn new(left_context: usize, right_context: usize) -> Self {
        // No utterance has more frames.
        let frames = |context: usize| context.min(i32::MAX as usize);
        Self { left: frames(left_context), right: frames(right_context) }
    }

    /// The number of frames that are joined to one.
    pub fn width(&self) -> usize {
        self.left + 1 + self.right
    }

    /// The frames of `num_frames × dim` features from which the spliced ones are made, one run of them after the other,
    /// for callers that pass frames on without decoding them. Each [`Splice::width`] frames make one.
    ///
    /// # Errors
    /// If there are no frames, or there would be too many columns.
    pub fn runs(&self, (num_frames, dim): (usize, usize)) -> Result<Vec<Range<usize>>> {
        if num_frames == 0 {
            return Err(Error::Empty);
        }
        checked_size(num_frames, dim.checked_mul(self.width()))?;
        let mut runs = Vec::with_capacity(num_frames + (self.left + self.right).min(num_frames));
        // The frames that have all their neighbours are between those at the ends.
        let inner_end = num_frames.saturating_sub(self.right);
        let inner_start = self.left.min(inner_end);
        let inner_end = inner_end.max(inner_start);
        (0..inner_start).for_each(|frame| self.push_run_at_end(frame, num_frames, &mut runs));
        runs.extend((inner_start..inner_end).map(|frame| frame - self.left..frame + self.right + 1));
        (inner_end..num_frames).for_each(|frame| self.push_run_at_end(frame, num_frames, &mut runs));
        Ok(runs)
    }

    /// Appends the run of a frame that lacks neighbours, and the repeated frames around it.
    fn push_run_at_end(&self, frame: usize, num_frames: usize, runs: &mut Vec<Range<usize>>) {
        let missing_left = self.left.saturating_sub(frame);
        let missing_right = (frame + self.right + 1).saturating_sub(num_frames);
        runs.extend(std::iter::repeat_n(0..1, missing_left));
        runs.push(frame + missing_left - self.left..frame + self.right + 1 - missing_right);
        runs.extend(std::iter::repeat_n(num_frames - 1..num_frames, missing_right));
    }

    /// Splices `num_frames × dim` features into `num_frames × width * dim`.
    ///
    /// # Errors
    /// As [`Splice::runs`].
    pub fn apply(&self, feats: &Matrix<f32>) -> Result<Matrix<f32>> {
        let runs = self.runs(feats.size())?;
        let (num_frames, dim) = feats.size();
        let mut data = Vec::with_capacity(num_frames * dim * self.width());
        for run in runs {
            data.extend_from_slice(&feats.as_slice()[run.start * dim..run.end * dim]);
        }
        Ok(Matrix::from_vec(num_frames, dim * self.width(), data))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spliced(left: usize, right: usize, feats: &Matrix<f32>) -> Matrix<f32> {
        Splice::new(left, right).apply(feats).unwrap()
    }

    fn counting(num_frames: usize, dim: usize) -> Matrix<f32> {
        Matrix::from_vec(num_frames, dim, (0..num_frames * dim).map(|value| value as f32).collect())
    }

    #[test]
    fn the_ends_are_repeated() {
        let out = spliced(2, 1, &counting(3, 1));
        assert_eq!(out, Matrix::from_vec(3, 4, vec![0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0, 2.0, 0.0, 1.0, 2.0, 2.0]));
    }

    #[test]
    fn frames_keep_their_columns_together() {
        let out = spliced(1, 0, &counting(2, 2));
        assert_eq!(out, Matrix::from_vec(2, 4, vec![0.0, 1.0, 0.0, 1.0, 0.0, 1.0, 2.0, 3.0]));
    }

    #[test]
    fn a_context_may_be_wider_than_the_utterance() {
        for (left, right) in [(7, 0), (0, 7), (5, 6), (100, 1)] {
            let out = spliced(left, right, &counting(3, 2));
            assert_eq!(out.size(), (3, 2 * (left + right + 1)));
            for frame in 0..3 {
                for (place, part) in out.row(frame).chunks_exact(2).enumerate() {
                    let at = (frame as i32 + place as i32 - left as i32).clamp(0, 2) as f32;
                    assert_eq!(part, [2.0 * at, 2.0 * at + 1.0]);
                }
            }
        }
    }

    #[test]
    fn without_context_nothing_changes() {
        assert_eq!(spliced(0, 0, &counting(4, 3)), counting(4, 3));
    }

    #[test]
    fn what_cannot_be_spliced_is_refused() {
        let splice = Splice::new(usize::MAX, usize::MAX);
        assert_eq!(splice.apply(&Matrix::default()), Err(Error::Empty));
        assert_eq!(splice.apply(&counting(1, 2)), Err(Error::TooLarge { size: (1, 2 * (2 * (i32::MAX as u64) + 1)) }));
    }
}
