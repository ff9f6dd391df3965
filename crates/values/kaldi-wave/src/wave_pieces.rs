//! Waveforms that are decoded piece by piece.

use std::ops::Range;

use kaldi_io::{Blob, ParseError};
use sound_files::SoundParts;

use crate::Wave;
use crate::chunks::is_riff;
use crate::coded::{self, Form};
use crate::flac::Flac;
use crate::info::WaveInfo;
use crate::riff::Riff;

/// Bytes of a file that are looked at first, to find its header.
const HEAD: usize = 1 << 12;

/// A RIFF/WAVE file whose samples are decoded piece by piece, from whatever bytes the caller has.
#[derive(Clone, Debug)]
pub struct WavePieces {
    riff: Riff,
    num_samples: u64,
}

impl WavePieces {
    /// Reads the header at the start of a file of `length` bytes; `None` if it is another file of sound, whose samples have no places.
    ///
    /// # Errors
    /// If the bytes are no header. If they end before the samples start, `at_end` is set in the error.
    pub fn read(head: &[u8], length: u64) -> Result<Option<Self>, ParseError> {
        if !is_riff(head) {
            return Ok(None);
        }
        let riff = Riff::read(head)?;
        let there = length.saturating_sub(riff.samples.start);
        let num_bytes = riff.samples.num_bytes.map_or(there, |num_bytes| num_bytes.min(there));
        let num_samples = num_bytes / riff.frame_size() as u64;
        Ok(Some(Self { riff, num_samples }))
    }

    /// What the header says.
    pub fn info(&self) -> &WaveInfo {
        &self.riff.info
    }

    /// The number of samples of each channel that are there.
    pub fn num_samples(&self) -> u64 {
        self.num_samples
    }

    /// The bytes of the file that have these samples.
    pub fn bytes(&self, samples: Range<u64>) -> Range<u64> {
        let place =
            |sample: u64| self.riff.samples.start + sample.min(self.num_samples) * self.riff.frame_size() as u64;
        place(samples.start)..place(samples.end)
    }

    /// The samples of each channel at the 16-bit scale, from bytes of [`WavePieces::bytes`].
    pub fn decode(&self, bytes: &[u8]) -> Vec<Vec<f32>> {
        self.riff.encoding.decode(bytes, self.riff.info.num_channels(), self.riff.samples.big_endian)
    }
}

/// A file of coded sound, such as MP3 or Opus, whose samples are decoded part by part.
#[derive(Debug)]
pub struct CodedParts {
    parts: SoundParts,
    info: WaveInfo,
}

impl CodedParts {
    /// Reads the headers of a file, and where its packets are; `None` if it is a RIFF/WAVE or a FLAC file.
    ///
    /// # Errors
    /// If nothing of it can be decoded.
    pub fn read(bytes: &[u8]) -> Result<Option<Self>, ParseError> {
        let Form::Coded(kind) = Form::of(bytes, true) else { return Ok(None) };
        let parts = SoundParts::read(kind, bytes).map_err(coded::fault)?;
        let (info, _) = coded::info(parts.header().clone());
        Ok(Some(Self { parts, info }))
    }

    /// What the headers say; the number of samples is that of the packets that are there.
    pub fn info(&self) -> &WaveInfo {
        &self.info
    }

    /// Bytes that the places of packets take in memory.
    pub fn size(&self) -> usize {
        self.parts.size()
    }

    /// The samples of each channel of a part, at the 16-bit scale. Opus, and noise in AAC, may differ a little from the whole.
    ///
    /// # Errors
    /// If a packet is damaged.
    ///
    /// # Panics
    /// If there are not so many samples.
    pub fn decode(&self, bytes: &[u8], samples: Range<u64>) -> Result<Vec<Vec<f32>>, ParseError> {
        self.parts.decode(bytes, samples).map_err(coded::fault)
    }
}

impl Wave {
    /// The samples of each channel of a part of a FLAC file, at the 16-bit scale. What comes before them is decoded, too, and not kept.
    ///
    /// # Errors
    /// If it is no FLAC file, or cannot be decoded so far.
    pub fn flac_part(bytes: &[u8], samples: Range<u64>) -> Result<Vec<Vec<f32>>, ParseError> {
        Flac::read(bytes)?.decode_part(bytes, samples)
    }
}

/// A recording of which parts are taken: decoded as a whole, or a file of plain samples, of which only these parts are read.
#[derive(Clone, Debug)]
pub struct Recording(Samples);

#[derive(Clone, Debug)]
enum Samples {
    Decoded(Wave),
    InPlace(WavePieces, Blob),
}

impl From<Wave> for Recording {
    fn from(wave: Wave) -> Self {
        Self(Samples::Decoded(wave))
    }
}

impl Recording {
    /// A RIFF/WAVE file whose samples stay where they are. `None` if the file has to be decoded as a whole: its samples have no places,
    /// there are fewer than its header says, the header does not say how many there are, or it is broken.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn in_place(blob: &Blob) -> kaldi_io::Result<Option<Self>> {
        let read = |head: &[u8]| match WavePieces::read(head, blob.length()) {
            Err(error) if error.at_end => None,
            read => Some(read.ok().flatten()),
        };
        let pieces = blob.parse_front(HEAD, read)?.flatten();
        let is_whole =
            |pieces: &WavePieces| pieces.num_samples > 0 && pieces.info().num_samples() == Some(pieces.num_samples);
        Ok(pieces.filter(is_whole).map(|pieces| Self(Samples::InPlace(pieces, blob.clone()))))
    }

    /// Problems in the header that do not keep a file in its place from being read.
    pub fn remarks(&self) -> &[ParseError] {
        match &self.0 {
            Samples::Decoded(_) => &[],
            Samples::InPlace(pieces, _) => &pieces.riff.remarks,
        }
    }

    /// The sampling frequency in Hz.
    pub fn sample_rate(&self) -> f32 {
        match &self.0 {
            Samples::Decoded(wave) => wave.sample_rate(),
            Samples::InPlace(pieces, _) => pieces.info().sample_rate(),
        }
    }

    /// The number of channels.
    pub fn num_channels(&self) -> usize {
        match &self.0 {
            Samples::Decoded(wave) => wave.num_channels(),
            Samples::InPlace(pieces, _) => pieces.info().num_channels(),
        }
    }

    /// The number of samples of each channel.
    pub fn num_samples(&self) -> usize {
        match &self.0 {
            Samples::Decoded(wave) => wave.num_samples(),
            Samples::InPlace(pieces, _) => pieces.num_samples as usize,
        }
    }

    /// Samples of some channels.
    ///
    /// # Errors
    /// If they cannot be read.
    ///
    /// # Panics
    /// If there are no such channels or samples.
    pub fn part(&self, channels: Range<usize>, samples: Range<usize>) -> kaldi_io::Result<Wave> {
        let part = match &self.0 {
            Samples::Decoded(wave) => channels.map(|channel| wave.channel(channel)[samples.clone()].to_vec()).collect(),
            Samples::InPlace(pieces, blob) => {
                let bytes = pieces.bytes(samples.start as u64..samples.end as u64);
                let (start, count) = (bytes.start as usize, (bytes.end - bytes.start) as usize);
                let mut decoded = match blob.head().get(start..start + count) {
                    Some(bytes) => pieces.decode(bytes),
                    None => {
                        let mut buffer = Vec::new();
                        blob.read_at(bytes.start, &mut buffer, count)?;
                        pieces.decode(&buffer)
                    }
                };
                assert!(samples.len() == decoded[0].len(), "samples of the recording");
                decoded.drain(channels).collect()
            }
        };
        Ok(Wave::new(self.sample_rate(), part))
    }
}

#[cfg(test)]
mod tests {
    use kaldi_value::{Format, Value};

    use super::*;

    #[test]
    fn pieces_are_those_of_the_whole() {
        let wave = Wave::new(8000.0, vec![vec![1.0, 2.0, 3.0], vec![-1.0, -2.0, -3.0]]);
        let mut file = Vec::new();
        wave.write(&mut file, Format::Binary);
        for cut in [file.len(), file.len() - 1] {
            let pieces = WavePieces::read(&file[..50], cut as u64).unwrap().unwrap();
            let num_samples = 3 - u64::from(cut < file.len());
            assert_eq!((pieces.num_samples(), pieces.info().num_samples()), (num_samples, Some(3)));
            for (start, end) in [(0, 3), (1, 2), (2, 9), (3, 3), (7, 9)] {
                let bytes = pieces.bytes(start..end);
                let decoded = pieces.decode(&file[bytes.start as usize..bytes.end as usize]);
                let range = start.min(num_samples) as usize..end.min(num_samples) as usize;
                assert_eq!(decoded, [&wave.channel(0)[range.clone()], &wave.channel(1)[range]]);
            }
        }
        assert!(WavePieces::read(&file[..40], 60).unwrap_err().at_end);
        assert!(WavePieces::read(b"fLaC\0", 100).unwrap().is_none());
    }

    #[test]
    fn parts_in_place_are_those_of_the_whole() {
        let wave = Wave::new(8000.0, vec![vec![1.0, 2.0, 3.0], vec![-1.0, -2.0, -3.0]]);
        let mut file = Vec::new();
        wave.write(&mut file, Format::Binary);
        let bytes =
            |length: usize| kaldi_io::Input::from_bytes("memory", file[..length].to_vec()).positioned().unwrap();
        let whole = Recording::from(wave.clone());
        for blob in [Blob::from(file.clone()), Blob::stored("memory", bytes(file.len()), 0, file.len() as u64)] {
            let placed = Recording::in_place(&blob).unwrap().unwrap();
            assert!(
                matches!(placed.0, Samples::InPlace(..))
                    && matches!(whole.0, Samples::Decoded(_))
                    && placed.remarks().is_empty()
            );
            assert_eq!((placed.num_channels(), placed.num_samples(), placed.sample_rate()), (2, 3, 8000.0));
            for (channels, samples) in [(0..2, 0..3), (1..2, 1..3), (0..1, 2..2)] {
                let part = placed.part(channels.clone(), samples.clone()).unwrap();
                assert_eq!(part, whole.part(channels, samples).unwrap());
            }
            assert_eq!(placed.part(0..2, 0..3).unwrap(), wave);
        }
        // What is shorter than its header says, or another kind of file, is read as a whole.
        let short = Blob::stored("memory", bytes(file.len() - 1), 0, file.len() as u64 - 1);
        assert!(Recording::in_place(&short).unwrap().is_none());
        assert!(Recording::in_place(&b"fLaC\0\0\0\x22".to_vec().into()).unwrap().is_none());
        assert!(Recording::in_place(&Vec::new().into()).unwrap().is_none());
    }
}
