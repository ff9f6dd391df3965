//! Archives whose entries are asked for by key, in any order.

use std::io;
use std::sync::Arc;

use bstr::{BStr, BString};
use kaldi_io::{Blob, ReadAt};
use kaldi_reader::Reader;

use crate::framing::Typed;
use crate::raw::RawEntry;
use crate::read::archive::ArchiveEntries;
use crate::read::archive_index::{EntryPlace, Places};
use crate::{Error, Result};

/// An archive whose keys may be asked for in any order. It is read only as far as needed.
pub(crate) struct ArchiveTable {
    name: String,
    entries: ArchiveEntries<Typed>,
    /// The archive for reading at any offset, if that is possible.
    source: Option<Arc<dyn ReadAt>>,
    places: Places,
    /// `o`: an entry is forgotten once it was asked for.
    once: bool,
    /// `s`: keys ascend, so a key smaller than the last one read is not there.
    sorted: bool,
    last_read: Option<BString>,
    /// The key to forget before the next question, and the first one that was forgotten.
    spent: Option<BString>,
    first_spent: Option<BString>,
    /// The entry read last. It is probably the next one asked for.
    current: Option<RawEntry>,
}

/// Proves that a key was looked up and found.
#[derive(Clone, Copy)]
pub(crate) struct Located;

impl ArchiveTable {
    pub(crate) fn new(name: String, entries: ArchiveEntries<Typed>, once: bool, sorted: bool) -> Self {
        let source = entries.window().input().positioned();
        Self {
            name,
            entries,
            source,
            places: Places::default(),
            once,
            sorted,
            last_read: None,
            spent: None,
            first_spent: None,
            current: None,
        }
    }

    #[cfg(test)]
    pub(crate) fn holds_no_values(&self) -> bool {
        self.places.all().all(|place| matches!(place, EntryPlace::InFile(..)))
    }

    pub(crate) fn restart(&mut self) -> Result<()> {
        // Without `o`, nothing that was read has been forgotten.
        if !self.once {
            return Ok(());
        }
        self.entries.restart()?;
        self.places = Places::default();
        self.last_read = None;
        self.spent = None;
        self.first_spent = None;
        self.current = None;
        Ok(())
    }

    pub(crate) fn finish(&mut self) -> Result<()> {
        self.entries.finish_at_end()
    }

    pub(crate) fn locate(&mut self, key: &BStr) -> Result<Option<Located>> {
        self.forget_spent();
        if self.places.get(key).is_none() && !self.read_up_to(key)? {
            if self.once && self.first_spent.as_ref().is_some_and(|first| first == key) {
                return Err(self.asked_twice(key));
            }
            return Ok(None);
        }
        if matches!(self.places.get(key), Some(EntryPlace::Spent)) {
            return Err(self.asked_twice(key));
        }
        if self.once {
            self.spent = Some(key.to_owned());
        }
        Ok(Some(Located))
    }

    fn asked_twice(&self, key: &BStr) -> Error {
        let message = format!("key {key} is looked up twice, although the option o says that no key is");
        Error::Promise { table: self.name.clone(), message }
    }

    fn forget_spent(&mut self) {
        let Some(key) = self.spent.take() else { return };
        if self.sorted {
            self.places.insert(key.as_ref(), EntryPlace::Spent);
        } else {
            self.places.remove(key.as_ref());
        }
        self.first_spent.get_or_insert(key);
    }

    /// Reads on until `key` is found or cannot come any more. Returns whether it was found.
    fn read_up_to(&mut self, key: &BStr) -> Result<bool> {
        loop {
            if self.sorted && self.last_read.as_ref().is_some_and(|last| last >= key) {
                return Ok(false);
            }
            let Some(entry) = self.entries.next()? else { return Ok(false) };
            if self.sorted
                && let Some(last) = &self.last_read
                && *last >= entry.key
            {
                let message = format!(
                    "keys are not in sorted order, though the option s says so: {last} is followed by {} \
                     (sort with LC_ALL=C, or remove s)",
                    entry.key
                );
                return Err(Error::Promise { table: self.name.clone(), message });
            }
            let place = match &self.source {
                Some(_) => EntryPlace::InFile(entry.offset(), entry.blob.length()),
                None => EntryPlace::InMemory(entry.blob.clone().into()),
            };
            if !self.places.insert(entry.key.as_ref(), place) {
                let message = format!("duplicate key {}", entry.key);
                return Err(Error::Promise { table: self.name.clone(), message });
            }
            let found = entry.key == key;
            if self.sorted {
                self.last_read = Some(entry.key.clone());
            }
            self.current = Some(entry);
            if found {
                return Ok(true);
            }
        }
    }

    pub(crate) fn load(&self, key: &BStr, _: Located) -> Result<RawEntry> {
        if let Some(current) = &self.current
            && current.key == key
        {
            return Ok(current.clone());
        }
        let name = || self.entries.window().input().name();
        let blob = match (self.places.get(key), &self.source) {
            (Some(EntryPlace::InMemory(blob)), _) => Blob::clone(blob),
            (Some(&EntryPlace::InFile(offset, length)), Some(source)) => {
                let blob = Blob::stored(name(), Arc::clone(source), offset, length);
                Blob::in_memory(name(), offset, blob.load()?.into_owned())
            }
            _ => {
                let source = io::ErrorKind::NotFound.into();
                return Err(Error::Io(kaldi_io::Error::Read { name: self.name.clone(), offset: 0, source }));
            }
        };
        Ok(RawEntry::new(key.to_owned(), blob))
    }
}
