//! The structures of examples that wait to be merged, in the order in which Kaldi takes them at the end: that of a hash
//! table of the GNU C++ library.

use bstr::BString;

use crate::{Index, NnetExample, NnetIo};

/// What examples that are merged have in common: names, indexes, and numbers of columns.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Structure(Vec<(BString, Vec<Index>, usize)>);

impl Structure {
    pub(crate) fn of(example: &NnetExample) -> Self {
        Self(example.io.iter().map(|io| (io.name.clone(), io.indexes.clone(), io.matrix.num_cols())).collect())
    }

    /// Whether it is that of the example.
    pub(crate) fn is_of(&self, example: &NnetExample) -> bool {
        let is_of = |((name, indexes, columns), io): (&(BString, Vec<Index>, usize), &NnetIo)| {
            *name == io.name && *columns == io.matrix.num_cols() && *indexes == io.indexes
        };
        self.0.len() == example.io.len() && self.0.iter().zip(&example.io).all(is_of)
    }

    /// The largest number of indexes.
    pub(crate) fn size(&self) -> usize {
        self.0.iter().map(|(_, indexes, _)| indexes.len()).max().unwrap_or(0)
    }

    /// Kaldi's hash. Sums wrap; products of 32 bits are extended with their sign.
    pub(crate) fn kaldi_hash(&self) -> u64 {
        let start = (self.0.len() as u64).wrapping_mul(35_099);
        self.0.iter().fold(start, |hash, (name, indexes, columns)| {
            let of_io = of_name(name)
                .wrapping_add(of_indexes(indexes))
                .wrapping_add(product(indexes.len() as i32, 19_249))
                .wrapping_add(product(*columns as i32, 14_731));
            hash.wrapping_mul(19_157).wrapping_add(of_io)
        })
    }
}

fn of_name(name: &[u8]) -> u64 {
    name.iter().fold(0_u64, |hash, &byte| hash.wrapping_mul(7853).wrapping_add(i64::from(byte as i8) as u64))
}

/// The first 15 indexes count, and every tenth of those after them.
fn of_indexes(indexes: &[Index]) -> u64 {
    const ALL: usize = 15;
    const STEP: usize = 10;
    let length = indexes.len();
    let mut hash = (length as u64).wrapping_mul(34_949).wrapping_add(1433);
    let mut add = |index: Index| {
        for (number, factor) in [(index.n, 1619), (index.t, 15_649), (index.x, 89_809)] {
            hash = hash.wrapping_add(product(number, factor));
        }
    };
    indexes.iter().take(ALL).for_each(|&index| add(index));
    indexes.iter().skip(ALL).step_by(STEP).for_each(|&index| add(index));
    hash
}

fn product(number: i32, factor: i32) -> u64 {
    i64::from(number.wrapping_mul(factor)) as u64
}

/// How many buckets the table has after it has grown so often.
const BUCKETS: [usize; 16] =
    [13, 29, 59, 127, 257, 541, 1109, 2357, 5087, 10_273, 20_753, 42_043, 85_229, 172_933, 351_061, 712_697];

/// The numbers of waiting structures, with their hashes. A new one comes first in its bucket, and first of all if its
/// bucket is empty. If there are more of them than buckets, there are new buckets, and all are listed anew in their order.
#[derive(Debug, Default)]
pub(crate) struct WaitingOrder {
    /// The last one comes first.
    reversed: Vec<(usize, u64)>,
    /// How many are in each bucket.
    counts: Vec<u32>,
    growth: usize,
}

impl WaitingOrder {
    pub(crate) fn insert(&mut self, number: usize, hash: u64) {
        if self.counts.is_empty() {
            self.counts = vec![0; BUCKETS[0]];
        } else if self.reversed.len() == self.counts.len() && self.growth + 1 < BUCKETS.len() {
            self.growth += 1;
            self.counts = vec![0; BUCKETS[self.growth]];
            for (number, hash) in std::mem::take(&mut self.reversed).into_iter().rev() {
                self.link(number, hash);
            }
        }
        self.link(number, hash);
    }

    fn link(&mut self, number: usize, hash: u64) {
        let bucket = self.bucket(hash);
        let place = match self.counts[bucket] {
            0 => None,
            _ => self.reversed.iter().rposition(|&(_, other)| self.bucket(other) == bucket),
        };
        self.counts[bucket] += 1;
        self.reversed.insert(place.map_or(self.reversed.len(), |place| place + 1), (number, hash));
    }

    pub(crate) fn remove(&mut self, number: usize) {
        if let Some(place) = self.reversed.iter().position(|&(other, _)| other == number) {
            let (_, hash) = self.reversed.remove(place);
            let bucket = self.bucket(hash);
            self.counts[bucket] -= 1;
        }
    }

    /// Returns all numbers in order, and removes them.
    pub(crate) fn take(&mut self) -> Vec<usize> {
        std::mem::take(self).reversed.into_iter().rev().map(|(number, _)| number).collect()
    }

    fn bucket(&self, hash: u64) -> usize {
        (hash % self.counts.len() as u64) as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(hashes: &[u64]) -> Vec<usize> {
        let mut order = WaitingOrder::default();
        hashes.iter().enumerate().for_each(|(number, &hash)| order.insert(number, hash));
        order.take()
    }

    /// The orders that a program with `std::unordered_map` prints.
    #[test]
    fn the_order_is_that_of_the_library() {
        assert_eq!(order(&[1, 2, 3]), [2, 1, 0]);
        // 1 and 14 are in one of 13 buckets, and the new one comes first there.
        assert_eq!(order(&[1, 2, 14]), [1, 2, 0]);
        // The fourteenth lists all anew.
        let hashes: Vec<u64> = (0..14).collect();
        assert_eq!(order(&hashes), [13, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]);
    }

    #[test]
    fn what_was_removed_may_come_again() {
        let mut order = WaitingOrder::default();
        [5, 6, 7].into_iter().enumerate().for_each(|(number, hash)| order.insert(number, hash));
        order.remove(1);
        order.insert(1, 6);
        assert_eq!(order.take(), [1, 2, 0]);
    }

    #[test]
    fn every_tenth_index_counts_after_the_first_fifteen() {
        let indexes = |length: i32| (0..length).map(|t| Index { n: 0, t, x: 0 }).collect::<Vec<_>>();
        let counted = |length: usize| {
            let mut found = Vec::new();
            for place in 0..length {
                let mut changed = indexes(length as i32);
                changed[place].x = 1;
                if of_indexes(&changed) != of_indexes(&indexes(length as i32)) {
                    found.push(place);
                }
            }
            found
        };
        assert_eq!(counted(15).len(), 15);
        assert_eq!(counted(40)[15..], [15, 25, 35]);
    }
}
