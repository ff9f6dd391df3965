//! A WAV file of 16 bits that is made while it is read.

use std::ops::Range;

use crate::server::failure::Answer;
use crate::server::sounds::Sound;

/// Bytes before the samples.
const HEADER: u64 = 44;

/// The number of bytes of the file of a sound.
pub(crate) fn length(sound: &Sound) -> u64 {
    HEADER + frame_size(sound) * sound.num_samples()
}

fn frame_size(sound: &Sound) -> u64 {
    2 * sound.num_channels() as u64
}

/// Bytes of the file.
///
/// # Errors
/// If the samples cannot be read.
pub(crate) fn bytes(sound: &Sound, range: Range<u64>) -> Answer<Vec<u8>> {
    let mut bytes = Vec::new();
    if range.start < HEADER {
        bytes.extend_from_slice(&header(sound)[range.start as usize..range.end.min(HEADER) as usize]);
    }
    let (start, end) = (range.start.max(HEADER) - HEADER, range.end.max(HEADER) - HEADER);
    if start < end {
        let frame = frame_size(sound);
        let samples = start / frame..end.div_ceil(frame);
        let channels = sound.samples(samples.clone())?;
        let mut frames = Vec::with_capacity(((samples.end - samples.start) * frame) as usize);
        for at in 0..(samples.end - samples.start) as usize {
            // The cast drops fractions and clips.
            channels.iter().for_each(|channel| frames.extend_from_slice(&(channel[at] as i16).to_le_bytes()));
        }
        let skipped = (start - samples.start * frame) as usize;
        bytes.extend_from_slice(&frames[skipped..skipped + (end - start) as usize]);
    }
    Ok(bytes)
}

/// The header, with sizes of 32 bits at most.
fn header(sound: &Sound) -> [u8; HEADER as usize] {
    let (channels, rate) = (sound.num_channels() as u16, sound.rate() as u32);
    let num_bytes = u32::try_from(length(sound) - HEADER).unwrap_or(u32::MAX).min(u32::MAX - HEADER as u32);
    let mut header = [0; HEADER as usize];
    let mut at = 0;
    let mut put = |bytes: &[u8]| {
        header[at..at + bytes.len()].copy_from_slice(bytes);
        at += bytes.len();
    };
    put(b"RIFF");
    put(&(num_bytes + HEADER as u32 - 8).to_le_bytes());
    put(b"WAVEfmt \x10\0\0\0\x01\0");
    put(&channels.to_le_bytes());
    put(&rate.to_le_bytes());
    put(&rate.wrapping_mul(2 * u32::from(channels)).to_le_bytes());
    put(&(2 * channels).to_le_bytes());
    put(b"\x10\0data");
    put(&num_bytes.to_le_bytes());
    header
}

#[cfg(test)]
mod tests {
    use kaldi_value::{Format, Value};
    use kaldi_wave::Wave;

    use super::*;

    #[test]
    fn every_part_is_that_of_the_file() {
        let wave = Wave::new(8000.0, vec![vec![1.0, -2.0, 32767.0, 4e4], vec![5.5, 6.0, -7.9, -4e4]]);
        let file = wave.to_bytes(Format::Binary);
        let sound = Sound::of(wave);
        assert_eq!(length(&sound), file.len() as u64);
        for start in 0..=file.len() {
            for end in start..=file.len() {
                assert_eq!(bytes(&sound, start as u64..end as u64).unwrap(), file[start..end], "{start}..{end}");
            }
        }
    }
}
