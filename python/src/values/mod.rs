//! Values of tables: read without the interpreter, then converted to objects of Python.

mod dense;
mod examples;
mod to_python;

pub use dense::{Dense, Precision};
pub use to_python::value_to_python;

use bstr::BString;
use kaldi_any::ValueType;
use kaldi_egs::{NnetChainExample, NnetExample};
use kaldi_inspect::Entries;
use kaldi_io::ParseError;
use kaldi_lattice::{CompactLattice, Fst, Graph, GraphForm, Lattice};
use kaldi_matrix::{GeneralMatrix, HtkFeatures, Matrix, SparseMatrix, SphinxFeatures, Vector};
use kaldi_table::RawEntry;
use kaldi_value::{GaussPost, IntMatrix, Posterior, Token, Tokens};
use kaldi_wave::Wave;
use pyo3::prelude::*;

use crate::errors::{Result, wrong_value};

/// A value that was read.
#[derive(Debug)]
pub enum AnyValue {
    /// A matrix or vector whose numbers are still in the file, or in the bytes of an archive.
    Dense(Dense),
    /// A matrix of single precision.
    Matrix(Matrix<f32>),
    /// A matrix of double precision.
    DoubleMatrix(Matrix<f64>),
    /// A vector of single precision.
    Vector(Vector<f32>),
    /// A vector of double precision.
    DoubleVector(Vector<f64>),
    /// A sparse matrix.
    Sparse(SparseMatrix<f32>),
    /// A waveform, and the precision of its samples; `None` is 16 bits.
    Wave(Wave, Option<Precision>),
    /// An integer.
    Int(i32),
    /// A number.
    Float(f64),
    /// A truth value.
    Bool(bool),
    /// Integers.
    Ints(Vec<i32>),
    /// A matrix of integers.
    IntMatrix(IntMatrix),
    /// Lists of integers.
    IntLists(Vec<Vec<i32>>),
    /// Pairs of integers.
    IntPairs(Vec<(i32, i32)>),
    /// Pairs of floats.
    FloatPairs(Vec<(f32, f32)>),
    /// Indices and weights of frames.
    Posterior(Posterior),
    /// Indices and weights of Gaussians of frames.
    GaussPost(GaussPost),
    /// A word.
    Word(BString),
    /// Words.
    Words(Tokens),
    /// A training example.
    Example(NnetExample),
    /// A training example of a chain model.
    ChainExample(NnetChainExample),
    /// A lattice or an FST.
    Graph(Graph, GraphForm),
    /// The value as it is in the file.
    Bytes(Vec<u8>),
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
    use AnyValue as Any;
    let Some(value_type) = value_type else { return Ok(Any::Bytes(raw.bytes()?.into_owned())) };
    Ok(match value_type {
        ValueType::Matrix | ValueType::Vector => return read_array(raw, value_type, dtype),
        ValueType::Htk => converted(raw.parse::<HtkFeatures>()?.into_feats(), dtype),
        ValueType::Sphinx => converted(raw.parse::<SphinxFeatures>()?.into_feats(), dtype),
        ValueType::Wave => Any::Wave(raw.parse()?, dtype),
        ValueType::Int32 => Any::Int(raw.parse()?),
        ValueType::Float => Any::Float(raw.parse::<f32>()?.into()),
        ValueType::Double => Any::Float(raw.parse()?),
        ValueType::Bool => Any::Bool(raw.parse()?),
        ValueType::Int32Vector => Any::Ints(raw.parse()?),
        ValueType::Int32Matrix => Any::IntMatrix(raw.parse()?),
        ValueType::Int32VectorVector => Any::IntLists(raw.parse()?),
        ValueType::Int32Pairs => Any::IntPairs(raw.parse()?),
        ValueType::FloatPairs => Any::FloatPairs(raw.parse()?),
        ValueType::Posterior => Any::Posterior(raw.parse()?),
        ValueType::GaussPost => Any::GaussPost(raw.parse()?),
        ValueType::Token => Any::Word(raw.parse::<Token>()?.into_inner()),
        ValueType::TokenVector => Any::Words(raw.parse()?),
        ValueType::Nnet3Example => Any::Example(raw.parse()?),
        ValueType::Nnet3ChainExample => Any::ChainExample(raw.parse()?),
        ValueType::Lattice => Any::Graph(raw.parse::<Lattice>()?.0, GraphForm::Plain),
        ValueType::CompactLattice => Any::Graph(raw.parse::<CompactLattice>()?.0, GraphForm::Compact),
        ValueType::Fst => Any::Graph(raw.parse::<Fst>()?.0, GraphForm::Standard),
        _ => Any::Bytes(raw.bytes()?.into_owned()),
    })
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
        (ValueType::Vector, false) => AnyValue::Vector(raw.parse()?),
        (ValueType::Vector, true) => AnyValue::DoubleVector(raw.parse()?),
        _ if head.starts_with(b"\0BS") || head.trim_ascii_start().starts_with(b"r") => match raw.parse()? {
            GeneralMatrix::Sparse(matrix) => AnyValue::Sparse(matrix),
            matrix => converted(
                matrix.into_matrix().map_err(|error| raw.error(ParseError::new(0, error.to_string())))?,
                dtype,
            ),
        },
        (_, false) => AnyValue::Matrix(raw.parse()?),
        (_, true) => AnyValue::DoubleMatrix(raw.parse()?),
    })
}

fn converted(matrix: Matrix<f32>, dtype: Option<Precision>) -> AnyValue {
    match dtype {
        Some(Precision::Double) => AnyValue::DoubleMatrix(matrix.to_precision()),
        _ => AnyValue::Matrix(matrix),
    }
}
