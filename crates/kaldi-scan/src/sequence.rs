//! The entries of several archives as those of one.

use std::collections::VecDeque;
use std::sync::Arc;

use bstr::{BStr, BString};
use kaldi_table::{Error, Result, count_delivered};

use crate::scanner::{ScannedEntry, Scanner};
use kaldi_types::{Detector, ValueType, join_names};

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
    scanner: Scanner,
    entry: ScannedEntry,
}

impl Sequence {
    /// Takes the names of archives, and the type of their values where it need not be found.
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

    /// The next entry with the archive that it is in, or nothing at the end.
    ///
    /// Behind an error, it goes on with the other archives.
    ///
    /// # Errors
    /// Where an archive cannot be opened, or as [`Scanner::next_entry`]; where it is not sorted although it should be, or
    /// holds values of another type than an earlier one ([`Error::Promise`]).
    pub fn next_entry(&mut self) -> Result<Option<(&Scanner, &ScannedEntry)>> {
        if let Some(delivered) = self.delivered.take() {
            self.advance(delivered)?;
        }
        while (self.is_sorted || self.open.is_empty())
            && let Some(rxfilename) = self.waiting.pop_front()
        {
            let mut scanner = Scanner::open(&rxfilename, Detector::new(self.value_type))?;
            match scanner.next_entry() {
                Ok(Some(entry)) => self.open.push(Head { scanner, entry }),
                Ok(None) => self.close(scanner)?,
                Err(error) => return Err(explain(scanner, error)),
            }
        }
        // Of equal keys the first.
        self.delivered = (0..self.open.len()).min_by_key(|&index| &self.open[index].entry.key);
        if self.delivered.is_some() {
            count_delivered();
        }
        Ok(self.delivered.map(|index| (&self.open[index].scanner, &self.open[index].entry)))
    }

    /// Moves an archive on to its next entry, or closes it.
    fn advance(&mut self, index: usize) -> Result<()> {
        let head = &mut self.open[index];
        match head.scanner.next_entry() {
            Ok(Some(entry)) => {
                let last = std::mem::replace(&mut head.entry, entry);
                match self.is_sorted && head.entry.key < last.key {
                    true => Err(not_sorted(&self.open.remove(index), &last)),
                    false => Ok(()),
                }
            }
            Ok(None) => {
                let head = self.open.remove(index);
                self.close(head.scanner)
            }
            Err(error) => Err(explain(self.open.remove(index).scanner, error)),
        }
    }

    /// Sees to it that an archive that has ended goes with those before.
    fn close(&mut self, scanner: Scanner) -> Result<()> {
        let (name, types) = (Arc::clone(scanner.printable_name()), scanner.detector().candidates().to_vec());
        scanner.finish()?;
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
fn explain(scanner: Scanner, error: Error) -> Error {
    match scanner.finish() {
        Err(status) if matches!(error, Error::Entry { .. }) => status,
        _ => error,
    }
}

fn not_sorted(head: &Head, last: &ScannedEntry) -> Error {
    let Head { scanner, entry } = head;
    let place = |entry: &ScannedEntry| format!("{} at {}", BStr::new(&entry.key), entry.start);
    let message = format!("expected sorted keys, got {} after {}", place(entry), place(last));
    Error::Promise { table: scanner.printable_name().to_string(), message }
}
