//! Perceptual linear prediction.

use std::f64::consts::PI;

use kaldi_simd::Simd;

use super::PlpOptions;
use super::analysis::Block;
use super::mel::{MelAnalysis, MelBanks, MelEnergies, MelFeatures};
use super::mfcc::lifter;
use crate::error::finite;
use crate::{Error, Result};

/// Computes PLP cepstra, `num_frames × num_ceps`; follows Kaldi's compute-plp-feats.
///
/// Mel energies are weighted by their loudness and compressed. Their inverse Fourier transform is an autocorrelation,
/// from which the recursion of Levinson and Durbin computes a prediction. The cepstrum is that of the prediction
/// (Hermansky: Perceptual linear predictive analysis of speech, 1990). The cepstra of frames without any energy are
/// NaN, as in Kaldi.
#[derive(Clone, Debug)]
pub struct Plp {
    options: PlpOptions,
    mel: MelAnalysis,
    /// For each lag the weights of the loudnesses; the first and the last count twice.
    cosines: Vec<Vec<f32>>,
    /// The scales of the cepstra.
    scales: Vec<f32>,
}

/// The highest order of prediction.
const MAX_ORDER: usize = 1000;

impl Plp {
    /// Prepares the computation.
    ///
    /// # Errors
    /// If an option is out of its range.
    pub fn new(options: &PlpOptions) -> Result<Self> {
        let mut mel = MelAnalysis::new(&options.frames, &options.mel, &options.energy)?;
        if options.lpc_order > MAX_ORDER {
            return Err(Error::option("lpc_order", "from 0 to 1000", options.lpc_order));
        }
        if !(1..=options.lpc_order + 1).contains(&options.num_ceps) {
            let got = format!("{} and `lpc_order = {}`", options.num_ceps, options.lpc_order);
            return Err(Error::option("num_ceps", "from 1 to `lpc_order` and one more", got));
        }
        finite("compress_factor", options.compress_factor)?;
        finite("cepstral_scale", options.cepstral_scale)?;
        mel.log_energy = mel.log_energy.with_least_windowed(f32::MIN_POSITIVE);
        let scales = lifter(options.cepstral_lifter, options.num_ceps);
        Ok(Self {
            cosines: inverse_transform(options.lpc_order + 1, mel.num_bins() + 2),
            mel,
            scales: scales.iter().map(|scale| scale * options.cepstral_scale).collect(),
            options: options.clone(),
        })
    }
}

impl MelFeatures for Plp {
    fn mel(&self) -> &MelAnalysis {
        &self.mel
    }

    fn dim(&self) -> usize {
        self.scales.len()
    }

    fn room(&self) -> usize {
        self.mel.num_bins() + 3 * self.options.lpc_order + 1
    }

    fn weights(&self, banks: &MelBanks) -> Vec<f32> {
        banks.bins().iter().map(|bin| equal_loudness(bin.center)).collect()
    }

    #[inline(always)]
    fn values<V: Simd>(&self, mel: &mut MelEnergies<'_>, block: &mut Block<'_, V>, room: &mut [V], out: &mut [V]) {
        let Self { options, cosines, scales, .. } = self;
        let (energies, room) = room.split_at_mut(self.mel.num_bins());
        let (autocorrelation, room) = room.split_at_mut(options.lpc_order + 1);
        let (prediction, room) = room.split_at_mut(options.lpc_order);
        mel.compute(block.power(), energies);
        for (energy, weight) in energies.iter_mut().zip(&mel.weights) {
            *energy = power(*energy * *weight, options.compress_factor);
        }
        for (lag, weights) in autocorrelation.iter_mut().zip(cosines) {
            let (first, last) = (energies[0], energies[energies.len() - 1]);
            let mut sum = first * weights[0] + last * weights[weights.len() - 1];
            for (energy, weight) in energies.iter().zip(&weights[1..]) {
                sum += *energy * *weight;
            }
            *lag = sum;
        }
        mel.look_at(energies);

        let residual = predict(autocorrelation, prediction, room);
        // The negative logarithm of the inverse is taken, since the energy may be 0.
        out[0] = -(residual.splat(1.0) / residual).ln();
        out[0] = out[0].floored(f32::MIN_POSITIVE);
        cepstrum(prediction, room);
        let num_ceps = out.len();
        out[1..].copy_from_slice(&room[..num_ceps - 1]);
        for (out, scale) in out.iter_mut().zip(scales) {
            // Which NaN comes out depends on how instructions are chosen.
            *out = (*out * *scale).map(|value| if value.is_nan() { f32::NAN } else { value });
        }
        if options.use_energy {
            out[0] = self.mel.log_energy.of(block.energy);
        }
        if options.htk_compat {
            out.rotate_left(1);
        }
    }
}

/// Powers of numbers that are not negative; 0 to any power is 0, except to the power 0.
#[inline(always)]
fn power<V: Simd>(numbers: V, exponent: f32) -> V {
    let zero = if exponent == 0.0 { 1.0 } else { 0.0 };
    let powers = (numbers.ln() * exponent).exp();
    numbers.zip(powers, |number, power| if number < f32::MIN_POSITIVE { zero } else { power })
}

/// The loudness of a tone of this frequency in Hz, relative to its energy.
fn equal_loudness(frequency: f32) -> f32 {
    let square = frequency * frequency;
    let part = square / (square + 1.6e5);
    part * part * ((square + 1.44e6) / (square + 9.61e6))
}

/// The inverse Fourier transform of `num_cols` values of an even spectrum: the weights of each for `num_rows` lags.
fn inverse_transform(num_rows: usize, num_cols: usize) -> Vec<Vec<f32>> {
    let last = num_cols - 1;
    let weight = |row: usize, col: usize| {
        let times = if col == 0 || col == last { 1.0 } else { 2.0 };
        (times / (2.0 * last as f64) * (PI / last as f64 * (row * col) as f64).cos()) as f32
    };
    (0..num_rows).map(|row| (0..num_cols).map(|col| weight(row, col)).collect()).collect()
}

/// The recursion of Levinson and Durbin: predicts each sample from the previous ones, with negative weights, and
/// returns the energy of the part that cannot be predicted.
#[inline(always)]
fn predict<V: Simd>(autocorrelation: &[V], prediction: &mut [V], room: &mut [V]) -> V {
    /// The least share of the energy that a step leaves, so that a constant signal gives numbers, too.
    const LEAST: f32 = 1e-5;
    let mut energy = autocorrelation[0];
    for nth in 0..prediction.len() {
        let mut reflection = autocorrelation[nth + 1];
        for (weight, lag) in prediction[..nth].iter().zip(autocorrelation[1..=nth].iter().rev()) {
            reflection += *weight * *lag;
        }
        let reflection = reflection / energy;
        energy = energy * (reflection.splat(1.0) - reflection * reflection).floored(LEAST);
        for ((new, old), mirrored) in room.iter_mut().zip(&prediction[..nth]).zip(prediction[..nth].iter().rev()) {
            *new = *old - reflection * *mirrored;
        }
        room[nth] = -reflection;
        prediction[..=nth].copy_from_slice(&room[..=nth]);
    }
    energy
}

/// The cepstrum of a prediction, from C1 on.
#[inline(always)]
fn cepstrum<V: Simd>(prediction: &[V], cepstra: &mut [V]) {
    for nth in 0..prediction.len() {
        let mut sum = cepstra[0].splat(0.0);
        for (at, weight) in prediction[..nth].iter().enumerate() {
            sum += *weight * cepstra[nth - at - 1] * (nth - at) as f32;
        }
        cepstra[nth] = -prediction[nth] - sum / (nth + 1) as f32;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::extract::Extractor;
    use kaldi_matrix::Matrix;
    use kaldi_simd::Lanes;

    fn wave() -> Vec<f32> {
        let tone = |at: usize, rate: f32| (at as f32 * rate).sin();
        (0..4000).map(|at| 3000.0 * tone(at, 0.1) + 1000.0 * tone(at, 1.3) + ((at * 7919) % 300) as f32).collect()
    }

    fn power(number: f32, exponent: f32) -> f32 {
        super::power(Lanes::splat(number), exponent).0[3]
    }

    fn plp(options: PlpOptions) -> Matrix<f32> {
        Plp::new(&options).unwrap().compute(&wave(), 1.0).unwrap()
    }

    #[test]
    fn powers_are_right_to_some_digits() {
        for number in [1e-20, 1e-3, 0.5, 1.0, 17.0, 1e12] {
            for exponent in [-1.0, 0.33333, 1.0, 2.0] {
                let exact = f64::from(number).powf(f64::from(exponent));
                if (1e-30..1e30).contains(&exact) {
                    assert!((f64::from(power(number, exponent)) / exact - 1.0).abs() < 1e-5, "{number} {exponent}");
                }
            }
        }
        assert_eq!([power(0.0, 0.3), power(0.0, -1.0), power(0.0, 0.0), power(5.0, 0.0)], [0.0, 0.0, 1.0, 1.0]);
        assert_eq!(power(1e30, 2.0), f32::INFINITY);
        assert!(power(f32::NAN, 0.3).is_nan());
    }

    /// A signal in which every sample is 0.9 times the last one plus noise.
    #[test]
    fn what_can_be_predicted_is() {
        let autocorrelation: Vec<_> = (0..5).map(|lag| Lanes::splat(0.9_f32.powi(lag))).collect();
        let mut prediction = [Lanes::ZERO; 4];
        let residual = predict(&autocorrelation, &mut prediction, &mut [Lanes::ZERO; 4]);
        assert!((residual.0[3] - 0.19).abs() < 1e-5);
        for (nth, weight) in prediction.iter().enumerate() {
            assert!((weight.0[5] + if nth == 0 { 0.9 } else { 0.0 }).abs() < 1e-5);
        }
        // Its cepstrum is 0.9^n / n.
        let mut cepstra = [Lanes::ZERO; 4];
        cepstrum(&prediction, &mut cepstra);
        for (nth, cepstrum) in (1..).zip(&cepstra) {
            assert!((cepstrum.0[0] - 0.9_f32.powi(nth) / nth as f32).abs() < 1e-5, "{nth}");
        }
    }

    #[test]
    fn loudness_is_greatest_at_high_frequencies() {
        assert_eq!(equal_loudness(0.0), 0.0);
        let curve = [50.0, 100.0, 400.0, 1000.0, 2000.0, 4000.0].map(equal_loudness);
        assert!(curve.is_sorted() && curve[5] < 1.0, "{curve:?}");
    }

    /// A flat spectrum has no correlation between samples.
    #[test]
    fn the_inverse_transform_of_a_constant_is_an_impulse() {
        for (lag, weights) in inverse_transform(13, 25).iter().enumerate() {
            let expected = if lag == 0 { 1.0 } else { 0.0 };
            assert!((weights.iter().sum::<f32>() - expected).abs() < 1e-6);
        }
    }

    #[test]
    fn energy_takes_the_place_of_the_residual() {
        let [with, without] = [true, false].map(|use_energy| plp(PlpOptions { use_energy, ..Default::default() }));
        assert_eq!(with.size(), (23, 13));
        for (with, without) in with.rows().zip(without.rows()) {
            assert_eq!(with[1..], without[1..]);
            assert!(with[0] > without[0] && without[0] > 0.0);
        }
    }

    #[test]
    fn cepstra_are_scaled_and_put_in_order() {
        let kaldi = plp(PlpOptions { cepstral_lifter: 0.0, use_energy: false, ..Default::default() });
        let options = PlpOptions { cepstral_lifter: 0.0, cepstral_scale: 0.5, ..Default::default() };
        let htk = plp(PlpOptions { use_energy: false, htk_compat: true, ..options });
        for (kaldi, htk) in kaldi.rows().zip(htk.rows()) {
            assert_eq!(htk[12], 0.5 * kaldi[0]);
            assert!(htk[..12].iter().zip(&kaldi[1..]).all(|(htk, kaldi)| *htk == 0.5 * kaldi));
        }
    }

    #[test]
    fn an_order_of_nothing_leaves_the_energy() {
        let options = PlpOptions { lpc_order: 0, num_ceps: 1, use_energy: false, ..Default::default() };
        assert_eq!(plp(options).num_cols(), 1);
    }

    #[test]
    fn silence_has_energies_and_no_cepstra() {
        let feats = Plp::new(&PlpOptions::default()).unwrap().compute(&[0.0; 400], 1.0).unwrap();
        assert_eq!(feats.row(0)[0], f32::EPSILON.ln());
        assert!(feats.row(0)[1..].iter().all(|value| value.to_bits() == f32::NAN.to_bits()));
    }

    #[test]
    fn powers_beyond_floats_are_an_error() {
        let plp = Plp::new(&PlpOptions { compress_factor: 10.0, ..Default::default() }).unwrap();
        assert_eq!(plp.compute(&wave(), 1.0), Err(Error::Overflow));
    }

    #[test]
    fn options_out_of_range_are_refused() {
        let message = |options: &PlpOptions| Plp::new(options).unwrap_err().to_string();
        let with = || PlpOptions::default();
        for (options, expected) in [
            (PlpOptions { lpc_order: 1001, ..with() }, "expected `lpc_order` to be from 0 to 1000, got 1001"),
            (
                PlpOptions { num_ceps: 14, ..with() },
                "expected `num_ceps` to be from 1 to `lpc_order` and one more, got 14 and `lpc_order = 12`",
            ),
            (
                PlpOptions { num_ceps: 0, ..with() },
                "expected `num_ceps` to be from 1 to `lpc_order` and one more, got 0 and `lpc_order = 12`",
            ),
            (
                PlpOptions { compress_factor: f32::INFINITY, ..with() },
                "expected `compress_factor` to be a finite number, got inf",
            ),
        ] {
            assert_eq!(message(&options), expected);
        }
    }
}
