//! Which frames are voiced.

use kaldi_matrix::Matrix;

use crate::{Error, Result};

/// Decides that a frame is voiced if most of its neighbours have more energy than a threshold (Kaldi's
/// `ComputeVadEnergy`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EnergyVad {
    /// The constant part of the threshold.
    pub threshold: f32,
    /// The part of the utterance's mean energy that is added to it.
    pub mean_scale: f32,
    /// How many frames on either side count as neighbours.
    pub frames_context: i32,
    /// The share of neighbours, the frame itself included, that must have more energy.
    pub proportion: f32,
}

impl EnergyVad {
    /// Checks the options.
    ///
    /// # Errors
    /// If the scale or the context is negative, or the proportion does not lie between 0 and 1.
    pub fn check(&self) -> Result<()> {
        let refuse = |name, expected, got| Err(Error::Option { name, expected, got });
        if self.mean_scale.is_nan() || self.mean_scale < 0.0 {
            return refuse("vad_energy_mean_scale", "0 or more", f64::from(self.mean_scale));
        }
        if self.frames_context < 0 {
            return refuse("vad_frames_context", "0 or more", f64::from(self.frames_context));
        }
        if !(self.proportion > 0.0 && self.proportion < 1.0) {
            return refuse("vad_proportion_threshold", "a number between 0 and 1", f64::from(self.proportion));
        }
        Ok(())
    }

    /// Returns whether each frame is voiced, from the log energies of the frames.
    pub fn decide(&self, energies: &[f32]) -> Vec<bool> {
        let num_frames = energies.len();
        let mut threshold = self.threshold;
        if self.mean_scale != 0.0 {
            let sum = energies.iter().map(|&energy| f64::from(energy)).sum::<f64>() as f32;
            threshold += self.mean_scale * sum / num_frames as f32;
        }
        let mut num_louder = Vec::with_capacity(num_frames + 1);
        let mut count = 0_u32;
        num_louder.push(count);
        for &energy in energies {
            count += u32::from(energy > threshold);
            num_louder.push(count);
        }
        let context = usize::try_from(self.frames_context).unwrap_or(0);
        let is_voiced = |frame: usize| {
            let (first, end) = (frame.saturating_sub(context), (frame + context + 1).min(num_frames));
            let louder = num_louder[end] - num_louder[first];
            louder as f32 >= (end - first) as f32 * self.proportion
        };
        (0..num_frames).map(is_voiced).collect()
    }
}

/// Keeps the frames of `feats` for which `voiced` has a 1, and drops those for which it has a 0.
///
/// # Errors
/// If the lengths differ, or a frame has neither.
pub fn select_voiced(feats: &Matrix<f32>, voiced: &[f32]) -> Result<Matrix<f32>> {
    if feats.num_rows() != voiced.len() {
        return Err(Error::Length { what: "decisions on frames", expected: feats.num_rows(), got: voiced.len() });
    }
    let mut kept = Vec::new();
    for (frame, (row, &decision)) in feats.rows().zip(voiced).enumerate() {
        match decision {
            0.0 => {}
            1.0 => kept.extend_from_slice(row),
            got => return Err(Error::Voicing { frame, got }),
        }
    }
    Ok(Matrix::from_vec(kept.len() / feats.num_cols().max(1), feats.num_cols(), kept))
}

#[cfg(test)]
mod tests {
    use super::*;

    const VAD: EnergyVad = EnergyVad { threshold: 5.0, mean_scale: 0.0, frames_context: 0, proportion: 0.6 };

    #[track_caller]
    fn decides(vad: EnergyVad, energies: &[f32], expected: &[u8]) {
        let decisions: Vec<u8> = vad.decide(energies).into_iter().map(u8::from).collect();
        assert_eq!(decisions, expected);
    }

    #[test]
    fn energy_has_to_be_above_the_threshold() {
        decides(VAD, &[5.0, 5.1, 4.9, f32::NAN], &[0, 1, 0, 0]);
        decides(EnergyVad { mean_scale: 0.5, ..VAD }, &[10.0, 10.0, 10.0], &[0, 0, 0]);
        decides(EnergyVad { mean_scale: 0.5, ..VAD }, &[10.0, 10.0, 10.5], &[0, 0, 1]);
        decides(VAD, &[], &[]);
    }

    #[test]
    fn neighbours_have_a_vote() {
        let energies = [9.0, 9.0, 1.0, 1.0, 9.0, 9.0, 1.0, 9.0, 1.0, 1.0];
        // Three of five is enough: in single precision, five times 0.6 is three.
        decides(EnergyVad { frames_context: 2, ..VAD }, &energies, &[1, 0, 1, 1, 0, 1, 1, 0, 0, 0]);
        decides(EnergyVad { frames_context: i32::MAX, proportion: 0.5, ..VAD }, &energies, &[1; 10]);
        decides(EnergyVad { frames_context: 50, proportion: 0.51, ..VAD }, &energies, &[0; 10]);
    }

    #[test]
    fn options_that_make_no_sense_are_refused() {
        assert_eq!(VAD.check().unwrap(), ());
        for (vad, message) in [
            (EnergyVad { mean_scale: -1.0, ..VAD }, "expected `vad_energy_mean_scale` to be 0 or more, got -1"),
            (EnergyVad { mean_scale: f32::NAN, ..VAD }, "expected `vad_energy_mean_scale` to be 0 or more, got nan"),
            (EnergyVad { frames_context: -1, ..VAD }, "expected `vad_frames_context` to be 0 or more, got -1"),
            (
                EnergyVad { proportion: 1.0, ..VAD },
                "expected `vad_proportion_threshold` to be a number between 0 and 1, got 1",
            ),
            (
                EnergyVad { proportion: 0.0, ..VAD },
                "expected `vad_proportion_threshold` to be a number between 0 and 1, got 0",
            ),
        ] {
            assert_eq!(vad.check().unwrap_err().to_string(), message);
        }
    }

    #[test]
    fn voiced_frames_are_kept() {
        let feats = Matrix::from_vec(3, 2, vec![1.0, 2.0, 3.0, 4.0, 5.0, 6.0]);
        let kept = select_voiced(&feats, &[1.0, 0.0, 1.0]).unwrap();
        assert_eq!(kept, Matrix::from_vec(2, 2, vec![1.0, 2.0, 5.0, 6.0]));
        assert!(select_voiced(&feats, &[0.0, -0.0, 0.0]).unwrap().is_empty());
        let refused = |voiced: &[f32]| select_voiced(&feats, voiced).unwrap_err().to_string();
        assert_eq!(refused(&[1.0, 0.5, 1.0]), "frame 1: expected 0 (unvoiced) or 1 (voiced), got 0.5");
        assert_eq!(refused(&[1.0]), "expected 3 decisions on frames, got 1");
        assert!(refused(&[f32::NAN, 1.0, 1.0]).contains("got NaN"));
    }
}
