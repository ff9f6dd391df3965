//! The type of a value of Python, found by looking at it.

use kaldi_any::ValueType;
use numpy::{PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyFloat, PyInt, PyList, PyString, PyTuple};

use crate::errors::{wrong_type, wrong_value};

use super::arrays;
use crate::values::class::SPARSE_MATRIX;
use crate::values::row;

/// The type of the values of a table that is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// Values of a type.
    Value(ValueType),
    /// Bytes that are written as they are.
    Bytes,
}

impl Kind {
    /// The name, a word such as `int32-vector`.
    pub fn name(self) -> &'static str {
        match self {
            Self::Value(value_type) => value_type.name(),
            Self::Bytes => "bytes",
        }
    }

    /// The type of this name, or the class `bytes`.
    ///
    /// # Errors
    /// If there is no such type, or it is for reading only.
    pub fn parse(name: &Bound<'_, PyAny>) -> PyResult<Self> {
        if name.is(name.py().get_type::<PyBytes>()) {
            return Ok(Self::Bytes);
        }
        let name: String = name.extract().map_err(|_| wrong_type("expected type to be a str or bytes"))?;
        match name.parse() {
            _ if name == "bytes" => Ok(Self::Bytes),
            Ok(ValueType::Htk | ValueType::Sphinx) => {
                Err(wrong_value(format!("values of the type {name} are only read; write type=\"matrix\"")))
            }
            Ok(value_type) => Ok(Self::Value(value_type)),
            Err(error) => Err(wrong_value(format!("unknown type {name:?}: {error}, or bytes"))),
        }
    }
}

impl From<ValueType> for Kind {
    fn from(value_type: ValueType) -> Self {
        Self::Value(value_type)
    }
}

/// The items of a list, a tuple or another sequence. `None` if it is none.
///
/// # Errors
/// Those of the sequence.
pub fn items<'py>(value: &Bound<'py, PyAny>) -> PyResult<Option<Vec<Bound<'py, PyAny>>>> {
    if let Ok(list) = value.cast::<PyList>() {
        return Ok(Some(list.iter().collect()));
    }
    if let Ok(tuple) = value.cast::<PyTuple>() {
        return Ok(Some(tuple.iter().collect()));
    }
    let is_text = value.is_instance_of::<PyString>() || value.is_instance_of::<PyBytes>();
    if is_text || !value.hasattr("__len__")? || !value.hasattr("__getitem__")? || value.hasattr("keys")? {
        return Ok(None);
    }
    value.try_iter()?.collect::<PyResult<_>>().map(Some)
}

/// The type of the value. `None` for empty lists, which may be of several types.
///
/// # Errors
/// `TypeError` if it is of no type.
pub fn look(value: &Bound<'_, PyAny>) -> PyResult<Option<Kind>> {
    let found = if value.cast::<PyUntypedArray>().is_ok()
        && let Some(array) = arrays::find(value)?
    {
        return of_array(&array);
    } else if value.is_instance_of::<PyBool>() {
        ValueType::Bool
    } else if value.is_instance_of::<PyInt>() {
        ValueType::Int32
    } else if value.is_instance_of::<PyFloat>() {
        ValueType::Float
    } else if value.is_instance_of::<PyString>() {
        ValueType::Token
    } else if value.is_instance_of::<PyBytes>() {
        return Ok(Some(Kind::Bytes));
    } else if SPARSE_MATRIX.has(value)? {
        ValueType::Matrix
    } else if let Some(found) = of_class(value)? {
        found
    } else if let Some(array) = arrays::find(value)? {
        return of_array(&array);
    } else if let Some(items) = items(value)? {
        return of_list(&items).map(|found| found.map(Kind::from));
    } else {
        return Err(no_type(value));
    };
    Ok(Some(found.into()))
}

/// The type that the class of the value shows.
fn of_class(value: &Bound<'_, PyAny>) -> PyResult<Option<ValueType>> {
    for &value_type in ValueType::ALL {
        if (row(value_type).is_class)(value)? {
            return Ok(Some(value_type));
        }
    }
    Ok(None)
}

fn no_type(value: &Bound<'_, PyAny>) -> PyErr {
    wrong_type(format!("no type of values is written from {}", arrays::describe(value)))
}

/// Whether the value is a pair of a sampling rate and an array.
///
/// # Errors
/// Those of the array.
pub fn is_sound(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    let Ok(pair) = value.cast::<PyTuple>() else { return Ok(false) };
    if pair.len() != 2 || number(&pair.get_item(0)?)?.is_none() {
        return Ok(false);
    }
    let array = arrays::find(&pair.get_item(1)?)?;
    Ok(array.is_some_and(|array| array.ndim() > 0))
}

fn of_array(array: &Bound<'_, PyUntypedArray>) -> PyResult<Option<Kind>> {
    let found = match (array.ndim(), arrays::kind(array)) {
        (0, _) => return look(&array.call_method0("item")?),
        (2, b'f') => ValueType::Matrix,
        (1, b'f') => ValueType::Vector,
        (1, b'i' | b'u') => ValueType::Int32Vector,
        (2, b'i' | b'u') => ValueType::Int32Matrix,
        (1, b'U') => ValueType::TokenVector,
        (1 | 2, b'b') => {
            let message = format!(
                "matrices and vectors are written from real numbers, got {}; convert it: array.astype(\"float32\")",
                arrays::describe(array)
            );
            return Err(wrong_type(message));
        }
        _ => return Err(no_type(array)),
    };
    Ok(Some(found.into()))
}

/// What a number is.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Number {
    Whole,
    Real,
}

/// What the number is; `None` if it is none.
fn number(item: &Bound<'_, PyAny>) -> PyResult<Option<Number>> {
    if item.is_instance_of::<PyBool>() {
        return Ok(None);
    }
    if item.is_instance_of::<PyInt>() {
        return Ok(Some(Number::Whole));
    }
    if item.is_instance_of::<PyFloat>() {
        return Ok(Some(Number::Real));
    }
    if item.is_instance_of::<PyString>() || item.is_instance_of::<PyTuple>() || item.is_instance_of::<PyList>() {
        return Ok(None);
    }
    Ok(match arrays::find(item)?.filter(|array| array.ndim() == 0).map(|array| arrays::kind(&array)) {
        Some(b'i' | b'u') => Some(Number::Whole),
        Some(b'f') => Some(Number::Real),
        _ => None,
    })
}

/// Whether any item is a real number.
fn any_real(items: &[Bound<'_, PyAny>]) -> PyResult<bool> {
    for item in items {
        if number(item)? == Some(Number::Real) {
            return Ok(true);
        }
    }
    Ok(false)
}

fn of_list(list: &[Bound<'_, PyAny>]) -> PyResult<Option<ValueType>> {
    let Some(first) = list.first() else { return Ok(None) };
    if first.is_instance_of::<PyString>() {
        return Ok(Some(ValueType::TokenVector));
    }
    if number(first)?.is_some() {
        return Ok(Some(if any_real(list)? { ValueType::Vector } else { ValueType::Int32Vector }));
    }
    if first.is_instance_of::<PyTuple>() {
        return of_pairs(list).map(Some);
    }
    let mut found = None;
    for item in list {
        match of_inner(item)? {
            None | Some(ValueType::Int32VectorVector) if found.is_some() => {}
            // A row of real numbers after rows of whole ones.
            Some(ValueType::Matrix) => return Ok(Some(ValueType::Matrix)),
            Some(inner @ ValueType::Int32VectorVector) => found = Some(inner),
            inner @ Some(_) => return Ok(inner),
            None => {}
        }
    }
    Ok(found)
}

/// The type of a list of tuples.
fn of_pairs(list: &[Bound<'_, PyAny>]) -> PyResult<ValueType> {
    let mut found = ValueType::Int32Pairs;
    for item in list {
        if any_real(&items(item)?.unwrap_or_default())? {
            found = ValueType::FloatPairs;
        }
    }
    Ok(found)
}

/// The type of a list that has this list or array as an item; `None` if that can be several.
fn of_inner(item: &Bound<'_, PyAny>) -> PyResult<Option<ValueType>> {
    if let Some(array) = arrays::find(item)? {
        return match (array.ndim(), arrays::kind(&array)) {
            (1, _) if array.len() == 0 => Ok(None),
            (1, b'i' | b'u') => Ok(Some(ValueType::Int32VectorVector)),
            (1, b'f') => Ok(Some(ValueType::Matrix)),
            _ => Err(no_type(item)),
        };
    }
    let Some(inner) = items(item)? else { return Err(no_type(item)) };
    let Some(first) = inner.first() else { return Ok(None) };
    if number(first)?.is_some() {
        let is_real = any_real(&inner)?;
        return Ok(Some(if is_real { ValueType::Matrix } else { ValueType::Int32VectorVector }));
    }
    let pair = if first.is_instance_of::<PyString>() { None } else { items(first)? };
    match pair.as_deref() {
        Some([_, weight]) if number(weight)?.is_some() => Ok(Some(ValueType::Posterior)),
        Some([_, _]) => Ok(Some(ValueType::GaussPost)),
        _ => Err(no_type(first)),
    }
}
