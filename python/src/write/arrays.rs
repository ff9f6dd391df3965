//! Arrays of NumPy, and what can become one: tensors, data frames, lists of numbers.

use std::borrow::Cow;

use kaldi_matrix::Real;
use numpy::{Element, PyArrayDescrMethods, PyArrayDyn, PyArrayMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::errors::{out_of_range, wrong_type, wrong_value};

use crate::kept::Kept;

/// The numbers of an array, one after the other: in memory that Python owns, which is only read, or a copy.
pub struct ArrayBytes {
    /// Keeps the memory alive.
    owner: Option<Kept>,
    start: *const u8,
    length: usize,
    copy: Vec<u8>,
}

#[allow(unsafe_code)]
// SAFETY: the owner keeps the memory alive, and it is only read; a reference count is changed with the interpreter only.
unsafe impl Send for ArrayBytes {}

#[allow(unsafe_code)]
// SAFETY: as above.
unsafe impl Sync for ArrayBytes {}

impl AsRef<[u8]> for ArrayBytes {
    fn as_ref(&self) -> &[u8] {
        if self.owner.is_none() || self.length == 0 {
            return &self.copy;
        }
        #[allow(unsafe_code)]
        // SAFETY: the array has `length` bytes from `start` on; its owner keeps them.
        unsafe {
            std::slice::from_raw_parts(self.start, self.length)
        }
    }
}

impl ArrayBytes {
    /// Those of an array in C order.
    fn of<T: Element>(array: &Bound<'_, PyArrayDyn<T>>) -> Self {
        let length = array.len() * size_of::<T>();
        let owner = Some(Kept::new(array.clone().into_any().unbind()));
        Self { owner, start: array.data().cast_const().cast(), length, copy: Vec::new() }
    }

    /// Copies the numbers, so that their array may change.
    pub fn own(&mut self) {
        self.copy = self.as_ref().to_vec();
        self.owner = None;
    }

    /// The numbers, which are of single precision; a copy only if they are not aligned.
    pub fn floats(&self) -> Cow<'_, [f32]> {
        #[allow(unsafe_code)]
        // SAFETY: any bytes are a number.
        let (before, floats, after) = unsafe { self.as_ref().align_to::<f32>() };
        match before.is_empty() && after.is_empty() {
            true => Cow::Borrowed(floats),
            false => Cow::Owned(self.to_f32()),
        }
    }

    /// A copy as numbers of single precision.
    pub fn to_f32(&self) -> Vec<f32> {
        self.as_ref().as_chunks::<4>().0.iter().map(|bytes| f32::from_ne_bytes(*bytes)).collect()
    }

    /// A copy as numbers of double precision.
    pub fn to_f64(&self) -> Vec<f64> {
        self.as_ref().as_chunks::<8>().0.iter().map(|bytes| f64::from_ne_bytes(*bytes)).collect()
    }
}

/// Real numbers in one or two dimensions.
pub struct Reals {
    /// The numbers, row after row.
    pub elements: ArrayBytes,
    /// Whether they are of double precision.
    pub is_double: bool,
    /// The number of rows; `None` if there is one dimension only.
    pub rows: Option<usize>,
    /// The number of columns, or of all numbers.
    pub columns: usize,
}

impl Reals {
    /// A copy in single precision.
    pub fn to_f32(&self) -> Vec<f32> {
        self.floats().into_owned()
    }

    /// The numbers in single precision; a copy only if they are of double precision or not aligned.
    pub fn floats(&self) -> Cow<'_, [f32]> {
        match self.is_double {
            true => self.elements.to_f64().into_iter().map(f32::from_f64).collect(),
            false => self.elements.floats(),
        }
    }
}

/// # Errors
/// If some elements of the array are masked: no file has masks, and what is below them is no value.
fn refuse_mask(array: &Bound<'_, PyAny>) -> PyResult<()> {
    if array.is_exact_instance_of::<PyUntypedArray>() || !array.hasattr("mask")? || !array.hasattr("filled")? {
        return Ok(());
    }
    let masked = array.py().import("numpy.ma")?.call_method1("is_masked", (array,))?;
    match masked.is_truthy()? {
        true => Err(wrong_value("some elements are masked: fill them first, for example by array.filled(0)")),
        false => Ok(()),
    }
}

/// The value as an array, if it is one, or an object that offers to become one (`__array__`, `__dlpack__`). Numbers of NumPy
/// are arrays without dimensions. `None` for lists and other objects.
///
/// # Errors
/// If the object refuses.
pub fn find<'py>(value: &Bound<'py, PyAny>) -> PyResult<Option<Bound<'py, PyUntypedArray>>> {
    if let Ok(array) = value.cast::<PyUntypedArray>() {
        refuse_mask(value)?;
        return Ok(Some(array.clone()));
    }
    let has = |name| value.hasattr(name);
    if !has("__array__")? && !has("__dlpack__")? {
        return Ok(None);
    }
    // A tensor that records gradients becomes an array only without them.
    let requires_grad = value.getattr("requires_grad").and_then(|it| it.is_truthy()).unwrap_or(false);
    let value = if requires_grad { value.call_method0("detach")? } else { value.clone() };
    let numpy = value.py().import("numpy")?;
    let array = match value.hasattr("__array__")? {
        true => numpy.call_method1("asarray", (&value,))?,
        false => numpy.call_method1("from_dlpack", (&value,))?,
    };
    Ok(Some(array.cast_into::<PyUntypedArray>()?))
}

/// The kind of the numbers of an array: `f`, `i`, `u`, `b`, `U`, `O`, ... as in NumPy.
pub fn kind(array: &Bound<'_, PyUntypedArray>) -> u8 {
    array.dtype().kind()
}

/// The array, or any sequence of numbers, as an array of this type and in C order. No copy if it is so already.
fn converted<'py, T: Element>(value: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyArrayDyn<T>>> {
    if let Ok(array) = value.cast::<PyArrayDyn<T>>()
        && array.is_c_contiguous()
    {
        return Ok(array.clone());
    }
    let py = value.py();
    let keywords = PyDict::new(py);
    keywords.set_item("dtype", T::get_dtype(py))?;
    keywords.set_item("order", "C")?;
    let array = py.import("numpy")?.call_method("asarray", (value,), Some(&keywords))?;
    Ok(array.cast_into::<PyArrayDyn<T>>()?)
}

/// Real numbers. Whole numbers are converted only if `with_integers` is set; lists are of single precision.
///
/// # Errors
/// If the value is no such array.
pub fn reals(value: &Bound<'_, PyAny>, dimensions: usize, with_integers: bool) -> PyResult<Reals> {
    let array = find(value)?;
    let is_double = match &array {
        Some(array) => {
            let dtype = array.dtype();
            match (dtype.kind(), dtype.itemsize()) {
                (b'f', size) => size > 4,
                (b'i' | b'u' | b'b', _) if with_integers => false,
                _ => return Err(wrong_type(format!("expected real numbers, got {}", describe(value)))),
            }
        }
        None => false,
    };
    let value = array.as_ref().map_or(value, |array| array.as_any());
    let (elements, shape) = match is_double {
        true => {
            let array = converted::<f64>(value)?;
            (ArrayBytes::of(&array), array.shape().to_vec())
        }
        false => {
            let array = converted::<f32>(value)?;
            (ArrayBytes::of(&array), array.shape().to_vec())
        }
    };
    let is_small = |size: usize| i32::try_from(size).is_ok();
    if !shape.iter().all(|&size| is_small(size)) {
        return Err(wrong_value(format!("no size of a value may be beyond int32, got {shape:?}")));
    }
    match shape[..] {
        [columns] if dimensions == 1 => Ok(Reals { elements, is_double, rows: None, columns }),
        [rows, columns] if dimensions == 2 => Ok(Reals { elements, is_double, rows: Some(rows), columns }),
        // An empty list is a matrix without rows.
        [0] => Ok(Reals { elements, is_double, rows: Some(0), columns: 0 }),
        _ => Err(wrong_value(format!("expected {dimensions} dimensions, got an array of the shape {shape:?}"))),
    }
}

/// Whole numbers of an array of one or two dimensions, row after row, and its shape.
///
/// # Errors
/// If the numbers are not whole, or beyond int32.
pub fn integers(array: &Bound<'_, PyUntypedArray>) -> PyResult<Vec<i32>> {
    let beyond = |number: String| out_of_range(format!("{number} is beyond int32"));
    let dtype = array.dtype();
    match (dtype.kind(), dtype.itemsize()) {
        (b'i', 4) => {
            let bytes = ArrayBytes::of(&converted::<i32>(array)?);
            Ok(bytes.as_ref().as_chunks::<4>().0.iter().map(|bytes| i32::from_ne_bytes(*bytes)).collect())
        }
        (b'u', 8) => {
            let bytes = ArrayBytes::of(&converted::<u64>(array)?);
            let numbers = bytes.as_ref().as_chunks::<8>().0.iter().map(|bytes| u64::from_ne_bytes(*bytes));
            numbers.map(|number| i32::try_from(number).map_err(|_| beyond(number.to_string()))).collect()
        }
        (b'i' | b'u' | b'b', _) => {
            let bytes = ArrayBytes::of(&converted::<i64>(array)?);
            let numbers = bytes.as_ref().as_chunks::<8>().0.iter().map(|bytes| i64::from_ne_bytes(*bytes));
            numbers.map(|number| i32::try_from(number).map_err(|_| beyond(number.to_string()))).collect()
        }
        _ => Err(wrong_type(format!("expected integers, got {}", describe(array)))),
    }
}

/// What a value is, for messages: `numpy.ndarray of int64 with shape (3,)`, `list`.
pub fn describe(value: &Bound<'_, PyAny>) -> String {
    let class = value.get_type();
    let name = match (class.module(), class.qualname()) {
        (Ok(module), Ok(name)) if module != "builtins" => format!("{module}.{name}"),
        (_, Ok(name)) => name.to_string(),
        _ => "an object".to_owned(),
    };
    let text = |name: &str| value.getattr(name).ok().and_then(|it| it.str().ok()).map(|text| text.to_string());
    match (text("dtype"), text("shape")) {
        (Some(dtype), Some(shape)) => format!("{name} of {dtype} with shape {shape}"),
        _ => name,
    }
}
