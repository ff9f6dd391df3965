//! Triangular filters on the mel scale.

use std::borrow::Cow;

use kaldi_matrix::Matrix;
use kaldi_simd::Simd;

use super::analysis::{Analysis, Block, Spectral};
use super::energy::LogEnergy;
use super::{EnergyOptions, Extractor, Fbank, FrameOptions, MelOptions, Mfcc, Plp};
use crate::{Error, Result};

/// One triangular filter, as weights of the lines of a spectrum.
#[derive(Clone, Debug, PartialEq)]
pub struct MelBin {
    /// The first line that has a weight.
    pub first: usize,
    /// The weights from there on.
    pub weights: Vec<f32>,
    /// The frequency of the peak of the triangle in Hz.
    pub center: f32,
}

/// Triangular filters that overlap by half, equally wide on the mel scale (Kaldi's `MelBanks`).
#[derive(Clone, Debug, PartialEq)]
pub struct MelBanks {
    bins: Vec<MelBin>,
    /// The least energy.
    floor: Option<f32>,
}

impl MelBanks {
    /// Makes the filters for spectra of `padded_length` samples, warped by a factor (1 for no warping).
    ///
    /// # Errors
    /// If frequencies are not in order, the factor is not positive, or a filter would have no weight.
    pub(crate) fn new(options: &MelOptions, rate: f32, padded_length: usize, warp: f32) -> Result<Self> {
        if options.num_mel_bins < 3 {
            return Err(Error::MelBins { got: options.num_mel_bins });
        }
        let num_bins = options.num_mel_bins;
        let half_rate = (0.5 * f64::from(rate)) as f32;
        let low = options.low_freq;
        let high = if options.high_freq > 0.0 { options.high_freq } else { half_rate + options.high_freq };
        if !(low >= 0.0 && low < half_rate && high > 0.0 && high <= half_rate && high > low) {
            return Err(Error::MelRange { low, high, half_rate });
        }
        let warping = if warp == 1.0 { None } else { Some(Warping::new(options, (low, high), half_rate, warp)?) };

        let (mel_low, mel_high) = (mel(low), mel(high));
        let step = (mel_high - mel_low) / (num_bins + 1) as f32;
        let corner = |nth: usize| {
            let corner = mel_low + nth as f32 * step;
            warping.as_ref().map_or(corner, |warping| mel(warping.warp(frequency(corner))))
        };
        let line_width = rate / padded_length as f32;
        let lines: Vec<f32> = (0..padded_length / 2).map(|line| mel(line_width * line as f32)).collect();
        let bin = |nth| {
            let [left, center, right] = [corner(nth), corner(nth + 1), corner(nth + 2)];
            // Lines are in order of their frequency.
            let first = lines.partition_point(|line| *line <= left);
            let inside = lines[first..].iter().take_while(|line| **line < right);
            let weight = |line: &f32| match *line {
                line if line <= center => (line - left) / (center - left),
                line => (right - line) / (right - center),
            };
            let weights: Vec<f32> = inside.map(weight).collect();
            let center = frequency(center);
            if weights.is_empty() {
                return Err(Error::EmptyMelBin { bin: nth, num_bins, center });
            }
            Ok(MelBin { first, weights, center })
        };
        let mut bins = Vec::new();
        for nth in 0..num_bins {
            bins.push(bin(nth)?);
        }
        if options.htk_mode && mel_low != 0.0 {
            bins[0].weights[0] = 0.0;
        }
        Ok(Self { bins, floor: options.htk_mode.then_some(1.0) })
    }

    /// The filters, from low to high frequencies.
    pub fn bins(&self) -> &[MelBin] {
        &self.bins
    }

    /// Sums the weighted lines of spectra: `out` gets one energy for each filter.
    #[inline(always)]
    pub(crate) fn apply<V: Simd>(&self, spectrum: &[V], out: &mut [V]) {
        for (out, bin) in out.iter_mut().zip(&self.bins) {
            let mut sum = spectrum[0].splat(0.0);
            for (line, weight) in spectrum[bin.first..].iter().zip(&bin.weights) {
                sum += *line * *weight;
            }
            *out = self.floor.map_or(sum, |floor| sum.floored(floor));
        }
    }
}

/// Filters for each warping factor.
#[derive(Clone, Debug)]
struct Filterbank {
    options: MelOptions,
    rate: f32,
    padded_length: usize,
    unwarped: MelBanks,
}

impl Filterbank {
    fn new(options: &MelOptions, frames: &FrameOptions, padded_length: usize) -> Result<Self> {
        let rate = frames.sample_frequency;
        let unwarped = MelBanks::new(options, rate, padded_length, 1.0)?;
        Ok(Self { options: options.clone(), rate, padded_length, unwarped })
    }

    /// The filters for this factor.
    fn banks(&self, warp: f32) -> Result<Cow<'_, MelBanks>> {
        if warp == 1.0 {
            return Ok(Cow::Borrowed(&self.unwarped));
        }
        MelBanks::new(&self.options, self.rate, self.padded_length, warp).map(Cow::Owned)
    }
}

/// The energies of frames in all filters.
pub(crate) struct MelEnergies<'a> {
    banks: &'a MelBanks,
    /// The weight of each filter, if the features have some.
    pub(crate) weights: Vec<f32>,
    /// Whether all energies were finite so far.
    are_finite: bool,
    /// The place for keeping all energies, frame after frame, if they are wanted.
    kept: Option<&'a mut Vec<f32>>,
}

impl MelEnergies<'_> {
    /// Computes the energy in each filter.
    #[inline(always)]
    pub(crate) fn compute<V: Simd>(&mut self, spectrum: &[V], energies: &mut [V]) {
        self.banks.apply(spectrum, energies);
        self.look_at(energies);
        if let Some(kept) = &mut self.kept {
            let mut numbers = vec![0.0; energies.len() * V::WIDTH];
            for (numbers, energy) in numbers.chunks_exact_mut(V::WIDTH).zip(energies.iter()) {
                energy.write(numbers);
            }
            for lane in 0..V::WIDTH {
                kept.extend(numbers.iter().skip(lane).step_by(V::WIDTH));
            }
        }
    }

    /// Notes whether all of these energies are finite.
    #[inline(always)]
    pub(crate) fn look_at<V: Simd>(&mut self, energies: &[V]) {
        // Infinity times zero is NaN.
        let mut zero = energies[0].splat(0.0);
        for energy in energies {
            zero += *energy * 0.0;
        }
        self.are_finite &= zero.is_zero();
    }
}

/// The content of `--debug-mel`.
#[derive(Clone, Debug, PartialEq)]
pub struct MelReport {
    /// The filters.
    pub banks: MelBanks,
    /// The energy in each filter for every frame, `num_frames × num_mel_bins`; empty if there are no frames.
    pub energies: Matrix<f32>,
}

/// The way from waveforms to the energies of their frames in mel filters.
#[derive(Clone, Debug)]
pub(super) struct MelAnalysis {
    frames: FrameOptions,
    analysis: Analysis,
    filterbank: Filterbank,
    pub(super) log_energy: LogEnergy,
}

impl MelAnalysis {
    pub(super) fn new(frames: &FrameOptions, mel: &MelOptions, energy: &EnergyOptions) -> Result<Self> {
        let analysis = Analysis::new(frames)?;
        let filterbank = Filterbank::new(mel, frames, analysis.padded_length())?;
        Ok(Self { frames: frames.clone(), analysis, filterbank, log_energy: LogEnergy::new(energy) })
    }

    pub(super) fn num_bins(&self) -> usize {
        self.filterbank.unwarped.bins.len()
    }
}

/// Features that are computed of the energies in mel filters: [`Mfcc`](super::Mfcc), [`Fbank`](super::Fbank), [`Plp`](super::Plp).
/// All of them are an [`Extractor`] by it (`extractors!`).
pub(super) trait MelFeatures {
    fn mel(&self) -> &MelAnalysis;

    /// The number of values for each frame.
    fn dim(&self) -> usize;

    /// The length of the memory that `compute` needs.
    fn room(&self) -> usize {
        self.mel().num_bins()
    }

    /// The weight of each filter, if filters have one.
    fn weights(&self, _banks: &MelBanks) -> Vec<f32> {
        Vec::new()
    }

    /// Computes the values for a block of frames, of energies that it computes by `mel`.
    fn values<V: Simd>(&self, mel: &mut MelEnergies<'_>, block: &mut Block<'_, V>, room: &mut [V], out: &mut [V]);
}

/// Makes features an [`Extractor`]. This is no impl for all of them at once: it would be compiled in the crate of a tool, with what is
/// optimized there.
macro_rules! extractors {
    ($($features:ty),*) => {$(
        impl Extractor for $features {
            fn frames(&self) -> &FrameOptions {
                &self.mel().frames
            }

            fn num_frames(&self, num_samples: usize) -> usize {
                self.mel().analysis.num_frames(num_samples)
            }

            fn compute_reported(&self, wave: &[f32], warp: f32) -> Result<(Matrix<f32>, Option<MelReport>)> {
                compute_reported(self, wave, warp)
            }
        }
    )*};
}

extractors!(Mfcc, Fbank, Plp);

fn compute_reported(features: &impl MelFeatures, wave: &[f32], warp: f32) -> Result<(Matrix<f32>, Option<MelReport>)> {
    let MelAnalysis { analysis, filterbank, log_energy, .. } = features.mel();
    let num_frames = analysis.num_frames(wave.len());
    // Filters that cannot be warped by this factor are no error if there are no frames, as in Kaldi.
    if num_frames == 0 {
        return Ok((Matrix::default(), None));
    }
    let banks = filterbank.banks(warp)?;
    let (wants_report, mut kept) = (filterbank.options.debug_mel, Vec::new());
    let kept_here = wants_report.then_some(&mut kept);
    let mel = MelEnergies { banks: &banks, weights: features.weights(&banks), are_finite: true, kept: kept_here };
    let feats = analysis.run(wave, log_energy.kind, Frames { features, mel })?;
    let report = wants_report.then(|| {
        // The last lanes repeat the last frame.
        kept.truncate(num_frames * banks.bins.len());
        let energies = Matrix::from_vec(num_frames, banks.bins.len(), kept);
        MelReport { banks: banks.into_owned(), energies }
    });
    Ok((feats, report))
}

/// The computation for one waveform.
struct Frames<'a, F> {
    features: &'a F,
    mel: MelEnergies<'a>,
}

impl<F: MelFeatures> Spectral for Frames<'_, F> {
    fn dim(&self) -> usize {
        self.features.dim()
    }

    fn room(&self) -> usize {
        self.features.room()
    }

    #[inline(always)]
    fn compute<V: Simd>(&mut self, block: &mut Block<'_, V>, room: &mut [V], out: &mut [V]) {
        self.features.values(&mut self.mel, block, room, out);
    }

    fn check(&self) -> Result<()> {
        if self.mel.are_finite { Ok(()) } else { Err(Error::Overflow) }
    }
}

/// The mel scale (Kaldi's and HTK's): linear at low frequencies in Hz, logarithmic above.
fn mel(frequency: f32) -> f32 {
    1127.0 * (1.0 + frequency / 700.0).ln()
}

/// The frequency in Hz of a place on the mel scale.
fn frequency(mel: f32) -> f32 {
    700.0 * ((mel / 1127.0).exp() - 1.0)
}

/// A piecewise linear map of frequencies that keeps the ends of a range and divides by a factor in between (Kaldi's
/// `VtlnWarpFreq`). Filters that are moved in this way make a vocal tract appear longer or shorter.
struct Warping {
    low: f32,
    high: f32,
    /// The bends, before the map.
    bends: (f32, f32),
    scale: f32,
    /// The slopes below the lower and above the upper bend.
    slopes: (f32, f32),
}

impl Warping {
    fn new(options: &MelOptions, (low, high): (f32, f32), half_rate: f32, warp: f32) -> Result<Self> {
        let lower = options.vtln_low;
        let upper = if options.vtln_high < 0.0 { options.vtln_high + half_rate } else { options.vtln_high };
        if !(lower >= 0.0 && lower > low && lower < high && upper > 0.0 && upper < high && upper > lower) {
            return Err(Error::VtlnRange { lower, upper, low, high });
        }
        if !(warp > 0.0 && warp.is_finite()) {
            return Err(Error::Warp { got: warp });
        }
        // Both a bend and its image are within the cut-offs.
        let bends = (lower * warp.max(1.0), upper * warp.min(1.0));
        let scale = (1.0 / f64::from(warp)) as f32;
        let slopes = ((scale * bends.0 - low) / (bends.0 - low), (high - scale * bends.1) / (high - bends.1));
        Ok(Self { low, high, bends, scale, slopes })
    }

    fn warp(&self, frequency: f32) -> f32 {
        let Self { low, high, bends, scale, slopes } = *self;
        match frequency {
            frequency if frequency < low || frequency > high => frequency,
            frequency if frequency < bends.0 => low + slopes.0 * (frequency - low),
            frequency if frequency < bends.1 => scale * frequency,
            frequency => high + slopes.1 * (frequency - high),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kaldi_simd::Lanes;

    fn banks(options: &MelOptions, warp: f32) -> Result<MelBanks> {
        MelBanks::new(options, 16000.0, 512, warp)
    }

    /// The weights of all filters at each line.
    fn sums(banks: &MelBanks) -> Vec<f32> {
        let mut sums = vec![0.0; 256];
        for bin in banks.bins() {
            for (sum, weight) in sums[bin.first..].iter_mut().zip(&bin.weights) {
                *sum += weight;
            }
        }
        sums
    }

    #[test]
    fn the_mel_scale_is_its_own_inverse() {
        assert!((mel(1000.0) - 1000.0).abs() < 0.1 && mel(0.0) == 0.0);
        for hertz in [0.0, 20.0, 440.0, 8000.0] {
            assert!((frequency(mel(hertz)) - hertz).abs() < 1e-2, "{hertz}");
        }
    }

    #[test]
    fn filters_share_every_line_between_their_centers() {
        for num_mel_bins in [3, 23, 40, 80] {
            let banks = banks(&MelOptions { num_mel_bins, ..Default::default() }, 1.0).unwrap();
            let (first, last) = (&banks.bins()[0], &banks.bins()[num_mel_bins - 1]);
            for (line, sum) in sums(&banks).into_iter().enumerate() {
                let frequency = line as f32 * 31.25;
                let expected = (first.center..=last.center).contains(&frequency);
                assert!(if expected { (sum - 1.0).abs() < 1e-4 } else { sum < 1.0 }, "{num_mel_bins} {line}: {sum}");
            }
        }
    }

    #[test]
    fn filters_rise_and_fall_once_and_lie_within_the_range() {
        let options = MelOptions { low_freq: 300.0, high_freq: -2000.0, ..Default::default() };
        let banks = banks(&options, 1.0).unwrap();
        assert_eq!(banks.bins().len(), 23);
        for bin in banks.bins() {
            let top = bin.weights.iter().position(|weight| *weight == bin.weights.iter().fold(0.0, |a, b| b.max(a)));
            let (up, down) = bin.weights.split_at(top.unwrap());
            assert!(up.is_sorted() && down.iter().rev().is_sorted());
            assert!(bin.weights.iter().all(|weight| *weight > 0.0 && *weight <= 1.0));
            assert!(bin.first as f32 * 31.25 > 300.0 && ((bin.first + bin.weights.len() - 1) as f32) * 31.25 < 6000.0);
        }
    }

    #[test]
    fn energies_are_weighted_sums_with_a_floor_in_htk_mode() {
        let mut options = MelOptions { num_mel_bins: 3, low_freq: 10.0, ..Default::default() };
        let spectrum: Vec<_> = (0..=256).map(|line| Lanes::splat(line as f32 * 1e-6)).collect();
        let mut out = [Lanes::ZERO; 3];
        let plain = banks(&options, 1.0).unwrap();
        plain.apply(&spectrum, &mut out);
        for (out, bin) in out.iter().zip(plain.bins()) {
            let lines = bin.weights.iter().enumerate();
            let expected: f32 = lines.map(|(at, weight)| weight * (bin.first + at) as f32 * 1e-6).sum();
            assert!((out.0[2] - expected).abs() < 1e-6);
        }
        options.htk_mode = true;
        let htk = banks(&options, 1.0).unwrap();
        assert_eq!(htk.bins()[0].weights[0], 0.0);
        assert_eq!(htk.bins()[1], plain.bins()[1]);
        htk.apply(&spectrum, &mut out);
        assert_eq!(out, [Lanes::splat(1.0); 3]);
    }

    #[test]
    fn warping_divides_frequencies_between_its_bends() {
        for warp in [0.8, 0.95, 1.1, 1.25] {
            let warping = Warping::new(&MelOptions::default(), (20.0, 8000.0), 8000.0, warp).unwrap();
            for (frequency, expected) in [(20.0, 20.0), (8000.0, 8000.0), (10.0, 10.0), (1000.0, 1000.0 / warp)] {
                assert!((warping.warp(frequency) - expected).abs() < 0.01, "{warp} {frequency}");
            }
            // Continuous and rising.
            let warped: Vec<f32> = (20..=8000).map(|frequency| warping.warp(frequency as f32)).collect();
            assert!(warped.windows(2).all(|pair| pair[1] > pair[0] && pair[1] - pair[0] < 5.0), "{warp}");
        }
    }

    #[test]
    fn warped_filters_are_moved() {
        let options = MelOptions::default();
        let (plain, warped) = (banks(&options, 1.0).unwrap(), banks(&options, 1.2).unwrap());
        for (plain, warped) in plain.bins().iter().zip(warped.bins()).skip(3).take(15) {
            assert!((warped.center - plain.center / 1.2).abs() < 0.1);
        }
    }

    #[test]
    fn options_out_of_range_are_refused() {
        let with = || MelOptions::default();
        for (options, warp, expected) in [
            (MelOptions { num_mel_bins: 2, ..with() }, 1.0, "Must have at least 3 mel bins, got `num_mel_bins = 2`"),
            (
                MelOptions { high_freq: 8001.0, ..with() },
                1.0,
                "Bad values in options: low-freq 20 and high-freq 8001 vs. nyquist 8000",
            ),
            (
                MelOptions { low_freq: 3000.0, high_freq: 2000.0, ..with() },
                1.0,
                "Bad values in options: low-freq 3000 and high-freq 2000 vs. nyquist 8000",
            ),
            (
                MelOptions { low_freq: f32::NAN, ..with() },
                1.0,
                "Bad values in options: low-freq NaN and high-freq 8000 vs. nyquist 8000",
            ),
            (
                MelOptions { vtln_low: 10.0, ..with() },
                1.1,
                "Bad values in options: vtln-low 10 and vtln-high 7500, versus low-freq 20 and high-freq 8000",
            ),
            (with(), 0.0, "expected a positive VTLN warp factor, got 0"),
            (with(), f32::NAN, "expected a positive VTLN warp factor, got NaN"),
        ] {
            assert_eq!(banks(&options, warp).unwrap_err().to_string(), expected);
        }
        let many = banks(&MelOptions { num_mel_bins: 200, ..with() }, 1.0).unwrap_err().to_string();
        assert!(many.starts_with("mel bin 2 of 200, at 47 Hz, is too narrow"), "{many}");
        // The cut-offs of warping count only if there is warping.
        assert!(banks(&MelOptions { vtln_low: 10.0, ..with() }, 1.0).is_ok());
    }
}
