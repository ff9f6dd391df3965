//! Batches of entries, the unit in which readers and worker threads exchange work.

use kaldi_io::log::Logged;
use kaldi_reader::{Prefetch, Reader};

use crate::Error;
use crate::raw::RawEntry;

/// The most bytes of entries that one table has read and not yet delivered.
pub(crate) const IN_FLIGHT: usize = 2 << 20;

/// A batch has at least this many bytes, if there are more. It is small enough for the second-level cache of a core,
/// and large enough that handing it to another thread costs nothing in comparison.
pub(crate) const CHUNK: usize = 1 << 18;

/// An entry with the log lines that stand before it, or lines alone.
pub(crate) type Item<E> = Logged<Option<E>>;

/// Entries that were framed together.
pub(crate) type Batch = Vec<Item<RawEntry>>;

/// About how many bytes a batch takes in memory.
pub(crate) fn mem_size(batch: &Batch) -> usize {
    batch.iter().map(|item| item.lines.len() + item.value.as_ref().map_or(0, RawEntry::mem_size)).sum()
}

/// Adds an item, if there is anything in it.
pub(crate) fn push<E>(batch: &mut Vec<Item<E>>, item: Item<E>) {
    if item.value.is_some() || !item.lines.is_empty() {
        batch.push(item);
    }
}

/// Where long values stay until they are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LazyValues {
    /// In files. The values of stores are read, because most of them will be needed.
    InFiles,
    /// Wherever they can be read later, since few of them will be needed.
    Anywhere,
}

impl LazyValues {
    /// The weight of the bytes of a value that stay in a file: all of them if most values are read or moved, so that
    /// work on them runs on several threads, and none if only few of them are.
    pub(crate) fn mem_size(self, bytes: u64) -> usize {
        match self {
            Self::InFiles => usize::try_from(bytes).unwrap_or(usize::MAX),
            Self::Anywhere => 0,
        }
    }
}

/// A reader of framed entries.
pub(crate) trait Batches: Reader<Item = Batch, Error = Error> + Send {
    /// Leaves long values where they are until they are asked for.
    fn set_lazy(&mut self, lazy: LazyValues) {
        let _ = lazy;
    }

    /// Whether reading may wait for something, such as a command or a server.
    fn may_wait(&self) -> bool {
        true
    }
}

impl<R: Reader<Item = Batch, Error = Error> + Send + 'static> Batches for Prefetch<R> {}

pub(crate) type BoxedBatches = Box<dyn Batches>;

impl Batches for BoxedBatches {
    fn set_lazy(&mut self, lazy: LazyValues) {
        (**self).set_lazy(lazy);
    }

    fn may_wait(&self) -> bool {
        (**self).may_wait()
    }
}
