//! A compact in-memory store of entries, for random access later.

use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;

use bstr::{BStr, ByteSlice};
use hashbrown::HashTable;
use kaldi_io::{Blob, ReadAt};

use crate::Result;
use crate::ranged::Ranged;
use crate::raw::RawEntry;

/// Values of files up to this size are read as a whole when they are asked for.
const SHORT: u64 = 1 << 16;

/// Entries in their order, of which a few bytes are kept: the keys, the places of values in files, and other values.
///
/// An entry takes 48 bytes, its key, and a value that is in no file; 10 to 20 bytes more once keys are looked for.
#[derive(Debug, Default)]
pub struct KeptEntries {
    /// Keys, ranges and values.
    text: Vec<u8>,
    records: Vec<KeptEntry>,
    /// Where values are.
    places: Vec<ValuePlace>,
    /// The script file of all entries.
    script: Option<Arc<str>>,
    /// Entries of which more has to be kept.
    whole: Vec<RawEntry>,
    index: Option<KeyPlaces>,
}

/// What is kept of an entry.
#[derive(Clone, Copy, Debug)]
struct KeptEntry {
    /// Where the key starts in the text. The range and the value are after it. Of a whole entry, its index.
    start: usize,
    key: u32,
    range: u32,
    /// The index of the place, and whether it is text.
    place: u32,
    is_text: bool,
    kind: KeptForm,
    /// Offset of the value in the stream, and its bytes.
    offset: u64,
    length: u64,
    /// The line of the script file; 0 without one.
    line: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum KeptForm {
    /// With a range or without.
    Part,
    Value,
    Whole,
}

/// A stream that has values. Without `bytes`, they are in the text.
#[derive(Debug)]
struct ValuePlace {
    name: Arc<str>,
    bytes: Option<Arc<dyn ReadAt>>,
}

/// Which entries have a key. Those of the same key are a chain.
#[derive(Debug)]
struct KeyPlaces {
    first: HashTable<u32>,
    /// For each entry the next one of its key; itself at the end of the chain.
    next: Vec<u32>,
    hasher: RandomState,
}

impl KeptEntries {
    /// Adds an entry, which should be [detached](RawEntry::detached_within).
    pub fn push(&mut self, entry: RawEntry) {
        let record = self.compact(&entry).unwrap_or_else(|| {
            let start = self.whole.len();
            KeptEntry {
                start,
                key: 0,
                range: 0,
                place: 0,
                is_text: false,
                kind: KeptForm::Whole,
                offset: 0,
                length: 0,
                line: 0,
            }
        });
        if record.kind == KeptForm::Whole {
            self.whole.push(entry);
        }
        self.records.push(record);
        self.index = None;
    }

    /// Keeps what is needed of an entry; `None` if that is more than there is room for.
    fn compact(&mut self, entry: &RawEntry) -> Option<KeptEntry> {
        let (script, line) = entry.script.as_ref().map_or((None, 0), |(script, line)| (Some(script), *line));
        let is_same = match (script, &self.script) {
            (None, _) => true,
            (Some(script), None) => {
                self.script = Some(Arc::clone(script));
                true
            }
            (Some(script), Some(known)) => Arc::ptr_eq(script, known) || script == known,
        };
        let bytes = entry.blob.rest();
        // What a store has delivered is not fetched again.
        let is_remote = bytes.is_some_and(|bytes| bytes.as_file().is_none());
        if entry.is_open || !is_same || is_remote {
            return None;
        }
        let key = u32::try_from(entry.key.len()).ok()?;
        let range = entry.range().map_or(Some(0), |range| u32::try_from(range.len()).ok())?;
        let kind = if entry.range.is_some() { KeptForm::Part } else { KeptForm::Value };
        let place = u32::try_from(self.place(entry)).ok()?;
        let start = self.text.len();
        self.text.extend_from_slice(&entry.key);
        self.text.extend_from_slice(entry.range().unwrap_or_default());
        if bytes.is_none() {
            self.text.extend_from_slice(entry.head());
        }
        let (offset, length, is_text) = (entry.offset(), entry.size(), entry.is_text);
        Some(KeptEntry { start, key, range, place, is_text, kind, offset, length, line })
    }

    /// The index of the place of a value. Neighbours mostly share it.
    fn place(&mut self, entry: &RawEntry) -> usize {
        let (name, bytes) = (entry.blob.name(), entry.blob.rest());
        let is_same = |place: &ValuePlace| match (&place.bytes, bytes) {
            (None, None) => Arc::ptr_eq(&place.name, name) || place.name == *name,
            (Some(one), Some(other)) => Arc::ptr_eq(one, other),
            _ => false,
        };
        if !self.places.last().is_some_and(is_same) {
            self.places.push(ValuePlace { name: Arc::clone(name), bytes: bytes.cloned() });
        }
        self.places.len() - 1
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.records.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    /// The key of an entry.
    ///
    /// # Panics
    /// If there is no such entry.
    pub fn key(&self, index: usize) -> &BStr {
        let KeptEntry { start, key, kind, .. } = self.records[index];
        match kind {
            KeptForm::Whole => self.whole[start].key(),
            _ => self.text[start..start + key as usize].as_bstr(),
        }
    }

    /// An entry. A short value is read now.
    ///
    /// # Errors
    /// If that fails.
    ///
    /// # Panics
    /// If there is no such entry.
    pub fn get(&self, index: usize) -> Result<RawEntry> {
        let record = self.records[index];
        let KeptEntry { start, range, place, is_text, kind, offset, length, line, .. } = record;
        if kind == KeptForm::Whole {
            return Ok(self.whole[start].clone());
        }
        let place = &self.places[place as usize];
        let range_at = start + record.key as usize;
        let value_at = range_at + range as usize;
        let blob = match &place.bytes {
            None => {
                let value = &self.text[value_at..value_at + length as usize];
                Blob::in_memory(Arc::clone(&place.name), offset, value.to_vec())
            }
            Some(bytes) => {
                let blob = Blob::stored(Arc::clone(&place.name), Arc::clone(bytes), offset, length);
                match length <= SHORT {
                    true => Blob::in_memory(Arc::clone(&place.name), offset, blob.load()?.into_owned()),
                    false => blob,
                }
            }
        };
        let range =
            (kind == KeptForm::Part).then(|| Ranged::new(self.text[range_at..value_at].as_bstr(), Arc::default()));
        let script = self.script.as_ref().filter(|_| line > 0).map(|script| (Arc::clone(script), line));
        Ok(RawEntry { is_text, range, script, ..RawEntry::new(self.key(index).to_owned(), blob) })
    }

    /// The first entry of a key that was not taken before.
    pub fn take(&mut self, key: &BStr) -> Option<usize> {
        let mut places = self.index.take().unwrap_or_else(|| self.key_places());
        let hash = places.hasher.hash_one(key);
        let taken = match places.first.find_entry(hash, |&index| self.key(index as usize) == key) {
            Err(_) => None,
            Ok(mut entry) => {
                let index = *entry.get();
                match places.next[index as usize] {
                    next if next == index => drop(entry.remove()),
                    next => *entry.get_mut() = next,
                }
                Some(index as usize)
            }
        };
        self.index = Some(places);
        taken
    }

    fn key_places(&self) -> KeyPlaces {
        // More entries than that have no room anyway.
        let count = u32::try_from(self.records.len()).unwrap_or(u32::MAX);
        let hasher = RandomState::new();
        let (mut first, mut next) = (HashTable::<u32>::new(), (0..count).collect::<Vec<_>>());
        for index in (0..count).rev() {
            let key = self.key(index as usize);
            let hash = hasher.hash_one(key);
            let rehash = |&other: &u32| hasher.hash_one(self.key(other as usize));
            match first.entry(hash, |&other| self.key(other as usize) == key, rehash) {
                hashbrown::hash_table::Entry::Occupied(mut entry) => {
                    next[index as usize] = *entry.get();
                    *entry.get_mut() = index;
                }
                hashbrown::hash_table::Entry::Vacant(entry) => drop(entry.insert(index)),
            }
        }
        KeyPlaces { first, next, hasher }
    }
}

#[cfg(test)]
mod tests {
    use kaldi_reader::Reader;

    use super::*;
    use crate::framing::Typed;
    use crate::read::entries::RawEntries;

    fn kept(entries: &mut RawEntries<Typed>) -> KeptEntries {
        let mut kept = KeptEntries::default();
        while let Some(entry) = entries.next().unwrap() {
            kept.push(entry);
        }
        kept
    }

    #[test]
    fn entries_come_back_from_files_streams_and_scripts() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.ark");
        std::fs::write(&path, "a 1\nb 22\na 3\n").unwrap();
        let script = folder.path().join("a.scp");
        let place = path.display();
        std::fs::write(&script, format!("a {place}:2\nb {place}:6\na {place}:11\n")).unwrap();
        let framing = Typed::of::<i32>();
        for mut entries in [
            RawEntries::archive(path.to_str().unwrap(), framing).unwrap(),
            RawEntries::archive(format!("cat {place} |"), framing).unwrap(),
            RawEntries::script(script.to_str().unwrap(), framing).unwrap(),
        ] {
            let mut kept = kept(&mut entries);
            assert_eq!((kept.len(), kept.key(1)), (3, "b".into()));
            let shown: Vec<i32> = (0..3).map(|index| kept.get(index).unwrap().parse().unwrap()).collect();
            assert_eq!(shown, [1, 22, 3]);
            let taken = ["a", "c", "a", "a", "b"].map(|key| kept.take(key.into()));
            assert_eq!(taken, [Some(0), None, Some(2), None, Some(1)]);
        }
    }

    #[test]
    fn an_entry_takes_few_bytes() {
        assert!(size_of::<KeptEntry>() <= 48);
    }
}
