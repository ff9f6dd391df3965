//! The ordered parallel map.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::{Reader, threads};

mod shared;

use shared::{Shared, Work};

/// Values are mapped on the caller's thread until this many bytes have passed: starting threads costs more than a short
/// stream does.
const WARM_UP_BYTES: usize = 1 << 20;

/// Work that takes less than this for a kilobyte stays on the caller's thread: moving bytes from core to core costs
/// more than it gains.
const CHEAP_NANOS_PER_KB: u128 = 300;

/// Work on values of files stays on the caller's thread if reading takes over `MOSTLY_READING` times as long as the work: only one
/// thread reads at a time, so the others would wait.
const MOSTLY_READING: u32 = 2;

/// Applies `work` to the values of `reader` on up to `threads()` threads, in the reader's order.
///
/// The threads take turns in reading, so reading runs ahead of the work and needs no thread of its own. At most
/// `max_bytes`, as `weigh` counts them, are read and not yet delivered, or four values for each thread if that is more,
/// up to 16 MB for each. With one thread, while the stream is short, or while the work is next to nothing, everything
/// happens on the caller's thread; `threads` is called only when that ends. With [`ParMap::with_caller`] that is so while
/// reading takes most of the time, too.
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
        with_caller: false,
    }
}

/// The reader that [`par_map`] makes.
pub struct ParMap<R: Reader, U> {
    state: State<R, U>,
    threads: Threads,
    max_bytes: usize,
    weigh: fn(&R::Item) -> usize,
    work: Arc<Work<R, U>>,
    eager: bool,
    with_caller: bool,
}

impl<R: Reader, U> ParMap<R, U> {
    /// Lets the caller's thread be one of the threads: it reads and works if the next result is not there. This is for
    /// readers that never wait, such as those of files. If a reader waits, the caller has to take the results that come
    /// in the meantime.
    #[must_use]
    pub fn with_caller(mut self) -> Self {
        self.with_caller = true;
        self
    }

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
    /// No thread has been started; `bytes` have passed, reading them took `reading`, and the work on them `working`.
    Inline {
        reader: R,
        bytes: usize,
        reading: Duration,
        working: Duration,
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
        Self::Inline { reader, bytes: 0, reading: Duration::ZERO, working: Duration::ZERO }
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
        let (with_caller, max_bytes, work) = (self.with_caller, self.max_bytes, Arc::clone(&self.work));
        let shared = Arc::new(Shared::new(reader, num_threads, with_caller, max_bytes, self.weigh, work));
        let spawn = |_: usize| {
            let shared = Arc::clone(&shared);
            threads::spawn(move || shared.run())
        };
        // If the system grants fewer threads than requested, those do the work; if it grants none, the caller's thread
        // does.
        let threads: Vec<_> = (usize::from(with_caller)..num_threads).map_while(|thread| spawn(thread).ok()).collect();
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
                shared.take_reader()
            }
            State::Moving => None,
        }
    }

    fn end(&mut self) {
        if let Some(reader) = self.stop() {
            self.state = State::Ended(reader);
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
        if let State::Inline { reader, bytes, reading, working } = &mut self.state {
            let is_cheap = working.as_nanos() * 1024 < CHEAP_NANOS_PER_KB * *bytes as u128;
            let waits_for_reading = self.with_caller && *reading > MOSTLY_READING * *working;
            let pays = self.eager || *bytes >= WARM_UP_BYTES && !is_cheap && !waits_for_reading;
            if !pays || self.threads.get() <= 1 {
                let start = Instant::now();
                let mapped = reader.next().and_then(|value| {
                    let read = Instant::now();
                    *reading += read - start;
                    let Some(value) = value else { return Ok(None) };
                    *bytes += (self.weigh)(&value);
                    let result = (self.work)(value);
                    *working += read.elapsed();
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
        let State::Running { shared, .. } = &self.state else { return Ok(None) };
        let result = shared.next();
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
