//! Round numbers along an axis.

/// Round numbers within a range, all the same distance apart.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Ticks {
    pub(crate) values: Vec<f64>,
    /// Digits behind the point, or nothing where numbers are written with an exponent.
    decimals: Option<usize>,
}

impl Ticks {
    /// As many ticks from `low` to `high` as there are, no more than `fit` says have room: it gets the number of ticks and
    /// the length of the longest label. Steps are 1, 2 or 5 times a power of ten, and `least_step` at least.
    pub(crate) fn new(low: f64, high: f64, least_step: f64, fit: impl Fn(usize, usize) -> bool) -> Self {
        let span = high - low;
        if !(span.is_finite() && span > 0.0) {
            return Self { values: Vec::new(), decimals: Some(0) };
        }
        // From a hundredth of the span on; far more steps than are tried before ticks are two.
        let mut exponent = (span / 100.0).log10().floor() as i32;
        loop {
            for factor in [1.0, 2.0, 5.0] {
                let step = factor * 10_f64.powi(exponent);
                if step >= least_step * (1.0 - 1e-9) {
                    let ticks = Self::with_step(low, high, step, exponent);
                    let longest = ticks.labels().map(|label| label.len()).max().unwrap_or(0);
                    if fit(ticks.values.len(), longest) || ticks.values.len() <= 1 {
                        return ticks;
                    }
                }
            }
            exponent += 1;
        }
    }

    fn with_step(low: f64, high: f64, step: f64, exponent: i32) -> Self {
        // A tick at an end that is round but for the last bits counts.
        let slack = 1e-9;
        let (first, last) = ((low / step - slack).ceil(), (high / step + slack).floor());
        let count = if last >= first { (last - first) as usize + 1 } else { 0 };
        let values: Vec<f64> = (0..count).map(|at| (first + at as f64) * step).collect();
        let largest = low.abs().max(high.abs());
        let decimals = ((-4..=6).contains(&exponent) && largest < 1e7).then(|| (-exponent).max(0) as usize);
        Self { values, decimals }
    }

    /// The numbers as text.
    pub(crate) fn labels(&self) -> impl Iterator<Item = String> {
        self.values.iter().map(|&value| match self.decimals {
            // Without the sign of a zero.
            Some(decimals) => format!("{:.decimals$}", value + 0.0),
            None if value == 0.0 => "0".to_owned(),
            None => exponential(value),
        })
    }
}

/// The number with as few digits as tell it, such as `2.5e-7`.
fn exponential(value: f64) -> String {
    let text = format!("{value:.6e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    format!("{}e{exponent}", mantissa.trim_end_matches('0').trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(low: f64, high: f64, most: usize) -> Vec<String> {
        Ticks::new(low, high, 0.0, |count, _| count <= most).labels().collect()
    }

    #[test]
    fn steps_are_round() {
        assert_eq!(labels(0.0, 2.3, 6), ["0.0", "0.5", "1.0", "1.5", "2.0"]);
        assert_eq!(labels(0.0, 2.3, 4), ["0", "1", "2"]);
        assert_eq!(labels(-17.2, 31.0, 4), ["0", "20"]);
        assert_eq!(labels(-17.2, 31.0, 5), ["-10", "0", "10", "20", "30"]);
        assert_eq!(labels(0.1, 0.7, 7), ["0.1", "0.2", "0.3", "0.4", "0.5", "0.6", "0.7"]);
        assert_eq!(labels(9999.5, 10003.2, 4), ["10000", "10001", "10002", "10003"]);
    }

    #[test]
    fn large_and_small_numbers_have_exponents() {
        assert_eq!(labels(0.0, 3e9, 4), ["0", "1e9", "2e9", "3e9"]);
        assert_eq!(labels(-1e-7, 1e-7, 5), ["-1e-7", "-5e-8", "0", "5e-8", "1e-7"]);
        assert_eq!(labels(1.25e38, 1.35e38, 3), ["1.25e38", "1.3e38", "1.35e38"]);
    }

    #[test]
    fn numbers_of_things_are_whole() {
        let ticks = Ticks::new(-0.5, 2.5, 1.0, |count, _| count <= 10);
        assert_eq!(ticks.values, [0.0, 1.0, 2.0]);
        let ticks = Ticks::new(-0.5, 0.5, 1.0, |count, _| count <= 10);
        assert_eq!(ticks.values, [0.0]);
    }

    #[test]
    fn labels_have_room() {
        for (low, high) in [(0.0, 1.0), (-0.5, 99_999.5), (-1e-30, 3e30), (1e6, 1e6 + 1e-3), (-7.0, -6.9)] {
            for room in [1, 10, 60, 600] {
                let ticks = Ticks::new(low, high, 0.0, |count, longest| count * (longest + 2) <= room);
                let longest = ticks.labels().map(|label| label.len()).max().unwrap_or(0);
                assert!(ticks.values.len() <= 1 || ticks.values.len() * (longest + 2) <= room);
                let slack = 1e-9 * (high - low);
                assert!(ticks.values.iter().all(|value| (low - slack..=high + slack).contains(value)));
                assert!(room < 60 || ticks.values.len() > 1, "{low} {high} {room}");
            }
        }
    }

    #[test]
    fn no_range_has_no_ticks() {
        for (low, high) in [(1.0, 1.0), (2.0, 1.0), (f64::NAN, 1.0), (0.0, f64::INFINITY)] {
            assert!(Ticks::new(low, high, 0.0, |_, _| true).values.is_empty());
        }
    }
}
