//! From table to table: the ordered parallel map with written results.

use std::marker::PhantomData;
use std::ops::Deref;

use kaldi_io::log::warning;
use kaldi_value::{Format, Value};

use crate::entry::Entry;
use crate::error::WorkError;
use crate::lookup::find::Lookup;
use crate::read::rows::{Ended, Rows};
use crate::read::sequential::SequentialReader;
use crate::record::{AnyRecord, Record};
use crate::write::table::{AnyRecords, TableWriter};
use crate::{Error, Result};

impl<T: Value> SequentialReader<T> {
    /// Does `work` on every entry, on several threads if there is enough work, and writes the records that it returns
    /// to `target`, in the table's order. `None` means that the work skipped the entry with a warning.
    ///
    /// [Finish](Written::finish) the result: this gives the target its name. Before that, a program can log its work.
    ///
    /// # Errors
    /// If an entry cannot be read or written, or the work on it fails.
    pub fn par_map_into<V, O, F>(self, target: TableWriter<V>, work: F) -> Result<Written<V>>
    where
        V: Value,
        O: Into<Option<Record<V>>> + Send + 'static,
        F: Fn(&EntryTo<'_, T>) -> Result<O, WorkError> + Send + Sync + 'static,
    {
        self.par_map_with_into((), target, move |entry, ()| work(entry))
    }

    /// Like [`SequentialReader::par_map_into`], with the result of `lookup` for the key of each entry; see
    /// [`SequentialReader::par_map_with`].
    ///
    /// # Errors
    /// As [`SequentialReader::par_map_into`], and if the lookup fails.
    pub fn par_map_with_into<L, V, O, F>(self, lookup: L, target: TableWriter<V>, work: F) -> Result<Written<V>>
    where
        L: Lookup,
        V: Value,
        O: Into<Option<Record<V>>> + Send + 'static,
        F: Fn(&EntryTo<'_, T>, L::Found) -> Result<O, WorkError> + Send + Sync + 'static,
    {
        let format = target.format();
        let work = move |entry: &Entry<'_, T>, found| {
            let record: Option<Record<V>> = work(&EntryTo { entry, format }, found)?.into();
            Ok(record.map(Record::into_any))
        };
        let written = write(self.par_map_with(lookup, work), target.into_any())?;
        Ok(Written { written, value: PhantomData })
    }
}

/// Writes rows to a table. It is not generic, so that it is compiled once.
fn write(rows: Rows<Option<AnyRecord>>, mut target: Box<dyn AnyRecords>) -> Result<AnyWritten> {
    let mut counts = Counts::default();
    let ended = rows.drain(|key, record| {
        match record {
            Some(record) if !target.has_place_for(record.key.as_ref()) => {
                warning!("{key:?} is skipped: a file of this name would be outside of the output folder");
                counts.skipped += 1;
            }
            Some(record) => {
                target.put(&record)?;
                counts.done += 1;
            }
            None => counts.skipped += 1,
        }
        Ok::<(), Error>(())
    })?;
    Ok(AnyWritten { counts, ended, target })
}

/// An entry of a table of `T` on its way into another table.
#[derive(Debug)]
pub struct EntryTo<'a, T> {
    entry: &'a Entry<'a, T>,
    format: Format,
}

impl<'a, T> Deref for EntryTo<'a, T> {
    type Target = Entry<'a, T>;

    fn deref(&self) -> &Entry<'a, T> {
        self.entry
    }
}

impl<T: Value> EntryTo<'_, T> {
    /// The form in which the target is written.
    pub fn format(&self) -> Format {
        self.format
    }

    /// A record with this value and the key of the entry.
    pub fn record<V: Value>(&self, value: &V) -> Record<V> {
        Record::new(self.key(), value, self.format)
    }

    /// A record of a value that is not needed any more. In many cases this saves a copy of its elements.
    pub fn into_record<V: Value>(&self, value: V) -> Record<V> {
        Record::from_value(self.key(), value, self.format)
    }

    /// A record of the unchanged value. Its bytes are passed on unparsed if possible.
    ///
    /// # Errors
    /// As [`Entry::read`].
    pub fn copied(&self) -> Result<Record<T>> {
        self.copy(self.format)
    }
}

/// How many entries were written and skipped.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counts {
    /// Entries written.
    pub done: u64,
    /// Entries that were skipped with a warning: by the work, or because the target has no place for them.
    pub skipped: u64,
}

/// A table that was read to its end, and the target, which is not finished yet.
#[must_use = "the table gets its name only with finish()"]
pub struct Written<V> {
    written: AnyWritten,
    value: PhantomData<fn(V)>,
}

/// What was written, whatever the type of the values.
struct AnyWritten {
    counts: Counts,
    ended: Ended,
    target: Box<dyn AnyRecords>,
}

impl<V> Written<V> {
    /// How many entries were written and skipped.
    pub fn counts(&self) -> Counts {
        self.written.counts
    }

    /// Entries written.
    pub fn done(&self) -> u64 {
        self.written.counts.done
    }

    /// Entries that were skipped with a warning.
    pub fn skipped(&self) -> u64 {
        self.written.counts.skipped
    }

    /// Completes the target. It gets its name only if the source was complete.
    ///
    /// # Errors
    /// If the command of the source has failed, or the target cannot be completed.
    pub fn finish(self) -> Result<Counts> {
        self.written.finish()
    }
}

impl AnyWritten {
    fn finish(self) -> Result<Counts> {
        self.ended.finish()?;
        self.target.finish()?;
        Ok(self.counts)
    }
}
