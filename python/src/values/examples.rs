//! Training examples as objects of `kaldi_tables._examples`.

use kaldi_egs::{ChainOutput, CompactFst, Index, IoMatrix, NnetChainExample, NnetExample, NnetIo, SparseRows};
use kaldi_value::{Format, Value};
use numpy::PyArray1;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyList, PyString, PyTuple};

use super::ToPython;
use super::class::{CHAIN_EXAMPLE, EXAMPLE};
use super::to_python::{of_matrix, of_rows};
use crate::errors::{Class, Failure};
use crate::names;

impl ToPython for NnetExample {
    fn to_python<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        EXAMPLE.get(py)?.call1((all(py, &self.io, of_io)?,))
    }

    fn shape(&self) -> Vec<u64> {
        of_inputs(&self.io)
    }
}

impl ToPython for NnetChainExample {
    fn to_python<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (inputs, outputs) = (all(py, &self.inputs, of_io)?, all(py, &self.outputs, of_output)?);
        CHAIN_EXAMPLE.get(py)?.call1((inputs, outputs))
    }

    fn shape(&self) -> Vec<u64> {
        of_inputs(&self.inputs)
    }
}

/// The most rows of inputs, and the columns of the first one, as the header of an example has them.
fn of_inputs(inputs: &[NnetIo]) -> Vec<u64> {
    let rows = inputs.iter().map(|input| input.indexes.len()).max().unwrap_or(0);
    vec![rows as u64, inputs.first().map_or(0, |input| input.matrix.num_cols()) as u64]
}

fn class<'py>(py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
    py.import("kaldi_tables._examples")?.getattr(name)
}

fn all<'py, T>(
    py: Python<'py>,
    items: &[T],
    convert: fn(Python<'py>, &T) -> PyResult<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyList>> {
    let list = PyList::empty(py);
    items.iter().try_for_each(|item| list.append(convert(py, item)?))?;
    Ok(list)
}

fn of_io<'py>(py: Python<'py>, io: &NnetIo) -> PyResult<Bound<'py, PyAny>> {
    let rows = match &io.matrix {
        IoMatrix::Full(matrix) => of_matrix(py, matrix)?,
        IoMatrix::Compressed(matrix) => {
            let bytes = matrix.to_bytes(Format::Binary);
            PyBytes::new(py, &bytes).into_any()
        }
        IoMatrix::Sparse(rows) => of_sparse(py, rows)?.into_any(),
    };
    static IO: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let make = IO.get_or_try_init(py, || Ok::<_, PyErr>(class(py, "Io")?.getattr("_of")?.unbind()))?;
    let name: Bound<'py, PyString> = names::to_str(py, &io.name)?;
    make.bind(py).call1((name, of_indexes(py, &io.indexes)?, rows))
}

fn of_indexes<'py>(py: Python<'py>, indexes: &[Index]) -> PyResult<Bound<'py, PyAny>> {
    let numbers: Vec<i32> = indexes.iter().flat_map(|index| [index.n, index.t, index.x]).collect();
    of_rows(py, &numbers, [indexes.len(), 3])
}

/// What `SparseRows` is made of.
fn of_sparse<'py>(py: Python<'py>, rows: &SparseRows) -> PyResult<Bound<'py, PyTuple>> {
    if let Some(odd) = rows.odd_dim() {
        let message = format!("expected sparse rows of one dimension, got {} and {odd}", rows.num_cols());
        return Err(Failure::new(Class::Data, message).into());
    }
    let lengths: Vec<i32> = rows.rows().map(|(_, row)| row.len() as i32).collect();
    let (index, weight): (Vec<i32>, Vec<f32>) = rows.rows().flat_map(|(_, row)| row).copied().unzip();
    let (index, weight) = (PyArray1::from_vec(py, index), PyArray1::from_vec(py, weight));
    (rows.num_cols(), PyArray1::from_vec(py, lengths), index, weight).into_pyobject(py)
}

fn of_output<'py>(py: Python<'py>, output: &ChainOutput) -> PyResult<Bound<'py, PyAny>> {
    let supervision = &output.supervision;
    let rest = PyDict::new(py);
    rest.set_item("indexes", of_indexes(py, &output.indexes)?)?;
    rest.set_item("weight", supervision.weight)?;
    rest.set_item("sequences", supervision.num_sequences)?;
    rest.set_item("frames", supervision.frames_per_sequence)?;
    rest.set_item("label_dim", supervision.label_dim)?;
    rest.set_item("end_to_end", supervision.is_end_to_end)?;
    rest.set_item("alignment_pdfs", PyArray1::from_slice(py, &supervision.alignment_pdfs))?;
    rest.set_item("deriv_weights", PyArray1::from_slice(py, &output.deriv_weights))?;
    let fsts = all(py, &supervision.fsts, of_fst)?;
    class(py, "ChainOutput")?.call_method1("_of", (names::to_str(py, &output.name)?, fsts, rest))
}

fn of_fst<'py>(py: Python<'py>, fst: &CompactFst) -> PyResult<Bound<'py, PyAny>> {
    let elements = fst.elements();
    let start = fst.start().map_or(-1, |start| start as i64);
    let offsets: Vec<i32> = fst.offsets().map(|offset| offset as i32).collect();
    let label: Vec<i32> = elements.iter().map(|element| element.label).collect();
    let weight: Vec<f32> = elements.iter().map(|element| element.weight).collect();
    let next: Vec<i32> = elements.iter().map(|element| element.next).collect();
    let (offsets, label) = (PyArray1::from_vec(py, offsets), PyArray1::from_vec(py, label));
    let (weight, next) = (PyArray1::from_vec(py, weight), PyArray1::from_vec(py, next));
    Ok((start, offsets, label, weight, next).into_pyobject(py)?.into_any())
}
