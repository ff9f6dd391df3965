//! Frames left out, repeated, shifted, and combined.

use kaldi_matrix::Matrix;

use crate::error::checked_size;
use crate::{Error, Result};

/// Keeps every `step`-th frame, starting with the frame `offset`; the result is empty if there is no such frame.
///
/// # Panics
/// If `step` is 0.
pub fn subsample(feats: &Matrix<f32>, step: usize, offset: usize) -> Matrix<f32> {
    let kept = feats.rows().skip(offset).step_by(step);
    let num_frames = kept.len();
    let mut data = Vec::with_capacity(num_frames * feats.num_cols());
    kept.for_each(|frame| data.extend_from_slice(frame));
    Matrix::from_vec(num_frames, if num_frames == 0 { 0 } else { feats.num_cols() }, data)
}

/// Repeats every frame `times` times.
///
/// # Errors
/// If there would be too many.
pub fn repeat(feats: &Matrix<f32>, times: usize) -> Result<Matrix<f32>> {
    let (num_frames, dim) = feats.size();
    let (num_rows, num_cols) = checked_size(num_frames.saturating_mul(times), Some(dim))?;
    let mut data = Vec::with_capacity(num_rows * num_cols);
    for frame in feats.rows() {
        for _ in 0..times {
            data.extend_from_slice(frame);
        }
    }
    Ok(Matrix::from_vec(num_rows, num_cols, data))
}

/// Moves the frames `by` frames later, or earlier if it is negative; the number of frames does not change. The first or
/// the last frame is repeated to fill the gap.
pub fn shift(feats: &Matrix<f32>, by: i32) -> Matrix<f32> {
    let (num_frames, dim) = feats.size();
    let gap = (by.unsigned_abs() as usize).min(num_frames.saturating_sub(1));
    let kept = (num_frames - gap) * dim;
    let (first, last) =
        (&feats.as_slice()[..dim.min(kept)], &feats.as_slice()[(num_frames * dim).saturating_sub(dim)..]);
    let mut data = Vec::with_capacity(num_frames * dim);
    if by >= 0 {
        (0..gap).for_each(|_| data.extend_from_slice(first));
        data.extend_from_slice(&feats.as_slice()[..kept]);
    } else {
        data.extend_from_slice(&feats.as_slice()[gap * dim..]);
        (0..gap).for_each(|_| data.extend_from_slice(last));
    }
    Matrix::from_vec(num_frames, dim, data)
}

/// Concatenates features in time.
///
/// # Errors
/// If they do not all have the same number of columns; empty features are no exception.
pub fn concat(all: &[Matrix<f32>]) -> Result<Matrix<f32>> {
    let dim = all.first().map_or(0, Matrix::num_cols);
    if let Some(other) = all.iter().find(|feats| feats.num_cols() != dim) {
        return Err(Error::FeatsDim { expected: dim, got: other.num_cols() });
    }
    let (num_rows, num_cols) = checked_size(all.iter().map(Matrix::num_rows).sum(), Some(dim))?;
    let mut data = Vec::with_capacity(num_rows * num_cols);
    all.iter().for_each(|feats| data.extend_from_slice(feats.as_slice()));
    Ok(Matrix::from_vec(num_rows, num_cols, data))
}

/// The least and the greatest number of frames of several features; zeros if there are no features.
pub fn lengths(all: &[&Matrix<f32>]) -> (usize, usize) {
    let lengths = || all.iter().map(|feats| feats.num_rows());
    (lengths().min().unwrap_or(0), lengths().max().unwrap_or(0))
}

/// Joins features side by side, frame by frame, with the length of the shortest.
///
/// # Errors
/// If there would be too many columns.
pub fn paste(all: &[&Matrix<f32>]) -> Result<Matrix<f32>> {
    let dim = all.iter().map(|feats| feats.num_cols()).sum();
    let (num_rows, num_cols) = checked_size(lengths(all).0, Some(dim))?;
    let mut data = Vec::with_capacity(num_rows * num_cols);
    for frame in 0..num_rows {
        all.iter().for_each(|feats| data.extend_from_slice(feats.row(frame)));
    }
    Ok(Matrix::from_vec(num_rows, if num_rows == 0 { 0 } else { num_cols }, data))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counting(num_frames: usize, dim: usize) -> Matrix<f32> {
        Matrix::from_vec(num_frames, dim, (0..num_frames * dim).map(|value| value as f32).collect())
    }

    fn column(values: &[f32]) -> Matrix<f32> {
        Matrix::from_vec(values.len(), 1, values.to_vec())
    }

    #[test]
    fn every_nth_frame_is_kept() {
        let ten = counting(10, 1);
        assert_eq!(subsample(&ten, 3, 0), column(&[0.0, 3.0, 6.0, 9.0]));
        assert_eq!(subsample(&ten, 3, 2), column(&[2.0, 5.0, 8.0]));
        assert_eq!(subsample(&ten, 1, 0), ten);
        assert_eq!(subsample(&ten, usize::MAX, 9), column(&[9.0]));
        assert!(subsample(&ten, 2, 10).is_empty());
        assert_eq!(subsample(&counting(3, 2), 2, 1).as_slice(), [2.0, 3.0]);
    }

    #[test]
    fn frames_are_repeated_one_by_one() {
        assert_eq!(repeat(&counting(2, 1), 3).unwrap(), column(&[0.0, 0.0, 0.0, 1.0, 1.0, 1.0]));
        assert_eq!(repeat(&Matrix::default(), 3), Ok(Matrix::default()));
        let error = repeat(&counting(2, 1), i32::MAX as usize + 1).unwrap_err();
        assert_eq!(error.to_string(), "4294967296 by 1 elements are too many");
    }

    #[test]
    fn shifting_keeps_the_number_of_frames() {
        let four = counting(4, 1);
        assert_eq!(shift(&four, 0), four);
        assert_eq!(shift(&four, 1), column(&[0.0, 0.0, 1.0, 2.0]));
        assert_eq!(shift(&four, -2), column(&[2.0, 3.0, 3.0, 3.0]));
        for by in [4, 5, i32::MAX] {
            assert_eq!(shift(&four, by), column(&[0.0; 4]));
            assert_eq!(shift(&four, -by), column(&[3.0; 4]));
        }
        assert_eq!(shift(&four, i32::MIN), column(&[3.0; 4]));
        assert_eq!(shift(&counting(2, 2), 1).as_slice(), [0.0, 1.0, 0.0, 1.0]);
        assert!(shift(&Matrix::default(), 1).is_empty());
    }

    #[test]
    fn features_follow_each_other() {
        assert_eq!(concat(&[column(&[1.0]), column(&[2.0, 3.0])]).unwrap(), column(&[1.0, 2.0, 3.0]));
        let error = concat(&[column(&[1.0]), counting(1, 2)]).unwrap_err();
        assert_eq!(error.to_string(), "expected features with 1 columns, got 2");
        assert!(concat(&[Matrix::default(), counting(1, 2)]).is_err());
        assert!(concat(&[Matrix::default(), Matrix::default()]).unwrap().is_empty());
    }

    #[test]
    fn features_stand_side_by_side_as_long_as_the_shortest() {
        let (short, long) = (counting(2, 2), counting(3, 1));
        assert_eq!(lengths(&[&long, &short]), (2, 3));
        let pasted = paste(&[&long, &short]).unwrap();
        assert_eq!(pasted, Matrix::from_vec(2, 3, vec![0.0, 0.0, 1.0, 1.0, 2.0, 3.0]));
        assert!(paste(&[&short, &Matrix::default()]).unwrap().is_empty());
        assert_eq!(lengths(&[]), (0, 0));
    }
}
