//! The entries of several archives as those of one.

use std::collections::VecDeque;
use std::sync::Arc;

use bstr::{BStr, BString};
use kaldi_io::{Locator, printable_rxfilename};
use kaldi_table::{Error, RawEntries, RawEntry, Reader, Result, count_delivered};

use crate::{Detector, ValueType, join_names};

/// Goes through the entries of several archives: of one after the other, or of all at once in the order of their keys.
#[derive(Debug)]
pub struct Sequence {
    waiting: VecDeque<BString>,
    open: Vec<Head>,
    /// The one among the open archives whose entry was delivered last.
    delivered: Option<usize>,
    is_sorted: bool,
    value_type: Option<ValueType>,
    /// The types that fit all archives that have ended, and the name of the first.
    common: Option<(Vec<ValueType>, Arc<str>)>,
}

/// An open archive and its next entry.
#[derive(Debug)]
struct Head {
    archive: Archive,
    entry: RawEntry,
}

#[derive(Debug)]
struct Archive {
    /// The name without an offset: what to put before the offsets of entries.
    name: BString,
    printable_name: Arc<str>,
    entries: RawEntries<Detector>,
}

impl Archive {
    fn open(rxfilename: &BStr, detector: Detector) -> Result<Self> {
        let locator = Locator::whole(rxfilename)?;
        let entries = RawEntries::archive(rxfilename, detector)?;
        let printable_name = printable_rxfilename(locator.stem()).as_ref().into();
        Ok(Self { name: locator.stem().to_owned(), printable_name, entries })
    }
}

impl Sequence {
    /// Takes the names of archives, and the type of their values if it is known.
    pub fn new(rxfilenames: &[impl AsRef<BStr>], value_type: Option<ValueType>) -> Self {
        Self {
            waiting: rxfilenames.iter().map(|name| name.as_ref().to_owned()).collect(),
            open: Vec::new(),
            delivered: None,
            is_sorted: false,
            value_type,
            common: None,
        }
    }

    /// Makes it deliver entries by the order of their keys' bytes, in which each archive must have them. All archives are
    /// open at the same time then. Of equal keys, that of the archive named first comes first.
    pub fn sorted(self) -> Self {
        Self { is_sorted: true, ..self }
    }

    /// The types that fit all archives that have ended.
    pub fn value_types(&self) -> &[ValueType] {
        self.common.as_ref().map_or(&[], |(types, _)| types)
    }

    /// The next entry with the name of its archive, without an offset; `None` at the end.
    ///
    /// After an error, it goes on with the other archives.
    ///
    /// # Errors
    /// If an archive cannot be opened, or it cannot be read; if it is not sorted although it should be, or
    /// holds values of another type than an earlier one ([`Error::Promise`]).
    pub fn next_entry(&mut self) -> Result<Option<(&BStr, &RawEntry)>> {
        if let Some(delivered) = self.delivered.take() {
            self.advance(delivered)?;
        }
        while (self.is_sorted || self.open.is_empty())
            && let Some(rxfilename) = self.waiting.pop_front()
        {
            let mut archive = Archive::open(rxfilename.as_ref(), Detector::new(self.value_type))?;
            match archive.entries.next() {
                Ok(Some(entry)) => self.open.push(Head { archive, entry }),
                Ok(None) => self.close(archive)?,
                Err(error) => return Err(explain(archive, error)),
            }
        }
        // Of equal keys the first.
        self.delivered = (0..self.open.len()).min_by_key(|&index| self.open[index].entry.key());
        if self.delivered.is_some() {
            count_delivered();
        }
        Ok(self.delivered.map(|index| (self.open[index].archive.name.as_ref(), &self.open[index].entry)))
    }

    /// Moves an archive on to its next entry, or closes it.
    fn advance(&mut self, index: usize) -> Result<()> {
        let head = &mut self.open[index];
        match head.archive.entries.next() {
            Ok(Some(entry)) => {
                let last = std::mem::replace(&mut head.entry, entry);
                match self.is_sorted && head.entry.key() < last.key() {
                    true => Err(not_sorted(&self.open.remove(index), &last)),
                    false => Ok(()),
                }
            }
            Ok(None) => {
                let head = self.open.remove(index);
                self.close(head.archive)
            }
            Err(error) => Err(explain(self.open.remove(index).archive, error)),
        }
    }

    /// Sees to it that an archive that has ended goes with those before.
    fn close(&mut self, mut archive: Archive) -> Result<()> {
        let (name, types) = (archive.printable_name, archive.entries.framing().candidates().to_vec());
        archive.entries.finish()?;
        let Some((common, first)) = &mut self.common else {
            self.common = Some((types, name));
            return Ok(());
        };
        let both: Vec<_> = common.iter().copied().filter(|value_type| types.contains(value_type)).collect();
        if both.is_empty() {
            let message = format!(
                "expected values of the type {} as in {first}, got {}: a table has values of one type",
                join_names(common),
                join_names(&types)
            );
            return Err(Error::Promise { table: name.to_string(), message });
        }
        *common = both;
        Ok(())
    }
}

/// The reason for a short stream is the command that should have written it.
fn explain(mut archive: Archive, error: Error) -> Error {
    match archive.entries.finish() {
        Err(status) if matches!(error, Error::Entry { .. }) => status,
        _ => error,
    }
}

fn not_sorted(head: &Head, last: &RawEntry) -> Error {
    let Head { archive, entry } = head;
    let place = |entry: &RawEntry| format!("{} at {}", entry.key(), entry.start());
    let message = format!("expected sorted keys, got {} after {}", place(entry), place(last));
    Error::Promise { table: archive.printable_name.to_string(), message }
}

#[cfg(test)]
mod tests;
