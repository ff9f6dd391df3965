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

    /// What it measures, and when it names an utterance.
    pub fn meaning(self) -> &'static str {
        match self {
            Self::Unreadable => "the sound is missing, broken, or shorter than its header says",
            Self::Silence => "no sound above −60 dB",
            Self::Clipping => "0.1 % of the samples or more stand in runs at the largest or smallest value",
            Self::Offset => "the mean of the samples is 2 % of full scale or more",
            Self::Rate => "another sampling rate than most utterances",
            Self::Channels => "another number of channels than most utterances",
            Self::TextEmpty => "the text has no words",
            Self::Character => "control characters, or letters of a script that few texts have",
            Self::DuplicateAudio => "the same samples as another utterance",
            Self::NearDuplicate => {
                "the sound of another utterance, changed by gain, coding, resampling, cutting or noise"
            }
            Self::Leak => "the sound is in another set, too, exactly or nearly",
            Self::ErrorRate => "half of the words or more are recognized wrongly",
            Self::SwappedText => "what was recognized is the text of another utterance, and the other way round",
            Self::Duration => "far longer or shorter than most utterances",
            Self::Level => "far louder or quieter than most utterances",
            Self::SpeakingRate => "far more or fewer characters a second than usual",
            Self::Snr => "speech is less far above the noise than usual",
            Self::Bandwidth => "high frequencies are missing",
            Self::Pauses => "far more silence than usual, at the start, at the end or in all",
            Self::Features => "the means of the features are far from those of other utterances",
            Self::Frames => "the number of frames does not agree with the duration, by more than 0.1 s",
            Self::Labels => "the length of the alignment does not agree with the number of frames",
            Self::Segments => "a segment or a word ends more than 0.05 s after the sound",
            Self::NotFinite => "the features have numbers that are not finite",
            Self::Frozen => "ten frames or more side by side are the same",
        }
    }

    /// What is often the reason.
    pub fn causes(self) -> &'static str {
        match self {
            Self::Unreadable => "a copy that was cut off, a full disk, a wrong path in wav.scp",
            Self::Silence => "a muted microphone, the wrong channel, an empty recording",
            Self::Clipping => {
                "a recording level that was too high; below full scale, the sound was made quieter after it was cut off"
            }
            Self::Offset => "a sound card without a filter, samples without sign that were read as samples with sign",
            Self::Rate => "files from several sources, a conversion that was forgotten",
            Self::Channels => "a recording in stereo that was not mixed, two speakers on two channels",
            Self::TextEmpty => "a text that was never written, a filter that took all words away",
            Self::Character => {
                "text in another encoding, letters of two scripts that look alike, text copied from web pages"
            }
            Self::DuplicateAudio => "a file under two names, a corpus that was added twice",
            Self::NearDuplicate => "several releases of a corpus, a recording that was cut or coded twice",
            Self::Leak => "sets that were not split by recordings, a corpus that has parts of another one",
            Self::ErrorRate => "the text of another utterance, another language, sound that is hard to understand",
            Self::SwappedText => "lines that were mixed up when texts were written or joined",
            Self::Duration => "cuts at wrong places, several sentences in one utterance",
            Self::Level => "another distance from the microphone, another gain",
            Self::SpeakingRate => {
                "the text of another utterance, a text or sound that is cut off, sound at the wrong speed"
            }
            Self::Snr => "noise or music in the background, no speech at all",
            Self::Bandwidth => "sound from a telephone, lossy coding, a lower sampling rate before",
            Self::Pauses => "cuts that are too wide, a long pause, a microphone that was off for some time",
            Self::Features => "other options of the extraction, another scale, sound that is odd",
            Self::Frames => "features of another version of the sound, another frame shift",
            Self::Labels => "an alignment of other features, another subsampling",
            Self::Segments => "times of another version of the recording, a recording that was cut off",
            Self::NotFinite => "the logarithm of silence, a division by zero, a broken file",
            Self::Frozen => "digital silence, lost packets, padding",
        }
    }
}
