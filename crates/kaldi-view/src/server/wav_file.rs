//! A WAV file of 16 bits that is made while it is read.

use std::ops::Range;

use kaldi_wave::Wave;

/// Bytes before the samples.
const HEADER: u64 = 44;

/// The number of bytes of the file of a sound.
pub(crate) fn length(wave: &Wave) -> u64 {
    HEADER + 2 * wave.num_channels() as u64 * wave.num_samples() as u64
}

/// Bytes of the file.
pub(crate) fn bytes(wave: &Wave, range: Range<u64>) -> Vec<u8> {
    let mut bytes = Vec::new();
    if range.start < HEADER {
        bytes.extend_from_slice(&header(wave)[range.start as usize..range.end.min(HEADER) as usize]);
    }
    let channels = wave.num_channels() as u64;
    let byte = |at: u64| {
        let (sample, half) = ((at - HEADER) / 2, (at - HEADER) % 2);
        let value = wave.channel((sample % channels) as usize)[(sample / channels) as usize];
        (value as i16).to_le_bytes()[half as usize]
    };
    bytes.extend((range.start.max(HEADER)..range.end).map(byte));
    bytes
}

/// The header, with sizes of 32 bits at most.
fn header(wave: &Wave) -> [u8; HEADER as usize] {
    let (channels, rate) = (wave.num_channels() as u16, wave.sample_rate() as u32);
    let num_bytes = u32::try_from(length(wave) - HEADER).unwrap_or(u32::MAX - HEADER as u32);
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
    use kaldi_values::{Format, Value};

    use super::*;

    #[test]
    fn every_part_is_that_of_the_file() {
        let wave = Wave::new(8000.0, vec![vec![1.0, -2.0, 32767.0, 4e4], vec![5.5, 6.0, -7.9, -4e4]]);
        let mut file = Vec::new();
        wave.write(&mut file, Format::Binary);
        assert_eq!(length(&wave), file.len() as u64);
        for start in 0..=file.len() {
            for end in start..=file.len() {
                assert_eq!(bytes(&wave, start as u64..end as u64), file[start..end], "{start}..{end}");
            }
        }
    }
}
