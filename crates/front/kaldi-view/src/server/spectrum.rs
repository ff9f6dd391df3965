//! The spectrogram of a sound, frame by frame.
//!
//! Frames of a Hann window start `shift` apart. The first one has its middle half a shift after the start of the sound, and
//! before its start and after its end the sound is mirrored: so the number of frames depends on the shift alone, as with
//! `--snip-edges=false`. Levels are in dB: 0 is that of a sine as loud as 16 bits can hold.

use std::ops::Range;

use kaldi_feat::extract::{Extractor, Spectrogram, SpectrogramOptions, WindowFunction};
use kaldi_io::was_interrupted;

use crate::scale::full_scale_power;
use crate::server::failure::{Answer, Failure};
use crate::server::sounds::Sound;

/// Frames that are computed at once, at most.
const BATCH: u64 = 2048;

/// Numbers of their spectra, and samples of them, at most.
const NUMBERS: u64 = 1 << 20;

/// The lowest level in dB, that of silence.
const SILENT: f32 = -160.0;

/// The spectrogram of a sound.
#[derive(Debug)]
pub(crate) struct SpectrumFrames<'a> {
    sound: &'a Sound,
    spectrogram: Spectrogram,
    /// Samples of a window, and between two.
    length: u64,
    shift: u64,
    /// Samples of a window with the zeros after it.
    padded: usize,
    /// What the power of the loudest sine is.
    full: f32,
}

impl<'a> SpectrumFrames<'a> {
    /// Prepares windows of some milliseconds.
    ///
    /// # Errors
    /// If the milliseconds make no sense for the rate of the sound.
    pub fn new(sound: &'a Sound, window: f32, shift: f32) -> Answer<Self> {
        let mut options = SpectrogramOptions::default();
        options.return_raw_fft = true;
        let frames = &mut options.frames;
        (frames.sample_frequency, frames.frame_length, frames.frame_shift) = (sound.rate(), window, shift);
        (frames.preemphasis_coefficient, frames.dither, frames.remove_dc_offset) = (0.0, 0.0, false);
        frames.window_type = WindowFunction::Hanning;
        let spectrogram = Spectrogram::new(&options).map_err(Failure::wrong)?;
        let samples = |milliseconds: f32| (f64::from(sound.rate()) * 0.001 * f64::from(milliseconds)) as u64;
        let (length, shift) = (samples(window), samples(shift));
        let full = full_scale_power(length as f32);
        let padded = length.next_power_of_two() as usize;
        Ok(Self { sound, spectrogram, length, shift, padded, full })
    }

    /// The number of frames.
    pub fn len(&self) -> u64 {
        (self.sound.num_samples() + self.shift / 2) / self.shift
    }

    /// The number of frequencies, from 0 to half the rate.
    pub fn num_rows(&self) -> usize {
        self.padded / 2 + 1
    }

    /// Levels of columns of `pool` frames from frame `from` on, column after column: the loudest of the frames. Beyond the end of
    /// the sound, and around samples that are no numbers, there are NaN.
    ///
    /// # Errors
    /// If the sound cannot be read.
    pub fn columns(&self, from: u64, count: usize, pool: u64) -> Answer<Vec<f32>> {
        let rows = self.num_rows();
        let mut columns = vec![f32::NEG_INFINITY; rows * count];
        let end = from.saturating_add(pool.saturating_mul(count as u64)).min(self.len());
        let batch = (NUMBERS / self.padded as u64).min(NUMBERS / self.shift).clamp(1, BATCH);
        let mut frame = from;
        while frame < end {
            let last = (frame + batch).min(end);
            self.add(frame..last, |at, power| {
                let column = ((at - from) / pool) as usize;
                let column = &mut columns[column * rows..(column + 1) * rows];
                match power {
                    Some(power) => column.iter_mut().enumerate().for_each(|(row, most)| {
                        // A NaN stays.
                        if power(row) > *most {
                            *most = power(row);
                        }
                    }),
                    None => column.fill(f32::NAN),
                }
            })?;
            frame = last;
        }
        for (at, column) in columns.chunks_exact_mut(rows).enumerate() {
            let is_there = from.saturating_add(pool.saturating_mul(at as u64)) < end;
            for level in column {
                *level = match is_there {
                    true if level.is_nan() => f32::NAN,
                    true => (10.0 * (*level / self.full).log10()).max(SILENT),
                    false => f32::NAN,
                };
            }
        }
        Ok(columns)
    }

    /// Passes the power of each frame to `each`, as a function of the frequency; `None` around samples that are no numbers.
    fn add(&self, frames: Range<u64>, mut each: impl FnMut(u64, Option<&dyn Fn(usize) -> f32>)) -> Answer<()> {
        if was_interrupted() {
            return Err(Failure::Unreadable("interrupted".into()));
        }
        let start = (frames.start * self.shift + self.shift / 2) as i64 - (self.length / 2) as i64;
        let end = start + ((frames.end - 1 - frames.start) * self.shift + self.length) as i64;
        let mut samples = self.mirrored(start..end)?;
        let mut bad = Vec::new();
        for (at, sample) in samples.iter_mut().enumerate().filter(|(_, sample)| !sample.is_finite()) {
            bad.push(at as u64);
            *sample = 0.0;
        }
        let spectra = self.spectrogram.compute(&samples, 1.0).map_err(Failure::unreadable)?;
        for (at, frame) in (0_u64..).zip(frames) {
            let first = bad.partition_point(|&place| place < at * self.shift);
            if bad.get(first).is_some_and(|&place| place < at * self.shift + self.length) {
                each(frame, None);
                continue;
            }
            let spectrum = spectra.row(at as usize);
            let square = |value: f32| value * value;
            each(
                frame,
                Some(&|row| match row {
                    // Both ends are real, and count once.
                    0 => square(spectrum[0]) / 4.0,
                    row if row == self.padded / 2 => square(spectrum[1]) / 4.0,
                    row => square(spectrum[2 * row]) + square(spectrum[2 * row + 1]),
                }),
            );
        }
        Ok(())
    }

    /// Samples at any places; outside of the sound it is mirrored.
    fn mirrored(&self, range: Range<i64>) -> Answer<Vec<f32>> {
        let count = self.sound.num_samples() as i64;
        if range.start >= 0 && range.end <= count {
            return self.sound.mono(range.start as u64..range.end as u64);
        }
        let mirror = |at: i64| {
            let at = at.rem_euclid(2 * count);
            if at < count { at } else { 2 * count - 1 - at }
        };
        // The part that is needed: all of a short sound, or a part at one of its ends.
        let (low, high) = match (range.start < 0, range.end > count) {
            (true, true) => (0, count),
            (true, false) => (0, range.end.max(-range.start).min(count)),
            _ => (range.start.min(2 * count - range.end).max(0), count),
        };
        let samples = self.sound.mono(low as u64..high as u64)?;
        Ok(range.map(|at| samples[(mirror(at) - low) as usize]).collect())
    }
}

#[cfg(test)]
mod tests {
    use kaldi_wave::Wave;

    use super::*;

    fn noise(count: usize) -> Vec<f32> {
        let mut state = 1_u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) as f32 - 32768.0
        };
        (0..count).map(|_| next() / 4.0).collect()
    }

    #[test]
    fn levels_are_those_of_kaldi_feat() {
        for count in [400, 1000, 8000, 50_000] {
            let samples = noise(count);
            let sound = Sound::of(Wave::new(8000.0, vec![samples.clone()]));
            let found = SpectrumFrames::new(&sound, 25.0, 10.0).unwrap();
            let mut options = SpectrogramOptions::default();
            (options.frames.sample_frequency, options.frames.snip_edges) = (8000.0, false);
            (options.frames.preemphasis_coefficient, options.frames.dither) = (0.0, 0.0);
            (options.frames.remove_dc_offset, options.frames.window_type) = (false, WindowFunction::Hanning);
            let expected = Spectrogram::new(&options).unwrap().compute(&samples, 1.0).unwrap();
            assert_eq!((found.len(), found.num_rows()), (expected.num_rows() as u64, expected.num_cols()));
            let columns = found.columns(0, expected.num_rows(), 1).unwrap();
            let reference = 10.0 * found.full.log10();
            for (column, row) in columns.chunks_exact(found.num_rows()).zip(expected.rows()) {
                for at in 1..found.num_rows() - 1 {
                    let level = row[at] * 10.0 / std::f32::consts::LN_10 - reference;
                    assert!((column[at] - level).abs() < 0.01, "{} {level}", column[at]);
                }
            }
            // Any part of it is the same.
            let rows = found.num_rows();
            for from in [0, 1, found.len() / 2, found.len() - 1] {
                let part = found.columns(from, 1, 1).unwrap();
                assert_eq!(part, columns[from as usize * rows..(from as usize + 1) * rows], "{count} {from}");
            }
        }
    }

    #[test]
    fn the_loudest_sine_has_0_db() {
        let sine = (0..16_000).map(|at| 32768.0 * (at as f32 * std::f32::consts::TAU / 8.0).sin()).collect();
        let sound = Sound::of(Wave::new(16_000.0, vec![sine]));
        let found = SpectrumFrames::new(&sound, 32.0, 10.0).unwrap();
        let columns = found.columns(0, 10, 10).unwrap();
        for column in columns.chunks_exact(found.num_rows()) {
            let peak = (0..column.len()).max_by(|&left, &right| column[left].total_cmp(&column[right])).unwrap();
            assert_eq!(peak, 64);
            assert!(column[peak].abs() < 0.1, "{}", column[peak]);
        }
    }

    #[test]
    fn columns_have_the_maximum_and_keep_nan() {
        let mut samples = noise(8000);
        samples[4000] = f32::NAN;
        let sound = Sound::of(Wave::new(8000.0, vec![samples]));
        let found = SpectrumFrames::new(&sound, 20.0, 10.0).unwrap();
        let rows = found.num_rows();
        let (single, pooled) = (found.columns(0, 100, 1).unwrap(), found.columns(0, 12, 10).unwrap());
        let has_nan =
            |columns: &[f32], at: usize| columns[at * rows..(at + 1) * rows].iter().all(|level| level.is_nan());
        assert_eq!((0..100).filter(|&at| has_nan(&single, at)).collect::<Vec<_>>(), [49, 50]);
        // Beyond the end there is nothing.
        assert_eq!((0..12).filter(|&at| has_nan(&pooled, at)).collect::<Vec<_>>(), [4, 5, 10, 11]);
        for row in 0..rows {
            let most = (0..10).map(|at| single[at * rows + row]).fold(f32::NEG_INFINITY, f32::max);
            assert_eq!(pooled[row], most);
        }
    }

    #[test]
    fn silence_is_finite() {
        let sound = Sound::of(Wave::new(8000.0, vec![vec![0.0; 800]]));
        let levels = SpectrumFrames::new(&sound, 25.0, 10.0).unwrap().columns(0, 10, 1).unwrap();
        assert!(levels.iter().all(|&level| level == SILENT));
        assert!(SpectrumFrames::new(&sound, 0.0, 10.0).is_err() && SpectrumFrames::new(&sound, 25.0, 0.0).is_err());
    }
}
