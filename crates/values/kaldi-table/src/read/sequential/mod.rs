//! Sequential reading of tables.

use std::marker::PhantomData;

use bstr::{BStr, BString};
use kaldi_io::{RspecifierKind, Session, is_specifier};
use kaldi_reader::{Reader, prefetch};
use kaldi_value::Value;
use shards::FieldPath;

use crate::batch::{self, BoxedBatches, IN_FLIGHT, LazyValues};
use crate::entry::{Entry, Erased};
use crate::error::WorkError;
use crate::framing::Typed;
use crate::lookup::find::Lookup;
use crate::permissive::Unreadable;
use crate::raw::RawEntry;
use crate::read::archive::ArchiveReader;
use crate::read::entry_by_entry::EntryByEntry;
use crate::read::queue::{Filled, Outcome, Queue, Row};
use crate::read::rows::{Rest, Rows};
use crate::read::script::ScriptReader;
use crate::read::shar::{SharField, SharReader};
use crate::read::shards::{ShardField, ShardReader};
use crate::read::single_file::SingleFile;
use crate::specifier::{parse_rspecifier, refused};
use crate::value_fns::ValueFns;
use crate::{Error, Result};

/// A table of `T` that is read from its start to its end.
///
/// It is a [`Reader`] of keys and values. [`SequentialReader::par_map`] reads and works on several threads.
///
/// ```
/// use kaldi_table::{Reader, SequentialReader};
///
/// let mut table = SequentialReader::<i32>::open("ark:printf 'a 1\\nb 2\\n' |")?;
/// while let Some((key, value)) = table.next()? {
///     println!("{key} is {value}");
/// }
/// # Ok::<(), kaldi_table::Error>(())
/// ```
#[must_use]
pub struct SequentialReader<T> {
    entries: Box<dyn AnyEntries>,
    value: PhantomData<fn() -> T>,
}

impl<T: Value> SequentialReader<T> {
    /// Opens the table that `rspecifier` names.
    ///
    /// # Errors
    /// If the specifier is invalid, the archive or script file cannot be opened, or its start makes no sense.
    pub fn open(rspecifier: impl AsRef<[u8]>) -> Result<Self> {
        Self::open_with(rspecifier, Session::current())
    }

    /// Opens the table that `rspecifier` names, in a session.
    ///
    /// # Errors
    /// As [`SequentialReader::open`].
    pub fn open_with(rspecifier: impl AsRef<[u8]>, session: Session) -> Result<Self> {
        open_entries(BStr::new(rspecifier.as_ref()), &ExpectedStream::of::<T>(), session).map(Self::of)
    }

    /// Opens a table if `name` is an rspecifier, and else a file: a table of one entry without a key.
    ///
    /// # Errors
    /// As [`SequentialReader::open`] and [`read_file`](crate::read_file), except for a value that cannot be parsed.
    pub fn open_table_or_file(name: impl AsRef<[u8]>) -> Result<Self> {
        let (name, wanted) = (BStr::new(name.as_ref()), ExpectedStream::of::<T>());
        open_table_or_file(name, &wanted, T::HAS_FILE_RANGES).map(Self::of)
    }

    /// The values, parsed on several threads if there is enough to parse.
    pub fn values(self) -> Rows<T> {
        self.par_map(|entry| Ok(entry.read()?))
    }
}

impl<T: 'static> SequentialReader<T> {
    /// Lets long values stay in their files until they are asked for. Use it for work that needs few of them or only
    /// their headers: a table in a regular file is then skipped at the cost of its headers, and with [`Entry::copy`]
    /// the kernel moves the bytes.
    pub fn skim(mut self) -> Self {
        self.entries.set_lazy(LazyValues::Anywhere);
        self
    }

    /// Like [`SequentialReader::skim`], for work that copies most values: only those in files stay there, so that the
    /// kernel moves their bytes. The values of stores are read, many at the same time.
    pub fn leave_in_files(mut self) -> Self {
        self.entries.set_lazy(LazyValues::InFiles);
        self
    }

    fn of(entries: Box<dyn AnyEntries>) -> Self {
        Self { entries, value: PhantomData }
    }

    /// Looks at the next entry without taking it; `None` at the end of the table.
    ///
    /// # Errors
    /// If the table cannot be read on. A value that makes no sense is an error only when it is read.
    pub fn peek(&mut self) -> Result<Option<Entry<'_, T>>> {
        Ok(self.entries.peek()?.map(Entry::new))
    }

    /// The rest of the table with its values read as `U`, for a table whose type is known only after looking at it. `T`
    /// and `U` must frame the values of a `U` in the same way.
    pub fn retyped<U>(self) -> SequentialReader<U> {
        SequentialReader { entries: self.entries, value: PhantomData }
    }

    /// The rest of the table with its values read by [`Entry::read_as`].
    pub fn erased(self) -> SequentialReader<Erased> {
        self.retyped()
    }

    /// Does `work` on every entry, on several threads if there is enough work, and delivers keys and results in the
    /// table's order.
    ///
    /// The work gets an entry that is not parsed yet. It may read it or pass its bytes on. Its log lines come out in
    /// order, too. An error of the work ends the table; it has the key of the entry ([`Error::Work`]).
    pub fn par_map<U, F>(self, work: F) -> Rows<U>
    where
        U: Send + 'static,
        F: Fn(&Entry<'_, T>) -> Result<U, WorkError> + Send + Sync + 'static,
    {
        self.par_map_with((), move |entry, ()| work(entry))
    }

    /// Like [`SequentialReader::par_map`], with what `lookup` finds for the key of each entry. The lookups run one
    /// after the other, in the table's order. So a lookup may be a sorted table that is read only forwards
    /// (`s,cs`).
    pub fn par_map_with<L, U, F>(self, lookup: L, work: F) -> Rows<U>
    where
        L: Lookup,
        U: Send + 'static,
        F: Fn(&Entry<'_, T>, L::Found) -> Result<U, WorkError> + Send + Sync + 'static,
    {
        Rows::new(self.entries, lookup, work)
    }
}

impl<T: Value> Reader for SequentialReader<T> {
    type Item = (BString, T);
    type Error = Error;

    fn next(&mut self) -> Result<Option<(BString, T)>> {
        let mut value = None;
        let key = self.entries.next(ValueFns::of::<T>(), &mut |raw| {
            value = Some(raw.parse()?);
            Ok(())
        })?;
        Ok(key.zip(value))
    }

    fn restart(&mut self) -> Result<()> {
        self.entries.restart()
    }

    fn finish(&mut self) -> Result<()> {
        self.entries.finish()
    }
}

/// The entries of a table of any type, not parsed yet. Their type is erased, so that nothing of them, not even their drop, is compiled
/// anew in the crates that read tables.
pub(crate) trait AnyEntries: Send {
    /// Leaves long values where they are until they are asked for.
    fn set_lazy(&mut self, lazy: LazyValues);
    /// The next entry, without taking it.
    fn peek(&mut self) -> Result<Option<&RawEntry>>;
    /// The key of the next entry that `read` reads. It keeps the value.
    fn next(&mut self, fns: &ValueFns, read: &mut dyn FnMut(&RawEntry) -> Result<()>) -> Result<Option<BString>>;
    fn restart(&mut self) -> Result<()>;
    fn finish(&mut self) -> Result<()>;
    /// The table before its map.
    fn into_rest(self: Box<Self>) -> Rest;
}

struct Entries {
    batches: BoxedBatches,
    queue: Queue<RawEntry>,
    session: Session,
}

impl Entries {
    fn boxed(batches: BoxedBatches, unreadable: Unreadable, session: Session) -> Box<dyn AnyEntries> {
        Box::new(Self { batches, queue: Queue::new(unreadable), session })
    }
}

fn open_entries(rspecifier: &BStr, wanted: &ExpectedStream, session: Session) -> Result<Box<dyn AnyEntries>> {
    let (batches, unreadable) = session.enter(|| open_batches(rspecifier, wanted, &session))?;
    Ok(Entries::boxed(batches, unreadable, session))
}

fn open_table_or_file(name: &BStr, wanted: &ExpectedStream, has_ranges: bool) -> Result<Box<dyn AnyEntries>> {
    if is_specifier(name) {
        return open_entries(name, wanted, Session::current());
    }
    let file = SingleFile::open(name, wanted.framing, has_ranges)?;
    Ok(Entries::boxed(Box::new(file), Unreadable::Fails, Session::current()))
}

impl AnyEntries for Entries {
    fn set_lazy(&mut self, lazy: LazyValues) {
        self.batches.set_lazy(lazy);
    }

    fn peek(&mut self) -> Result<Option<&RawEntry>> {
        self.queue.peek(&self.session, &mut || fill(&mut self.batches))
    }

    fn into_rest(self: Box<Self>) -> Rest {
        let Self { batches, queue, session } = *self;
        let (entries, unreadable) = queue.into_filled();
        Rest { first: (!entries.is_empty()).then(|| entries.into()), batches, unreadable, session }
    }

    fn next(&mut self, fns: &ValueFns, read: &mut dyn FnMut(&RawEntry) -> Result<()>) -> Result<Option<BString>> {
        let open = |raw: RawEntry| {
            let outcome = match read(&raw) {
                Ok(()) => Outcome::Done,
                Err(error) => Outcome::Unreadable { error, wrong_range: raw.has_wrong_range(fns) },
            };
            Row { key: raw.key, outcome }
        };
        self.queue.next(&self.session, &mut || fill(&mut self.batches), open)
    }

    fn restart(&mut self) -> Result<()> {
        self.queue.restart(&self.session, || self.batches.restart())
    }

    fn finish(&mut self) -> Result<()> {
        self.queue.finish(&self.session, || self.batches.finish())
    }
}

/// The next batch for a queue.
fn fill(batches: &mut BoxedBatches) -> Result<Option<Filled<RawEntry>>> {
    Ok(batches.next()?.map(Into::into))
}

/// The field of shards that has words.
const TEXT: &str = "txt";

/// The expected type of the values of a table.
struct ExpectedStream {
    framing: Typed,
    name: &'static str,
    /// The field of a sample that has such a value.
    field: Option<&'static str>,
}

impl ExpectedStream {
    fn of<T: Value>() -> Self {
        Self { framing: Typed::of::<T>(), name: T::NAME, field: T::SHARD_FIELD }
    }
}

/// Opens the entries of the table that `rspecifier` names.
fn open_batches(rspecifier: &BStr, wanted: &ExpectedStream, session: &Session) -> Result<(BoxedBatches, Unreadable)> {
    let parsed = parse_rspecifier(rspecifier)?;
    let permissive = parsed.options.permissive;
    let rxfilename = parsed.rxfilename.as_ref();
    let framing = wanted.framing;
    let (batches, unreadable): (BoxedBatches, _) = match parsed.kind {
        RspecifierKind::Archive => {
            let archive = ArchiveReader::open(rxfilename, framing, permissive)?;
            (Box::new(archive), if permissive { Unreadable::Ends } else { Unreadable::Fails })
        }
        RspecifierKind::Script => {
            let script = ScriptReader::open(rxfilename, framing, permissive, session.clone())?;
            (Box::new(EntryByEntry::new(script)), if permissive { Unreadable::IsLeftOut } else { Unreadable::Fails })
        }
        RspecifierKind::Shards => {
            let Some(name) = parsed.field.or(wanted.field.map(Into::into)) else {
                let advice = format!("shards have sound and text, and no value of type {}", wanted.name);
                return Err(refused(rspecifier, &advice));
            };
            let field = ShardField { path: FieldPath::new(name), is_text: wanted.field == Some(TEXT) };
            let shards = ShardReader::new(rxfilename, field, framing.frame, permissive);
            (Box::new(EntryByEntry::new(shards)), if permissive { Unreadable::IsLeftOut } else { Unreadable::Fails })
        }
        RspecifierKind::Shar => {
            let field = SharField::new(parsed.field.as_ref(), wanted.field, wanted.name)
                .map_err(|advice| refused(rspecifier, &advice))?;
            let cuts = SharReader::open(rxfilename, field, framing.frame, permissive)?;
            (Box::new(EntryByEntry::new(cuts)), if permissive { Unreadable::IsLeftOut } else { Unreadable::Fails })
        }
    };
    if parsed.options.background {
        return Ok((Box::new(prefetch(batches, IN_FLIGHT, batch::mem_size)), unreadable));
    }
    Ok((batches, unreadable))
}

#[cfg(test)]
mod tests;
