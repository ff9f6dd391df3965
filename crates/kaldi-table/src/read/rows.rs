//! The ordered parallel map over a table.

use std::any::Any;
use std::collections::VecDeque;

use bstr::BString;
use kaldi_io::Session;
use kaldi_reader::{ParMap, Reader, par_map};
use kaldi_values::Value;

use crate::batch::{Batch, BoxedBatches, IN_FLIGHT, Item, push, weigh};
use crate::entry::Entry;
use crate::error::WorkError;
use crate::lookup::find::Lookup;
use crate::permissive::Unreadable;
use crate::raw::RawEntry;
use crate::read::queue::{Outcome, Queue, Row};
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

/// Items of one table. Their type is hidden once for all of them.
type Hidden = Box<dyn Any + Send>;

/// A batch on its way to a worker.
struct FoundBatch {
    weight: usize,
    /// A `Vec` of entries with what the lookup found for each.
    entries: Hidden,
}

/// A lookup for all entries of a batch, of any type.
trait BatchLookup: Send {
    /// Looks all entries up. If that fails, the entries from there on are dropped.
    fn find(&mut self, batch: Batch) -> (Hidden, Option<Error>);
    fn restart(&mut self) -> Result<()>;
    fn finish(&mut self) -> Result<()>;
    fn may_wait(&self) -> bool;
}

struct ByKey<L>(L);

impl<L: Lookup> BatchLookup for ByKey<L> {
    fn find(&mut self, batch: Batch) -> (Hidden, Option<Error>) {
        let mut entries = Vec::with_capacity(batch.len());
        let mut fault = None;
        for item in batch {
            let found = item.then(|entry| {
                let entry = entry?;
                let found = self.0.find(entry.key.as_ref()).map_err(|error| fault = Some(error)).ok()?;
                Some((entry, found))
            });
            push(&mut entries, found);
            if fault.is_some() {
                break;
            }
        }
        (Box::new(entries), fault)
    }

    fn restart(&mut self) -> Result<()> {
        self.0.restart()
    }

    fn finish(&mut self) -> Result<()> {
        self.0.finish()
    }

    fn may_wait(&self) -> bool {
        self.0.may_wait()
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
        let weight = weigh(&batch);
        let (entries, fault) = self.lookup.find(batch);
        self.fault = fault;
        Ok(Some(FoundBatch { weight, entries }))
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

/// Keys and results of the work on a table, in its order; made by
/// [`SequentialReader::par_map`](crate::SequentialReader::par_map).
#[must_use = "nothing is read before the first call of next()"]
pub struct Rows<U> {
    batches: ParMap<FoundBatches, Hidden>,
    queue: Queue<Row<U>>,
    session: Session,
}

impl<U: Send + 'static> Rows<U> {
    pub(crate) fn new<T, L, F>(rest: Rest, lookup: L, work: F) -> Self
    where
        T: Value,
        L: Lookup,
        F: Fn(&Entry<'_, T>, L::Found) -> Result<U, WorkError> + Send + Sync + 'static,
    {
        let Rest { first, batches, unreadable, session } = rest;
        let lookup = Box::new(ByKey(lookup));
        let found = FoundBatches { first, batches, lookup, fault: None, ended: false };
        let work = move |entries| -> Hidden {
            let entries = downcast::<Vec<Item<(RawEntry, L::Found)>>>(entries).into_iter();
            let rows = entries.map(|item| item.then(|entry| entry.map(|(raw, found)| do_work(raw, found, &work))));
            Box::new(rows.collect::<VecDeque<_>>())
        };
        Self { batches: start(found, session.clone(), Box::new(work)), queue: Queue::new(unreadable), session }
    }

    /// Takes every row in order, up to the end of the table.
    ///
    /// A command that failed after its last entry is not an error here. [`Ended::finish`] reports it, so that a program
    /// can first log its work.
    ///
    /// # Errors
    /// If the table cannot be read, or `each` fails.
    pub fn drain<E: From<Error>>(mut self, mut each: impl FnMut(BString, U) -> Result<(), E>) -> Result<Ended, E> {
        loop {
            match self.next() {
                Ok(Some((key, result))) => each(key, result)?,
                Ok(None) => return Ok(Ended { fault: None }),
                Err(error @ Error::Io(kaldi_io::Error::Status { .. })) => return Ok(Ended { fault: Some(error) }),
                Err(error) => return Err(error.into()),
            }
        }
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
        let fill = || Ok(self.batches.next()?.map(downcast));
        self.queue.next(&self.session, fill, |row| row)
    }

    fn restart(&mut self) -> Result<()> {
        self.queue.restart(&self.session, || self.batches.restart())
    }

    fn finish(&mut self) -> Result<()> {
        self.queue.finish(&self.session, || self.batches.finish())
    }
}

type BatchWork = dyn Fn(Hidden) -> Hidden + Send + Sync;

/// Starts the map. It is apart from [`Rows::new`] so that it is compiled once.
fn start(batches: FoundBatches, session: Session, work: Box<BatchWork>) -> ParMap<FoundBatches, Hidden> {
    let weigh = |found: &FoundBatch| found.weight;
    let never_waits = !batches.batches.may_wait() && !batches.lookup.may_wait();
    let rows = par_map(batches, move || session.num_threads(), IN_FLIGHT, weigh, move |found| Ok(work(found.entries)));
    if never_waits { rows.with_caller() } else { rows }
}

/// Does the work on one entry.
fn do_work<T: Value, V, U>(
    raw: RawEntry,
    found: V,
    work: &impl Fn(&Entry<'_, T>, V) -> Result<U, WorkError>,
) -> Row<U> {
    let entry = Entry::<T>::new(&raw);
    let outcome = match work(&entry, found) {
        Ok(result) => Outcome::Done(result),
        Err(error) if entry.is_unreadable() => {
            let error = Error::of_work(entry.key(), error);
            Outcome::Unreadable { error, wrong_range: raw.has_wrong_range::<T>() }
        }
        Err(error) => Outcome::Failed(Error::of_work(entry.key(), error)),
    };
    Row { key: raw.key, outcome }
}

/// Gets back a value whose type was hidden. Both ends are in [`Rows`].
fn downcast<V: 'static>(hidden: Hidden) -> V {
    match hidden.downcast() {
        Ok(value) => *value,
        Err(_) => unreachable!("a batch has the type that its table gave it"),
    }
}
