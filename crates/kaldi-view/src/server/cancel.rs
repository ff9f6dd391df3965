//! Work that nobody waits for any more, or that takes too long.

use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Whether the server is to end.
static STOPPED: AtomicBool = AtomicBool::new(false);

thread_local! {
    static CURRENT: RefCell<Option<Arc<AtomicBool>>> = const { RefCell::new(None) };

    /// When what is read on this thread has to be there.
    static DEADLINE: Cell<Option<Instant>> = const { Cell::new(None) };
}

/// Gives its work up when it is dropped.
#[derive(Debug, Default)]
pub(crate) struct Waiting(Arc<AtomicBool>);

impl Waiting {
    /// Returns what `work` has to be run with on its thread.
    pub fn flag(&self) -> Arc<AtomicBool> {
        Arc::clone(&self.0)
    }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Runs work on this thread that is given up if the flag is set.
pub(crate) fn run<T>(flag: Arc<AtomicBool>, work: impl FnOnce() -> T) -> T {
    CURRENT.with(|current| current.replace(Some(flag)));
    let result = work();
    CURRENT.with(|current| current.replace(None));
    result
}

/// Runs work on this thread that is given up after some time. Returns its result, and whether the time is over.
pub(crate) fn within<T>(time: Duration, work: impl FnOnce() -> T) -> (T, bool) {
    let before = DEADLINE.replace(Some(Instant::now() + time));
    let result = work();
    let is_late = is_late();
    DEADLINE.set(before);
    (result, is_late)
}

fn is_late() -> bool {
    DEADLINE.get().is_some_and(|deadline| Instant::now() >= deadline)
}

/// Whether somebody waits for the work of this thread, and has not waited too long.
pub(crate) fn may_wait() -> bool {
    let is_given_up = |flag: &Option<Arc<AtomicBool>>| flag.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed));
    !STOPPED.load(Ordering::Relaxed) && !is_late() && CURRENT.with(|current| !is_given_up(&current.borrow()))
}

/// From now on nobody waits for anything.
pub(crate) fn stop() {
    STOPPED.store(true, Ordering::Relaxed);
}
