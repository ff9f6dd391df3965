//! Scales that all pictures share, and round numbers on axes.

/// A spectrogram shows so many dB below its upper limit.
pub(crate) const RANGE: f64 = 80.0;

/// The size of the largest sample that 16 bits can hold.
pub(crate) const FULL_SCALE: f32 = 32768.0;

/// The power of the loudest sine that 16 bits can hold, at its frequency, in spectra of a Hann window of so many samples without
/// other processing: what levels in dB refer to.
pub(crate) fn full_scale_power(length: f32) -> f32 {
    // The sum of a Hann window is half its length, and a sine has half of its amplitude at its frequency.
    (FULL_SCALE * (length - 1.0) / 4.0).powi(2)
}

/// The smallest of 1, 2, 5, 10, ... (or of 0.5, 0.2, ...) with which `span` has at most `most` steps. Of whole numbers it is 1 at least.
pub(crate) fn round_step(span: f64, most: usize, is_whole: bool) -> f64 {
    let least = (span / most.max(1) as f64).max(f64::MIN_POSITIVE);
    let power = 10_f64.powi(least.log10().floor() as i32);
    let step = [1.0, 2.0, 5.0].map(|times| times * power).into_iter().find(|step| *step >= 0.999 * least);
    let step = step.unwrap_or(10.0 * power);
    if is_whole { step.max(1.0) } else { step }
}

/// The round numbers from `low` to `high`, both included, at most `most` steps apart.
pub(crate) fn round_numbers(low: f64, high: f64, most: usize, is_whole: bool) -> Vec<f64> {
    let step = round_step(high - low, most, is_whole);
    let (first, last) = ((low / step - 1e-6).ceil(), (high / step + 1e-6).floor());
    (0..=(last - first).max(-1.0) as i64).map(|at| (first + at as f64) * step).filter(|_| last >= first).collect()
}

/// Digits after the point that numbers with this step need.
pub(crate) fn decimals_of_step(step: f64) -> usize {
    (-(step.log10() + 1e-9).floor()).clamp(0.0, 6.0) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_1_2_5_times_a_power_of_ten() {
        assert_eq!([7.0, 11.0, 21.0, 51.0, 0.3].map(|span| round_step(span, 10, false)), [1.0, 2.0, 5.0, 10.0, 0.05]);
        assert_eq!(round_step(0.0, 10, true), 1.0);
        assert_eq!(round_step(10.0, 10, false), 1.0);
        assert_eq!([1.0, 0.5, 0.02, 20.0].map(decimals_of_step), [0, 1, 2, 0]);
    }

    #[test]
    fn round_numbers_are_within_their_range() {
        assert_eq!(round_numbers(0.0, 1.0, 5, false).len(), 6);
        assert_eq!(round_numbers(-13.0, 31.0, 5, false), [-10.0, 0.0, 10.0, 20.0, 30.0]);
        assert_eq!(round_numbers(0.5, 3.5, 10, true), [1.0, 2.0, 3.0]);
        assert_eq!(round_numbers(0.2, 0.4, 3, true), [0.0; 0]);
    }
}
