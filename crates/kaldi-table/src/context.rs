//! The context of a reader, a lookup, a writer or a feed: its threads, its log, its counter.

use std::fmt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// The number of threads of readers that did not get one. The program sets it once.
static THREADS: OnceLock<fn() -> usize> = OnceLock::new();

/// Entries that all readers without a counter of their own have delivered. Progress shows it.
static DELIVERED: AtomicU64 = AtomicU64::new(0);

/// Sets the function that returns how many threads may work on a table. Readers without an own number of threads use
/// it; without this call they use 1. The first call wins. The function runs only if there is enough work.
pub fn set_num_threads(num_threads: fn() -> usize) {
    let _ = THREADS.set(num_threads);
}

/// The number of entries that readers without an own counter have delivered in this process.
pub fn entries_delivered() -> u64 {
    DELIVERED.load(Ordering::Relaxed)
}

/// Entries that all writers without a counter of their own have written.
static WRITTEN: AtomicU64 = AtomicU64::new(0);

/// The number of entries that writers without an own counter have written in this process.
pub fn entries_written() -> u64 {
    WRITTEN.load(Ordering::Relaxed)
}

/// Counts an entry that did not come from a reader of this crate, so that progress shows it.
pub fn count_delivered() {
    DELIVERED.fetch_add(1, Ordering::Relaxed);
}

/// Values of a store that are loaded at the same time, for each thread.
const VALUES_PER_THREAD: usize = 4;

/// A function that gets whole log lines.
type LogSink = dyn Fn(&[u8]) + Send + Sync;

/// The context of one reader, lookup, writer or feed. What is not set has the default of the process.
///
/// ```
/// # use std::sync::{Arc, Mutex};
/// use kaldi_table::{Context, SequentialReader};
///
/// let warnings = Arc::new(Mutex::new(Vec::new()));
/// let log = Arc::clone(&warnings);
/// let context = Context::new().threads(4).log_to(move |lines| log.lock().unwrap().extend_from_slice(lines));
/// let table = SequentialReader::<i32>::open_with("ark:printf 'a 1\\nb 2\\n' |", context)?;
/// # let _ = table;
/// # Ok::<(), kaldi_table::Error>(())
/// ```
#[derive(Clone, Default)]
pub struct Context {
    threads: Option<usize>,
    log: Option<Arc<LogSink>>,
    counter: Option<Arc<AtomicU64>>,
}

impl Context {
    /// The defaults of the process.
    pub fn new() -> Self {
        Self::default()
    }

    /// Allows up to `threads` threads. A lookup only reads ahead from stores; a writer has no threads.
    pub fn threads(self, threads: usize) -> Self {
        Self { threads: Some(threads.max(1)), ..self }
    }

    /// Sends the log lines of the reader or writer, and of the work on its entries, to `sink` instead of standard error.
    /// The sink gets whole lines, in the order of the table.
    pub fn log_to(self, sink: impl Fn(&[u8]) + Send + Sync + 'static) -> Self {
        Self { log: Some(Arc::new(sink)), ..self }
    }

    /// Counts the entries that a reader delivers, or a writer writes, in `counter`. Lookups are not counted.
    pub fn count_in(self, counter: Arc<AtomicU64>) -> Self {
        Self { counter: Some(counter), ..self }
    }

    /// How many threads the work on a table may use.
    pub fn num_threads(&self) -> usize {
        self.threads.unwrap_or_else(|| THREADS.get().map_or(1, |num_threads| num_threads()))
    }

    /// How many values of a store may be loaded at the same time. Most of the time, each of them waits.
    pub(crate) fn values_at_once(&self) -> usize {
        VALUES_PER_THREAD * self.num_threads()
    }

    /// Counts one entry that was delivered.
    pub(crate) fn count(&self) {
        self.counter.as_deref().unwrap_or(&DELIVERED).fetch_add(1, Ordering::Relaxed);
    }

    /// Counts one entry that was written.
    pub(crate) fn count_written(&self) {
        self.counter.as_deref().unwrap_or(&WRITTEN).fetch_add(1, Ordering::Relaxed);
    }

    /// Runs `work`. Its log lines go to the log of the context.
    pub fn logged<T>(&self, work: impl FnOnce() -> T) -> T {
        let Some(sink) = &self.log else { return work() };
        let (result, lines) = kaldi_log::capture(work);
        if !lines.is_empty() {
            sink(&lines);
        }
        result
    }
}

impl fmt::Debug for Context {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Context")
            .field("threads", &self.threads)
            .field("has_log", &self.log.is_some())
            .field("counter", &self.counter)
            .finish()
    }
}
