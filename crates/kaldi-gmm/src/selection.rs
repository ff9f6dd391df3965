//! The best Gaussians of a frame.

use std::cmp::Reverse;

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
        // The order of these integers is that of the likelihoods, and then of the numbers.
        let key = |(gauss, likelihood): (i32, f32)| {
            let number = gauss as u32 ^ 1 << 31;
            (!likelihood.is_nan()).then(|| u64::from(ordered(likelihood)) << 32 | u64::from(number))
        };
        let mut keys: Vec<u64> = likelihoods.into_iter().filter_map(key).collect();
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

/// The log of the sum of what these are the logs of, the largest of which comes first; `None` if there are none.
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
