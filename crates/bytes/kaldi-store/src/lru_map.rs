//! An LRU map.

use std::borrow::Borrow;
use std::collections::HashMap;
use std::hash::Hash;

/// Entries of each half.
const HALF: usize = 4096;

/// A map that drops old entries, so that it stays small for any number of objects.
#[derive(Debug)]
pub struct LruMap<K, V> {
    new: HashMap<K, V>,
    old: HashMap<K, V>,
}

impl<K, V> Default for LruMap<K, V> {
    fn default() -> Self {
        Self { new: HashMap::new(), old: HashMap::new() }
    }
}

impl<K: Hash + Eq, V> LruMap<K, V> {
    /// The value of a key, if it is still there.
    pub fn get<Q: Hash + Eq + ?Sized>(&self, key: &Q) -> Option<&V>
    where
        K: Borrow<Q>,
    {
        self.new.get(key).or_else(|| self.old.get(key))
    }

    /// The value of a key, if it is still there.
    pub fn get_mut<Q: Hash + Eq + ?Sized>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
    {
        self.new.get_mut(key).or_else(|| self.old.get_mut(key))
    }

    /// Puts a value there.
    pub fn put(&mut self, key: K, value: V) {
        self.old.remove(&key);
        self.new.insert(key, value);
        if self.new.len() == HALF {
            self.old = std::mem::take(&mut self.new);
        }
    }

    /// Removes a key.
    pub fn remove<Q: Hash + Eq + ?Sized>(&mut self, key: &Q)
    where
        K: Borrow<Q>,
    {
        self.new.remove(key);
        self.old.remove(key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_ones_are_there() {
        let mut recent = LruMap::default();
        for number in 0..3 * HALF {
            recent.put(number, number + 1);
            assert_eq!(recent.get(&number), Some(&(number + 1)));
            assert_eq!(recent.get(&number.saturating_sub(HALF - 1)), Some(&(number.saturating_sub(HALF - 1) + 1)));
        }
        assert!(recent.get(&0).is_none() && recent.new.len() + recent.old.len() <= 2 * HALF);
        recent.remove(&(3 * HALF - 1));
        assert!(recent.get(&(3 * HALF - 1)).is_none());
    }
}
