//! The ordered parallel map over a table.

use std::any::Any;
use std::collections::VecDeque;
use std::marker::PhantomData;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU64, Ordering};

use bstr::{BStr, BString};
use kaldi_reader::{ParMap, Reader, par_map};

use crate::entry::{Batch, RawEntry};
use crate::error::WorkError;
use crate::lookup::Lookup;
use crate::script_reader::warn_left_out;
use crate::sequential::{BoxedBatches, Permit, Unreadable, permit, warn_end};
use crate::{Error, Result};

/// Bytes of entries that are read and not yet delivered by one table.
pub(crate) const IN_FLIGHT: usize = 2 << 20;

/// Tells how many threads tables use; set once by the program.
static THREADS: OnceLock<fn() -> usize> = OnceLock::new();

/// Entries delivered by all tables, for showing progress.
pub(crate) static DELIVERED: AtomicU64 = AtomicU64::new(0);

/// Sets who tells how many threads the work on a table may use (1 until this is called; the first call wins). It is asked
/// only where there is enough work.
pub fn set_num_threads(num_threads: fn() -> usize) {
    let _ = THREADS.set(num_threads);
}

/// How many threads the work on a table may use.
pub(crate) fn num_threads() -> usize {
    THREADS.get().map_or(1, |num_threads| num_threads())
}

/// How many entries the sequential tables of this process have delivered.
pub fn entries_delivered() -> u64 {
    DELIVERED.load(Ordering::Relaxed)
}

/// Counts an entry that was delivered by other means than the tables of this crate, so that progress shows it.
pub fn count_delivered() {
    DELIVERED.fetch_add(1, Ordering::Relaxed);
}
/// Batches with what was found for each key.
pub(crate) struct FoundBatches {
    /// Entries that were looked at before.
    pub(crate) first: Option<Batch>,
    pub(crate) batches: BoxedBatches,
    pub(crate) lookup: Box<dyn ErasedLookup>,
    /// A failure of the lookup behind the entries that were delivered last.
    pub(crate) fault: Option<Error>,
}

pub(crate) struct FoundBatch {
    entries: Vec<(RawEntry, Box<dyn Any + Send>)>,
    log: Vec<u8>,
}

impl FoundBatch {
    fn weigh(&self) -> usize {
        self.entries.iter().map(|(entry, _)| entry.value.len() + 64).sum()
    }
}

pub(crate) trait ErasedLookup: Send {
    fn find(&mut self, key: &BStr) -> Result<Box<dyn Any + Send>>;
    fn finish(&mut self) -> Result<()>;
}

pub(crate) struct Erased<L>(pub(crate) L);

impl<L: Lookup> ErasedLookup for Erased<L> {
    fn find(&mut self, key: &BStr) -> Result<Box<dyn Any + Send>> {
        Ok(Box::new(self.0.find(key)?))
    }

    fn finish(&mut self) -> Result<()> {
        self.0.finish()
    }
}

impl Iterator for FoundBatches {
    type Item = Result<FoundBatch>;

    fn next(&mut self) -> Option<Self::Item> {
        if let Some(fault) = self.fault.take() {
            return Some(Err(fault));
        }
        let batch = match self.first.take().map_or_else(|| self.batches.next(), |first| Some(Ok(first))) {
            Some(Ok(batch)) => batch,
            Some(Err(error)) => return Some(Err(error)),
            None => return self.lookup.finish().err().map(Err),
        };
        let mut found = FoundBatch { entries: Vec::with_capacity(batch.entries.len()), log: Vec::new() };
        for mut entry in batch.entries {
            let (result, log) = kaldi_log::capture(|| self.lookup.find(entry.key.as_ref()));
            entry.log.extend_from_slice(&log);
            match result {
                Ok(result) => found.entries.push((entry, result)),
                Err(error) => {
                    found.log = entry.log;
                    self.fault = Some(error);
                    return Some(Ok(found));
                }
            }
        }
        found.log = batch.log;
        Some(Ok(found))
    }
}

impl Reader for FoundBatches {
    type Value = FoundBatch;
    type Error = Error;

    fn restart(&mut self) -> Result<()> {
        self.first = None;
        self.fault = None;
        self.batches.restart()
    }
}

/// What became of one entry.
pub(crate) enum Outcome {
    Done(Box<dyn Any + Send>),
    Unreadable {
        error: WorkError,
        wrong_range: bool,
    },
    Failed(WorkError),
    /// A value of another type than the one asked for; cannot happen.
    Lost,
}

struct Row {
    key: BString,
    log: Vec<u8>,
    outcome: Outcome,
}

struct RowBatch {
    rows: Vec<Row>,
    log: Vec<u8>,
}

pub(crate) type ErasedWork = dyn Fn(&RawEntry, Box<dyn Any + Send>) -> Outcome + Send + Sync;

/// Keys and results of the work on a table, in its order; made by [`SequentialReader::map`](crate::SequentialReader::map).
///
/// A pipe that fails at its end does not end the iteration with an error but [`Rows::finish`], so that a tool can log
/// what it has done before.
#[must_use = "a failing pipe is known only after finish()"]
pub struct Rows<U> {
    batches: ParMap<FoundBatches, RowBatch>,
    unreadable: Unreadable,
    queue: VecDeque<Row>,
    /// Log lines that belong behind the queue.
    log: Vec<u8>,
    delivered: u64,
    ended: bool,
    fault: Option<Error>,
    value: PhantomData<fn() -> U>,
}

impl<U: Send + 'static> Rows<U> {
    pub(crate) fn new(batches: FoundBatches, unreadable: Unreadable, work: Box<ErasedWork>) -> Self {
        Self {
            batches: start(batches, work),
            unreadable,
            queue: VecDeque::new(),
            log: Vec::new(),
            delivered: 0,
            ended: false,
            fault: None,
            value: PhantomData,
        }
    }

    /// Ends the reading and reports a pipe that failed. Stopping before the end is no error.
    ///
    /// # Errors
    /// Where a command ended with a status that is not success, behind entries that were all readable.
    pub fn finish(mut self) -> Result<()> {
        self.fault.take().map_or(Ok(()), Err)
    }

    fn fail(&mut self, error: Error) -> Option<Result<(BString, U)>> {
        self.ended = true;
        Some(Err(error))
    }
}

/// Starts the map; apart from [`Rows::new`] so that it is compiled once.
fn start(batches: FoundBatches, work: Box<ErasedWork>) -> ParMap<FoundBatches, RowBatch> {
    par_map(batches, num_threads, IN_FLIGHT, FoundBatch::weigh, move |batch: FoundBatch| {
        let row = |(mut raw, found): (RawEntry, Box<dyn Any + Send>)| {
            let mut log = std::mem::take(&mut raw.log);
            let (outcome, lines) = kaldi_log::capture(|| work(&raw, found));
            log.extend_from_slice(&lines);
            Row { key: raw.key, log, outcome }
        };
        Ok(RowBatch { rows: batch.entries.into_iter().map(row).collect(), log: batch.log })
    })
}

impl<U: Send + 'static> Iterator for Rows<U> {
    type Item = Result<(BString, U)>;

    fn next(&mut self) -> Option<Self::Item> {
        while !self.ended {
            let Some(row) = self.queue.pop_front() else {
                kaldi_log::replay(&std::mem::take(&mut self.log));
                match self.batches.next() {
                    Some(Ok(batch)) => {
                        self.queue = batch.rows.into();
                        self.log = batch.log;
                    }
                    Some(Err(error @ Error::Io(kaldi_io::Error::Status { .. }))) => {
                        self.ended = true;
                        self.fault = Some(error);
                    }
                    Some(Err(error)) => return self.fail(error),
                    None => self.ended = true,
                }
                continue;
            };
            kaldi_log::replay(&row.log);
            match row.outcome {
                Outcome::Done(result) => {
                    let Ok(result) = result.downcast::<U>() else { break };
                    self.delivered += 1;
                    DELIVERED.fetch_add(1, Ordering::Relaxed);
                    return Some(Ok((row.key, *result)));
                }
                Outcome::Unreadable { error, wrong_range } => {
                    match permit(self.unreadable, self.delivered, wrong_range) {
                        Permit::Fail => return self.fail(from_work(error)),
                        Permit::LeaveOut => warn_left_out(&from_work(error)),
                        Permit::End => {
                            warn_end(&error);
                            self.ended = true;
                        }
                    }
                }
                Outcome::Failed(error) => return self.fail(from_work(error)),
                Outcome::Lost => break,
            }
        }
        None
    }
}

/// Unwraps errors of tables that went through a tool's work.
fn from_work(error: WorkError) -> Error {
    match error.downcast::<Error>() {
        Ok(error) => *error,
        Err(error) => Error::Work(error),
    }
}
