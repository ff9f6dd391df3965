//! Whether the parts of an utterance have lengths that agree.

use crate::Rule;
use crate::distribution::median;

/// The duration of the frames may be this much away from that of the sound, in seconds.
const FRAMES_AWAY: f64 = 0.1;

/// A segment or a word may end this much after the sound, in seconds.
const BEYOND: f64 = 0.05;

/// Times that are written with a few digits may be this much more.
const ROUNDING: f64 = 1e-6;

/// The lengths of the parts of an utterance; `None` for what is not there.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct UtteranceLengths {
    /// Seconds of its sound.
    pub duration: Option<f64>,
    /// Frames of its features.
    pub frames: Option<usize>,
    /// Labels of its alignment.
    pub labels: Option<usize>,
    /// Seconds from the end of the sound to the end of its segment or of a word; negative if that ends before the sound does.
    pub beyond: Option<f64>,
}

/// A length that does not agree with another one.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Disagreement {
    /// [`Rule::Frames`], [`Rule::Labels`] or [`Rule::Segments`].
    pub rule: Rule,
    /// The number of frames, the number of labels, or the seconds after the end of the sound.
    pub value: f64,
    /// As many frames or labels would agree.
    pub usual: Option<f64>,
}

/// How the lengths of most utterances of a table agree.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct UsualLengths {
    /// Seconds of a frame: those that were given, or the median of duration through frames, in whole milliseconds.
    pub frame_shift: Option<f64>,
    /// Frames of features for each label of an alignment: the median, rounded.
    pub frames_per_label: Option<f64>,
}

impl UsualLengths {
    /// Of all utterances. `frame_shift` is in seconds; `None` takes the usual one.
    pub fn of(utterances: impl Iterator<Item = UtteranceLengths>, frame_shift: Option<f64>) -> Self {
        let (mut shifts, mut rates) = (Vec::new(), Vec::new());
        for UtteranceLengths { duration, frames, labels, .. } in utterances {
            let Some(frames) = frames.map(|frames| frames as f64) else { continue };
            shifts.extend(duration.filter(|_| frames > 0.0).map(|duration| duration / frames));
            rates.extend(labels.filter(|&labels| labels > 0).map(|labels| frames / labels as f64));
        }
        let shift = || Some((1000.0 * median(&mut shifts)).round() / 1000.0).filter(|&shift| shift > 0.0);
        let rate = median(&mut rates).round();
        Self { frame_shift: frame_shift.or_else(shift), frames_per_label: Some(rate).filter(|&rate| rate >= 1.0) }
    }

    /// What does not agree in an utterance.
    pub fn disagreements(&self, lengths: &UtteranceLengths) -> impl Iterator<Item = Disagreement> + use<> {
        let frames = lengths.frames.map(|frames| frames as f64);
        let by_sound = || {
            let (frames, duration, shift) = (frames?, lengths.duration?, self.frame_shift?);
            let is_wrong = (frames * shift - duration).abs() > FRAMES_AWAY + ROUNDING;
            is_wrong.then_some(Disagreement { rule: Rule::Frames, value: frames, usual: Some(duration / shift) })
        };
        let by_labels = || {
            let (frames, labels, rate) = (frames?, lengths.labels? as f64, self.frames_per_label?);
            let is_wrong = (labels * rate - frames).abs() >= rate;
            is_wrong.then_some(Disagreement { rule: Rule::Labels, value: labels, usual: Some(frames / rate) })
        };
        let beyond = lengths.beyond.filter(|&beyond| beyond > BEYOND + ROUNDING);
        let by_end = beyond.map(|value| Disagreement { rule: Rule::Segments, value, usual: None });
        [by_sound(), by_labels(), by_end].into_iter().flatten()
    }
}
