//! Finds entries of tables by key.
//!
//! | table | memory |
//! | --- | --- |
//! | script file | the script file's lines, one value |
//! | archive, a regular file | keys and offsets of the part read so far, one value |
//! | archive, a pipe | everything read so far |
//! | archive, a pipe, `o` | what was read and not asked for |
//! | archive, `s,cs` | one entry |

use std::sync::Arc;

use bstr::{BStr, BString};
use kaldi_io::{Lack, Rspecifier, RspecifierKind, Session, printable_rxfilename};
use kaldi_value::Value;

use crate::framing::Typed;
use crate::key::is_key;
use crate::permissive::warn_left_out;
use crate::raw::RawEntry;
use crate::read::archive::{ArchiveEntries, ArchiveReader};
use crate::read::archive_table::ArchiveTable;
use crate::read::by_key::{ScriptTable, SortedArchiveLookup};
use crate::specifier::{parse_rspecifier, refused};
use crate::value_fns::ValueFns;
use crate::{Error, Result};

/// A table of `T` whose entries are asked for by key.
#[must_use]
pub struct RandomAccessReader<T> {
    entries: Box<dyn AnyKeyed>,
    /// The value delivered last. It is often asked for again (one transform for many utterances).
    recent: Option<Arc<T>>,
    fns: &'static ValueFns,
    parse: fn(&RawEntry) -> Result<T>,
}

impl<T: Value> RandomAccessReader<T> {
    /// Opens the table that `rspecifier` names.
    ///
    /// # Errors
    /// If the specifier is invalid, the archive or script file cannot be opened, or a script file has a key twice or is
    /// not sorted although `s` says so.
    pub fn open(rspecifier: impl AsRef<[u8]>) -> Result<Self> {
        Self::open_with(rspecifier, Session::current())
    }

    /// As [`RandomAccessReader::open`], in a session.
    ///
    /// # Errors
    /// As [`RandomAccessReader::open`].
    pub fn open_with(rspecifier: impl AsRef<[u8]>, session: Session) -> Result<Self> {
        let entries = open(BStr::new(rspecifier.as_ref()), Typed::of::<T>(), session)?;
        Ok(Self { entries, recent: None, fns: ValueFns::of::<T>(), parse: RawEntry::parse })
    }
}

impl<T> RandomAccessReader<T> {
    /// As [`RandomAccessReader::open`], of values of type `V` that `parse` reads lazily: a long value stays in the file that the script
    /// file names. The output of a command is spooled ([`kaldi_io::Spool`]).
    ///
    /// # Errors
    /// As [`RandomAccessReader::open`].
    pub fn open_in_place<V: Value>(rspecifier: impl AsRef<[u8]>, parse: fn(&RawEntry) -> Result<T>) -> Result<Self> {
        let mut entries = open(BStr::new(rspecifier.as_ref()), Typed::of::<V>(), Session::current())?;
        entries.leave_in_files();
        Ok(Self { entries, recent: None, fns: ValueFns::of::<V>(), parse })
    }

    /// The value of `key`, `None` if the table has none.
    ///
    /// # Errors
    /// If the value cannot be read (with `p` it then counts as missing), or the rspecifier promises something (`o`,
    /// `s`, `cs`) that is not so.
    pub fn get(&mut self, key: impl AsRef<[u8]>) -> Result<Option<Arc<T>>> {
        let (recent, parse) = (&mut self.recent, self.parse);
        let mut read = |raw: &RawEntry| {
            *recent = Some(Arc::new(parse(raw)?));
            Ok(())
        };
        let is_there = self.entries.find(BStr::new(key.as_ref()), self.fns, &mut read)?;
        Ok(if is_there { self.recent.clone() } else { None })
    }

    /// Whether the table has `key`. For a script file with `p` that means that the value can be read.
    ///
    /// # Errors
    /// As [`RandomAccessReader::get`].
    pub fn has_key(&mut self, key: impl AsRef<[u8]>) -> Result<bool> {
        let key = BStr::new(key.as_ref());
        match self.entries.has_line(key) {
            Some(has_line) => Ok(has_line),
            None => Ok(self.get(key)?.is_some()),
        }
    }

    /// Lets every key be asked for again, even if the options `o` or `s,cs` said that it is asked for only once.
    ///
    /// # Errors
    /// If the table has to be read again but comes from a stream.
    pub fn restart(&mut self) -> Result<()> {
        self.entries.restart()
    }

    /// Ends the reading. A pipe that was read to its end and failed is an error.
    ///
    /// # Errors
    /// If a command ended with a status that is not success.
    pub fn finish(&mut self) -> Result<()> {
        self.entries.finish()
    }
}

/// The entries of a table of any type that are asked for by key. Their type is erased, so that nothing of them, not even their drop, is
/// compiled anew in the crates that read tables.
trait AnyKeyed: Send {
    /// Whether there is a value of `key`. `read` keeps it; it is not called for the key that it was called for last.
    fn find(&mut self, key: &BStr, fns: &ValueFns, read: &mut dyn FnMut(&RawEntry) -> Result<()>) -> Result<bool>;
    /// Whether a script file has a line of `key`. `None` if that says nothing.
    fn has_line(&self, key: &BStr) -> Option<bool>;
    /// Lets long values that a script file names stay in their files.
    fn leave_in_files(&mut self);
    fn restart(&mut self) -> Result<()>;
    fn finish(&mut self) -> Result<()>;
}

fn open(rspecifier: &BStr, framing: Typed, session: Session) -> Result<Box<dyn AnyKeyed>> {
    Ok(Box::new(KeyedEntries::open(rspecifier, framing, session)?))
}

struct KeyedEntries {
    table: Table,
    /// The key whose value was read last.
    recent: Option<BString>,
    permissive: bool,
    session: Session,
}

enum Table {
    Script(Box<ScriptTable>),
    Archive(Box<ArchiveTable>),
    SortedArchiveLookup(Box<SortedArchiveLookup>),
}

impl KeyedEntries {
    fn open(rspecifier: &BStr, framing: Typed, session: Session) -> Result<Self> {
        let parsed = parse_rspecifier(rspecifier)?;
        if matches!(parsed.kind, RspecifierKind::Shards | RspecifierKind::Shar) {
            let message = "shards are only read in order, and here keys are looked up";
            return Err(refused(rspecifier, &session.enter(|| Lack::KeysOfShards.explain(message))));
        }
        let table = session.enter(|| Table::open(&parsed, framing, &session))?;
        Ok(Self { table, recent: None, permissive: parsed.options.permissive, session })
    }

    fn find_here(&mut self, key: &BStr, fns: &ValueFns, read: &mut dyn FnMut(&RawEntry) -> Result<()>) -> Result<bool> {
        if !is_key(key) {
            return Err(Error::Key { key: key.to_owned() });
        }
        let is_recent = self.recent.as_ref().is_some_and(|recent| recent == key);
        // The table is asked in any case: it checks its promises.
        let raw = match &mut self.table {
            Table::Script(_) if is_recent => return Ok(true),
            Table::Script(script) => script.find(key, self.permissive)?,
            Table::Archive(archive) => match archive.locate(key)? {
                Some(_) if is_recent => return Ok(true),
                found => found.map(|place| archive.load(key, place)).transpose()?,
            },
            Table::SortedArchiveLookup(entries) => entries.find(key)?,
        };
        let Some(raw) = raw else { return Ok(false) };
        match read(&raw) {
            Ok(()) => {
                self.recent = Some(key.to_owned());
                Ok(true)
            }
            Err(error) if self.permissive && !raw.has_wrong_range(fns) => {
                warn_left_out(&error);
                Ok(false)
            }
            Err(error) => Err(error),
        }
    }
}

impl AnyKeyed for KeyedEntries {
    fn find(&mut self, key: &BStr, fns: &ValueFns, read: &mut dyn FnMut(&RawEntry) -> Result<()>) -> Result<bool> {
        let session = self.session.clone();
        session.enter(|| self.find_here(key, fns, read))
    }

    fn has_line(&self, key: &BStr) -> Option<bool> {
        match &self.table {
            Table::Script(script) if !self.permissive => Some(script.has_line(key)),
            _ => None,
        }
    }

    fn leave_in_files(&mut self) {
        if let Table::Script(script) = &mut self.table {
            script.leave_in_files();
        }
    }

    fn restart(&mut self) -> Result<()> {
        self.recent = None;
        match &mut self.table {
            Table::Script(script) => script.restart(),
            Table::Archive(archive) => archive.restart(),
            Table::SortedArchiveLookup(in_step) => in_step.restart(),
        }
    }

    fn finish(&mut self) -> Result<()> {
        match &mut self.table {
            Table::Script(_) => Ok(()),
            Table::Archive(archive) => archive.finish(),
            Table::SortedArchiveLookup(in_step) => in_step.finish(),
        }
    }
}

impl Table {
    fn open(rspecifier: &Rspecifier, framing: Typed, session: &Session) -> Result<Self> {
        let options = rspecifier.options;
        let rxfilename: &BStr = rspecifier.rxfilename.as_ref();
        if rspecifier.kind == RspecifierKind::Script {
            let script = ScriptTable::read(rxfilename, framing, options.sorted, options.permissive, session.clone())?;
            return Ok(Self::Script(Box::new(script)));
        }
        let archive = ArchiveReader::open(rxfilename, framing, options.permissive)?.forgiving_the_first();
        let name = printable_rxfilename(rxfilename).into_owned();
        let entries = ArchiveEntries::new(archive);
        if options.sorted && options.called_sorted {
            return Ok(Self::SortedArchiveLookup(Box::new(SortedArchiveLookup::new(name, entries))));
        }
        Ok(Self::Archive(Box::new(ArchiveTable::new(name, entries, options.once, options.sorted))))
    }
}

#[cfg(test)]
mod tests;
