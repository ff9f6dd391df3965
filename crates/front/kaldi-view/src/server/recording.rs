//! Recordings, whose samples are decoded when they are needed.

use std::ops::Range;

use kaldi_io::{Blob, printable_rxfilename};
use kaldi_table::Typed;
use kaldi_value::{Cursor, Value};
use kaldi_wave::{CodedParts, Wave, WaveInfo, WavePieces};

use crate::server::catalog::ValuePlace;
use crate::server::failure::{Answer, Failure};
use crate::server::limits::Limits;
use crate::server::values::{bytes, entry};

/// Bytes of a header that are looked at, at most.
const HEAD: usize = 1 << 20;

/// A recording.
#[derive(Debug)]
pub(crate) struct Recording {
    pub rate: f32,
    pub num_channels: usize,
    pub num_samples: u64,
    samples: Samples,
}

#[derive(Debug)]
enum Samples {
    Decoded(Wave),
    /// In the file, or in memory as a command has written them.
    Encoded(WavePieces, Blob),
    /// A FLAC file that is too long to be kept decoded.
    Flac(Blob),
    /// MP3, Opus and the like that is too long to be kept decoded.
    Coded(CodedParts, Blob),
}

impl Recording {
    /// Reads the header of a recording, and more only if it is FLAC or the output of a command. What has more than `room` bytes of
    /// decoded samples is decoded again for each part.
    ///
    /// # Errors
    /// Why it cannot be read, or that it is shorter than its header says.
    pub fn read(place: &ValuePlace, limits: &Limits) -> Result<Self, String> {
        let failed = |message: String| format!("{}: {message}", printable_rxfilename(place.rxfilename.as_ref()));
        let blob = match &place.bytes {
            Some(range) => bytes(place.rxfilename.as_ref(), range)?,
            None => {
                let entry = entry(place, Typed::of::<Wave>(), limits)?;
                if entry.range().is_some() {
                    return Ok(Self::of(entry.parse::<Wave>().map_err(|error| error.to_string())?));
                }
                // The output of a command is all in memory, and nothing else with it.
                if entry.blob().rest().is_none() { entry.blob().clone() } else { entry.detached().blob().clone() }
            }
        };
        let head = |count: usize| blob.first(count).map_err(|error| error.to_string());
        let pieces = WavePieces::read(&head(1 << 12)?, blob.length());
        let pieces = match pieces {
            Err(error) if error.at_end => WavePieces::read(&head(HEAD)?, blob.length()),
            pieces => pieces,
        };
        // What has no plain samples is decoded as a whole, and says itself what is wrong.
        match pieces.unwrap_or(None) {
            Some(pieces) => {
                let claimed = pieces.info().num_samples();
                whole(claimed, pieces.num_samples()).map_err(failed)?;
                Ok(Self {
                    rate: pieces.info().sample_rate(),
                    num_channels: pieces.info().num_channels(),
                    num_samples: pieces.num_samples(),
                    samples: Samples::Encoded(pieces, blob),
                })
            }
            None => {
                let bytes = blob.load().map_err(|error| error.to_string())?;
                let info = WaveInfo::read(&mut Cursor::new(&bytes), None).map_err(|error| failed(error.to_string()))?;
                // Headers of other files may only have an estimate.
                let claimed = info.num_samples().filter(|_| bytes.starts_with(b"fLaC"));
                let is_long = |count: &u64| count.saturating_mul(4 * info.num_channels() as u64) > limits.bytes as u64;
                if let Some(num_samples) = claimed.filter(is_long) {
                    let (rate, num_channels) = (info.sample_rate(), info.num_channels());
                    return Ok(Self { rate, num_channels, num_samples, samples: Samples::Flac(blob) });
                }
                if info.num_samples().as_ref().is_some_and(is_long)
                    && let Some(parts) = CodedParts::read(&bytes).map_err(|error| failed(error.to_string()))?
                {
                    return Self::of_parts(parts, blob).map_err(failed);
                }
                let wave = Wave::read(&mut Cursor::new(&bytes)).map_err(|error| failed(error.to_string()))?;
                whole(claimed, wave.num_samples() as u64).map_err(failed)?;
                Ok(Self::of(wave))
            }
        }
    }

    /// A file that is decoded part by part.
    fn of_parts(parts: CodedParts, blob: Blob) -> Result<Self, String> {
        let info = parts.info();
        let (rate, num_channels, num_samples) =
            (info.sample_rate(), info.num_channels(), info.num_samples().unwrap_or(0));
        whole(None, num_samples)?;
        Ok(Self { rate, num_channels, num_samples, samples: Samples::Coded(parts, blob) })
    }

    /// A waveform in memory.
    pub fn of(wave: Wave) -> Self {
        Self {
            rate: wave.sample_rate(),
            num_channels: wave.num_channels(),
            num_samples: wave.num_samples() as u64,
            samples: Samples::Decoded(wave),
        }
    }

    /// Bytes that it takes in memory.
    pub fn size(&self) -> usize {
        match &self.samples {
            Samples::Decoded(wave) => 4 * wave.num_channels() * wave.num_samples(),
            Samples::Encoded(_, blob) | Samples::Flac(blob) => blob.head().len(),
            Samples::Coded(parts, blob) => parts.size() + blob.head().len(),
        }
    }

    /// Samples of each channel at the 16-bit scale.
    ///
    /// # Errors
    /// If they cannot be read.
    pub fn samples(&self, range: Range<u64>) -> Answer<Vec<Vec<f32>>> {
        let range = range.start.min(self.num_samples)..range.end.min(self.num_samples);
        match &self.samples {
            Samples::Decoded(wave) => {
                let range = range.start as usize..range.end as usize;
                Ok((0..self.num_channels).map(|channel| wave.channel(channel)[range.clone()].to_vec()).collect())
            }
            Samples::Flac(blob) => {
                let bytes = blob.load().map_err(Failure::unreadable)?;
                let (count, name) = (range.end - range.start, blob.name());
                let channels =
                    Wave::flac_part(&bytes, range).map_err(|error| Failure::unreadable(format!("{name}: {error}")))?;
                match channels.first().map_or(0, Vec::len) as u64 {
                    got if got == count => Ok(channels),
                    got => Err(Failure::Unreadable(format!("{name}: expected {count} samples, got {got}"))),
                }
            }
            Samples::Coded(parts, blob) => {
                let (bytes, name) = (blob.load().map_err(Failure::unreadable)?, blob.name());
                parts.decode(&bytes, range).map_err(|error| Failure::unreadable(format!("{name}: {error}")))
            }
            Samples::Encoded(pieces, blob) => {
                let bytes = pieces.bytes(range);
                let (start, count) = (bytes.start as usize, (bytes.end - bytes.start) as usize);
                if let Some(bytes) = blob.head().get(start..start + count) {
                    return Ok(pieces.decode(bytes));
                }
                let mut buffer = Vec::new();
                blob.read_at(bytes.start, &mut buffer, count).map_err(Failure::unreadable)?;
                Ok(pieces.decode(&buffer))
            }
        }
    }
}

/// Whether all samples are there that the header promises.
fn whole(claimed: Option<u64>, there: u64) -> Result<(), String> {
    match claimed.filter(|&claimed| claimed > there) {
        Some(claimed) => Err(format!("expected {claimed} samples as the header says, got {there}")),
        None if there == 0 => Err("expected samples, got none".into()),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::server::sounds::Sounds;

    #[test]
    fn long_sound_is_decoded_part_by_part() {
        // Not coded, so that no decoder is needed.
        let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../../bytes/sound-files/tests/files/linear.au");
        let place = ValuePlace { rxfilename: file.into(), key: None, bytes: None };
        let [kept, long] =
            [usize::MAX, 0].map(|room| Recording::read(&place, &Sounds::for_tests(room).limits).unwrap());
        assert!(matches!((&kept.samples, &long.samples), (Samples::Decoded(_), Samples::Coded(..))));
        assert!(long.size() < kept.size());
        assert_eq!((long.num_samples, long.rate, long.num_channels), (kept.num_samples, kept.rate, kept.num_channels));
        for range in [0..kept.num_samples, 700..1500, 1000..99_999, 5..5] {
            assert_eq!(long.samples(range.clone()).unwrap(), kept.samples(range).unwrap());
        }
    }
}
