//! The keys of a table and where their values are.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::Arc;

use bstr::{BStr, BString, ByteSlice};
use kaldi_inspect::{Entries, Named, NamedKind};
use kaldi_table::{ScriptLine, ScriptLines};

use crate::errors::{Class, Failure, Result};
use crate::values::Wanted;

/// A place of the hash table without an entry.
const FREE: u32 = u32::MAX;

/// Keys in the order of the table, and where their values are. An entry takes 24 bytes and its place in the hash table 8 to 16,
/// besides the text of a script file or the keys of an archive.
pub struct Index {
    /// Printable name of the table's file.
    pub name: Arc<str>,
    pub is_script: bool,
    /// The name of the archive, if it is none of a script file.
    archive: BString,
    /// The keys, each followed by the name of the file if it is a script.
    text: Vec<u8>,
    entries: Vec<Span>,
    slots: Vec<u32>,
    hasher: RandomState,
}

/// Where an entry is in the text.
#[derive(Clone, Copy)]
struct Span {
    start: u64,
    /// The line of a script file, or the offset in an archive.
    place: u64,
    key: u32,
    rest: u32,
}

impl Index {
    /// Reads a script file, or the headers of an archive.
    pub fn read(name: &BStr, wanted: Wanted) -> Result<Self> {
        let named = Named::find(name)?;
        let mut index = Self {
            name: kaldi_io::printable_rxfilename(named.rxfilename.as_bstr()).as_ref().into(),
            is_script: named.kind == NamedKind::Script,
            archive: named.rxfilename.clone(),
            text: Vec::new(),
            entries: Vec::new(),
            slots: Vec::new(),
            hasher: RandomState::new(),
        };
        match named.kind {
            NamedKind::Script => index.read_script(named.rxfilename.as_bstr())?,
            NamedKind::Archive if named.is_stream() => {
                let message = format!("{}: values are looked up by key in a file, not in a stream", index.name);
                return Err(Failure::new(Class::Specifier, message).in_file(&*index.name));
            }
            _ => index.read_archive(named, wanted)?,
        }
        index.text.shrink_to_fit();
        index.entries.shrink_to_fit();
        Ok(index)
    }

    fn read_script(&mut self, name: &BStr) -> Result<()> {
        let mut lines = ScriptLines::open(name)?;
        while let Some(ScriptLine { key, xfilename }) = lines.next_line()? {
            self.push(&key, &xfilename, lines.number())?;
        }
        Ok(lines.finish()?)
    }

    fn read_archive(&mut self, named: Named, wanted: Wanted) -> Result<()> {
        let mut entries = Entries::of(named, wanted.value_type())?;
        while let Some(entry) = entries.next_entry()? {
            if entry.blob().rest().is_none() && kaldi_io::Input::open(self.archive.as_bstr())?.positioned().is_none() {
                let message =
                    format!("{}: values are looked up by key in a plain file, not in a compressed one", self.name);
                return Err(Failure::new(Class::Specifier, message).in_file(&*self.name));
            }
            self.push(entry.key(), b"", entry.offset())?;
        }
        Ok(())
    }

    fn push(&mut self, key: &[u8], rest: &[u8], place: u64) -> Result<()> {
        if 2 * (self.entries.len() + 1) > self.slots.len() {
            self.grow();
        }
        let slot = match self.slot(key) {
            Ok(first) => {
                let message = format!("{}: the key {} is there twice", self.name, kaldi_io::quote_name(key));
                let failure = Failure::new(Class::Data, message).in_file(&*self.name).at_key(key);
                let _ = first;
                return Err(if self.is_script { failure.at_line(place) } else { failure.at_offset(place) });
            }
            Err(slot) => slot,
        };
        let start = self.text.len() as u64;
        self.text.extend_from_slice(key);
        self.text.extend_from_slice(rest);
        let too_large = |_| Failure::new(Class::Data, format!("{}: a table of too many or too long keys", self.name));
        self.slots[slot] = u32::try_from(self.entries.len()).map_err(too_large)?;
        let key = u32::try_from(key.len()).map_err(too_large)?;
        let rest = u32::try_from(rest.len()).map_err(too_large)?;
        self.entries.push(Span { start, place, key, rest });
        Ok(())
    }

    fn grow(&mut self) {
        self.slots = vec![FREE; (4 * (self.entries.len() + 1)).next_power_of_two()];
        for index in 0..self.entries.len() {
            if let Err(slot) = self.slot(self.key(index)) {
                self.slots[slot] = index as u32;
            }
        }
    }

    /// The entry of a key, or the slot where it would be.
    fn slot(&self, key: &[u8]) -> std::result::Result<usize, usize> {
        let mask = self.slots.len() - 1;
        let mut slot = self.hasher.hash_one(key) as usize & mask;
        loop {
            match self.slots[slot] {
                FREE => return Err(slot),
                index if self.key(index as usize) == key => return Ok(index as usize),
                _ => slot = (slot + 1) & mask,
            }
        }
    }

    /// The number of entries.
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    /// The key of an entry.
    pub fn key(&self, index: usize) -> &[u8] {
        let span = self.entries[index];
        &self.text[span.start as usize..][..span.key as usize]
    }

    /// The entry of a key.
    pub fn find(&self, key: &[u8]) -> Option<usize> {
        if self.slots.is_empty() { None } else { self.slot(key).ok() }
    }

    /// The script line of an entry and its number; that of an archive has its name and the offset.
    pub fn line(&self, index: usize) -> (ScriptLine, u64) {
        let span = self.entries[index];
        let key = self.key(index).into();
        if self.is_script {
            let xfilename = self.text[(span.start + u64::from(span.key)) as usize..][..span.rest as usize].into();
            return (ScriptLine { key, xfilename }, span.place);
        }
        // A single value has no key.
        let xfilename = match span.key {
            0 => self.archive.clone(),
            _ => format!("{}:{}", self.archive, span.place).into(),
        };
        (ScriptLine { key, xfilename }, 0)
    }
}
