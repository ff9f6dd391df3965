//! Axes: ranges and round numbers in them.

use std::ops::Range;

use plotters::coord::ranged1d::{KeyPointHint, NoDefaultFormatting, Ranged, ValueFormatter};
use plotters::coord::types::RangedCoordf64;

use crate::text;

/// A range of values along an axis, with as many round numbers as there is room for.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Scale {
    pub(crate) range: Range<f64>,
    pub(crate) ticks: Vec<f64>,
    /// Digits after the point; `None` if numbers are written with an exponent.
    decimals: Option<usize>,
}

impl Scale {
    /// The scale of a horizontal axis of `length` pixels, with labels of `size`.
    pub(crate) fn across(range: Range<f64>, is_whole: bool, length: u32, size: u32) -> Self {
        let fits = |scale: &Self| scale.ticks.len() as u32 * (scale.widest(size) + size) <= length;
        Self::fitting(range, is_whole, (length / size) as usize, fits)
    }

    /// The scale of a vertical axis of `length` pixels, with labels of `size`.
    pub(crate) fn up(range: Range<f64>, is_whole: bool, length: u32, size: u32) -> Self {
        Self::fitting(range, is_whole, (2 * length / (3 * size)).clamp(2, 10) as usize, |_| true)
    }

    /// A scale without numbers.
    pub(crate) fn silent(range: Range<f64>) -> Self {
        Self { range, ticks: Vec::new(), decimals: Some(0) }
    }

    fn fitting(range: Range<f64>, is_whole: bool, most: usize, fits: impl Fn(&Self) -> bool) -> Self {
        let range = wide(range);
        let scales = (1..=most.max(1)).rev().map(|most| Self::with_ticks(range.clone(), is_whole, most));
        scales.into_iter().find(|scale| scale.ticks.len() <= 1 || fits(scale)).unwrap_or(Self::silent(range))
    }

    /// At most `most` ticks, only at whole numbers if that is wanted.
    fn with_ticks(range: Range<f64>, is_whole: bool, most: usize) -> Self {
        let span = range.end - range.start;
        let exponent = span.log10().floor() as i32;
        let unit = 10_f64.powi(exponent);
        // Plotters finds round numbers if the range is neither wide nor narrow; those at the ends count.
        let slack = 1e-9 * span / unit;
        let points = RangedCoordf64::from(range.start / unit - slack..range.end / unit + slack).key_points(most);
        // A 1, 2 or 5 and zeros, even if the difference is not exact.
        let step = points.get(1).and_then(|second| format!("{:.0e}", second - points[0]).parse().ok()).unwrap_or(1.0);
        let is_round = |tick: &f64| !is_whole || (tick - tick.round()).abs() < 1e-6;
        let round = |point: f64| (point / step).round() * step * unit;
        let ticks: Vec<f64> = points.into_iter().map(round).filter(is_round).collect();
        let exponent = exponent + (step.log10() + 1e-9).floor() as i32;
        let largest = range.start.abs().max(range.end.abs());
        let decimals = ((-4..=6).contains(&exponent) && largest < 1e7).then_some((-exponent).max(0) as usize);
        Self { range, ticks, decimals: if is_whole && largest < 1e7 { Some(0) } else { decimals } }
    }

    /// The number beside a tick.
    pub(crate) fn label(&self, value: f64) -> String {
        match self.decimals {
            Some(decimals) => {
                let text = format!("{value:.decimals$}");
                // Zero has no sign.
                if text.starts_with('-') && text.bytes().all(|byte| b"-0.".contains(&byte)) {
                    text[1..].to_owned()
                } else {
                    text
                }
            }
            None if value == 0.0 => "0".to_owned(),
            None => exponential(value),
        }
    }

    /// Pixels of the widest label.
    pub(crate) fn widest(&self, size: u32) -> u32 {
        self.ticks.iter().map(|&tick| text::width(&self.label(tick), size)).max().unwrap_or(0)
    }

    /// The value, or the nearest end of the range.
    pub(crate) fn clamp(&self, value: f64) -> f64 {
        value.clamp(self.range.start, self.range.end)
    }
}

/// The coordinate of a chart.
impl Ranged for Scale {
    type FormatOption = NoDefaultFormatting;
    type ValueType = f64;

    fn map(&self, value: &f64, limit: (i32, i32)) -> i32 {
        RangedCoordf64::from(self.range.clone()).map(value, borders(limit))
    }

    fn axis_pixel_range(&self, limit: (i32, i32)) -> Range<i32> {
        let (start, end) = borders(limit);
        start.min(end)..start.max(end)
    }

    fn key_points<Hint: KeyPointHint>(&self, hint: Hint) -> Vec<f64> {
        if hint.weight().allow_light_points() { Vec::new() } else { self.ticks.clone() }
    }

    fn range(&self) -> Range<f64> {
        self.range.clone()
    }
}

impl ValueFormatter<f64> for Scale {
    fn format_ext(&self, value: &f64) -> String {
        self.label(*value)
    }
}

/// The borders of an axis with the given first and last pixel: its values fill both of them. A vertical axis starts at
/// the last one.
fn borders((first, last): (i32, i32)) -> (i32, i32) {
    if first <= last { (first, last + 1) } else { (first + 1, last) }
}

/// A range that is not empty, with the middle of the given one.
fn wide(range: Range<f64>) -> Range<f64> {
    let Range { start, end } = range;
    // At least this many numbers have to be different.
    let least = 1e-12 * start.abs().max(end.abs());
    match end - start > least {
        _ if !(end - start).is_finite() => -0.5..0.5,
        true => start..end,
        false if start == 0.0 => -0.5..0.5,
        false => start - 0.05 * start.abs()..start + 0.05 * start.abs(),
    }
}

/// The number with as few digits as needed, such as `2.5e-7`.
fn exponential(value: f64) -> String {
    let text = format!("{value:.12e}");
    let (mantissa, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    format!("{}e{exponent}", mantissa.trim_end_matches('0').trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(low: f64, high: f64, most: usize) -> Vec<String> {
        let scale = Scale::fitting(low..high, false, most, |_| true);
        scale.ticks.iter().map(|&tick| scale.label(tick)).collect()
    }

    #[test]
    fn steps_are_round() {
        assert_eq!(labels(0.0, 2.3, 6), ["0.0", "0.5", "1.0", "1.5", "2.0"]);
        assert_eq!(labels(0.0, 2.3, 4), ["0", "1", "2"]);
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
    fn values_fill_all_pixels() {
        let scale = Scale::silent(10.0..20.0);
        let across = |value| scale.map(&value, (100, 149));
        assert_eq!((across(10.0), across(10.2), across(19.8), across(20.0)), (100, 101, 149, 150));
        let up = |value| scale.map(&value, (99, 50));
        assert_eq!((up(10.0), up(10.2), up(19.8), up(20.0)), (100, 99, 51, 50));
    }

    #[test]
    fn numbers_of_things_are_whole() {
        let whole = |low, high| Scale::fitting(low..high, true, 10, |_| true);
        assert_eq!(whole(-0.5, 2.5).ticks, [0.0, 1.0, 2.0]);
        assert_eq!(whole(-0.5, 0.5).ticks, [0.0]);
        assert_eq!(whole(27.5, 33.5).label(28.0), "28");
    }

    #[test]
    fn labels_have_room() {
        for (low, high) in
            [(0.0, 1.0), (-0.5, 99_999.5), (-1e-30, 3e30), (1e6, 1e6 + 1e-3), (-7.0, -6.9), (1e-40, 2e-40)]
        {
            for length in [1, 30, 100, 600, 5000] {
                let scale = Scale::across(low..high, false, length, 20);
                let count = scale.ticks.len() as u32;
                assert!(count <= 1 || count * (scale.widest(20) + 20) <= length, "{low} {high} {length}");
                let slack = 1e-9 * (high - low);
                assert!(scale.ticks.iter().all(|tick| (low - slack..=high + slack).contains(tick)), "{scale:?}");
                assert!(length < 600 || count > 1, "{low} {high} {length}");
                let up = Scale::up(low..high, false, length, 20);
                assert!(up.ticks.len() as u32 * 20 <= length.max(80), "{low} {high} {length}");
            }
        }
    }

    #[test]
    fn a_range_without_extent_becomes_one() {
        for value in [0.0, 3.0, -1e30, 1e-30, f64::from(f32::MAX)] {
            let scale = Scale::up(value..value, false, 300, 20);
            assert!(scale.range.start < value && value < scale.range.end, "{value}");
            assert!((1..12).contains(&scale.ticks.len()), "{scale:?}");
        }
    }
}
