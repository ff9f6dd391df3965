//! Which sizes of chunks an utterance of some length may be split into.

use std::collections::{BTreeSet, HashMap};

/// A split is taken if it costs less than this more than the best one.
const TOLERANCE: f32 = 1.9999;

/// Splits of utterances: lists of sizes of chunks, sorted.
#[derive(Debug)]
pub(crate) struct Splits {
    /// The first size: it may be repeated any number of times. The others come twice at most.
    principal: i64,
    overlap: i64,
    /// The longest utterance for which splits are compared. A longer one has more principal chunks.
    longest: i64,
    /// All splits with their durations, in order.
    splits: Vec<(Vec<i32>, f32)>,
    /// For each length that was asked for, the numbers of its splits.
    by_length: HashMap<i64, Vec<usize>>,
}

impl Splits {
    /// Lists the splits of chunks of these sizes, which are above 0; `overlap` is below the first one.
    pub(crate) fn new(sizes: &[i32], overlap: i32) -> Self {
        let principal = sizes[0];
        let largest = sizes.iter().copied().max().unwrap_or(principal);
        let longest = 2 * i64::from(largest) + i64::from(principal);
        let most = (longest + i64::from(principal)) as f32;
        let duration = |split: &[i32]| duration(split, principal, overlap);
        let mut splits = BTreeSet::new();
        // Each of the two places of another size may stay empty.
        let others = || std::iter::once(None).chain(sizes[1..].iter().copied().map(Some));
        for first in others() {
            for second in others() {
                let mut split: Vec<i32> = first.into_iter().chain(second).collect();
                split.sort_unstable();
                while duration(&split) <= most {
                    if !split.is_empty() {
                        splits.insert(split.clone());
                    }
                    let place = split.partition_point(|&size| size <= principal);
                    split.insert(place, principal);
                }
            }
        }
        let with_duration = |split: Vec<i32>| {
            let duration = duration(&split);
            (split, duration)
        };
        Self {
            principal: principal.into(),
            overlap: overlap.into(),
            longest,
            splits: splits.into_iter().map(with_duration).collect(),
            by_length: HashMap::new(),
        }
    }

    /// The size that may be repeated.
    pub(crate) fn principal(&self) -> usize {
        self.principal as usize
    }

    /// The splits for an utterance of this length, and how many principal chunks to add to each. There are none if it is
    /// shorter than every chunk.
    pub(crate) fn of_length(&mut self, length: usize) -> (Vec<&[i32]>, usize) {
        let (mut length, step) = (length as i64, self.principal - self.overlap);
        let repeats = if length > self.longest { (length - self.longest + step - 1) / step } else { 0 };
        length -= repeats * step;
        let splits = &self.splits;
        let numbers = self.by_length.entry(length).or_insert_with(|| candidates(splits, length));
        (numbers.iter().map(|&number| splits[number].0.as_slice()).collect(), repeats as usize)
    }
}

/// The numbers of the splits that cost about as little as the best one.
fn candidates(splits: &[(Vec<i32>, f32)], length: i64) -> Vec<usize> {
    let frames = length as f32;
    let cost = |(split, duration): &(Vec<i32>, f32)| {
        if split.last().is_some_and(|&largest| i64::from(largest) > length) {
            f32::MAX
        } else if *duration > frames {
            duration - frames
        } else {
            (2.0 * f64::from(frames - duration)) as f32
        }
    };
    let costs: Vec<f32> = splits.iter().map(cost).collect();
    let best = costs.iter().copied().fold(f32::MAX, f32::min);
    if best == f32::MAX {
        return Vec::new();
    }
    (0..costs.len()).filter(|&number| costs[number] < best + TOLERANCE).collect()
}

/// The frames that a split covers, in single precision as in Kaldi.
fn duration(split: &[i32], principal: i32, overlap: i32) -> f32 {
    let share = overlap as f32 / principal as f32;
    let total: i64 = split.iter().copied().map(i64::from).sum();
    let pairs = split.windows(2).map(|pair| share * pair[0].min(pair[1]) as f32);
    pairs.fold(total as f32, |left, overlap| left - overlap)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn splits(sizes: &[i32], overlap: i32, length: usize) -> (Vec<Vec<i32>>, usize) {
        let mut splits = Splits::new(sizes, overlap);
        let (found, repeats) = splits.of_length(length);
        (found.into_iter().map(<[i32]>::to_vec).collect(), repeats)
    }

    #[test]
    fn one_size_has_one_split_for_each_length() {
        assert_eq!(splits(&[8], 0, 7), (vec![], 0));
        assert_eq!(splits(&[8], 0, 8), (vec![vec![8]], 0));
        // 13 frames: a gap of 5 costs 10, an overlap of 3 costs 3.
        assert_eq!(splits(&[8], 0, 13), (vec![vec![8, 8]], 0));
        assert_eq!(splits(&[8], 0, 24), (vec![vec![8; 3]], 0));
        assert_eq!(splits(&[8], 0, 25), (vec![vec![8; 2]], 1));
    }

    #[test]
    fn other_sizes_come_twice_at_most() {
        assert_eq!(splits(&[8, 5], 0, 10).0, [vec![5, 5]]);
        assert_eq!(splits(&[8, 5], 0, 18).0, [vec![5, 5, 8]]);
        assert_eq!(splits(&[8, 5], 0, 15).0, [vec![8, 8]]);
    }

    #[test]
    fn an_overlap_shortens_the_duration() {
        assert_eq!(splits(&[8], 4, 12).0, [vec![8, 8]]);
        assert_eq!(splits(&[8], 4, 28), (vec![vec![8; 5]], 1));
    }
}
