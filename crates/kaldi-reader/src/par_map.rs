//! The ordered parallel map.

use std::collections::VecDeque;
use std::panic::resume_unwind;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::{Reader, threads};

/// Values are mapped on the caller's thread until this many bytes have passed: starting threads costs more than a short
/// stream does.
const WARM_UP_BYTES: usize = 1 << 20;

/// Work that takes less than this for a kilobyte stays on the caller's thread: moving bytes from core to core costs
/// more than it gains.
const CHEAP_NANOS_PER_KB: u128 = 300;

/// The number of values in work or waiting for each thread, whatever their total weight, so that no thread waits for
/// the consumer to take a slow value.
const VALUES_PER_THREAD: usize = 4;

/// The bytes for each thread above which [`VALUES_PER_THREAD`] no longer counts.
const MOST_PER_THREAD: usize = 16 << 20;

/// Applies `work` to the values of `reader` on up to `threads()` threads, in the reader's order.
///
/// The threads take turns in reading, so reading runs ahead of the work and needs no thread of its own. At most
/// `max_bytes`, as `weigh` counts them, are read and not yet delivered, or four values for each thread if that is more,
/// up to 16 MB for each. With one thread, while the stream is short, or while the work is next to nothing, everything
/// happens on the caller's thread; `threads` is called only when that ends.
pub fn par_map<R, U, F>(
    reader: R,
    threads: impl Fn() -> usize + Send + 'static,
    max_bytes: usize,
    weigh: fn(&R::Item) -> usize,
    work: F,
) -> ParMap<R, U>
where
    R: Reader + Send + 'static,
    R::Item: Send,
    R::Error: Send,
    U: Send + 'static,
    F: Fn(R::Item) -> Result<U, R::Error> + Send + Sync + 'static,
{
    ParMap {
        state: State::inline(reader),
        threads: Threads::Ask(Box::new(threads)),
        max_bytes,
        weigh,
        work: Arc::new(work),
        eager: false,
    }
}

type Work<R, U> = dyn Fn(<R as Reader>::Item) -> Result<U, <R as Reader>::Error> + Send + Sync;

/// The reader that [`par_map`] makes.
pub struct ParMap<R: Reader, U> {
    state: State<R, U>,
    threads: Threads,
    max_bytes: usize,
    weigh: fn(&R::Item) -> usize,
    work: Arc<Work<R, U>>,
    eager: bool,
}

impl<R: Reader, U> ParMap<R, U> {
    /// Starts the threads with the first value, for values that need much work each, such as whole files.
    #[must_use]
    pub fn eager(mut self) -> Self {
        self.eager = true;
        self
    }
}

enum Threads {
    Ask(Box<dyn Fn() -> usize + Send>),
    Known(usize),
}

impl Threads {
    fn get(&mut self) -> usize {
        if let Self::Ask(ask) = self {
            *self = Self::Known(ask());
        }
        match self {
            Self::Known(number) => *number,
            Self::Ask(_) => 1,
        }
    }
}

enum State<R: Reader, U> {
    /// No thread has been started; `bytes` have passed, and the work on them took `time`.
    Inline {
        reader: R,
        bytes: usize,
        time: Duration,
    },
    Running {
        shared: Arc<Shared<R, U>>,
        threads: Vec<JoinHandle<()>>,
    },
    /// The end or an error was delivered; the inner reader is kept for a restart.
    Ended(R),
    /// Between two states.
    Moving,
}

impl<R: Reader, U> State<R, U> {
    fn inline(reader: R) -> Self {
        Self::Inline { reader, bytes: 0, time: Duration::ZERO }
    }
}

struct Shared<R: Reader, U> {
    /// The reader, held by the thread whose turn it is.
    source: Mutex<Source<R>>,
    results: Mutex<Results<U, R::Error>>,
    /// A result has arrived.
    ready: Condvar,
    /// Bytes were delivered, or the threads should stop.
    room: Condvar,
}

struct Source<R> {
    reader: Option<R>,
    /// Number of the next value.
    number: u64,
    ended: bool,
}

struct Results<U, E> {
    /// Results from number `first` on; `None` while a thread works on one.
    slots: VecDeque<Option<(Result<U, E>, usize)>>,
    first: u64,
    /// The number of all values, once it is known.
    total: Option<u64>,
    bytes_in_flight: usize,
    stop: bool,
    panicked: bool,
}

/// Limits of the work in progress.
#[derive(Clone, Copy)]
struct Room {
    max_bytes: usize,
    threads: usize,
}

impl Room {
    fn is_full(self, bytes: usize, values: usize) -> bool {
        bytes >= self.max_bytes.max(1)
            && (values >= VALUES_PER_THREAD * self.threads || bytes >= MOST_PER_THREAD.saturating_mul(self.threads))
    }
}

impl<R: Reader, U> Shared<R, U> {
    fn results(&self) -> MutexGuard<'_, Results<U, R::Error>> {
        self.results.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn stop(&self) {
        self.results().stop = true;
        self.room.notify_all();
    }
}

/// Informs the consumer if a thread ends with a panic, so that it does not wait for ever.
struct Alarm<'a, R: Reader, U>(&'a Shared<R, U>);

impl<R: Reader, U> Drop for Alarm<'_, R, U> {
    fn drop(&mut self) {
        if thread::panicking() {
            let mut results = self.0.results();
            results.panicked = true;
            results.stop = true;
            drop(results);
            self.0.ready.notify_all();
            self.0.room.notify_all();
        }
    }
}

/// The work of one thread until the source ends.
fn run_worker<R: Reader, U>(shared: &Shared<R, U>, room: Room, weigh: fn(&R::Item) -> usize, work: &Work<R, U>) {
    let _alarm = Alarm(shared);
    loop {
        let mut source = shared.source.lock().unwrap_or_else(PoisonError::into_inner);
        let mut results = shared.results();
        while !results.stop && room.is_full(results.bytes_in_flight, results.slots.len()) {
            results = shared.room.wait(results).unwrap_or_else(PoisonError::into_inner);
        }
        if results.stop || source.ended {
            return;
        }
        drop(results);
        let item = source.reader.as_mut().map_or(Ok(None), Reader::next);
        let number = source.number;
        source.number += 1;
        source.ended = !matches!(item, Ok(Some(_)));
        let mut results = shared.results();
        match item {
            Ok(None) => {
                results.total = Some(number);
                drop(results);
                shared.ready.notify_all();
                return;
            }
            Err(error) => {
                results.slots.push_back(Some((Err(error), 0)));
                results.total = Some(number + 1);
                drop(results);
                shared.ready.notify_all();
                return;
            }
            Ok(Some(value)) => {
                let weight = weigh(&value);
                results.slots.push_back(None);
                results.bytes_in_flight += weight;
                drop(results);
                drop(source);
                let result = work(value);
                let mut results = shared.results();
                let slot = (number - results.first) as usize;
                results.slots[slot] = Some((result, weight));
                let awaited = slot == 0;
                drop(results);
                if awaited {
                    shared.ready.notify_all();
                }
            }
        }
    }
}

impl<R, U> ParMap<R, U>
where
    R: Reader + Send + 'static,
    R::Item: Send,
    R::Error: Send,
    U: Send + 'static,
{
    fn start(&mut self, reader: R) {
        let num_threads = self.threads.get();
        let source = Source { reader: Some(reader), number: 0, ended: false };
        let results =
            Results { slots: VecDeque::new(), first: 0, total: None, bytes_in_flight: 0, stop: false, panicked: false };
        let shared = Arc::new(Shared {
            source: Mutex::new(source),
            results: Mutex::new(results),
            ready: Condvar::new(),
            room: Condvar::new(),
        });
        let spawn = |_: usize| {
            let (shared, work) = (Arc::clone(&shared), Arc::clone(&self.work));
            let (room, weigh) = (Room { max_bytes: self.max_bytes, threads: num_threads }, self.weigh);
            threads::spawn(move || run_worker(&shared, room, weigh, &*work))
        };
        // If the system grants fewer threads than requested, those do the work; if it grants none, the caller's thread
        // does.
        let threads: Vec<_> = (0..num_threads).map_while(|thread| spawn(thread).ok()).collect();
        let alone = threads.is_empty();
        self.state = State::Running { shared, threads };
        if alone && let Some(reader) = self.stop() {
            self.threads = Threads::Known(1);
            self.state = State::inline(reader);
        }
    }

    /// Stops and joins the threads and returns the inner reader.
    fn stop(&mut self) -> Option<R> {
        match std::mem::replace(&mut self.state, State::Moving) {
            State::Inline { reader, .. } | State::Ended(reader) => Some(reader),
            State::Running { shared, threads } => {
                shared.stop();
                for thread in threads {
                    match thread.join() {
                        Err(panic) if !thread::panicking() => resume_unwind(panic),
                        _ => {}
                    }
                }
                shared.source.lock().unwrap_or_else(PoisonError::into_inner).reader.take()
            }
            State::Moving => None,
        }
    }

    fn end(&mut self) {
        if let Some(reader) = self.stop() {
            self.state = State::Ended(reader);
        }
    }

    fn next_result(&mut self) -> Result<Option<U>, R::Error> {
        let State::Running { shared, .. } = &self.state else { return Ok(None) };
        let mut results = shared.results();
        loop {
            // A panic is passed on when the threads are joined.
            if results.panicked || results.total == Some(results.first) {
                return Ok(None);
            }
            if let Some(Some(_)) = results.slots.front()
                && let Some(Some((result, weight))) = results.slots.pop_front()
            {
                results.first += 1;
                results.bytes_in_flight -= weight;
                drop(results);
                shared.room.notify_all();
                return result.map(Some);
            }
            results = shared.ready.wait(results).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl<R, U> Reader for ParMap<R, U>
where
    R: Reader + Send + 'static,
    R::Item: Send,
    R::Error: Send,
    U: Send + 'static,
{
    type Item = U;
    type Error = R::Error;

    fn next(&mut self) -> Result<Option<U>, R::Error> {
        if let State::Inline { reader, bytes, time } = &mut self.state {
            let pays =
                self.eager || *bytes >= WARM_UP_BYTES && time.as_nanos() * 1024 >= CHEAP_NANOS_PER_KB * *bytes as u128;
            if !pays || self.threads.get() <= 1 {
                let mapped = reader.next().and_then(|value| {
                    let Some(value) = value else { return Ok(None) };
                    *bytes += (self.weigh)(&value);
                    let start = Instant::now();
                    let result = (self.work)(value);
                    *time += start.elapsed();
                    result.map(Some)
                });
                if !matches!(mapped, Ok(Some(_))) {
                    self.end();
                }
                return mapped;
            }
            let Some(reader) = self.stop() else { return Ok(None) };
            self.start(reader);
            return self.next();
        }
        let result = self.next_result();
        if !matches!(result, Ok(Some(_))) {
            self.end();
        }
        result
    }

    fn restart(&mut self) -> Result<(), R::Error> {
        let Some(mut reader) = self.stop() else { return Ok(()) };
        let result = reader.restart();
        self.state = if result.is_ok() { State::inline(reader) } else { State::Ended(reader) };
        result
    }

    fn finish(&mut self) -> Result<(), R::Error> {
        let Some(mut reader) = self.stop() else { return Ok(()) };
        let result = reader.finish();
        self.state = State::Ended(reader);
        result
    }
}

impl<R: Reader, U> Drop for ParMap<R, U> {
    fn drop(&mut self) {
        if let State::Running { shared, threads } = std::mem::replace(&mut self.state, State::Moving) {
            shared.stop();
            for thread in threads {
                drop(thread.join());
            }
        }
    }
}

#[cfg(test)]
mod tests;
