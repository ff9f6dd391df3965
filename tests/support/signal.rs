//! Waveforms and their files, built without the library.

use std::f64::consts::TAU;

/// A RIFF/WAVE file of 16-bit samples of one channel.
pub fn wave(rate: u32, samples: &[i16]) -> Vec<u8> {
    wave_of(rate, 1, samples)
}

/// A RIFF/WAVE file of 16-bit samples; those of the channels take turns.
pub fn wave_of(rate: u32, num_channels: u16, samples: &[i16]) -> Vec<u8> {
    let bytes: Vec<u8> = samples.iter().flat_map(|sample| sample.to_le_bytes()).collect();
    riff(1, rate, num_channels, 16, &bytes)
}

/// A RIFF/WAVE file of 32-bit floats of one channel, where 1 is full scale.
pub fn float_wave(rate: u32, samples: &[f32]) -> Vec<u8> {
    let bytes: Vec<u8> = samples.iter().flat_map(|sample| sample.to_le_bytes()).collect();
    riff(3, rate, 1, 32, &bytes)
}

/// A RIFF/WAVE file of samples in any encoding: the number of its format, the interleaved samples.
pub fn riff(format: u16, rate: u32, num_channels: u16, bits: u16, data: &[u8]) -> Vec<u8> {
    let frame = num_channels * bits / 8;
    let mut out = b"RIFF".to_vec();
    out.extend((36 + data.len() as u32).to_le_bytes());
    out.extend(b"WAVEfmt \x10\0\0\0");
    out.extend([format.to_le_bytes(), num_channels.to_le_bytes()].concat());
    out.extend([rate.to_le_bytes(), (rate * u32::from(frame)).to_le_bytes()].concat());
    out.extend([frame.to_le_bytes(), bits.to_le_bytes()].concat());
    out.extend(b"data");
    out.extend((data.len() as u32).to_le_bytes());
    out.extend(data);
    out
}

/// A pure tone: its frequency in Hz, its amplitude, its length in seconds.
pub fn tone(rate: u32, hz: f64, amplitude: f64, seconds: f64) -> Vec<i16> {
    let sample = |n: u32| (amplitude * (TAU * hz * f64::from(n) / f64::from(rate)).sin()).round() as i16;
    (0..(seconds * f64::from(rate)) as u32).map(sample).collect()
}

/// Signals of one length added up.
pub fn mixed(signals: &[Vec<i16>]) -> Vec<i16> {
    (0..signals[0].len()).map(|n| signals.iter().map(|signal| signal[n]).sum()).collect()
}
