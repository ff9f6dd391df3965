//! The best Gaussians of a frame.

use std::cmp::Reverse;

use kaldi_simd::{Kernel, dispatch};

/// Gaussians that were selected for a frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Selection {
    /// Their numbers, the most likely first.
    pub gaussians: Vec<i32>,
    /// The log of the sum of their likelihoods.
    pub log_likelihood: f32,
}

impl Selection {
    /// Selects the `n` largest of log likelihoods, each with the number of its Gaussian; of equal ones, those with the
    /// larger number. `None` if none is a number, or `n` is 0.
    pub fn best(likelihoods: impl IntoIterator<Item = (i32, f32)>, n: usize) -> Option<Self> {
        let likelihoods = likelihoods.into_iter().filter(|(_, likelihood)| !likelihood.is_nan());
        Self::of_keys(likelihoods.map(|(gauss, likelihood)| key(gauss, likelihood)).collect(), n)
    }

    /// Selects the `n` largest of the log likelihoods of all Gaussians, as [`Selection::best`] does. `maxima` is memory that
    /// is used again.
    pub(crate) fn best_of_all(likelihoods: &[f32], n: usize, maxima: &mut Vec<f32>) -> Option<Self> {
        let stride = (likelihoods.len() / GROUP).max(2 * n);
        if n == 0 || likelihoods.len() < 2 * stride {
            return Self::best((0..).zip(likelihoods.iter().copied()), n);
        }
        // As many groups as are wanted have a maximum that is not below the bound, so nothing below it is among the best.
        group_maxima(likelihoods, stride, maxima);
        let mut bounds: Vec<u32> = maxima.iter().map(|&max| ordered(max)).collect();
        let (_, &mut bound, _) = bounds.select_nth_unstable_by_key(n - 1, |&bound| Reverse(bound));
        let bound = likelihood(bound);
        let mut keys = Vec::with_capacity(2 * n);
        for (start, _) in maxima.iter().enumerate().filter(|(_, max)| **max >= bound) {
            for gauss in (start..likelihoods.len()).step_by(stride) {
                if likelihoods[gauss] >= bound {
                    keys.push(key(gauss as i32, likelihoods[gauss]));
                }
            }
        }
        Self::of_keys(keys, n)
    }

    fn of_keys(mut keys: Vec<u64>, n: usize) -> Option<Self> {
        if n < keys.len() {
            keys.select_nth_unstable_by_key(n, |&key| Reverse(key));
            keys.truncate(n);
        }
        keys.sort_unstable_by_key(|&key| Reverse(key));
        let log_likelihood = log_sum(keys.iter().map(|&key| likelihood((key >> 32) as u32)))?;
        let gaussians = keys.into_iter().map(|key| (key as u32 ^ 1 << 31) as i32).collect();
        Some(Self { gaussians, log_likelihood })
    }
}

/// How many likelihoods have one maximum; fewer if too many are selected.
pub(crate) const GROUP: usize = 8;

/// Finds the maximum of each group of likelihoods, those that are no numbers left out. A group is made of what is a stride
/// apart.
pub(crate) fn group_maxima(likelihoods: &[f32], stride: usize, maxima: &mut Vec<f32>) {
    maxima.clear();
    maxima.resize(stride, f32::NEG_INFINITY);
    dispatch(Maxima { likelihoods, maxima });
}

/// See [`group_maxima`].
struct Maxima<'a> {
    likelihoods: &'a [f32],
    maxima: &'a mut [f32],
}

impl Kernel for Maxima<'_> {
    type Output = ();

    #[inline(always)]
    fn compute(self) {
        for part in self.likelihoods.chunks(self.maxima.len()) {
            for (max, &likelihood) in self.maxima.iter_mut().zip(part) {
                *max = if likelihood > *max { likelihood } else { *max };
            }
        }
    }
}

/// An integer with the order of the likelihoods, and then of the numbers.
fn key(gauss: i32, likelihood: f32) -> u64 {
    u64::from(ordered(likelihood)) << 32 | u64::from(gauss as u32 ^ 1 << 31)
}

/// An integer with the order of floats: negative numbers have all bits turned, others only the sign.
fn ordered(value: f32) -> u32 {
    // Adding zero makes negative zero positive.
    let bits = (value + 0.0).to_bits();
    bits ^ if bits >> 31 == 1 { u32::MAX } else { 1 << 31 }
}

/// The float of [`ordered`].
fn likelihood(key: u32) -> f32 {
    f32::from_bits(key ^ if key >> 31 == 1 { 1 << 31 } else { u32::MAX })
}

/// Log-sum-exp of numbers whose largest comes first; `None` if empty.
fn log_sum(mut logs: impl Iterator<Item = f32>) -> Option<f32> {
    let max = logs.next()?;
    if max.is_infinite() {
        return Some(max);
    }
    let rest: f32 = logs.map(|log| (log - max).exp()).sum();
    Some(max + rest.ln_1p())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn best(likelihoods: &[f32], n: usize) -> Option<Vec<i32>> {
        Some(Selection::best((0..).zip(likelihoods.iter().copied()), n)?.gaussians)
    }

    #[test]
    fn the_most_likely_come_first() {
        let likelihoods = [-3.0, 2.0, -7.5, 0.0, 9.0, f32::NEG_INFINITY];
        assert_eq!(best(&likelihoods, 3), Some(vec![4, 1, 3]));
        assert_eq!(best(&likelihoods, 9), Some(vec![4, 1, 3, 0, 2, 5]));
        assert_eq!(best(&likelihoods, 0), None);
    }

    #[test]
    fn of_equal_ones_the_larger_number_is_selected() {
        assert_eq!(best(&[1.0, 1.0, 0.0, 1.0], 2), Some(vec![3, 1]));
        assert_eq!(best(&[0.0, -0.0, 0.0], 3), Some(vec![2, 1, 0]));
        let listed = Selection::best([(7, 1.0), (9, 1.0), (8, 1.0)], 2).unwrap();
        assert_eq!(listed.gaussians, [9, 8]);
    }

    #[test]
    fn among_many_the_same_ones_are_selected() {
        // Numbers with many ties, some infinite and some no numbers, of lengths around those of groups.
        let mut state = 1_u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            match state >> 26 {
                0 => f32::NAN,
                1 => f32::NEG_INFINITY,
                2 => -0.0,
                value => (value as f32 - 40.0) / 4.0,
            }
        };
        let mut maxima = Vec::new();
        for length in [16, 17, 31, 64, 100, 159, 160, 161, 512, 1000] {
            let likelihoods: Vec<f32> = (0..length).map(|_| next()).collect();
            for n in [0, 1, 2, 3, 10, 31, 50, length] {
                let expected = Selection::best((0..).zip(likelihoods.iter().copied()), n);
                assert_eq!(Selection::best_of_all(&likelihoods, n, &mut maxima), expected, "{length} {n}");
            }
        }
        for same in [f32::NAN, f32::NEG_INFINITY, f32::INFINITY, 0.0] {
            let expected = Selection::best((0..100).map(|gauss| (gauss, same)), 3);
            assert_eq!(Selection::best_of_all(&[same; 100], 3, &mut maxima), expected, "{same}");
        }
    }

    #[test]
    fn what_is_no_number_is_not_selected() {
        assert_eq!(best(&[f32::NAN, 1.0, f32::NAN], 2), Some(vec![1]));
        assert_eq!(best(&[f32::NAN], 2), None);
    }

    #[test]
    fn likelihoods_add_up() {
        let total = |likelihoods: &[f32]| Selection::best((0..).zip(likelihoods.iter().copied()), 2).unwrap();
        assert!((total(&[0.0, 0.0, -9.0]).log_likelihood - 2.0_f32.ln()).abs() < 1e-6);
        assert_eq!(total(&[f32::NEG_INFINITY; 2]).log_likelihood, f32::NEG_INFINITY);
        assert_eq!(total(&[-1000.0, -2000.0]).log_likelihood, -1000.0);
    }
}
