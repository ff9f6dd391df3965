//! The spectra of frames, eight or sixteen frames at a time.
//!
//! [`Lanes`] hold the sample at one place of eight frames, and later one frequency of their eight spectra. With AVX-512,
//! `WideLanes` hold those of sixteen frames. So every step works on whole registers and needs no sums across them, including
//! the transform. One frame of 25 ms at 16 kHz takes a fifth to half of a microsecond.

use std::borrow::Cow;

use kaldi_matrix::Matrix;
#[cfg(target_arch = "x86_64")]
use kaldi_simd::WideLanes;
use kaldi_simd::{Kernel, Lanes, MAX_WIDTH, Simd};

use super::FrameOptions;
use super::fft::{Complex, RealFft};
use super::framing::Framing;
use crate::error::{checked_size, finite};
use crate::{Error, Result};

/// The energy of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Energy {
    /// Before preemphasis and window.
    Raw,
    /// Of the transformed signal.
    Windowed,
}

/// The way from waveforms to spectra, with everything that is prepared for it.
#[derive(Clone, Debug)]
pub(crate) struct Analysis {
    framing: Framing,
    preemphasis: f32,
    remove_dc_offset: bool,
    fft: RealFft,
}

/// A computation on the spectra of frames.
pub(crate) trait Spectral {
    /// The number of values for each frame.
    fn dim(&self) -> usize;

    /// The length of the memory that `compute` needs.
    fn room(&self) -> usize {
        0
    }

    /// Computes the values for a block of frames, one value after the other.
    fn compute<V: Simd>(&mut self, block: &mut Block<'_, V>, room: &mut [V], out: &mut [V]);

    /// Returns an error if a computed value is NaN.
    fn check(&self) -> Result<()> {
        Ok(())
    }
}

impl Analysis {
    pub(crate) fn new(options: &FrameOptions) -> Result<Self> {
        let framing = Framing::new(options)?;
        let preemphasis = options.preemphasis_coefficient;
        if !(0.0..=1.0).contains(&preemphasis) {
            return Err(Error::option("preemphasis_coefficient", "from 0 to 1", preemphasis));
        }
        finite("dither", options.dither)?;
        let fft = RealFft::new(framing.padded);
        Ok(Self { framing, preemphasis, remove_dc_offset: options.remove_dc_offset, fft })
    }

    /// The spectra of frames that are only windowed.
    pub(crate) fn plain(framing: Framing) -> Self {
        let fft = RealFft::new(framing.padded);
        Self { framing, preemphasis: 0.0, remove_dc_offset: false, fft }
    }

    /// The number of samples that are transformed.
    pub(crate) fn padded_length(&self) -> usize {
        self.fft.length()
    }

    /// The number of frames in a waveform of this many samples.
    pub(crate) fn num_frames(&self, num_samples: usize) -> usize {
        if num_samples == 0 { 0 } else { self.framing.num_frames(num_samples) }
    }

    /// Computes the values of all frames of a waveform, `num_frames × dim`; the result is empty if there are no frames.
    ///
    /// # Errors
    /// If a sample or a value is NaN or infinite, or there are too many values.
    pub(crate) fn run(&self, wave: &[f32], energy: Energy, spectral: impl Spectral) -> Result<Matrix<f32>> {
        // The loop has no early end, which would slow it down.
        if !wave.iter().fold(true, |finite, sample| finite & sample.is_finite()) {
            let sample = wave.iter().position(|sample| !sample.is_finite()).unwrap_or_default();
            return Err(Error::Sample { sample, got: wave[sample] });
        }
        let (num_frames, dim) = checked_size(self.num_frames(wave.len()), Some(spectral.dim()))?;
        let mut out = vec![0.0; num_frames * dim];
        if num_frames > 0 {
            self.run_widest(wave, energy, spectral, &mut out)?;
        }
        Ok(Matrix::from_vec(num_frames, dim, out))
    }

    fn run_widest(&self, wave: &[f32], energy: Energy, spectral: impl Spectral, out: &mut [f32]) -> Result<()> {
        #[cfg(target_arch = "x86_64")]
        if let Some(zero) = WideLanes::zero() {
            return self.run_blocks(wave, energy, spectral, zero, out);
        }
        self.run_blocks(wave, energy, spectral, Lanes::ZERO, out)
    }

    fn run_blocks<V: Simd, S: Spectral>(
        &self,
        wave: &[f32],
        energy: Energy,
        mut spectral: S,
        zero: V,
        out: &mut [f32],
    ) -> Result<()> {
        let dim = spectral.dim();
        let mut work = vec![Complex { re: zero, im: zero }; self.fft.work_length()];
        let mut power = vec![zero; self.fft.length() / 2 + 1];
        let mut samples = vec![zero; self.framing.length];
        let mut room = vec![zero; spectral.room()];
        let mut values = vec![zero; dim.next_multiple_of(V::WIDTH)];
        for (nth, rows) in out.chunks_mut(V::WIDTH * dim).enumerate() {
            // If too few frames are left, the last one fills the lanes.
            let last = rows.len() / dim - 1;
            let frames: [Cow<'_, [f32]>; MAX_WIDTH] = std::array::from_fn(|lane| match lane < V::WIDTH {
                true => self.framing.frame(wave, nth * V::WIDTH + lane.min(last)),
                false => Cow::default(),
            });
            let transform =
                Transform { analysis: self, frames: &frames, samples: &mut samples, work: &mut work, energy };
            let energy = zero.dispatch(transform);
            let block = Block { fft: &self.fft, energy, work: &work, power: &mut power };
            let spectral = &mut spectral;
            zero.dispatch(SpectralValues { spectral, block, room: &mut room, values: &mut values, rows, dim });
        }
        spectral.check()
    }

    /// Copies frames to where they are transformed: without their means, preemphasized and windowed. Returns their
    /// energies.
    #[inline(always)]
    fn put_frames<V: Simd>(&self, samples: &[V], sum: V, work: &mut [Complex<V>], energy: Energy) -> V {
        let zero = samples[0].splat(0.0);
        let mean = if self.remove_dc_offset { sum / samples.len() as f32 } else { zero };
        let mut shaped = Shaped { mean, preemphasis: self.preemphasis, before: samples[0] - mean, energies: [zero; 2] };
        let (pairs, last) = samples.as_chunks::<2>();
        let (weights, last_weight) = self.framing.window.as_chunks::<2>();
        let (places, padding) = self.fft.places().split_at(pairs.len());
        for ((samples, weights), place) in pairs.iter().zip(weights).zip(places) {
            let re = shaped.next(samples[0], weights[0]);
            let im = shaped.next(samples[1], weights[1]);
            work[*place as usize] = Complex { re, im };
        }
        for place in padding {
            work[*place as usize] = Complex { re: zero, im: zero };
        }
        if let ([samples], [weight], [place, ..]) = (last, last_weight, padding) {
            work[*place as usize].re = shaped.next(*samples, *weight);
        }
        shaped.energies[if energy == Energy::Raw { 0 } else { 1 }]
    }
}

/// Puts the samples of frames side by side, and returns their sums.
#[inline(always)]
fn put_samples<V: Simd>(frames: &[Cow<'_, [f32]>; MAX_WIDTH], samples: &mut [V]) -> V {
    let (length, zero) = (samples.len(), samples[0].splat(0.0));
    let frames: [&[f32]; MAX_WIDTH] = std::array::from_fn(|lane| &frames[lane % V::WIDTH][..length]);
    let mut sum = zero;
    let mut squares = samples.chunks_exact_mut(V::WIDTH);
    let mut at = 0;
    for square in &mut squares {
        zero.read_columns(&frames, at, square);
        for samples in square {
            sum += *samples;
        }
        at += V::WIDTH;
    }
    for (samples, at) in squares.into_remainder().iter_mut().zip(at..length) {
        let mut numbers = [0.0; MAX_WIDTH];
        for (number, frame) in numbers.iter_mut().zip(&frames) {
            *number = frame[at];
        }
        *samples = zero.read(&numbers);
        sum += *samples;
    }
    sum
}

/// The transform of a block of frames. All extractors share it: it takes the longest to compile.
struct Transform<'a, V> {
    analysis: &'a Analysis,
    frames: &'a [Cow<'a, [f32]>; MAX_WIDTH],
    samples: &'a mut [V],
    work: &'a mut [Complex<V>],
    energy: Energy,
}

impl<V: Simd> Kernel for Transform<'_, V> {
    /// The energies of the frames.
    type Output = V;

    #[inline(always)]
    fn compute(self) -> V {
        let Self { analysis, frames, samples, work, energy } = self;
        let sum = put_samples(frames, samples);
        let energy = analysis.put_frames(samples, sum, work, energy);
        analysis.fft.transform(work);
        energy
    }
}

/// What an extractor computes from the transform of a block.
struct SpectralValues<'a, V, S> {
    spectral: &'a mut S,
    block: Block<'a, V>,
    room: &'a mut [V],
    values: &'a mut [V],
    rows: &'a mut [f32],
    dim: usize,
}

impl<V: Simd, S: Spectral> Kernel for SpectralValues<'_, V, S> {
    type Output = ();

    #[inline(always)]
    fn compute(mut self) {
        self.spectral.compute(&mut self.block, self.room, &mut self.values[..self.dim]);
        V::write_columns(self.values, self.rows, self.dim);
    }
}

/// Samples one after the other, without the mean, preemphasized and windowed.
struct Shaped<V> {
    mean: V,
    preemphasis: f32,
    /// The previous sample, without the mean.
    before: V,
    /// The energies of all samples so far, [raw and windowed](Energy).
    energies: [V; 2],
}

impl<V: Simd> Shaped<V> {
    #[inline(always)]
    fn next(&mut self, sample: V, weight: f32) -> V {
        let raw = sample - self.mean;
        let windowed = (raw - self.before * self.preemphasis) * weight;
        self.before = raw;
        self.energies[0] += raw * raw;
        self.energies[1] += windowed * windowed;
        windowed
    }
}

/// As many frames as there are lanes.
pub(crate) struct Block<'a, V> {
    fft: &'a RealFft,
    /// The energies that the caller wants.
    pub(crate) energy: V,
    work: &'a [Complex<V>],
    power: &'a mut [V],
}

impl<V: Simd> Block<'_, V> {
    /// The spectra.
    #[inline(always)]
    pub(crate) fn spectrum(&self) -> (&RealFft, &[Complex<V>]) {
        (self.fft, self.work)
    }

    /// The power spectra, from zero to half the sample rate, computed by this call.
    #[inline(always)]
    pub(crate) fn power(&mut self) -> &mut [V] {
        let last = self.power.len() - 1;
        [self.power[0], self.power[last]] = self.fft.ends(self.work).map(Complex::power);
        for at in 1..=self.fft.middle() {
            let [low, high] = self.fft.pair(self.work, at);
            self.power[at] = low.power();
            self.power[last - at] = high.power();
        }
        self.power
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The energies of frames and the powers of some frequencies.
    struct Powers(Vec<usize>);

    impl Spectral for Powers {
        fn dim(&self) -> usize {
            1 + self.0.len()
        }

        fn compute<V: Simd>(&mut self, block: &mut Block<'_, V>, _room: &mut [V], out: &mut [V]) {
            out[0] = block.energy;
            let power = block.power();
            out[1..].iter_mut().zip(&self.0).for_each(|(out, at)| *out = power[*at]);
        }
    }

    fn plain() -> FrameOptions {
        FrameOptions {
            frame_length: 4.0,
            frame_shift: 2.0,
            preemphasis_coefficient: 0.0,
            remove_dc_offset: false,
            window_type: crate::extract::WindowFunction::Rectangular,
            ..Default::default()
        }
    }

    fn powers(options: &FrameOptions, wave: &[f32], energy: Energy) -> Matrix<f32> {
        let all = (0..=32).collect();
        Analysis::new(options).unwrap().run(wave, energy, Powers(all)).unwrap()
    }

    fn tone(samples: usize) -> Vec<f32> {
        // Sixteen samples a period: line 4 of 64.
        (0..samples).map(|at| 100.0 * (std::f32::consts::TAU * at as f32 / 16.0).sin()).collect()
    }

    #[test]
    fn every_frame_has_its_spectrum_whatever_the_lane() {
        let all = powers(&plain(), &tone(64 + 32 * 20), Energy::Raw);
        assert_eq!(all.size(), (21, 34));
        for row in all.rows() {
            assert!((row[0] - 320_000.0).abs() < 1.0 && (row[1 + 4] - 3200.0_f32.powi(2)).abs() < 100.0, "{row:?}");
            assert!(row[1..5].iter().chain(&row[6..]).all(|power| *power < 1.0), "{row:?}");
        }
    }

    #[test]
    fn the_registers_do_not_matter() {
        let wave: Vec<f32> = (0..1200).map(|at| ((at * at) % 997) as f32).collect();
        for (frame_length, snip_edges, round_to_power_of_two) in
            [(4.0, true, true), (3.7, false, true), (3.0, true, false)]
        {
            let options = FrameOptions {
                frame_length,
                frame_shift: 2.0,
                snip_edges,
                round_to_power_of_two,
                ..Default::default()
            };
            let analysis = Analysis::new(&options).unwrap();
            for num_frames in [1, 7, 8, 9, 15, 16, 17, 33] {
                let wave = &wave[..64 + 32 * (num_frames - 1)];
                let num_frames = analysis.num_frames(wave.len());
                for (num_lines, energy) in
                    [(0, Energy::Raw), (1, Energy::Windowed), (15, Energy::Raw), (20, Energy::Raw)]
                {
                    let powers = || Powers((0..num_lines).collect());
                    let mut plain = vec![0.0; (1 + num_lines) * num_frames];
                    analysis.run_blocks(wave, energy, powers(), Lanes::ZERO, &mut plain).unwrap();
                    let chosen = analysis.run(wave, energy, powers()).unwrap();
                    assert_eq!(chosen.as_slice(), plain, "{num_lines} lines of {num_frames} frames, {options:?}");
                }
            }
        }
    }

    #[test]
    fn an_offset_is_removed_before_anything_else() {
        let wave: Vec<f32> = tone(64).iter().map(|sample| sample + 500.0).collect();
        let with = powers(&plain(), &wave, Energy::Raw);
        assert!((with.row(0)[1] - (500.0_f32 * 64.0).powi(2)).abs() < 1e4);
        let without = powers(&FrameOptions { remove_dc_offset: true, ..plain() }, &wave, Energy::Raw);
        assert!(without.row(0)[1] < 1.0 && (without.row(0)[0] - 320_000.0).abs() < 10.0);
    }

    #[test]
    fn preemphasis_takes_from_each_sample_a_part_of_the_one_before() {
        let options = FrameOptions { preemphasis_coefficient: 0.5, ..plain() };
        let wave: Vec<f32> = (0..64).map(|at| at as f32 + 2.0).collect();
        let [raw, windowed] = [Energy::Raw, Energy::Windowed].map(|energy| powers(&options, &wave, energy).row(0)[0]);
        // The first sample is taken as its own predecessor.
        let expected = |part: fn(f32) -> f32| wave.iter().map(|sample| part(*sample).powi(2)).sum::<f32>();
        assert_eq!(raw, expected(|sample| sample));
        assert_eq!(windowed, expected(|sample| sample - 0.5 * (sample - 1.0).max(2.0)));
    }

    #[test]
    fn frames_are_padded_with_zeros() {
        let options = FrameOptions { frame_length: 3.0, ..plain() };
        let analysis = Analysis::new(&options).unwrap();
        assert_eq!(analysis.padded_length(), 64);
        let all = powers(&options, &[1.0; 48], Energy::Windowed);
        assert_eq!(all.row(0)[..2], [48.0, 48.0 * 48.0]);
        // Parseval.
        let sum: f32 = all.row(0)[2..33].iter().map(|power| 2.0 * power).sum::<f32>() + all.row(0)[1] + all.row(0)[33];
        assert!((sum / 64.0 - 48.0).abs() < 1e-3, "{sum}");
    }

    #[test]
    fn samples_that_are_no_numbers_are_refused() {
        let analysis = Analysis::new(&plain()).unwrap();
        for bad in [f32::NAN, f32::INFINITY] {
            let mut wave = tone(640);
            wave[77] = bad;
            let error = analysis.run(&wave, Energy::Raw, Powers(vec![])).unwrap_err();
            assert_eq!(error.to_string(), format!("expected samples to be finite numbers, got {bad:?} in sample 77"));
        }
    }

    #[test]
    fn a_wave_shorter_than_a_frame_has_none() {
        assert!(powers(&plain(), &tone(63), Energy::Raw).is_empty());
        assert!(powers(&plain(), &[], Energy::Raw).is_empty());
        assert!(powers(&FrameOptions { snip_edges: false, ..plain() }, &[], Energy::Raw).is_empty());
    }

    #[test]
    fn preemphasis_is_a_part() {
        for coefficient in [-0.1, 1.5, f32::NAN] {
            let options = FrameOptions { preemphasis_coefficient: coefficient, ..plain() };
            let message = Analysis::new(&options).unwrap_err().to_string();
            assert_eq!(message, format!("expected `preemphasis_coefficient` to be from 0 to 1, got {coefficient}"));
        }
    }
}
