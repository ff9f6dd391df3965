//! The entries of a table of any kind and type.

use std::collections::VecDeque;

use bstr::BStr;
use kaldi_reader::Reader;
use kaldi_table::{RawEntries, RawEntry, count_delivered};
use kaldi_types::{Detector, Evidence, ValueType};

use crate::kind::{Kind, Named};
use crate::{Error, Result};

/// Entries and bytes that are read ahead where several types fit, to tell which is meant.
const AHEAD: (usize, usize) = (64, 1 << 20);

/// The entries of a table: an archive, a script file or a single value, of any type.
///
/// Headers are read; payloads are left where they are until [`RawEntry::bytes`] asks for them (in a pipe they are read, of
/// course). A [`Reader`] of [`RawEntry`]; the type of the values is known better the more of them were read:
/// [`Entries::value_type`].
///
/// A value that cannot be read ends an archive, since nobody knows where the next one starts. After an unreadable value of
/// a script file, the other lines can be asked for.
#[derive(Debug)]
pub struct Entries {
    named: Named,
    entries: RawEntries<Detector>,
    evidence: Evidence,
    /// What was read ahead.
    queue: VecDeque<RawEntry>,
    /// The failure after what was read ahead.
    failure: Option<Error>,
    has_begun: bool,
    /// Whether the reader has ended.
    has_ended: bool,
}

impl Entries {
    /// Opens the table of this name: an rspecifier, or the name of an archive, a script file or a value, which is found by
    /// looking. The type of the values is found by looking, too, unless it is given.
    ///
    /// # Errors
    /// If the table cannot be opened, or the name is that of a folder ([`Error::Folder`]).
    pub fn open(name: &BStr, value_type: Option<ValueType>) -> Result<Self> {
        Self::of(Named::find(name)?, value_type)
    }

    /// Opens a table whose kind is known.
    ///
    /// # Errors
    /// As [`Entries::open`].
    pub fn of(named: Named, value_type: Option<ValueType>) -> Result<Self> {
        let (name, detector) = (&named.rxfilename, Detector::new(value_type));
        let entries = match named.kind {
            Kind::Archive => RawEntries::archive(name, detector)?,
            Kind::Script => RawEntries::script(name, detector)?,
            Kind::Value => RawEntries::file(name, detector)?,
            Kind::Directory => return Err(Error::Folder { name: named.rxfilename.clone() }),
        };
        Ok(Self {
            named,
            entries,
            evidence: Evidence::default(),
            queue: VecDeque::new(),
            failure: None,
            has_begun: false,
            has_ended: false,
        })
    }

    /// The type of the values of a table, by looking at the first ones: `None` if it is empty or cannot be read, or can
    /// be read only once.
    pub fn find_type(named: &Named) -> Option<ValueType> {
        if named.is_stream() {
            return None;
        }
        let mut entries = Self::of(named.clone(), None).ok()?;
        entries.look_ahead();
        (!entries.queue.is_empty()).then(|| entries.value_type())
    }

    /// What the table is.
    pub fn kind(&self) -> Kind {
        self.named.kind
    }

    /// All types that fit what was read so far. Where no value was read, all that can be told from their bytes.
    pub fn candidates(&self) -> &[ValueType] {
        self.entries.framing().candidates()
    }

    /// The type of the values, or the most likely one of those that fit. It may change while it is not sure, as from
    /// `int32` to `float` where `1` is followed by `2.5`.
    pub fn value_type(&self) -> ValueType {
        self.likely(self.candidates())
    }

    /// The most likely one of some types.
    pub(crate) fn likely(&self, candidates: &[ValueType]) -> ValueType {
        self.evidence.choose(candidates)
    }

    /// The next entry, or nothing at the end. Unlike [`Reader::next`], it goes on with the other lines after an unreadable
    /// value of a script file.
    ///
    /// # Errors
    /// If the value cannot be read, or the table cannot be read on.
    pub fn next_entry(&mut self) -> Result<Option<RawEntry>> {
        if !std::mem::replace(&mut self.has_begun, true) {
            self.look_ahead();
        }
        let next = match (self.queue.pop_front(), self.failure.take()) {
            (Some(entry), failure) => {
                self.failure = failure;
                Ok(Some(entry))
            }
            (None, Some(error)) => Err(error),
            (None, None) => self.read(),
        };
        if matches!(next, Ok(Some(_))) {
            count_delivered();
        }
        next
    }

    fn read(&mut self) -> Result<Option<RawEntry>> {
        let entry = self.entries.next()?;
        if let Some(entry) = &entry {
            self.evidence.add(entry.head(), entry.is_text());
        }
        Ok(entry)
    }

    /// Reads on until the type is sure, or for a while.
    fn look_ahead(&mut self) {
        let mut bytes = 0;
        while self.queue.len() < AHEAD.0 && bytes < AHEAD.1 {
            match self.read() {
                Ok(Some(entry)) => {
                    bytes += entry.head().len();
                    self.queue.push_back(entry);
                }
                Ok(None) => return,
                Err(error) => {
                    self.failure = Some(error);
                    return;
                }
            }
            if self.candidates().len() == 1 {
                return;
            }
        }
    }
}

impl Reader for Entries {
    type Item = RawEntry;
    type Error = Error;

    fn next(&mut self) -> Result<Option<RawEntry>> {
        if self.has_ended {
            return Ok(None);
        }
        let entry = self.next_entry();
        self.has_ended = !matches!(entry, Ok(Some(_)));
        entry
    }

    fn restart(&mut self) -> Result<()> {
        self.queue.clear();
        self.failure = None;
        self.has_begun = false;
        self.has_ended = true;
        self.evidence = Evidence::default();
        self.entries.restart()?;
        self.has_ended = false;
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        self.queue.clear();
        self.failure = None;
        self.has_ended = true;
        Ok(self.entries.finish()?)
    }
}
