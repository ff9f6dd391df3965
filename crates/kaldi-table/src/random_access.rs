//! Finding entries of tables by key.
//!
//! | table | memory |
//! | --- | --- |
//! | script file | the script file's lines, one value |
//! | archive, a regular file | keys and offsets of the part read so far, one value |
//! | archive, a pipe | everything read so far |
//! | archive, a pipe, `o` | what was read and not asked for |
//! | archive, `s,cs` | one entry |

use std::cell::Cell;
use std::collections::HashMap;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::sync::Arc;

use bstr::{BStr, BString};
use kaldi_io::{Rspecifier, RspecifierKind, Value, printable_rxfilename, read_at};

use crate::archive::{ArchiveEntries, ArchiveReader};
use crate::entry::{Chunk, FrameFn, RawEntry};
use crate::loader::ValueLoader;
use crate::script::{Script, split_range};
use crate::script_reader::{entry_error, warn_left_out};
use crate::sequential::parse_rspecifier;
use crate::writer::is_key;
use crate::{Error, Result};

/// A table of `T` whose entries are asked for by key.
#[must_use]
pub struct RandomAccessReader<T> {
    table: Table,
    /// The value delivered last: asking for it again is common (one transform for many utterances).
    recent: Option<(BString, Arc<T>)>,
    permissive: bool,
}

enum Table {
    Script(Box<ScriptTable>),
    Archive(Box<ArchiveTable>),
    InStep(Box<InStep>),
}

impl<T: Value> RandomAccessReader<T> {
    /// Opens the table that `rspecifier` names.
    ///
    /// # Errors
    /// Where the specifier is invalid, the archive or script file cannot be opened, or a script file has a key twice or
    /// is not sorted though `s` says so.
    pub fn open(rspecifier: &BStr) -> Result<Self> {
        let parsed = parse_rspecifier(rspecifier)?;
        Ok(Self { table: Table::open(&parsed, T::frame)?, recent: None, permissive: parsed.options.permissive })
    }

    /// The value of `key`, nothing where the table has none.
    ///
    /// # Errors
    /// Where the value cannot be read (with `p` it then counts as missing), or a promise of the rspecifier (`o`, `s`,
    /// `cs`) turns out to be wrong.
    pub fn get(&mut self, key: &BStr) -> Result<Option<Arc<T>>> {
        if !is_key(key) {
            return Err(Error::Key { key: key.to_owned() });
        }
        // The table is asked in any case: it watches over its promises.
        let raw = match &mut self.table {
            Table::Script(script) => {
                if let Some((recent, value)) = &self.recent
                    && recent == key
                {
                    return Ok(Some(Arc::clone(value)));
                }
                script.find(key, self.permissive)?
            }
            Table::Archive(archive) => {
                let found = archive.locate(key)?;
                if let (Some(_), Some((recent, value))) = (found, &self.recent)
                    && recent == key
                {
                    return Ok(Some(Arc::clone(value)));
                }
                found.map(|place| archive.load(key, place)).transpose()?
            }
            Table::InStep(entries) => entries.find(key)?,
        };
        let Some(raw) = raw else { return Ok(None) };
        let value = match raw.parse::<T>() {
            Ok(value) => Arc::new(value),
            Err(error) if self.permissive && !raw.has_wrong_range::<T>() => {
                warn_left_out(&error);
                return Ok(None);
            }
            Err(error) => return Err(error),
        };
        self.recent = Some((key.to_owned(), Arc::clone(&value)));
        Ok(Some(value))
    }

    /// Whether the table has `key`. For a script file with `p` that means that the value can be read.
    ///
    /// # Errors
    /// As [`RandomAccessReader::get`].
    pub fn has_key(&mut self, key: &BStr) -> Result<bool> {
        if let Table::Script(script) = &self.table
            && !self.permissive
        {
            return Ok(script.script.find(key).is_some());
        }
        Ok(self.get(key)?.is_some())
    }

    /// Ends the reading: a pipe that has been read to its end and failed is an error.
    ///
    /// # Errors
    /// Where a command ended with a status that is not success.
    pub fn finish(&mut self) -> Result<()> {
        match &mut self.table {
            Table::Script(_) => Ok(()),
            Table::Archive(archive) => finish(&mut archive.entries),
            Table::InStep(in_step) => finish(&mut in_step.entries),
        }
    }
}

impl Table {
    fn open(rspecifier: &Rspecifier, frame: FrameFn) -> Result<Self> {
        let options = rspecifier.options;
        let rxfilename: &BStr = rspecifier.rxfilename.as_ref();
        if rspecifier.kind == RspecifierKind::Script {
            let script = Script::read(rxfilename, options.sorted, options.permissive)?;
            return Ok(Self::Script(Box::new(ScriptTable { script, loader: ValueLoader::new(frame) })));
        }
        let archive = ArchiveReader::open(rxfilename, frame, options.permissive)?.forgiving_the_first();
        let name = printable_rxfilename(rxfilename).into_owned();
        if options.sorted && options.called_sorted {
            let entries = ArchiveEntries::new(archive);
            return Ok(Self::InStep(Box::new(InStep { name, entries, held: None, last_asked: None, ended: false })));
        }
        let file = match archive.input() {
            Some(input) if archive.is_regular_file() => Some((
                input.as_file().try_clone().map_err(|source| kaldi_io::Error::Open { name: name.clone(), source })?,
                Arc::from(input.name()),
            )),
            _ => None,
        };
        Ok(Self::Archive(Box::new(ArchiveTable {
            name,
            entries: ArchiveEntries::new(archive),
            file,
            places: HashMap::new(),
            once: options.once,
            sorted: options.sorted,
            last_read: None,
            spent: None,
            first_spent: None,
            current: None,
        })))
    }
}

/// Looks whether the stream has just ended, as it has where the last entry was asked for, and reports its status.
fn finish(entries: &mut ArchiveEntries) -> Result<()> {
    if !entries.has_queued() && entries.archive.input().is_some_and(|input| input.remaining().is_none()) {
        entries.next()?;
    }
    Ok(())
}

/// A script file, in any order.
struct ScriptTable {
    script: Script,
    loader: ValueLoader,
}

impl ScriptTable {
    fn find(&mut self, key: &BStr, permissive: bool) -> Result<Option<RawEntry>> {
        let Some((line, number)) = self.script.find(key) else { return Ok(None) };
        let place = (Arc::clone(&self.script.name), number);
        let (rxfilename, range) = split_range(line.xfilename.as_ref()).map_err(|message| Error::ScriptLine {
            script: self.script.name.to_string(),
            line: number,
            message: line.recognize(&self.script.name, number).unwrap_or(message),
        })?;
        match self.loader.load(rxfilename) {
            Ok(loaded) => Ok(Some(loaded.into_entry(key, range, Some(place)))),
            Err(source) => {
                let error = entry_error(place, line, source);
                if permissive {
                    warn_left_out(&error);
                    return Ok(None);
                }
                Err(error)
            }
        }
    }
}

/// An archive whose keys may be asked for in any order. It is read as far as needed.
struct ArchiveTable {
    name: String,
    entries: ArchiveEntries,
    /// The archive as a file to read from again, where it is one; its printable name.
    file: Option<(File, Arc<str>)>,
    places: HashMap<BString, Place>,
    /// `o`: an entry is forgotten after it was asked for.
    once: bool,
    /// `s`: keys ascend, so that a smaller one than the last that was read need not be looked for.
    sorted: bool,
    last_read: Option<BString>,
    /// The key to forget before the next question, and the first one that was forgotten.
    spent: Option<BString>,
    first_spent: Option<BString>,
    /// The entry read last, which is likely the one asked for.
    current: Option<RawEntry>,
}

/// Where a value is.
#[derive(Clone, Debug)]
enum Place {
    /// In the file, from an offset on.
    InFile(u64, usize),
    /// In memory.
    InMemory(Arc<Chunk>, Range<usize>),
    /// It was asked for, and `o` says that it will not be again.
    Spent,
}

/// A place that was found; proof that the table was asked.
#[derive(Clone, Copy)]
struct Located;

impl ArchiveTable {
    fn locate(&mut self, key: &BStr) -> Result<Option<Located>> {
        self.forget_spent();
        if !self.places.contains_key(key) && !self.read_up_to(key)? {
            if self.once && self.first_spent.as_ref().is_some_and(|first| first == key) {
                return Err(self.asked_twice(key));
            }
            return Ok(None);
        }
        if matches!(self.places.get(key), Some(Place::Spent)) {
            return Err(self.asked_twice(key));
        }
        if self.once {
            self.spent = Some(key.to_owned());
        }
        Ok(Some(Located))
    }

    fn asked_twice(&self, key: &BStr) -> Error {
        let message = format!("key {key} is asked for twice, though the option o says that no key is");
        Error::Promise { table: self.name.clone(), message }
    }

    fn forget_spent(&mut self) {
        let Some(key) = self.spent.take() else { return };
        if self.sorted {
            self.places.insert(key.clone(), Place::Spent);
        } else {
            self.places.remove(&key);
        }
        self.first_spent.get_or_insert(key);
    }

    /// Reads on until `key` is found or cannot come any more; returns whether it was found.
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
            let place = match &self.file {
                Some(_) => Place::InFile(entry.chunk.base + entry.value.start as u64, entry.value.len()),
                None => Place::InMemory(Arc::clone(&entry.chunk), entry.value.clone()),
            };
            if self.places.insert(entry.key.clone(), place).is_some() {
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

    fn load(&self, key: &BStr, _: Located) -> Result<RawEntry> {
        if let Some(current) = &self.current
            && current.key == key
        {
            return Ok(current.clone());
        }
        let (chunk, value) = match (self.places.get(key), &self.file) {
            (Some(Place::InMemory(chunk, value)), _) => (Arc::clone(chunk), value.clone()),
            (Some(&Place::InFile(offset, length)), Some((file, name))) => {
                let mut bytes = Vec::new();
                read_at(file, offset, &mut bytes, length).map_err(|source| kaldi_io::Error::Read {
                    name: name.to_string(),
                    offset,
                    source,
                })?;
                (Arc::new(Chunk { bytes, base: offset, name: Arc::clone(name) }), 0..length)
            }
            _ => {
                let source = io::ErrorKind::NotFound.into();
                return Err(Error::Io(kaldi_io::Error::Read { name: self.name.clone(), offset: 0, source }));
            }
        };
        let key = key.to_owned();
        Ok(RawEntry {
            key,
            chunk,
            value,
            stored: None,
            has_prefix: false,
            range: None,
            script: None,
            log: Vec::new(),
            warned: Cell::new(false),
        })
    }
}

/// An archive with sorted keys that are asked for in sorted order: one entry is held at a time.
struct InStep {
    name: String,
    entries: ArchiveEntries,
    held: Option<RawEntry>,
    last_asked: Option<BString>,
    ended: bool,
}

impl InStep {
    fn find(&mut self, key: &BStr) -> Result<Option<RawEntry>> {
        if let Some(last) = &self.last_asked
            && key < last
        {
            let message = format!(
                "keys are asked for out of sorted order, though the option cs says that they are not: {key} after {last} \
                 (remove cs)"
            );
            return Err(Error::Promise { table: self.name.clone(), message });
        }
        self.last_asked = Some(key.to_owned());
        loop {
            match &self.held {
                Some(held) if held.key == key => return Ok(Some(held.clone())),
                Some(held) if held.key > key => return Ok(None),
                _ if self.ended => return Ok(None),
                _ => {}
            }
            let Some(next) = self.entries.next()? else {
                self.ended = true;
                return Ok(None);
            };
            if let Some(held) = &self.held
                && held.key >= next.key
            {
                let message = format!(
                    "keys are not in sorted order, though the option s says so: {} is followed by {} \
                     (sort with LC_ALL=C, or remove s)",
                    held.key, next.key
                );
                return Err(Error::Promise { table: self.name.clone(), message });
            }
            self.held = Some(next);
        }
    }
}

#[cfg(test)]
mod tests;
