//! Correlations of a window with later ones.

use kaldi_simd::{MAX_WIDTH, Simd};

/// How many registers of sums are computed at a time: as many as there are.
const NUM_SUMS: usize = 5;

/// Measures how similar a window of the signal is to later ones at some lags.
#[derive(Clone, Debug)]
pub(super) struct Correlator {
    window: usize,
    first_lag: usize,
    num_lags: usize,
    /// The samples of the frame minus the mean of its first window, and zeros that fill the last lanes.
    centred: Vec<f32>,
    /// The squares of the samples of a block.
    squares: Vec<f64>,
    /// Sums of squares from each sample to the end of its block, and from the start of its block to each sample; see
    /// `norms`.
    to_end: Vec<f64>,
    from_begin: Vec<f64>,
    /// The inner products of the window with the one at each lag.
    inner: Vec<f32>,
    /// The product of the energies of both.
    norms: Vec<f32>,
}

impl Correlator {
    /// Prepares correlations of windows of `window` samples at lags from `first_lag` to `last_lag` samples.
    pub(super) fn new(window: usize, (first_lag, last_lag): (usize, usize)) -> Self {
        let num_lags = (last_lag + 1).saturating_sub(first_lag);
        let padded = num_lags.next_multiple_of(NUM_SUMS * MAX_WIDTH);
        let length = window + last_lag;
        Self {
            window,
            first_lag,
            num_lags,
            centred: vec![0.0; first_lag + padded + window],
            squares: Vec::with_capacity(window),
            to_end: vec![0.0; length],
            from_begin: vec![0.0; length],
            inner: vec![0.0; padded],
            norms: vec![0.0; num_lags],
        }
    }

    /// Measures a frame: the window, and the samples after it up to the end of the window at the last lag. The
    /// value of `zero` does not matter.
    #[inline(always)]
    pub(super) fn measure<V: Simd>(&mut self, zero: V, frame: &[f32]) {
        let sum = sum(&frame[..self.window], f64::from);
        // The mean of a constant signal is exactly the constant.
        let mean = (sum / self.window as f64) as f32;
        for (centred, sample) in self.centred.iter_mut().zip(frame) {
            *centred = sample - mean;
        }
        self.compute_inner(zero);
        self.compute_norms();
    }

    /// Sums are in single precision, from the first sample of the window to the last.
    #[inline(always)]
    fn compute_inner<V: Simd>(&mut self, zero: V) {
        let window = &self.centred[..self.window];
        let num_in_group = NUM_SUMS * V::WIDTH;
        let groups = self.inner[..self.num_lags.next_multiple_of(num_in_group)].chunks_exact_mut(num_in_group);
        for (group, out) in groups.enumerate() {
            let shifted = self.centred[self.first_lag + group * num_in_group..].windows(num_in_group);
            let mut sums = [zero.splat(0.0); NUM_SUMS];
            for (sample, shifted) in window.iter().zip(shifted) {
                for (sum, shifted) in sums.iter_mut().zip(shifted.chunks_exact(V::WIDTH)) {
                    *sum += zero.read(shifted) * *sample;
                }
            }
            for (out, sum) in out.chunks_exact_mut(V::WIDTH).zip(sums) {
                sum.write(out);
            }
        }
    }

    /// Computes the energy of every window without adding up each one. Nothing is subtracted, since that would leave
    /// only rounding errors if silence follows noise. Instead, blocks as long as a window are summed up from both ends,
    /// and a window is the end of one block and the start of the next.
    #[inline(always)]
    fn compute_norms(&mut self) {
        let square = |sample: f32| f64::from(sample) * f64::from(sample);
        let energy = sum(&self.centred[..self.window], square) as f32;
        let (first, window) = (self.first_lag, self.window);
        let length = self.from_begin.len() - first;
        let samples = &self.centred[first..][..length];
        let blocks = samples.chunks(window).zip(self.to_end[first..].chunks_mut(window));
        for ((samples, to_end), from_begin) in blocks.zip(self.from_begin[first..].chunks_mut(window)) {
            self.squares.clear();
            self.squares.extend(samples.iter().copied().map(square));
            add_up(&self.squares, from_begin);
            self.squares.reverse();
            add_up(&self.squares, to_end);
            to_end.reverse();
        }
        let begins = self.from_begin[first + window - 1..].chunks(window);
        let ends = self.to_end[first..].chunks(window);
        for ((norms, ends), begins) in self.norms.chunks_mut(window).zip(ends).zip(begins) {
            norms[0] = energy * ends[0] as f32;
            for ((norm, end), begin) in norms.iter_mut().zip(ends).zip(begins).skip(1) {
                *norm = energy * (end + begin) as f32;
            }
        }
    }

    /// The mean of the products of energies.
    #[inline(always)]
    pub(super) fn mean_norm(&self) -> f32 {
        (sum(&self.norms, f64::from) / self.norms.len() as f64) as f32
    }

    /// Appends the normalized correlations at all lags. `ballast` is added to the products of energies and makes the
    /// correlations of quiet frames small. They are 0 if there is no energy.
    #[inline(always)]
    pub(super) fn append(&self, ballast: f32, correlations: &mut Vec<f32>) {
        let normalized = self.inner[..self.num_lags].iter().zip(&self.norms).map(|(inner, norm)| {
            let root = (norm + ballast).sqrt();
            if root != 0.0 { inner / root } else { 0.0 }
        });
        correlations.extend(normalized);
    }
}

/// The sum of `of` over the numbers, in double precision: four parallel sums, which are then added.
#[inline(always)]
fn sum(numbers: &[f32], of: impl Fn(f32) -> f64) -> f64 {
    let (chunks, rest) = numbers.as_chunks::<4>();
    let mut sums = [0.0; 4];
    for chunk in chunks {
        for (sum, number) in sums.iter_mut().zip(chunk) {
            *sum += of(*number);
        }
    }
    sums.iter().sum::<f64>() + rest.iter().copied().map(of).sum::<f64>()
}

/// Writes the running sum of the numbers. Four are added at once, so that only every fourth sum waits for the one
/// before.
#[inline(always)]
fn add_up(numbers: &[f64], sums: &mut [f64]) {
    let (chunks, rest) = numbers.as_chunks();
    let (chunk_sums, rest_sums) = sums.as_chunks_mut();
    let mut before = 0.0;
    for ([a, b, c, d], sums) in chunks.iter().zip(chunk_sums) {
        let (ab, cd) = (a + b, c + d);
        *sums = [before + a, before + ab, before + (ab + c), before + (ab + cd)];
        before = sums[3];
    }
    for (number, sum) in rest.iter().zip(rest_sums) {
        before += number;
        *sum = before;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kaldi_simd::Lanes;

    fn measured(window: usize, lags: (usize, usize), frame: &[f32]) -> Correlator {
        let mut correlator = Correlator::new(window, lags);
        correlator.measure(Lanes::ZERO, frame);
        correlator
    }

    fn noise(len: usize) -> Vec<f32> {
        (1..=len as u32).map(|n| (n.wrapping_mul(2_654_435_761) >> 20) as f32 - 2048.0).collect()
    }

    #[test]
    fn correlations_are_normalized_inner_products() {
        // Lags shorter and longer than a window, more and fewer than lanes, and of a window with itself.
        for (window, lags) in [(100, (8, 82)), (10, (3, 47)), (16, (0, 15)), (7, (7, 7)), (1, (0, 3)), (30, (0, 29))] {
            let frame = noise(window + lags.1);
            let correlator = measured(window, lags, &frame);
            let mean = frame[..window].iter().sum::<f32>() / window as f32;
            let centred: Vec<f64> = frame.iter().map(|sample| f64::from(sample - mean)).collect();
            let product = |lag: usize, other: usize| -> f64 {
                centred[lag..][..window].iter().zip(&centred[other..]).map(|(a, b)| a * b).sum()
            };
            let mut got = Vec::new();
            correlator.append(1e10, &mut got);
            assert_eq!(got.len(), lags.1 - lags.0 + 1);
            let mut norms = 0.0;
            for (lag, got) in (lags.0..=lags.1).zip(&got) {
                let norm = product(0, 0) * product(lag, lag);
                let expected = product(0, lag) / (norm + 1e10).sqrt();
                assert!((f64::from(*got) - expected).abs() < 1e-5, "window {window}, lag {lag}: {got} {expected}");
                norms += norm / got_len(&correlator);
            }
            assert!((f64::from(correlator.mean_norm()) / norms - 1.0).abs() < 1e-5 || norms == 0.0);
        }
    }

    fn got_len(correlator: &Correlator) -> f64 {
        correlator.norms.len() as f64
    }

    #[test]
    fn a_periodic_signal_correlates_with_itself() {
        let frame: Vec<f32> = (0..182).map(|n| if n % 40 < 5 { 1000.0 } else { -100.0 }).collect();
        let mut correlations = Vec::new();
        measured(100, (8, 82), &frame).append(0.0, &mut correlations);
        // The mean is that of the first window, which is not a whole number of periods; so the correlation is not quite
        // 1.
        let best = (0..75).max_by(|a, b| correlations[*a].total_cmp(&correlations[*b])).unwrap();
        assert!((best + 8) % 40 == 0 && correlations[best] > 0.99, "{best}: {}", correlations[best]);
    }

    #[test]
    fn a_constant_has_no_correlation() {
        for level in [0.0, 1.0, -32_767.3, 0.1, 1234.567] {
            let mut correlations = Vec::new();
            measured(100, (8, 82), &[level; 182]).append(0.0, &mut correlations);
            assert_eq!(correlations, [0.0; 75], "{level}");
        }
    }

    #[test]
    fn silence_behind_noise_has_no_energy() {
        // The mean of the first window is 0, and all later samples are 0; nothing of the energy before may remain.
        let mut frame = vec![0.0; 182];
        (frame[0], frame[1]) = (30_000.123, -30_000.123);
        let mut correlations = Vec::new();
        measured(100, (8, 82), &frame).append(0.0, &mut correlations);
        assert_eq!(correlations, [0.0; 75]);
    }
}
