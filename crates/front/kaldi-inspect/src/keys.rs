//! The order of keys, and repeated keys.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

use bstr::{BStr, BString};

/// Follows the keys of a table. It keeps a hash of 16 bytes of each key; two keys practically never have the same.
#[derive(Debug, Default)]
pub struct Keys {
    last: Option<BString>,
    seen: HashSet<[u64; 2]>,
    hashers: [RandomState; 2],
}

/// How a key relates to those before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyRelation {
    /// Whether it should come before the last one, in the order of bytes (`LC_ALL=C sort`).
    pub is_unsorted: bool,
    /// Whether it was there before.
    pub is_duplicate: bool,
}

impl Keys {
    /// Adds the next key.
    pub fn add(&mut self, key: &BStr) -> KeyRelation {
        let hash = [self.hashers[0].hash_one(key), self.hashers[1].hash_one(key)];
        let is_unsorted = self.last.as_ref().is_some_and(|last| key < last);
        let is_duplicate = !self.seen.insert(hash);
        let last = self.last.get_or_insert_default();
        last.clear();
        last.extend_from_slice(key);
        KeyRelation { is_unsorted, is_duplicate }
    }

    /// The last key that was added.
    pub fn last(&self) -> Option<&BStr> {
        self.last.as_ref().map(AsRef::as_ref)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_in_the_order_of_their_bytes() {
        let mut keys = Keys::default();
        let mut add = |key: &str| {
            let place = keys.add(key.into());
            (place.is_unsorted, place.is_duplicate)
        };
        assert_eq!(
            ["", "A", "a", "a", "B", "\u{e4}", "a"].map(&mut add).map(|(unsorted, _)| unsorted),
            [false, false, false, false, true, false, true]
        );
        assert_eq!(["b", "a", "b"].map(add).map(|(_, again)| again), [false, true, true]);
    }
}
