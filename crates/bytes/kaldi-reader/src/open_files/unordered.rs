//! Files that are read side by side, in no order.

use std::collections::VecDeque;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use super::files::Files;
use crate::sync::{Condvar, Mutex};
use crate::{Reader, threads};

/// The reader that [`OpenFiles::unordered`](crate::OpenFiles::unordered) makes.
pub struct FilesUnordered<N, R: Reader, O> {
    shared: Arc<Shared<N, R, O>>,
    num_files: usize,
    max_bytes: usize,
    mem_size: fn(&R::Item) -> usize,
    threads: Vec<JoinHandle<()>>,
    /// Items that were handed over.
    taken: VecDeque<Outcome<R>>,
    state: State,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Idle,
    Running,
    Ended,
}

struct Shared<N, R: Reader, O> {
    work: Mutex<Work<N, R, O>>,
    changed: Condvar,
}

type Outcome<R> = Result<<R as Reader>::Item, <R as Reader>::Error>;

struct Work<N, R: Reader, O> {
    files: Files<N, R, O>,
    items: VecDeque<Outcome<R>>,
    /// Bytes of these items.
    bytes: usize,
    /// Threads at work.
    running: usize,
    stop: bool,
}

impl<N, R: Reader, O> Shared<N, R, O> {
    fn stop(&self) {
        self.work.lock().stop = true;
        self.changed.notify_all();
    }
}

/// Counts a thread as ended when it ends in any way, also by a panic, so that nobody waits for ever.
struct EndOnDrop<'a, N, R: Reader, O>(&'a Shared<N, R, O>);

impl<N, R: Reader, O> Drop for EndOnDrop<'_, N, R, O> {
    fn drop(&mut self) {
        let mut work = self.0.work.lock();
        work.running -= 1;
        work.stop |= thread::panicking();
        drop(work);
        self.0.changed.notify_all();
    }
}

/// The work of one thread: reads file after file.
fn run<N, R, O>(shared: &Shared<N, R, O>, max_bytes: usize, mem_size: fn(&R::Item) -> usize)
where
    R: Reader,
    O: Fn(&N) -> Result<R, R::Error>,
{
    let _end = EndOnDrop(shared);
    loop {
        let mut work = shared.work.lock();
        if work.stop {
            return;
        }
        let Some(mut file) = work.files.start() else { return };
        drop(work);
        while let Some(item) = file.next().transpose() {
            let weight = item.as_ref().map_or(0, mem_size);
            let mut work = shared.work.lock();
            while !work.stop && !work.items.is_empty() && work.bytes.saturating_add(weight) > max_bytes {
                work = shared.changed.wait(work);
            }
            if work.stop {
                return;
            }
            if item.is_err() {
                work.files.end();
            }
            let is_awaited = work.items.is_empty();
            work.bytes = work.bytes.saturating_add(weight);
            work.items.push_back(item);
            drop(work);
            if is_awaited {
                shared.changed.notify_all();
            }
        }
    }
}

impl<N, R, O> FilesUnordered<N, R, O>
where
    N: Send + Sync + 'static,
    R: Reader + Send + 'static,
    R::Item: Send,
    R::Error: Send,
    O: Fn(&N) -> Result<R, R::Error> + Send + Sync + 'static,
{
    pub(super) fn new(
        files: Files<N, R, O>,
        num_files: usize,
        max_bytes: usize,
        mem_size: fn(&R::Item) -> usize,
    ) -> Self {
        let work = Work { files, items: VecDeque::new(), bytes: 0, running: 0, stop: false };
        let shared = Arc::new(Shared { work: Mutex::new(work), changed: Condvar::new() });
        Self { shared, num_files, max_bytes, mem_size, threads: Vec::new(), taken: VecDeque::new(), state: State::Idle }
    }

    fn start(&mut self) {
        let mut work = self.shared.work.lock();
        let num_threads = self.num_files.min(work.files.names.len());
        work.running = num_threads;
        drop(work);
        for _ in 0..num_threads {
            // The other half may have been handed over.
            let (shared, max_bytes, mem_size) = (Arc::clone(&self.shared), self.max_bytes / 2, self.mem_size);
            // If the system grants fewer threads than requested, those read all files.
            match threads::spawn(move || run(&shared, max_bytes, mem_size)) {
                Ok(thread) => self.threads.push(thread),
                Err(error) if self.threads.is_empty() => panic!("cannot start a thread: {error}"),
                Err(_) => self.shared.work.lock().running -= 1,
            }
        }
        self.state = State::Running;
    }

    /// Stops and joins the threads. A panic of one is passed on.
    fn stop(&mut self) {
        self.state = State::Ended;
        self.taken.clear();
        self.shared.stop();
        for thread in self.threads.drain(..) {
            if let Err(panic) = thread.join()
                && !thread::panicking()
            {
                resume_unwind(panic);
            }
        }
        let mut work = self.shared.work.lock();
        work.items.clear();
        work.bytes = 0;
    }
}

impl<N, R, O> Reader for FilesUnordered<N, R, O>
where
    N: Send + Sync + 'static,
    R: Reader + Send + 'static,
    R::Item: Send,
    R::Error: Send,
    O: Fn(&N) -> Result<R, R::Error> + Send + Sync + 'static,
{
    type Item = R::Item;
    type Error = R::Error;

    fn next(&mut self) -> Result<Option<R::Item>, R::Error> {
        match self.state {
            State::Ended => return Ok(None),
            State::Idle => self.start(),
            State::Running => {}
        }
        if self.taken.is_empty() {
            let mut work = self.shared.work.lock();
            while work.items.is_empty() && work.running > 0 {
                work = self.shared.changed.wait(work);
            }
            std::mem::swap(&mut self.taken, &mut work.items);
            work.bytes = 0;
            drop(work);
            self.shared.changed.notify_all();
        }
        let item = self.taken.pop_front().transpose();
        if !matches!(item, Ok(Some(_))) {
            self.stop();
        }
        item
    }

    fn restart(&mut self) -> Result<(), R::Error> {
        self.stop();
        let mut work = self.shared.work.lock();
        work.files.restart();
        work.stop = false;
        drop(work);
        self.state = State::Idle;
        Ok(())
    }

    fn finish(&mut self) -> Result<(), R::Error> {
        self.stop();
        Ok(())
    }
}

impl<N, R: Reader, O> Drop for FilesUnordered<N, R, O> {
    fn drop(&mut self) {
        self.shared.stop();
        for thread in self.threads.drain(..) {
            drop(thread.join());
        }
    }
}
