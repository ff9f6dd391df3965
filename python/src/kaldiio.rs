//! What `kaldi_tables.compat.kaldiio` needs of the libraries: outputs, compressed matrices, text.

use bstr::BString;
use kaldi_io::Output;
use kaldi_matrix::{CompressedMatrix, CompressionMethod, Matrix, Vector};
use kaldi_value::{Cursor, Format, Value};
use kaldi_wave::Wave;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray2, PyUntypedArrayMethods};
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::errors::{Class, Failure, Result};
use crate::interrupt::{guarded, without_interpreter};
use crate::names;
use crate::owned::Owned;
use crate::values::SHORT;

/// A file that appears under its name when it is complete, a command, standard output or an object of a store.
#[pyclass(name = "Output", module = "kaldi_tables._core")]
struct PyOutput(Owned<Output>);

#[pymethods]
impl PyOutput {
    #[new]
    fn new(py: Python<'_>, name: &Bound<'_, PyString>, in_place: bool) -> PyResult<Self> {
        let name: BString = names::from_str(name)?;
        let output = without_interpreter(py, || Ok(Output::create(name.as_ref(), in_place)?))?;
        Ok(Self(Owned::new(output, "output")))
    }

    /// Writes bytes, or an array of bytes.
    fn write(&mut self, py: Python<'_>, data: &Bound<'_, PyAny>) -> PyResult<()> {
        let output = self.0.get_mut()?;
        if let Ok(bytes) = data.cast::<PyBytes>() {
            let bytes = bytes.as_bytes();
            return without_interpreter(py, || Ok(output.write_all(bytes)?));
        }
        let array: PyReadonlyArray1<'_, u8> =
            data.extract().map_err(|_| PyTypeError::new_err("expected bytes or an array of bytes"))?;
        let bytes = array.as_slice().map_err(|error| PyValueError::new_err(error.to_string()))?;
        without_interpreter(py, || Ok(output.write_all(bytes)?))
    }

    /// The place of the next byte; `None` if nobody can seek there.
    fn position(&mut self) -> PyResult<Option<u64>> {
        Ok(self.0.get_mut()?.position())
    }

    fn flush(&mut self, py: Python<'_>) -> PyResult<()> {
        let output = self.0.get_mut()?;
        without_interpreter(py, || Ok(output.flush()?))
    }

    /// Gives the file its name, or waits for the command.
    fn finish(&mut self, py: Python<'_>) -> PyResult<()> {
        let output = self.0.take()?;
        without_interpreter(py, || Ok(output.finish()?))
    }

    /// Ends without the file. An old one stays as it was.
    fn discard(&mut self, py: Python<'_>) {
        py.detach(|| self.0.discard());
    }
}

/// The matrix of a compressed one, which is in binary form.
#[pyfunction]
fn expand_matrix<'py>(py: Python<'py>, data: &Bound<'py, PyBytes>) -> PyResult<Bound<'py, PyArray2<f32>>> {
    let bytes = data.as_bytes();
    expanded(py, bytes.len(), || Ok(CompressedMatrix::read(&mut Cursor::new(bytes)).map_err(damage)?.to_matrix()))
}

/// What `expand` makes of so many bytes. If they are few, other threads of Python wait.
pub fn expanded<'py>(
    py: Python<'py>,
    size: usize,
    expand: impl Send + FnOnce() -> Result<Matrix<f32>>,
) -> PyResult<Bound<'py, PyArray2<f32>>> {
    let matrix = match size <= SHORT {
        true => guarded(|| Ok(expand()?))?,
        false => without_interpreter(py, expand)?,
    };
    to_array(py, matrix)
}

/// Compresses a matrix by one of the methods 1 to 7; in binary form.
#[pyfunction]
fn compress_matrix<'py>(
    py: Python<'py>,
    matrix: PyReadonlyArray2<'py, f32>,
    method: i32,
) -> PyResult<Bound<'py, PyBytes>> {
    let method = CompressionMethod::from_number(method)
        .ok_or_else(|| PyValueError::new_err(format!("expected a compression method from 1 to 7, got {method}")))?;
    let [rows, cols] = [matrix.shape()[0], matrix.shape()[1]];
    let numbers = matrix.as_slice().map_err(|error| PyValueError::new_err(error.to_string()))?;
    let bytes = without_interpreter(py, || {
        let matrix = Matrix::from_vec(rows, cols, numbers.to_vec());
        let compressed = CompressedMatrix::compress(&matrix, method);
        let compressed = compressed.map_err(|error| PyValueError::new_err(error.to_string()))?;
        Ok(compressed.to_bytes(Format::Binary))
    })?;
    Ok(PyBytes::new(py, &bytes))
}

/// Numbers of text: a matrix with a row on each line, or a vector.
#[pyfunction]
fn parse_floats<'py>(py: Python<'py>, text: &Bound<'py, PyBytes>, is_matrix: bool) -> PyResult<Bound<'py, PyAny>> {
    let bytes = text.as_bytes();
    if is_matrix {
        let matrix =
            without_interpreter(py, || Matrix::<f32>::read(&mut Cursor::new(&in_brackets(bytes))).map_err(damage));
        return Ok(to_array(py, matrix?)?.into_any());
    }
    let vector = without_interpreter(py, || Vector::<f32>::read(&mut Cursor::new(&in_brackets(bytes))).map_err(damage));
    Ok(PyArray1::from_vec(py, vector?.into_vec()).into_any())
}

/// A WAV file of any encoding, as one of 16 bits.
#[pyfunction]
fn wave_of_16_bits<'py>(py: Python<'py>, file: &Bound<'py, PyBytes>) -> PyResult<Bound<'py, PyBytes>> {
    let bytes = file.as_bytes();
    let written =
        without_interpreter(py, || Ok(Wave::read(&mut Cursor::new(bytes)).map_err(damage)?.to_bytes(Format::Binary)));
    Ok(PyBytes::new(py, &written?))
}

fn in_brackets(text: &[u8]) -> Vec<u8> {
    [b" [ ", text.trim_ascii_end(), b" ]\n"].concat()
}

fn to_array(py: Python<'_>, matrix: Matrix<f32>) -> PyResult<Bound<'_, PyArray2<f32>>> {
    let size = [matrix.num_rows(), matrix.num_cols()];
    PyArray1::from_vec(py, matrix.into_vec()).reshape(size)
}

/// The caller adds the place.
fn damage(error: kaldi_io::ParseError) -> Failure {
    Failure::new(Class::Data, error.message.into_owned())
}

/// Adds the functions to the module.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<PyOutput>()?;
    module.add_function(wrap_pyfunction!(expand_matrix, module)?)?;
    module.add_function(wrap_pyfunction!(compress_matrix, module)?)?;
    module.add_function(wrap_pyfunction!(parse_floats, module)?)?;
    module.add_function(wrap_pyfunction!(wave_of_16_bits, module)?)
}
