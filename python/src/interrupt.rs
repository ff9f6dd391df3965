//! Work without the interpreter, which Ctrl-C interrupts all the same.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

use pyo3::prelude::*;

use crate::errors::{Class, Failure, Result};
use crate::log;

thread_local! {
    /// The exception of a signal handler, which ended the work of this thread.
    static RAISED: RefCell<Option<PyErr>> = const { RefCell::new(None) };
}

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

/// Runs the handlers of signals. Returns whether the work may go on.
fn may_wait() -> bool {
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
