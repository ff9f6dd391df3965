//! Fills gaps in the pitch, and smooths the rest, with a model of how pitch moves.

use kaldi_matrix::Matrix;
use kaldi_value::random::{Random, RandomState};

use super::columns::check_has_pitch;
use crate::{Error, Result};

/// The options of the model (Kaldi's `PitchInterpolatorOptions`).
#[derive(Clone, Debug)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[non_exhaustive]
pub struct PitchModelOptions {
    /// Distance between the pitches that the model knows, in Hz
    #[cfg_attr(feature = "cli", arg(long, default_value_t = PitchModelOptions::default().pitch_interval))]
    pub pitch_interval: f32,
    /// How much the model smooths: closer to zero it follows the measured pitch more faithfully
    #[cfg_attr(feature = "cli", arg(long, default_value_t = PitchModelOptions::default().interpolator_factor))]
    pub interpolator_factor: f32,
    /// Probability of voicing that the model uses where it was measured as 1; below 1 even such a pitch may be changed
    #[cfg_attr(feature = "cli", arg(long, default_value_t = PitchModelOptions::default().max_voicing_prob))]
    pub max_voicing_prob: f32,
    /// How far the pitch may move from frame to frame, in Hz; more than that ever happens only costs time
    #[cfg_attr(feature = "cli", arg(long, default_value_t = PitchModelOptions::default().max_pitch_change_per_frame))]
    pub max_pitch_change_per_frame: f32,
}

impl Default for PitchModelOptions {
    fn default() -> Self {
        Self {
            pitch_interval: 4.0,
            interpolator_factor: 1.0e-5,
            max_voicing_prob: 0.9,
            max_pitch_change_per_frame: 10.0,
        }
    }
}

/// What the model did, over all utterances.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PitchModelCounts {
    /// All frames.
    pub frames: u64,
    /// Frames without a pitch; Kaldi counts the frames in the lowest state with them.
    pub zero: u64,
    /// Other frames whose pitch was changed by more than the rounding to an interval.
    pub changed: u64,
}

/// Finds the most probable pitch of every frame, assuming that pitch changes little and that voiced frames show it
/// (Kaldi's `PitchInterpolator`).
///
/// The states are pitches some Hz apart, from the lowest to the highest of the utterance. A frame has its measured
/// pitch with the probability of voicing, and any other one with a small constant probability; a change by `d` Hz costs
/// `d * d / 2`. The states of each frame are shifted by a random part of an interval, and scores get some noise, so
/// that rounding is not visible. These numbers are drawn as in Kaldi, and the result is Kaldi's.
#[derive(Clone, Debug)]
pub struct PitchModel {
    options: PitchModelOptions,
    /// The largest number of states by which the pitch may move from frame to frame.
    reach: usize,
}

/// The largest product of states and frames: each one takes four bytes.
const MOST_STATES: f64 = (1_u32 << 30) as f64;

/// An utterance, in the terms of the model.
struct Observed {
    num_states: usize,
    /// The pitch of the lowest state of every frame, in Hz.
    lowest: Vec<f32>,
    /// The state of the measured pitch; 0 if there is none.
    states: Vec<usize>,
    /// The probability that this is the pitch; 0 if there is none.
    voicing: Vec<f32>,
}

impl PitchModel {
    /// Prepares the model.
    ///
    /// # Errors
    /// If an option is out of its range.
    pub fn new(options: &PitchModelOptions) -> Result<Self> {
        let &PitchModelOptions { pitch_interval, interpolator_factor, max_voicing_prob, max_pitch_change_per_frame } =
            options;
        if !(pitch_interval > 0.0 && pitch_interval < 20.0) {
            return Err(Error::option("pitch_interval", "between 0 and 20", pitch_interval));
        }
        if !(interpolator_factor > 0.0 && interpolator_factor < 1.0) {
            return Err(Error::option("interpolator_factor", "between 0 and 1", interpolator_factor));
        }
        if !(0.5..=1.0).contains(&max_voicing_prob) {
            return Err(Error::option("max_voicing_prob", "from 0.5 to 1", max_voicing_prob));
        }
        let least_change = 2.0 * f64::from(pitch_interval);
        if f64::from(max_pitch_change_per_frame) <= least_change || max_pitch_change_per_frame.is_nan() {
            let expected = "more than twice `pitch_interval`";
            return Err(Error::option("max_pitch_change_per_frame", expected, max_pitch_change_per_frame));
        }
        let reach = (f64::from(max_pitch_change_per_frame / pitch_interval) + 0.5).floor() as usize;
        Ok(Self { options: options.clone(), reach })
    }

    /// Replaces the pitch, in the second column; the probability of voicing, in the first one, does not change.
    ///
    /// Draws two numbers for each frame from `random`.
    ///
    /// # Errors
    /// If there are not two columns, or pitches or probabilities are NaN or out of range.
    pub fn apply(&self, feats: &mut Matrix<f32>, random: &mut Random, counts: &mut PitchModelCounts) -> Result<()> {
        check_has_pitch(feats)?;
        if feats.num_cols() != 2 {
            return Err(Error::FeatsDim { expected: 2, got: feats.num_cols() });
        }
        let observed = self.observe(feats, random)?;
        let (scores, came_from) = self.search(&observed, random);
        let mut best = first_largest(&scores);
        for frame in (0..feats.num_rows()).rev() {
            counts.frames += 1;
            if observed.states[frame] == 0 {
                counts.zero += 1;
            } else if observed.states[frame] != best {
                counts.changed += 1;
            }
            feats.row_mut(frame)[1] = observed.lowest[frame] + self.options.pitch_interval * best as f32;
            if frame > 0 {
                let before = came_from[(frame - 1) * observed.num_states + best];
                best = usize::try_from(before).map_err(|_| Error::NoPitch { frame })?;
            }
        }
        Ok(())
    }

    /// Defines the states and finds those of the measured pitches.
    fn observe(&self, feats: &Matrix<f32>, random: &mut Random) -> Result<Observed> {
        let interval = self.options.pitch_interval;
        let num_frames = feats.num_rows();
        let (mut min, mut max) = (1.0e10_f32, 0.0_f32);
        let mut voicing = Vec::with_capacity(num_frames);
        for row in feats.rows() {
            let (probability, pitch) = (row[0] * self.options.max_voicing_prob, row[1]);
            voicing.push(if pitch == 0.0 { 0.0 } else { probability });
            if pitch != 0.0 {
                min = if pitch < min { pitch } else { min };
                max = if pitch > max { pitch } else { max };
            }
        }
        if max == 0.0 {
            (min, max) = (100.0, 100.0);
        }
        let least = f64::from(min) + 2.0 * f64::from(interval);
        if f64::from(max) <= least {
            max = least as f32;
        }
        // There is one more state on each side for the ends.
        let num_states = (f64::from((max - min) / interval) + 0.5).floor() + 2.0;
        if num_states.is_nan() || num_states * num_frames as f64 > MOST_STATES {
            return Err(Error::TooLarge { size: (num_frames as u64, num_states as u64) });
        }
        let num_states = num_states as usize;
        let (mut lowest, mut states) = (Vec::with_capacity(num_frames), Vec::with_capacity(num_frames));
        for (frame, row) in feats.rows().enumerate() {
            let pitch = row[1];
            let bottom = min - interval * random.uniform();
            lowest.push(bottom);
            let state = (f64::from((pitch - bottom) / interval) + 0.5).floor();
            states.push(match pitch == 0.0 {
                true => 0,
                false if state >= 0.0 && state < num_states as f64 => state as usize,
                false => return Err(Error::Value { what: "the pitch", expected: "0 or more", got: pitch, frame }),
            });
        }
        Ok(Observed { num_states, lowest, states, voicing })
    }

    /// Searches for the best way to every state of the last frame. Returns the scores, and for each frame but the first
    /// the states from which the best ways to its states come; -1 means none.
    fn search(&self, observed: &Observed, random: &mut Random) -> (Vec<f32>, Vec<i32>) {
        let Observed { num_states, lowest, .. } = observed;
        let interval = self.options.pitch_interval;
        let num_frames = lowest.len();
        let mut scores = vec![0.0_f32; *num_states];
        let mut before = scores.clone();
        let mut noise = scores.clone();
        let mut came_from = Vec::with_capacity(num_frames.saturating_sub(1) * num_states);
        self.observe_frame(observed, 0, &mut scores, &mut noise, random);
        for frame in 1..num_frames {
            std::mem::swap(&mut scores, &mut before);
            for (state, score) in scores.iter_mut().enumerate() {
                let pitch = lowest[frame] + state as f32 * interval;
                let (mut best, mut best_from) = (-1.0e10_f32, -1);
                let first = state.saturating_sub(self.reach);
                let last = (state + self.reach).min(num_states - 1);
                for (from, score) in (first..).zip(&before[first..=last]) {
                    let change = f64::from((lowest[frame - 1] + from as f32 * interval) - pitch);
                    let this = (f64::from(*score) - 0.5 * change * change) as f32;
                    if this > best {
                        (best, best_from) = (this, from as i32);
                    }
                }
                *score = best;
                came_from.push(best_from);
            }
            self.observe_frame(observed, frame, &mut scores, &mut noise, random);
        }
        (scores, came_from)
    }

    /// Adds the scores of the measurement of a frame to those of its states, and the noise.
    fn observe_frame(
        &self,
        observed: &Observed,
        frame: usize,
        scores: &mut [f32],
        noise: &mut [f32],
        random: &mut Random,
    ) {
        let voicing = observed.voicing[frame];
        let constant = ((1.0 - f64::from(voicing)) * f64::from(self.options.interpolator_factor)) as f32;
        let specific = voicing + constant;
        let score = constant.ln();
        scores.iter_mut().for_each(|value| *value += score);
        scores[observed.states[frame]] += (specific / constant).ln();
        RandomState::new(random).fill_gauss(noise);
        for (value, noise) in scores.iter_mut().zip(noise) {
            *value = noise.mul_add(0.01, *value);
        }
    }
}

/// The index of the first of the largest numbers.
fn first_largest(numbers: &[f32]) -> usize {
    let better = |best: usize, at: usize| if numbers[best] < numbers[at] { at } else { best };
    (0..numbers.len()).fold(0, better)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn modelled(rows: &[[f32; 2]]) -> Result<(Vec<f32>, PitchModelCounts)> {
        let mut feats = Matrix::from_vec(rows.len(), 2, rows.concat());
        let mut counts = PitchModelCounts::default();
        let model = PitchModel::new(&PitchModelOptions::default()).unwrap();
        model.apply(&mut feats, &mut Random::default(), &mut counts)?;
        assert!(feats.rows().zip(rows).all(|(now, before)| now[0] == before[0]));
        Ok((feats.column(1).into_vec(), counts))
    }

    #[test]
    fn a_gap_is_crossed_without_jumps() {
        let mut rows = vec![[0.9, 120.0]; 10];
        rows.extend([[0.1, 0.0]; 10]);
        rows.extend([[0.9, 140.0]; 10]);
        let (pitch, counts) = modelled(&rows).unwrap();
        assert!(counts.frames == 30 && (10..20).contains(&counts.zero), "{counts:?}");
        assert!(pitch[..8].iter().all(|pitch| (pitch - 120.0).abs() < 4.0), "{pitch:?}");
        assert!(pitch[22..].iter().all(|pitch| (pitch - 140.0).abs() < 4.0), "{pitch:?}");
        assert!(pitch.windows(2).all(|pair| (pair[0] - pair[1]).abs() < 8.0), "{pitch:?}");
        assert!(pitch[10..20].iter().all(|pitch| (116.0..144.0).contains(pitch)), "{pitch:?}");
    }

    #[test]
    fn one_wild_frame_is_changed() {
        let mut rows = [[0.9, 120.0]; 9];
        rows[4] = [0.5, 240.0];
        let (pitch, counts) = modelled(&rows).unwrap();
        assert!((pitch[4] - 120.0).abs() < 8.0, "{pitch:?}");
        assert!(counts.changed >= 1);
    }

    #[test]
    fn without_any_pitch_it_is_about_100() {
        let (pitch, counts) = modelled(&[[0.1, 0.0]; 5]).unwrap();
        assert!(pitch.iter().all(|pitch| (95.0..110.0).contains(pitch)), "{pitch:?}");
        assert_eq!(counts, PitchModelCounts { frames: 5, zero: 5, changed: 0 });
    }

    #[test]
    fn what_is_no_pitch_is_refused() {
        let message = |rows: &[[f32; 2]]| modelled(rows).unwrap_err().to_string();
        let nan = message(&[[0.5, 100.0], [0.5, f32::NAN]]);
        assert_eq!(nan, "expected the pitch to be 0 or more, got NaN in frame 1");
        assert_eq!(message(&[[0.5, f32::INFINITY]]), "1 by 18446744073709551615 elements are too many");
        assert_eq!(message(&[[0.5, 100.0], [0.5, 1e12]]), "2 by 249999998978 elements are too many");
        assert!(message(&[[f32::NAN, 100.0]; 3]).ends_with("no pitch is possible in frame 2"));
    }

    #[test]
    fn two_columns_are_needed() {
        let model = PitchModel::new(&PitchModelOptions::default()).unwrap();
        let apply = |mut feats| model.apply(&mut feats, &mut Random::default(), &mut PitchModelCounts::default());
        assert_eq!(apply(Matrix::new(2, 3)), Err(Error::FeatsDim { expected: 2, got: 3 }));
        assert_eq!(apply(Matrix::new(2, 1)), Err(Error::FeatsDim { expected: 2, got: 1 }));
        assert_eq!(apply(Matrix::default()), Err(Error::Empty));
    }

    #[test]
    fn options_out_of_range_are_refused() {
        let default = PitchModelOptions::default;
        for (options, message) in [
            (
                PitchModelOptions { pitch_interval: 20.0, ..default() },
                "`pitch_interval` to be between 0 and 20, got 20",
            ),
            (
                PitchModelOptions { interpolator_factor: 0.0, ..default() },
                "`interpolator_factor` to be between 0 and 1",
            ),
            (
                PitchModelOptions { max_voicing_prob: 0.4, ..default() },
                "`max_voicing_prob` to be from 0.5 to 1, got 0.4",
            ),
            (PitchModelOptions { max_pitch_change_per_frame: 8.0, ..default() }, "more than twice `pitch_interval`"),
            (PitchModelOptions { pitch_interval: f32::NAN, ..default() }, "got NaN"),
        ] {
            let error = PitchModel::new(&options).unwrap_err().to_string();
            assert!(error.contains(message), "{error}");
        }
    }
}
