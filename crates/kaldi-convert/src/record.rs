//! Arrays as entries of tables.

use std::fmt;
use std::str::FromStr;

use bstr::BStr;
use kaldi_inspect::Numbers;
use kaldi_io::{Format, Value};
use kaldi_matrix::{Matrix, Real, Vector};
use kaldi_table::Record;

use crate::array::Array;
use crate::exact::Exact;
use crate::{Error, Result};

/// A type of tables that arrays can become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableType {
    /// Matrices, in single or double precision.
    Matrix,
    /// Vectors, in single or double precision.
    Vector,
    /// Vectors of 32-bit integers.
    Int32Vector,
}

impl TableType {
    /// The type that fits an array: a matrix where it has two dimensions, else a vector of its numbers.
    pub fn of(array: &Array) -> Self {
        match (array.dims.len(), array.dtype.is_float()) {
            (2, _) => Self::Matrix,
            (_, true) => Self::Vector,
            (_, false) => Self::Int32Vector,
        }
    }
}

impl FromStr for TableType {
    type Err = UnknownType;

    fn from_str(name: &str) -> Result<Self, UnknownType> {
        match name {
            "matrix" => Ok(Self::Matrix),
            "vector" => Ok(Self::Vector),
            "int32-vector" => Ok(Self::Int32Vector),
            _ => Err(UnknownType),
        }
    }
}

impl fmt::Display for TableType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Matrix => "matrix",
            Self::Vector => "vector",
            Self::Int32Vector => "int32-vector",
        })
    }
}

/// The name of no such type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownType;

impl fmt::Display for UnknownType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("expected matrix, vector or int32-vector")
    }
}

impl std::error::Error for UnknownType {}

/// Makes the entry of a table of this type from an array. Numbers are converted where that is exact.
///
/// # Errors
/// Where the array has other dimensions, or a number is none of the type.
pub fn to_record(key: &BStr, array: &Array, table_type: TableType, format: Format) -> Result<Record<Numbers>> {
    let fault = |message: String| Error::value(key, message);
    let wanted = if table_type == TableType::Matrix { 2 } else { 1 };
    let num_dims = array.dims.len();
    // What is empty has no rows and columns to be told from each other.
    if num_dims.max(1) != wanted && !array.is_empty() {
        let message =
            format!("expected an array of {wanted} dimension(s) for a {table_type}, got {num_dims}; --type= tells");
        return Err(fault(message));
    }
    if let Some(dim) = array.dims.iter().find(|&&dim| i32::try_from(dim).is_err()) {
        return Err(fault(format!("expected sizes of at most {}, got {dim}", i32::MAX)));
    }
    let numbers = Exact::of(array);
    if table_type == TableType::Int32Vector {
        let encoded = numbers.to_i32().map_err(fault)?.into_encoded(format);
        return Ok(Record::from_bytes(key, encoded));
    }
    match numbers.into_real().map_err(fault)? {
        Exact::Double(values) => Ok(dense(key, array, wanted == 2, values, format)),
        Exact::Single(values) => Ok(dense(key, array, wanted == 2, values, format)),
        Exact::Integer(_) => Err(fault("expected real numbers, got integers".into())),
    }
}

fn dense<T: Real>(key: &BStr, array: &Array, is_matrix: bool, values: Vec<T>, format: Format) -> Record<Numbers>
where
    Matrix<T>: Value,
    Vector<T>: Value,
{
    let encoded = match array.dims[..] {
        _ if is_matrix && values.is_empty() => Matrix::<T>::default().into_encoded(format),
        [rows, columns] if is_matrix => Matrix::from_vec(rows, columns, values).into_encoded(format),
        _ => Vector::from_vec(values).into_encoded(format),
    };
    Record::from_bytes(key, encoded)
}
