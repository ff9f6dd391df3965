//! Tables whose entries are found one by one, delivered in batches.

use kaldi_io::Session;
use kaldi_io::log::Logged;
use kaldi_reader::Reader;

use crate::batch::{Batch, Batches, CHUNK, LazyValues, push};
use crate::permissive::warn_left_out;
use crate::raw::RawEntry;
use crate::{Error, Result};

/// At most this many entries are read together. Small ones come by the thousand.
const BATCH_ENTRIES: usize = 1024;

/// A table whose entries are found one by one.
pub(crate) trait EntrySource: Send {
    /// Looks for the next entry.
    fn step(&mut self) -> Result<Step>;

    /// Whether the next step does not have to wait for more lines of a list.
    fn is_ready(&self) -> bool {
        true
    }

    /// Stops what was started for later entries, because of an error.
    fn stop(&mut self) {}

    /// Starts anew.
    fn restart(&mut self) -> Result<()>;

    /// Closes what is open.
    fn finish(&mut self) -> Result<()>;

    /// Leaves long values where they are until they are asked for.
    fn set_lazy(&mut self, lazy: LazyValues);

    /// Whether a step may wait for something, such as a command or a server.
    fn may_wait(&self) -> bool {
        true
    }
}

/// The result of a step.
pub(crate) enum Step {
    Entry {
        entry: RawEntry,
        /// Whether it comes from a command, which takes its time. Then the batch goes on without waiting for more.
        is_slow: bool,
    },
    /// An entry that cannot be read, which permissive mode skips.
    LeftOut,
    End,
}

impl Step {
    /// The step to an entry that may be wrong by itself: then permissive mode leaves it out, with a warning.
    pub(crate) fn of(next: Option<Result<RawEntry>>, permissive: bool) -> Result<Self> {
        match next {
            None => Ok(Self::End),
            Some(Ok(entry)) => Ok(Self::Entry { entry, is_slow: false }),
            Some(Err(error)) if permissive => {
                warn_left_out(&error);
                Ok(Self::LeftOut)
            }
            Some(Err(error)) => Err(error),
        }
    }
}

/// The reader of batches of a table whose entries are found one by one.
pub(crate) struct EntryByEntry<S> {
    steps: S,
    /// An error after the entries that were delivered last.
    fault: Option<Error>,
    ended: bool,
}

impl<S: EntrySource> EntryByEntry<S> {
    pub(crate) fn new(steps: S) -> Self {
        Self { steps, fault: None, ended: false }
    }

    /// Fills a batch, up to an end or an error.
    fn gather(&mut self) -> Batch {
        let mut batch = Batch::new();
        let (mut bytes, mut goes_on) = (0usize, true);
        while goes_on && bytes < CHUNK && batch.len() < BATCH_ENTRIES {
            if !batch.is_empty() && !self.steps.is_ready() {
                break;
            }
            let item = Logged::of(|| match self.steps.step() {
                Ok(Step::Entry { entry, is_slow }) => {
                    bytes = bytes.saturating_add(entry.mem_size());
                    goes_on = !is_slow;
                    Some(entry)
                }
                Ok(Step::LeftOut) => {
                    Session::current().count_left_out();
                    None
                }
                end => {
                    self.fault = end.err();
                    if self.fault.is_some() {
                        self.steps.stop();
                    }
                    self.ended = true;
                    goes_on = false;
                    None
                }
            });
            push(&mut batch, item);
        }
        batch
    }
}

impl<S: EntrySource> Reader for EntryByEntry<S> {
    type Item = Batch;
    type Error = Error;

    fn next(&mut self) -> Result<Option<Batch>> {
        if !self.ended {
            let batch = self.gather();
            if !batch.is_empty() {
                return Ok(Some(batch));
            }
        }
        self.fault.take().map_or(Ok(None), Err)
    }

    fn restart(&mut self) -> Result<()> {
        self.fault = None;
        self.ended = true;
        self.steps.restart()?;
        self.ended = false;
        Ok(())
    }

    fn finish(&mut self) -> Result<()> {
        self.fault = None;
        self.ended = true;
        self.steps.finish()
    }
}

impl<S: EntrySource> Batches for EntryByEntry<S> {
    fn set_lazy(&mut self, lazy: LazyValues) {
        self.steps.set_lazy(lazy);
    }

    fn may_wait(&self) -> bool {
        self.steps.may_wait()
    }
}
