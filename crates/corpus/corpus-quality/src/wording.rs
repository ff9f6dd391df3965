//! Numbers as people read them: names in words, units, decimals.

use crate::{Rule, UtteranceMeasure};

/// How a number is written for people.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Wording {
    /// What it is, in words: `characters per second`.
    pub label: &'static str,
    /// What is behind the number, such as `dB`; of counts, what is counted, in the plural.
    pub unit: &'static str,
    /// Digits after the point.
    pub decimals: usize,
    /// What the number is multiplied with before it is written: 100 for shares, which are written in percent.
    pub factor: f64,
    /// Whether it counts things, so that there is nothing between two whole numbers.
    pub is_count: bool,
}

impl Wording {
    const fn new(label: &'static str, unit: &'static str, decimals: usize) -> Self {
        Self { label, unit, decimals, factor: 1.0, is_count: false }
    }

    const fn share(label: &'static str, decimals: usize) -> Self {
        Self { factor: 100.0, ..Self::new(label, "%", decimals) }
    }

    const fn count(label: &'static str, unit: &'static str) -> Self {
        Self { is_count: true, ..Self::new(label, unit, 0) }
    }

    /// The number without its unit: `−12.3`. A dash if there is none.
    pub fn number(&self, value: Option<f64>) -> String {
        match value.map(|value| value * self.factor).filter(|value| value.is_finite()) {
            Some(value) => decimal(value, self.decimals),
            None => "–".to_owned(),
        }
    }

    /// The number with its unit: `−12.3 dB`, `1 channel`, `2 channels`. A dash if there is none.
    pub fn text(&self, value: Option<f64>) -> String {
        let number = self.number(value);
        match self.unit {
            "" => number,
            _ if number == "–" => number,
            unit if self.is_count && number == "1" => format!("1 {}", unit.strip_suffix('s').unwrap_or(unit)),
            unit => format!("{number} {unit}"),
        }
    }
}

/// A number with so many digits after the point, and a minus sign as printers have it; zero has none.
pub fn decimal(value: f64, decimals: usize) -> String {
    let digits = format!("{:.decimals$}", value.abs());
    let is_zero = digits.bytes().all(|byte| matches!(byte, b'0' | b'.'));
    if value < 0.0 && !is_zero { format!("−{digits}") } else { digits }
}

/// A length of time: `45 s`, `10 min 31 s` or `2 h 05 min`, rounded.
pub fn duration_in_words(seconds: f64) -> String {
    // Hours are rounded to minutes.
    let (whole, minutes) = (seconds.max(0.0).round(), (seconds.max(0.0) / 60.0).round());
    match whole {
        _ if whole < 60.0 => format!("{whole:.0} s"),
        _ if whole < 3600.0 => format!("{:.0} min {:02.0} s", (whole / 60.0).floor(), whole % 60.0),
        _ => format!("{:.0} h {:02.0} min", (minutes / 60.0).floor(), minutes % 60.0),
    }
}

impl UtteranceMeasure {
    /// How its numbers are written for people.
    pub fn wording(self) -> Wording {
        match self {
            Self::Duration => Wording::new("duration", "s", 2),
            Self::Rate => Wording { is_count: true, ..Wording::new("sampling rate", "Hz", 0) },
            Self::Channels => Wording::count("channels", "channels"),
            Self::Peak => Wording::new("peak", "dB", 1),
            Self::Offset => Wording::share("offset", 2),
            Self::Level => Wording::new("level", "dB", 1),
            Self::Clipped => Wording::share("clipped samples", 2),
            Self::Zeros => Wording::share("blocks of zeros", 2),
            Self::Snr => Wording::new("signal to noise", "dB", 1),
            // As many decimals as seconds: the rule `pauses` has both.
            Self::Silence => Wording::share("silence", 2),
            Self::Lead => Wording::new("silence at the start", "s", 2),
            Self::Trail => Wording::new("silence at the end", "s", 2),
            Self::Bandwidth => Wording::new("bandwidth", "Hz", 0),
            Self::Words => Wording::count("words", "words"),
            Self::Characters => Wording::count("characters", "characters"),
            Self::WordsPerSecond => Wording::new("words per second", "/s", 1),
            Self::CharactersPerSecond => Wording::new("characters per second", "/s", 1),
            Self::Errors => Wording::count("wrong words", "words"),
            Self::ErrorRate => Wording::share("error rate", 1),
            Self::Frames => Wording::count("frames", "frames"),
            Self::Columns => Wording::count("columns", "columns"),
            Self::NotFinite => Wording::count("numbers that are not finite", "numbers"),
            Self::Frozen => Wording::count("longest run of equal frames", "frames"),
            Self::Distance => Wording::new("distance from usual features", "σ", 1),
            Self::Labels => Wording::count("labels", "labels"),
        }
    }

    /// The measure with this name in reports.
    pub fn of_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|(_, other)| *other == name).map(|(measure, _)| measure)
    }

    /// The name in reports.
    pub fn name(self) -> &'static str {
        Self::ALL[self as usize].1
    }
}

impl Rule {
    /// The measure that its findings have as their value; `None` if that is no measure of one utterance. A finding of [`Rule::Pauses`]
    /// may have another one, which it names.
    pub fn measure(self) -> Option<UtteranceMeasure> {
        match self {
            Self::Silence | Self::Level => Some(UtteranceMeasure::Level),
            Self::Clipping => Some(UtteranceMeasure::Clipped),
            Self::Offset => Some(UtteranceMeasure::Offset),
            Self::Rate => Some(UtteranceMeasure::Rate),
            Self::Channels => Some(UtteranceMeasure::Channels),
            Self::TextEmpty => Some(UtteranceMeasure::Words),
            Self::ErrorRate | Self::SwappedText => Some(UtteranceMeasure::ErrorRate),
            Self::Duration => Some(UtteranceMeasure::Duration),
            Self::SpeakingRate => Some(UtteranceMeasure::CharactersPerSecond),
            Self::Snr => Some(UtteranceMeasure::Snr),
            Self::Bandwidth => Some(UtteranceMeasure::Bandwidth),
            Self::Pauses => Some(UtteranceMeasure::Silence),
            Self::Features => Some(UtteranceMeasure::Distance),
            Self::Frames => Some(UtteranceMeasure::Frames),
            Self::Labels => Some(UtteranceMeasure::Labels),
            Self::NotFinite => Some(UtteranceMeasure::NotFinite),
            Self::Frozen => Some(UtteranceMeasure::Frozen),
            _ => None,
        }
    }

    /// How the values of its findings are written for people: as the measure that a finding names, or as those of the rule.
    pub fn wording(self, measure: Option<UtteranceMeasure>) -> Wording {
        match (measure.or(self.measure()), self) {
            (Some(measure), _) => measure.wording(),
            (None, Self::Segments) => Wording::new("after the end of the sound", "s", 2),
            (None, Self::DuplicateAudio) => Wording::count("utterances with this sound", "utterances"),
            (None, Self::NearDuplicate | Self::Leak) => Wording::share("equal bits", 0),
            (None, _) => Wording::new("", "", 2),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_a_unit_and_as_many_digits_as_they_deserve() {
        let text = |measure: UtteranceMeasure, value| measure.wording().text(value);
        assert_eq!(text(UtteranceMeasure::Level, Some(-12.345)), "−12.3 dB");
        assert_eq!(text(UtteranceMeasure::Level, Some(-0.01)), "0.0 dB");
        assert_eq!(text(UtteranceMeasure::Level, None), "–");
        assert_eq!(text(UtteranceMeasure::Clipped, Some(0.001_26)), "0.13 %");
        assert_eq!(text(UtteranceMeasure::Rate, Some(44100.0)), "44100 Hz");
        assert_eq!(text(UtteranceMeasure::Duration, Some(3.0)), "3.00 s");
        assert_eq!(text(UtteranceMeasure::CharactersPerSecond, Some(14.26)), "14.3 /s");
        assert_eq!(text(UtteranceMeasure::Channels, Some(1.0)), "1 channel");
        assert_eq!(text(UtteranceMeasure::Words, Some(0.0)), "0 words");
        assert_eq!(Rule::Segments.wording(None).text(Some(0.25)), "0.25 s");
        assert_eq!(Rule::Pauses.wording(Some(UtteranceMeasure::Lead)).text(Some(1.0)), "1.00 s");
    }

    #[test]
    fn values_have_at_most_24_characters() {
        let wordings = UtteranceMeasure::ALL.iter().map(|(measure, _)| measure.wording());
        for wording in wordings.chain(Rule::ALL.iter().map(|rule| rule.wording(None))) {
            let text = wording.text(Some(-987_654.321_9 / wording.factor));
            assert!(text.chars().count() <= 24, "{text}");
        }
    }

    #[test]
    fn lengths_of_time_are_in_words() {
        let words = [0.4, 59.4, 59.6, 738.0, 3599.7, 7500.0, 7529.0, 3571.0 * 60.0].map(duration_in_words);
        assert_eq!(
            words,
            ["0 s", "59 s", "1 min 00 s", "12 min 18 s", "1 h 00 min", "2 h 05 min", "2 h 05 min", "59 h 31 min"]
        );
    }

    #[test]
    fn measures_and_their_names_belong_together() {
        for (measure, name) in UtteranceMeasure::ALL {
            assert_eq!((measure.name(), UtteranceMeasure::of_name(name)), (name, Some(measure)));
            assert!(!measure.wording().label.contains('_'));
        }
    }

    #[test]
    fn rules_say_what_they_mean_and_what_causes_them() {
        for rule in Rule::ALL {
            let [meaning, causes] = [rule.meaning(), rule.causes()];
            assert!(
                meaning.len() > 10 && causes.len() > 10 && !meaning.ends_with('.') && !causes.ends_with('.'),
                "{rule:?}"
            );
        }
    }
}
