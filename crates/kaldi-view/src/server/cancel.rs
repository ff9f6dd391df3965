//! Work that nobody waits for any more.

use std::cell::RefCell;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Whether the server is to end.
static STOPPED: AtomicBool = AtomicBool::new(false);

thread_local! {
    static CURRENT: RefCell<Option<Arc<AtomicBool>>> = const { RefCell::new(None) };
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

/// Whether somebody waits for the work of this thread.
pub(crate) fn may_wait() -> bool {
    let is_given_up = |flag: &Option<Arc<AtomicBool>>| flag.as_ref().is_some_and(|flag| flag.load(Ordering::Relaxed));
    !STOPPED.load(Ordering::Relaxed) && CURRENT.with(|current| !is_given_up(&current.borrow()))
}

/// From now on nobody waits for anything.
pub(crate) fn stop() {
    STOPPED.store(true, Ordering::Relaxed);
}
