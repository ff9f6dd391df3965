//! The types of tables in Python: a row for each says how its values become objects, and objects become values.

use kaldi_any::ValueType;
use kaldi_egs::{NnetChainExample, NnetExample};
use kaldi_lattice::{CompactLattice, Fst, Lattice};
use kaldi_matrix::{HtkFeatures, SphinxFeatures};
use kaldi_table::RawEntry;
use kaldi_value::{GaussPost, IntMatrix, Posterior, Token, Tokens, Value};
use kaldi_wave::Wave;
use pyo3::prelude::*;

use super::class::Class;
use super::{AnyValue, Precision, converted, read_array};
use crate::errors::{Result, wrong_value};
use crate::write::{Taken, take_matrix, take_vector};

/// What is done with values of a type. The functions hide the type of Rust (type erasure).
pub struct Row {
    /// Reads a value. Waveforms and matrices have numbers of a precision.
    pub read: fn(&RawEntry, Option<Precision>) -> Result<AnyValue>,
    /// Takes a value from an object. The flag says that the type was named by the program, so that whole numbers may become real ones.
    pub take: fn(&Bound<'_, PyAny>, bool) -> PyResult<Taken>,
    /// Whether an object is such a value, if its class shows that.
    pub is_class: fn(&Bound<'_, PyAny>) -> PyResult<bool>,
    /// The type of the objects, in the words of `_open.pyi`.
    pub annotation: &'static str,
}

/// A value that becomes an object of Python.
pub trait ToPython: std::fmt::Debug + Send {
    /// The object. Arrays own their memory.
    ///
    /// # Errors
    /// If there is no memory for it.
    fn into_python<'py>(self: Box<Self>, py: Python<'py>) -> PyResult<Bound<'py, PyAny>>;

    /// The shape of the array that it becomes; of lists their length; nothing for a single value.
    fn shape(&self) -> Vec<u64> {
        Vec::new()
    }
}

/// A value of a table that is an object in Python.
pub trait PythonValue: Value + ToPython {
    /// The class of the objects, if it shows the type.
    const CLASS: Option<&'static Class> = None;

    /// Whether the object is a value of this type and no other.
    ///
    /// # Errors
    /// If the package is damaged.
    fn is_class(object: &Bound<'_, PyAny>) -> PyResult<bool> {
        Self::CLASS.map_or(Ok(false), |class| class.has(object))
    }

    /// The value that an object is.
    ///
    /// # Errors
    /// `TypeError` if it is of another type, `OverflowError` beyond int32, `ValueError` if the value makes no sense.
    fn from_python(object: &Bound<'_, PyAny>) -> PyResult<Self>;

    /// The value with numbers of this precision.
    fn with_precision(self, _: Option<Precision>) -> AnyValue {
        AnyValue::of(self)
    }

    /// About how many bytes it takes in memory.
    fn size(&self) -> usize {
        1 << 10
    }
}

impl Row {
    const fn of<T: PythonValue>(annotation: &'static str) -> Self {
        Self {
            read: |raw, dtype| Ok(raw.parse::<T>()?.with_precision(dtype)),
            take: |object, _| Ok(Taken::Value(Box::new(T::from_python(object)?))),
            is_class: T::is_class,
            annotation,
        }
    }

    /// Values that are known only as bytes.
    pub const BYTES: Self = Self {
        read: |raw, _| Ok(AnyValue::of(raw.bytes()?.into_owned())),
        take: |_, _| Err(wrong_value("values of the type unknown are not made of objects")),
        is_class: |_| Ok(false),
        annotation: "bytes",
    };

    /// A matrix or a vector.
    const fn of_array(
        read: fn(&RawEntry, Option<Precision>) -> Result<AnyValue>,
        take: fn(&Bound<'_, PyAny>, bool) -> PyResult<Taken>,
    ) -> Self {
        Self { read, take, annotation: "NDArray[np.floating[Any]]", ..Self::BYTES }
    }
}

/// The row of a type.
pub fn row(value_type: ValueType) -> &'static Row {
    match value_type {
        ValueType::Matrix => {
            const { &Row::of_array(|raw, dtype| read_array(raw, ValueType::Matrix, dtype), take_matrix) }
        }
        ValueType::Vector => {
            const { &Row::of_array(|raw, dtype| read_array(raw, ValueType::Vector, dtype), take_vector) }
        }
        ValueType::Wave => const { &Row::of::<Wave>("Wave") },
        ValueType::Int32 => const { &Row::of::<i32>("int") },
        ValueType::Float => const { &Row::of::<f32>("float") },
        ValueType::Double => const { &Row::of::<f64>("float") },
        ValueType::Bool => const { &Row::of::<bool>("bool") },
        ValueType::Int32Vector => const { &Row::of::<Vec<i32>>("NDArray[np.int32]") },
        ValueType::Int32Matrix => const { &Row::of::<IntMatrix>("NDArray[np.int32]") },
        ValueType::Int32VectorVector => const { &Row::of::<Vec<Vec<i32>>>("list[NDArray[np.int32]]") },
        ValueType::Int32Pairs => const { &Row::of::<Vec<(i32, i32)>>("NDArray[np.int32]") },
        ValueType::FloatPairs => const { &Row::of::<Vec<(f32, f32)>>("NDArray[np.float32]") },
        ValueType::Posterior => const { &Row::of::<Posterior>("Posterior") },
        ValueType::GaussPost => const { &Row::of::<GaussPost>("list[list[tuple[int, NDArray[np.float32]]]]") },
        ValueType::Token => const { &Row::of::<Token>("str") },
        ValueType::TokenVector => const { &Row::of::<Tokens>("list[str]") },
        ValueType::Htk => {
            const { &Row::of_array(|raw, dtype| Ok(converted(raw.parse::<HtkFeatures>()?.into_feats(), dtype)), take_matrix) }
        }
        ValueType::Sphinx => {
            const {
                &Row::of_array(
                    |raw, dtype| Ok(converted(raw.parse::<SphinxFeatures>()?.into_feats(), dtype)),
                    take_matrix,
                )
            }
        }
        ValueType::Nnet3Example => const { &Row::of::<NnetExample>("Example") },
        ValueType::Nnet3ChainExample => const { &Row::of::<NnetChainExample>("ChainExample") },
        ValueType::Lattice => const { &Row::of::<Lattice>("Lattice") },
        ValueType::CompactLattice => const { &Row::of::<CompactLattice>("Lattice") },
        ValueType::Fst => const { &Row::of::<Fst>("Lattice") },
        ValueType::Unknown => const { &Row::BYTES },
    }
}

/// The names of the types, and the types of their objects: what `python/stubs.py` makes `_open.pyi` of.
#[pyfunction]
fn value_annotations() -> Vec<(&'static str, &'static str)> {
    ValueType::NAMES.iter().map(|&(name, value_type)| (name, row(value_type).annotation)).collect()
}

/// Adds the function.
///
/// # Errors
/// If the module refuses.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(value_annotations, module)?)
}
