//! Mel filterbank energies.

use kaldi_simd::Simd;

use super::FbankOptions;
use super::analysis::Block;
use super::mel::{MelAnalysis, MelEnergies, MelFeatures};
use crate::Result;

/// Computes mel filterbank energies, `num_frames × num_mel_bins`, or one more with the energy of the frame; follows
/// Kaldi's compute-fbank-feats.
#[derive(Clone, Debug)]
pub struct Fbank {
    options: FbankOptions,
    mel: MelAnalysis,
}

impl Fbank {
    /// Prepares the computation.
    ///
    /// # Errors
    /// If an option is out of its range.
    pub fn new(options: &FbankOptions) -> Result<Self> {
        let mel = MelAnalysis::new(&options.frames, &options.mel, &options.energy)?;
        Ok(Self { options: options.clone(), mel })
    }
}

impl MelFeatures for Fbank {
    fn mel(&self) -> &MelAnalysis {
        &self.mel
    }

    fn dim(&self) -> usize {
        self.mel.num_bins() + usize::from(self.options.use_energy)
    }

    #[inline(always)]
    fn values<V: Simd>(&self, mel: &mut MelEnergies<'_>, block: &mut Block<'_, V>, energies: &mut [V], out: &mut [V]) {
        let options = &self.options;
        let spectrum = block.power();
        if !options.use_power {
            for power in spectrum.iter_mut() {
                *power = power.sqrt();
            }
        }
        mel.compute(spectrum, energies);
        if options.use_log_fbank {
            for energy in energies.iter_mut() {
                *energy = energy.floored(f32::EPSILON).ln();
            }
        }
        let energy_first = options.use_energy && !options.htk_compat;
        out[usize::from(energy_first)..][..energies.len()].copy_from_slice(energies);
        if options.use_energy {
            out[if energy_first { 0 } else { energies.len() }] = self.mel.log_energy.of(block.energy);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::MelOptions;
    use crate::extract::{Extractor, MelReport};
    use kaldi_matrix::Matrix;

    fn fbank(options: FbankOptions) -> Matrix<f32> {
        let wave: Vec<f32> = (0..2000).map(|at| ((at * at + 31 * at) % 2003) as f32 - 1001.0).collect();
        Fbank::new(&options).unwrap().compute(&wave, 1.0).unwrap()
    }

    #[test]
    fn logarithms_are_those_of_the_linear_energies() {
        let linear = fbank(FbankOptions { use_log_fbank: false, ..Default::default() });
        let log = fbank(FbankOptions::default());
        assert_eq!(log.size(), (11, 23));
        assert!(linear.as_slice().iter().zip(log.as_slice()).all(|(linear, log)| (linear.ln() - log).abs() < 1e-5));
    }

    #[test]
    fn magnitudes_are_summed_before_the_logarithm() {
        let magnitude = fbank(FbankOptions { use_power: false, use_log_fbank: false, ..Default::default() });
        let power = fbank(FbankOptions { use_log_fbank: false, ..Default::default() });
        // The sum of roots is above the root of the sum, and at most the root of as many times the sum.
        for (magnitude, power) in magnitude.as_slice().iter().zip(power.as_slice()) {
            assert!(*magnitude > power.sqrt() * 0.99 && *magnitude < (power * 60.0).sqrt(), "{magnitude} {power}");
        }
    }

    #[test]
    fn energy_is_one_more_value() {
        let plain = fbank(FbankOptions::default());
        let first = fbank(FbankOptions { use_energy: true, ..Default::default() });
        let last = fbank(FbankOptions { use_energy: true, htk_compat: true, ..Default::default() });
        assert_eq!(first.num_cols(), 24);
        for ((plain, first), last) in plain.rows().zip(first.rows()).zip(last.rows()) {
            assert_eq!((plain, plain), (&first[1..], &last[..23]));
            assert_eq!(first[0], last[23]);
        }
    }

    #[test]
    fn silence_has_no_energy_and_the_least_logarithm() {
        let silence = |use_log_fbank| {
            let fbank = Fbank::new(&FbankOptions { use_log_fbank, ..Default::default() }).unwrap();
            fbank.compute(&[0.0; 500], 1.0).unwrap().into_vec()
        };
        assert_eq!(silence(false), [0.0; 23]);
        assert_eq!(silence(true), [f32::EPSILON.ln(); 23]);
    }

    #[test]
    fn a_report_has_the_energies_of_every_frame() {
        let mel = MelOptions { debug_mel: true, ..Default::default() };
        let options = FbankOptions { use_log_fbank: false, mel, ..Default::default() };
        let wave: Vec<f32> = (0..3500).map(|at| (at % 50 + at / 700) as f32).collect();
        let fbank = Fbank::new(&options).unwrap();
        let (feats, report) = fbank.compute_reported(&wave, 1.1).unwrap();
        let MelReport { banks, energies } = report.unwrap();
        assert_eq!(banks.bins().len(), 23);
        assert_eq!((&energies, feats.num_rows()), (&feats, 20));
        assert!(energies != fbank.compute(&wave, 1.0).unwrap());
        let silent = Fbank::new(&FbankOptions::default()).unwrap();
        assert_eq!(silent.compute_reported(&wave, 1.1).unwrap().1, None);
    }
}
