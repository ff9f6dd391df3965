//! Work without the interpreter, which Ctrl-C interrupts all the same.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::Duration;

use pyo3::prelude::*;

use crate::errors::{Class, Failure, Result};
use crate::log;

thread_local! {
    /// The exception of a signal handler, which ended the work of this thread.
    static RAISED: RefCell<Option<PyErr>> = const { RefCell::new(None) };

    /// Set if this is a thread of ours, which Python does not know: whether its work is to end.
    static STOP: RefCell<Option<Arc<AtomicBool>>> = const { RefCell::new(None) };
}

/// How often the handlers of signals run while threads work.
const STEP: Duration = Duration::from_millis(50);

/// Runs `work` while other threads of Python run. An exception of a signal handler ends waits for streams and counts instead of
/// the result. A panic is an `Error`.
///
/// # Errors
/// Those of `work`.
pub fn without_interpreter<T: Send, F: Send + FnOnce() -> Result<T>>(py: Python<'_>, work: F) -> PyResult<T> {
    let result = py.detach(|| catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(of_panic(&*panic))));
    let logged = log::deliver(py);
    match (RAISED.take(), result) {
        (Some(raised), _) => Err(raised),
        (None, Ok(result)) => logged.map(|()| result),
        (None, result) => result.map_err(Into::into),
    }
}

/// Keeps an exception that counts instead of the result of the work of this thread.
pub fn keep(raised: PyErr) {
    RAISED.set(Some(raised));
}

/// What a panic said.
fn of_panic(panic: &(dyn std::any::Any + Send)) -> Failure {
    let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    Failure::new(Class::Error, format!("internal error: {}", text.unwrap_or("unknown")))
}

/// Runs `work` for each of the numbers below `count` on threads, and waits for them. The caller does not hold the interpreter.
/// An exception of a signal handler ends waits for streams in all threads. A panic is an `Error`.
///
/// # Errors
/// The first one, by number.
pub fn on_threads<T: Send>(count: usize, work: impl Fn(usize) -> Result<T> + Sync) -> Result<Vec<T>> {
    let (stop, work) = (Arc::new(AtomicBool::new(false)), &work);
    let mut results: Vec<Option<Result<T>>> = (0..count).map(|_| None).collect();
    std::thread::scope(|scope| {
        let (sender, receiver) = mpsc::channel();
        for number in 0..count {
            let (sender, stop) = (sender.clone(), Arc::clone(&stop));
            scope.spawn(move || {
                STOP.set(Some(stop));
                let result = catch_unwind(AssertUnwindSafe(|| work(number)));
                // The receiver waits for all results.
                let _ = sender.send((number, result.unwrap_or_else(|panic| Err(of_panic(&*panic)))));
            });
        }
        drop(sender);
        loop {
            match receiver.recv_timeout(STEP) {
                Ok((number, result)) => results[number] = Some(result),
                Err(RecvTimeoutError::Disconnected) => return,
                Err(RecvTimeoutError::Timeout) if !may_wait() => stop.store(true, Ordering::Relaxed),
                Err(RecvTimeoutError::Timeout) => {}
            }
        }
    });
    results.into_iter().flatten().collect()
}

/// Runs the handlers of signals. Returns whether the work may go on.
fn may_wait() -> bool {
    if let Some(stop) = STOP.with_borrow(Clone::clone) {
        return !stop.load(Ordering::Relaxed);
    }
    let checked = Python::try_attach(|py| py.check_signals());
    match checked {
        Some(Err(raised)) => {
            keep(raised);
            false
        }
        Some(Ok(())) => true,
        // The interpreter ends.
        None => false,
    }
}

/// Makes waits of the libraries end at Ctrl-C.
///
/// # Errors
/// None.
pub fn register(_module: &Bound<'_, PyModule>) -> PyResult<()> {
    kaldi_io::embed(may_wait);
    Ok(())
}
