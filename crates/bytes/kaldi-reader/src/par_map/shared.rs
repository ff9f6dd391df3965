//! What the threads of a parallel map share.

use std::collections::VecDeque;
use std::sync::Arc;
use std::thread;

use crate::Reader;
use crate::par_map::Erased;
use crate::par_map::engine::{Bound, MemSize, Source};
use crate::sync::{Condvar, Mutex};

/// The number of values in work or waiting for each thread, whatever their total weight, so that no thread waits for
/// the consumer to take a slow value.
const VALUES_PER_THREAD: usize = 4;

/// The bytes for each thread above which [`VALUES_PER_THREAD`] no longer counts.
const MOST_PER_THREAD: usize = 16 << 20;

/// What is done with a value.
pub(super) type Work = dyn Fn(Erased) -> Result<Erased, Erased> + Send + Sync;

/// A reader and the results of the work on its values.
pub(super) struct Shared {
    progress: Mutex<Progress>,
    /// For the caller: the next result has come, or it may read.
    ready: Condvar,
    /// For the other threads: one of them may read, or all should stop.
    free: Condvar,
    room: WorkLimits,
    with_caller: bool,
    mem_size: Arc<MemSize>,
    work: Arc<Work>,
}

/// A result and the weight of its value, once the work is done.
type Slot = Option<(Result<Erased, Erased>, usize)>;

struct Progress {
    /// `None` while a thread reads.
    reader: Option<Source>,
    /// How the reader has ended, once it has.
    end: Option<Result<(), Erased>>,
    /// Results from number `first` on.
    results: VecDeque<Slot>,
    first: u64,
    bytes_in_flight: usize,
    /// Threads that wait and were not called.
    idle: usize,
    /// Threads that were called and still wait.
    called: usize,
    /// Whether the caller waits and was not called.
    caller_waits: bool,
    stop: bool,
    panicked: bool,
}

/// Limits of the work in progress.
#[derive(Clone, Copy)]
struct WorkLimits {
    max_bytes: usize,
    threads: usize,
}

impl WorkLimits {
    fn is_full(self, bytes: usize, values: usize) -> bool {
        bytes >= self.max_bytes.max(1)
            && (values >= VALUES_PER_THREAD * self.threads || bytes >= MOST_PER_THREAD.saturating_mul(self.threads))
    }
}

impl Progress {
    fn new(reader: Source) -> Self {
        Self {
            reader: Some(reader),
            end: None,
            results: VecDeque::new(),
            first: 0,
            bytes_in_flight: 0,
            idle: 0,
            called: 0,
            caller_waits: false,
            stop: false,
            panicked: false,
        }
    }

    /// Whether a thread may read.
    fn is_open(&self, room: WorkLimits) -> bool {
        self.reader.is_some() && self.end.is_none() && !room.is_full(self.bytes_in_flight, self.results.len())
    }

    /// The reader, if this thread may read.
    fn take_reader(&mut self, room: WorkLimits) -> Option<Source> {
        if self.is_open(room) { self.reader.take() } else { None }
    }

    /// The next result, if it is there.
    fn take_result(&mut self) -> Option<Result<Erased, Erased>> {
        self.results.front()?.as_ref()?;
        let (result, weight) = self.results.pop_front()??;
        self.first += 1;
        self.bytes_in_flight -= weight;
        Some(result)
    }
}

impl Shared {
    /// Shares `reader` among `threads`; see [`super::par_map`].
    pub(super) fn new(reader: Source, threads: usize, with_caller: bool, bound: Bound, work: Arc<Work>) -> Self {
        let (max_bytes, mem_size) = bound;
        Self {
            progress: Mutex::new(Progress::new(reader)),
            ready: Condvar::new(),
            free: Condvar::new(),
            room: WorkLimits { max_bytes, threads },
            with_caller,
            mem_size,
            work,
        }
    }

    /// The reader, once no thread works any more.
    pub(super) fn take_reader(&self) -> Option<Source> {
        self.progress.lock().reader.take()
    }

    fn call_caller(&self, progress: &mut Progress) {
        if std::mem::take(&mut progress.caller_waits) {
            self.ready.notify_one();
        }
    }

    fn call_all(&self, progress: &mut Progress) {
        progress.called += std::mem::take(&mut progress.idle);
        self.free.notify_all();
        self.call_caller(progress);
    }

    /// Calls somebody who waits, if there is something to read and room for it.
    fn call_next_reader(&self, progress: &mut Progress) {
        if !progress.is_open(self.room) {
            return;
        }
        if progress.idle > 0 {
            progress.idle -= 1;
            progress.called += 1;
            self.free.notify_one();
        } else if self.with_caller {
            self.call_caller(progress);
        }
    }

    /// Ends the threads after their work.
    pub(super) fn stop(&self) {
        let mut progress = self.progress.lock();
        progress.stop = true;
        self.call_all(&mut progress);
    }

    /// What a thread other than the caller's does until the source ends.
    pub(super) fn run(&self) {
        let _alarm = Alarm(self);
        let mut progress = self.progress.lock();
        while !progress.stop && progress.end.is_none() {
            if let Some(reader) = progress.take_reader(self.room) {
                drop(progress);
                self.read_and_work(reader);
                progress = self.progress.lock();
            } else {
                progress.idle += 1;
                progress = self.free.wait_while(progress, |progress| progress.called == 0);
                progress.called -= 1;
            }
        }
    }

    /// Reads a value, gives the reader back and works on the value.
    fn read_and_work(&self, mut reader: Source) {
        let item = reader.next();
        let weight = item.as_ref().map_or(0, |value| value.as_ref().map_or(0, |value| (self.mem_size)(value)));
        let mut progress = self.progress.lock();
        progress.reader = Some(reader);
        let value = match item {
            Ok(Some(value)) => value,
            ended => {
                progress.end = Some(ended.map(drop));
                self.call_all(&mut progress);
                return;
            }
        };
        progress.bytes_in_flight += weight;
        let number = progress.first + progress.results.len() as u64;
        progress.results.push_back(None);
        self.call_next_reader(&mut progress);
        drop(progress);

        let result = (self.work)(value);
        let mut progress = self.progress.lock();
        let place = (number - progress.first) as usize;
        progress.results[place] = Some((result, weight));
        if place == 0 {
            self.call_caller(&mut progress);
        }
    }

    /// The next result; `None` at the end, or after a panic, which is passed on when the threads are joined.
    pub(super) fn next(&self) -> Result<Option<Erased>, Erased> {
        let _alarm = Alarm(self);
        let mut progress = self.progress.lock();
        while !progress.panicked {
            if let Some(result) = progress.take_result() {
                self.call_next_reader(&mut progress);
                return result.map(Some);
            }
            if progress.results.is_empty()
                && let Some(end) = progress.end.take()
            {
                progress.stop = true;
                return end.map(|()| None);
            }
            if self.with_caller
                && let Some(reader) = progress.take_reader(self.room)
            {
                drop(progress);
                self.read_and_work(reader);
                progress = self.progress.lock();
            } else {
                progress.caller_waits = true;
                progress = self.ready.wait(progress);
            }
        }
        Ok(None)
    }
}

/// Informs the consumer if a thread ends with a panic, so that it does not wait for ever.
struct Alarm<'a>(&'a Shared);

impl Drop for Alarm<'_> {
    fn drop(&mut self) {
        if thread::panicking() {
            let mut progress = self.0.progress.lock();
            progress.panicked = true;
            progress.stop = true;
            self.0.call_all(&mut progress);
        }
    }
}
