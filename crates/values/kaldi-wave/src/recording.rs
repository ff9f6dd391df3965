//! Recordings of which parts are taken.

use std::io;
use std::ops::Range;

use kaldi_io::{Blob, ParseError, Spool};
use sound_files::{ReadSound, SoundKind, SoundParts};

use crate::chunks::is_riff;
use crate::coded::{self, Form};
use crate::flac::{is_flac, unreadable};
use crate::flac_places::FlacPlaces;
use crate::sixteen_bits::to_whole;
use crate::{Wave, WaveInfo, WavePieces};

/// Bytes of a file that are looked at first, to find its header.
const HEAD: usize = 1 << 12;

/// A shorter file is decoded as a whole, which then takes at most about so many bytes.
const SHORT: u64 = 1 << 24;

/// Bytes of a file of coded sound that is decoded as a whole without a look at its packets.
const SHORT_FILE: u64 = 1 << 16;

/// A recording of which parts are taken. Samples in 64 MB of memory are enough for a recording of any length:
///
/// | file | |
/// | --- | --- |
/// | plain samples: WAV, AIFF, AU, SPHERE, ... | parts are read |
/// | FLAC | a frame is found by its number, and decoded from there on |
/// | MP3, ALAC, FLAC in other files | the places of packets are kept; some before a part are decoded, too |
/// | AAC, Opus, Vorbis | all of it is decoded once, to a [`Spool`] of 16-bit samples, since a part alone would differ a little |
/// | what is short | all of it is decoded |
///
/// The samples are those of the whole. Damage is told where a part needs it, and at the start if the whole file had to be looked at.
#[derive(Debug)]
pub struct Recording {
    samples: Samples,
    remarks: Vec<ParseError>,
    fault: Option<String>,
}

#[derive(Debug)]
enum Samples {
    Decoded(Wave),
    Plain(WavePieces, Blob),
    Flac(Box<FlacPlaces>, Blob),
    Packets(Box<SoundParts>, Blob),
}

impl From<Wave> for Recording {
    fn from(wave: Wave) -> Self {
        Self { samples: Samples::Decoded(wave), remarks: Vec::new(), fault: None }
    }
}

impl Recording {
    /// Opens a recording whose samples stay where they are. `None` if the file is short, or its header is broken: then reading the whole
    /// takes little memory, and tells what is wrong.
    ///
    /// # Errors
    /// If the file cannot be read or decoded, as reading the whole tells it.
    pub fn open(blob: &Blob) -> Result<Option<Self>, ParseError> {
        let form = |head: &[u8]| match Form::of(head, head.len() as u64 == blob.length()) {
            Form::NeedMoreBytes => None,
            // Any number of bytes may be needed by other headers.
            form => Some((form, is_riff(head))),
        };
        let explained = |error: ParseError| {
            let head = blob.first(HEAD).unwrap_or_default();
            coded::explain_end_at(error, &head, blob.length())
        };
        match blob.parse_front(HEAD, form).map_err(failed)? {
            Some((Form::Riff, true)) => Self::plain(blob),
            Some((Form::Flac, _)) => {
                let info = WaveInfo::in_head(&blob.first(HEAD).map_err(failed)?, blob.length()).and_then(Result::ok);
                let Some(info) = info else { return Ok(None) };
                if is_short(info.num_samples().unwrap_or(u64::MAX), info.num_channels()) {
                    return Ok(None);
                }
                let places = FlacPlaces::read(&Placed(blob)).map_err(explained)?;
                let remarks = places.flac.remarks.clone();
                let fault = missing(info.num_samples(), places.num_samples);
                Ok(Some(Self { samples: Samples::Flac(Box::new(places), blob.clone()), remarks, fault }))
            }
            Some((Form::Coded(kind), _)) if blob.length() > SHORT_FILE => Self::coded(kind, blob),
            _ => Ok(None),
        }
    }

    /// Whether it is a long recording whose header and end are all that [`Recording::open`] reads.
    pub fn opens_at_once(blob: &Blob) -> bool {
        let Ok(head) = blob.first(HEAD) else { return false };
        if is_riff(&head) {
            return Self::plain(blob).is_ok_and(|it| it.is_some());
        }
        is_flac(&head)
            && FlacPlaces::look(&Placed(blob)).is_ok_and(|(places, is_whole)| {
                is_whole && !is_short(places.num_samples, places.flac.info.num_channels())
            })
    }

    fn plain(blob: &Blob) -> Result<Option<Self>, ParseError> {
        let read = |head: &[u8]| match WavePieces::read(head, blob.length()) {
            Err(error) if error.at_end => None,
            read => Some(read.ok().flatten()),
        };
        let Some(mut pieces) = blob.parse_front(HEAD, read).map_err(failed)?.flatten() else { return Ok(None) };
        if pieces.num_samples() == 0 {
            return Ok(None);
        }
        let there = blob.length() - pieces.riff.samples.start;
        if pieces.riff.samples.num_bytes.is_some_and(|expected| expected > there) {
            pieces.riff.note_truncated(there);
        }
        let remarks = pieces.riff.remarks.clone();
        let fault = missing(pieces.info().num_samples(), pieces.num_samples());
        Ok(Some(Self { samples: Samples::Plain(pieces, blob.clone()), remarks, fault }))
    }

    fn coded(kind: SoundKind, blob: &Blob) -> Result<Option<Self>, ParseError> {
        let Some(parts) = SoundParts::read_exact(kind, &Placed(blob)).map_err(coded::fault)? else {
            return Self::spooled(kind, blob).map(Some);
        };
        let header = parts.header();
        if is_short(header.num_samples, header.num_channels.into()) {
            return Ok(None);
        }
        let (info, remarks) = coded::info(header.clone());
        Ok(Some(Self { samples: Samples::Packets(Box::new(parts), blob.clone()), remarks, fault: info.fault }))
    }

    /// Decodes all of a file in order.
    fn spooled(kind: SoundKind, blob: &Blob) -> Result<Self, ParseError> {
        let mut spool = Spool::default();
        let mut bytes = Vec::new();
        let header = sound_files::decode_in_order(kind, &Placed(blob), &mut |channels| {
            bytes.resize(2 * channels.len() * channels[0].len(), 0);
            for (index, channel) in channels.iter().enumerate() {
                let places = bytes.as_chunks_mut::<2>().0.iter_mut().skip(index).step_by(channels.len());
                // The decoders round and clip.
                places.zip(channel).for_each(|(place, sample)| *place = to_whole(*sample).to_le_bytes());
            }
            spool.put(&bytes)
        });
        let (info, remarks) = coded::info(header.map_err(coded::fault)?);
        let samples = spool.into_blob(blob.name().clone()).map_err(|error| unreadable(0, Some(&error)))?;
        let pieces = WavePieces::of_16_bits(info.sample_rate, info.num_channels, info.num_samples.unwrap_or(0));
        Ok(Self { samples: Samples::Plain(pieces, samples), remarks, fault: info.fault })
    }

    /// What is odd about the file, or missing of it, and does not keep it from being read.
    pub fn remarks(&self) -> &[ParseError] {
        &self.remarks
    }

    /// What is missing of the file, for who takes only whole ones.
    pub fn fault(&self) -> Option<&str> {
        self.fault.as_deref()
    }

    /// The sampling frequency in Hz.
    pub fn sample_rate(&self) -> f32 {
        match &self.samples {
            Samples::Decoded(wave) => wave.sample_rate(),
            Samples::Plain(pieces, _) => pieces.info().sample_rate(),
            Samples::Flac(places, _) => places.flac.info.sample_rate(),
            Samples::Packets(parts, _) => parts.header().sample_rate as f32,
        }
    }

    /// The number of channels.
    pub fn num_channels(&self) -> usize {
        match &self.samples {
            Samples::Decoded(wave) => wave.num_channels(),
            Samples::Plain(pieces, _) => pieces.info().num_channels(),
            Samples::Flac(places, _) => places.flac.info.num_channels(),
            Samples::Packets(parts, _) => parts.header().num_channels.into(),
        }
    }

    /// The number of samples of each channel that are there.
    pub fn num_samples(&self) -> usize {
        match &self.samples {
            Samples::Decoded(wave) => wave.num_samples(),
            Samples::Plain(pieces, _) => pieces.num_samples() as usize,
            Samples::Flac(places, _) => places.num_samples as usize,
            Samples::Packets(parts, _) => parts.header().num_samples as usize,
        }
    }

    /// Samples of some channels.
    ///
    /// # Errors
    /// If they cannot be read or decoded.
    ///
    /// # Panics
    /// If there are no such channels or samples.
    pub fn part(&self, channels: Range<usize>, samples: Range<usize>) -> Result<Wave, ParseError> {
        assert!(samples.start <= samples.end && samples.end <= self.num_samples(), "samples of the recording");
        let wanted = samples.start as u64..samples.end as u64;
        let mut decoded = match &self.samples {
            Samples::Decoded(wave) => {
                let part = channels.map(|channel| wave.channel(channel)[samples.clone()].to_vec()).collect();
                return Ok(Wave::new(self.sample_rate(), part));
            }
            Samples::Plain(pieces, blob) => {
                let bytes = pieces.bytes(wanted);
                let mut buffer = Vec::new();
                let read = Placed(blob).read_at(bytes.start, &mut buffer, (bytes.end - bytes.start) as usize);
                read.map_err(|error| unreadable(bytes.start as usize, Some(&error)))?;
                pieces.decode(&buffer)
            }
            Samples::Flac(places, blob) => places.part(&Placed(blob), wanted)?,
            Samples::Packets(parts, blob) => parts.decode(&Placed(blob), wanted).map_err(coded::fault)?,
        };
        Ok(Wave::new(self.sample_rate(), decoded.drain(channels).collect()))
    }
}

/// Whether so many samples are few enough to be decoded as a whole.
fn is_short(num_samples: u64, num_channels: usize) -> bool {
    num_samples.saturating_mul(4 * num_channels as u64) <= SHORT
}

/// What is missing of a file whose header claims so many samples.
fn missing(claimed: Option<u64>, there: u64) -> Option<String> {
    claimed.filter(|&claimed| claimed > there).map(|claimed| format!("expected {claimed} samples, got {there}"))
}

/// A blob as a file of sound.
struct Placed<'a>(&'a Blob);

impl ReadSound for Placed<'_> {
    fn length(&self) -> u64 {
        self.0.length()
    }

    fn read_at(&self, offset: u64, buffer: &mut Vec<u8>, count: usize) -> io::Result<()> {
        let start = usize::try_from(offset).ok();
        if let Some(bytes) = start.and_then(|start| self.0.head().get(start..start.checked_add(count)?)) {
            buffer.extend_from_slice(bytes);
            return Ok(());
        }
        self.0.read_at(offset, buffer, count).map_err(|error| match error {
            kaldi_io::Error::Read { source, .. } => source,
            error => io::Error::other(error.to_string()),
        })
    }
}

/// An error of the system, without the name, which who opened the file adds.
fn failed(error: kaldi_io::Error) -> ParseError {
    match error {
        kaldi_io::Error::Read { source, .. } => unreadable(0, Some(&source)),
        error => ParseError::new(0, error.to_string()),
    }
}

#[cfg(test)]
mod tests {
    use kaldi_value::{Format, Value};

    use super::*;

    #[test]
    fn parts_in_place_are_those_of_the_whole() {
        let wave = Wave::new(8000.0, vec![vec![1.0, 2.0, 3.0], vec![-1.0, -2.0, -3.0]]);
        let file = wave.to_bytes(Format::Binary);
        let bytes =
            |length: usize| kaldi_io::Input::from_bytes("memory", file[..length].to_vec()).positioned().unwrap();
        let whole = Recording::from(wave.clone());
        for blob in [Blob::from(file.clone()), Blob::stored("memory", bytes(file.len()), 0, file.len() as u64)] {
            let placed = Recording::open(&blob).unwrap().unwrap();
            assert!(
                matches!(placed.samples, Samples::Plain(..))
                    && matches!(whole.samples, Samples::Decoded(_))
                    && placed.remarks().is_empty()
            );
            assert_eq!((placed.num_channels(), placed.num_samples(), placed.sample_rate()), (2, 3, 8000.0));
            for (channels, samples) in [(0..2, 0..3), (1..2, 1..3), (0..1, 2..2)] {
                let part = placed.part(channels.clone(), samples.clone()).unwrap();
                assert_eq!(part, whole.part(channels, samples).unwrap());
            }
            assert_eq!(placed.part(0..2, 0..3).unwrap(), wave);
        }
        // What is there of a cut file counts.
        let short = Blob::stored("memory", bytes(file.len() - 1), 0, file.len() as u64 - 1);
        let short = Recording::open(&short).unwrap().unwrap();
        assert_eq!(short.num_samples(), 2);
        assert_eq!(&*short.remarks()[0].message, "Truncated file? Expected 12 bytes of samples, got 11");
        // Another kind of file, and what is no file at all, is read as a whole.
        assert!(Recording::open(&b"fLaC\0\0\0\x22".to_vec().into()).unwrap().is_none());
        assert!(Recording::open(&Vec::new().into()).unwrap().is_none());
    }
}
