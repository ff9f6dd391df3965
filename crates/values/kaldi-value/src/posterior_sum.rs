//! Sums of posteriors.

use std::cmp::Ordering;

use crate::Posterior;

impl Posterior {
    /// Multiplies every weight by `factor`; a factor of 0 leaves the frames empty (Kaldi's `ScalePosterior`).
    pub fn scale(&mut self, factor: f32) {
        for frame in &mut self.0 {
            match factor {
                0.0 => frame.clear(),
                _ => frame.iter_mut().for_each(|(_, weight)| *weight *= factor),
            }
        }
    }

    /// Adds the entries of `other` to the frames of `self`, and returns the number of frames in which the two had no
    /// index in common; two empty frames have none (Kaldi's `MergePosteriors`).
    ///
    /// With `sum_equal` entries of one index are summed, those with a weight of 0 left out, and the frame is sorted by
    /// index; without it, all entries are kept, sorted by index and weight. With `drop_disjoint` frames without a common
    /// index become empty.
    ///
    /// # Panics
    /// If the numbers of frames differ.
    pub fn merge(&mut self, other: &Self, sum_equal: bool, drop_disjoint: bool) -> usize {
        assert_eq!(self.0.len(), other.0.len(), "frames of two posteriors");
        let (mut num_disjoint, mut indexes) = (0, Vec::new());
        for (frame, other) in self.0.iter_mut().zip(&other.0) {
            indexes.clear();
            indexes.extend(frame.iter().map(|&(index, _)| index));
            indexes.sort_unstable();
            let disjoint = other.iter().all(|(index, _)| indexes.binary_search(index).is_err());
            num_disjoint += usize::from(disjoint);
            if disjoint && drop_disjoint {
                frame.clear();
                continue;
            }
            frame.extend_from_slice(other);
            if sum_equal {
                sum_by_index(frame);
            } else {
                frame.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| compare_weights(a.1, b.1)));
            }
        }
        num_disjoint
    }
}

/// Sorts by index, sums the weights of each index in their order, and leaves out sums of 0.
fn sum_by_index(frame: &mut Vec<(i32, f32)>) {
    frame.sort_by_key(|&(index, _)| index);
    frame.dedup_by(|next, kept| {
        let equal = next.0 == kept.0;
        if equal {
            kept.1 += next.1;
        }
        equal
    });
    frame.retain(|&(_, weight)| weight != 0.0);
}

/// NaN comes last: sorting needs an order of all weights.
fn compare_weights(a: f32, b: f32) -> Ordering {
    a.partial_cmp(&b).unwrap_or_else(|| a.is_nan().cmp(&b.is_nan()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn posterior(frames: &[&[(i32, f32)]]) -> Posterior {
        Posterior(frames.iter().map(|frame| frame.to_vec()).collect())
    }

    #[test]
    fn a_factor_of_zero_empties_the_frames() {
        let mut scaled = posterior(&[&[(1, 0.5), (2, -1.0)], &[]]);
        scaled.scale(2.0);
        assert_eq!(scaled, posterior(&[&[(1, 1.0), (2, -2.0)], &[]]));
        scaled.scale(0.0);
        assert_eq!(scaled, posterior(&[&[], &[]]));
    }

    #[test]
    fn equal_indexes_are_summed_and_zeros_left_out() {
        let mut sum = posterior(&[&[(3, 0.5), (1, 0.25), (3, -0.5), (1, 0.5)], &[(2, 0.0)], &[(7, 1.0)]]);
        let other = posterior(&[&[], &[(5, 1.0)], &[(7, -1.0), (6, 2.0)]]);
        assert_eq!(sum.merge(&other, true, false), 2);
        assert_eq!(sum, posterior(&[&[(1, 0.75)], &[(5, 1.0)], &[(6, 2.0)]]));
    }

    #[test]
    fn entries_that_are_not_summed_are_sorted() {
        let mut sum = posterior(&[&[(3, 0.5), (1, 0.0)]]);
        assert_eq!(sum.merge(&posterior(&[&[(3, 0.25), (1, -1.0), (2, 0.0)]]), false, false), 0);
        assert_eq!(sum, posterior(&[&[(1, -1.0), (1, 0.0), (2, 0.0), (3, 0.25), (3, 0.5)]]));
    }

    #[test]
    fn frames_without_a_common_index_may_be_dropped() {
        let mut sum = posterior(&[&[(1, 0.5)], &[(1, 0.5)], &[]]);
        assert_eq!(sum.merge(&posterior(&[&[(2, 0.5)], &[(1, 0.5)], &[]]), true, true), 2);
        assert_eq!(sum, posterior(&[&[], &[(1, 1.0)], &[]]));
    }

    #[test]
    fn weights_that_are_no_numbers_can_be_sorted() {
        let many: Vec<_> = (0..100).map(|at| (0, if at % 3 == 0 { f32::NAN } else { (at % 7) as f32 })).collect();
        let mut sum = Posterior(vec![many]);
        sum.merge(&posterior(&[&[(0, -1.0)]]), false, false);
        assert_eq!(sum.0[0][0], (0, -1.0));
        assert!(sum.0[0][100].1.is_nan());
    }
}
