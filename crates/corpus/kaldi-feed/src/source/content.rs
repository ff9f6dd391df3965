//! Reads sound and features.

use std::sync::Arc;

use bstr::{BStr, BString};
use kaldi_corpus::TimeSpan;
use kaldi_corpus::shard::Stored;
use kaldi_io::{Blob, Input, ParseError, printable};
use kaldi_matrix::Matrix;
use kaldi_table::read_file;
use kaldi_value::{Cursor, Value};
use kaldi_wave::{Recording, Wave, WaveInfo};

use crate::{SampleShape, Sound};

/// The part of a content that belongs to a sample.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Part {
    /// All of it, which is sound.
    Sound,
    /// From one time to another, in seconds.
    Segment(TimeSpan),
    /// All of it, or this range of features; sound or features.
    Any(Option<BString>),
}

impl Part {
    pub(super) fn is_sound_only(&self) -> bool {
        !matches!(self, Self::Any(_))
    }

    pub(super) fn range(&self) -> Option<&[u8]> {
        match self {
            Self::Any(Some(range)) => Some(range),
            _ => None,
        }
    }
}

/// Opens a name for reading at any offset. If it can only be read in order, such as a command's output, it is read
/// whole.
pub(super) fn open(name: &BStr) -> kaldi_io::Result<Blob> {
    let mut input = Input::open(name)?;
    if let (Some(bytes), Some(length)) = (input.positioned(), input.remaining()) {
        return Ok(Blob::stored(input.name(), bytes, input.offset(), length));
    }
    let bytes = input.read_to_end()?;
    input.finish()?;
    Ok(Blob::in_memory(input.name(), 0, bytes))
}

/// Where a content is, for messages.
#[derive(Clone, Debug)]
pub(super) struct ContentPlace {
    /// The file or shard.
    pub(super) name: Arc<str>,
    /// Where the content starts there.
    pub(super) offset: u64,
    /// The name of the member of a shard.
    pub(super) member: Option<BString>,
}

impl ContentPlace {
    /// A message about a byte of the content.
    pub(super) fn message(&self, byte: usize, message: impl std::fmt::Display) -> String {
        let Self { name, offset, member } = self;
        let at = offset + byte as u64;
        match member {
            Some(member) => format!("{name}:{at}: {}: {message}", printable(member)),
            None => format!("{name}:{at}: {message}"),
        }
    }

    fn parsed<T>(&self, result: Result<T, ParseError>) -> Result<T, String> {
        result.map_err(|error| self.message(error.offset, error.message))
    }
}

/// Reads features.
pub(super) fn load_feats(stored: &Stored, part: &Part, place: &ContentPlace) -> Result<Matrix<f32>, String> {
    if let Stored::Named(name) = stored {
        let name = match part.range() {
            Some(range) => [name.as_slice(), b"[", range, b"]"].concat(),
            None => name.to_vec(),
        };
        return read_file(name).map_err(|error| error.to_string());
    }
    let bytes = stored.load().map_err(|error| error.to_string())?;
    let mut cursor = Cursor::new(&bytes);
    place.parsed(match part.range() {
        Some(range) => Matrix::read_range(&mut cursor, range),
        None => Matrix::read(&mut cursor),
    })
}

/// Sound that is not decoded.
pub(super) struct Content {
    stored: Stored,
    rate: u32,
    num_channels: usize,
    /// The first sample that is wanted; `None` if all are.
    first: Option<u64>,
    num_samples: u64,
    place: ContentPlace,
}

impl Content {
    /// Takes the part of a content with this header.
    pub(super) fn new(stored: Stored, info: &WaveInfo, part: &Part, place: ContentPlace) -> Result<Self, String> {
        let rate = info.sample_rate() as u32;
        let num_channels = info.num_channels();
        let whole = match info.num_samples() {
            Some(num_samples) => num_samples,
            // The length was not known when the header was written. Only the samples show it.
            None => load_wave(&stored, &place)?.num_samples() as u64,
        };
        let Part::Segment(span) = *part else {
            return Ok(Self { stored, rate, num_channels, first: None, num_samples: whole, place });
        };
        let TimeSpan { start, end } = span;
        if !(start >= 0.0 && end.is_none_or(|end| end >= start && end.is_finite())) {
            let message = format!("expected a segment from 0 s on that ends after its start, got {span} s");
            return Err(place.message(0, message));
        }
        // Cut off, as in WeNet.
        let sample = |seconds: f64| (seconds * f64::from(rate)) as u64;
        let (first, last) = (sample(start), end.map_or(whole, sample));
        if first >= whole {
            let seconds = whole as f64 / f64::from(rate);
            let message = format!("expected a segment within {seconds} s of sound, got one from {start} s on");
            return Err(place.message(0, message));
        }
        Ok(Self { stored, rate, num_channels, first: Some(first), num_samples: last.min(whole) - first, place })
    }

    pub(super) fn shape(&self) -> SampleShape {
        SampleShape::Sound { rate: self.rate, num_samples: self.num_samples, num_channels: self.num_channels }
    }

    pub(super) fn load(self) -> Result<Sound, String> {
        let Some(first) = self.first else { return Ok(sound(load_wave(&self.stored, &self.place)?)) };
        if let Some(wave) = self.read_segment(first)
            && wave.num_samples() as u64 == self.num_samples
        {
            return Ok(sound(wave));
        }
        let mut sound = sound(load_wave(&self.stored, &self.place)?);
        let range = first as usize..(first + self.num_samples) as usize;
        for channel in &mut sound.channels {
            let Some(part) = channel.get(range.clone()) else {
                let message = format!("expected samples up to {} by the header, got {}", range.end, channel.len());
                return Err(self.place.message(0, message));
            };
            *channel = part.to_vec();
        }
        Ok(sound)
    }

    /// Reads only the segment, if that is possible: from a file whose samples have places.
    fn read_segment(&self, first: u64) -> Option<Wave> {
        let Stored::Named(name) = &self.stored else { return None };
        let blob = open(name.as_ref()).ok().filter(|blob| blob.rest().is_some())?;
        let recording = Recording::open(&blob).ok()??;
        let (first, end) = (first as usize, (first + self.num_samples) as usize);
        if end > recording.num_samples() {
            return None;
        }
        recording.part(0..recording.num_channels(), first..end).ok()
    }
}

fn sound(wave: Wave) -> Sound {
    Sound { rate: wave.sample_rate() as u32, channels: wave.into_channels() }
}

fn load_wave(stored: &Stored, place: &ContentPlace) -> Result<Wave, String> {
    if let Stored::Named(name) = stored {
        return read_file(BStr::new(name)).map_err(|error| error.to_string());
    }
    let bytes = stored.load().map_err(|error| error.to_string())?;
    place.parsed(Wave::read(&mut Cursor::new(&bytes)))
}
