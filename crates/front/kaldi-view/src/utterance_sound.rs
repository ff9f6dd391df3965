//! The sound of an utterance for a page: its waveform, its spectrogram, and its start as a file. All pictures of a page have the same
//! scales, so that they can be compared.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::fmt::Write as _;

use bstr::{BStr, ByteSlice};
use kaldi_feat::extract::{Extractor, Spectrogram, SpectrogramOptions, WindowFunction};
use kaldi_plot::{Colormap, Picture};
use kaldi_value::{Format, Value};
use kaldi_wave::Wave;

use crate::Result;
use crate::corpus::SoundPlace;
use crate::job::{cut, read_wave};
use crate::scale::{FULL_SCALE, RANGE, full_scale_power};

/// Seconds of sound in a picture, at most.
const LONGEST: f64 = 120.0;

/// Columns of a picture, at most.
const COLUMNS: usize = 700;

/// Rows of a spectrogram, at most.
const ROWS: usize = 128;

/// Milliseconds of a frame of the spectrogram, at least.
const FRAME: f32 = 25.0;

/// Shades over the range of the levels. Few make small files.
const SHADES: u8 = 32;

/// A level is kept as a number of these steps above the lowest one, in dB.
const STEP: f64 = 0.625;

/// The lowest level in dB: silence.
const LOWEST: f64 = -160.0;

/// The share of cells that are below the upper end of the colours.
const BELOW_HIGH: f64 = 0.999;

/// Utterances whose sound is shown, at most.
const MOST: usize = 400;

/// What is shown of the sound of an utterance.
#[derive(Default)]
pub(crate) struct ShownSound {
    /// Seconds that the pictures show; 0 if there is no sound.
    pub seconds: f64,
    /// Samples a second.
    pub rate: f32,
    /// The largest and the smallest sample of each column, as parts of full scale.
    pub wave: Vec<(f32, f32)>,
    /// Levels of time and frequency.
    pub spectrum: Option<Spectrum>,
    /// The start of it, in one channel.
    pub sound: Option<Wave>,
}

/// Levels of a spectrogram, row by row from the top, in steps above the lowest one.
pub(crate) struct Spectrum {
    columns: usize,
    levels: Vec<u8>,
}

/// The range of levels that all spectrograms of a page have, in dB: 0 is a sine as loud as 16 bits can hold.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Levels {
    pub low: f64,
    pub high: f64,
}

impl Levels {
    /// Of everything that is shown: at most a thousandth of the cells is above `high`. Cells of silence do not count.
    pub fn of<'a>(spectra: impl Iterator<Item = &'a Spectrum>) -> Self {
        let mut counts = [0_u64; 256];
        spectra.flat_map(|spectrum| &spectrum.levels).for_each(|&level| counts[usize::from(level)] += 1);
        counts[0] = 0;
        let total: u64 = counts.iter().sum();
        let mut below = 0;
        let high = counts.iter().position(|count| {
            below += count;
            total > 0 && below as f64 >= BELOW_HIGH * total as f64
        });
        let high = high.map_or(0.0, |high| (LOWEST + high as f64 * STEP).ceil());
        Self { low: high - RANGE, high }
    }

    /// The colours from `low` to `high`.
    pub fn colors() -> Vec<[u8; 3]> {
        Colormap::Viridis.colors(SHADES)
    }
}

impl Spectrum {
    /// Of sound in one channel; `None` if it is too short.
    fn of(rate: f32, samples: &[f32]) -> Option<Self> {
        let seconds = samples.len() as f64 / f64::from(rate);
        let mut options = SpectrogramOptions::default();
        let frames = &mut options.frames;
        let shift = (1000.0 * seconds / COLUMNS as f64).max(10.0) as f32;
        (frames.sample_frequency, frames.dither, frames.snip_edges) = (rate, 0.0, false);
        (frames.frame_length, frames.frame_shift) = (shift.max(FRAME), shift);
        (frames.preemphasis_coefficient, frames.remove_dc_offset) = (0.0, false);
        frames.window_type = WindowFunction::Hanning;
        let full = full_scale_power(rate * 0.001 * frames.frame_length);
        let spectra = Spectrogram::new(&options).and_then(|spectrogram| spectrogram.compute(samples, 1.0)).ok()?;
        let (columns, bins) = (spectra.num_rows(), spectra.num_cols());
        if columns == 0 || bins < 2 {
            return None;
        }
        let decibels = |power: f32| f64::from(power) * 10.0 / std::f64::consts::LN_10 - 10.0 * f64::from(full).log10();
        let step = |power: f32| ((decibels(power) - LOWEST) / STEP).round().clamp(0.0, 255.0) as u8;
        let rows = bins.min(ROWS);
        let mut levels = vec![0; rows * columns];
        for (column, spectrum) in spectra.rows().enumerate() {
            for row in 0..rows {
                // Column 0 is the energy; the one beside it stands in its place.
                let bins = (row * bins / rows).max(1)..((row + 1) * bins / rows).max(2);
                let most = spectrum[bins].iter().copied().fold(f32::NEG_INFINITY, f32::max);
                levels[(rows - 1 - row) * columns + column] = step(most);
            }
        }
        Some(Self { columns, levels })
    }

    /// A PNG file of it.
    ///
    /// # Errors
    /// If it cannot be encoded.
    pub fn picture(&self, range: Levels) -> Result<Vec<u8>> {
        let last = f64::from(SHADES - 1);
        let shade = |level: &u8| {
            let part = (LOWEST + f64::from(*level) * STEP - range.low) / (range.high - range.low);
            (part * last).round().clamp(0.0, last) as u8
        };
        let cells: Vec<u8> = self.levels.iter().map(shade).collect();
        Ok(Picture::of_cells(self.columns as u32, &cells, &Levels::colors()).encode_small()?)
    }
}

impl ShownSound {
    /// Of some sound, and at most `seconds` to be heard.
    fn of(wave: &Wave, seconds: f64) -> Self {
        let samples = mono(wave, LONGEST);
        let columns = samples.len().min(COLUMNS);
        let column = |at: usize| {
            let part = &samples[at * samples.len() / columns..(at + 1) * samples.len() / columns];
            let extreme = |of: fn(f32, f32) -> f32| part.iter().copied().fold(part[0], of) / FULL_SCALE;
            (extreme(f32::max), extreme(f32::min))
        };
        Self {
            seconds: samples.len() as f64 / f64::from(wave.sample_rate()),
            rate: wave.sample_rate(),
            wave: (0..columns).map(column).collect(),
            spectrum: Spectrum::of(wave.sample_rate(), &samples),
            sound: Some(Wave::new(wave.sample_rate(), vec![mono(wave, seconds)])),
        }
    }

    /// The waveform as a path of SVG, in a box that is as wide as it has columns and 200 high; full scale fills it.
    pub fn path(&self) -> String {
        let mut path = String::from("M");
        let mut add = |at: usize, sample: f32| {
            let height = if sample.is_nan() { 100.0 } else { (100.0 - 100.0 * sample).clamp(0.0, 200.0).round() };
            // Writing to a string cannot fail.
            let _ = write!(path, "{at} {height} ");
        };
        let wave = || self.wave.iter().enumerate();
        wave().for_each(|(at, &(high, _))| add(at, high));
        wave().rev().for_each(|(at, &(_, low))| add(at, low));
        path + "z"
    }
}

/// What is shown of the sound of the utterances at some places: of each at most `seconds` to be heard. A recording is read once.
pub(crate) fn sounds(places: &[Option<&SoundPlace>], seconds: f64) -> Vec<ShownSound> {
    let mut shown: Vec<ShownSound> = places.iter().map(|_| ShownSound::default()).collect();
    let mut recordings = BTreeMap::<&BStr, Vec<usize>>::new();
    for (at, place) in places.iter().enumerate().take(MOST) {
        if let Some(place) = place {
            recordings.entry(place.rxfilename.as_bstr()).or_default().push(at);
        }
    }
    for (rxfilename, utterances) in recordings {
        let Ok(wave) = read_wave(rxfilename) else { continue };
        for at in utterances {
            let part = match places[at].and_then(|place| place.part.as_ref()) {
                Some(part) => cut(&wave, part).map(Cow::Owned),
                None => Ok(Cow::Borrowed(&wave)),
            };
            let Ok(part) = part else { continue };
            if part.num_samples() > 0 && part.sample_rate() > 0.0 {
                shown[at] = ShownSound::of(&part, seconds);
            }
        }
    }
    shown
}

/// Bytes of a WAV file before the samples.
const HEADER: usize = 44;

/// The bytes of the WAV file of a sound, as characters of a page.
pub(crate) fn characters(sound: &Wave) -> usize {
    (HEADER + 2 * sound.num_samples()).div_ceil(3) * 4
}

/// A WAV file of 16 bits with the start of a sound, which takes at most `room` characters of a page.
pub(crate) fn wav_file(sound: &Wave, room: usize) -> Vec<u8> {
    let length = ((room / 4 * 3).saturating_sub(HEADER) / 2).min(sound.num_samples());
    Wave::new(sound.sample_rate(), vec![sound.channel(0)[..length].to_vec()]).to_bytes(Format::Binary)
}

/// The mean of all channels, for the first `seconds`.
fn mono(wave: &Wave, seconds: f64) -> Vec<f32> {
    let length = ((seconds * f64::from(wave.sample_rate())) as usize).min(wave.num_samples());
    let mut sum = vec![0.0; length];
    for channel in 0..wave.num_channels() {
        sum.iter_mut().zip(wave.channel(channel)).for_each(|(sum, sample)| *sum += sample);
    }
    let scale = 1.0 / wave.num_channels() as f32;
    sum.iter_mut().for_each(|sample| *sample *= scale);
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tone(amplitude: f32) -> Wave {
        Wave::new(16000.0, vec![(0..16000).map(|at| (amplitude * (at as f32 * 0.5).sin()).round()).collect()])
    }

    #[test]
    fn all_spectrograms_have_the_same_range() {
        let sounds: Vec<ShownSound> =
            [32767.0, 300.0, 0.0].map(|amplitude| ShownSound::of(&tone(amplitude), 1.0)).into();
        let spectra: Vec<&Spectrum> = sounds.iter().filter_map(|sound| sound.spectrum.as_ref()).collect();
        let levels = Levels::of(spectra.iter().copied());
        // A tone of full scale has 0 dB.
        assert!((-1.0..=0.0).contains(&levels.high) && levels.high - levels.low == 80.0, "{levels:?}");
        assert_eq!((spectra[0].columns, spectra[0].levels.len()), (100, 100 * 128));
        let strongest = |spectrum: &Spectrum| spectrum.levels.iter().copied().max().map(f64::from);
        let difference = strongest(spectra[0]).unwrap() - strongest(spectra[1]).unwrap();
        assert!((difference * STEP - 40.8).abs() < 1.5, "{difference}");
        assert_eq!(strongest(spectra[2]), Some(0.0));
        // Where nothing is loud, nothing is said of levels.
        assert_eq!(Levels::of([spectra[2]].into_iter()), Levels { low: -80.0, high: 0.0 });
        assert_eq!(Levels::of([].into_iter()), Levels { low: -80.0, high: 0.0 });
    }

    #[test]
    fn waveforms_have_full_scale() {
        let highest = |wave: &Wave| {
            let path = ShownSound::of(wave, 1.0).path();
            let numbers = path.trim_matches(|letter| "Mz".contains(letter)).split_whitespace().skip(1).step_by(2);
            numbers.map(|number| number.parse::<u32>().unwrap()).min().unwrap()
        };
        assert_eq!([32767.0, 16384.0, 1.0].map(|amplitude| highest(&tone(amplitude))), [0, 50, 100]);
        let short = Wave::new(8000.0, vec![vec![-32768.0, 0.0, 32767.0]]);
        assert_eq!(ShownSound::of(&short, 1.0).path(), "M0 200 1 100 2 0 2 0 1 100 0 200 z");
    }
}
