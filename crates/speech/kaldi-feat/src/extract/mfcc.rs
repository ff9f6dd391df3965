//! Mel-frequency cepstral coefficients.

use std::f64::consts::{PI, SQRT_2};

use kaldi_simd::Simd;

use super::MfccOptions;
use super::analysis::Block;
use super::mel::{MelAnalysis, MelEnergies, MelFeatures};
use crate::error::finite;
use crate::{Error, Result};

/// Computes MFCC: the cosine transform of log mel energies, `num_frames × num_ceps`; follows Kaldi's compute-mfcc-feats.
#[derive(Clone, Debug)]
pub struct Mfcc {
    options: MfccOptions,
    mel: MelAnalysis,
    /// For each value the weights of the log mel energies.
    cosines: Vec<Vec<f32>>,
}

impl Mfcc {
    /// Prepares the computation.
    ///
    /// # Errors
    /// If an option is out of its range.
    pub fn new(options: &MfccOptions) -> Result<Self> {
        let (num_ceps, num_bins) = (options.num_ceps, options.mel.num_mel_bins);
        if num_ceps > num_bins {
            return Err(Error::NumCeps { num_ceps, num_bins });
        }
        let mel = MelAnalysis::new(&options.frames, &options.mel, &options.energy)?;
        if num_ceps < 1 {
            return Err(Error::option("num_ceps", "1 or more", num_ceps));
        }
        finite("cepstral_lifter", options.cepstral_lifter)?;
        let mut cosines = cosine_transform(num_ceps, num_bins);
        for (cosines, lifter) in cosines.iter_mut().zip(lifter(options.cepstral_lifter, num_ceps)) {
            cosines.iter_mut().for_each(|weight| *weight *= lifter);
        }
        if options.htk_compat {
            if !options.use_energy {
                cosines[0].iter_mut().for_each(|weight| *weight *= SQRT_2 as f32);
            }
            cosines.rotate_left(1);
        }
        Ok(Self { options: options.clone(), mel, cosines })
    }
}

impl MelFeatures for Mfcc {
    fn mel(&self) -> &MelAnalysis {
        &self.mel
    }

    fn dim(&self) -> usize {
        self.cosines.len()
    }

    #[inline(always)]
    fn values<V: Simd>(&self, mel: &mut MelEnergies<'_>, block: &mut Block<'_, V>, energies: &mut [V], out: &mut [V]) {
        let Self { options, cosines, .. } = self;
        mel.compute(block.power(), energies);
        for energy in energies.iter_mut() {
            *energy = energy.floored(f32::EPSILON).ln();
        }
        for (out, weights) in out.iter_mut().zip(cosines) {
            let mut sum = energies[0].splat(0.0);
            for (energy, weight) in energies.iter().zip(weights) {
                sum += *energy * *weight;
            }
            *out = sum;
        }
        if options.use_energy {
            let place = if options.htk_compat { out.len() - 1 } else { 0 };
            out[place] = self.mel.log_energy.of(block.energy);
        }
    }
}

/// The first rows of the discrete cosine transform (type II) that is orthogonal.
fn cosine_transform(num_rows: usize, num_cols: usize) -> Vec<Vec<f32>> {
    let weight = |row: usize, col: usize| {
        let scale = if row == 0 { 1.0 } else { 2.0 } / num_cols as f64;
        (scale.sqrt() * (PI / num_cols as f64 * (col as f64 + 0.5) * row as f64).cos()) as f32
    };
    (0..num_rows).map(|row| (0..num_cols).map(|col| weight(row, col)).collect()).collect()
}

/// The scales of cepstra, which do not change C0; all are 1 if `constant` is 0.
pub(super) fn lifter(constant: f32, num_ceps: usize) -> Vec<f32> {
    let constant = f64::from(constant);
    let scale = |nth: usize| match constant {
        0.0 => 1.0,
        _ => (1.0 + 0.5 * constant * (PI * nth as f64 / constant).sin()) as f32,
    };
    (0..num_ceps).map(scale).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::Extractor;
    use crate::extract::{Fbank, FbankOptions};
    use kaldi_matrix::Matrix;

    fn wave() -> Vec<f32> {
        let tone = |at: usize, rate: f32| (at as f32 * rate).sin();
        (0..4000).map(|at| 3000.0 * tone(at, 0.05) + 1000.0 * tone(at, 0.9) + ((at * 7919) % 100) as f32).collect()
    }

    fn mfcc(options: MfccOptions) -> Matrix<f32> {
        Mfcc::new(&options).unwrap().compute(&wave(), 1.0).unwrap()
    }

    #[track_caller]
    fn close(left: &[f32], right: &[f32]) {
        assert_eq!(left.len(), right.len());
        assert!(left.iter().zip(right).all(|(left, right)| (left - right).abs() < 1e-3), "{left:?} {right:?}");
    }

    #[test]
    fn the_cosine_transform_is_orthogonal() {
        for dim in [1, 3, 23, 40] {
            let rows = cosine_transform(dim, dim);
            for (nth, left) in rows.iter().enumerate() {
                for (other, right) in rows.iter().enumerate() {
                    let product: f64 = left.iter().zip(right).map(|(a, b)| f64::from(*a) * f64::from(*b)).sum();
                    assert!((product - if nth == other { 1.0 } else { 0.0 }).abs() < 1e-5, "{dim} {nth} {other}");
                }
            }
        }
    }

    /// With all cepstra and no further processing, the transform can be undone.
    #[test]
    fn log_mel_energies_come_back_from_all_cepstra() {
        let plain = MfccOptions { num_ceps: 23, use_energy: false, cepstral_lifter: 0.0, ..Default::default() };
        let energies = Fbank::new(&FbankOptions::default()).unwrap().compute(&wave(), 1.0).unwrap();
        let rows = cosine_transform(23, 23);
        let cepstra = mfcc(plain);
        assert_eq!(cepstra.size(), (23, 23));
        for (cepstra, energies) in cepstra.rows().zip(energies.rows()) {
            let back = |col| cepstra.iter().zip(&rows).map(|(value, row)| value * row[col]).sum();
            close(&(0..23).map(back).collect::<Vec<f32>>(), energies);
        }
    }

    #[test]
    fn cepstra_are_scaled_but_for_the_first() {
        let plain = mfcc(MfccOptions { cepstral_lifter: 0.0, use_energy: false, ..Default::default() });
        let lifted = mfcc(MfccOptions { use_energy: false, ..Default::default() });
        let scales = lifter(22.0, 13);
        assert_eq!(scales[0], 1.0);
        assert!((scales[11] - 12.0).abs() < 1e-5);
        for (plain, lifted) in plain.rows().zip(lifted.rows()) {
            close(&plain.iter().zip(&scales).map(|(value, scale)| value * scale).collect::<Vec<_>>(), lifted);
        }
    }

    #[test]
    fn energy_takes_the_place_of_the_first_cepstrum() {
        let [with, without] = [true, false].map(|use_energy| mfcc(MfccOptions { use_energy, ..Default::default() }));
        let wave = wave();
        for (frame, (with, without)) in with.rows().zip(without.rows()).enumerate() {
            assert_eq!(with[1..], without[1..]);
            let samples = &wave[frame * 160..][..400];
            let mean = samples.iter().sum::<f32>() / 400.0;
            let energy: f32 = samples.iter().map(|sample| (sample - mean).powi(2)).sum();
            assert!((with[0] - energy.ln()).abs() < 1e-4);
        }
    }

    #[test]
    fn htk_puts_the_first_last() {
        for use_energy in [true, false] {
            let kaldi = mfcc(MfccOptions { use_energy, ..Default::default() });
            let htk = mfcc(MfccOptions { use_energy, htk_compat: true, ..Default::default() });
            for (kaldi, htk) in kaldi.rows().zip(htk.rows()) {
                assert_eq!(kaldi[1..], htk[..12]);
                let scale = if use_energy { 1.0 } else { 2.0_f32.sqrt() };
                close(&[kaldi[0] * scale], &htk[12..]);
            }
        }
    }

    #[test]
    fn silence_has_the_least_logarithms() {
        let feats = Mfcc::new(&MfccOptions { use_energy: false, ..Default::default() }).unwrap();
        let feats = feats.compute(&[0.0; 400], 1.0).unwrap();
        let first = f32::EPSILON.ln() * 23.0_f32.sqrt();
        assert!((feats.row(0)[0] - first).abs() < 1e-4);
        assert!(feats.row(0)[1..].iter().all(|value| value.abs() < 1e-3));
    }

    #[test]
    fn energies_beyond_floats_are_an_error() {
        let mfcc = Mfcc::new(&MfccOptions::default()).unwrap();
        let mut wave = vec![0.0; 4000];
        wave[2000] = 1e30;
        assert_eq!(mfcc.compute(&wave, 1.0), Err(Error::Overflow));
        wave[2000] = 1e15;
        assert!(mfcc.compute(&wave, 1.0).unwrap().as_slice().iter().all(|value| value.is_finite()));
    }

    #[test]
    fn options_out_of_range_are_refused() {
        let message = |options: &MfccOptions| Mfcc::new(options).unwrap_err().to_string();
        assert_eq!(
            message(&MfccOptions { num_ceps: 24, ..Default::default() }),
            "num-ceps cannot be larger than num-mel-bins: got `num_ceps = 24` and `num_mel_bins = 23`"
        );
        assert_eq!(
            message(&MfccOptions { num_ceps: 0, ..Default::default() }),
            "expected `num_ceps` to be 1 or more, got 0"
        );
        assert_eq!(
            message(&MfccOptions { cepstral_lifter: f32::NAN, ..Default::default() }),
            "expected `cepstral_lifter` to be a finite number, got NaN"
        );
    }
}
