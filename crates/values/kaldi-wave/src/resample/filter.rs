//! Windowed sinc filters.

use super::error::ResampleError;

/// A low-pass filter: a sinc function under a Hann window.
#[derive(Clone, Copy, Debug)]
pub(super) struct Filter {
    pub(super) cutoff: f32,
    pub(super) num_zeros: u32,
}

impl Filter {
    /// # Errors
    /// If the filter makes no sense for signals of which the lowest rate is `min_rate`.
    pub(super) fn new(cutoff: f32, num_zeros: u32, min_rate: f64) -> Result<Self, ResampleError> {
        // Twice the cutoff is compared in single precision, the precision of the cutoff.
        if !(cutoff > 0.0 && f64::from(cutoff * 2.0) <= min_rate) {
            return Err(ResampleError::Cutoff { limit: min_rate / 2.0, got: cutoff });
        }
        match num_zeros {
            0 => Err(ResampleError::NumZeros),
            _ => Ok(Self { cutoff, num_zeros }),
        }
    }

    /// How far the filter reaches to each side, in seconds.
    pub(super) fn half_width(self) -> f64 {
        f64::from(self.num_zeros) / (2.0 * f64::from(self.cutoff))
    }

    /// The filter at `t` seconds from its middle, rounded to single precision where Kaldi does so.
    pub(super) fn at(self, t: f32) -> f32 {
        use std::f64::consts::{PI, TAU};
        let (cutoff, seconds) = (f64::from(self.cutoff), f64::from(t));
        let window = if seconds.abs() < self.half_width() {
            0.5 * (1.0 + (TAU * cutoff / f64::from(self.num_zeros) * seconds).cos())
        } else {
            0.0
        };
        let sinc = if t != 0.0 { (TAU * cutoff * seconds).sin() / (PI * seconds) } else { 2.0 * cutoff };
        sinc as f32 * window as f32
    }
}

/// The sum of the products of two slices of the same length, in partial sums that compilers vectorize.
pub(super) fn dot(a: &[f32], b: &[f32]) -> f32 {
    let ((a, rest_a), (b, rest_b)) = (a.as_chunks::<8>(), b.as_chunks::<8>());
    let mut sums = [0.0; 8];
    for (a, b) in a.iter().zip(b) {
        for lane in 0..8 {
            sums[lane] += a[lane] * b[lane];
        }
    }
    let rest: f32 = rest_a.iter().zip(rest_b).map(|(a, b)| a * b).sum();
    sum_of_parts(sums) + rest
}

/// The sum of partial sums.
#[inline(always)]
pub(super) fn sum_of_parts<T: std::ops::Add<Output = T>>([a, b, c, d, e, f, g, h]: [T; 8]) -> T {
    ((a + e) + (b + f)) + ((c + g) + (d + h))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_filter_is_even_and_has_its_zeros() {
        let filter = Filter::new(1000.0, 3, 8000.0).unwrap();
        assert_eq!(filter.at(0.0), 2000.0);
        assert_eq!(filter.at(0.0002), filter.at(-0.0002));
        assert!(filter.at(0.0005).abs() < 1e-3 && filter.at(0.001).abs() < 1e-3);
        assert!(filter.at(0.00075) < -100.0);
        assert_eq!(filter.at(0.0016), 0.0);
    }

    #[test]
    fn a_filter_that_makes_no_sense_is_refused() {
        let message = |cutoff, num_zeros| Filter::new(cutoff, num_zeros, 8000.0).unwrap_err().to_string();
        let expected = "expected a cutoff of more than 0 and at most 4000 Hz, half the sample rate, got";
        assert_eq!(message(4000.5, 6), format!("{expected} 4000.5 Hz"));
        assert_eq!(message(0.0, 6), format!("{expected} 0 Hz"));
        assert_eq!(message(f32::NAN, 6), format!("{expected} NaN Hz"));
        assert_eq!(message(4000.0, 0), "expected a filter that reaches to 1 zero or more, got 0");
    }

    #[test]
    fn products_of_all_lengths_are_summed() {
        let numbers: Vec<f32> = (1..=30).map(|number| number as f32).collect();
        for len in 0..=30 {
            let expected: f32 = numbers[..len].iter().map(|number| number * number).sum();
            assert_eq!(dot(&numbers[..len], &numbers[..len]), expected);
        }
    }
}
