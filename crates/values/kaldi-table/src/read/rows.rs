//! The ordered parallel map over a table.

use std::any::{Any, TypeId};
use std::vec;

use bstr::{BStr, BString};
use kaldi_io::Session;
use kaldi_io::log::capture;
use kaldi_reader::{ParMap, Reader, par_map};

use crate::batch::{Batch, BoxedBatches, IN_FLIGHT, mem_size};
use crate::entry::Entry;
use crate::error::WorkError;
use crate::lookup::find::Lookup;
use crate::permissive::Unreadable;
use crate::raw::RawEntry;
use crate::read::queue::{Filled, Outcome, Queue, Row};
use crate::read::sequential::AnyEntries;
use crate::{Error, Result};

/// A table before its map: the entries that were looked at, and the rest.
pub(crate) struct Rest {
    pub(crate) first: Option<Batch>,
    pub(crate) batches: BoxedBatches,
    pub(crate) unreadable: Unreadable,
    pub(crate) session: Session,
}

/// Batches with what was found for each of their keys.
struct FoundBatches {
    first: Option<Batch>,
    batches: BoxedBatches,
    lookup: Box<dyn BatchLookup>,
    /// A failure of the lookup after the entries that were delivered last.
    fault: Option<Error>,
    ended: bool,
}

/// Values of one type, which is erased once for all values of a batch.
type Erased = Box<dyn Any + Send>;

/// A batch on its way to a worker.
struct FoundBatch {
    weight: usize,
    entries: Batch,
    /// A `Vec` of what the lookup found for each entry.
    found: Erased,
}

/// A batch on its way back.
struct WorkedBatch {
    rows: Filled<Row>,
    /// A `Vec` of the results of the rows that are done.
    results: Erased,
}

/// The work on a batch.
type BatchWork = dyn Fn(Batch, Erased) -> WorkedBatch + Send + Sync;

/// A lookup for the entries of batches, of any type.
trait BatchLookup: Send {
    /// Looks a key up and keeps what is found.
    fn find(&mut self, key: &BStr) -> Result<()>;
    /// What was found since the last call, a `Vec`.
    fn take_found(&mut self) -> Erased;
    fn restart(&mut self) -> Result<()>;
    fn finish(&mut self) -> Result<()>;
    fn may_wait(&self) -> bool;
    /// Whether there is no lookup: nothing is found, nothing fails, and there are no log lines.
    fn is_none(&self) -> bool;
}

struct ByKey<L: Lookup> {
    lookup: L,
    found: Vec<L::Found>,
}

impl<L: Lookup> BatchLookup for ByKey<L> {
    fn find(&mut self, key: &BStr) -> Result<()> {
        self.found.push(self.lookup.find(key)?);
        Ok(())
    }

    fn take_found(&mut self) -> Erased {
        Box::new(std::mem::take(&mut self.found))
    }

    fn restart(&mut self) -> Result<()> {
        self.lookup.restart()
    }

    fn finish(&mut self) -> Result<()> {
        self.lookup.finish()
    }

    fn may_wait(&self) -> bool {
        self.lookup.may_wait()
    }

    fn is_none(&self) -> bool {
        TypeId::of::<L>() == TypeId::of::<()>()
    }
}

impl FoundBatches {
    /// Looks all entries up. If that fails, the entries from there on are dropped.
    fn find(&mut self, mut entries: Batch) -> FoundBatch {
        let weight = mem_size(&entries);
        let (is_none, mut looked_up) = (self.lookup.is_none(), entries.len());
        for (index, item) in entries.iter_mut().enumerate() {
            let Some(entry) = &item.value else { continue };
            if is_none {
                let _ = self.lookup.find(entry.key.as_ref());
                continue;
            }
            let (found, lines) = capture(|| self.lookup.find(entry.key.as_ref()));
            item.lines.extend_from_slice(&lines);
            if let Err(error) = found {
                self.fault = Some(error);
                item.value = None;
                looked_up = index + 1;
                break;
            }
        }
        entries.truncate(looked_up);
        FoundBatch { weight, entries, found: self.lookup.take_found() }
    }
}

impl Reader for FoundBatches {
    type Item = FoundBatch;
    type Error = Error;

    fn next(&mut self) -> Result<Option<FoundBatch>> {
        if let Some(fault) = self.fault.take() {
            self.ended = true;
            return Err(fault);
        }
        if self.ended {
            return Ok(None);
        }
        let next = self.first.take().map_or_else(|| self.batches.next(), |first| Ok(Some(first)));
        self.ended = !matches!(next, Ok(Some(_)));
        let Some(batch) = next? else {
            self.lookup.finish()?;
            return Ok(None);
        };
        Ok(Some(self.find(batch)))
    }

    fn restart(&mut self) -> Result<()> {
        self.first = None;
        self.fault = None;
        self.ended = true;
        self.batches.restart()?;
        self.lookup.restart()?;
        self.ended = false;
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        self.first = None;
        self.fault = None;
        self.ended = true;
        self.batches.finish()?;
        self.lookup.finish()
    }
}

/// Rows whose results are of any type. Their own type is erased, too, so that nothing of them, not even their drop, is compiled anew in
/// the crates that use them.
trait AnyRows: Send {
    /// The key of the next row that is done. `keep` gets the results of each batch.
    fn next(&mut self, keep: &mut dyn FnMut(Erased)) -> Result<Option<BString>>;
    /// Takes every row, until `each` returns false.
    fn drain(&mut self, each: &mut dyn FnMut(Step) -> bool) -> Result<Ended>;
    fn restart(&mut self) -> Result<()>;
    fn finish(&mut self) -> Result<()>;
}

/// What comes of erased rows.
enum Step {
    /// The results of the rows that follow.
    Results(Erased),
    /// The key of a row that is done.
    Row(BString),
}

struct ErasedRows {
    batches: ParMap<FoundBatches, WorkedBatch>,
    queue: Queue<Row>,
    session: Session,
}

impl ErasedRows {
    fn boxed(entries: Box<dyn AnyEntries>, lookup: Box<dyn BatchLookup>, work: Box<BatchWork>) -> Box<dyn AnyRows> {
        let Rest { first, batches, unreadable, session } = entries.into_rest();
        let never_waits = !batches.may_wait() && !lookup.may_wait();
        let found = FoundBatches { first, batches, lookup, fault: None, ended: false };
        let asked = session.clone();
        let mem_size = |found: &FoundBatch| found.weight;
        let work = move |found: FoundBatch| Ok(work(found.entries, found.found));
        let rows = par_map(found, move || asked.num_threads(), work).in_flight(IN_FLIGHT, mem_size);
        let batches = if never_waits { rows.with_caller() } else { rows };
        Box::new(Self { batches, queue: Queue::new(unreadable), session })
    }
}

impl AnyRows for ErasedRows {
    fn next(&mut self, keep: &mut dyn FnMut(Erased)) -> Result<Option<BString>> {
        let mut fill = || {
            Ok(self.batches.next()?.map(|WorkedBatch { rows, results }| {
                keep(results);
                rows
            }))
        };
        self.queue.next(&self.session, &mut fill, |row| row)
    }

    fn drain(&mut self, each: &mut dyn FnMut(Step) -> bool) -> Result<Ended> {
        loop {
            let keep = &mut |results| {
                each(Step::Results(results));
            };
            match self.next(keep) {
                Ok(Some(key)) => {
                    if !each(Step::Row(key)) {
                        return Ok(Ended { fault: None });
                    }
                }
                Ok(None) => return Ok(Ended { fault: None }),
                Err(error @ Error::Io(kaldi_io::Error::Status { .. })) => return Ok(Ended { fault: Some(error) }),
                Err(error) => return Err(error),
            }
        }
    }

    fn restart(&mut self) -> Result<()> {
        self.queue.restart(&self.session, || self.batches.restart())
    }

    fn finish(&mut self) -> Result<()> {
        self.queue.finish(&self.session, || self.batches.finish())
    }
}

/// Keys and results of the work on a table, in its order; made by
/// [`SequentialReader::par_map`](crate::SequentialReader::par_map).
#[must_use = "nothing is read before the first call of next()"]
pub struct Rows<U> {
    rows: Box<dyn AnyRows>,
    /// The results of rows that wait to be delivered.
    results: vec::IntoIter<U>,
}

impl<U: Send + 'static> Rows<U> {
    pub(crate) fn new<T, L, F>(entries: Box<dyn AnyEntries>, lookup: L, work: F) -> Self
    where
        T: 'static,
        L: Lookup,
        F: Fn(&Entry<'_, T>, L::Found) -> Result<U, WorkError> + Send + Sync + 'static,
    {
        let lookup = Box::new(ByKey { lookup, found: Vec::new() });
        let work = move |raw: &RawEntry, found: L::Found| work(&Entry::new(raw), found);
        let work = move |entries: Batch, found: Erased| work_on_batch(entries, found, &work);
        Self { rows: ErasedRows::boxed(entries, lookup, Box::new(work)), results: Vec::new().into_iter() }
    }

    /// Takes every row in order, up to the end of the table.
    ///
    /// A command that failed after its last entry is not an error here. [`Ended::finish`] reports it, so that a program
    /// can first log its work.
    ///
    /// # Errors
    /// If the table cannot be read, or `each` fails.
    pub fn drain<E: From<Error>>(self, mut each: impl FnMut(BString, U) -> Result<(), E>) -> Result<Ended, E> {
        let Self { mut rows, mut results } = self;
        let mut failure = None;
        let ended = rows.drain(&mut |step| {
            match step {
                Step::Results(of_batch) => results = downcast::<Vec<U>>(of_batch).into_iter(),
                Step::Row(key) => failure = results.next().and_then(|result| each(key, result).err()),
            }
            failure.is_none()
        })?;
        failure.map_or(Ok(ended), Err)
    }
}

/// A table that was read to its end, and the failure of its command, if any.
#[derive(Debug)]
#[must_use = "a failed command is known only after finish()"]
pub struct Ended {
    fault: Option<Error>,
}

impl Ended {
    /// Reports the failure.
    ///
    /// # Errors
    /// If a command ended with a status that is not success, after entries that were all readable.
    pub fn finish(self) -> Result<()> {
        self.fault.map_or(Ok(()), Err)
    }
}

impl<U: Send + 'static> Reader for Rows<U> {
    type Item = (BString, U);
    type Error = Error;

    fn next(&mut self) -> Result<Option<(BString, U)>> {
        let key = self.rows.next(&mut |results| self.results = downcast::<Vec<U>>(results).into_iter())?;
        Ok(key.zip(self.results.next()))
    }

    fn restart(&mut self) -> Result<()> {
        self.results = Vec::new().into_iter();
        self.rows.restart()
    }

    fn finish(&mut self) -> Result<()> {
        self.results = Vec::new().into_iter();
        self.rows.finish()
    }
}

/// Does the work on all entries of a batch; `found` is what the lookup found for each. It is apart from [`Rows::new`] so that it is
/// compiled once for all work with the same results.
fn work_on_batch<V: 'static, U: Send + 'static>(
    entries: Batch,
    found: Erased,
    work: &dyn Fn(&RawEntry, V) -> Result<U, WorkError>,
) -> WorkedBatch {
    let mut results = Vec::with_capacity(entries.len());
    let mut found = downcast::<Vec<V>>(found).into_iter();
    let mut work_on = |raw: &RawEntry| {
        if let Some(found) = found.next() {
            results.push(work(raw, found)?);
        }
        Ok(())
    };
    let rows = work_on_all(entries, &mut work_on);
    WorkedBatch { rows, results: Box::new(results) }
}

/// Does the work on all entries of a batch. `work` keeps its results.
fn work_on_all(entries: Batch, work: &mut dyn FnMut(&RawEntry) -> Result<(), WorkError>) -> Filled<Row> {
    let entries = entries.into_iter();
    entries.map(|item| item.then(|entry| entry.map(|raw| work_on(raw, work)))).collect()
}

/// Does the work on one entry.
fn work_on(raw: RawEntry, work: &mut dyn FnMut(&RawEntry) -> Result<(), WorkError>) -> Row {
    raw.unreadable.set(None);
    let outcome = match work(&raw).map_err(|error| Error::of_work(raw.key(), error)) {
        Ok(()) => Outcome::Done,
        Err(error) => match raw.unreadable.get() {
            Some(fns) => Outcome::Unreadable { error, wrong_range: raw.has_wrong_range(fns) },
            None => Outcome::Failed(error),
        },
    };
    Row { key: raw.key, outcome }
}

/// Gets back values whose type was erased. Both ends are in [`Rows`].
fn downcast<V: 'static>(erased: Erased) -> V {
    match erased.downcast() {
        Ok(values) => *values,
        Err(_) => unreachable!("a batch has the type that its table gave it"),
    }
}
