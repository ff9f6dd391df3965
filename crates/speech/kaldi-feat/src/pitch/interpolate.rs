//! Gaps in the pitch filled with straight lines.

use kaldi_matrix::Matrix;

use super::columns::check_has_pitch;
use crate::Result;

/// Fills gaps, in which the pitch in the second column is 0, with straight lines between the frames on both sides.
///
/// At the start or the end of the utterance one side is missing. It is then taken as 0.9 times the other one, so that
/// the derivative is not zero. If both are missing, all becomes 1. Follows Kaldi's interpolate-pitch, in which the very
/// first frame never counts as a side of a gap, and a side with a negative pitch counts as missing.
///
/// # Errors
/// If there are fewer than two columns.
pub fn interpolate_gaps(feats: &mut Matrix<f32>) -> Result<()> {
    check_has_pitch(feats)?;
    let num_frames = feats.num_rows();
    let mut frame = 0;
    while frame < num_frames {
        if feats.row(frame)[1] != 0.0 {
            frame += 1;
            continue;
        }
        let gap = frame..(frame..num_frames).find(|&at| feats.row(at)[1] != 0.0).unwrap_or(num_frames);
        let side = |at: Option<usize>| at.map(|at| feats.row(at)[1]).filter(|pitch| *pitch >= 0.0 || pitch.is_nan());
        let before = side(gap.start.checked_sub(1).filter(|&at| at > 0));
        let after = side(Some(gap.end).filter(|&at| at < num_frames));
        let most_of = |pitch: f32| (0.9 * f64::from(pitch)) as f32;
        let (first, last) = match (before, after) {
            (Some(before), Some(after)) => (before, after),
            (Some(before), None) => (before, most_of(before)),
            (None, Some(after)) => (most_of(after), after),
            (None, None) => (1.0, 1.0),
        };
        let steps = (gap.len() + 1) as f32;
        for (step, at) in gap.clone().enumerate() {
            feats.row_mut(at)[1] = first + (last - first) / steps * (step + 1) as f32;
        }
        // The frame after a gap does not belong to a gap.
        frame = gap.end + 1;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Error;

    fn filled(pitch: &[f32]) -> Vec<f32> {
        let data = pitch.iter().flat_map(|&pitch| [0.25, pitch]).collect();
        let mut feats = Matrix::from_vec(pitch.len(), 2, data);
        interpolate_gaps(&mut feats).unwrap();
        assert!(feats.column(0).as_slice().iter().all(|&voicing| voicing == 0.25));
        feats.column(1).into_vec()
    }

    #[test]
    fn gaps_become_straight_lines() {
        assert_eq!(filled(&[90.0, 100.0, 0.0, 0.0, 0.0, 140.0]), [90.0, 100.0, 110.0, 120.0, 130.0, 140.0]);
        assert_eq!(filled(&[50.0, 80.0, 0.0, 100.0, 0.0, 80.0]), [50.0, 80.0, 90.0, 100.0, 90.0, 80.0]);
    }

    #[test]
    fn a_missing_side_is_nine_tenths_of_the_other() {
        assert_eq!(filled(&[0.0, 100.0]), [95.0, 100.0]);
        assert_eq!(filled(&[50.0, 100.0, 0.0]), [50.0, 100.0, 95.0]);
    }

    #[test]
    fn the_first_frame_is_no_side() {
        assert_eq!(filled(&[500.0, 0.0, 100.0]), [500.0, 95.0, 100.0]);
        assert_eq!(filled(&[500.0, 0.0]), [500.0, 1.0]);
    }

    #[test]
    fn without_any_pitch_it_is_1() {
        assert_eq!(filled(&[0.0, 0.0]), [1.0, 1.0]);
        assert_eq!(filled(&[0.0]), [1.0]);
    }

    #[test]
    fn a_second_column_is_needed() {
        assert_eq!(interpolate_gaps(&mut Matrix::new(3, 1)), Err(Error::FeatsDim { expected: 2, got: 1 }));
        assert_eq!(interpolate_gaps(&mut Matrix::default()), Err(Error::Empty));
    }
}
