//! Values of tables: read without the interpreter, then converted to objects of Python.

pub mod class;
mod dense;
mod examples;
mod to_python;
mod types;

pub use dense::{Dense, Precision, SHORT};
pub use to_python::Sound;
pub use types::{PythonValue, Row, ToPython, row};

use kaldi_any::ValueType;
use kaldi_inspect::Entries;
use kaldi_io::ParseError;
use kaldi_matrix::{GeneralMatrix, Matrix, Vector};
use kaldi_table::RawEntry;
use pyo3::prelude::*;

use crate::errors::{Result, wrong_value};

/// A value that was read.
#[derive(Debug)]
pub enum AnyValue {
    /// A matrix or vector whose numbers are still in the file, or in the bytes of an archive.
    Dense(Dense),
    /// Any other value.
    Other(Box<dyn ToPython>),
}

impl AnyValue {
    /// A value that is in memory.
    pub fn of(value: impl ToPython + 'static) -> Self {
        Self::Other(Box::new(value))
    }

    /// The object that it becomes. Arrays own their memory.
    ///
    /// # Errors
    /// If there is no memory for it, or the rest of the value cannot be read.
    pub fn into_python(self, py: Python<'_>) -> PyResult<Bound<'_, PyAny>> {
        match self {
            Self::Dense(mut dense) => dense.read_array(py),
            Self::Other(value) => value.into_python(py),
        }
    }

    /// The shape of the array that it becomes; of lists their length.
    pub fn shape(&self) -> Vec<u64> {
        match self {
            Self::Dense(dense) => dense.shape(),
            Self::Other(value) => value.shape(),
        }
    }
}

/// What is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Values of this type; `None` if it is found by looking.
    Type(Option<ValueType>),
    /// Values as they are in the file.
    Bytes,
}

impl Wanted {
    /// Parses the argument `type`.
    ///
    /// # Errors
    /// `ValueError` if it is no name of a type.
    pub fn parse(name: Option<&str>) -> PyResult<Self> {
        match name {
            None => Ok(Self::Type(None)),
            Some("bytes") => Ok(Self::Bytes),
            Some(name) => match name.parse() {
                Ok(value_type) => Ok(Self::Type(Some(value_type))),
                Err(error) => Err(wrong_value(format!("{error} or bytes as the type of values, got {name:?}"))),
            },
        }
    }

    /// The type, if it is known.
    pub fn value_type(self) -> Option<ValueType> {
        match self {
            Self::Type(value_type) => value_type,
            Self::Bytes => None,
        }
    }

    /// The type of the values of a table, which may be found by looking.
    pub fn or_found(self, entries: &Entries) -> Option<ValueType> {
        match self {
            Self::Type(None) => Some(entries.value_type()),
            Self::Type(value_type) => value_type,
            Self::Bytes => None,
        }
    }
}

/// Reads the value of an entry; as bytes if no type is given.
///
/// # Errors
/// If it is no such value, or cannot be read.
pub fn read_value(raw: &RawEntry, value_type: Option<ValueType>, dtype: Option<Precision>) -> Result<AnyValue> {
    (value_type.map_or(&Row::BYTES, row).read)(raw, dtype)
}

/// Reads a matrix or a vector.
fn read_array(raw: &RawEntry, value_type: ValueType, dtype: Option<Precision>) -> Result<AnyValue> {
    if let Some(dense) = Dense::of(raw, value_type)
        && dtype.is_none_or(|dtype| dtype == dense.precision())
    {
        return Ok(AnyValue::Dense(dense));
    }
    let head = raw.head();
    let is_double = match dtype {
        Some(dtype) => dtype == Precision::Double,
        None => head.starts_with(b"\0BD"),
    };
    Ok(match (value_type, is_double) {
        (ValueType::Vector, false) => AnyValue::of(raw.parse::<Vector<f32>>()?),
        (ValueType::Vector, true) => AnyValue::of(raw.parse::<Vector<f64>>()?),
        _ if head.starts_with(b"\0BS") || head.trim_ascii_start().starts_with(b"r") => match raw.parse()? {
            GeneralMatrix::Sparse(matrix) => AnyValue::of(matrix),
            matrix => converted(
                matrix.into_matrix().map_err(|error| raw.error(ParseError::new(0, error.to_string())))?,
                dtype,
            ),
        },
        (_, false) => AnyValue::of(raw.parse::<Matrix<f32>>()?),
        (_, true) => AnyValue::of(raw.parse::<Matrix<f64>>()?),
    })
}

fn converted(matrix: Matrix<f32>, dtype: Option<Precision>) -> AnyValue {
    match dtype {
        Some(Precision::Double) => AnyValue::of(matrix.to_precision::<f64>()),
        _ => AnyValue::of(matrix),
    }
}

/// Adds what is visible in Python to the module.
///
/// # Errors
/// If the module refuses.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    examples::register(module)?;
    types::register(module)
}
