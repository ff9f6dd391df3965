//! The share of one process of many.

use crate::{Error, Reader};

/// The part of a stream that one of several workers of one of several ranks gets.
///
/// Values are dealt to ranks in turn, and those of a rank to its workers in turn. Rank `r` of `n` gets the values with
/// the numbers `r, r + n, r + 2n, ...`; of these, worker `w` of `m` gets those with the numbers `w, w + m, w + 2m,
/// ...`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    rank: u64,
    world_size: u64,
    worker: u64,
    num_workers: u64,
}

impl Default for Share {
    /// Everything.
    fn default() -> Self {
        Self { rank: 0, world_size: 1, worker: 0, num_workers: 1 }
    }
}

impl Share {
    /// The share of a worker and a rank; both are counted from 0.
    ///
    /// # Errors
    /// If there are no ranks or workers, or a number is too large.
    pub fn new(rank: u64, world_size: u64, worker: u64, num_workers: u64) -> Result<Self, Error> {
        for (among, index, count) in [("ranks", rank, world_size), ("workers", worker, num_workers)] {
            if index >= count {
                return Err(Error::Share { among, index, count });
            }
        }
        Ok(Self { rank, world_size, worker, num_workers })
    }

    /// Whether the value with this number, counted from 0, is in the share.
    pub fn contains(&self, place: u64) -> bool {
        place % self.world_size == self.rank && place / self.world_size % self.num_workers == self.worker
    }
}

/// Delivers the values of a share.
pub fn partition<R: Reader>(reader: R, share: Share) -> Partition<R> {
    Partition { reader, share, place: 0 }
}

/// The reader that [`partition`] makes.
#[derive(Debug)]
pub struct Partition<R> {
    reader: R,
    share: Share,
    place: u64,
}

impl<R: Reader> Reader for Partition<R> {
    type Item = R::Item;
    type Error = R::Error;

    fn next(&mut self) -> Result<Option<R::Item>, R::Error> {
        while let Some(value) = self.reader.next()? {
            self.place += 1;
            if self.share.contains(self.place - 1) {
                return Ok(Some(value));
            }
        }
        Ok(None)
    }

    fn restart(&mut self) -> Result<(), R::Error> {
        self.place = 0;
        self.reader.restart()
    }

    fn finish(&mut self) -> Result<(), R::Error> {
        self.reader.finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ReaderExt, from_slice};

    #[test]
    fn shares_are_a_partition_and_slices_of_slices() {
        let values: Vec<usize> = (0..41).collect();
        for world_size in 1..5 {
            for num_workers in 1..4 {
                let mut all = Vec::new();
                for rank in 0..world_size {
                    for worker in 0..num_workers {
                        let share = Share::new(rank, world_size, worker, num_workers).unwrap();
                        let got = from_slice(&values).partition(share).read_all().unwrap();
                        let of_rank = values.iter().skip(rank as usize).step_by(world_size as usize);
                        let expected = of_rank.skip(worker as usize).step_by(num_workers as usize);
                        assert!(got.iter().eq(expected), "{share:?}");
                        all.extend(got);
                    }
                }
                all.sort_unstable();
                assert_eq!(all, values);
            }
        }
    }

    #[test]
    fn shares_that_do_not_exist_are_refused() {
        let refused = |rank, world_size, worker, num_workers| {
            Share::new(rank, world_size, worker, num_workers).unwrap_err().to_string()
        };
        assert_eq!(refused(2, 2, 0, 1), "expected a number from 0 to 1 of 2 ranks, got 2");
        assert_eq!(refused(0, 1, 0, 0), "expected 1 or more workers, got 0");
    }
}
