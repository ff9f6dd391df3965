//! Window functions.

use std::f64::consts::TAU;

use crate::{Error, Result};

/// The weights of the samples of a frame, from its first sample to its last.
///
/// `povey` is Kaldi's own: a Hanning window to the power of 0.85, much like a Hamming window, but zero at the ends.
pub(super) fn function(name: &str, length: usize, blackman_coeff: f32) -> Result<Vec<f32>> {
    let blackman = f64::from(blackman_coeff);
    let weight: &dyn Fn(f64) -> f64 = match name {
        "hanning" => &|angle| 0.5 - 0.5 * angle.cos(),
        "hamming" => &|angle| 0.54 - 0.46 * angle.cos(),
        "povey" => &|angle| (0.5 - 0.5 * angle.cos()).powf(0.85),
        "rectangular" => &|_| 1.0,
        "sine" => &|angle| (0.5 * angle).sin(),
        "blackman" => &|angle| blackman - 0.5 * angle.cos() + (0.5 - blackman) * (2.0 * angle).cos(),
        _ => {
            let expected = "hamming, hanning, povey, rectangular, sine or blackman";
            return Err(Error::option("window-type", expected, format_args!("{name:?}")));
        }
    };
    let step = TAU / (length - 1) as f64;
    Ok((0..length).map(|at| weight(step * at as f64) as f32).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(name: &str) -> Vec<f32> {
        function(name, 401, 0.42).unwrap()
    }

    #[test]
    fn windows_are_symmetric_with_their_known_values() {
        for (name, end, quarter, middle) in [
            ("hanning", 0.0, 0.5, 1.0),
            ("hamming", 0.08, 0.54, 1.0),
            ("povey", 0.0, 0.554_784_7, 1.0),
            ("rectangular", 1.0, 1.0, 1.0),
            ("sine", 0.0, std::f32::consts::FRAC_1_SQRT_2, 1.0),
            ("blackman", 0.0, 0.34, 1.0),
        ] {
            let window = window(name);
            for (at, expected) in [(0, end), (100, quarter), (200, middle)] {
                assert!((window[at] - expected).abs() < 1e-6, "{name} {at}: {}", window[at]);
                assert!((window[400 - at] - window[at]).abs() < 1e-6, "{name} {at}");
            }
        }
    }

    /// Hanning windows at a distance of half their length add up to 1.
    #[test]
    fn hanning_windows_add_up() {
        let window = window("hanning");
        assert!((0..200).all(|at| (window[at] + window[at + 200] - 1.0).abs() < 1e-6));
    }

    #[test]
    fn blackman_windows_have_a_constant() {
        let window = function("blackman", 401, 0.36).unwrap();
        assert!((window[100] - 0.22).abs() < 1e-6 && (window[200] - 1.0).abs() < 1e-6);
    }

    #[test]
    fn other_names_are_refused() {
        let message = function("gauss", 400, 0.42).unwrap_err().to_string();
        assert_eq!(
            message,
            "expected --window-type to be hamming, hanning, povey, rectangular, sine or blackman, got \"gauss\""
        );
    }
}
