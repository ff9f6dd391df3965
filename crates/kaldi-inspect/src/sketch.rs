//! Quantiles of any number of values in bounded memory.
//!
//! Values are counted in buckets. The values of a bucket have the same sign, exponent and first seven binary digits of
//! the fraction: the first 16 bits of single precision. A bucket at `v` is at most `v / 128` wide. Counts do not depend
//! on the order of the values, so sketches of parts can be added without loss.

/// Bits of a number in single precision that its bucket does not show.
const HIDDEN: u32 = 16;

/// The bit of a bucket that is set for negative values.
const SIGN: u16 = 0x8000;

/// How many values are in each bucket.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sketch {
    /// By the first 16 bits.
    counts: Box<[u64; 1 << HIDDEN]>,
}

impl Default for Sketch {
    fn default() -> Self {
        // On the heap, because it is too large for a stack.
        match vec![0; 1 << HIDDEN].try_into() {
            Ok(counts) => Self { counts },
            Err(_) => unreachable!("the length is that of the type"),
        }
    }
}

impl Sketch {
    /// The largest distance of a quantile from a value of that rank, relative to that value.
    pub const RELATIVE_ERROR: f64 = 1.0 / 128.0;

    /// Counts the finite values.
    pub fn add(&mut self, values: &[f32]) {
        for value in values {
            self.counts[usize::from((value.to_bits() >> HIDDEN) as u16)] += 1;
        }
    }

    /// Adds the counts of another sketch.
    pub fn merge(&mut self, other: &Self) {
        self.counts.iter_mut().zip(other.counts.iter()).for_each(|(count, more)| *count += more);
    }

    /// Adds counts of single buckets, such as those of [`Sketch::take_buckets`].
    pub fn add_buckets(&mut self, buckets: &[(u16, u64)]) {
        buckets.iter().for_each(|&(bucket, count)| self.counts[usize::from(bucket)] += count);
    }

    /// Takes the buckets that are not empty. They are empty afterwards.
    pub fn take_buckets(&mut self) -> Vec<(u16, u64)> {
        let mut buckets = Vec::new();
        for (bucket, count) in self.counts.iter_mut().enumerate().filter(|(_, count)| **count > 0) {
            buckets.push((bucket as u16, std::mem::take(count)));
        }
        buckets
    }

    /// The finite buckets that are not empty, from the lowest to the highest: the bounds of their values and their counts.
    pub fn buckets(&self) -> impl Iterator<Item = (f64, f64, u64)> {
        let negative = (0x8000..0xff80).rev();
        let ordered = negative.chain(0..0x7f80_u32);
        ordered.filter(|&bucket| self.counts[bucket as usize] > 0).map(|bucket| {
            let (low, high) = bounds(bucket);
            (low, high, self.counts[bucket as usize])
        })
    }

    /// The number of finite values.
    pub fn count(&self) -> u64 {
        self.buckets().map(|(_, _, count)| count).sum()
    }

    /// The quantiles of these fractions, which must be ascending: the value at the place `fraction * (count - 1)`,
    /// counted from 0, of the sorted values, as in NumPy. Within a bucket, values count as evenly spread. NaN if there
    /// are no values.
    pub fn quantiles<const N: usize>(&self, fractions: [f64; N]) -> [f64; N] {
        quantiles(self.buckets(), self.count(), fractions)
    }
}

/// The buckets of some values that are not empty, with their counts, as from [`Sketch::take_buckets`], in the order of
/// the values. This costs a sort of the values; a sketch costs a walk through all buckets.
pub(crate) fn sorted_buckets(values: &[f32]) -> Vec<(u16, u64)> {
    // Bits that ascend with the values.
    let mut ordered: Vec<u16> = values
        .iter()
        .map(|value| (value.to_bits() >> HIDDEN) as u16)
        .map(|bucket| if bucket & SIGN != 0 { !bucket } else { bucket | SIGN })
        .collect();
    ordered.sort_unstable();
    let bucket = |ordered: u16| if ordered & SIGN != 0 { ordered & !SIGN } else { !ordered };
    ordered.chunk_by(|a, b| a == b).map(|equal| (bucket(equal[0]), equal.len() as u64)).collect()
}

/// Like [`Sketch::quantiles`], of [`sorted_buckets`].
pub(crate) fn quantiles_of<const N: usize>(buckets: &[(u16, u64)], fractions: [f64; N]) -> [f64; N] {
    let finite = || buckets.iter().filter(|(bucket, _)| bucket & !SIGN < 0x7f80);
    let bounded = finite().map(|&(bucket, count)| {
        let (low, high) = bounds(bucket.into());
        (low, high, count)
    });
    quantiles(bounded, finite().map(|(_, count)| count).sum(), fractions)
}

/// The smallest and the largest value of a bucket.
fn bounds(bucket: u32) -> (f64, f64) {
    let inner = f64::from(f32::from_bits(bucket << HIDDEN));
    let outer = f64::from(f32::from_bits(bucket << HIDDEN | ((1 << HIDDEN) - 1)));
    (inner.min(outer), inner.max(outer))
}

fn quantiles<const N: usize>(
    mut buckets: impl Iterator<Item = (f64, f64, u64)>,
    count: u64,
    fractions: [f64; N],
) -> [f64; N] {
    let mut current = buckets.next();
    let mut before = 0;
    fractions.map(|fraction| {
        let place = fraction * count.saturating_sub(1) as f64;
        loop {
            let Some((low, high, inside)) = current else { return f64::NAN };
            if place < (before + inside) as f64 || before + inside >= count {
                let share = ((place - before as f64 + 0.5) / inside as f64).clamp(0.0, 1.0);
                return low + share * (high - low);
            }
            before += inside;
            current = buckets.next();
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
    fn sorted_buckets_are_those_of_a_sketch() {
        let mut values: Vec<f32> = uniform(3000).map(|value| (value - 0.3) as f32 * 1e3).collect();
        values.extend([f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -0.0, 0.0, f32::MIN]);
        let mut sketch = Sketch::default();
        sketch.add(&values);
        let sorted = sorted_buckets(&values);
        assert_eq!(quantiles_of(&sorted, FRACTIONS), sketch.quantiles(FRACTIONS));
        let mut again = Sketch::default();
        again.add_buckets(&sorted);
        assert_eq!(again, sketch);
        assert!(quantiles_of(&sorted_buckets(&[f32::NAN]), [0.5])[0].is_nan());
    }

    #[test]
    fn what_is_not_finite_has_no_rank() {
        let mut sketch = Sketch::default();
        sketch.add(&[f32::NAN, f32::INFINITY, f32::NEG_INFINITY, -f32::NAN]);
        assert_eq!(sketch.count(), 0);
        assert!(sketch.quantiles([0.5])[0].is_nan());
        sketch.add(&[f32::MAX, f32::MIN, 0.0, -0.0]);
        assert_eq!(sketch.count(), 4);
        assert!(sketch.quantiles([0.5])[0].abs() < 1e-40);
    }
}
