//! The layout of a byte per element with four levels per column, reading and writing.
//!
//! The levels are the least, the lower-quartile, the upper-quartile and the greatest value of a column, in 65536 steps
//! over the range of the matrix and at least one step apart. Bytes 0 to 64 are evenly spaced between the first two, 64
//! to 192 between the middle ones, 192 to 255 between the last two.

use memchr::memchr_iter;

use super::numbers::{extremes, round};
use super::stored::Header;
use crate::select::{insertion_sort, select};

/// From this number of rows on, sorting into buckets pays.
const MANY: usize = 24;
const BUCKETS: usize = 256;

impl Header {
    /// The value of a level. The constant is Kaldi's: in single precision, not quite 1/65535.
    pub(super) fn level(&self, level: u16) -> f32 {
        self.min + self.range * 1.525_902_2e-5 * f32::from(level)
    }
}

/// Moves levels apart that are equal or out of order, as Kaldi does.
///
/// If there are fewer than four values, levels without a value follow the last one.
pub(super) fn quantize(levels: [u16; 4], rows: usize) -> [u16; 4] {
    let level = |index: usize| if index < rows { levels[index] } else { 0 };
    let first = level(0).min(65532);
    let second = level(1).clamp(first + 1, 65533);
    let third = level(2).clamp(second + 1, 65534);
    [first, second, third, level(3).max(third + 1)]
}

/// Memory for finding order statistics, used by one column after the other.
#[derive(Default)]
pub(super) struct Scratch {
    buckets: Vec<u8>,
    values: Vec<f32>,
}

impl Scratch {
    /// The values that would be at 0, n/4, 3 (n/4) and n − 1 if the column were sorted; if there are four values or
    /// fewer, these in order, followed by zeros. And an upper bound of the values.
    ///
    /// If some values are NaN, the result is the values that Kaldi finds. There must be a value.
    #[inline(always)]
    pub fn order_statistics(&mut self, column: &[f32]) -> ([f32; 4], f32) {
        if column.len() <= 4 {
            let mut values = [0.0; 4];
            values[..column.len()].copy_from_slice(column);
            insertion_sort(&mut values[..column.len()]);
            return (values, f32::INFINITY);
        }
        let (min, max, has_nan) = extremes(column);
        if has_nan {
            return (self.order_statistics_with_nan(column), f32::INFINITY);
        }
        let quarter = column.len() / 4;
        // Infinite if all values are the same, or nearly.
        let scale = (BUCKETS - 1) as f32 / (max - min);
        if column.len() < MANY || !scale.is_finite() {
            self.values.clear();
            self.values.extend_from_slice(column);
            let (_, &mut lower, above) = self.values.select_nth_unstable_by(quarter, f32::total_cmp);
            let (_, &mut upper, _) = above.select_nth_unstable_by(2 * quarter - 1, f32::total_cmp);
            return ([min, lower, upper, max], max);
        }
        // A value in a lower bucket is a lower value, whatever the rounding.
        self.buckets.clear();
        self.buckets.extend(column.iter().map(|value| round((value - min) * scale).0 as u8));
        let counts = count(&self.buckets);
        let mut at = |rank| self.at_rank(column, &counts, rank);
        ([min, at(quarter), at(3 * quarter), max], max)
    }

    /// The order statistics of five values or more, in the way that Kaldi finds them.
    fn order_statistics_with_nan(&mut self, column: &[f32]) -> [f32; 4] {
        self.values.clear();
        self.values.extend_from_slice(column);
        let (values, quarter, last) = (&mut self.values, column.len() / 4, column.len() - 1);
        select(values, quarter);
        select(&mut values[..quarter], 0);
        select(&mut values[quarter + 1..], 2 * quarter - 1);
        select(&mut values[3 * quarter + 1..], last - (3 * quarter + 1));
        [values[0], values[quarter], values[3 * quarter], values[last]]
    }

    /// The value that has `rank` others before it in order.
    fn at_rank(&mut self, column: &[f32], counts: &[u32; BUCKETS], rank: usize) -> f32 {
        let mut before = 0;
        let mut bucket = 0;
        for group in counts.as_chunks::<16>().0 {
            let sum = group.iter().sum::<u32>() as usize;
            if before + sum > rank {
                break;
            }
            before += sum;
            bucket += group.len();
        }
        while before + counts[bucket] as usize <= rank {
            before += counts[bucket] as usize;
            bucket += 1;
        }
        self.values.clear();
        self.values.extend(memchr_iter(bucket as u8, &self.buckets).map(|index| column[index]));
        *self.values.select_nth_unstable_by(rank - before, f32::total_cmp).1
    }
}

/// How many values are in each bucket.
fn count(buckets: &[u8]) -> [u32; BUCKETS] {
    // Two tables, since neighbours are often in the same bucket, and one counter would wait for the other.
    let (mut even, mut odd) = ([0_u32; BUCKETS], [0_u32; BUCKETS]);
    let (pairs, rest) = buckets.as_chunks::<2>();
    for &[first, second] in pairs {
        even[usize::from(first)] += 1;
        odd[usize::from(second)] += 1;
    }
    for &bucket in rest {
        even[usize::from(bucket)] += 1;
    }
    for (count, other) in even.iter_mut().zip(odd) {
        *count += other;
    }
    even
}

/// Finds the byte of each value of a column.
///
/// No value is above `max`, which is infinite if one of them is NaN.
#[inline(always)]
pub(super) fn encode(levels: [f32; 4], max: f32, column: &[f32], bytes: &mut [u8]) {
    let [first, second, third, last] = levels;
    let widths = [second - first, third - second, last - third];
    // If the steps are too small for the precision, widths are zero or quotients do not fit an integer.
    let regular = widths.iter().all(|&width| width > 0.0) && (max - third) / widths[2] < 1e6;
    if !regular {
        column.iter().zip(bytes).for_each(|(&value, byte)| *byte = encode_one(levels, value));
        return;
    }
    for (byte, &value) in bytes.iter_mut().zip(column) {
        let (base, width, steps, offset) = if value < second {
            (first, widths[0], 64.0, 0)
        } else if value < third {
            (second, widths[1], 128.0, 64)
        } else {
            (third, widths[2], 63.0, 192)
        };
        let position = (value - base) / width * steps;
        let position = if position < steps { position } else { steps };
        let position = if position > 0.0 { position } else { 0.0 };
        let (integer, excess) = round(position);
        // Rounds up if there are two nearest.
        *byte = (offset + integer + u32::from(excess == 0.5)) as u8;
    }
}

/// Finds the byte of one value, for any levels.
///
/// A quotient that is NaN or does not fit an integer becomes the least integer on Kaldi's processor, and so the lowest
/// byte of its part.
fn encode_one([first, second, third, last]: [f32; 4], value: f32) -> u8 {
    let (base, width, steps, offset) = if value < second {
        (first, second - first, 64.0, 0)
    } else if value < third {
        (second, third - second, 128.0, 64)
    } else {
        (third, last - third, 63.0, 192)
    };
    let position = f64::from((value - base) / width * steps) + 0.5;
    // The comparison is false for NaN.
    let integer = if position < 2_147_483_648.0 { position.clamp(0.0, f64::from(steps)) } else { 0.0 };
    offset + integer as u8
}

/// Finds the value of each byte of a column.
#[inline(always)]
pub(super) fn decode([first, second, third, last]: [f32; 4], values: &mut [f32; 256]) {
    let (lower, upper) = values.split_at_mut(65);
    let (middle, upper) = upper.split_at_mut(128);
    fill(lower, 0, first, second - first, 1.0 / 64.0);
    fill(middle, 1, second, third - second, 1.0 / 128.0);
    fill(upper, 1, third, last - third, 1.0 / 63.0);
}

#[inline(always)]
fn fill(values: &mut [f32], first: i32, base: f32, width: f32, share: f64) {
    for (index, value) in (first..).zip(values) {
        *value = interpolate(base, width, index as f32, share);
    }
}

/// Finds the values of some bytes of a column, without branches.
#[inline(always)]
pub(super) fn decode_few([first, second, third, last]: [f32; 4], bytes: &[u8], values: &mut [f32]) {
    for (value, &byte) in values.iter_mut().zip(bytes) {
        let of_part = |lower, middle, upper| {
            if byte <= 64 {
                lower
            } else if byte <= 192 {
                middle
            } else {
                upper
            }
        };
        let base = of_part(first, second, third);
        let width = of_part(second - first, third - second, last - third);
        let step = f32::from(byte) - of_part(0.0, 64.0, 192.0);
        let share = if byte <= 64 {
            1.0 / 64.0
        } else if byte <= 192 {
            1.0 / 128.0
        } else {
            1.0 / 63.0
        };
        *value = interpolate(base, width, step, share);
    }
}

/// The product is single, the rest double precision, as in Kaldi.
#[inline(always)]
fn interpolate(base: f32, width: f32, step: f32, share: f64) -> f32 {
    (f64::from(base) + f64::from(width * step) * share) as f32
}
