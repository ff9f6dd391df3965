//! Sound that is faster and slower.

use kaldi_wave::RateConverter;

use crate::{Error, Result};

/// Plays sound faster or slower by a factor. Tempo and pitch both change (sox's `speed`).
///
/// `n` samples become `ceil(n / speed)`, where the sped-up rate is rounded to whole Hz.
///
/// # Errors
/// If the factor is not between 0.1 and 10, or the rate is 0.
pub fn change_speed(samples: &[f32], rate_hz: u32, speed: f64) -> Result<Vec<f32>> {
    if !(0.1..=10.0).contains(&speed) {
        return Err(Error::Speed { got: speed });
    }
    let played_hz = (f64::from(rate_hz) * speed).round() as u32;
    if played_hz == rate_hz {
        return Ok(samples.to_vec());
    }
    Ok(RateConverter::usual(played_hz, rate_hz)?.convert(samples))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Noise of 16 bits.
    fn noise(length: usize) -> Vec<f32> {
        let mut draws = kaldi_reader::Draws::seeded(5);
        (0..length).map(|_| (draws.uniform() * 65535.0 - 32768.0) as f32).collect()
    }

    /// The output at time `at / to`, by the definition in double precision.
    fn expected(samples: &[f32], from: u32, to: u32, at: usize) -> f64 {
        let pass = 0.99 * f64::from(from.min(to));
        let sample = |(index, &sample): (usize, &f32)| {
            let time = (index as f64 / f64::from(from) - at as f64 / f64::from(to)) * pass;
            if time.abs() >= 6.0 {
                return 0.0;
            }
            let window = (time * std::f64::consts::PI / 12.0).cos().powi(2);
            let angle = time * std::f64::consts::PI;
            let sinc = if angle == 0.0 { 1.0 } else { angle.sin() / angle };
            f64::from(sample) * window * sinc * pass / f64::from(from)
        };
        samples.iter().enumerate().map(sample).sum()
    }

    #[test]
    fn samples_are_those_of_the_windowed_sinc() {
        let samples = noise(700);
        for (from, to) in [(16_000, 8_000), (8_000, 16_000), (44_100, 16_000), (17_600, 16_000), (14_400, 16_000)] {
            let got = RateConverter::usual(from, to).unwrap().convert(&samples);
            assert_eq!(got.len(), (samples.len() * to as usize).div_ceil(from as usize));
            for (at, &value) in got.iter().enumerate() {
                let difference = (f64::from(value) - expected(&samples, from, to, at)) / 32768.0;
                assert!(difference.abs() < 1e-5, "{from} Hz to {to} Hz, sample {at}: {difference}");
            }
        }
    }

    #[test]
    fn speed_changes_the_length() {
        let samples = noise(16_000);
        assert_eq!(change_speed(&samples, 16_000, 1.0).unwrap(), samples);
        assert_eq!(change_speed(&samples, 16_000, 0.9).unwrap().len(), 17_778);
        assert_eq!(change_speed(&samples, 16_000, 1.1).unwrap().len(), 14_546);
        assert!(change_speed(&[], 16_000, 1.1).unwrap().is_empty());
        for speed in [0.0, -1.0, f64::NAN, 11.0] {
            let error = change_speed(&samples, 16_000, speed).unwrap_err().to_string();
            assert!(error.starts_with("expected a speed from 0.1 to 10, got "), "{error}");
        }
    }
}
