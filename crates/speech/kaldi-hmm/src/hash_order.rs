//! Sums of weights in the order in which Kaldi writes them: that of a hash table of the GNU C++ library.

/// How many buckets the table has after it has grown so often.
const BUCKETS: [usize; 20] = [
    13, 29, 59, 127, 257, 541, 1109, 2357, 5087, 10_273, 20_753, 42_043, 85_229, 172_933, 351_061, 712_697, 1_447_153,
    2_938_679, 5_967_347, 12_117_689,
];

/// Stands for no entry.
const NONE: u32 = u32::MAX;

/// Sums of weights by key, listed in the order of `std::unordered_map<int32, float>`.
///
/// The entries are a linked list in which those of a bucket (the remainder of the key) are neighbours. A new entry comes
/// first in its bucket, and first of all if its bucket was empty. As soon as there are more entries than buckets, there
/// are new buckets, and the entries are listed anew in their order.
#[derive(Clone, Debug, Default)]
pub struct HashOrderedSums {
    entries: Vec<Entry>,
    first: u32,
    /// The first entry of each bucket.
    buckets: Vec<u32>,
    growth: usize,
}

#[derive(Clone, Copy, Debug)]
struct Entry {
    key: i32,
    sum: f32,
    previous: u32,
    next: u32,
}

impl HashOrderedSums {
    /// Removes all entries. The number of buckets stays if `keep_buckets` is set, as in a table that is used again.
    pub fn clear(&mut self, keep_buckets: bool) {
        if keep_buckets {
            self.buckets.fill(NONE);
        } else {
            self.buckets.clear();
            self.growth = 0;
        }
        self.entries.clear();
        self.first = NONE;
    }

    /// The sum of a key, which is 0 at first.
    pub fn sum_mut(&mut self, key: i32) -> &mut f32 {
        if self.buckets.is_empty() {
            self.buckets = vec![NONE; BUCKETS[0]];
            self.first = NONE;
        }
        let mut at = self.buckets[self.bucket(key)];
        while at != NONE && self.bucket(self.entries[at as usize].key) == self.bucket(key) {
            if self.entries[at as usize].key == key {
                return &mut self.entries[at as usize].sum;
            }
            at = self.entries[at as usize].next;
        }
        if self.entries.len() == self.buckets.len() && self.growth + 1 < BUCKETS.len() {
            self.grow();
        }
        let new = self.entries.len();
        self.entries.push(Entry { key, sum: 0.0, previous: NONE, next: NONE });
        self.link(new as u32);
        &mut self.entries[new].sum
    }

    /// The keys and their sums in order.
    pub fn iter(&self) -> impl Iterator<Item = (i32, f32)> {
        let first = if self.entries.is_empty() { NONE } else { self.first };
        std::iter::successors(self.entries.get(first as usize), |entry| self.entries.get(entry.next as usize))
            .map(|entry| (entry.key, entry.sum))
    }

    /// The number of keys.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// Whether there are no keys.
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    fn bucket(&self, key: i32) -> usize {
        key as usize % self.buckets.len()
    }

    fn grow(&mut self) {
        self.growth += 1;
        self.buckets = vec![NONE; BUCKETS[self.growth]];
        let mut at = std::mem::replace(&mut self.first, NONE);
        while at != NONE {
            let next = self.entries[at as usize].next;
            self.link(at);
            at = next;
        }
    }

    /// Puts an entry before the first one of its bucket, or before all.
    fn link(&mut self, new: u32) {
        let bucket = self.bucket(self.entries[new as usize].key);
        let next = if self.buckets[bucket] == NONE { self.first } else { self.buckets[bucket] };
        let previous = self.entries.get(next as usize).map_or(NONE, |next| next.previous);
        self.entries[new as usize] = Entry { previous, next, ..self.entries[new as usize] };
        match self.entries.get_mut(previous as usize) {
            Some(previous) => previous.next = new,
            None => self.first = new,
        }
        if let Some(next) = self.entries.get_mut(next as usize) {
            next.previous = new;
        }
        self.buckets[bucket] = new;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn order(keys: impl IntoIterator<Item = i32>) -> Vec<i32> {
        let mut sums = HashOrderedSums::default();
        keys.into_iter().for_each(|key| *sums.sum_mut(key) += 1.0);
        sums.iter().map(|(key, _)| key).collect()
    }

    #[test]
    fn few_keys_come_in_reverse_order() {
        assert_eq!(order([]), []);
        assert_eq!(order([3, 1, 2, 3, 1]), [2, 1, 3]);
        // 14 is in the bucket of 1.
        assert_eq!(order([3, 1, 2, 14, 5]), [5, 2, 14, 1, 3]);
    }

    #[test]
    fn many_keys_are_listed_anew() {
        let reversed: Vec<i32> = (0..13).rev().collect();
        assert_eq!(order(0..13), reversed);
        // The fourteenth turns the first ones round once more, and comes before them.
        assert_eq!(order(0..14), [13].into_iter().chain(0..13).collect::<Vec<_>>());
        assert_eq!(order(0..30)[..3], [29, 12, 11]);
        let mut all = order((0..5000).map(|key| key * 7919 % 10_007));
        all.sort_unstable();
        assert_eq!(all.len(), 5000);
    }

    #[test]
    fn a_table_that_is_used_again_keeps_its_buckets() {
        let mut sums = HashOrderedSums::default();
        (0..14).for_each(|key| *sums.sum_mut(key) += 1.0);
        sums.clear(true);
        assert!(sums.is_empty() && sums.iter().next().is_none());
        [1, 14].into_iter().for_each(|key| *sums.sum_mut(key) = 0.5);
        assert_eq!(sums.iter().collect::<Vec<_>>(), [(14, 0.5), (1, 0.5)]);
        sums.clear(false);
        [1, 3, 14].into_iter().for_each(|key| *sums.sum_mut(key) += 1.0);
        assert_eq!(sums.iter().map(|(key, _)| key).collect::<Vec<_>>(), [3, 14, 1]);
        assert_eq!(sums.len(), 3);
    }
}
