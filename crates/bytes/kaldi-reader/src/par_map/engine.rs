//! The parallel map of erased values. It is compiled once.

use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use crate::par_map::Erased;
use crate::par_map::shared::{Shared, Work};
use crate::{BoxReader, Reader, threads};

/// Values are mapped on the caller's thread until this many bytes have passed: starting threads costs more than a short
/// stream does.
const WARM_UP_BYTES: usize = 1 << 20;

/// Work that takes less than this for a kilobyte stays on the caller's thread: moving bytes from core to core costs
/// more than it gains.
const CHEAP_NANOS_PER_KB: u128 = 300;

/// Work on values of files stays on the caller's thread if reading takes over `MOSTLY_READING` times as long as the work: only one
/// thread reads at a time, so the others would wait.
const MOSTLY_READING: u32 = 2;

/// The reader below.
pub(super) type Source = BoxReader<Erased, Erased>;

/// The memory of a value.
pub(super) type MemSize = dyn Fn(&Erased) -> usize + Send + Sync;

/// The most bytes in flight, and how they are counted.
pub(super) type Bound = (usize, Arc<MemSize>);

/// The engine of a [`ParMap`](crate::ParMap). Its type is erased, so that nothing of it, not even its drop, is compiled anew in the
/// crates that use it.
pub(super) trait AnyParMap: Reader<Item = Erased, Error = Erased> + Send {
    /// See [`ParMap::in_flight`](crate::ParMap::in_flight).
    fn bound(&mut self, max_bytes: usize, mem_size: Arc<MemSize>);
    /// See [`ParMap::with_caller`](crate::ParMap::with_caller).
    fn work_on_callers_thread(&mut self);
    /// See [`ParMap::eager`](crate::ParMap::eager).
    fn start_at_once(&mut self);
}

pub(super) struct ErasedParMap {
    state: State,
    threads: Threads,
    bound: Bound,
    work: Arc<Work>,
    eager: bool,
    with_caller: bool,
}

impl AnyParMap for ErasedParMap {
    fn bound(&mut self, max_bytes: usize, mem_size: Arc<MemSize>) {
        self.bound = (max_bytes, mem_size);
    }

    fn work_on_callers_thread(&mut self) {
        self.with_caller = true;
    }

    fn start_at_once(&mut self) {
        self.eager = true;
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

enum State {
    /// No thread has been started; `bytes` have passed, reading them took `reading`, and the work on them `working`.
    Inline {
        reader: Source,
        bytes: usize,
        reading: Duration,
        working: Duration,
    },
    Running {
        shared: Arc<Shared>,
        threads: Vec<JoinHandle<()>>,
    },
    /// The end or an error was delivered; the inner reader is kept for a restart.
    Ended(Source),
    /// Between two states.
    Moving,
}

impl State {
    fn inline(reader: Source) -> Self {
        Self::Inline { reader, bytes: 0, reading: Duration::ZERO, working: Duration::ZERO }
    }
}

impl ErasedParMap {
    pub(super) fn boxed(
        reader: Source,
        threads: Box<dyn Fn() -> usize + Send>,
        bound: Bound,
        work: Arc<Work>,
    ) -> Box<dyn AnyParMap> {
        let (state, threads) = (State::inline(reader), Threads::Ask(threads));
        Box::new(Self { state, threads, bound, work, eager: false, with_caller: false })
    }

    fn start(&mut self, reader: Source) {
        let num_threads = self.threads.get();
        let (with_caller, bound, work) = (self.with_caller, self.bound.clone(), Arc::clone(&self.work));
        let shared = Arc::new(Shared::new(reader, num_threads, with_caller, bound, work));
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
    fn stop(&mut self) -> Option<Source> {
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

impl Reader for ErasedParMap {
    type Item = Erased;
    type Error = Erased;

    fn next(&mut self) -> Result<Option<Erased>, Erased> {
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
                    *bytes += (self.bound.1)(&value);
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

    fn restart(&mut self) -> Result<(), Erased> {
        let Some(mut reader) = self.stop() else { return Ok(()) };
        let result = reader.restart();
        self.state = if result.is_ok() { State::inline(reader) } else { State::Ended(reader) };
        result
    }

    fn finish(&mut self) -> Result<(), Erased> {
        let Some(mut reader) = self.stop() else { return Ok(()) };
        let result = reader.finish();
        self.state = State::Ended(reader);
        result
    }
}

impl Drop for ErasedParMap {
    fn drop(&mut self) {
        if let State::Running { shared, threads } = std::mem::replace(&mut self.state, State::Moving) {
            shared.stop();
            for thread in threads {
                drop(thread.join());
            }
        }
    }
}
