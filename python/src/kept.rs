//! Objects of Python that threads without the interpreter may give up.
//!
//! PyO3 puts what such a thread gives up into a list with a lock. If another thread forks the process at that moment, nobody in the
//! child can ever take the lock. So the objects wait in a list of the thread, until it has the interpreter again.

use std::cell::{Cell, RefCell};

use pyo3::prelude::*;

thread_local! {
    /// Whether this thread works without the interpreter.
    static IS_APART: Cell<bool> = const { Cell::new(false) };

    /// What this thread has given up meanwhile.
    static GIVEN_UP: RefCell<Vec<Py<PyAny>>> = const { RefCell::new(Vec::new()) };
}

/// An object of Python.
#[derive(Debug)]
pub struct Kept(Option<Py<PyAny>>);

impl Kept {
    /// Keeps an object.
    pub fn new(object: Py<PyAny>) -> Self {
        Self(Some(object))
    }

    /// The object.
    pub fn bind<'py>(&self, py: Python<'py>) -> Bound<'py, PyAny> {
        self.0.as_ref().map_or_else(|| py.None().into_bound(py), |object| object.bind(py).clone())
    }
}

impl Drop for Kept {
    fn drop(&mut self) {
        if let Some(object) = self.0.take()
            && IS_APART.get()
        {
            give_up(vec![object]);
        }
    }
}

/// Runs `work`, during which this thread does not have the interpreter. Returns what was given up, too.
pub fn apart<T>(work: impl FnOnce() -> T) -> (T, Vec<Py<PyAny>>) {
    let (before, outer) = (IS_APART.replace(true), GIVEN_UP.take());
    let result = work();
    IS_APART.set(before);
    (result, GIVEN_UP.replace(outer))
}

/// Leaves objects to this thread, until it has the interpreter again.
pub fn give_up(objects: Vec<Py<PyAny>>) {
    GIVEN_UP.with_borrow_mut(|given_up| given_up.extend(objects));
}
