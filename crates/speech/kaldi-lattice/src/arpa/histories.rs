//! Histories of words, as a trie: each is found from the one without its last word.

use std::hash::{BuildHasher, RandomState};

use hashbrown::HashTable;

/// The place of a history in the trie.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Node(u32);

/// The state of a history that has none.
const NO_STATE: u32 = u32::MAX;

#[derive(Clone, Copy, Debug)]
struct Entry {
    parent: u32,
    word: i32,
    state: u32,
}

/// Histories and their states.
#[derive(Debug)]
pub(super) struct Histories {
    nodes: Vec<Entry>,
    places: HashTable<u32>,
    /// Nobody can choose words whose hashes collide without knowing it.
    seed: u64,
}

/// Mixes two numbers and a seed into a hash.
fn hash(seed: u64, parent: u32, word: i32) -> u64 {
    let mixed = (u64::from(parent) << 32 | u64::from(word as u32)) ^ seed;
    let mixed = (mixed ^ (mixed >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    let mixed = (mixed ^ (mixed >> 32)).wrapping_mul(0xd6e8_feb8_6659_fd93);
    mixed ^ (mixed >> 32)
}

impl Histories {
    /// The history of no words, which has a state.
    pub(super) const ROOT: Node = Node(0);

    pub(super) fn new(state: u32) -> Self {
        let nodes = vec![Entry { parent: 0, word: 0, state }];
        Self { nodes, places: HashTable::new(), seed: RandomState::new().hash_one(0) }
    }

    fn child(&self, node: Node, word: i32) -> Option<Node> {
        let is_it = |place: &u32| {
            let entry = &self.nodes[*place as usize];
            (entry.parent, entry.word) == (node.0, word)
        };
        self.places.find(hash(self.seed, node.0, word), is_it).map(|place| Node(*place))
    }

    /// The state of a list of words, if it has one.
    pub(super) fn state_of(&self, words: &[i32]) -> Option<u32> {
        let mut node = Self::ROOT;
        for &word in words {
            node = self.child(node, word)?;
        }
        Some(self.nodes[node.0 as usize].state).filter(|state| *state != NO_STATE)
    }

    /// The state of the longest history that ends the words and has one.
    pub(super) fn longest_suffix(&self, words: &[i32]) -> u32 {
        let suffixes = (0..=words.len()).map(|skipped| &words[skipped..]);
        // The history of no words has a state.
        suffixes.into_iter().find_map(|suffix| self.state_of(suffix)).unwrap_or(0)
    }

    /// Gives a list of words a state.
    pub(super) fn set_state(&mut self, words: &[i32], state: u32) {
        let mut node = Self::ROOT;
        for &word in words {
            node = self.child(node, word).unwrap_or_else(|| self.add(node, word));
        }
        self.nodes[node.0 as usize].state = state;
    }

    fn add(&mut self, parent: Node, word: i32) -> Node {
        let place = self.nodes.len() as u32;
        self.nodes.push(Entry { parent: parent.0, word, state: NO_STATE });
        let (nodes, seed) = (&self.nodes, self.seed);
        let rehash = |place: &u32| {
            let entry = &nodes[*place as usize];
            hash(seed, entry.parent, entry.word)
        };
        self.places.insert_unique(hash(seed, parent.0, word), place, rehash);
        Node(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_suffix_with_a_state_is_found() {
        let mut histories = Histories::new(0);
        histories.set_state(&[1, 2, 3], 7);
        histories.set_state(&[3], 9);
        assert_eq!(histories.state_of(&[1, 2]), None);
        assert_eq!(histories.longest_suffix(&[5, 1, 2, 3]), 7);
        assert_eq!(histories.longest_suffix(&[2, 3]), 9);
        assert_eq!(histories.longest_suffix(&[2]), 0);
        assert_eq!(histories.longest_suffix(&[]), 0);
    }
}
