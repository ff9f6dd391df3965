//! Values as objects of Python.

use kaldi_matrix::{Matrix, SparseMatrix, Vector};
use kaldi_value::{GaussPost, Posterior, Tokens};
use kaldi_wave::Wave;
use numpy::{Element, PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyFloat, PyInt, PyList};

use super::examples::{of_chain_example, of_example};
use super::{AnyValue, Precision};
use crate::{lattice, names};

/// Converts a value. Arrays own their memory.
///
/// # Errors
/// If there is no memory for it, or the rest of the value cannot be read.
pub fn value_to_python<'py>(py: Python<'py>, value: AnyValue) -> PyResult<Bound<'py, PyAny>> {
    Ok(match value {
        AnyValue::Dense(mut dense) => dense.read_array(py)?,
        AnyValue::Matrix(matrix) => of_matrix(py, &matrix)?,
        AnyValue::DoubleMatrix(matrix) => of_matrix(py, &matrix)?,
        AnyValue::Vector(vector) => of_vector(py, &vector),
        AnyValue::DoubleVector(vector) => of_vector(py, &vector),
        AnyValue::Sparse(matrix) => of_sparse(py, &matrix)?,
        AnyValue::Wave(wave, precision) => of_wave(py, wave, precision)?,
        AnyValue::Int(number) => PyInt::new(py, number).into_any(),
        AnyValue::Float(number) => PyFloat::new(py, number).into_any(),
        AnyValue::Bool(truth) => PyBool::new(py, truth).to_owned().into_any(),
        AnyValue::Ints(numbers) => PyArray1::from_slice(py, &numbers).into_any(),
        AnyValue::IntMatrix(matrix) => of_rows(py, matrix.as_slice(), [matrix.num_rows(), matrix.num_cols()])?,
        AnyValue::IntLists(lists) => {
            PyList::new(py, lists.iter().map(|list| PyArray1::from_slice(py, list)))?.into_any()
        }
        AnyValue::IntPairs(pairs) => of_pairs(py, pairs.into_iter().flat_map(|(a, b)| [a, b]).collect())?,
        AnyValue::FloatPairs(pairs) => of_pairs(py, pairs.into_iter().flat_map(|(a, b)| [a, b]).collect())?,
        AnyValue::Posterior(posterior) => of_posterior(py, &posterior)?,
        AnyValue::GaussPost(posterior) => of_gauss_post(py, &posterior)?,
        AnyValue::Word(word) => names::to_str(py, &word)?.into_any(),
        AnyValue::Words(words) => of_words(py, &words)?,
        AnyValue::Example(example) => of_example(py, &example)?,
        AnyValue::ChainExample(example) => of_chain_example(py, &example)?,
        AnyValue::Graph(graph, form) => lattice::to_python(py, &graph, form)?,
        AnyValue::Bytes(bytes) => PyBytes::new(py, &bytes).into_any(),
    })
}

/// A vector as an array that owns its memory.
pub fn of_vector<'py, T: Element + kaldi_matrix::Real>(py: Python<'py>, vector: &Vector<T>) -> Bound<'py, PyAny> {
    PyArray1::from_slice(py, vector.as_slice()).into_any()
}

/// A matrix as an array that owns its memory.
///
/// # Errors
/// If there is no memory for it.
pub fn of_matrix<'py, T: Element + kaldi_matrix::Real>(
    py: Python<'py>,
    matrix: &Matrix<T>,
) -> PyResult<Bound<'py, PyAny>> {
    of_rows(py, matrix.as_slice(), [matrix.num_rows(), matrix.num_cols()])
}

/// Numbers, row after row, as an array that owns its memory.
pub(super) fn of_rows<'py, T: Element + Copy>(
    py: Python<'py>,
    numbers: &[T],
    shape: [usize; 2],
) -> PyResult<Bound<'py, PyAny>> {
    let array = numpy::PyArray2::<T>::zeros(py, shape, false);
    array.readwrite().as_slice_mut()?.copy_from_slice(numbers);
    Ok(array.into_any())
}

fn of_pairs<T: Element + Copy>(py: Python<'_>, numbers: Vec<T>) -> PyResult<Bound<'_, PyAny>> {
    of_rows(py, &numbers, [numbers.len() / 2, 2])
}

/// The class of this name in `kaldi_tables._values`.
fn class<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("kaldi_tables._values")?.getattr(name)
}

/// Where each list starts in all of them, and the end.
fn offsets<'py>(py: Python<'py>, lengths: impl Iterator<Item = usize>) -> Bound<'py, PyArray1<i64>> {
    let ends = lengths.scan(0, |end, length| {
        *end += length as i64;
        Some(*end)
    });
    PyArray1::from_vec(py, std::iter::once(0).chain(ends).collect())
}

fn of_sparse<'py>(py: Python<'py>, matrix: &SparseMatrix<f32>) -> PyResult<Bound<'py, PyAny>> {
    let offsets = offsets(py, matrix.rows().map(<[_]>::len));
    let (indices, data): (Vec<i32>, Vec<f32>) = matrix.rows().flatten().copied().unzip();
    let (indices, data) = (PyArray1::from_slice(py, &indices), PyArray1::from_slice(py, &data));
    class(py, "SparseMatrix")?.call1((matrix.size(), offsets, indices, data))
}

fn of_posterior<'py>(py: Python<'py>, posterior: &Posterior) -> PyResult<Bound<'py, PyAny>> {
    let offsets = offsets(py, posterior.0.iter().map(Vec::len));
    let (ids, weights): (Vec<i32>, Vec<f32>) = posterior.0.iter().flatten().copied().unzip();
    let (ids, weights) = (PyArray1::from_slice(py, &ids), PyArray1::from_slice(py, &weights));
    class(py, "Posterior")?.call_method1("from_arrays", (offsets, ids, weights))
}

fn of_gauss_post<'py>(py: Python<'py>, posterior: &GaussPost) -> PyResult<Bound<'py, PyAny>> {
    let frames = PyList::empty(py);
    for frame in &posterior.0 {
        frames.append(PyList::new(
            py,
            frame.iter().map(|(index, weights)| (*index, PyArray1::from_slice(py, weights))),
        )?)?;
    }
    Ok(frames.into_any())
}

fn of_words<'py>(py: Python<'py>, words: &Tokens) -> PyResult<Bound<'py, PyAny>> {
    let list = PyList::empty(py);
    for word in words.iter() {
        list.append(names::to_str(py, word)?)?;
    }
    Ok(list.into_any())
}

/// A waveform: of 16 bits, as `wav-copy` writes it, or of a given precision in 16-bit scale.
fn of_wave<'py>(py: Python<'py>, wave: Wave, precision: Option<Precision>) -> PyResult<Bound<'py, PyAny>> {
    let rate = f64::from(wave.sample_rate());
    let samples = match precision {
        // The cast drops the fraction and clips.
        None => of_channels(py, &wave, |sample| sample as i16)?,
        Some(Precision::Single) => of_channels(py, &wave, |sample| sample)?,
        Some(Precision::Double) => of_channels(py, &wave, f64::from)?,
    };
    match rate.fract() == 0.0 {
        true => class(py, "Wave")?.call1((rate as i64, samples)),
        false => class(py, "Wave")?.call1((rate, samples)),
    }
}

fn of_channels<'py, T: Element + Copy>(
    py: Python<'py>,
    wave: &Wave,
    convert: impl Fn(f32) -> T,
) -> PyResult<Bound<'py, PyAny>> {
    let (channels, samples) = (wave.num_channels(), wave.num_samples());
    if channels == 1 {
        let samples: Vec<T> = wave.channel(0).iter().map(|&sample| convert(sample)).collect();
        return Ok(PyArray1::from_slice(py, &samples).into_any());
    }
    let frame = |index: usize| (0..channels).map(move |channel| (channel, index));
    let values = (0..samples).flat_map(frame).map(|(channel, index)| convert(wave.channel(channel)[index]));
    of_rows(py, &values.collect::<Vec<T>>(), [samples, channels])
}
