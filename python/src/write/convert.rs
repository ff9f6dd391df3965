//! From a value of Python to one of a given type.

use kaldi_egs::{NnetChainExample, NnetExample};
use kaldi_io::ParseError;
use kaldi_matrix::SparseMatrix;
use kaldi_value::{GaussPost, IntMatrix, Posterior, Token, Tokens, Value};
use kaldi_wave::Wave;
use numpy::PyUntypedArrayMethods;
use pyo3::exceptions::{PyTypeError, PyUserWarning, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyBytes, PyFloat, PyString, PyTuple};

use crate::errors::{out_of_range, wrong_type, wrong_value};

use super::arrays::{self, describe};
use super::examples::{chain_example, example};
use super::looks::{Kind, is_sound, items, look};
use super::taken::Taken;
use crate::names;
use crate::values::class::{CHAIN_EXAMPLE, Class, EXAMPLE, POSTERIOR, SPARSE_MATRIX, WAVE};
use crate::values::{AnyValue, Precision, PythonValue, Sound, ToPython, row};

/// The value, as one of the type. With `is_named`, the type was named by the program, so that whole numbers may become
/// real ones; else it was found by looking, and the value has to look the same.
///
/// # Errors
/// `TypeError` if it is of another type, `OverflowError` beyond int32, `ValueError` if the value makes no sense.
pub fn convert(value: &Bound<'_, PyAny>, kind: Kind, is_named: bool) -> PyResult<Taken> {
    if !is_named
        && let Some(found) = look(value)?
        && found != kind
    {
        let (found, wanted) = (found.name(), kind.name());
        let message =
            format!("expected a value of the type {wanted}, as the first one, got {found}: {}", describe(value));
        return Err(wrong_type(message));
    }
    let Kind::Value(value_type) = kind else {
        let bytes = value.cast::<PyBytes>().map_err(|_| wrong("bytes", value))?;
        return Ok(Taken::Bytes(bytes.as_bytes().to_vec()));
    };
    (row(value_type).take)(value, is_named)
}

/// Values whose objects have no class of their own, and the functions that take them.
macro_rules! taken_by {
    ($($value:ty = $take:expr;)*) => {
        $(impl PythonValue for $value {
            fn from_python(object: &Bound<'_, PyAny>) -> PyResult<Self> {
                let take: fn(&Bound<'_, PyAny>) -> PyResult<Self> = $take;
                take(object)
            }
        })*
    };
}

taken_by! {
    i32 = integer;
    f32 = |object| Ok(real(object)? as f32);
    f64 = real;
    bool = truth;
    Vec<i32> = integers;
    IntMatrix = int_matrix;
    Vec<Vec<i32>> = |lists| each(lists, integers);
    GaussPost = gauss_post;
    Token = |object| Self::new(text(object)?).map_err(|error| no_word(&error));
    Tokens = words;
}

impl<T: PythonValue> PythonValue for Vec<(T, T)>
where
    Self: Value + ToPython,
{
    fn from_python(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        each(object, |pair| {
            let [first, second] = two(pair)?;
            Ok((T::from_python(&first)?, T::from_python(&second)?))
        })
    }
}

impl PythonValue for Posterior {
    const CLASS: Option<&'static Class> = Some(&POSTERIOR);

    fn from_python(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        posterior(object)
    }
}

impl PythonValue for NnetExample {
    const CLASS: Option<&'static Class> = Some(&EXAMPLE);

    fn from_python(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        example(object)
    }
}

impl PythonValue for NnetChainExample {
    const CLASS: Option<&'static Class> = Some(&CHAIN_EXAMPLE);

    fn from_python(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        chain_example(object)
    }
}

impl PythonValue for Wave {
    const CLASS: Option<&'static Class> = Some(&WAVE);

    fn is_class(object: &Bound<'_, PyAny>) -> PyResult<bool> {
        Ok(WAVE.has(object)? || is_sound(object)?)
    }

    fn from_python(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        wave(object)
    }

    fn with_precision(self, precision: Option<Precision>) -> AnyValue {
        AnyValue::of(Sound(self, precision))
    }
}

pub fn wrong(expected: &str, value: &Bound<'_, PyAny>) -> PyErr {
    wrong_type(format!("expected {expected}, got {}", describe(value)))
}

/// What NumPy says about a list that is no array is a wrong type, too.
fn unsuitable(value: &Bound<'_, PyAny>, error: PyErr) -> PyErr {
    let py = value.py();
    match value.is_instance_of::<PyString>() {
        true => wrong("numbers", value),
        false if error.is_instance_of::<PyTypeError>(py) || error.is_instance_of::<PyValueError>(py) => {
            wrong_type(error.value(py).to_string())
        }
        false => error,
    }
}

/// The items of a list or an array, converted.
pub(super) fn each<'py, T>(
    value: &Bound<'py, PyAny>,
    item: impl Fn(&Bound<'py, PyAny>) -> PyResult<T>,
) -> PyResult<Vec<T>> {
    let list = match arrays::find(value)? {
        Some(array) if array.ndim() > 0 => items(&array.call_method0("tolist")?)?,
        _ => items(value)?,
    };
    list.ok_or_else(|| wrong("a list", value))?.iter().map(item).collect()
}

/// The two items of a pair.
fn two<'py>(value: &Bound<'py, PyAny>) -> PyResult<[Bound<'py, PyAny>; 2]> {
    let pair = items(value)?.ok_or_else(|| wrong("a pair", value))?;
    let length = pair.len();
    pair.try_into().map_err(|_| wrong_value(format!("expected a pair, got {length} items")))
}

/// A vector.
///
/// # Errors
/// As [`convert`].
pub fn take_vector(value: &Bound<'_, PyAny>, is_named: bool) -> PyResult<Taken> {
    Ok(Taken::Reals(arrays::reals(value, 1, is_named).map_err(|error| unsuitable(value, error))?))
}

/// A matrix.
///
/// # Errors
/// As [`convert`].
pub fn take_matrix(value: &Bound<'_, PyAny>, is_named: bool) -> PyResult<Taken> {
    if SPARSE_MATRIX.has(value)? {
        return sparse(value).map(Taken::Sparse);
    }
    Ok(Taken::Reals(arrays::reals(value, 2, is_named).map_err(|error| unsuitable(value, error))?))
}

/// Rows of integers, as many in each.
fn int_matrix(value: &Bound<'_, PyAny>) -> PyResult<IntMatrix> {
    if let Some(array) = arrays::find(value)?
        && let [rows, columns] = *array.shape()
    {
        return Ok(IntMatrix::from_vec(rows, columns, arrays::integers(&array)?));
    }
    let rows = each(value, integers)?;
    IntMatrix::from_rows(&rows).map_err(|error| wrong_value(error.to_string()))
}

fn sparse(value: &Bound<'_, PyAny>) -> PyResult<SparseMatrix<f32>> {
    let (_, columns): (usize, usize) = value.getattr("shape")?.extract()?;
    if i32::try_from(columns).is_err() {
        return Err(wrong_value(format!("{columns} columns are beyond int32")));
    }
    let offsets: Vec<usize> = value.getattr("offsets")?.call_method0("tolist")?.extract()?;
    let indices = integers(&value.getattr("indices")?)?;
    let data = arrays::reals(&value.getattr("data")?, 1, true)?.to_f32();
    let elements: Vec<(i32, f32)> = indices.into_iter().zip(data).collect();
    let mut matrix = SparseMatrix::new(columns);
    for row in offsets.windows(2) {
        let row = elements.get(row[0]..row[1]).ok_or_else(|| wrong_value("offsets beyond the elements"))?;
        matrix.push_row(row).map_err(|error| wrong_value(error.to_string()))?;
    }
    Ok(matrix)
}

fn posterior(value: &Bound<'_, PyAny>) -> PyResult<Posterior> {
    if POSTERIOR.has(value)? {
        let offsets: Vec<usize> = value.getattr("offsets")?.call_method0("tolist")?.extract()?;
        let ids = integers(&value.getattr("ids")?)?;
        let weights = arrays::reals(&value.getattr("weights")?, 1, true)?.to_f32();
        let pairs: Vec<(i32, f32)> = ids.into_iter().zip(weights).collect();
        let frame = |ends: &[usize]| pairs.get(ends[0]..ends[1]).map(<[_]>::to_vec);
        let frames: Option<_> = offsets.windows(2).map(frame).collect();
        return Ok(Posterior(frames.ok_or_else(|| wrong_value("offsets beyond the pairs"))?));
    }
    let pair = |pair: &Bound<'_, PyAny>| {
        let [index, weight] = two(pair)?;
        Ok((integer(&index)?, real(&weight)? as f32))
    };
    each(value, |frame| each(frame, pair)).map(Posterior)
}

fn gauss_post(value: &Bound<'_, PyAny>) -> PyResult<GaussPost> {
    let pair = |pair: &Bound<'_, PyAny>| {
        let [index, weights] = two(pair)?;
        Ok((integer(&index)?, arrays::reals(&weights, 1, true)?.to_f32()))
    };
    each(value, |frame| each(frame, pair)).map(GaussPost)
}

fn integer(value: &Bound<'_, PyAny>) -> PyResult<i32> {
    if value.is_instance_of::<PyBool>() || value.is_instance_of::<PyFloat>() {
        return Err(wrong("an integer", value));
    }
    if let Ok(number) = value.extract::<i32>() {
        return Ok(number);
    }
    let number = match arrays::find(value)? {
        Some(array) if array.ndim() == 0 => array.call_method0("item")?,
        _ => value.clone(),
    };
    match number.extract::<i32>() {
        Err(error) if error.is_instance_of::<PyTypeError>(value.py()) => Err(wrong("an integer", value)),
        Err(_) => Err(out_of_range(format!("{number} is beyond int32"))),
        number => number,
    }
}

fn real(value: &Bound<'_, PyAny>) -> PyResult<f64> {
    if value.is_instance_of::<PyBool>() || value.is_instance_of::<PyString>() {
        return Err(wrong("a number", value));
    }
    value.extract().map_err(|_| wrong("a number", value))
}

fn truth(value: &Bound<'_, PyAny>) -> PyResult<bool> {
    let value = match arrays::find(value)? {
        Some(array) if array.ndim() == 0 => array.call_method0("item")?,
        _ => value.clone(),
    };
    Ok(value.cast::<PyBool>().map_err(|_| wrong("True or False", &value))?.is_true())
}

pub(super) fn integers(value: &Bound<'_, PyAny>) -> PyResult<Vec<i32>> {
    if let Some(array) = arrays::find(value)? {
        if array.len() == 0 {
            return Ok(Vec::new());
        }
        return match array.ndim() {
            1 => arrays::integers(&array),
            _ => Err(wrong("integers in one dimension", value)),
        };
    }
    let list = items(value)?.ok_or_else(|| wrong("integers", value))?;
    list.iter().map(integer).collect()
}

pub(super) fn text(value: &Bound<'_, PyAny>) -> PyResult<bstr::BString> {
    names::from_str(value.cast::<PyString>().map_err(|_| wrong("a str", value))?)
}

fn no_word(error: &ParseError) -> PyErr {
    wrong_value(format!("{error}; several words are a list: text.split()"))
}

fn words(value: &Bound<'_, PyAny>) -> PyResult<Tokens> {
    let words = each(value, text)?;
    Tokens::new(words).map_err(|error| wrong_value(error.to_string()))
}

/// Sound of more channels, and of fewer samples than channels, is the wrong way round.
const MOST_CHANNELS: usize = 256;

fn wave(value: &Bound<'_, PyAny>) -> PyResult<Wave> {
    let pair = value.cast::<PyTuple>().ok().filter(|pair| pair.len() == 2);
    let pair = pair.ok_or_else(|| wrong("(rate, array)", value))?;
    let (rate, samples) = (pair.get_item(0)?, pair.get_item(1)?);
    let Ok(rate) = real(&rate) else {
        return Err(wrong_type("expected (rate, array): the sampling rate in Hz comes first"));
    };
    if !(rate >= 1.0 && rate <= f64::from(u32::MAX)) {
        return Err(wrong_value(format!("expected a sampling rate in Hz, got {rate}")));
    }
    let kind = arrays::find(&samples)?.map(|array| arrays::kind(&array));
    if kind == Some(b'b') {
        return Err(wrong("samples", &samples));
    }
    let numbers = match arrays::reals(&samples, 2, true) {
        Ok(numbers) => numbers,
        Err(_) => arrays::reals(&samples, 1, true)?,
    };
    let (all, channels) = (numbers.to_f32(), numbers.rows.map_or(1, |_| numbers.columns));
    if all.is_empty() || channels > 32767 {
        return Err(wrong_value(format!("expected samples of 1 to 32767 channels, got {}", describe(&samples))));
    }
    if numbers.rows.is_some_and(|rows| rows < channels && channels > MOST_CHANNELS) {
        let message = format!("expected samples as (samples, channels), got {}: transpose it", describe(&samples));
        return Err(wrong_value(message));
    }
    let is_whole = matches!(kind, Some(b'i' | b'u'));
    if is_whole && let Some(sample) = all.iter().find(|&&sample| !(-32768.0..=32767.0).contains(&sample)) {
        let message = format!("{sample} is beyond 16 bits, the scale of samples");
        return Err(out_of_range(message));
    }
    if !is_whole && all.iter().all(|sample| sample.abs() <= 1.0) && all.iter().any(|&sample| sample != 0.0) {
        let message =
            c"all samples lie within [-1, 1], but samples are written in 16-bit scale: multiply them by 32768";
        PyErr::warn(value.py(), &value.py().get_type::<PyUserWarning>(), message, 2)?;
    }
    let channel = |at: usize| all.iter().copied().skip(at).step_by(channels).collect();
    Ok(Wave::new(rate as f32, (0..channels).map(channel).collect()))
}
