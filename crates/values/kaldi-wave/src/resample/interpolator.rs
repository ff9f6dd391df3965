//! Samples at chosen times.

use super::error::ResampleError;
use super::filter::{Filter, dot};

/// Gives the values that signals of some length have at chosen times (Kaldi's `ArbitraryResample`).
///
/// ```
/// use kaldi_wave::Interpolator;
///
/// // Ten samples at 10 Hz, looked at after half a second and a little later.
/// let interpolator = Interpolator::new(10, 10.0, 5.0, &[0.5, 0.55], 4)?;
/// let values = interpolator.interpolate(&[0.0, 0.0, 0.0, 0.0, 0.0, 8.0, 0.0, 0.0, 0.0, 0.0]);
/// assert!((values[0] - 8.0).abs() < 1e-4 && values[1] < 6.0);
/// # Ok::<(), kaldi_wave::ResampleError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Interpolator {
    num_samples: usize,
    /// For each time, the first sample that has a weight, and the weights.
    points: Vec<(usize, Vec<f32>)>,
}

impl Interpolator {
    /// Prepares the interpolation of signals of `num_samples` samples at `rate_hz` at these times in seconds, with a filter
    /// of this cutoff in Hz that reaches to its `num_zeros`-th zero on both sides.
    ///
    /// The signals count as zero outside of their range, and a time may be there.
    ///
    /// # Errors
    /// If there are no samples, the rate is not positive, the cutoff not above 0 or above half the rate, or `num_zeros` is 0.
    pub fn new(
        num_samples: usize,
        rate_hz: f32,
        cutoff_hz: f32,
        times: &[f32],
        num_zeros: u32,
    ) -> Result<Self, ResampleError> {
        if !(rate_hz > 0.0 && rate_hz.is_finite()) {
            return Err(ResampleError::Rate { got: rate_hz.into() });
        }
        if num_samples == 0 {
            return Err(ResampleError::NoSamples);
        }
        let filter = Filter::new(cutoff_hz, num_zeros, rate_hz.into())?;
        let width = filter.half_width() as f32;
        let points = times.iter().map(|&time| {
            let first = (rate_hz * (time - width)).ceil().max(0.0) as usize;
            let last = (rate_hz * (time + width)).floor().min((num_samples - 1) as f32);
            // One after the last, or none if the window is outside of the signal.
            let end = if last < 0.0 { 0 } else { (last as usize + 1).min(num_samples) };
            let weight = |at: usize| filter.at(time - at as f32 / rate_hz) / rate_hz;
            (first.min(end), (first..end).map(weight).collect())
        });
        Ok(Self { num_samples, points: points.collect() })
    }

    /// The length of the signals.
    pub fn num_samples(&self) -> usize {
        self.num_samples
    }

    /// For each time the first sample that has a weight in its value, and the weights.
    pub fn points(&self) -> impl ExactSizeIterator<Item = (usize, &[f32])> {
        self.points.iter().map(|(first, weights)| (*first, weights.as_slice()))
    }

    /// The value of a signal at the time with this index.
    ///
    /// # Panics
    /// If the signal does not have its number of samples, or there is no such time.
    pub fn value(&self, signal: &[f32], index: usize) -> f32 {
        assert_eq!(signal.len(), self.num_samples, "samples of the signal");
        let (first, weights) = &self.points[index];
        dot(&signal[*first..][..weights.len()], weights)
    }

    /// The values of a signal at all times.
    ///
    /// # Panics
    /// If the signal does not have its number of samples.
    pub fn interpolate(&self, signal: &[f32]) -> Vec<f32> {
        (0..self.points.len()).map(|index| self.value(signal, index)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tone_is_found_between_its_samples() {
        let tone = |time: f32| (std::f32::consts::TAU * 300.0 * time).sin();
        let signal: Vec<f32> = (0..400).map(|n| tone(n as f32 / 4_000.0)).collect();
        let times: Vec<f32> = (0..50).map(|n| 0.02 * 1.02_f32.powi(n)).collect();
        let interpolator = Interpolator::new(400, 4_000.0, 2_000.0, &times, 10).unwrap();
        for (time, value) in times.iter().zip(interpolator.interpolate(&signal)) {
            assert!((value - tone(*time)).abs() < 0.01, "{time}: {value}");
        }
    }

    #[test]
    fn samples_outside_count_as_zero() {
        let interpolator = Interpolator::new(4, 100.0, 50.0, &[-1.0, 0.0, 0.035, 0.04, 1.0], 3).unwrap();
        let values = interpolator.interpolate(&[1.0; 4]);
        assert_eq!([values[0], values[4]], [0.0, 0.0]);
        assert!((values[1] - 1.0).abs() < 1e-5 && values[3].abs() < 1e-5, "{values:?}");
        assert!((values[2] - 0.5).abs() < 0.15, "{values:?}");
    }

    #[test]
    fn weights_begin_at_the_first_sample_within_the_window() {
        let interpolator = Interpolator::new(100, 10.0, 5.0, &[5.05], 2).unwrap();
        let (first, weights) = interpolator.points().next().unwrap();
        assert_eq!((first, weights.len()), (49, 4));
        assert!((weights[1] - weights[2]).abs() < 1e-4);
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let error =
            |num_samples, rate, cutoff, zeros| Interpolator::new(num_samples, rate, cutoff, &[0.0], zeros).unwrap_err();
        assert_eq!(error(0, 10.0, 5.0, 2), ResampleError::NoSamples);
        assert_eq!(error(1, 0.0, 5.0, 2), ResampleError::Rate { got: 0.0 });
        assert_eq!(error(1, 10.0, 6.0, 2), ResampleError::Cutoff { limit: 5.0, got: 6.0 });
        assert_eq!(error(1, 10.0, 5.0, 0), ResampleError::NumZeros);
    }
}
