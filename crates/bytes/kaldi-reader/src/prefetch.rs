//! Reading ahead on another thread (Kaldi's `bg`).

use std::collections::VecDeque;
use std::panic::resume_unwind;
use std::sync::Arc;
use std::thread::{self, JoinHandle};

use crate::sync::{Condvar, Mutex};
use crate::{Reader, threads};

/// Reads `reader` ahead on a background thread, holding at most `max_bytes` as counted by `mem_size`.
///
/// The thread starts with the first value that is requested. All values that are waiting when the last one has been
/// delivered are handed over at once, so that small values do not cost a change of threads each.
pub fn prefetch<R>(reader: R, max_bytes: usize, mem_size: fn(&R::Item) -> usize) -> Prefetch<R>
where
    R: Reader + Send + 'static,
    R::Item: Send,
    R::Error: Send,
{
    Prefetch { state: State::Idle(reader), max_bytes, mem_size }
}

/// The reader that [`prefetch`] makes.
pub struct Prefetch<R: Reader> {
    state: State<R>,
    max_bytes: usize,
    mem_size: fn(&R::Item) -> usize,
}

enum State<R: Reader> {
    Idle(R),
    Running {
        shared: Arc<Shared<R>>,
        thread: JoinHandle<Option<R>>,
        /// Items that were handed over.
        taken: VecDeque<Outcome<R>>,
    },
    /// The system grants no thread: the caller reads.
    Alone(R),
    /// The inner reader ended; it is kept for a restart.
    Ended(R),
    /// Between two states.
    Moving,
}

struct Shared<R: Reader> {
    queue: Mutex<Queue<R>>,
    changed: Condvar,
}

type Outcome<R> = Result<<R as Reader>::Item, <R as Reader>::Error>;

struct Queue<R: Reader> {
    items: VecDeque<Outcome<R>>,
    /// Bytes of these items.
    bytes: usize,
    ended: bool,
    stop: bool,
}

/// Marks the queue as ended when its thread ends in any way, also by a panic, so that nobody waits for ever.
struct EndOnDrop<R: Reader>(Arc<Shared<R>>);

impl<R: Reader> Drop for EndOnDrop<R> {
    fn drop(&mut self) {
        self.0.queue.lock().ended = true;
        self.0.changed.notify_all();
    }
}

/// The work of the thread until the reader ends or the consumer stops.
fn run<R: Reader>(reader: &mut R, shared: &Shared<R>, max_bytes: usize, mem_size: fn(&R::Item) -> usize) {
    while let Some(item) = reader.next().transpose() {
        let weight = item.as_ref().map_or(0, mem_size);
        let mut queue = shared.queue.lock();
        while !queue.stop && !queue.items.is_empty() && queue.bytes.saturating_add(weight) > max_bytes {
            queue = shared.changed.wait(queue);
        }
        if queue.stop {
            return;
        }
        let is_awaited = queue.items.is_empty();
        queue.items.push_back(item);
        queue.bytes = queue.bytes.saturating_add(weight);
        drop(queue);
        if is_awaited {
            shared.changed.notify_all();
        }
    }
}

impl<R> Prefetch<R>
where
    R: Reader + Send + 'static,
    R::Item: Send,
    R::Error: Send,
{
    /// Starts the thread before the first value is requested.
    pub(crate) fn start_early(&mut self) {
        if let State::Idle(_) = self.state
            && let Some(reader) = self.stop()
        {
            self.start(reader);
        }
    }

    fn start(&mut self, reader: R) {
        let queue = Queue { items: VecDeque::new(), bytes: 0, ended: false, stop: false };
        let shared = Arc::new(Shared { queue: Mutex::new(queue), changed: Condvar::new() });
        // The other half may have been handed over.
        let (max_bytes, mem_size, end) = (self.max_bytes / 2, self.mem_size, EndOnDrop(Arc::clone(&shared)));
        // The thread takes the reader out of this place, so that the reader is not lost if no thread starts.
        let place = Arc::new(Mutex::new(Some(reader)));
        let of_thread = Arc::clone(&place);
        let thread = threads::spawn(move || {
            let mut reader = of_thread.lock().take()?;
            run(&mut reader, &end.0, max_bytes, mem_size);
            drop(end);
            Some(reader)
        });
        self.state = match thread {
            Ok(thread) => State::Running { shared, thread, taken: VecDeque::new() },
            Err(_) => place.lock().take().map_or(State::Moving, State::Alone),
        };
    }

    fn stop(&mut self) -> Option<R> {
        match std::mem::replace(&mut self.state, State::Moving) {
            State::Idle(reader) | State::Alone(reader) | State::Ended(reader) => Some(reader),
            State::Running { shared, thread, .. } => {
                shared.queue.lock().stop = true;
                shared.changed.notify_all();
                match thread.join() {
                    Ok(reader) => reader,
                    Err(panic) if thread::panicking() => {
                        drop(panic);
                        None
                    }
                    Err(panic) => resume_unwind(panic),
                }
            }
            State::Moving => None,
        }
    }
}

impl<R> Reader for Prefetch<R>
where
    R: Reader + Send + 'static,
    R::Item: Send,
    R::Error: Send,
{
    type Item = R::Item;
    type Error = R::Error;

    fn next(&mut self) -> Result<Option<R::Item>, R::Error> {
        self.start_early();
        if let State::Alone(reader) = &mut self.state {
            let item = reader.next();
            if !matches!(item, Ok(Some(_)))
                && let Some(reader) = self.stop()
            {
                self.state = State::Ended(reader);
            }
            return item;
        }
        let State::Running { shared, taken, .. } = &mut self.state else { return Ok(None) };
        if taken.is_empty() {
            let mut queue = shared.queue.lock();
            while queue.items.is_empty() && !queue.ended {
                queue = shared.changed.wait(queue);
            }
            std::mem::swap(taken, &mut queue.items);
            queue.bytes = 0;
            drop(queue);
            shared.changed.notify_all();
        }
        let item = taken.pop_front().transpose();
        if !matches!(item, Ok(Some(_)))
            && let Some(reader) = self.stop()
        {
            self.state = State::Ended(reader);
        }
        item
    }

    fn restart(&mut self) -> Result<(), R::Error> {
        let Some(mut reader) = self.stop() else { return Ok(()) };
        let result = reader.restart();
        self.state = if result.is_ok() { State::Idle(reader) } else { State::Ended(reader) };
        result
    }

    fn finish(&mut self) -> Result<(), R::Error> {
        let Some(mut reader) = self.stop() else { return Ok(()) };
        let result = reader.finish();
        self.state = State::Ended(reader);
        result
    }
}

impl<R: Reader> Drop for Prefetch<R> {
    fn drop(&mut self) {
        if let State::Running { shared, thread, .. } = std::mem::replace(&mut self.state, State::Moving) {
            shared.queue.lock().stop = true;
            shared.changed.notify_all();
            drop(thread.join());
        }
    }
}
