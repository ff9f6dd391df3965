//! Work without the interpreter, which Ctrl-C interrupts all the same.

use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError};
use std::sync::{Arc, LazyLock, MutexGuard, RwLockWriteGuard};
use std::time::Duration;

use kaldi_io::log::Log;
use kaldi_io::sync::{Mutex, RwLock};
use kaldi_io::{Session, SessionSettings};
use pyo3::prelude::*;

use crate::errors::{Class, Failure, Result};
use crate::filesystem;
use crate::kept::apart;
use crate::log;

thread_local! {
    /// The exception of a signal handler, which ended the work of this thread.
    static RAISED: RefCell<Option<PyErr>> = const { RefCell::new(None) };

    /// What ends the work of this thread.
    static STOP: RefCell<Option<Stop>> = const { RefCell::new(None) };
}

/// The session of all that the interpreter asks for: waits end at Ctrl-C, log lines go to `logging`, file systems of Python are
/// stores.
static SESSION: LazyLock<Session> = LazyLock::new(|| {
    Session::new(SessionSettings {
        log: Log::new().to(log::keep),
        store: Some(filesystem::store()),
        may_wait: Some(Arc::new(may_wait)),
        ..SessionSettings::default()
    })
});

/// Runs `work` in the session of the module.
pub fn in_session<T>(work: impl FnOnce() -> T) -> T {
    SESSION.enter(work)
}

/// A sign to end.
#[derive(Clone)]
struct Stop {
    sign: Arc<AtomicBool>,
    /// Whether this is a thread of ours, which Python does not know.
    is_ours: bool,
}

/// How often the handlers of signals run while threads work.
const STEP: Duration = Duration::from_millis(50);

/// Runs `work` while other threads of Python run. An exception of a signal handler ends waits for streams and counts instead of
/// the result. A panic is an `Error`.
///
/// # Errors
/// Those of `work`.
pub fn without_interpreter<T: Send, F: Send + FnOnce() -> Result<T>>(py: Python<'_>, work: F) -> PyResult<T> {
    let result = aside(py, || catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| Err(of_panic(&*panic))));
    let logged = log::deliver(py);
    match (RAISED.take(), result) {
        (Some(raised), _) => Err(raised),
        (None, Ok(result)) => logged.map(|()| result),
        (None, result) => result.map_err(Into::into),
    }
}

/// Runs `work`, which cannot fail, while other threads of Python run.
pub fn aside<T: Send>(py: Python<'_>, work: impl FnOnce() -> T + Send) -> T {
    let (result, given_up) = py.detach(|| apart(|| in_session(work)));
    drop(given_up);
    result
}

/// Keeps an exception that counts instead of the result of the work of this thread.
pub fn keep(raised: PyErr) {
    RAISED.set(Some(raised));
}

/// Runs `work`, which may use the interpreter. A panic is an `Error`.
///
/// # Errors
/// Those of `work`.
pub fn guarded<T>(work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(|| in_session(work))).unwrap_or_else(|panic| Err(of_panic(&*panic).into()))
}

/// Runs `work` on this thread, which is none of Python: `sign` ends its waits, and those of the threads that it starts.
pub fn end_with<T>(sign: Arc<AtomicBool>, work: impl FnOnce() -> T) -> T {
    // What other threads have opened keeps the session of the module.
    STOP.set(Some(Stop { sign: Arc::clone(&sign), is_ours: true }));
    let may_wait = move || !sign.load(Ordering::Relaxed);
    let session = SESSION.change(|settings| settings.may_wait = Some(Arc::new(may_wait)));
    session.enter(work)
}

/// Runs `work`, whose waits `sign` ends, too, beside Ctrl-C.
pub fn until<T>(sign: &Arc<AtomicBool>, work: impl FnOnce() -> T) -> T {
    let before = STOP.replace(Some(Stop { sign: Arc::clone(sign), is_ours: false }));
    let result = work();
    STOP.set(before);
    result
}

/// Waits until no other thread holds the mutex. The caller does not hold the interpreter.
///
/// # Errors
/// At Ctrl-C.
pub fn lock<T>(mutex: &Mutex<T>) -> Result<MutexGuard<'_, T>> {
    try_until(|| mutex.try_lock())
}

/// Waits until no other thread uses what is locked, as [`lock`].
///
/// # Errors
/// At Ctrl-C.
pub fn lock_alone<T>(lock: &RwLock<T>) -> Result<RwLockWriteGuard<'_, T>> {
    try_until(|| lock.try_write())
}

fn try_until<G>(mut try_lock: impl FnMut() -> Option<G>) -> Result<G> {
    let mut pause = Duration::from_micros(20);
    loop {
        match try_lock() {
            Some(guard) => return Ok(guard),
            None if pause >= STEP && !may_wait() => {
                return Err(Failure::new(Class::Error, "interrupted"));
            }
            None => std::thread::sleep(pause),
        }
        pause = (2 * pause).min(STEP);
    }
}

/// What a panic said.
pub fn of_panic(panic: &(dyn std::any::Any + Send)) -> Failure {
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
                let result = end_with(stop, || catch_unwind(AssertUnwindSafe(|| work(number))));
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
    if let Some(Stop { sign, is_ours }) = STOP.with_borrow(Clone::clone) {
        match sign.load(Ordering::Relaxed) {
            true => return false,
            false if is_ours => return true,
            false => {}
        }
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

/// Adds what tests need to the module.
///
/// # Errors
/// If there is no memory for it.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(panic_for_test, module)?)
}

/// Panics at a place, so that tests see what becomes of it.
#[pyfunction]
#[pyo3(name = "_panic")]
#[allow(clippy::panic, reason = "this is its purpose")]
fn panic_for_test(py: Python<'_>, place: &str) -> PyResult<()> {
    match place {
        "without the interpreter" => without_interpreter(py, || panic!("{place}")),
        "in threads" => {
            without_interpreter(py, || on_threads(2, |number| panic!("{place}: {number}")).map(|_: Vec<()>| ()))
        }
        _ => guarded(|| panic!("{place}")),
    }
}
