//! Log power spectra.

use kaldi_matrix::Matrix;
use kaldi_simd::Simd;

use super::analysis::{Analysis, Block, Spectral};
use super::energy::LogEnergy;
use super::{Extractor, FrameOptions, MelReport, SpectrogramOptions};
use crate::Result;

/// Computes spectrograms: the logarithm of the power at every frequency, `num_frames × (padded_length / 2 + 1)`, with
/// the log energy of the frame instead of frequency 0; or complex spectra, `num_frames × padded_length`. Follows
/// Kaldi's compute-spectrogram-feats.
#[derive(Clone, Debug)]
pub struct Spectrogram {
    options: SpectrogramOptions,
    analysis: Analysis,
    log_energy: LogEnergy,
}

impl Spectrogram {
    /// Prepares the computation.
    ///
    /// # Errors
    /// If an option is out of its range.
    pub fn new(options: &SpectrogramOptions) -> Result<Self> {
        let analysis = Analysis::new(&options.frames)?;
        Ok(Self { options: options.clone(), analysis, log_energy: LogEnergy::new(&options.energy) })
    }
}

impl Extractor for Spectrogram {
    fn frames(&self) -> &FrameOptions {
        &self.options.frames
    }

    fn num_frames(&self, num_samples: usize) -> usize {
        self.analysis.num_frames(num_samples)
    }

    fn compute_reported(&self, wave: &[f32], _warp: f32) -> Result<(Matrix<f32>, Option<MelReport>)> {
        let length = self.analysis.padded_length();
        let feats = match self.options.return_raw_fft {
            true => self.analysis.run(wave, self.log_energy.kind, Complexes { length }),
            false => self.analysis.run(wave, self.log_energy.kind, Powers { length, log_energy: &self.log_energy }),
        };
        Ok((feats?, None))
    }
}

/// Log power.
struct Powers<'a> {
    length: usize,
    log_energy: &'a LogEnergy,
}

impl Spectral for Powers<'_> {
    fn dim(&self) -> usize {
        self.length / 2 + 1
    }

    #[inline(always)]
    fn compute<V: Simd>(&mut self, block: &mut Block<'_, V>, _room: &mut [V], out: &mut [V]) {
        out[0] = self.log_energy.of(block.energy);
        for (out, power) in out.iter_mut().zip(block.power()).skip(1) {
            *out = power.floored(f32::EPSILON).ln();
        }
    }
}

/// Complex spectra.
struct Complexes {
    length: usize,
}

impl Spectral for Complexes {
    fn dim(&self) -> usize {
        self.length
    }

    #[inline(always)]
    fn compute<V: Simd>(&mut self, block: &mut Block<'_, V>, _room: &mut [V], out: &mut [V]) {
        let (fft, signal) = block.spectrum();
        let [first, last] = fft.ends(signal);
        (out[0], out[1]) = (first.re, last.re);
        for at in 1..=fft.middle() {
            let [low, high] = fft.pair(signal, at);
            let mirrored = self.length - 2 * at;
            (out[2 * at], out[2 * at + 1]) = (low.re, low.im);
            (out[mirrored], out[mirrored + 1]) = (high.re, high.im);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Two frames of 16 samples with the period 8.
    fn computed(return_raw_fft: bool) -> Matrix<f32> {
        let frames = FrameOptions {
            frame_length: 1.0,
            frame_shift: 1.0,
            window_type: crate::extract::WindowFunction::Rectangular,
            preemphasis_coefficient: 0.0,
            ..Default::default()
        };
        let wave: Vec<f32> = (0..32).map(|at| 10.0 * (at as f32 * std::f32::consts::FRAC_PI_4).cos()).collect();
        let spectrogram = Spectrogram::new(&SpectrogramOptions { frames, return_raw_fft, ..Default::default() });
        spectrogram.unwrap().compute(&wave, 1.0).unwrap()
    }

    #[test]
    fn power_has_the_energy_for_its_first_value() {
        let spectrogram = computed(false);
        assert_eq!(spectrogram.size(), (2, 9));
        for row in spectrogram.rows() {
            assert!((row[0] - 800.0_f32.ln()).abs() < 1e-4 && (row[2] - 6400.0_f32.ln()).abs() < 1e-4, "{row:?}");
            assert!(row[3..].iter().all(|log| *log < -5.0 && *log >= f32::EPSILON.ln()), "{row:?}");
        }
    }

    #[test]
    fn complex_spectra_have_two_real_numbers_first() {
        let spectra = computed(true);
        assert_eq!(spectra.size(), (2, 16));
        for row in spectra.rows() {
            for (at, value) in row.iter().enumerate() {
                assert!((value - if at == 4 { 80.0 } else { 0.0 }).abs() < 1e-3, "{at} {row:?}");
            }
        }
    }
}
