//! What the header of a waveform says.

use kaldi_io::{Cursor, ParseError, Value};

use crate::Wave;
use crate::flac::{Flac, is_flac};
use crate::riff::Riff;

/// What the header of a waveform says: all but the samples (Kaldi's `WaveInfo`).
#[derive(Clone, Debug, PartialEq)]
pub struct WaveInfo {
    pub(crate) sample_rate: u32,
    pub(crate) num_channels: u16,
    pub(crate) num_samples: Option<u64>,
}

impl WaveInfo {
    /// Reads the header at the cursor, and skips the samples. Waveforms have no ranges. What is amiss, though not so that
    /// the file could not be read, is a [warning](Cursor::warn_at).
    ///
    /// # Errors
    /// Where the bytes are no such header, it says what cannot be, or there is a range.
    pub fn read(cursor: &mut Cursor<'_>, range: Option<&[u8]>) -> Result<Self, ParseError> {
        if let Some(range) = range {
            Wave::read_range(cursor, range)?;
        }
        let start = cursor.offset();
        let moved = |mut error: ParseError| {
            error.offset += start;
            error
        };
        if is_flac(cursor.rest()) {
            let flac = Flac::read(cursor.rest()).map_err(moved)?;
            cursor.advance(cursor.rest().len());
            return Ok(flac.info);
        }
        let mut riff = Riff::read(cursor.rest()).map_err(moved)?;
        cursor.skip(riff.samples.start)?;
        if let Some(num_bytes) = riff.samples.num_bytes {
            let there = cursor.rest().len();
            if cursor.skip(num_bytes).is_err() {
                riff.note_truncated(there as u64);
                cursor.advance(there);
            }
        }
        riff.remarks.into_iter().for_each(|remark| cursor.warn_at(moved(remark)));
        Ok(riff.info)
    }

    /// The sampling frequency in Hz.
    pub fn sample_rate(&self) -> f32 {
        self.sample_rate as f32
    }

    /// The number of channels.
    pub fn num_channels(&self) -> usize {
        self.num_channels.into()
    }

    /// The number of samples of each channel, or nothing where that was not known when the header was written.
    pub fn num_samples(&self) -> Option<u64> {
        self.num_samples
    }

    /// The duration in seconds, or nothing where it was not known when the header was written.
    pub fn duration(&self) -> Option<f64> {
        self.num_samples.map(|num_samples| num_samples as f64 / f64::from(self.sample_rate))
    }
}
