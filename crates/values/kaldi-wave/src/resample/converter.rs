//! From one whole number of Hz to another.

use std::ops::Range;
use std::sync::Arc;

use kaldi_simd::{MAX_WIDTH, dispatch};

use super::error::ResampleError;
use super::filter::{Filter, dot};
use super::kept::KeptConverters;
use super::side_by_side::{Blocks, MIN_BLOCKS};

/// The largest number of weights that a converter keeps: 64 MB of them.
const MAX_WEIGHTS: u64 = 1 << 24;

/// Those of [`RateConverter::usual`], for all threads.
static KEPT: KeptConverters = KeptConverters::new();

/// Converts signals from one sample rate to another (Kaldi's `LinearResample`).
///
/// A signal may come in pieces; the output is the same to the last bit. Before its start and after its end the signal
/// counts as zero.
///
/// ```
/// let mut converter = kaldi_wave::RateConverter::new(16_000, 8_000, 3_960.0, 6)?;
/// let mut out = converter.accept(&[100.0; 100]);
/// out.extend(converter.accept(&[100.0; 60]));
/// out.extend(converter.finish());
/// assert_eq!(out.len(), 80);
/// assert!((out[40] - 100.0).abs() < 1.0);
/// # Ok::<(), kaldi_wave::ResampleError>(())
/// ```
#[derive(Clone, Debug)]
pub struct RateConverter {
    /// Shared by copies.
    weights: Arc<Weights>,
    /// Input that is still needed.
    recent: Vec<f32>,
    /// Samples of input that came before `recent`.
    num_dropped: i64,
    /// Samples of output delivered of this signal.
    num_out: i64,
}

impl RateConverter {
    /// Prepares the conversion from `from_hz` to `to_hz`. The filter has this cutoff in Hz and reaches to its
    /// `num_zeros`-th zero on both sides; 4 to 10 zeros are usual.
    ///
    /// # Errors
    /// If a rate is 0, the cutoff not above 0 or above half of a rate, or `num_zeros` is 0; or if the ratio of the
    /// rates is so odd that the weights would fill the memory.
    pub fn new(from_hz: u32, to_hz: u32, cutoff_hz: f32, num_zeros: u32) -> Result<Self, ResampleError> {
        let weights = Arc::new(Weights::new(from_hz, to_hz, cutoff_hz, num_zeros)?);
        Ok(Self { weights, recent: Vec::new(), num_dropped: 0, num_out: 0 })
    }

    /// Prepares the conversion from `from_hz` to `to_hz` with the usual filter: it reaches to its sixth zero, and has a cutoff
    /// at 0.99 of half the lower rate. It is that of Kaldi's feature programs (`ResampleWaveform`) and of torchaudio's
    /// `Resample`. `n` samples become `ceil(n * to_hz / from_hz)`.
    ///
    /// Weights are kept for the next converters of the same rates: at most 32 MB of them, those used last.
    ///
    /// # Errors
    /// If a rate is 0, or if the ratio of the rates is so odd that the weights would fill the memory.
    pub fn usual(from_hz: u32, to_hz: u32) -> Result<Self, ResampleError> {
        let cutoff = 0.99 * 0.5 * f64::from(from_hz.min(to_hz));
        KEPT.get((from_hz, to_hz), || Self::new(from_hz, to_hz, cutoff as f32, 6))
    }

    /// The memory that its weights take.
    pub(super) fn num_bytes(&self) -> usize {
        let Weights { begins, taps, block_begins, .. } = &*self.weights;
        size_of_val(&**taps) + size_of_val(&**begins) + size_of_val(&**block_begins)
    }

    /// Takes the next piece of a signal, which may be empty, and returns the output that can be computed: all but the
    /// samples for which the filter needs more input.
    pub fn accept(&mut self, samples: &[f32]) -> Vec<f32> {
        self.recent.extend_from_slice(samples);
        let out = self.weights.convert(&self.recent, self.num_dropped, self.num_out..self.end(false));
        self.num_out += out.len() as i64;
        let needed_from = self.weights.begin_of(self.num_out) - self.num_dropped;
        let drop = needed_from.clamp(0, self.recent.len() as i64);
        self.recent.drain(..drop as usize);
        self.num_dropped += drop;
        out
    }

    /// Ends a signal, and returns the rest of the output; the next piece will be the first one of another signal.
    pub fn finish(&mut self) -> Vec<f32> {
        let out = self.weights.convert(&self.recent, self.num_dropped, self.num_out..self.end(true));
        self.reset();
        out
    }

    /// Drops a signal that has started.
    pub fn reset(&mut self) {
        self.recent.clear();
        (self.num_dropped, self.num_out) = (0, 0);
    }

    /// Converts a whole signal; a signal that has started is not affected.
    ///
    /// The output has the samples whose times are before the end of the input.
    pub fn convert(&self, samples: &[f32]) -> Vec<f32> {
        self.weights.convert(samples, 0, 0..self.weights.num_out_of(samples.len() as i64, true))
    }

    /// The end of the output that can be computed now.
    fn end(&self, has_ended: bool) -> i64 {
        let num_in = self.num_dropped + self.recent.len() as i64;
        self.weights.num_out_of(num_in, has_ended).max(self.num_out)
    }
}

/// The weights that samples of input have in samples of output.
///
/// They repeat after a unit: the shortest time that is a whole number of periods of both.
#[derive(Clone, Debug)]
struct Weights {
    filter: Filter,
    /// Input samples of a unit.
    num_in: i64,
    /// Output samples of a unit.
    num_out: i64,
    /// The frequency of which both rates are divisors, in Hz.
    tick_rate: f64,
    /// For each output sample of the first unit, the input sample at which its weights start, which may be negative.
    begins: Vec<i64>,
    /// The weights of each of them, `num_taps` with zeros at the end.
    taps: Vec<f32>,
    num_taps: usize,
    /// Units of one of [`Blocks`]: so many that blocks have little of their input in common.
    block_units: i64,
    /// For each output sample of a block the start of its weights, counted from the block's first input sample.
    block_begins: Vec<usize>,
}

impl Weights {
    fn new(from_hz: u32, to_hz: u32, cutoff_hz: f32, num_zeros: u32) -> Result<Self, ResampleError> {
        let min_hz = from_hz.min(to_hz);
        if min_hz == 0 {
            return Err(ResampleError::Rate { got: 0.0 });
        }
        let filter = Filter::new(cutoff_hz, num_zeros, min_hz.into())?;
        let divisor = greatest_common_divisor(from_hz, to_hz);
        let (num_in, num_out) = (from_hz / divisor, to_hz / divisor);

        let (from, to) = (f64::from(from_hz), f64::from(to_hz));
        let half_width = filter.half_width();
        let num_weights = (2.0 * half_width * from + 1.0) * f64::from(num_out);
        if num_weights > MAX_WEIGHTS as f64 {
            return Err(ResampleError::NumWeights { limit: MAX_WEIGHTS, got: num_weights as u64 });
        }
        // Those within the window, which is closed at its ends.
        let spans = (0..num_out).map(|out| {
            let time = f64::from(out) / to;
            (time, ((time - half_width) * from).ceil() as i64, ((time + half_width) * from).floor() as i64)
        });
        let spans: Vec<_> = spans.collect();
        let num_taps = spans.iter().map(|(_, first, last)| (last - first + 1) as usize).max().unwrap_or(0);
        let mut taps = Vec::with_capacity(num_taps * spans.len());
        for (time, first, last) in &spans {
            let begin = taps.len();
            let weight = |at: i64| filter.at((at as f64 / from - time) as f32) / from_hz as f32;
            taps.extend((*first..=*last).map(weight));
            taps.resize(begin + num_taps, 0.0);
        }
        let begins: Vec<i64> = spans.into_iter().map(|(_, first, _)| first).collect();
        let tick_rate = from * f64::from(num_out);
        let (num_in, num_out) = (i64::from(num_in), i64::from(num_out));
        let block_units = (4 * num_taps as i64 + num_in - 1) / num_in;
        let begin_in_block = |out: i64| out / num_out * num_in + begins[(out % num_out) as usize] - begins[0];
        let block_begins = (0..block_units * num_out).map(|out| begin_in_block(out) as usize).collect();
        Ok(Self { filter, num_in, num_out, tick_rate, begins, taps, num_taps, block_units, block_begins })
    }

    /// How many output samples can be computed from so many input samples, with or without those for which the filter
    /// needs more input.
    fn num_out_of(&self, num_samples: i64, has_ended: bool) -> i64 {
        // In ticks, of which `num_out` are a period of the input and `num_in` one of the output.
        let mut ticks = i128::from(num_samples) * i128::from(self.num_out);
        if !has_ended {
            // In single precision as in Kaldi, since this decides what each piece yields.
            ticks -= (self.filter.half_width() as f32 * self.tick_rate as f32).floor() as i128;
        }
        // Those at 0, 1 ... periods that are before the end.
        let period = i128::from(self.num_in);
        ((ticks.max(0) + period - 1) / period) as i64
    }

    /// The input sample at which the weights of an output sample start.
    fn begin_of(&self, out: i64) -> i64 {
        self.begins[(out % self.num_out) as usize] + out / self.num_out * self.num_in
    }

    /// Computes a range of the output, from `samples` that start at the input sample `offset`.
    fn convert(&self, samples: &[f32], offset: i64, range: Range<i64>) -> Vec<f32> {
        let mut out = vec![0.0; (range.end - range.start) as usize];
        let blocks = self.find_blocks(samples.len(), offset, &range);
        let (first, rest) = out.split_at_mut((blocks.start - range.start) as usize);
        let (blocks_out, last) = rest.split_at_mut((blocks.end - blocks.start) as usize);
        self.convert_one_by_one(samples, offset, range.start, first);
        self.convert_blocks(samples, offset, blocks.start, blocks_out);
        self.convert_one_by_one(samples, offset, blocks.end, last);
        out
    }

    /// Computes the output samples from `start` on.
    fn convert_one_by_one(&self, samples: &[f32], offset: i64, start: i64, out: &mut [f32]) {
        let (mut phase, mut base) = (start % self.num_out, start / self.num_out * self.num_in - offset);
        for out in out {
            let taps = &self.taps[phase as usize * self.num_taps..][..self.num_taps];
            let begin = base + self.begins[phase as usize];
            let inside = usize::try_from(begin).ok().and_then(|begin| samples.get(begin..begin + self.num_taps));
            *out = match inside {
                Some(samples) => dot(samples, taps),
                None => dot(&padded(samples, begin, self.num_taps), taps),
            };
            phase += 1;
            if phase == self.num_out {
                (phase, base) = (0, base + self.num_in);
            }
        }
    }

    /// The part of a range of the output that can be computed in [`Blocks`]: all their input is there.
    fn find_blocks(&self, num_samples: usize, offset: i64, range: &Range<i64>) -> Range<i64> {
        // The first unit in the range whose input does not start before the samples.
        let by_output = (range.start + self.num_out - 1) / self.num_out;
        let by_input = ((offset - self.begins[0]).max(0) + self.num_in - 1) / self.num_in;
        let unit = by_output.max(by_input);
        let start = unit * self.num_out;
        let (block_in, block_out) = (self.block_units * self.num_in, self.block_units * self.num_out);
        let spare = num_samples as i64 - (self.begin_of(start) - offset) - self.block_reach() as i64;
        let blocks_by_input = if spare < 0 { 0 } else { spare / block_in + 1 };
        let blocks_by_output = (range.end - start).max(0) / block_out;
        let num_blocks = blocks_by_input.min(blocks_by_output);
        if num_blocks < MIN_BLOCKS as i64 {
            return range.start..range.start;
        }
        start..start + num_blocks * block_out
    }

    /// Input samples of one of [`Blocks`], rounded up.
    fn block_reach(&self) -> usize {
        (self.block_begins[self.block_begins.len() - 1] + self.num_taps).next_multiple_of(MAX_WIDTH)
    }

    /// Computes whole blocks of output samples from `start` on.
    fn convert_blocks(&self, samples: &[f32], offset: i64, start: i64, out: &mut [f32]) {
        if !out.is_empty() {
            dispatch(Blocks {
                begins: &self.block_begins,
                taps: &self.taps,
                num_taps: self.num_taps,
                step: (self.block_units * self.num_in) as usize,
                reach: self.block_reach(),
                samples: &samples[(self.begin_of(start) - offset) as usize..],
                out,
            });
        }
    }
}

/// Samples from `begin` on, with zeros before and after the signal.
fn padded(samples: &[f32], begin: i64, len: usize) -> Vec<f32> {
    let sample = |at: i64| usize::try_from(at).ok().and_then(|at| samples.get(at)).copied();
    (begin..).take(len).map(|at| sample(at).unwrap_or(0.0)).collect()
}

/// Converts a whole signal from one rate to another, as Kaldi's feature programs do it for `--allow-downsample` and
/// `--allow-upsample`: with [`RateConverter::usual`].
///
/// If the rates are the same, the filter is applied, too.
///
/// # Errors
/// As [`RateConverter::usual`].
pub fn resample(samples: &[f32], from_hz: u32, to_hz: u32) -> Result<Vec<f32>, ResampleError> {
    Ok(RateConverter::usual(from_hz, to_hz)?.convert(samples))
}

fn greatest_common_divisor(mut a: u32, mut b: u32) -> u32 {
    while b > 0 {
        (a, b) = (b, a % b);
    }
    a
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sine(hz: f64, rate: u32, num_samples: usize) -> Vec<f32> {
        let sample = |n| (1000.0 * (std::f64::consts::TAU * hz * n as f64 / f64::from(rate)).sin()) as f32;
        (0..num_samples).map(sample).collect()
    }

    /// The largest difference, or size, apart from the ends.
    fn peak(samples: impl Iterator<Item = f32>, num_samples: usize) -> f32 {
        samples.take(num_samples - 50).skip(50).map(f32::abs).fold(0.0, f32::max)
    }

    const RATES: [(u32, u32); 6] =
        [(16_000, 8_000), (8_000, 16_000), (16_000, 4_000), (44_100, 16_000), (8_000, 11_025), (16_000, 16_000)];

    #[test]
    fn a_constant_keeps_its_level() {
        for (from, to) in RATES {
            let out = resample(&vec![1000.0; from as usize / 5], from, to).unwrap();
            assert_eq!(out.len(), to as usize / 5);
            assert!(peak(out.iter().map(|sample| sample - 1000.0), out.len()) < 5.0, "{from} to {to}");
        }
    }

    #[test]
    fn a_tone_below_the_cutoff_is_kept() {
        for (from, to) in RATES {
            let out = resample(&sine(440.0, from, from as usize / 5), from, to).unwrap();
            let expected = sine(440.0, to, out.len());
            let differences = out.iter().zip(&expected).map(|(got, expected)| got - expected);
            assert!(peak(differences, out.len()) < 10.0, "{from} to {to}");
        }
    }

    #[test]
    fn a_tone_above_the_cutoff_is_gone() {
        for (from, to, hz) in [(16_000, 8_000, 5_500.0), (44_100, 16_000, 11_000.0), (16_000, 4_000, 3_500.0)] {
            let out = resample(&sine(hz, from, from as usize / 5), from, to).unwrap();
            assert!(peak(out.iter().copied(), out.len()) < 10.0, "{hz} Hz from {from} to {to}");
        }
        // No images of a tone above half the lower rate come up either.
        let up = resample(&sine(1_000.0, 8_000, 1_600), 8_000, 16_000).unwrap();
        let image: f32 = up.iter().zip(sine(7_000.0, 16_000, up.len())).map(|(a, b)| a * b).sum();
        assert!(image.abs() / (up.len() as f32) < 1_000.0, "{image}");
    }

    #[test]
    fn a_signal_in_pieces_gives_the_same_as_in_one() {
        let signal: Vec<f32> = (0..3000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 16) as f32 - 32_768.0).collect();
        for (from, to) in RATES {
            let cutoff = 0.45 * from.min(to) as f32;
            let mut converter = RateConverter::new(from, to, cutoff, 6).unwrap();
            let whole = converter.convert(&signal);
            for size in [1, 7, 160, 2999] {
                let mut pieces: Vec<f32> = signal.chunks(size).flat_map(|piece| converter.accept(piece)).collect();
                assert!(pieces.len() < whole.len(), "the end needs more samples");
                assert!(converter.accept(&[]).is_empty());
                pieces.extend(converter.finish());
                assert_eq!(pieces, whole, "{from} to {to} in pieces of {size}");
            }
        }
    }

    #[test]
    fn blocks_give_the_same_as_one_by_one() {
        let signal: Vec<f32> = (0..9000_u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 16) as f32 - 32_768.0).collect();
        let rates = RATES.into_iter().chain([(14_400, 16_000), (17_600, 16_000), (48_000, 8_000), (44_100, 22_050)]);
        for (from, to) in rates {
            let weights = Weights::new(from, to, 0.49 * from.min(to) as f32, 6).unwrap();
            for (offset, length, skipped) in
                [(0, 9000, 0), (0, 8999, 1), (0, 8990, 700), (1234, 7001, 900), (0, 100, 0)]
            {
                let range = skipped..weights.num_out_of(offset + length as i64, true);
                let range = range.start.max(weights.num_out_of(offset, true))..range.end;
                let got = weights.convert(&signal[..length], offset, range.clone());
                let mut expected = vec![f32::NAN; got.len()];
                weights.convert_one_by_one(&signal[..length], offset, range.start, &mut expected);
                let bits = |samples: &[f32]| samples.iter().map(|sample| sample.to_bits()).collect::<Vec<_>>();
                assert_eq!(bits(&got), bits(&expected), "{from} to {to}, {length} samples");
                let blocks = weights.find_blocks(length, offset, &range);
                assert!(length == 100 || !blocks.is_empty(), "{from} to {to}");
            }
        }
    }

    #[test]
    fn the_output_has_the_samples_before_the_end() {
        let count = |from, to, samples: usize| resample(&vec![1.0; samples], from, to).unwrap().len();
        assert_eq!([0, 1, 2, 3].map(|samples| count(16_000, 8_000, samples)), [0, 1, 1, 2]);
        assert_eq!([0, 1, 2, 3].map(|samples| count(8_000, 16_000, samples)), [0, 2, 4, 6]);
        // 16000 / 44100 of 1, 3 and 441 periods.
        assert_eq!([1, 3, 441].map(|samples| count(44_100, 16_000, samples)), [1, 2, 160]);
    }

    #[test]
    fn a_piece_gives_what_the_filter_has_input_for() {
        // The filter reaches over 8 samples; the output sample 0 needs the input samples 0 to 7, the last one has no weight.
        let mut converter = RateConverter::new(16_000, 4_000, 1_000.0, 1).unwrap();
        assert_eq!(converter.accept(&[1.0; 8]).len(), 0);
        assert_eq!(converter.accept(&[1.0]).len(), 1);
        assert_eq!(converter.accept(&[1.0; 4]).len(), 1);
        converter.reset();
        assert_eq!(converter.finish(), []);
        assert_eq!(converter.accept(&[1.0; 8]).len(), 0);
    }

    /// What Kaldi's `ResampleWaveform` gives: a unit impulse shows the weights.
    #[test]
    fn weights_are_those_of_the_windowed_sinc() {
        let out = resample(&[0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0], 8_000, 8_000).unwrap();
        let cutoff = 0.99 * 4_000.0;
        let expected = (0..8).map(|n| {
            let t = f64::from(n - 3) / 8_000.0;
            let window = 0.5 + 0.5 * (std::f64::consts::TAU * cutoff / 6.0 * t).cos();
            let x = std::f64::consts::PI * 2.0 * cutoff * t;
            2.0 * cutoff * window * if n == 3 { 1.0 } else { x.sin() / x } / 8_000.0
        });
        for (got, expected) in out.iter().zip(expected) {
            assert!((f64::from(*got) - expected).abs() < 1e-6, "{got} {expected}");
        }
    }

    #[test]
    fn rates_that_make_no_sense_are_refused() {
        let message = |from, to| resample(&[1.0], from, to).unwrap_err().to_string();
        assert_eq!(message(0, 8_000), "expected a positive sample rate, got 0 Hz");
        assert_eq!(message(8_000, 0), "expected a positive sample rate, got 0 Hz");
        assert!(message(u32::MAX, 16_000).contains("at most 16777216 weights, got "));
        assert!(RateConverter::new(16_000, 8_000, 4_000.5, 6).is_err());
        assert!(RateConverter::new(16_000, 8_000, 1_000.0, u32::MAX).is_err());
        assert!(RateConverter::new(16_000, 8_000, 1_000.0, 0).is_err());
    }
}
