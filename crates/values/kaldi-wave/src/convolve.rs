//! Convolution by FFT.

use rustfft::algorithm::Radix4;
use rustfft::num_complex::Complex;
use rustfft::{Fft, FftDirection};

/// Convolves a signal with a filter as Kaldi does (`FFTbasedBlockConvolveSignals`). The result has `signal.len() +
/// filter.len() - 1` samples; it is empty if one of the two is.
///
/// The signal is cut into blocks, each of which is transformed together with zeros, and the results are added where
/// they overlap. In a block, Kaldi multiplies the sum of all samples (the spectrum at 0) and their alternating sum (at
/// half the sampling frequency) as if the two were one complex number. That adds a constant and an alternation to the
/// result. Both are faint, since they are spread over a block, and zero if the filter and the blocks have no such sums.
/// This function does the same.
pub fn convolve(filter: &[f32], signal: &[f32]) -> Vec<f32> {
    if filter.is_empty() || signal.is_empty() {
        return Vec::new();
    }
    let size = (4 * filter.len()).next_power_of_two();
    // The transforms are made directly: a planner would bring the code of every algorithm into the program.
    let (forward, inverse) = (Radix4::new(size, FftDirection::Forward), Radix4::new(size, FftDirection::Inverse));
    let mut scratch =
        vec![Complex::default(); forward.get_inplace_scratch_len().max(inverse.get_inplace_scratch_len())];
    let mut response = vec![Complex::default(); size];
    let scale = 1.0 / size as f32;
    response.iter_mut().zip(filter).for_each(|(value, tap)| value.re = tap * scale);
    forward.process_with_scratch(&mut response, &mut scratch);

    let mut out = vec![0.0; signal.len() + filter.len() - 1];
    let block = size + 1 - filter.len();
    let mut values = vec![Complex::default(); size];
    // Two blocks at once: one is the real part, the next the imaginary part.
    for (pair, start) in signal.chunks(2 * block).zip((0..).step_by(2 * block)) {
        let (first, second) = pair.split_at(block.min(pair.len()));
        values.fill(Complex::default());
        values.iter_mut().zip(first).for_each(|(value, sample)| value.re = *sample);
        values.iter_mut().zip(second).for_each(|(value, sample)| value.im = *sample);
        forward.process_with_scratch(&mut values, &mut scratch);
        let (sum, alternating) = (values[0], values[size / 2]);
        values.iter_mut().zip(&response).for_each(|(value, factor)| *value *= factor);
        let (filter_sum, filter_alternating) = (response[0].re, response[size / 2].re);
        values[0] = sum * filter_sum - alternating * filter_alternating;
        values[size / 2] = sum * filter_alternating + alternating * filter_sum;
        inverse.process_with_scratch(&mut values, &mut scratch);
        out[start..].iter_mut().zip(&values).for_each(|(out, value)| *out += value.re);
        if !second.is_empty() {
            out[start + block..].iter_mut().zip(&values).for_each(|(out, value)| *out += value.im);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn noise(length: usize, seed: u32) -> Vec<f32> {
        let mut state = seed;
        let next = |_| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 16) as f32 - 32768.0
        };
        (0..length).map(next).collect()
    }

    /// Noise whose sum and alternating sum are zero.
    fn balanced(length: usize, seed: u32) -> Vec<f32> {
        let mut samples = noise(length, seed);
        for parity in 0..2 {
            let sum: f32 = samples.iter().skip(parity).step_by(2).sum();
            samples[parity] -= sum;
        }
        samples
    }

    /// By the definition, in 64 bits.
    fn slowly(a: &[f32], b: &[f32]) -> Vec<f64> {
        let mut out = vec![0.0; a.len() + b.len() - 1];
        for (i, &x) in a.iter().enumerate() {
            for (j, &y) in b.iter().enumerate() {
                out[i + j] += f64::from(x) * f64::from(y);
            }
        }
        out
    }

    #[track_caller]
    fn agrees(fast: &[f32], slow: &[f64]) {
        assert_eq!(fast.len(), slow.len());
        let size = slow.iter().map(|value| value.abs()).fold(0.0, f64::max);
        let off = |(fast, slow): (&f32, &f64)| (f64::from(*fast) - slow).abs() > 1e-6 * size;
        assert_eq!(fast.iter().zip(slow).position(off), None);
    }

    #[test]
    fn it_is_what_its_definition_says_but_for_sums() {
        for (filter, signal) in [(2, 1), (2, 1000), (33, 33), (33, 1000), (100, 99), (257, 9999), (3000, 40), (64, 65)]
        {
            let (filter, signal) = (balanced(filter, 1), noise(signal, 2));
            agrees(&convolve(&filter, &signal), &slowly(&filter, &signal));
        }
    }

    /// By the definition, plus what the sums add to each block.
    #[test]
    fn sums_are_multiplied_as_if_they_were_one_complex_number() {
        for (filter, signal) in [(1, 1), (1, 50), (5, 3), (5, 100), (40, 1000), (33, 256)] {
            let (filter, signal) = (noise(filter, 1), noise(signal, 2));
            let mut slow = slowly(&filter, &signal);
            let size = (4 * filter.len()).next_power_of_two();
            let block = size + 1 - filter.len();
            let sum = |samples: &[f32]| samples.iter().map(|&sample| f64::from(sample)).sum::<f64>();
            let alternating = |samples: &[f32]| {
                let signs = [1.0, -1.0].into_iter().cycle();
                samples.iter().zip(signs).map(|(&sample, sign)| f64::from(sample) * sign).sum::<f64>()
            };
            let [filter_sum, filter_alternating] = [sum(&filter), alternating(&filter)];
            for (samples, start) in signal.chunks(block).zip((0..).step_by(block)) {
                let [sum, alternating] = [sum(samples), alternating(samples)];
                let constant = -alternating * filter_alternating;
                let alternation = sum * filter_alternating + alternating * (filter_sum - filter_alternating);
                for (at, out) in slow.iter_mut().skip(start).take(size).enumerate() {
                    *out += (constant + if at % 2 == 0 { alternation } else { -alternation }) / size as f64;
                }
            }
            agrees(&convolve(&filter, &signal), &slow);
        }
    }

    #[test]
    fn nothing_convolved_is_nothing() {
        assert_eq!(convolve(&[], &[1.0, 2.0]), []);
        assert_eq!(convolve(&[1.0], &[]), []);
    }
}
