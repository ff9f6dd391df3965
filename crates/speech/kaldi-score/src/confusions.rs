//! Which integers are replaced by which others, in vectors that are compared.

use std::collections::HashMap;

use crate::{Error, Result};

/// Counts of pairs of integers: one from a first vector, the other from the same place of a second one.
#[derive(Clone, Debug, Default)]
pub struct Confusions(HashMap<(i32, i32), u64>);

impl Confusions {
    /// Counts a pair.
    pub fn add(&mut self, first: i32, second: i32) {
        *self.0.entry((first, second)).or_default() += 1;
    }

    /// How often each integer is in the first vectors: a vector as long as the greatest of them needs.
    ///
    /// # Errors
    /// If it would be too long, or one of them is negative.
    pub fn totals(&self) -> Result<Vec<f64>> {
        sum_by_index(self.0.iter().map(|(&(first, _), &count)| (first, count as f64)))
    }

    /// How often each integer is one of two that differ, 0.5 for each of the two.
    ///
    /// # Errors
    /// If the vector would be too long, or one of them is negative.
    pub fn differences(&self) -> Result<Vec<f64>> {
        let differing = self.0.iter().filter(|((first, second), _)| first != second);
        sum_by_index(differing.flat_map(|(&(first, second), &count)| {
            let half = 0.5 * count as f64;
            [(first, half), (second, half)]
        }))
    }

    /// The counts of all pairs, as a square matrix, row after row, and its size: a row for each first integer, a column
    /// for each second one.
    ///
    /// # Errors
    /// If it would be too large, or an integer is negative.
    pub fn matrix(&self) -> Result<(usize, Vec<f64>)> {
        let largest = self.0.keys().map(|&(first, second)| first.max(second)).max();
        let size = largest.map_or(Ok(0), |largest| index(largest).map(|index| index + 1))?;
        let mut counts = zeros(size.checked_mul(size))?;
        for (&(first, second), &count) in &self.0 {
            counts[index(first)? * size + index(second)?] += count as f64;
        }
        Ok((size, counts))
    }
}

/// A vector that has, for each integer, the sum of its counts.
fn sum_by_index(counts: impl Iterator<Item = (i32, f64)> + Clone) -> Result<Vec<f64>> {
    let largest = counts.clone().map(|(integer, _)| integer).max();
    let mut sums = zeros(Some(largest.map_or(Ok(0), |largest| index(largest).map(|index| index + 1))?))?;
    for (integer, count) in counts {
        sums[index(integer)?] += count;
    }
    Ok(sums)
}

fn index(integer: i32) -> Result<usize> {
    usize::try_from(integer).map_err(|_| Error::Negative(integer))
}

/// A vector of zeros, if a format can count them and the memory can hold them.
fn zeros(len: Option<usize>) -> Result<Vec<f64>> {
    let len = len.filter(|&len| i32::try_from(len).is_ok()).ok_or(Error::TooManyCounts)?;
    let mut zeros = Vec::new();
    zeros.try_reserve_exact(len).map_err(|_| Error::TooManyCounts)?;
    zeros.resize(len, 0.0);
    Ok(zeros)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn confusions(pairs: &[(i32, i32)]) -> Confusions {
        let mut confusions = Confusions::default();
        pairs.iter().for_each(|&(first, second)| confusions.add(first, second));
        confusions
    }

    #[test]
    fn pairs_are_counted_in_three_ways() {
        let confusions = confusions(&[(0, 0), (1, 2), (1, 1), (1, 2)]);
        assert_eq!(confusions.totals(), Ok(vec![1.0, 3.0]));
        assert_eq!(confusions.differences(), Ok(vec![0.0, 1.0, 1.0]));
        assert_eq!(confusions.matrix(), Ok((3, vec![1.0, 0.0, 0.0, 0.0, 1.0, 2.0, 0.0, 0.0, 0.0])));
    }

    #[test]
    fn no_pairs_are_no_counts() {
        assert_eq!(confusions(&[]).totals(), Ok(Vec::new()));
        assert_eq!(confusions(&[]).matrix(), Ok((0, Vec::new())));
    }

    #[test]
    fn negative_integers_are_refused_where_they_would_be_counted() {
        let confusions = confusions(&[(0, -1), (-2, -2)]);
        assert_eq!(confusions.totals(), Err(Error::Negative(-2)));
        assert_eq!(confusions.differences(), Err(Error::Negative(-1)));
        assert!(matches!(confusions.matrix(), Err(Error::Negative(_))));
        assert_eq!(self::confusions(&[(0, 0), (-1, -1)]).differences(), Ok(Vec::new()));
    }

    #[test]
    fn what_no_format_can_count_is_refused() {
        let confusions = confusions(&[(0, 100_000)]);
        assert_eq!(confusions.differences().map(|counts| counts.len()), Ok(100_001));
        assert_eq!(confusions.matrix(), Err(Error::TooManyCounts));
    }
}
