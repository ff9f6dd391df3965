//! The entries of a table of any kind and type.

use std::collections::VecDeque;
use std::sync::Arc;

use bstr::{BStr, BString};
use kaldi_io::{Locator, Rxfilename};
use kaldi_reader::Reader;
use kaldi_scan::Scanner;
use kaldi_table::count_delivered;
use kaldi_types::{Detector, Evidence, ValueType};

use crate::entry::{Bytes, Entry};
use crate::kind::{Kind, Named};
use crate::script::{Line, Loader, ScriptLines};
use crate::{Error, Result};

/// Entries and bytes that are read ahead where several types fit, to tell which is meant.
const AHEAD: (usize, usize) = (64, 1 << 20);

/// The entries of a table: an archive, a script file or a single value, of any type.
///
/// Headers are read; payloads are left where they are until [`Entry::bytes`] asks for them (in a pipe they are read, of
/// course). A [`Reader`] of [`Entry`]; the type of the values is known better the more of them were read:
/// [`Entries::value_type`].
///
/// A value that cannot be read ends an archive, since nobody knows where the next one begins. Behind an unreadable value of
/// a script file, the other lines can be asked for.
#[derive(Debug)]
pub struct Entries {
    named: Named,
    known: Option<ValueType>,
    source: Source,
    evidence: Evidence,
    /// What was read ahead.
    queue: VecDeque<Entry>,
    /// The failure behind what was read ahead.
    failure: Option<Error>,
    has_begun: bool,
    /// Whether the reader has ended.
    has_ended: bool,
}

#[derive(Debug)]
enum Source {
    Archive(Box<Scanner>),
    Script {
        lines: ScriptLines,
        loader: Loader,
    },
    /// A single value, and whether it is still to come.
    Value {
        loader: Loader,
        line: Line,
        waits: bool,
    },
}

impl Entries {
    /// Opens the table of this name: an rspecifier, or the name of an archive, a script file or a value, which is found by
    /// looking. The type of the values is found by looking, too, unless it is given.
    ///
    /// # Errors
    /// Where the table cannot be opened, or the name is that of a folder ([`Error::Folder`]).
    pub fn open(name: &BStr, value_type: Option<ValueType>) -> Result<Self> {
        Self::of(Named::find(name)?, value_type)
    }

    /// Opens a table whose kind is known.
    ///
    /// # Errors
    /// As [`Entries::open`].
    pub fn of(named: Named, value_type: Option<ValueType>) -> Result<Self> {
        let source = Source::open(&named, value_type)?;
        Ok(Self {
            named,
            known: value_type,
            source,
            evidence: Evidence::default(),
            queue: VecDeque::new(),
            failure: None,
            has_begun: false,
            has_ended: false,
        })
    }

    /// The type of the values of a table, by looking at the first ones: nothing where it is empty or cannot be read, or can
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
        match &self.source {
            Source::Archive(scanner) => scanner.detector().candidates(),
            Source::Script { loader, .. } | Source::Value { loader, .. } => loader.detector().candidates(),
        }
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

    /// The next entry, or nothing at the end. Unlike [`Reader::next`], it goes on with the other lines behind an unreadable
    /// value of a script file.
    ///
    /// # Errors
    /// Where the value cannot be read, or the table cannot be read on.
    pub fn next_entry(&mut self) -> Result<Option<Entry>> {
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

    fn read(&mut self) -> Result<Option<Entry>> {
        let entry = self.source.next()?;
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

impl Source {
    fn open(named: &Named, value_type: Option<ValueType>) -> Result<Self> {
        let (name, detector) = (named.rxfilename.as_ref(), Detector::new(value_type));
        Ok(match named.kind {
            Kind::Archive => Self::Archive(Scanner::open(name, detector)?.into()),
            Kind::Script => Self::Script { lines: ScriptLines::open(name)?, loader: Loader::new(detector) },
            Kind::Value => {
                Locator::parse(name).map_err(|error| error.into_error(name))?;
                let line = Line { number: 0, key: BString::default(), xfilename: name.to_owned() };
                Self::Value { loader: Loader::new(detector), line, waits: true }
            }
            Kind::Directory => return Err(Error::Folder { name: named.rxfilename.clone() }),
        })
    }

    fn next(&mut self) -> Result<Option<Entry>> {
        match self {
            Self::Archive(scanner) => archived(scanner),
            Self::Script { lines, loader } => match lines.next_line()? {
                Some(line) => loader.load(Some(lines.name()), &line).map(Some),
                None => Ok(None),
            },
            Self::Value { loader, line, waits } => match std::mem::replace(waits, false) {
                true => loader.load(None, line).map(Some),
                false => Ok(None),
            },
        }
    }
}

/// The next entry of an archive.
fn archived(scanner: &mut Scanner) -> Result<Option<Entry>> {
    let Some(entry) = scanner.next_entry()? else { return Ok(None) };
    let Some(raw) = scanner.entry() else { return Ok(None) };
    Ok(Some(Entry {
        key: entry.key,
        file: Arc::clone(scanner.printable_name()),
        start: Some(entry.start),
        offset: entry.value,
        size: entry.end - entry.value,
        is_text: entry.is_text,
        is_open: entry.is_open,
        range: None,
        line: None,
        bytes: Bytes::Raw(raw.clone()),
    }))
}

impl Reader for Entries {
    type Item = Entry;
    type Error = Error;

    fn next(&mut self) -> Result<Option<Entry>> {
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
        let is_stdin = Rxfilename::parse(self.named.rxfilename.as_ref())? == Rxfilename::Stdin;
        match &mut self.source {
            Source::Script { lines, .. } => lines.restart()?,
            _ if is_stdin => return Err(kaldi_io::Error::ReadOnce { name: "standard input".to_owned() }.into()),
            source => *source = Source::open(&self.named, self.known)?,
        }
        self.has_ended = false;
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        self.queue.clear();
        self.failure = None;
        self.has_ended = true;
        match &mut self.source {
            Source::Script { lines, .. } => lines.finish(),
            _ => Ok(()),
        }
    }
}
