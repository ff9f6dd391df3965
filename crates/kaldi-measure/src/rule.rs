//! The rules for findings.

/// Why an utterance stands out.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Rule {
    /// The sound is missing, broken, or shorter than its header says.
    Unreadable,
    /// There is no sound above -60 dB.
    Silence,
    /// At least a thousandth of the samples are clipped.
    Clipping,
    /// The mean of the samples is at least 2 % of full scale away from zero.
    Offset,
    /// The sampling rate is not that of most utterances.
    Rate,
    /// The number of channels is not that of most utterances.
    Channels,
    /// The text has no words.
    TextEmpty,
    /// The text has a character that no ordinary text has.
    Character,
    /// The sound is that of another utterance.
    DuplicateAudio,
    /// The sound is that of another utterance, louder or quieter, coded, resampled, cut or with noise.
    NearDuplicate,
    /// The sound is, exactly or nearly, in a set that should share nothing with this one.
    Leak,
    /// At least half of the words are wrong.
    ErrorRate,
    /// What was recognized is the text of another utterance, and the other way round.
    SwappedText,
    /// The utterance is far longer or shorter than usual.
    Duration,
    /// The sound is far louder or quieter than usual.
    Level,
    /// The text has far more or fewer characters a second than usual.
    SpeakingRate,
    /// There is far more noise than usual.
    Snr,
    /// High frequencies are missing.
    Bandwidth,
    /// There is far more silence than usual, at the start, at the end or in all.
    Pauses,
    /// The means of the features are far from the usual ones.
    Features,
    /// The number of frames does not agree with the duration.
    Frames,
    /// The length of the alignment does not agree with the number of frames.
    Labels,
    /// A segment, or a word of a CTM file, ends after the sound.
    Segments,
    /// The features have numbers that are not finite.
    NotFinite,
    /// Ten frames or more are the same.
    Frozen,
}

impl Rule {
    /// All rules.
    pub const ALL: [Self; 25] = [
        Self::Unreadable,
        Self::Silence,
        Self::Clipping,
        Self::Offset,
        Self::Rate,
        Self::Channels,
        Self::TextEmpty,
        Self::Character,
        Self::DuplicateAudio,
        Self::NearDuplicate,
        Self::Leak,
        Self::ErrorRate,
        Self::SwappedText,
        Self::Duration,
        Self::Level,
        Self::SpeakingRate,
        Self::Snr,
        Self::Bandwidth,
        Self::Pauses,
        Self::Features,
        Self::Frames,
        Self::Labels,
        Self::Segments,
        Self::NotFinite,
        Self::Frozen,
    ];

    /// The name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Self::Unreadable => "unreadable",
            Self::Silence => "silence",
            Self::Clipping => "clipping",
            Self::Offset => "offset",
            Self::Rate => "rate",
            Self::Channels => "channels",
            Self::TextEmpty => "text-empty",
            Self::Character => "character",
            Self::DuplicateAudio => "duplicate-audio",
            Self::NearDuplicate => "near-duplicate",
            Self::Leak => "leak",
            Self::ErrorRate => "error-rate",
            Self::SwappedText => "swapped-text",
            Self::Duration => "duration",
            Self::Level => "level",
            Self::SpeakingRate => "speaking-rate",
            Self::Snr => "snr",
            Self::Bandwidth => "bandwidth",
            Self::Pauses => "pauses",
            Self::Features => "features",
            Self::Frames => "frames",
            Self::Labels => "labels",
            Self::Segments => "segments",
            Self::NotFinite => "not-finite",
            Self::Frozen => "frozen",
        }
    }

    /// What it means, for a table of findings.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Unreadable => "the value is missing, broken, or shorter than its header says",
            Self::Silence => "no sound above -60 dB",
            Self::Clipping => "at least 0.1 % of the samples are clipped",
            Self::Offset => "the mean of the samples is 2 % of full scale or more",
            Self::Rate => "another sampling rate than most utterances",
            Self::Channels => "another number of channels than most utterances",
            Self::TextEmpty => "the text has no words",
            Self::Character => "characters that other texts do not have",
            Self::DuplicateAudio => "the sound of another utterance",
            Self::NearDuplicate => {
                "the sound of another utterance, changed by gain, coding, resampling, cutting or noise"
            }
            Self::Leak => "the sound is in another set, too, exactly or nearly",
            Self::ErrorRate => "at least half of the words are wrong",
            Self::SwappedText => "what was recognized is the text of another utterance, and the other way round",
            Self::Duration => "far longer or shorter than usual (seconds)",
            Self::Level => "far louder or quieter than usual (dB)",
            Self::SpeakingRate => "far more or fewer characters a second than usual",
            Self::Snr => "speech is less far above the noise than usual (dB)",
            Self::Bandwidth => "high frequencies are missing (Hz)",
            Self::Pauses => "far more silence than usual",
            Self::Features => "means of the features are far from the usual ones",
            Self::Frames => "the number of frames does not agree with the duration",
            Self::Labels => "the length of the alignment does not agree with the number of frames",
            Self::Segments => "a segment or a word ends after the sound (seconds)",
            Self::NotFinite => "numbers that are not finite",
            Self::Frozen => "frames that are all the same",
        }
    }
}
