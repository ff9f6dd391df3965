//! How a number is distributed.

use crate::blocks::percentile;

/// The shares of [`Distribution::quantiles`].
pub const QUANTILES: [f64; 6] = [0.01, 0.05, 0.25, 0.75, 0.95, 0.99];

/// What the median of differences from the median is multiplied with: the standard deviation of normal numbers.
pub(crate) const SPREAD: f64 = 1.4826;

/// The bars of a histogram.
const BARS: usize = 50;

/// How numbers are distributed; all statistics are exact.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Distribution {
    /// How many numbers there are; at least one.
    pub count: usize,
    /// The smallest one.
    pub min: f64,
    /// The largest one.
    pub max: f64,
    /// Their sum over their count.
    pub mean: f64,
    /// The one in the middle, or the mean of the two in the middle.
    pub median: f64,
    /// The median of the sizes of differences from the median.
    pub mad: f64,
    /// The numbers at the shares [`QUANTILES`], interpolated.
    pub quantiles: [f64; 6],
    /// The edges of the bars of a histogram; a bar has its left edge, the last one both.
    pub edges: Vec<f64>,
    /// How many numbers are in each bar; one number less than edges.
    pub counts: Vec<usize>,
}

impl Distribution {
    /// Of finite numbers, in any order. `None` if there are none.
    pub fn of(mut values: Vec<f64>) -> Option<Self> {
        values.sort_by(f64::total_cmp);
        let (&min, &max) = (values.first()?, values.last()?);
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        let bars = if max > min { BARS } else { 1 };
        let edge = |bar: usize| if bar == bars { max } else { min + (max - min) * bar as f64 / bars as f64 };
        let edges: Vec<f64> = (0..=bars).map(edge).collect();
        let mut counts = Vec::with_capacity(bars);
        let mut before = 0;
        for right in &edges[1..bars] {
            let until = values.partition_point(|value| value < right);
            counts.push(until - before);
            before = until;
        }
        counts.push(values.len() - before);
        let quantiles = QUANTILES.map(|share| percentile(&values, share));
        let count = values.len();
        let (median, mad) = median_and_mad(&mut values);
        Some(Self { count, min, max, mean, median, mad, quantiles, edges, counts })
    }
}

/// The median of numbers, which are sorted by that; not a number if there are none.
pub(crate) fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    percentile(values, 0.5)
}

/// The median of numbers, and the median of the sizes of their differences from it; the numbers become these sizes.
pub(crate) fn median_and_mad(values: &mut [f64]) -> (f64, f64) {
    let middle = median(values);
    values.iter_mut().for_each(|value| *value = (*value - middle).abs());
    (middle, median(values))
}

/// What is usual: the median, and the spread around it.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Usual {
    pub median: f64,
    spread: f64,
}

impl Usual {
    /// The spread is at least `floor`.
    pub fn of(mut values: Vec<f64>, floor: f64) -> Self {
        let (median, mad) = median_and_mad(&mut values);
        Self { median, spread: floor.max(SPREAD * mad) }
    }

    /// How many spreads a value is above the median.
    pub fn z(&self, value: f64) -> f64 {
        (value - self.median) / self.spread
    }
}
