//! Which lines of a list are read, and in which order.

use kaldi_reader::{BoxReader, Draws, Reader, ReaderExt, Share, Step, from_fn, passes};

use crate::{Error, ListOrder, Pass, python_order};

/// A pseudo-random order of `0..length` from a seed. Any place of it can be computed by itself, without a list of all
/// (a Feistel network over a power of 4; numbers beyond the length go through again).
///
/// ```
/// let order = kaldi_feed::Permutation::new(7, 5);
/// let mut all: Vec<u64> = (0..5).map(|place| order.at(place)).collect();
/// all.sort_unstable();
/// assert_eq!(all, [0, 1, 2, 3, 4]);
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Permutation {
    length: u64,
    half_bits: u32,
    keys: [u64; 6],
}

impl Permutation {
    /// The order of a seed.
    pub fn new(seed: u64, length: u64) -> Self {
        let bits = u64::BITS - length.saturating_sub(1).leading_zeros();
        let mut draws = Draws::seeded(seed);
        Self { length, half_bits: bits.div_ceil(2).max(1), keys: std::array::from_fn(|_| draws.bits()) }
    }

    /// The number at a place.
    ///
    /// # Panics
    /// If the place is not less than the length.
    pub fn at(&self, place: u64) -> u64 {
        assert!(place < self.length, "place {place} of {}", self.length);
        let mut number = place;
        loop {
            number = self.pass(number);
            if number < self.length {
                return number;
            }
        }
    }

    fn pass(&self, number: u64) -> u64 {
        let mask = (1_u64 << self.half_bits) - 1;
        let (mut left, mut right) = (number >> self.half_bits, number & mask);
        for key in self.keys {
            let mixed = Draws::seeded(key ^ right).bits() >> (64 - self.half_bits);
            (left, right) = (right, left ^ mixed);
        }
        left << self.half_bits | right
    }
}

/// A line of a list, from 0 on, and the seed and the epoch of its sample.
pub(crate) type Pick = (usize, [u64; 2]);

/// Which part of a list is read, and in which order.
#[derive(Clone, Debug)]
pub(crate) struct Reading {
    pub(crate) order: ListOrder,
    pub(crate) share: Share,
    pub(crate) seed: u64,
    pub(crate) epoch: u64,
    /// Whether the whole list is shuffled as Python does it.
    pub(crate) is_python: bool,
}

/// The picks of a list of some length: the part of each pass.
pub(crate) fn picks(length: usize, reading: Reading) -> impl Reader<Item = Pick, Error = Error> + Send {
    passes(reading.order.passes, move |pass| {
        // One epoch has as many passes as the list is read.
        let epoch = reading.epoch.wrapping_mul(reading.order.passes).wrapping_add(pass);
        let pass = Pass { seed: reading.seed, epoch };
        let items = order(length, &reading, pass).partition(reading.share);
        Ok(items.filter_map(move |item| Ok(Some((item, [pass.seed, pass.epoch])))))
    })
}

/// The order of a pass.
fn order(length: usize, reading: &Reading, pass: Pass) -> BoxReader<usize, Error> {
    let (window, seed) = (reading.order.window, pass.seed_of("list_shuffle"));
    if window <= 1 {
        return counted(length, |place| place);
    }
    if reading.is_python {
        let order: Vec<u32> = python_order(pass.epoch, length).into_iter().map(|item| item as u32).collect();
        return counted(length, move |place| order[place] as usize);
    }
    if window >= length {
        let order = Permutation::new(seed, length as u64);
        return counted(length, move |place| order.at(place as u64) as usize);
    }
    counted(length, |place| place).shuffle_stream(window, seed).boxed()
}

/// What a function makes of `0..length`.
fn counted(length: usize, item: impl Fn(usize) -> usize + Send + 'static) -> BoxReader<usize, Error> {
    let mut next = 0;
    from_fn(move |step| {
        if step == Step::Restart {
            next = 0;
            return Ok(None);
        }
        let place = next;
        next += 1;
        Ok((place < length).then(|| item(place)))
    })
    .boxed()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_permutation_has_every_number_once() {
        for length in [0, 1, 2, 3, 4, 5, 16, 17, 100, 1000] {
            let order = Permutation::new(5, length);
            let mut all: Vec<u64> = (0..length).map(|place| order.at(place)).collect();
            if length >= 16 {
                assert_ne!(all, (0..length).collect::<Vec<_>>());
            }
            all.sort_unstable();
            assert!(all.into_iter().eq(0..length), "{length}");
        }
    }

    #[test]
    fn permutations_are_spread_evenly() {
        // Counts where number 0 goes, for many seeds.
        let mut counts = [0; 10];
        for seed in 0..10_000 {
            counts[Permutation::new(seed, 10).at(0) as usize] += 1;
        }
        assert!(counts.iter().all(|count| (850..1150).contains(count)), "{counts:?}");
    }

    fn all_picks(order: ListOrder, share: Share, is_python: bool) -> Vec<Pick> {
        picks(41, Reading { order, share, seed: 3, epoch: 2, is_python }).read_all().unwrap()
    }

    #[test]
    fn each_pass_is_dealt_exactly_and_in_another_order() {
        for (window, is_python) in [(1, false), (10, false), (usize::MAX, false), (usize::MAX, true)] {
            let order = ListOrder { window, passes: 3 };
            for (world_size, num_workers) in [(1, 1), (2, 3), (3, 2), (50, 1)] {
                let mut all = Vec::new();
                for rank in 0..world_size {
                    for worker in 0..num_workers {
                        let share = Share::new(rank, world_size, worker, num_workers).unwrap();
                        all.extend(all_picks(order.clone(), share, is_python));
                    }
                }
                all.sort_unstable();
                let mut expected: Vec<Pick> =
                    (0..3).flat_map(|pass| (0..41).map(move |item| (item, [3, 2 * 3 + pass]))).collect();
                expected.sort_unstable();
                assert_eq!(all, expected);
            }
            let all = all_picks(order, Share::default(), is_python);
            let items = |pass: usize| all[41 * pass..41 * (pass + 1)].iter().map(|pick| pick.0).collect::<Vec<_>>();
            assert_eq!(items(0) == items(1), window == 1);
        }
    }

    #[test]
    fn the_order_of_python_is_that_of_its_epoch() {
        let all = all_picks(ListOrder { window: usize::MAX, passes: 1 }, Share::default(), true);
        assert!(all.iter().map(|pick| pick.0).eq(python_order(2, 41)));
        let share = Share::new(1, 2, 1, 2).unwrap();
        let part = all_picks(ListOrder { window: usize::MAX, passes: 1 }, share, true);
        assert!(
            part.iter().map(|pick| pick.0).eq(python_order(2, 41).into_iter().skip(1).step_by(2).skip(1).step_by(2))
        );
    }
}
