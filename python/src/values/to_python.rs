//! Values as objects of Python.

use kaldi_matrix::{Matrix, Real, SparseMatrix, Vector};
use kaldi_value::{GaussPost, IntMatrix, Posterior, Token, Tokens};
use kaldi_wave::Wave;
use numpy::{Element, PyArray1, PyArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyFloat, PyInt, PyList};

use super::class::{POSTERIOR, SPARSE_MATRIX, WAVE};
use super::{Precision, ToPython};
use crate::lattice::Graphs;
use crate::{lattice, names};

fn two((rows, columns): (usize, usize)) -> Vec<u64> {
    vec![rows as u64, columns as u64]
}

impl<T: Element + Real> ToPython for Matrix<T> {
    fn into_python<'py>(self: Box<Self>, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        of_matrix(py, &self)
    }

    fn shape(&self) -> Vec<u64> {
        two(self.size())
    }
}

impl<T: Element + Real> ToPython for Vector<T> {
    fn into_python<'py>(self: Box<Self>, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(PyArray1::from_slice(py, self.as_slice()).into_any())
    }

    fn shape(&self) -> Vec<u64> {
        vec![self.dim() as u64]
    }
}

impl ToPython for i32 {
    fn into_python<'py>(self: Box<Self>, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(PyInt::new(py, *self).into_any())
    }
}

impl ToPython for f32 {
    fn into_python<'py>(self: Box<Self>, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(PyFloat::new(py, (*self).into()).into_any())
    }
}

impl ToPython for f64 {
    fn into_python<'py>(self: Box<Self>, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(PyFloat::new(py, *self).into_any())
    }
}

impl ToPython for bool {
    fn into_python<'py>(self: Box<Self>, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(PyBool::new(py, *self).to_owned().into_any())
    }
}

impl ToPython for Vec<i32> {
    fn into_python<'py>(self: Box<Self>, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(PyArray1::from_slice(py, &self).into_any())
    }

    fn shape(&self) -> Vec<u64> {
        vec![self.len() as u64]
    }
}

impl ToPython for IntMatrix {
    fn into_python<'py>(self: Box<Self>, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        of_rows(py, self.as_slice(), [self.num_rows(), self.num_cols()])
    }

    fn shape(&self) -> Vec<u64> {
        two((self.num_rows(), self.num_cols()))
    }
}

impl ToPython for Vec<Vec<i32>> {
    fn into_python<'py>(self: Box<Self>, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(PyList::new(py, self.iter().map(|list| PyArray1::from_slice(py, list)))?.into_any())
    }

    fn shape(&self) -> Vec<u64> {
        vec![self.len() as u64]
    }
}

impl<T: Element + Copy + std::fmt::Debug + Send> ToPython for Vec<(T, T)> {
    fn into_python<'py>(self: Box<Self>, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let numbers: Vec<T> = self.iter().flat_map(|&(a, b)| [a, b]).collect();
        of_rows(py, &numbers, [self.len(), 2])
    }

    fn shape(&self) -> Vec<u64> {
        two((self.len(), 2))
    }
}

impl ToPython for Token {
    fn into_python<'py>(self: Box<Self>, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(names::to_str(py, &self)?.into_any())
    }
}

/// The bytes of a value as they are in the file.
impl ToPython for Vec<u8> {
    fn into_python<'py>(self: Box<Self>, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        Ok(PyBytes::new(py, &self).into_any())
    }

    fn shape(&self) -> Vec<u64> {
        vec![self.len() as u64]
    }
}

impl<T: Graphs> ToPython for T {
    fn into_python<'py>(self: Box<Self>, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        lattice::to_python(py, &self, T::FORM)
    }

    fn shape(&self) -> Vec<u64> {
        two((self.num_states(), self.num_arcs()))
    }
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

/// Where each list starts in all of them, and the end.
fn offsets<'py>(py: Python<'py>, lengths: impl Iterator<Item = usize>) -> Bound<'py, PyArray1<i64>> {
    let ends = lengths.scan(0, |end, length| {
        *end += length as i64;
        Some(*end)
    });
    PyArray1::from_vec(py, std::iter::once(0).chain(ends).collect())
}

impl ToPython for SparseMatrix<f32> {
    fn into_python<'py>(self: Box<Self>, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let offsets = offsets(py, self.rows().map(<[_]>::len));
        let (indices, data): (Vec<i32>, Vec<f32>) = self.rows().flatten().copied().unzip();
        let (indices, data) = (PyArray1::from_slice(py, &indices), PyArray1::from_slice(py, &data));
        SPARSE_MATRIX.get(py)?.call1((self.size(), offsets, indices, data))
    }

    fn shape(&self) -> Vec<u64> {
        two(self.size())
    }
}

impl ToPython for Posterior {
    fn into_python<'py>(self: Box<Self>, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let offsets = offsets(py, self.0.iter().map(Vec::len));
        let (ids, weights): (Vec<i32>, Vec<f32>) = self.0.iter().flatten().copied().unzip();
        let (ids, weights) = (PyArray1::from_slice(py, &ids), PyArray1::from_slice(py, &weights));
        POSTERIOR.get(py)?.call_method1("from_arrays", (offsets, ids, weights))
    }

    fn shape(&self) -> Vec<u64> {
        vec![self.0.len() as u64]
    }
}

impl ToPython for GaussPost {
    fn into_python<'py>(self: Box<Self>, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let frames = PyList::empty(py);
        for frame in &self.0 {
            frames.append(PyList::new(
                py,
                frame.iter().map(|(index, weights)| (*index, PyArray1::from_slice(py, weights))),
            )?)?;
        }
        Ok(frames.into_any())
    }

    fn shape(&self) -> Vec<u64> {
        vec![self.0.len() as u64]
    }
}

impl ToPython for Tokens {
    fn into_python<'py>(self: Box<Self>, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let list = PyList::empty(py);
        for word in self.iter() {
            list.append(names::to_str(py, word)?)?;
        }
        Ok(list.into_any())
    }

    fn shape(&self) -> Vec<u64> {
        vec![self.len() as u64]
    }
}

/// A waveform, and the precision of its samples in 16-bit scale; `None` is 16 bits, as `wav-copy` writes it.
#[derive(Debug)]
pub struct Sound(pub Wave, pub Option<Precision>);

impl ToPython for Sound {
    fn into_python<'py>(self: Box<Self>, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        of_wave(py, &self.0, self.1)
    }

    fn shape(&self) -> Vec<u64> {
        self.0.shape()
    }
}

impl ToPython for Wave {
    fn into_python<'py>(self: Box<Self>, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        of_wave(py, &self, None)
    }

    fn shape(&self) -> Vec<u64> {
        match self.num_channels() {
            1 => vec![self.num_samples() as u64],
            channels => two((self.num_samples(), channels)),
        }
    }
}

fn of_wave<'py>(py: Python<'py>, wave: &Wave, precision: Option<Precision>) -> PyResult<Bound<'py, PyAny>> {
    let rate = f64::from(wave.sample_rate());
    let samples = match precision {
        // The cast drops the fraction and clips.
        None => of_channels(py, wave, |sample| sample as i16)?,
        Some(Precision::Single) => of_channels(py, wave, |sample| sample)?,
        Some(Precision::Double) => of_channels(py, wave, f64::from)?,
    };
    match rate.fract() == 0.0 {
        true => WAVE.get(py)?.call1((rate as i64, samples)),
        false => WAVE.get(py)?.call1((rate, samples)),
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
