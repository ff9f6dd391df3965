//! Log mel spectrograms for speech recognizers of the Whisper family.

use std::f64::consts::TAU;

use kaldi_matrix::Matrix;
use kaldi_simd::Simd;

use super::analysis::{Analysis, Block, Energy, Spectral};
use super::framing::Framing;
use crate::{Error, Result};

/// The least energy.
const FLOOR: f32 = 1e-10;

/// The longest transform and the longest shift, in samples.
const LONGEST: usize = 1 << 16;

/// The most filters.
const MOST_FILTERS: usize = 1 << 12;

/// Computes log mel spectrograms, `num_frames × num_mel_bins` (OpenAI's Whisper, `log_mel_spectrogram`).
///
/// Frames are centred on every `hop_length`-th sample of the waveform, which is mirrored at its ends, and weighted with
/// a periodic Hann window. Mel filters are those of Slaney's toolbox, each with an area of one. Energies are logarithms
/// to base 10, at most 8 below the largest of the waveform, then `(x + 4) / 4`.
#[derive(Clone, Debug)]
pub struct LogMel {
    hop_length: usize,
    middle: usize,
    analysis: Analysis,
    /// For each filter the first line that has a weight, and the weights.
    filters: Vec<(usize, Vec<f32>)>,
}

impl LogMel {
    /// Prepares the computation for waveforms of `rate` Hz: transforms of `n_fft` samples, `hop_length` samples apart.
    ///
    /// # Errors
    /// If there are no filters, or the length of transforms is odd, too short or too long.
    pub fn new(rate: f32, n_fft: usize, hop_length: usize, num_mel_bins: usize) -> Result<Self> {
        if !(rate > 0.0 && rate.is_finite()) {
            return Err(Error::option("sample_frequency", "positive", rate));
        }
        if !(4..=LONGEST).contains(&n_fft) || n_fft % 2 == 1 {
            return Err(Error::option("n_fft", "an even number from 4 to 65536", n_fft));
        }
        if !(1..=LONGEST).contains(&hop_length) {
            return Err(Error::option("hop_length", "from 1 to 65536", hop_length));
        }
        if !(1..=MOST_FILTERS).contains(&num_mel_bins) {
            return Err(Error::option("num_mel_bins", "from 1 to 4096", num_mel_bins));
        }
        // Periodic: the sample after the last one would have the weight of the first.
        let window = (0..n_fft).map(|at| (0.5 - 0.5 * (TAU * at as f64 / n_fft as f64).cos()) as f32).collect();
        let analysis = Analysis::plain(Framing::plain(hop_length, window));
        Ok(Self { hop_length, middle: n_fft / 2, analysis, filters: filters(rate.into(), n_fft, num_mel_bins) })
    }

    /// The number of frames for a waveform of this many samples: 0 if it is too short to be mirrored.
    pub fn num_frames(&self, num_samples: usize) -> usize {
        if num_samples > self.middle { num_samples / self.hop_length } else { 0 }
    }

    /// Computes the features of a waveform, samples in the scale of 16-bit integers.
    ///
    /// # Errors
    /// If a sample is not finite.
    pub fn compute(&self, wave: &[f32]) -> Result<Matrix<f32>> {
        let num_frames = self.num_frames(wave.len());
        if num_frames == 0 {
            return Ok(Matrix::default());
        }
        let sample = |at: usize| wave[at] / 32768.0;
        let before = (1..=self.middle).rev().map(sample);
        let after = (0..self.middle).map(|at| sample(wave.len() - 2 - at));
        let mirrored: Vec<f32> = before.chain((0..wave.len()).map(sample)).chain(after).collect();
        // The last frame, half of which is after the end, is left out.
        let end = (num_frames - 1) * self.hop_length + 2 * self.middle;
        let mut feats = self.analysis.run(&mirrored[..end], Energy::Raw, Frames { filters: &self.filters })?;
        let most = feats.as_slice().iter().copied().fold(f32::NEG_INFINITY, f32::max);
        for value in feats.as_mut_slice() {
            *value = (value.max(most - 8.0) + 4.0) / 4.0;
        }
        Ok(feats)
    }
}

/// The computation for one waveform.
struct Frames<'a> {
    filters: &'a [(usize, Vec<f32>)],
}

impl Spectral for Frames<'_> {
    fn dim(&self) -> usize {
        self.filters.len()
    }

    fn room(&self) -> usize {
        self.filters.len()
    }

    #[inline(always)]
    fn compute<V: Simd>(&mut self, block: &mut Block<'_, V>, energies: &mut [V], out: &mut [V]) {
        let spectrum = block.power();
        for ((first, weights), energy) in self.filters.iter().zip(energies.iter_mut()) {
            *energy = spectrum[0].splat(0.0);
            for (line, weight) in spectrum[*first..].iter().zip(weights) {
                *energy += *line * *weight;
            }
        }
        for (out, energy) in out.iter_mut().zip(energies) {
            *out = energy.floored(FLOOR).ln() * std::f32::consts::LOG10_E;
        }
    }
}

/// Triangular filters from 0 Hz to half the rate, each with an area of one.
fn filters(rate: f64, n_fft: usize, num_mel_bins: usize) -> Vec<(usize, Vec<f32>)> {
    let highest = mel(rate / 2.0);
    let corner = |nth: usize| frequency(highest * nth as f64 / (num_mel_bins + 1) as f64);
    let line = |at: usize| rate * at as f64 / n_fft as f64;
    let filter = |nth: usize| {
        let [left, centre, right] = [corner(nth), corner(nth + 1), corner(nth + 2)];
        let weight = |at: usize| {
            let rising = (line(at) - left) / (centre - left);
            let falling = (right - line(at)) / (right - centre);
            (rising.min(falling).max(0.0) * 2.0 / (right - left)) as f32
        };
        let weights: Vec<f32> = (0..=n_fft / 2).map(weight).collect();
        let first = weights.iter().position(|weight| *weight > 0.0).unwrap_or(0);
        let end = weights.iter().rposition(|weight| *weight > 0.0).map_or(first, |last| last + 1);
        (first, weights[first..end].to_vec())
    };
    (0..num_mel_bins).map(filter).collect()
}

/// Frequencies per mel below 1000 Hz.
const LINEAR: f64 = 200.0 / 3.0;

/// Slaney's mel scale: linear below 1000 Hz, logarithmic above.
fn mel(frequency: f64) -> f64 {
    if frequency < 1000.0 { frequency / LINEAR } else { 15.0 + (frequency / 1000.0).ln() * 27.0 / 6.4_f64.ln() }
}

fn frequency(mel: f64) -> f64 {
    if mel < 15.0 { mel * LINEAR } else { 1000.0 * ((mel - 15.0) * 6.4_f64.ln() / 27.0).exp() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wave(length: usize) -> Vec<f32> {
        (0..length).map(|at| ((at * at + 31 * at) % 20_011) as f32 - 10_005.0).collect()
    }

    /// The features by their definition, in double precision.
    fn expected(wave: &[f32], rate: f64, n_fft: usize, hop: usize, bins: usize) -> Vec<Vec<f64>> {
        let length = wave.len() as isize;
        let sample = |at: isize| {
            let at = if at < 0 { -at } else { at };
            let at = if at >= length { 2 * (length - 1) - at } else { at };
            f64::from(wave[at as usize]) / 32768.0
        };
        let filters = filters(rate, n_fft, bins);
        let frame = |nth: usize| {
            let start = (nth * hop) as isize - (n_fft / 2) as isize;
            let power = |line: usize| {
                let (mut re, mut im) = (0.0, 0.0);
                for at in 0..n_fft {
                    let weight = 0.5 - 0.5 * (TAU * at as f64 / n_fft as f64).cos();
                    let angle = TAU * (line * at % n_fft) as f64 / n_fft as f64;
                    re += weight * sample(start + at as isize) * angle.cos();
                    im += weight * sample(start + at as isize) * angle.sin();
                }
                re * re + im * im
            };
            let spectrum: Vec<f64> = (0..=n_fft / 2).map(power).collect();
            let energy = |(first, weights): &(usize, Vec<f32>)| {
                spectrum[*first..].iter().zip(weights).map(|(line, weight)| line * f64::from(*weight)).sum::<f64>()
            };
            filters.iter().map(|filter| energy(filter).max(1e-10).log10()).collect::<Vec<_>>()
        };
        let mut frames: Vec<Vec<f64>> = (0..wave.len() / hop).map(frame).collect();
        let most = frames.iter().flatten().copied().fold(f64::NEG_INFINITY, f64::max);
        frames.iter_mut().flatten().for_each(|value| *value = (value.max(most - 8.0) + 4.0) / 4.0);
        frames
    }

    #[test]
    fn features_are_those_of_the_definition() {
        for (rate, n_fft, hop, bins, length) in [(16_000.0, 400, 160, 80, 1234), (8_000.0, 64, 20, 10, 333)] {
            let wave = wave(length);
            let log_mel = LogMel::new(rate, n_fft, hop, bins).unwrap();
            let feats = log_mel.compute(&wave).unwrap();
            let expected = expected(&wave, rate.into(), n_fft, hop, bins);
            assert_eq!(feats.size(), (expected.len(), bins));
            assert_eq!(feats.num_rows(), log_mel.num_frames(length));
            for (row, expected) in feats.rows().zip(&expected) {
                for (got, wanted) in row.iter().zip(expected) {
                    assert!((f64::from(*got) - wanted).abs() < 1e-4, "{got} {wanted}");
                }
            }
        }
    }

    #[test]
    fn filters_have_slaneys_frequencies_and_an_area_of_one() {
        assert!((mel(1000.0) - 15.0).abs() < 1e-12 && (frequency(mel(6400.0)) - 6400.0).abs() < 1e-9);
        // In a spectrum with enough lines.
        for (_, weights) in filters(16_000.0, 40_000, 20) {
            let area: f64 = weights.iter().map(|weight| f64::from(*weight) * 0.4).sum();
            assert!((area - 1.0).abs() < 1e-3, "{area}");
        }
    }

    #[test]
    fn what_is_too_short_has_no_frames() {
        let log_mel = LogMel::new(16_000.0, 400, 160, 80).unwrap();
        assert_eq!([0, 200, 201, 320].map(|length| log_mel.num_frames(length)), [0, 0, 1, 2]);
        assert!(log_mel.compute(&wave(200)).unwrap().is_empty());
        for (n_fft, hop, bins) in [(401, 160, 80), (2, 160, 80), (400, 0, 80), (400, 160, 0)] {
            assert!(LogMel::new(16_000.0, n_fft, hop, bins).is_err());
        }
        assert!(LogMel::new(0.0, 400, 160, 80).is_err());
    }
}
