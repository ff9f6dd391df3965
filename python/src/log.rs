//! Log lines of the libraries on their way to Python's `logging`.
//!
//! Threads of the libraries never enter the interpreter. Their lines wait here until a call of the module delivers them.

use kaldi_io::sync::Mutex;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Lines that wait for the interpreter.
static LINES: Mutex<Vec<u8>> = Mutex::new(Vec::new());

/// The most bytes that wait; more are left out.
const MOST: usize = 1 << 20;

/// Keeps lines.
pub fn keep(lines: &[u8]) {
    let mut kept = LINES.lock();
    if kept.len() < MOST {
        kept.extend_from_slice(lines);
    }
}

/// Delivers the lines that wait to the logger `kaldi_tables`.
///
/// # Errors
/// Those of its handlers.
pub fn deliver(py: Python<'_>) -> PyResult<()> {
    let lines = std::mem::take(&mut *LINES.lock());
    if lines.is_empty() {
        return Ok(());
    }
    py.import("kaldi_tables._log")?.call_method1("deliver", (PyBytes::new(py, &lines),)).map(drop)
}
