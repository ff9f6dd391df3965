//! Files and archives of waveforms, built without the library.

use super::signal::riff;

/// A file of 16-bit samples as Kaldi writes it; channels have one length.
pub fn wave(rate: u32, channels: &[&[i16]]) -> Vec<u8> {
    let num_samples = channels[0].len();
    let data: Vec<u8> =
        (0..num_samples).flat_map(|at| channels.iter().flat_map(move |channel| channel[at].to_le_bytes())).collect();
    riff(1, rate, channels.len() as u16, 16, &data)
}

/// The bytes of a file, some of them replaced.
pub fn with(bytes: &[u8], at: usize, new: &[u8]) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[at..at + new.len()].copy_from_slice(new);
    bytes
}

/// An archive of files.
pub fn archive(entries: &[(&str, &[u8])]) -> Vec<u8> {
    entries.iter().flat_map(|(key, bytes)| [key.as_bytes(), b" ", bytes].concat()).collect()
}

/// A tone that starts softly: `length` samples up to `height`.
pub fn swelling(length: usize, height: f64) -> Vec<i16> {
    let sample = |at: usize| (height * (at as f64 * 0.37).sin() * (at as f64 / length as f64)) as i16;
    (0..length).map(sample).collect()
}

/// The samples of a file of one channel with the header that Kaldi writes.
pub fn samples(bytes: &[u8]) -> Vec<i16> {
    bytes[44..].chunks_exact(2).map(|pair| i16::from_le_bytes([pair[0], pair[1]])).collect()
}
