//! Waveforms that are decoded piece by piece.

use std::ops::Range;

use kaldi_io::ParseError;
use sound_files::SoundParts;

use crate::chunks::is_riff;
use crate::coded::{self, Form};
use crate::flac::Flac;
use crate::info::WaveInfo;
use crate::riff::Riff;
use crate::samples::WaveSamples;
use crate::{Encoding, Wave};

/// A RIFF/WAVE file whose samples are decoded piece by piece, from whatever bytes the caller has.
#[derive(Clone, Debug)]
pub struct WavePieces {
    pub(crate) riff: Riff,
    num_samples: u64,
}

impl WavePieces {
    /// Samples of 16 bits, which are all there is.
    pub(crate) fn of_16_bits(sample_rate: u32, num_channels: u16, num_samples: u64) -> Self {
        let info = WaveInfo { sample_rate, num_channels, num_samples: Some(num_samples), fault: None };
        let samples = WaveSamples { start: 0, num_bytes: None, claimed: 0, big_endian: false };
        Self { riff: Riff { info, encoding: Encoding::Signed16, samples, remarks: Vec::new() }, num_samples }
    }

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
        let parts = SoundParts::read(kind, &bytes).map_err(coded::fault)?;
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
        self.parts.decode(&bytes, samples).map_err(coded::fault)
    }
}

impl Wave {
    /// The samples of each channel of a part of a FLAC file, at the 16-bit scale. What comes before them is decoded, too, and not kept.
    ///
    /// # Errors
    /// If it is no FLAC file, or cannot be decoded so far.
    pub fn flac_part(bytes: &[u8], samples: Range<u64>) -> Result<Vec<Vec<f32>>, ParseError> {
        Flac::read(bytes)?.decode_part(&bytes, samples)
    }
}

#[cfg(test)]
mod tests {
    use kaldi_value::{Format, Value};

    use super::*;

    #[test]
    fn pieces_are_those_of_the_whole() {
        let wave = Wave::new(8000.0, vec![vec![1.0, 2.0, 3.0], vec![-1.0, -2.0, -3.0]]);
        let file = wave.to_bytes(Format::Binary);
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
}
