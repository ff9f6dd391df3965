//! Graphs that grow: a new state waits until its arcs are made.

use std::collections::HashMap;
use std::hash::Hash;

use crate::graph::Builder;

/// A graph that grows from its start. A state is known by its key, and waits as what it stands for.
pub(crate) struct Growing<K, T> {
    pub(crate) builder: Builder,
    numbers: HashMap<K, u32>,
    waiting: Vec<(T, u32)>,
}

impl<K: Eq + Hash, T> Growing<K, T> {
    /// A graph with its start.
    pub(crate) fn from(key: K, start: impl FnOnce(&K) -> T) -> Self {
        let mut growing = Self { builder: Builder::default(), numbers: HashMap::new(), waiting: Vec::new() };
        let start = growing.number(key, start);
        growing.builder.set_start(start);
        growing
    }

    /// The number of the state of this key. A new one waits as `state` of the key.
    pub(crate) fn number(&mut self, key: K, state: impl FnOnce(&K) -> T) -> u32 {
        *self.numbers.entry(key).or_insert_with_key(|key| {
            let number = self.builder.add_state();
            self.waiting.push((state(key), number));
            number
        })
    }

    /// The last state that waits, with its number.
    pub(crate) fn next(&mut self) -> Option<(T, u32)> {
        self.waiting.pop()
    }
}
