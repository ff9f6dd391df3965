//! Everything that is measured of one utterance.

use bstr::BString;

use crate::{FrameMeasures, SoundMeasures, TextMeasures, UtteranceLengths};

/// Everything that is measured of one utterance. What is not there is `None`.
#[derive(Clone, Debug, Default)]
pub struct MeasuredUtterance {
    /// Its key.
    pub key: BString,
    /// Its sound.
    pub sound: Option<SoundMeasures>,
    /// Why its sound cannot be read.
    pub unreadable: Option<String>,
    /// Its text.
    pub text: Option<TextMeasures>,
    /// Characters of its text that no ordinary text has.
    pub strange_characters: Vec<char>,
    /// Its features.
    pub frames: Option<FrameMeasures>,
    /// The length of its alignment.
    pub labels: Option<usize>,
    /// Seconds from the end of the sound to the last end of its segment or of a word; negative if all end before the sound does.
    pub beyond: Option<f64>,
}

impl MeasuredUtterance {
    /// Everything that is measured of it, by name. `None` is a level of minus infinity, or something that could not be computed.
    pub fn measures(&self) -> impl Iterator<Item = (&'static str, Option<f64>)> + '_ {
        let of = |&(measure, name): &(UtteranceMeasure, &'static str)| {
            Some((name, measure.of(self)?.filter(|value| value.is_finite())))
        };
        UtteranceMeasure::ALL.iter().filter_map(of)
    }

    /// The lengths of its parts.
    pub fn lengths(&self) -> UtteranceLengths {
        UtteranceLengths {
            duration: self.sound.map(|sound| sound.duration),
            frames: self.frames.as_ref().map(|frames| frames.frames),
            labels: self.labels,
            beyond: self.beyond,
        }
    }
}

/// A number that is measured of utterances.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum UtteranceMeasure {
    /// [`SoundMeasures::duration`].
    Duration,
    /// [`SoundMeasures::rate`].
    Rate,
    /// [`SoundMeasures::channels`].
    Channels,
    /// [`SoundMeasures::peak`].
    Peak,
    /// [`SoundMeasures::offset`].
    Offset,
    /// [`SoundMeasures::level`].
    Level,
    /// [`SoundMeasures::clipped`].
    Clipped,
    /// [`SoundMeasures::zeros`].
    Zeros,
    /// [`SoundMeasures::snr`].
    Snr,
    /// [`SoundMeasures::silence`].
    Silence,
    /// [`SoundMeasures::lead`].
    Lead,
    /// [`SoundMeasures::trail`].
    Trail,
    /// [`SoundMeasures::bandwidth`].
    Bandwidth,
    /// [`TextMeasures::words`].
    Words,
    /// [`TextMeasures::characters`].
    Characters,
    /// Words a second of the sound.
    WordsPerSecond,
    /// Characters a second of the sound.
    CharactersPerSecond,
    /// [`TextMeasures::errors`].
    Errors,
    /// [`TextMeasures::error_rate`].
    ErrorRate,
    /// [`FrameMeasures::frames`].
    Frames,
    /// [`FrameMeasures::columns`].
    Columns,
    /// [`FrameMeasures::not_finite`].
    NotFinite,
    /// [`FrameMeasures::frozen`].
    Frozen,
    /// [`FrameMeasures::distance`].
    Distance,
    /// [`MeasuredUtterance::labels`].
    Labels,
}

impl UtteranceMeasure {
    /// All of them, in the order of reports, with their names.
    pub const ALL: [(Self, &'static str); 25] = [
        (Self::Duration, "duration"),
        (Self::Rate, "rate"),
        (Self::Channels, "channels"),
        (Self::Peak, "peak"),
        (Self::Offset, "offset"),
        (Self::Level, "level"),
        (Self::Clipped, "clipped"),
        (Self::Zeros, "zeros"),
        (Self::Snr, "snr"),
        (Self::Silence, "silence"),
        (Self::Lead, "lead"),
        (Self::Trail, "trail"),
        (Self::Bandwidth, "bandwidth"),
        (Self::Words, "words"),
        (Self::Characters, "characters"),
        (Self::WordsPerSecond, "words_per_second"),
        (Self::CharactersPerSecond, "characters_per_second"),
        (Self::Errors, "errors"),
        (Self::ErrorRate, "error_rate"),
        (Self::Frames, "frames"),
        (Self::Columns, "columns"),
        (Self::NotFinite, "not_finite"),
        (Self::Frozen, "frozen"),
        (Self::Distance, "distance"),
        (Self::Labels, "labels"),
    ];

    /// If utterances have it that have a part of this measure at all: `Some(None)` is a level of minus infinity, or something that
    /// could not be computed.
    pub fn of(self, utterance: &MeasuredUtterance) -> Option<Option<f64>> {
        let sound = |of: fn(&SoundMeasures) -> Option<f64>| utterance.sound.as_ref().map(of);
        let text = |of: fn(&TextMeasures) -> Option<f64>| utterance.text.as_ref().map(of);
        let frames = |of: fn(&FrameMeasures) -> Option<f64>| utterance.frames.as_ref().map(of);
        let a_second = |count: fn(&TextMeasures) -> usize| {
            let (text, sound) = (utterance.text.as_ref()?, utterance.sound.as_ref()?);
            Some((sound.duration > 0.0).then(|| count(text) as f64 / sound.duration))
        };
        match self {
            Self::Duration => sound(|sound| Some(sound.duration)),
            Self::Rate => sound(|sound| Some(sound.rate)),
            Self::Channels => sound(|sound| Some(sound.channels as f64)),
            Self::Peak => sound(|sound| sound.peak),
            Self::Offset => sound(|sound| Some(sound.offset)),
            Self::Level => sound(|sound| sound.level),
            Self::Clipped => sound(|sound| Some(sound.clipped)),
            Self::Zeros => sound(|sound| Some(sound.zeros)),
            Self::Snr => sound(|sound| sound.snr),
            Self::Silence => sound(|sound| Some(sound.silence)),
            Self::Lead => sound(|sound| Some(sound.lead)),
            Self::Trail => sound(|sound| Some(sound.trail)),
            Self::Bandwidth => sound(|sound| sound.bandwidth),
            Self::Words => text(|text| Some(text.words as f64)),
            Self::Characters => text(|text| Some(text.characters as f64)),
            Self::WordsPerSecond => a_second(|text| text.words),
            Self::CharactersPerSecond => a_second(|text| text.characters),
            Self::Errors => utterance.text.and_then(|text| text.errors).map(|errors| Some(errors as f64)),
            Self::ErrorRate => utterance.text.and_then(|text| text.error_rate()).map(Some),
            Self::Frames => frames(|frames| Some(frames.frames as f64)),
            Self::Columns => frames(|frames| Some(frames.columns as f64)),
            Self::NotFinite => frames(|frames| Some(frames.not_finite as f64)),
            Self::Frozen => frames(|frames| Some(frames.frozen as f64)),
            Self::Distance => frames(|frames| frames.distance),
            Self::Labels => utterance.labels.map(|labels| Some(labels as f64)),
        }
    }
}
