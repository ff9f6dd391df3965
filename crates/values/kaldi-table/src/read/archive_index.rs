//! The index of an archive: the offset of each value, by key.

use std::hash::{BuildHasher, RandomState};

use bstr::BStr;
use hashbrown::HashTable;
use kaldi_io::Blob;

/// Where a value is.
#[derive(Clone, Debug)]
pub(crate) enum EntryPlace {
    /// In the file: its offset, and the number of its bytes.
    InFile(u64, u64),
    /// In memory.
    InMemory(Box<Blob>),
    /// It was asked for, and `o` says that it will not be asked for again.
    Spent,
}

/// Places by key.
///
/// A key takes its bytes, 32 bytes for the place, and 10 to 21 bytes of the index. The bytes of keys that were removed are
/// freed when no key is left.
#[derive(Default)]
pub(crate) struct Places {
    /// All keys, one after the other.
    text: Vec<u8>,
    /// The start of each key, and its place. The key ends where the next one starts.
    entries: Vec<(usize, EntryPlace)>,
    /// Numbers of the entries, by the hashes of their keys.
    index: HashTable<usize>,
    hasher: RandomState,
}

impl Places {
    /// The place of a key.
    pub(crate) fn get(&self, key: &BStr) -> Option<&EntryPlace> {
        let hash = self.hasher.hash_one(key);
        let number = self.index.find(hash, |&number| key_of(&self.text, &self.entries, number) == key)?;
        Some(&self.entries[*number].1)
    }

    /// Sets the place of a key. Returns whether the key is new.
    pub(crate) fn insert(&mut self, key: &BStr, place: EntryPlace) -> bool {
        let Self { text, entries, index, hasher } = self;
        let hash = hasher.hash_one(key);
        if let Some(&number) = index.find(hash, |&number| key_of(text, entries, number) == key) {
            entries[number].1 = place;
            return false;
        }
        entries.push((text.len(), place));
        text.extend_from_slice(key);
        index.insert_unique(hash, entries.len() - 1, |&number| hasher.hash_one(key_of(text, entries, number)));
        true
    }

    /// Removes a key.
    pub(crate) fn remove(&mut self, key: &BStr) {
        let Self { text, entries, index, hasher } = self;
        let found = index.find_entry(hasher.hash_one(key), |&number| key_of(text, entries, number) == key);
        if let Ok(found) = found {
            let (number, _) = found.remove();
            entries[number].1 = EntryPlace::Spent;
        }
        if index.is_empty() {
            text.clear();
            entries.clear();
        }
    }

    /// The places of all keys.
    #[cfg(test)]
    pub(crate) fn all(&self) -> impl Iterator<Item = &EntryPlace> {
        self.index.iter().map(|&number| &self.entries[number].1)
    }
}

fn key_of<'a>(text: &'a [u8], entries: &[(usize, EntryPlace)], number: usize) -> &'a BStr {
    let end = entries.get(number + 1).map_or(text.len(), |(next, _)| *next);
    BStr::new(&text[entries[number].0..end])
}

#[cfg(test)]
mod tests {
    use super::*;

    fn offset(places: &Places, key: &str) -> Option<u64> {
        match places.get(key.into())? {
            EntryPlace::InFile(offset, _) => Some(*offset),
            EntryPlace::InMemory(_) | EntryPlace::Spent => None,
        }
    }

    #[test]
    fn places_are_found_by_key() {
        let mut places = Places::default();
        for number in 0..1000 {
            assert!(places.insert(format!("utt{number}").as_str().into(), EntryPlace::InFile(number, 1)));
        }
        assert!(!places.insert("utt7".into(), EntryPlace::InFile(5000, 1)));
        assert_eq!(offset(&places, "utt7"), Some(5000));
        assert!((100..1000).all(|number| offset(&places, &format!("utt{number}")) == Some(number)));
        assert!(places.get("utt".into()).is_none());
        assert!(places.get("utt1000".into()).is_none());
    }

    #[test]
    fn keys_that_were_removed_take_no_memory_in_the_end() {
        let mut places = Places::default();
        for number in 0..100 {
            places.insert(format!("utt{number}").as_str().into(), EntryPlace::InFile(number, 1));
        }
        for number in 0..100 {
            assert_eq!(offset(&places, "utt99"), Some(99));
            places.remove(format!("utt{number}").as_str().into());
        }
        assert!(places.get("utt99".into()).is_none());
        assert!(places.text.is_empty() && places.entries.is_empty());
        places.remove("utt99".into());
        assert!(places.insert("utt99".into(), EntryPlace::Spent));
    }
}
