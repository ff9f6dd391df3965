//! Sequential reading of tables, and the ordered parallel map over them.

use std::any::Any;
use std::collections::VecDeque;
use std::marker::PhantomData;
use std::sync::atomic::Ordering;

use bstr::{BStr, BString, ByteSlice};
use kaldi_io::{Rspecifier, RspecifierKind, Value, is_specifier, specifier_advice};
use kaldi_log::warning;
use kaldi_reader::{Reader, prefetch};

use crate::archive::ArchiveReader;
use crate::entry::{Batch, Entry, RawEntry};
use crate::error::WorkError;
use crate::loader::ValueLoader;
use crate::lookup::Lookup;
use crate::rows::{DELIVERED, Erased, FoundBatches, IN_FLIGHT, Outcome, Rows};
use crate::script::split_range;
use crate::script_reader::{ScriptReader, warn_left_out};
use crate::{Error, Result};
/// A reader of framed entries.
pub(crate) trait Batches: Reader<Value = Batch, Error = Error> + Send {
    /// Leaves long values where they are until somebody wants them.
    fn skim(&mut self) {}
}

impl<R: Reader<Value = Batch, Error = Error> + Send + 'static> Batches for kaldi_reader::Prefetch<R> {}

impl Batches for BoxedBatches {
    fn skim(&mut self) {
        (**self).skim();
    }
}

pub(crate) type BoxedBatches = Box<dyn Batches<Item = Result<Batch>>>;

/// The one entry of a file that is no table.
struct Once {
    rxfilename: BString,
    load: fn(&BStr) -> Result<RawEntry>,
    entry: Option<RawEntry>,
}

impl Iterator for Once {
    type Item = Result<Batch>;

    fn next(&mut self) -> Option<Self::Item> {
        Some(Ok(Batch { entries: vec![self.entry.take()?], log: Vec::new() }))
    }
}

impl Reader for Once {
    type Value = Batch;
    type Error = Error;

    fn restart(&mut self) -> Result<()> {
        self.entry = Some((self.load)(self.rxfilename.as_ref())?);
        Ok(())
    }
}

impl Batches for Once {}

/// What is done about entries that cannot be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Unreadable {
    /// It is an error.
    Fails,
    /// It is passed over (a script file with `p`).
    IsLeftOut,
    /// The table ends there (an archive with `p`), unless it is the first entry.
    Ends,
}

/// A table of `T` that is read from its begin to its end.
///
/// It is a [`Reader`] of keys and values. Tools rather call [`SequentialReader::map`], which does their work on several
/// threads.
#[must_use]
pub struct SequentialReader<T> {
    batches: BoxedBatches,
    unreadable: Unreadable,
    queue: VecDeque<RawEntry>,
    /// Log lines that belong behind the queue.
    log: Vec<u8>,
    delivered: u64,
    ended: bool,
    value: PhantomData<fn() -> T>,
}

impl<T: Value> SequentialReader<T> {
    /// Opens the table that `rspecifier` names.
    ///
    /// # Errors
    /// Where the specifier is invalid, the archive or script file cannot be opened, or its begin makes no sense.
    pub fn open(rspecifier: &BStr) -> Result<Self> {
        let parsed = parse_rspecifier(rspecifier)?;
        let permissive = parsed.options.permissive;
        let rxfilename = parsed.rxfilename.as_ref();
        let (batches, unreadable): (BoxedBatches, _) = match parsed.kind {
            RspecifierKind::Archive => {
                let archive = ArchiveReader::open(rxfilename, T::frame, permissive)?;
                (Box::new(archive), if permissive { Unreadable::Ends } else { Unreadable::Fails })
            }
            RspecifierKind::Script => {
                let script = ScriptReader::open(rxfilename, T::frame, permissive)?;
                (Box::new(script), if permissive { Unreadable::IsLeftOut } else { Unreadable::Fails })
            }
        };
        let batches = if parsed.options.background {
            Box::new(prefetch(batches, IN_FLIGHT, Batch::weigh)) as BoxedBatches
        } else {
            batches
        };
        Ok(Self::new(batches, unreadable))
    }

    /// Opens a table where `name` is an rspecifier, and a file where it is not: a table of one entry without a key.
    ///
    /// # Errors
    /// As [`SequentialReader::open`] and [`read_file`], but for a value that cannot be parsed.
    pub fn open_table_or_file(name: &BStr) -> Result<Self> {
        if is_specifier(name) {
            return Self::open(name);
        }
        let entry = Some(load_file::<T>(name)?);
        let once = Once { rxfilename: name.to_owned(), load: load_file::<T>, entry };
        Ok(Self::new(Box::new(once), Unreadable::Fails))
    }

    /// Leaves long values in their files until they are asked for, for work that needs few of them or only their headers:
    /// a table in a regular file is then passed over at the cost of its headers, and [`Entry::copy`] lets the kernel move
    /// the bytes.
    pub fn skim(mut self) -> Self {
        self.batches.skim();
        self
    }

    fn new(batches: BoxedBatches, unreadable: Unreadable) -> Self {
        Self {
            batches,
            unreadable,
            queue: VecDeque::new(),
            log: Vec::new(),
            delivered: 0,
            ended: false,
            value: PhantomData,
        }
    }

    /// Looks at the next entry without taking it: nothing at the end of the table.
    ///
    /// # Errors
    /// Where the table cannot be read on. An entry whose value makes no sense is no error until it is read.
    pub fn peek(&mut self) -> Result<Option<Entry<'_, T>>> {
        while self.queue.is_empty() && !self.ended {
            self.fill()?;
        }
        Ok(self.queue.front().map(Entry::new))
    }

    /// The rest of the table with its values read as `U`, for a table whose type shows when it is looked at. `T` and `U`
    /// have to frame the values of a `U` alike.
    pub fn retyped<U: Value>(self) -> SequentialReader<U> {
        let Self { batches, unreadable, queue, log, delivered, ended, value: _ } = self;
        SequentialReader { batches, unreadable, queue, log, delivered, ended, value: PhantomData }
    }

    /// Puts the next entries into the empty queue, or finds the end.
    fn fill(&mut self) -> Result<()> {
        kaldi_log::replay(&std::mem::take(&mut self.log));
        match self.batches.next() {
            Some(Ok(batch)) => {
                self.queue = batch.entries.into();
                self.log = batch.log;
                Ok(())
            }
            Some(Err(error)) => {
                self.ended = true;
                Err(error)
            }
            None => {
                self.ended = true;
                Ok(())
            }
        }
    }

    /// Does `work` on every entry, on several threads where there is enough of it, and delivers keys and results in the
    /// table's order.
    ///
    /// The work sees an entry that is not parsed yet; it may read it or pass its bytes on. Log lines that it writes come
    /// out in order too.
    pub fn map<U, F>(self, work: F) -> Rows<U>
    where
        U: Send + 'static,
        F: Fn(&Entry<'_, T>) -> Result<U, WorkError> + Send + Sync + 'static,
    {
        self.map_with((), move |entry, ()| work(entry))
    }

    /// Like [`SequentialReader::map`], with what `lookup` finds for the key of each entry. Looking up happens one entry
    /// after the other, in the table's order, so that a lookup may be a table that is only sorted.
    pub fn map_with<L, U, F>(self, lookup: L, work: F) -> Rows<U>
    where
        L: Lookup,
        U: Send + 'static,
        F: Fn(&Entry<'_, T>, L::Found) -> Result<U, WorkError> + Send + Sync + 'static,
    {
        let first = Batch { entries: self.queue.into(), log: self.log };
        let first = Some(first).filter(|first| !first.entries.is_empty() || !first.log.is_empty());
        let found = FoundBatches { first, batches: self.batches, lookup: Box::new(Erased(lookup)), fault: None };
        let erased_work = move |raw: &RawEntry, found: Box<dyn Any + Send>| {
            let Ok(found) = found.downcast::<L::Found>() else { return Outcome::Lost };
            let entry = Entry::<T>::new(raw);
            match work(&entry, *found) {
                Ok(result) => Outcome::Done(Box::new(result)),
                Err(error) if entry.is_unreadable() => {
                    Outcome::Unreadable { error, wrong_range: raw.has_wrong_range::<T>() }
                }
                Err(error) => Outcome::Failed(error),
            }
        };
        Rows::new(found, self.unreadable, Box::new(erased_work))
    }

    /// The values, parsed on several threads where there is enough to parse.
    pub fn values(self) -> Rows<T> {
        self.map(|entry| Ok(entry.read()?))
    }
}

impl<T: Value> Iterator for SequentialReader<T> {
    type Item = Result<(BString, T)>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.ended {
            let Some(mut raw) = self.queue.pop_front() else {
                match self.fill() {
                    Ok(()) => continue,
                    Err(error) => return Some(Err(error)),
                }
            };
            kaldi_log::replay(&std::mem::take(&mut raw.log));
            match raw.parse() {
                Ok(value) => {
                    self.delivered += 1;
                    DELIVERED.fetch_add(1, Ordering::Relaxed);
                    return Some(Ok((raw.key, value)));
                }
                Err(error) => match permit(self.unreadable, self.delivered, raw.has_wrong_range::<T>()) {
                    Permit::Fail => {
                        self.ended = true;
                        return Some(Err(error));
                    }
                    Permit::LeaveOut => warn_left_out(&error),
                    Permit::End => {
                        warn_end(&error);
                        self.ended = true;
                    }
                },
            }
        }
        None
    }
}

impl<T: Value> Reader for SequentialReader<T> {
    type Value = (BString, T);
    type Error = Error;

    fn restart(&mut self) -> Result<()> {
        self.queue.clear();
        self.log.clear();
        self.delivered = 0;
        self.ended = false;
        self.batches.restart()
    }
}

/// What to do about an entry that cannot be read.
pub(crate) enum Permit {
    Fail,
    LeaveOut,
    End,
}

pub(crate) fn permit(unreadable: Unreadable, delivered: u64, wrong_range: bool) -> Permit {
    match unreadable {
        // A range that makes no sense is a mistake in the script file, not a damaged value.
        Unreadable::IsLeftOut if !wrong_range => Permit::LeaveOut,
        // An archive whose first entry cannot be read is of another type.
        Unreadable::Ends if delivered > 0 => Permit::End,
        _ => Permit::Fail,
    }
}

pub(crate) fn warn_end(error: &dyn std::fmt::Display) {
    warning!("{error}; the rest of the archive is left out, as permissive mode (p) asks");
}

/// Parses an rspecifier.
pub(crate) fn parse_rspecifier(text: &BStr) -> Result<Rspecifier> {
    Rspecifier::parse(text).ok_or_else(|| Error::Specifier {
        role: "rspecifier",
        text: text.to_owned(),
        advice: specifier_advice(text, "rspecifier"),
    })
}

/// Reads one value from an rxfilename that is no table, with a range at its end where the type has ranges.
///
/// # Errors
/// Where the name is invalid, the stream cannot be read or does not begin with such a value.
pub fn read_file<T: Value>(rxfilename: &BStr) -> Result<T> {
    load_file::<T>(rxfilename)?.parse()
}

fn load_file<T: Value>(rxfilename: &BStr) -> Result<RawEntry> {
    let (name, range) = match split_range(rxfilename) {
        Ok(split) if T::HAS_FILE_RANGES => split,
        Err(message) if T::HAS_FILE_RANGES => {
            let name = rxfilename.to_owned();
            return Err(Error::Io(kaldi_io::Error::Name { role: "input", name, advice: message.into() }));
        }
        _ => (rxfilename, None),
    };
    Ok(ValueLoader::new(T::frame).load(name)?.into_entry(BStr::new(""), range, None))
}

/// Tells whether a tool that copies `from` something `to` something else copies tables or files.
///
/// # Errors
/// Where one of the two is a table and the other is a file.
pub fn are_tables(from: &BStr, to: &BStr) -> Result<bool> {
    match (is_specifier(from), is_specifier(to)) {
        (true, true) => Ok(true),
        (false, false) => Ok(false),
        // Something that should have been a specifier gets the advice on specifiers.
        (false, true) if is_almost_specifier(from) => parse_rspecifier(from).map(|_| true),
        (true, false) if is_almost_specifier(to) => Err(Error::Specifier {
            role: "wspecifier",
            text: to.to_owned(),
            advice: specifier_advice(to, "wspecifier"),
        }),
        _ => Err(Error::Mixed { from: from.to_owned(), to: to.to_owned() }),
    }
}

/// Whether `ark` or `scp` is among the words before the first colon.
fn is_almost_specifier(text: &BStr) -> bool {
    let Some((words, _)) = text.split_once_str(b":") else { return false };
    words.split(|byte| b", ".contains(byte)).any(|word| matches!(word, b"ark" | b"scp"))
}

#[cfg(test)]
mod tests;
