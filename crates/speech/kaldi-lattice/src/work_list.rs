//! States that are made as they are reached.

use std::collections::HashMap;
use std::hash::{BuildHasher, Hash, Hasher, RandomState};
use std::rc::Rc;

use crate::builder::Builder;
use crate::graph::Graph;

/// A graph whose states stand for something each, and the states whose arcs are still to be made: the last one that was
/// found comes first.
pub(crate) struct WorkList<T> {
    pub(crate) builder: Builder,
    numbers: HashMap<Rc<T>, u32, Seed>,
    stack: Vec<(Rc<T>, u32)>,
}

impl<T: Eq + Hash> WorkList<T> {
    /// Begins with a start state.
    pub(crate) fn starting_with(first: T) -> Self {
        let mut list =
            Self { builder: Builder::default(), numbers: HashMap::with_hasher(Seed::new()), stack: Vec::new() };
        let start = list.number(first);
        list.builder.set_start(start);
        list
    }

    /// The state that stands for `item`: a new one, whose arcs are to be made, unless there is one.
    pub(crate) fn number(&mut self, item: T) -> u32 {
        if let Some(&number) = self.numbers.get(&item) {
            return number;
        }
        let (item, number) = (Rc::new(item), self.builder.add_state());
        self.stack.push((Rc::clone(&item), number));
        self.numbers.insert(item, number);
        number
    }

    /// Takes a state whose arcs are to be made.
    pub(crate) fn next(&mut self) -> Option<(Rc<T>, u32)> {
        self.stack.pop()
    }

    pub(crate) fn finish(self) -> Graph {
        self.builder.finish()
    }
}

/// Hashes lists of integers faster than the standard library does; the seed is another one in each list.
#[derive(Clone, Copy)]
pub(crate) struct Seed(u64);

impl Seed {
    pub(crate) fn new() -> Self {
        Self(RandomState::new().hash_one(0))
    }
}

impl BuildHasher for Seed {
    type Hasher = Mixer;

    fn build_hasher(&self) -> Mixer {
        Mixer(self.0)
    }
}

pub(crate) struct Mixer(u64);

/// The digits of the golden ratio.
const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;

impl Mixer {
    fn mix(&mut self, word: u64) {
        let product = u128::from(self.0 ^ word) * u128::from(MULTIPLIER);
        self.0 = (product as u64) ^ ((product >> 64) as u64).rotate_left(29) ^ word.rotate_left(17);
    }
}

impl Hasher for Mixer {
    fn write(&mut self, bytes: &[u8]) {
        let (words, rest) = bytes.as_chunks::<8>();
        words.iter().for_each(|word| self.mix(u64::from_le_bytes(*word)));
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        self.mix(u64::from_le_bytes(last) ^ bytes.len() as u64);
    }

    fn write_u32(&mut self, number: u32) {
        self.mix(number.into());
    }

    fn write_usize(&mut self, number: usize) {
        self.mix(number as u64);
    }

    fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn hashes_of_like_lists_differ_in_all_bits() {
        let seed = Seed::new();
        let lists = (0..20_000_i32).map(|number| vec![number % 7, number, 3]);
        let hashes: Vec<u64> = lists.map(|list| seed.hash_one(list)).collect();
        for shift in [0, 24, 48] {
            let parts: HashSet<u64> = hashes.iter().map(|hash| hash >> shift & 0xffff).collect();
            // Of 65536 parts, 20,000 that are drawn take about 17,200.
            assert!(parts.len() > 16_500, "{shift}: {}", parts.len());
        }
    }
}
