//! Joins several values to one.

use crate::source::Source;
use crate::{Error, Reader};

/// What happens to values that are too few for a batch, at the end of the stream.
#[derive(Debug, Default)]
pub enum Leftover<V> {
    /// They make a smaller batch.
    #[default]
    Keep,
    /// They are not delivered.
    Drop,
    /// The batch is filled with copies of them, from its first value on, made by this function.
    Fill(fn(&V) -> V),
}

impl<V> Clone for Leftover<V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<V> Copy for Leftover<V> {}

impl<V> Leftover<V> {
    /// The last batch of `values`, which are fewer than `size`.
    fn complete(self, mut values: Vec<V>, size: usize) -> Option<Vec<V>> {
        match self {
            Self::Keep => {}
            Self::Drop => return None,
            Self::Fill(copy) => {
                let given = values.len();
                while given > 0 && values.len() < size {
                    values.push(copy(&values[values.len() - given]));
                }
            }
        }
        (!values.is_empty()).then_some(values)
    }
}

/// Joins `size` values each to a batch. A size of 0 counts as 1.
pub fn batch<R: Reader>(reader: R, size: usize, leftover: Leftover<R::Item>) -> Batch<R> {
    Batch { source: Source::new(reader), size: size.max(1), leftover }
}

/// The reader that [`batch`] makes.
pub struct Batch<R: Reader> {
    source: Source<R>,
    size: usize,
    leftover: Leftover<R::Item>,
}

impl<R: Reader> Reader for Batch<R> {
    type Item = Vec<R::Item>;
    type Error = R::Error;

    fn next(&mut self) -> Result<Option<Self::Item>, R::Error> {
        let mut values = Vec::new();
        while values.len() < self.size {
            match self.source.read() {
                Some(value) => values.push(value),
                None => match self.leftover.complete(values, self.size) {
                    Some(values) => return Ok(Some(values)),
                    None => return self.source.end(),
                },
            }
        }
        Ok(Some(values))
    }

    fn restart(&mut self) -> Result<(), R::Error> {
        self.source.restart()
    }

    fn finish(&mut self) -> Result<(), R::Error> {
        self.source.finish()
    }
}

/// Joins values to batches of at most `max_frames` frames with padding: the longest value's `length` times the number of values.
///
/// A value longer than that is a batch of its own. The last batch is delivered as it is.
pub fn batch_by_frames<R, L>(reader: R, max_frames: usize, length: L) -> BatchByFrames<R, L>
where
    R: Reader,
    L: FnMut(&R::Item) -> usize,
{
    BatchByFrames { source: Source::new(reader), max_frames, length, next: None }
}

/// The reader that [`batch_by_frames`] makes.
pub struct BatchByFrames<R: Reader, L> {
    source: Source<R>,
    max_frames: usize,
    length: L,
    /// The value that did not fit into the last batch, and its length.
    next: Option<(R::Item, usize)>,
}

impl<R: Reader, L: FnMut(&R::Item) -> usize> Reader for BatchByFrames<R, L> {
    type Item = Vec<R::Item>;
    type Error = R::Error;

    fn next(&mut self) -> Result<Option<Self::Item>, R::Error> {
        let mut values = Vec::new();
        let mut longest = 0;
        while let Some((value, length)) = self.next.take().or_else(|| {
            let value = self.source.read()?;
            let length = (self.length)(&value);
            Some((value, length))
        }) {
            let frames = length.max(longest).saturating_mul(values.len() + 1);
            if frames > self.max_frames && !values.is_empty() {
                self.next = Some((value, length));
                break;
            }
            longest = longest.max(length);
            values.push(value);
        }
        if values.is_empty() { self.source.end() } else { Ok(Some(values)) }
    }

    fn restart(&mut self) -> Result<(), R::Error> {
        self.next = None;
        self.source.restart()
    }

    fn finish(&mut self) -> Result<(), R::Error> {
        self.next = None;
        self.source.finish()
    }
}

/// Lengths with a batch size each: `sizes[i]` is the size for lengths below `boundaries[i]`, the last one for all
/// others.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Buckets {
    boundaries: Vec<usize>,
    sizes: Vec<usize>,
}

impl Buckets {
    /// Checks boundaries and sizes.
    ///
    /// # Errors
    /// If the boundaries do not rise, a size is 0, or the number of sizes is not that of boundaries plus one.
    pub fn new(boundaries: Vec<usize>, sizes: Vec<usize>) -> Result<Self, Error> {
        if sizes.len() != boundaries.len() + 1 {
            return Err(Error::NumBuckets { boundaries: boundaries.len(), sizes: sizes.len() });
        }
        if let Some(pair) = boundaries.windows(2).find(|pair| pair[0] >= pair[1]) {
            return Err(Error::Boundaries { lower: pair[0], upper: pair[1] });
        }
        if let Some(bucket) = sizes.iter().position(|&size| size == 0) {
            return Err(Error::BucketSize { bucket });
        }
        Ok(Self { boundaries, sizes })
    }

    /// The bucket of a length, from 0 on.
    pub fn of(&self, length: usize) -> usize {
        self.boundaries.partition_point(|&boundary| boundary <= length)
    }
}

/// Joins values of similar `length` to batches.
///
/// A bucket is delivered when it is full. If all buckets together hold `max_values`, the fullest one is delivered. At
/// the end the leftovers come, a batch for each bucket, in the order in which the buckets got their first values.
pub fn batch_by_length<R, L>(
    reader: R,
    buckets: Buckets,
    max_values: usize,
    leftover: Leftover<R::Item>,
    length: L,
) -> BatchByLength<R, L>
where
    R: Reader,
    L: FnMut(&R::Item) -> usize,
{
    BatchByLength {
        source: Source::new(reader),
        buckets,
        max_values: max_values.max(1),
        leftover,
        length,
        held: Vec::new(),
        num_held: 0,
    }
}

/// The reader that [`batch_by_length`] makes.
pub struct BatchByLength<R: Reader, L> {
    source: Source<R>,
    buckets: Buckets,
    max_values: usize,
    leftover: Leftover<R::Item>,
    length: L,
    /// The buckets that have values, in the order of their first values.
    held: Vec<(usize, Vec<R::Item>)>,
    num_held: usize,
}

impl<R: Reader, L: FnMut(&R::Item) -> usize> BatchByLength<R, L> {
    /// Puts a value into its bucket, and returns the index of the bucket in `held`.
    fn hold(&mut self, value: R::Item) -> usize {
        let bucket = self.buckets.of((self.length)(&value));
        self.num_held += 1;
        if let Some(place) = self.held.iter().position(|held| held.0 == bucket) {
            self.held[place].1.push(value);
            return place;
        }
        self.held.push((bucket, vec![value]));
        self.held.len() - 1
    }

    fn take(&mut self, place: usize) -> (usize, Vec<R::Item>) {
        let (bucket, values) = self.held.remove(place);
        self.num_held -= values.len();
        (self.buckets.sizes[bucket], values)
    }

    /// The index of the fullest bucket, the oldest one of several.
    fn fullest(&self) -> usize {
        let mut fullest = 0;
        for (place, held) in self.held.iter().enumerate() {
            if held.1.len() > self.held[fullest].1.len() {
                fullest = place;
            }
        }
        fullest
    }
}

impl<R: Reader, L: FnMut(&R::Item) -> usize> Reader for BatchByLength<R, L> {
    type Item = Vec<R::Item>;
    type Error = R::Error;

    fn next(&mut self) -> Result<Option<Self::Item>, R::Error> {
        while let Some(value) = self.source.read() {
            let place = self.hold(value);
            let (bucket, values) = &self.held[place];
            if values.len() >= self.buckets.sizes[*bucket] {
                return Ok(Some(self.take(place).1));
            }
            if self.num_held >= self.max_values {
                let fullest = self.fullest();
                return Ok(Some(self.take(fullest).1));
            }
        }
        while !self.held.is_empty() {
            let (size, values) = self.take(0);
            if let Some(values) = self.leftover.complete(values, size) {
                return Ok(Some(values));
            }
        }
        self.source.end()
    }

    fn restart(&mut self) -> Result<(), R::Error> {
        self.held.clear();
        self.num_held = 0;
        self.source.restart()
    }

    fn finish(&mut self) -> Result<(), R::Error> {
        self.held.clear();
        self.num_held = 0;
        self.source.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ReaderExt, from_slice};

    #[test]
    fn leftovers_are_kept_dropped_or_filled() {
        let batches = |leftover| from_slice(&[1, 2, 3, 4, 5, 6, 7]).batch(5, leftover).read_all().unwrap();
        assert_eq!(batches(Leftover::Keep), [vec![1, 2, 3, 4, 5], vec![6, 7]]);
        assert_eq!(batches(Leftover::Drop), [[1, 2, 3, 4, 5]]);
        assert_eq!(batches(Leftover::Fill(Clone::clone)), [[1, 2, 3, 4, 5], [6, 7, 6, 7, 6]]);
    }

    #[test]
    fn padding_counts_as_frames() {
        let lengths = [10, 20, 30, 40, 50, 60, 200, 10, 10];
        let batches = from_slice(&lengths).batch_by_frames(100, |length| *length).read_all().unwrap();
        assert_eq!(batches, [vec![10, 20, 30], vec![40, 50], vec![60], vec![200], vec![10, 10]]);
    }

    #[test]
    fn a_length_beyond_all_numbers_is_a_batch_of_its_own() {
        let batches = from_slice(&[usize::MAX, usize::MAX]).batch_by_frames(100, |length| *length).read_all().unwrap();
        assert_eq!(batches.len(), 2);
    }

    #[test]
    fn buckets_are_delivered_when_they_are_full_and_then_as_they_were_begun() {
        let buckets = Buckets::new(vec![10, 20], vec![3, 2, 1]).unwrap();
        let lengths = [5, 15, 6, 10, 20, 19, 7, 8, 9];
        let reader = |leftover| from_slice(&lengths).batch_by_length(buckets.clone(), 100, leftover, |length| *length);
        let batches = reader(Leftover::Keep).read_all().unwrap();
        assert_eq!(batches, [vec![15, 10], vec![20], vec![5, 6, 7], vec![19], vec![8, 9]]);
        let batches = reader(Leftover::Drop).read_all().unwrap();
        assert_eq!(batches, [vec![15, 10], vec![20], vec![5, 6, 7]]);
        let batches = reader(Leftover::Fill(Clone::clone)).read_all().unwrap();
        assert_eq!(batches[3..], [vec![19, 19], vec![8, 9, 8]]);
    }

    #[test]
    fn the_fullest_bucket_goes_where_too_much_is_held() {
        let buckets = Buckets::new(vec![10], vec![9, 9]).unwrap();
        let reader = from_slice(&[1, 11, 12, 2, 3]).batch_by_length(buckets, 4, Leftover::Keep, |length| *length);
        let batches = { reader }.read_all().unwrap();
        assert_eq!(batches, [vec![1, 2], vec![11, 12], vec![3]]);
    }

    #[test]
    fn buckets_that_make_no_sense_are_refused() {
        let refused = |boundaries: &[usize], sizes: &[usize]| {
            Buckets::new(boundaries.to_vec(), sizes.to_vec()).unwrap_err().to_string()
        };
        assert_eq!(refused(&[10], &[1]), "expected 2 batch sizes for 1 boundaries of buckets, got 1");
        assert_eq!(refused(&[10, 10], &[1, 1, 1]), "expected boundaries of buckets that rise, got 10 after 10");
        assert_eq!(refused(&[10], &[1, 0]), "expected a batch size of 1 or more for bucket 1, got 0");
    }
}
