//! The entries of a table of any kind and type.

use std::collections::VecDeque;

use bstr::{BStr, BString, ByteSlice};
use kaldi_any::{Detector, Evidence, ValueType};
use kaldi_io::Input;
use kaldi_reader::Reader;
use kaldi_table::{RawEntries, RawEntry, count_delivered};
use shards::{CutEntry, FieldPath};

use crate::kind::{Named, NamedKind};
use crate::{Error, Result};

/// Entries and bytes that are read ahead if several types fit, to find out which is meant.
const AHEAD: (usize, usize) = (64, 1 << 20);

/// The entries of a table: an archive, a script file, the sound or text of shards, or a single value, of any type.
///
/// Headers are read. The rest of the values stays in the file until [`RawEntry::bytes`] asks for it (in a pipe it is
/// read, of course). This is a [`Reader`] of [`RawEntry`]. The more values were read, the better the type is known:
/// [`Entries::value_type`].
///
/// A value that cannot be read ends an archive, because it is not known where the next one starts. After an unreadable
/// value of a script file, the other lines can be asked for.
#[derive(Debug)]
pub struct Entries {
    named: Named,
    entries: RawEntries<Detector>,
    evidence: Evidence,
    /// Entries that were read ahead.
    queue: VecDeque<RawEntry>,
    /// The error after the entries that were read ahead.
    failure: Option<Error>,
    has_begun: bool,
    /// Whether the reader has ended.
    has_ended: bool,
}

impl Entries {
    /// Opens the table of this name: an rspecifier, or the name of an archive, a script file or a value; which of these
    /// it is, is detected. The type of the values is detected, too, unless it is given.
    ///
    /// # Errors
    /// If the table cannot be opened, or the name is a folder ([`Error::Folder`]).
    pub fn open(name: &BStr, value_type: Option<ValueType>) -> Result<Self> {
        Self::of(Named::find(name)?, value_type)
    }

    /// Opens a table whose kind is known.
    ///
    /// # Errors
    /// As [`Entries::open`].
    pub fn of(named: Named, value_type: Option<ValueType>) -> Result<Self> {
        let value_type = value_type.or(named.value_type);
        let (name, detector) = (&named.rxfilename, Detector::new(value_type));
        let entries = match named.kind {
            NamedKind::Archive => RawEntries::archive(name, detector)?,
            NamedKind::Script => RawEntries::script(name, detector)?,
            NamedKind::Value => RawEntries::file(name, detector)?,
            NamedKind::Shards => {
                let field = named.field.clone().map(FieldPath::new);
                // Another field than one of sound is text.
                let is_sound = field.as_ref().is_none_or(|field| shards::is_sound(field.name()));
                let found = value_type.unwrap_or(if is_sound { ValueType::Wave } else { ValueType::TokenVector });
                let is_text = found.is_words();
                let field = match field {
                    Some(field) => field,
                    None if found == ValueType::Wave => FieldPath::new("wav"),
                    None if is_text => FieldPath::new("txt"),
                    None => return Err(no_field(name, found)),
                };
                RawEntries::shards(name, &field, is_text, Detector::new(Some(found)))
            }
            NamedKind::Shar => {
                let field = named.field.as_ref().map(|field| field.to_str_lossy());
                match (field, value_type) {
                    // Entries of cuts are text.
                    (Some(field), None) if CutEntry::named(&field).is_some() => {
                        RawEntries::shar(name, &field, Detector::new(Some(ValueType::TokenVector)))?
                    }
                    (Some(field), _) => RawEntries::shar(name, &field, detector)?,
                    (None, None | Some(ValueType::Wave)) => {
                        RawEntries::shar(name, "recording", Detector::new(Some(ValueType::Wave)))?
                    }
                    (None, Some(text)) if text.is_words() => RawEntries::shar(name, "text", detector)?,
                    (None, Some(other)) => return Err(no_field(name, other)),
                }
            }
            NamedKind::Model(model_type) => return Err(Error::Model { name: named.rxfilename.clone(), model_type }),
            NamedKind::Directory => return Err(Error::Folder { name: named.rxfilename.clone() }),
        };
        Ok(Self::new(named, entries))
    }

    /// Reads an archive from an open stream.
    pub fn of_input(input: Input, value_type: Option<ValueType>) -> Self {
        let named = Named::new(NamedKind::Archive, input.name());
        Self::new(named, RawEntries::of_input(input, Detector::new(value_type)))
    }

    fn new(named: Named, entries: RawEntries<Detector>) -> Self {
        Self {
            named,
            entries,
            evidence: Evidence::default(),
            queue: VecDeque::new(),
            failure: None,
            has_begun: false,
            has_ended: false,
        }
    }

    /// Reads the first entries ahead, until the type is certain, up to a limit. [`Entries::next_entry`] would do it, too.
    pub fn begin(&mut self) {
        if !std::mem::replace(&mut self.has_begun, true) {
            self.look_ahead();
        }
    }

    /// Whether the next entry is in memory already.
    pub fn is_ready(&self) -> bool {
        !self.queue.is_empty() || (self.failure.is_none() && self.entries.is_ready())
    }

    /// Detects the type of a table's values from the first ones that can be read. `None` if the table is empty, cannot be read, or
    /// can be read only once.
    pub fn find_type(named: &Named) -> Option<ValueType> {
        Self::find_form(named).map(|(value_type, _)| value_type)
    }

    /// As [`Entries::find_type`], and whether the first value is in text form.
    pub fn find_form(named: &Named) -> Option<(ValueType, bool)> {
        if named.is_stream() {
            return None;
        }
        let mut entries = Self::of(named.clone(), None).ok()?;
        entries.look_ahead();
        // The other values of a script file may be sound.
        for _ in 0..AHEAD.0 {
            if entries.failure.take().is_none() || named.kind != NamedKind::Script {
                break;
            }
            entries.look_ahead();
        }
        if let Some(first) = entries.queue.front() {
            return Some((entries.value_type(), first.is_text()));
        }
        // What cannot be read may be known by its start.
        Some(entries.candidates()).filter(|candidates| candidates.len() == 1).map(|candidates| (candidates[0], false))
    }

    /// What the table is.
    pub fn kind(&self) -> NamedKind {
        self.named.kind
    }

    /// All types that fit what was read so far. If no value was read, all types that can be recognized from the bytes.
    pub fn candidates(&self) -> &[ValueType] {
        self.entries.framing().candidates()
    }

    /// The type of the values, or the most likely of those that fit. While it is not certain, it may change, as from
    /// `int32` to `float` if `1` is followed by `2.5`.
    pub fn value_type(&self) -> ValueType {
        self.likely(self.candidates())
    }

    /// The most likely of some types.
    pub(crate) fn likely(&self, candidates: &[ValueType]) -> ValueType {
        self.evidence.choose(candidates)
    }

    /// The next entry; `None` at the end. Unlike [`Reader::next`], it continues with the other lines after an
    /// unreadable value of a script file.
    ///
    /// # Errors
    /// If the value cannot be read, or the table cannot be read on.
    pub fn next_entry(&mut self) -> Result<Option<RawEntry>> {
        self.begin();
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

    /// As [`Entries::next_entry`], but a value of a script file that cannot be read is left out with a warning, and counted in the
    /// session.
    ///
    /// # Errors
    /// If the table cannot be read on.
    pub fn next_readable(&mut self) -> Result<Option<RawEntry>> {
        loop {
            match self.next_entry() {
                Err(error) if self.named.kind == NamedKind::Script => error.leave_out()?,
                next => return next,
            }
        }
    }

    fn read(&mut self) -> Result<Option<RawEntry>> {
        let entry = self.entries.next()?;
        if let Some(entry) = &entry {
            self.evidence.add(entry.head(), entry.is_text());
        }
        Ok(entry)
    }

    /// Reads on until the type is certain, up to a limit.
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

fn no_field(name: &BString, value_type: ValueType) -> Error {
    let advice = format!("shards have sound and text, and no value of type {}", value_type.name());
    let text = [b"shard:", name.as_slice()].concat().into();
    kaldi_table::Error::Specifier { role: "rspecifier", text, advice }.into()
}
