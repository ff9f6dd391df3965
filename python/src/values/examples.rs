//! Training examples as objects of `kaldi_tables._examples`.

use kaldi_egs::{ChainOutput, CompactFst, Index, IoMatrix, NnetChainExample, NnetExample, NnetIo, SparseRows};
use kaldi_value::{Format, Value};
use numpy::{PyArray1, PyArray2};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyBytes, PyDict, PyList, PyTuple};

use super::ToPython;
use super::class::{CHAIN_EXAMPLE, EXAMPLE, IO};
use super::to_python::{of_matrix, of_rows};
use crate::errors::{Class, Failure};
use crate::kaldiio::expanded;
use crate::names;

impl ToPython for NnetExample {
    fn into_python<'py>(self: Box<Self>, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        EXAMPLE.make(py, [(intern!(py, "io"), all(py, self.io, of_io)?)])
    }

    fn shape(&self) -> Vec<u64> {
        of_inputs(&self.io)
    }
}

impl ToPython for NnetChainExample {
    fn into_python<'py>(self: Box<Self>, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (inputs, outputs) = (all(py, self.inputs, of_io)?, all(py, &self.outputs, of_output)?);
        CHAIN_EXAMPLE.make(py, [(intern!(py, "inputs"), inputs), (intern!(py, "outputs"), outputs)])
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

fn all<'py, I: IntoIterator>(
    py: Python<'py>,
    items: I,
    convert: fn(Python<'py>, I::Item) -> PyResult<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let list = PyList::empty(py);
    items.into_iter().try_for_each(|item| list.append(convert(py, item)?))?;
    Ok(list.into_any())
}

fn of_io<'py>(py: Python<'py>, io: NnetIo) -> PyResult<Bound<'py, PyAny>> {
    if let IoMatrix::Sparse(rows) = &io.matrix
        && let Some(odd) = rows.odd_dim()
    {
        let message = format!("expected sparse rows of one dimension, got {} and {odd}", rows.num_cols());
        return Err(Failure::new(Class::Data, message).into());
    }
    let name = names::to_str(py, &io.name)?.into_any();
    let stored = Bound::new(py, StoredIo { io, labels: PyOnceLock::new() })?.into_any();
    IO.make(py, [(intern!(py, "name"), name), (intern!(py, "_stored"), stored)])
}

/// The indexes and the rows of an input or output that was read. They become arrays when they are asked for.
#[pyclass(module = "kaldi_tables._core", frozen)]
struct StoredIo {
    io: NnetIo,
    /// The labels, once they were asked for: whoever changes the array changes the rows.
    labels: PyOnceLock<Py<PyArray1<i32>>>,
}

#[pymethods]
impl StoredIo {
    fn indexes<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        of_indexes(py, &self.io.indexes)
    }

    /// A matrix, the bytes of a compressed one, or what `SparseRows` is made of.
    fn rows<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        match &self.io.matrix {
            IoMatrix::Full(matrix) => of_matrix(py, matrix),
            IoMatrix::Compressed(matrix) => Ok(PyBytes::new(py, &matrix.to_bytes(Format::Binary)).into_any()),
            IoMatrix::Sparse(rows) => Ok(of_sparse(py, rows, self.labels.get(py))?.into_any()),
        }
    }

    /// The numbers of a compressed matrix in a new array; `None` if it is none.
    fn expanded<'py>(&self, py: Python<'py>) -> PyResult<Option<Bound<'py, PyArray2<f32>>>> {
        match &self.io.matrix {
            IoMatrix::Compressed(matrix) => {
                let size = matrix.num_rows() * matrix.num_cols();
                expanded(py, size, || Ok(matrix.to_matrix())).map(Some)
            }
            IoMatrix::Full(_) | IoMatrix::Sparse(_) => Ok(None),
        }
    }

    /// The index of the element of each row; `None` if there are others than rows of one element.
    fn labels<'py>(&self, py: Python<'py>) -> Option<&Bound<'py, PyArray1<i32>>> {
        let IoMatrix::Sparse(rows) = &self.io.matrix else { return None };
        if rows.rows().any(|(_, row)| row.len() != 1) {
            return None;
        }
        let labels = || PyArray1::from_vec(py, rows.rows().flat_map(|(_, row)| row).map(|&(index, _)| index).collect());
        Some(self.labels.get_or_init(py, || labels().unbind()).bind(py))
    }
}

fn of_indexes<'py>(py: Python<'py>, indexes: &[Index]) -> PyResult<Bound<'py, PyAny>> {
    let numbers: Vec<i32> = indexes.iter().flat_map(|index| [index.n, index.t, index.x]).collect();
    of_rows(py, &numbers, [indexes.len(), 3])
}

/// What `SparseRows` is made of.
fn of_sparse<'py>(
    py: Python<'py>,
    rows: &SparseRows,
    labels: Option<&Py<PyArray1<i32>>>,
) -> PyResult<Bound<'py, PyTuple>> {
    let lengths: Vec<i32> = rows.rows().map(|(_, row)| row.len() as i32).collect();
    let (index, weight): (Vec<i32>, Vec<f32>) = rows.rows().flat_map(|(_, row)| row).copied().unzip();
    let index = labels.map_or_else(|| PyArray1::from_vec(py, index), |labels| labels.bind(py).clone());
    (rows.num_cols(), PyArray1::from_vec(py, lengths), index, PyArray1::from_vec(py, weight)).into_pyobject(py)
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

/// Adds the class to the module.
///
/// # Errors
/// If the module refuses.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<StoredIo>()
}
