//! Features of arrays, as the tools compute them of tables.
//!
//! Options come as words of a command line and are read by the same structs as those of the tools, so names, defaults and messages
//! are the same. Arrays are copied before the interpreter is let go.

mod frames;
mod pitch;
mod waveforms;

use std::ffi::OsString;

use kaldi_matrix::Matrix;
use numpy::{Element, PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray2};
use pyo3::prelude::*;

use crate::errors::{Class, Failure, Result, wrong_value};
use crate::interrupt::in_session;
use crate::log;

/// Reads options.
fn options<O: clap::Args>(words: Vec<OsString>) -> PyResult<O> {
    let parsed = kaldi_cli::parse(&words).map_err(wrong_value)?;
    parsed.ok_or_else(|| wrong_value("expected options only, got --help or --version"))
}

/// An option that makes no sense.
fn refused(error: impl std::fmt::Display) -> PyErr {
    wrong_value(error.to_string())
}

/// Data that cannot be worked on.
fn bad_data(error: impl std::fmt::Display) -> Failure {
    Failure::new(Class::Data, error.to_string())
}

/// The matrix of an array in C order.
fn matrix<T: Element + kaldi_matrix::Real>(array: &PyReadonlyArray2<'_, T>) -> PyResult<Matrix<T>> {
    let view = array.as_array();
    let values = array.as_slice().map_err(refused)?.to_vec();
    // A matrix without elements is 0 by 0, as in files.
    match values.is_empty() {
        true => Ok(Matrix::default()),
        false => Ok(Matrix::from_vec(view.nrows(), view.ncols(), values)),
    }
}

/// The array of a matrix. Without rows it has `dim` columns.
fn array<T: Element + kaldi_matrix::Real>(
    py: Python<'_>,
    matrix: Matrix<T>,
    dim: usize,
) -> PyResult<Bound<'_, PyArray2<T>>> {
    let (rows, cols) = matrix.size();
    let cols = if rows == 0 { dim } else { cols };
    PyArray1::from_vec(py, matrix.into_vec()).reshape([rows, cols])
}

/// Computes without the interpreter, and makes an array of the result.
fn compute<T: Element + kaldi_matrix::Real>(
    py: Python<'_>,
    dim: usize,
    work: impl FnOnce() -> Result<Matrix<T>> + Send,
) -> PyResult<Bound<'_, PyArray2<T>>> {
    let matrix = logged(py, work)?;
    array(py, matrix, dim)
}

/// Computes without the interpreter, and then delivers log lines.
fn logged<T: Send>(py: Python<'_>, work: impl FnOnce() -> Result<T> + Send) -> PyResult<T> {
    let done = py.detach(|| in_session(work));
    log::deliver(py)?;
    Ok(done?)
}

/// Adds the functions of `kaldi_tables.feats` to the module.
///
/// # Errors
/// If there is no memory for it.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    waveforms::register(module)?;
    pitch::register(module)?;
    frames::register(module)
}
