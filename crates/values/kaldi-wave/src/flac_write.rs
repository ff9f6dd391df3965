//! Writing FLAC files.

use flacenc::bitsink::ByteSink;
use flacenc::component::BitRepr;
use flacenc::config::Encoder;
use flacenc::error::Verify;
use flacenc::source::MemSource;

use crate::Wave;

/// What FLAC holds.
const MAX_CHANNELS: usize = 8;
const MAX_RATE: u32 = 655_350;

impl Wave {
    /// A FLAC file of 16-bit samples: those that [`write`](kaldi_value::Value::write) makes, fractions dropped and clipped.
    ///
    /// # Errors
    /// If there are no samples, more than 8 channels, or the sampling frequency is not from 1 to 655350 Hz.
    pub fn to_flac(&self) -> Result<Vec<u8>, String> {
        let (num_channels, rate) = (self.num_channels(), self.sample_rate() as u32);
        if !(1..=MAX_CHANNELS).contains(&num_channels) || !(1..=MAX_RATE).contains(&rate) || self.num_samples() == 0 {
            return Err(format!(
                "expected samples of 1 to {MAX_CHANNELS} channels at 1 to {MAX_RATE} Hz for FLAC, got {} of {num_channels} \
                 channels at {rate} Hz",
                self.num_samples()
            ));
        }
        let mut samples = vec![0; num_channels * self.num_samples()];
        for index in 0..num_channels {
            let places = samples.iter_mut().skip(index).step_by(num_channels);
            places.zip(self.channel(index)).for_each(|(place, &sample)| *place = i32::from(sample as i16));
        }
        let failed = |reason: String| format!("cannot encode FLAC: {reason}");
        let config = Encoder::default().into_verified().map_err(|(_, error)| failed(error.to_string()))?;
        let source = MemSource::from_samples(&samples, num_channels, 16, rate as usize);
        let stream = flacenc::encode_with_fixed_block_size(&config, source, config.block_size)
            .map_err(|error| failed(error.to_string()))?;
        let mut file = ByteSink::new();
        stream.write(&mut file).map_err(|error| failed(error.to_string()))?;
        Ok(file.into_inner())
    }
}

#[cfg(test)]
mod tests {
    use kaldi_value::{Cursor, Value};

    use super::*;

    #[test]
    fn what_is_written_is_read() {
        let tone = |at: usize, step: f32| ((at as f32 * step).sin() * 30_000.0).trunc();
        for length in [1, 15, 16, 4095, 4096, 4097, 10_000] {
            let channels: Vec<Vec<f32>> =
                [0.1, 0.033].iter().map(|step| (0..length).map(|at| tone(at, *step)).collect()).collect();
            for wave in [Wave::new(44_100.0, channels.clone()), Wave::new(16_000.0, channels[..1].to_vec())] {
                let file = wave.to_flac().unwrap();
                let mut cursor = Cursor::new(&file);
                assert_eq!(Wave::read(&mut cursor).unwrap(), wave, "{length}");
                assert_eq!(cursor.take_warnings(), [], "{length}");
            }
        }
        let loud = Wave::new(8000.0, vec![vec![40_000.0, -1.9, f32::NAN]]).to_flac().unwrap();
        assert_eq!(Wave::read(&mut Cursor::new(&loud)).unwrap().channel(0), [32767.0, -1.0, 0.0]);
    }

    #[test]
    fn what_flac_cannot_hold_is_refused() {
        for wave in [
            Wave::new(8000.0, vec![vec![]]),
            Wave::new(8000.0, vec![vec![1.0]; 9]),
            Wave::new(700_000.0, vec![vec![1.0]]),
        ] {
            assert!(wave.to_flac().unwrap_err().starts_with("expected samples of 1 to 8 channels"));
        }
    }
}
