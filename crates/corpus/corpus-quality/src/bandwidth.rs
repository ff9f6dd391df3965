//! The highest frequency that carries sound.

use std::f64::consts::TAU;

use rustfft::algorithm::Radix4;
use rustfft::num_complex::Complex;
use rustfft::{Fft, FftDirection};

/// Seconds of a window, which is then the power of two nearest to it in samples.
const WINDOW: f64 = 0.032;

/// The part of the maximum that a frequency must have.
const PART: f64 = 1e-6;

/// The highest frequency of the mean power spectrum with at least a millionth of its maximum, in Hz. Windows are periodic Hann
/// windows that overlap by half. `None` if the utterance is shorter than a window, or has no power at all.
pub(crate) fn bandwidth(rate: f64, samples: &[f32], mean: f64) -> Option<f64> {
    let length = 1_usize << (WINDOW * rate).log2().round().clamp(1.0, 24.0) as u32;
    if samples.len() < length {
        return None;
    }
    let window: Vec<f32> = (0..length).map(|at| (0.5 - 0.5 * (TAU * at as f64 / length as f64).cos()) as f32).collect();
    let power = mean_power(samples, mean as f32, &window);
    let limit = PART * power.iter().copied().fold(0.0, f64::max);
    let highest = power.iter().rposition(|&power| power >= limit).filter(|_| limit > 0.0)?;
    Some(highest as f64 * rate / length as f64)
}

/// The sum of the power spectra of all windows: `window.len() / 2 + 1` numbers.
///
/// Two windows share a transform: one is its real part, the other one its imaginary part. The sum of their powers at a
/// frequency is half of the powers of the transform at this frequency and at the mirrored one.
fn mean_power(samples: &[f32], mean: f32, window: &[f32]) -> Vec<f64> {
    let (length, shift) = (window.len(), window.len() / 2);
    let transform = Radix4::new(length, FftDirection::Forward);
    let mut scratch = vec![Complex::default(); transform.get_inplace_scratch_len()];
    let mut buffer = vec![Complex::default(); length];
    let mut power = vec![0.0_f64; shift + 1];
    let starts: Vec<usize> = (0..=samples.len() - length).step_by(shift).collect();
    for pair in starts.chunks(2) {
        let part = |start: &usize| &samples[*start..start + length];
        match pair {
            [first, second] => {
                for (at, to) in buffer.iter_mut().enumerate() {
                    *to = Complex::new(part(first)[at] - mean, part(second)[at] - mean) * window[at];
                }
            }
            single => {
                for (at, to) in buffer.iter_mut().enumerate() {
                    *to =
                        Complex::new(single.iter().map(|start| part(start)[at] - mean).sum::<f32>() * window[at], 0.0);
                }
            }
        }
        transform.process_with_scratch(&mut buffer, &mut scratch);
        for (at, power) in power.iter_mut().enumerate() {
            *power += f64::from(buffer[at].norm_sqr() + buffer[(length - at) % length].norm_sqr()) / 2.0;
        }
    }
    power
}
