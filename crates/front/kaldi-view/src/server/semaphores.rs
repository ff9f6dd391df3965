//! Semaphores that limit concurrent work. Commands have one of their own: while they hang, files are read.

use std::cell::RefCell;
use std::sync::MutexGuard;
use std::time::Duration;

use kaldi_io::was_interrupted;
use nonpoison::{Condvar, Mutex};

/// Requests that read files, or compute, at a time.
static WORK: Places = Places::new(6);

/// Commands, and other streams that may be silent, at a time.
static STREAMS: Places = Places::new(4);

/// How often a waiting thread looks whether somebody still waits for it.
const STEP: Duration = Duration::from_millis(50);

thread_local! {
    /// The place for work of this thread.
    static HELD: RefCell<Option<TakenPlace>> = const { RefCell::new(None) };
}

/// Places of one kind.
#[derive(Debug)]
struct Places {
    free: Mutex<usize>,
    freed: Condvar,
}

/// A place, which is free again when it is dropped.
#[derive(Debug)]
struct TakenPlace(&'static Places);

impl Places {
    const fn new(count: usize) -> Self {
        Self { free: Mutex::new(count), freed: Condvar::new() }
    }

    /// Waits for a place; `None` if nobody waits for the work any more.
    fn take(&'static self) -> Option<TakenPlace> {
        let mut free = self.lock();
        while *free == 0 {
            if was_interrupted() {
                return None;
            }
            free = self.freed.wait_timeout(free, STEP);
        }
        *free -= 1;
        Some(TakenPlace(self))
    }

    fn lock(&self) -> MutexGuard<'_, usize> {
        self.free.lock()
    }
}

impl Drop for TakenPlace {
    fn drop(&mut self) {
        *self.0.lock() += 1;
        self.0.freed.notify_one();
    }
}

/// Runs work that needs a place. If nobody waits for it any more, it runs without one, and ends soon.
pub(crate) fn work<T>(work: impl FnOnce() -> T) -> T {
    HELD.set(WORK.take());
    let result = work();
    HELD.set(None);
    result
}

/// Gives the place of this thread to others while it only waits.
pub(crate) fn aside<T>(wait: impl FnOnce() -> T) -> T {
    let held = HELD.take().is_some();
    let result = wait();
    if held {
        HELD.set(WORK.take());
    }
    result
}

/// Reads a stream that may be silent, in one of the places for that; `None` if nobody waits for it any more.
pub(crate) fn stream<T>(read: impl FnOnce() -> T) -> Option<T> {
    aside(|| STREAMS.take().map(|_place| read()))
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::channel;

    use super::*;

    #[test]
    fn streams_that_hang_leave_places_for_work() {
        let (ends, threads): (Vec<_>, Vec<_>) = (0..9)
            .map(|_| {
                let (end, hangs) = channel::<()>();
                (end, std::thread::spawn(move || work(|| stream(|| hangs.recv()))))
            })
            .unzip();
        assert_eq!(work(|| 7), 7);
        // All at once: a thread may still wait for the place of another.
        drop(ends);
        for thread in threads {
            thread.join().unwrap();
        }
        assert_eq!((*WORK.lock(), *STREAMS.lock()), (6, 4));
    }
}
