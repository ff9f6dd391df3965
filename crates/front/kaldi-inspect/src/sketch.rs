//! Quantiles of any number of values in bounded memory.
//!
//! Values are counted in buckets. The values of a bucket have the same sign, exponent and first seven binary digits of
//! the fraction, so a bucket at `v` is at most `v / 128` wide; that is true for all finite doubles, also denormal ones,
//! and zero has a bucket of its own. Counts do not depend on the order of the values, so sketches of parts can be added
//! without loss.

use std::collections::BTreeMap;

/// A bucket: 0 for zero; otherwise the exponent, counted from 1, and seven digits of the fraction, negative for negative
/// values. Buckets are in the order of their values.
pub(crate) type Bucket = i32;

/// Binary digits of the fraction that a bucket has.
const DIGITS: u32 = 7;

/// Bits of a number in single precision that its bucket does not show.
const HIDDEN: u32 = 16;

/// The exponent before the one of the smallest denormal double.
const NO_EXPONENT: i32 = -1075;

/// How many values are in each bucket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sketch {
    /// Of zeros and numbers that are normal in single precision, by the first 16 bits of single precision.
    counts: Box<[u64; 1 << HIDDEN]>,
    /// Of all others, which are rare.
    others: BTreeMap<Bucket, u64>,
}

impl Default for Sketch {
    fn default() -> Self {
        // On the heap, because it is too large for a stack.
        match vec![0; 1 << HIDDEN].try_into() {
            Ok(counts) => Self { counts, others: BTreeMap::new() },
            Err(_) => unreachable!("the length is that of the type"),
        }
    }
}

impl Sketch {
    /// The largest distance of a quantile from a value of that rank, relative to that value.
    pub const RELATIVE_ERROR: f64 = 1.0 / 128.0;

    /// Counts the finite values.
    pub fn add(&mut self, values: &[f32]) {
        // Most often there are none, and one look at all of them costs less than one at each.
        let any_is_denormal = values.iter().fold(false, |any, value| any | is_denormal(value.to_bits()));
        for value in values {
            let bits = value.to_bits();
            if any_is_denormal && is_denormal(bits) {
                *self.others.entry(bucket((*value).into())).or_default() += 1;
            } else {
                self.counts[usize::from((bits >> HIDDEN) as u16)] += 1;
            }
        }
    }

    /// Counts the finite ones of some little-endian values. The caller knows whether all are zero or normal in single
    /// precision.
    #[inline(always)]
    pub(crate) fn add_chunk(&mut self, values: &[[u8; 4]], are_normal: bool) {
        if !are_normal {
            return self.add_bytes(values);
        }
        for &value in values {
            self.counts[(u32::from_le_bytes(value) >> HIDDEN) as usize] += 1;
        }
    }

    /// Counts the finite ones one by one. It is a function of its own so that the usual loop stays short.
    #[inline(never)]
    fn add_bytes(&mut self, values: &[[u8; 4]]) {
        values.iter().for_each(|&value| self.add(&[f32::from_le_bytes(value)]));
    }

    /// Counts the finite values of double precision.
    pub fn add_doubles(&mut self, values: &[f64]) {
        values.iter().filter(|value| value.is_finite()).for_each(|&value| self.add_to(bucket(value), 1));
    }

    /// Counts so many zeros.
    pub(crate) fn add_zeros(&mut self, count: u64) {
        self.add_to(bucket(0.0), count);
    }

    /// Adds the counts of another sketch.
    pub fn merge(&mut self, other: &Self) {
        self.counts.iter_mut().zip(other.counts.iter()).for_each(|(count, more)| *count += more);
        other.others.iter().for_each(|(&bucket, &count)| self.add_to(bucket, count));
    }

    fn add_to(&mut self, bucket: Bucket, count: u64) {
        match place(bucket) {
            Some(place) => self.counts[place] += count,
            None => *self.others.entry(bucket).or_default() += count,
        }
    }

    /// Adds counts of single buckets, such as those of [`Sketch::take_buckets`].
    #[cfg(test)]
    fn add_buckets(&mut self, buckets: &[(Bucket, u64)]) {
        buckets.iter().for_each(|&(bucket, count)| self.add_to(bucket, count));
    }

    /// Takes the buckets that are not empty, in the order of their values. They are empty afterwards.
    pub(crate) fn take_buckets(&mut self) -> Vec<(Bucket, u64)> {
        let buckets = self.counted();
        self.counts.fill(0);
        self.others.clear();
        buckets
    }

    /// The buckets of finite values that are not empty, in the order of their values.
    fn counted(&self) -> Vec<(Bucket, u64)> {
        let dense = (0..self.counts.len()).filter(|&place| self.counts[place] > 0);
        let dense = dense.filter_map(|place| {
            let value = f32::from_bits((place as u32) << HIDDEN);
            value.is_finite().then(|| (bucket(value.into()), self.counts[place]))
        });
        let mut counted: Vec<_> = dense.chain(self.others.iter().map(|(&bucket, &count)| (bucket, count))).collect();
        counted.sort_unstable();
        // Zero may have a sign.
        counted.dedup_by(|next, kept| {
            let is_same = next.0 == kept.0;
            kept.1 += if is_same { next.1 } else { 0 };
            is_same
        });
        counted
    }

    /// The finite buckets that are not empty, from the lowest to the highest: the bounds of their values and their counts.
    pub fn buckets(&self) -> impl Iterator<Item = (f64, f64, u64)> {
        self.counted().into_iter().map(|(bucket, count)| {
            let (low, high) = bounds(bucket);
            (low, high, count)
        })
    }

    /// The number of finite values.
    pub fn count(&self) -> u64 {
        self.counted().iter().map(|(_, count)| count).sum()
    }

    /// The quantiles of these fractions, which must be ascending: the value at the place `fraction * (count - 1)`,
    /// counted from 0, of the sorted values, or between two of them, as in NumPy. Within a bucket, values count as evenly
    /// spread. NaN if there are no values.
    pub fn quantiles<const N: usize>(&self, fractions: [f64; N]) -> [f64; N] {
        quantiles_of(&self.counted(), fractions)
    }
}

/// Whether these are the bits of a denormal number in single precision, and not of zero.
fn is_denormal(bits: u32) -> bool {
    (bits & 0x7fff_ffff).wrapping_sub(1) < 0x007f_ffff
}

/// The bucket of a finite number.
fn bucket(value: f64) -> Bucket {
    // Denormal numbers become normal ones.
    let (magnitude, shift) =
        if value.abs() < f64::MIN_POSITIVE { (value.abs() * 2.0_f64.powi(64), 64) } else { (value.abs(), 0) };
    if magnitude == 0.0 {
        return 0;
    }
    let bits = magnitude.to_bits();
    let exponent = (bits >> 52) as i32 - 1023 - shift;
    let digits = (bits >> (52 - DIGITS)) as i32 & ((1 << DIGITS) - 1);
    let bucket = (exponent - NO_EXPONENT) << DIGITS | digits;
    if value < 0.0 { -bucket } else { bucket }
}

/// The place of a bucket among the dense ones of a sketch, if it has one.
fn place(bucket: Bucket) -> Option<usize> {
    if bucket == 0 {
        return Some(0);
    }
    let exponent = (bucket.abs() >> DIGITS) + NO_EXPONENT;
    let digits = bucket.abs() & ((1 << DIGITS) - 1);
    let is_normal = (f32::MIN_EXP - 1..f32::MAX_EXP).contains(&exponent);
    let sign = if bucket < 0 { 1 << 15 } else { 0 };
    is_normal.then_some((sign | (exponent + 127) << DIGITS | digits) as usize)
}

/// The smallest and the largest value of a bucket.
fn bounds(bucket: Bucket) -> (f64, f64) {
    if bucket == 0 {
        return (0.0, 0.0);
    }
    let exponent = (bucket.abs() >> DIGITS) + NO_EXPONENT;
    let digits = (bucket.abs() & ((1 << DIGITS) - 1)) as u64;
    let shift = if exponent < f64::MIN_EXP - 1 { 64 } else { 0 };
    let inner = ((exponent + shift + 1023) as u64) << 52 | digits << (52 - DIGITS);
    let outer = inner | ((1 << (52 - DIGITS)) - 1);
    let [inner, outer] = [inner, outer].map(|bits| f64::from_bits(bits) * 2.0_f64.powi(-shift));
    if bucket < 0 { (-outer, -inner) } else { (inner, outer) }
}

/// The buckets of some values that are not empty, with their counts, as from [`Sketch::take_buckets`]. This costs a sort
/// of the values; a sketch costs a walk through all buckets.
pub(crate) fn sorted_buckets(values: impl Iterator<Item = f64>) -> Vec<(Bucket, u64)> {
    let mut buckets: Vec<Bucket> = values.filter(|value| value.is_finite()).map(bucket).collect();
    buckets.sort_unstable();
    buckets.chunk_by(|a, b| a == b).map(|equal| (equal[0], equal.len() as u64)).collect()
}

/// Like [`Sketch::quantiles`], of buckets in the order of their values.
pub(crate) fn quantiles_of<const N: usize>(buckets: &[(Bucket, u64)], fractions: [f64; N]) -> [f64; N] {
    let mut count = 0;
    let mut ends = Vec::with_capacity(buckets.len());
    for (_, inside) in buckets {
        count += inside;
        ends.push(count);
    }
    // The value of a rank, counted from 0.
    let value_at = |rank: u64| {
        let number = ends.partition_point(|end| *end <= rank);
        let Some(&(bucket, inside)) = buckets.get(number) else { return f64::NAN };
        let (low, high) = bounds(bucket);
        low + ((rank + inside - ends[number]) as f64 + 0.5) / inside as f64 * (high - low)
    };
    fractions.map(|fraction| {
        let place = fraction * count.saturating_sub(1) as f64;
        let rank = place as u64;
        match place - rank as f64 {
            share if share > 0.0 => (1.0 - share) * value_at(rank) + share * value_at(rank + 1),
            _ => value_at(rank),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRACTIONS: [f64; 7] = [0.0, 0.01, 0.25, 0.5, 0.75, 0.99, 1.0];

    /// Pseudo-random numbers between 0 and 1.
    fn uniform(count: u64) -> impl Iterator<Item = f64> {
        (1..=count).map(|at| (at.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 11) as f64 / (1_u64 << 53) as f64)
    }

    /// The exact values around the place of a quantile.
    fn exact(sorted: &[f32], fraction: f64) -> (f64, f64) {
        let place = fraction * (sorted.len() - 1) as f64;
        (sorted[place.floor() as usize].into(), sorted[place.ceil() as usize].into())
    }

    #[test]
    fn quantiles_are_as_near_as_promised() {
        let distributions: [fn(f64) -> f64; 5] =
            [|u| u, |u| 20.0 * u - 10.0, |u| (-u.ln()).powi(3), |u| 1e30 * (u - 0.5).powi(5), |u| (8.0 * u).floor()];
        for (number, distribution) in distributions.into_iter().enumerate() {
            for count in [1, 2, 3, 10, 1000, 30_000] {
                let mut values: Vec<f32> = uniform(count).map(|value| distribution(value) as f32).collect();
                let mut sketch = Sketch::default();
                sketch.add(&values);
                values.sort_by(f32::total_cmp);
                assert_eq!(sketch.count(), count);
                for (found, fraction) in sketch.quantiles(FRACTIONS).into_iter().zip(FRACTIONS) {
                    let (low, high) = exact(&values, fraction);
                    let error = |value: f64| value.abs() * Sketch::RELATIVE_ERROR + 1e-40;
                    assert!(
                        found >= low - error(low) && found <= high + error(high),
                        "distribution {number}, {count} values, {fraction}: {found} for {low} to {high}"
                    );
                }
            }
        }
    }

    /// Over all exponents of doubles, as far as the values themselves have so many digits.
    #[test]
    fn every_finite_double_is_as_near_as_promised() {
        let mut magnitudes: Vec<f64> = (-1074..1024).step_by(7).map(|power| 2.0_f64.powi(power) * 1.003).collect();
        magnitudes.extend([f64::MAX, f64::MIN_POSITIVE, 5e-324, 1e300, 1e-310, 1e-40, f64::from(f32::MAX) * 2.0]);
        for magnitude in magnitudes {
            for value in [magnitude, -magnitude] {
                let mut sketch = Sketch::default();
                sketch.add_doubles(&[value; 3]);
                let found = sketch.quantiles([0.5])[0];
                assert!((found - value).abs() <= value.abs() * Sketch::RELATIVE_ERROR, "{found} for {value}");
            }
        }
        let mut sketch = Sketch::default();
        sketch.add_doubles(&[-1e300, -1e-320, 0.0, 2e-320, 1e300]);
        let values: Vec<_> = sketch.buckets().map(|(low, high, _)| low + (high - low) / 2.0).collect();
        assert!(values.is_sorted() && values[0] < -9e299 && values[2] == 0.0, "{values:?}");
    }

    #[test]
    fn zeros_are_zeros() {
        let mut sketch = Sketch::default();
        sketch.add(&[0.0, 0.0, -0.0, 0.0, 0.0, 0.0, 1.0]);
        let [low, middle, high] = sketch.quantiles([0.01, 0.5, 0.99]);
        assert_eq!((low, middle), (0.0, 0.0));
        // As in NumPy, between the last two values.
        assert!((high - 0.94).abs() < 0.01, "{high}");
        let mut denormal = Sketch::default();
        denormal.add(&[1e-40, 1e-40, 1e-40, 2e-40]);
        assert!((denormal.quantiles([0.5])[0] / 1e-40 - 1.0).abs() < Sketch::RELATIVE_ERROR);
    }

    #[test]
    fn parts_add_up_in_any_order() {
        let values: Vec<f32> = uniform(5000).map(|value| (value - 0.3) as f32 * 1e3).collect();
        let mut whole = Sketch::default();
        whole.add(&values);
        let mut sum = Sketch::default();
        for chunk in values.rchunks(700) {
            let mut part = Sketch::default();
            part.add(chunk);
            if chunk.len() % 2 == 0 {
                sum.merge(&part);
            } else {
                sum.add_buckets(&part.take_buckets());
                assert_eq!(part, Sketch::default());
            }
        }
        assert_eq!(sum, whole);
    }

    #[test]
    fn chunks_are_counted_as_other_values_are() {
        let usual: Vec<f32> = uniform(3000).map(|value| (value - 0.3) as f32 * 1e3).chain([0.0, -0.0]).collect();
        let rare = [1e-40, -1e-44, f32::NAN, f32::INFINITY, 2.0, f32::MIN_POSITIVE];
        let bytes = |values: &[f32]| values.iter().map(|value| value.to_le_bytes()).collect::<Vec<_>>();
        let (mut chunks, mut whole) = (Sketch::default(), Sketch::default());
        chunks.add_chunk(&bytes(&usual), true);
        chunks.add_chunk(&bytes(&rare), false);
        whole.add(&[usual.as_slice(), &rare].concat());
        assert_eq!(chunks, whole);
        assert_eq!(whole.count(), 3006);
    }

    #[test]
    fn sorted_buckets_are_those_of_a_sketch() {
        let mut values: Vec<f32> = uniform(3000).map(|value| (value - 0.3) as f32 * 1e3).collect();
        values.extend([f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0, 0.0, f32::MIN, 1e-40, -1e-44]);
        let mut sketch = Sketch::default();
        sketch.add(&values);
        let sorted = sorted_buckets(values.iter().map(|&value| value.into()));
        assert_eq!(sketch.clone().take_buckets(), sorted);
        assert_eq!(quantiles_of(&sorted, FRACTIONS), sketch.quantiles(FRACTIONS));
        let mut again = Sketch::default();
        again.add_doubles(&values.iter().map(|&value| value.into()).collect::<Vec<_>>());
        assert_eq!(again.take_buckets(), sorted);
        assert!(quantiles_of(&sorted_buckets([f64::NAN].into_iter()), [0.5])[0].is_nan());
    }

    #[test]
    fn what_is_not_finite_has_no_rank() {
        let mut sketch = Sketch::default();
        sketch.add(&[f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -f32::NAN]);
        assert_eq!(sketch.count(), 0);
        assert!(sketch.quantiles([0.5])[0].is_nan());
        sketch.add(&[f32::MAX, f32::MIN, 0.0, -0.0]);
        assert_eq!(sketch.count(), 4);
        assert_eq!(sketch.quantiles([0.5])[0], 0.0);
    }
}
