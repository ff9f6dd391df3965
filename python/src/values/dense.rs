//! Dense matrices and vectors whose numbers go from the file to the array without a detour.

use std::borrow::Cow;
use std::fs::{File, OpenOptions};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::sync::Arc;

use kaldi_any::ValueType;
use kaldi_table::RawEntry;
use numpy::{Element, PyArray1, PyArray2, PyArrayMethods, PyUntypedArray};
use pyo3::prelude::*;

use crate::errors::{Failure, Result, wrong_value};
use crate::interrupt::without_interpreter;

/// Bytes that are copied without giving the interpreter away.
pub const SHORT: usize = 1 << 16;

/// The precision of numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Precision {
    /// `float32`
    Single,
    /// `float64`
    Double,
}

impl Precision {
    /// Parses the argument `dtype`: a name or whatever `numpy.dtype` takes.
    ///
    /// # Errors
    /// `ValueError` if it is neither of the two.
    pub fn parse(dtype: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Self>> {
        let Some(dtype) = dtype.filter(|dtype| !dtype.is_none()) else { return Ok(None) };
        let name: String = match dtype.extract() {
            Ok(name) => name,
            Err(_) => dtype.py().import("numpy")?.call_method1("dtype", (dtype,))?.getattr("name")?.extract()?,
        };
        match name.as_str() {
            "float32" => Ok(Some(Self::Single)),
            "float64" => Ok(Some(Self::Double)),
            _ => Err(wrong_value(format!("expected float32 or float64 as dtype, got {name:?}"))),
        }
    }

    fn width(self) -> usize {
        match self {
            Self::Single => 4,
            Self::Double => 8,
        }
    }
}

/// A dense matrix or vector in binary form.
#[derive(Debug)]
pub struct Dense {
    raw: RawEntry,
    precision: Precision,
    rows: Option<usize>,
    columns: usize,
    /// Bytes before the numbers.
    header: usize,
}

impl Dense {
    /// Looks at the header of a value. `None` if it is something else, a part, empty or doubtful.
    pub fn of(raw: &RawEntry, value_type: ValueType) -> Option<Self> {
        let head = raw.head();
        let precision = match (raw.range(), head.get(..5)?) {
            (None, [0, b'B', b'F', _, b' ']) => Precision::Single,
            (None, [0, b'B', b'D', _, b' ']) => Precision::Double,
            _ => return None,
        };
        let number = |at: usize| match head.get(at..at + 5)? {
            &[4, a, b, c, d] => usize::try_from(i32::from_le_bytes([a, b, c, d])).ok().filter(|&number| number > 0),
            _ => None,
        };
        let (rows, columns, header) = match (value_type, head[3]) {
            (ValueType::Matrix, b'M') => (Some(number(5)?), number(10)?, 15),
            (ValueType::Vector, b'V') => (None, number(5)?, 10),
            _ => return None,
        };
        let payload = rows.unwrap_or(1).checked_mul(columns)?.checked_mul(precision.width())?;
        let is_all = payload.checked_add(header)? as u64 == raw.size();
        let is_there = raw.is_whole() || raw.blob().file().is_some();
        (is_all && is_there && cfg!(target_endian = "little")).then(|| Self {
            raw: raw.clone(),
            precision,
            rows,
            columns,
            header,
        })
    }

    /// The precision of the numbers.
    pub fn precision(&self) -> Precision {
        self.precision
    }

    /// The shape of the array.
    pub fn shape(&self) -> Vec<u64> {
        self.rows.into_iter().chain([self.columns]).map(|size| size as u64).collect()
    }

    fn payload(&self) -> usize {
        self.rows.unwrap_or(1) * self.columns * self.precision.width()
    }

    /// Fills `target`, of the size of the numbers, with them.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn fill(&self, target: &mut [u8]) -> Result<()> {
        let blob = self.raw.blob();
        if blob.is_whole() {
            target.copy_from_slice(&blob.head()[self.header..]);
            return Ok(());
        }
        // The first ones are in memory.
        let there = blob.head().get(self.header..).unwrap_or_default();
        let there = &there[..there.len().min(target.len())];
        target[..there.len()].copy_from_slice(there);
        let Some(file) = blob.file() else {
            target.copy_from_slice(&blob.load()?[self.header..]);
            return Ok(());
        };
        let at = (self.header + there.len()) as u64;
        let read = file.read_exact_at(&mut target[there.len()..], blob.offset() + at);
        read.map_err(|source| {
            let (name, offset) = (blob.name().to_string(), blob.offset() + at);
            Failure::from(kaldi_io::Error::Read { name, offset, source }).at_key(self.raw.key())
        })
    }

    /// The file of the numbers and where they start in it.
    pub fn place(&self) -> Option<(Cow<'_, Arc<File>>, u64)> {
        let blob = self.raw.blob();
        let file = match blob.file() {
            Some(file) => Cow::Borrowed(file),
            None => Cow::Owned(Arc::new(self.file_of_short()?)),
        };
        Some((file, self.raw.offset() + self.header as u64))
    }

    /// The file of a short value, which was read into memory with others: if it has the same header at the same place.
    fn file_of_short(&self) -> Option<File> {
        let (head, mut there) = (self.raw.head().get(..self.header)?, [0; 15]);
        let there = there.get_mut(..self.header)?;
        let file = OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK).open(&**self.raw.file()).ok()?;
        file.read_exact_at(there, self.raw.offset()).ok()?;
        (there == head && file.metadata().ok()?.is_file()).then_some(file)
    }

    /// An array of the right shape whose numbers are not set yet, and its memory.
    ///
    /// # Errors
    /// If there is no memory for it.
    pub fn make_array<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyUntypedArray>, &'py mut [u8])> {
        match self.precision {
            Precision::Single => self.make::<f32>(py),
            Precision::Double => self.make::<f64>(py),
        }
    }

    fn make<'py, T: Element + Default>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyUntypedArray>, &'py mut [u8])> {
        let (array, data) = match self.rows {
            Some(rows) => {
                #[allow(unsafe_code)]
                // SAFETY: the elements are numbers, for which any bytes are valid, and all are set before Python sees the array.
                let array = unsafe { PyArray2::<T>::new(py, [rows, self.columns], false) };
                let data = array.data();
                (array.as_untyped().clone(), data)
            }
            None => {
                #[allow(unsafe_code)]
                // SAFETY: as above.
                let array = unsafe { PyArray1::<T>::new(py, [self.columns], false) };
                let data = array.data();
                (array.as_untyped().clone(), data)
            }
        };
        #[allow(unsafe_code)]
        // SAFETY: the new array has this many bytes in one piece, nobody else knows it, and the caller holds it meanwhile.
        let bytes = unsafe { std::slice::from_raw_parts_mut(data.cast::<u8>(), self.payload()) };
        Ok((array, bytes))
    }

    /// The array of the numbers.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn read_array<'py>(&mut self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let (array, bytes) = self.make_array(py)?;
        if self.raw.is_whole() && bytes.len() <= SHORT {
            self.fill(bytes)?;
        } else {
            without_interpreter(py, move || self.fill(bytes))?;
        }
        Ok(array.into_any())
    }

    /// The numbers as a read-only view of `map`, the whole file.
    ///
    /// # Errors
    /// If the file is shorter now.
    pub fn to_view<'py>(&self, map: &Bound<'py, PyAny>, start: u64) -> PyResult<Bound<'py, PyAny>> {
        let py = map.py();
        let dtype = match self.precision {
            Precision::Single => "<f4",
            Precision::Double => "<f8",
        };
        let count = self.rows.unwrap_or(1) * self.columns;
        let array = py.import("numpy")?.call_method1("frombuffer", (map, dtype, count, start))?;
        match self.rows {
            Some(rows) => array.call_method1("reshape", (rows, self.columns)),
            None => Ok(array),
        }
    }
}
