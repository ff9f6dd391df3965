//! What is read and measured on worker threads: one value, or one recording with its segments.

use std::ops::Range;
use std::path::Path;

use bstr::{BStr, BString};
use corpus_quality::{FrameMeasures, Moments, SoundMeasures, SoundPrint};
use kaldi_any::ValueType;
use kaldi_corpus::TimeSpan;
use kaldi_feat::{NoSamples, SampleGrid};
use kaldi_inspect::{decode_sound, measure_sound};
use kaldi_io::ParseError;
use kaldi_matrix::Matrix;
use kaldi_table::{RawEntry, read_file};
use kaldi_value::{Cursor, Value};
use kaldi_wave::{Wave, WaveFile};

/// A part of a recording that is an utterance.
#[derive(Clone, Debug)]
pub(crate) struct Part {
    /// The index of the utterance.
    pub utterance: usize,
    /// Where it is in the recording.
    pub span: TimeSpan,
    /// The channel; `None` takes all.
    pub channel: Option<usize>,
}

/// What the values of a table say about utterances.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Role {
    Sound,
    Features,
    Labels,
}

impl Role {
    /// `None` if values of this type say nothing.
    pub fn of(value_type: ValueType) -> Option<Self> {
        match value_type {
            ValueType::Wave => Some(Self::Sound),
            ValueType::Matrix => Some(Self::Features),
            ValueType::Int32Vector => Some(Self::Labels),
            _ => None,
        }
    }

    /// The type of its values.
    pub fn value_type(self) -> ValueType {
        match self {
            Self::Sound => ValueType::Wave,
            Self::Features => ValueType::Matrix,
            Self::Labels => ValueType::Int32Vector,
        }
    }
}

/// What is wanted of sound.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Wanted {
    /// Its measures.
    #[default]
    Measures,
    /// Its measures, and what copies are found by.
    MeasuresAndPrints,
    /// What copies are found by.
    Prints,
}

/// Something to be measured.
pub(crate) enum Job {
    /// The value that a line of a script file names.
    Value { role: Role, utterance: usize, rxfilename: BString },
    /// The parts of a recording.
    Recording { rxfilename: BString, parts: Vec<Part> },
    /// The value of an entry of an archive.
    Entry { role: Role, entry: RawEntry },
}

/// What was measured.
pub(crate) enum Measured {
    Sound(MeasuredSound),
    Features(FrameMeasures, Vec<Moments>),
    Labels(usize),
    /// Why it cannot be read.
    Unreadable(String),
}

/// What was measured of sound; what is not wanted is `None`.
pub(crate) struct MeasuredSound {
    pub measures: Option<SoundMeasures>,
    pub print: Option<SoundPrint>,
    /// How far a part of a recording is beyond the end of the sound, in seconds.
    pub beyond: Option<f64>,
}

impl MeasuredSound {
    fn of(wave: &Wave, wanted: Wanted, beyond: Option<f64>) -> Self {
        let channels: Vec<&[f32]> = (0..wave.num_channels()).map(|channel| wave.channel(channel)).collect();
        let measures = (wanted != Wanted::Prints).then(|| measure_sound(wave));
        let print = (wanted != Wanted::Measures).then(|| match &measures {
            Some(measures) => SoundPrint::of_measured(measures, &channels),
            None => SoundPrint::of(wave.sample_rate().into(), &channels),
        });
        Self { measures, print, beyond }
    }
}

/// Whose it is: the index of an utterance, or the key of an entry.
pub(crate) enum Whose {
    Index(usize),
    /// And where its sound can be read again, if it can.
    Key(BString, Option<BString>),
}

impl Job {
    /// What its value says.
    pub fn role(&self) -> Role {
        match self {
            Self::Value { role, .. } | Self::Entry { role, .. } => *role,
            Self::Recording { .. } => Role::Sound,
        }
    }

    /// The bytes that it holds, or as many as a short file has: threads start only if there is something to do.
    pub fn size(&self) -> usize {
        match self {
            Self::Entry { entry, .. } => entry.head().len(),
            Self::Value { .. } | Self::Recording { .. } => 1 << 16,
        }
    }

    /// Reads and measures.
    pub fn run(self, wanted: Wanted) -> Vec<(Whose, Measured)> {
        match self {
            Self::Value { role, utterance, rxfilename } => {
                vec![(Whose::Index(utterance), measure_file(role, rxfilename.as_ref(), wanted))]
            }
            Self::Recording { rxfilename, parts } => measure_recording(rxfilename.as_ref(), &parts, wanted),
            Self::Entry { role, entry } => {
                let measured = match entry.bytes() {
                    Ok(bytes) => {
                        let place = |error: ParseError| format!("{}:{}: {error}", entry.file(), entry.start());
                        measure(role, &bytes, wanted).unwrap_or_else(|error| Measured::Unreadable(place(error)))
                    }
                    Err(error) => Measured::Unreadable(error.to_string()),
                };
                let is_again = role == Role::Sound && Path::new(&**entry.file()).is_file();
                let place = is_again.then(|| format!("{}:{}", entry.file(), entry.offset()).into());
                vec![(Whose::Key(entry.key().to_owned(), place), measured)]
            }
        }
    }
}

/// Measures the value of a file.
fn measure_file(role: Role, rxfilename: &BStr, wanted: Wanted) -> Measured {
    let measured = match role {
        Role::Sound => read_wave(rxfilename).map(|wave| Measured::Sound(MeasuredSound::of(&wave, wanted, None))),
        Role::Features => read_file::<Matrix<f32>>(rxfilename)
            .map(|feats| measure_features(&feats))
            .map_err(|error| error.to_string()),
        Role::Labels => read_file::<Vec<i32>>(rxfilename)
            .map(|labels| Measured::Labels(labels.len()))
            .map_err(|error| error.to_string()),
    };
    measured.unwrap_or_else(Measured::Unreadable)
}

/// Measures a value in memory.
fn measure(role: Role, bytes: &[u8], wanted: Wanted) -> Result<Measured, ParseError> {
    let mut cursor = Cursor::new(bytes);
    Ok(match role {
        Role::Sound => Measured::Sound(MeasuredSound::of(&decode_sound(bytes)?, wanted, None)),
        Role::Features => measure_features(&Matrix::<f32>::read(&mut cursor)?),
        Role::Labels => Measured::Labels(Vec::<i32>::read(&mut cursor)?.len()),
    })
}

fn measure_features(feats: &Matrix<f32>) -> Measured {
    let moments = Moments::of_columns(feats.as_slice(), feats.num_cols());
    Measured::Features(FrameMeasures::of(feats.as_slice(), &moments), moments)
}

fn measure_recording(rxfilename: &BStr, parts: &[Part], wanted: Wanted) -> Vec<(Whose, Measured)> {
    let wave = read_wave(rxfilename);
    let measure = |part: &Part| {
        let measured = wave.as_ref().map_err(Clone::clone).and_then(|wave| {
            let beyond = part.span.end.map(|end| end - wave.duration());
            Ok(Measured::Sound(MeasuredSound::of(&cut(wave, part)?, wanted, beyond)))
        });
        (Whose::Index(part.utterance), measured.unwrap_or_else(Measured::Unreadable))
    };
    parts.iter().map(measure).collect()
}

/// Reads the sound of a file.
///
/// # Errors
/// Why it cannot be read, or that it is shorter than its header says.
pub(crate) fn read_wave(rxfilename: &BStr) -> Result<Wave, String> {
    let file: WaveFile = read_file(rxfilename).map_err(|error| error.to_string())?;
    decode_sound(&file.into_bytes())
        .map_err(|message| format!("{}: {message}", kaldi_io::printable_rxfilename(rxfilename)))
}

/// Cuts a part out of a recording.
///
/// # Errors
/// Why there is no such part.
pub(crate) fn cut(wave: &Wave, part: &Part) -> Result<Wave, String> {
    let samples = samples_of_part(part, wave.sample_rate(), wave.num_channels(), wave.num_samples())?;
    let channels = part.channel.map_or(0..wave.num_channels(), |channel| channel..channel + 1);
    Ok(Wave::new(wave.sample_rate(), channels.map(|channel| wave.channel(channel)[samples.clone()].to_vec()).collect()))
}

/// The samples of a part of a recording, as extract-segments has them; but a part may end at any time after the sound.
///
/// # Errors
/// Why there is no such part.
pub(crate) fn samples_of_part(
    part: &Part,
    rate: f32,
    num_channels: usize,
    num_samples: usize,
) -> Result<Range<usize>, String> {
    let mut grid = SampleGrid::default();
    (grid.min_segment_length, grid.max_overshoot) = (0.0, f32::INFINITY);
    if let Some(channel) = part.channel.filter(|&channel| channel >= num_channels) {
        return Err(format!("expected channel {channel}, got {num_channels} channels"));
    }
    grid.samples(part.span.start, part.span.end, rate, num_samples).map_err(|reason| match reason {
        NoSamples::Start(seconds) => {
            format!("it starts at {} s, after the end of the recording at {seconds} s", part.span.start)
        }
        NoSamples::End(seconds) => {
            format!(
                "it ends at {} s, after the end of the recording at {seconds} s",
                part.span.end_in(f64::from(seconds))
            )
        }
        NoSamples::Short => {
            format!("it ends at {} s, before it starts at {} s", part.span.end_in(0.0), part.span.start)
        }
    })
}
