//! Window functions.

use std::f64::consts::TAU;
use std::str::FromStr;

use crate::{Error, Result};

/// A window function: the weights of the samples of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
#[non_exhaustive]
pub enum WindowFunction {
    /// Hamming's, which is not zero at the ends.
    Hamming,
    /// Hann's, a raised cosine.
    Hanning,
    /// Kaldi's own: a Hanning window to the power of 0.85, much like a Hamming window, but zero at the ends.
    #[default]
    Povey,
    /// All weights are one.
    Rectangular,
    /// Half a period of a sine.
    Sine,
    /// The generalized Blackman window, which has a constant: 0.42 for Blackman's own.
    Blackman,
}

impl WindowFunction {
    /// Every function by Kaldi's name.
    pub const NAMES: [(&str, Self); 6] = [
        ("hamming", Self::Hamming),
        ("hanning", Self::Hanning),
        ("povey", Self::Povey),
        ("rectangular", Self::Rectangular),
        ("sine", Self::Sine),
        ("blackman", Self::Blackman),
    ];

    /// The weights of a frame of this length, from its first sample to its last. A Blackman window has this constant.
    pub(super) fn weights(self, length: usize, blackman_coeff: f32) -> Vec<f32> {
        let weight: &dyn Fn(f64) -> f64 = match self {
            Self::Hanning => &|angle| 0.5 - 0.5 * angle.cos(),
            Self::Hamming => &|angle| 0.54 - 0.46 * angle.cos(),
            Self::Povey => &|angle| (0.5 - 0.5 * angle.cos()).powf(0.85),
            Self::Rectangular => &|_| 1.0,
            Self::Sine => &|angle| (0.5 * angle).sin(),
            Self::Blackman => {
                let blackman = f64::from(blackman_coeff);
                &move |angle: f64| blackman - 0.5 * angle.cos() + (0.5 - blackman) * (2.0 * angle).cos()
            }
        };
        let step = TAU / (length - 1) as f64;
        (0..length).map(|at| weight(step * at as f64) as f32).collect()
    }
}

impl FromStr for WindowFunction {
    type Err = Error;

    /// Parses Kaldi's name of a window function.
    fn from_str(name: &str) -> Result<Self> {
        let found = Self::NAMES.iter().find(|(known, _)| *known == name);
        found.map(|(_, function)| *function).ok_or_else(|| {
            let expected = "hamming, hanning, povey, rectangular, sine or blackman";
            Error::option("window_type", expected, format_args!("{name:?}"))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(name: &str) -> Vec<f32> {
        name.parse::<WindowFunction>().unwrap().weights(401, 0.42)
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
        let window = WindowFunction::Blackman.weights(401, 0.36);
        assert!((window[100] - 0.22).abs() < 1e-6 && (window[200] - 1.0).abs() < 1e-6);
    }

    #[test]
    fn other_names_are_refused() {
        let message = "gauss".parse::<WindowFunction>().unwrap_err().to_string();
        assert_eq!(
            message,
            "expected `window_type` to be hamming, hanning, povey, rectangular, sine or blackman, got \"gauss\""
        );
    }
}
