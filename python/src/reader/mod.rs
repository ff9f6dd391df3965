//! Tables in sequence: the iterators of `kaldi_tables.Reader`.

mod file_object;
mod maps;
mod shards;
mod stream;

use std::collections::VecDeque;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bstr::BString;
use kaldi_io::sync::Mutex;
use kaldi_reader::Share;
use pyo3::exceptions::PyStopIteration;
use pyo3::prelude::*;
use pyo3::types::PyTuple;

pub use maps::Maps;
use stream::Stream;

pub use stream::shape;

use crate::errors::{Class, Failure, Result, wrong_value};
use crate::interrupt::{self, guarded, lock, without_interpreter};
use crate::names;
use crate::values::{AnyValue, Precision, Wanted};

/// An entry that was read: its key and its value, or the shape of it.
#[derive(Debug)]
pub enum Item {
    /// The value.
    Value(AnyValue),
    /// Its shape.
    Shape(Vec<u64>),
    /// Nothing: only keys are wanted.
    Key,
}

/// What an iterator delivers with each key.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delivers {
    /// The value.
    Values,
    /// The shape of the value; payloads are not read.
    Shapes,
    /// The key alone.
    Keys,
}

impl Delivers {
    fn parse(name: &str) -> PyResult<Self> {
        match name {
            "values" => Ok(Self::Values),
            "shapes" => Ok(Self::Shapes),
            "keys" => Ok(Self::Keys),
            _ => Err(wrong_value(format!("expected values, shapes or keys, got {name:?}"))),
        }
    }
}

/// The state of an iterator.
#[derive(Debug)]
struct State {
    /// `None` after the end.
    stream: Option<Stream>,
    /// Entries that were read ahead, and the failure after them.
    ready: VecDeque<(BString, Item)>,
    failure: Option<Failure>,
    is_closed: bool,
}

/// An iterator over the entries of a table.
#[pyclass(module = "kaldi_tables._core", frozen, weakref)]
pub struct TableIterator {
    state: Mutex<State>,
    maps: Option<Mutex<Maps>>,
    /// Set when it is closed: another thread may wait for a silent command.
    stop: Arc<AtomicBool>,
    /// The process that opened it.
    owner: u32,
}

#[pymethods]
impl TableIterator {
    /// Opens a table: a name as bytes or an object with `read`.
    #[new]
    #[allow(clippy::too_many_arguments, reason = "they are the arguments of Python")]
    #[pyo3(signature = (source, value_type=None, *, dtype=None, mmap=false, permissive=false, delivers="values", has_keys=true, share=(0, 1, 0, 1), threads=1))]
    fn new(
        py: Python<'_>,
        source: &Bound<'_, PyAny>,
        value_type: Option<&str>,
        dtype: Option<&Bound<'_, PyAny>>,
        mmap: bool,
        permissive: bool,
        delivers: &str,
        has_keys: bool,
        share: (u64, u64, u64, u64),
        threads: usize,
    ) -> PyResult<Self> {
        let (wanted, dtype) = (Wanted::parse(value_type)?, Precision::parse(dtype)?);
        let delivers = Delivers::parse(delivers)?;
        let (rank, world_size, worker, num_workers) = share;
        let share = Share::new(rank, world_size, worker, num_workers);
        let share = share.map_err(|error| wrong_value(error.to_string()))?;
        let options = stream::Options { wanted, dtype, permissive, delivers, has_keys, share, threads };
        let stream = match names::of_source(source)? {
            Some(source) => without_interpreter(py, move || Stream::open(&source.name, options))?,
            None => Stream::of_object(source, options)?,
        };
        let state = State { stream: Some(stream), ready: VecDeque::new(), failure: None, is_closed: false };
        let maps = (mmap && delivers == Delivers::Values).then(Mutex::default);
        Ok(Self { state: Mutex::new(state), maps, stop: Arc::default(), owner: std::process::id() })
    }

    fn __iter__(slf: Bound<'_, Self>) -> Bound<'_, Self> {
        slf
    }

    fn __next__<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        guarded(|| match self.read_next(py)? {
            Some((key, item)) => self.deliver(py, &key, item),
            None => Err(PyStopIteration::new_err(())),
        })
    }

    /// Delivers something else: `values`, `shapes` or `keys`, before the first entry was read.
    fn deliver_instead(&self, what: &str) -> PyResult<()> {
        let delivers = Delivers::parse(what)?;
        if let Some(mut state) = self.state.try_lock()
            && let Some(stream) = &mut state.stream
        {
            stream.deliver(delivers);
        }
        Ok(())
    }

    /// The next entries, up to `count`.
    fn read_many<'py>(&self, py: Python<'py>, count: usize) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let mut entries = Vec::new();
        while entries.len() < count
            && let Some((key, item)) = self.read_next(py)?
        {
            entries.push(self.deliver(py, &key, item)?);
        }
        Ok(entries)
    }

    /// The name of the type of the values; `None` if they are bytes or nothing was found.
    #[getter]
    fn value_type(&self, py: Python<'_>) -> PyResult<Option<&'static str>> {
        let state = &self.state;
        without_interpreter(py, move || {
            let mut state = lock(state)?;
            Ok(state.stream.as_mut().and_then(Stream::value_type).map(kaldi_any::ValueType::name))
        })
    }

    /// Ends the iteration, and the command of the table.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        let (state, is_ours) = (&self.state, self.owner == std::process::id());
        self.stop.store(true, Ordering::Relaxed);
        without_interpreter(py, move || {
            let mut state = match (state.try_lock(), is_ours) {
                (Some(state), _) => state,
                (None, false) => return Ok(()),
                (None, true) => lock(state)?,
            };
            state.is_closed = true;
            state.ready.clear();
            state.failure = None;
            state.stream = None;
            Ok(())
        })
    }
}

/// Parent and child would take bytes away from each other.
fn of_parent() -> Failure {
    Failure::new(Class::Error, "this iterator belongs to the parent process: iterate over the reader again")
}

impl TableIterator {
    fn read_next(&self, py: Python<'_>) -> PyResult<Option<(BString, Item)>> {
        if let Some(mut state) = self.state.try_lock()
            && let Some(entry) = state.ready.pop_front()
        {
            return Ok(Some(entry));
        }
        let (state, stop, is_ours) = (&self.state, &self.stop, self.owner == std::process::id());
        without_interpreter(py, move || {
            let mut state = match (state.try_lock(), is_ours) {
                (Some(state), _) => state,
                (None, true) => lock(state)?,
                (None, false) => return Err(of_parent()),
            };
            if state.is_closed {
                return Err(Failure::closed("reader"));
            }
            if !is_ours {
                return Err(of_parent());
            }
            match interrupt::until(stop, || state.read()) {
                Err(_) if stop.load(Ordering::Relaxed) => Err(Failure::closed("reader")),
                read => read,
            }
        })
    }

    fn deliver<'py>(&self, py: Python<'py>, key: &[u8], item: Item) -> PyResult<Bound<'py, PyAny>> {
        let key = names::to_str(py, key)?;
        let value = match item {
            Item::Key => return Ok(key.into_any()),
            Item::Shape(shape) => PyTuple::new(py, shape)?.into_any(),
            Item::Value(value) => self.convert(py, value)?,
        };
        Ok(PyTuple::new(py, [key.into_any(), value])?.into_any())
    }

    fn convert<'py>(&self, py: Python<'py>, value: AnyValue) -> PyResult<Bound<'py, PyAny>> {
        match (&self.maps, value) {
            (Some(maps), AnyValue::Dense(dense)) => Maps::view(maps, py, dense),
            (_, value) => value.into_python(py),
        }
    }
}

impl State {
    /// Reads entries that come together. Those before a failure come first.
    fn read(&mut self) -> Result<Option<(BString, Item)>> {
        loop {
            if let Some(entry) = self.ready.pop_front() {
                return Ok(Some(entry));
            }
            if let Some(failure) = self.failure.take() {
                self.stream = None;
                return Err(failure);
            }
            let Some(stream) = &mut self.stream else { return Ok(None) };
            match stream.read(&mut self.ready) {
                Ok(true) => {}
                Ok(false) => self.stream = None,
                Err(failure) => self.failure = Some(failure),
            }
        }
    }
}

/// Whether a table is standard input, which can be read once only.
#[pyfunction]
fn is_stdin(source: &Bound<'_, PyAny>) -> PyResult<bool> {
    Ok(names::of_source(source)?.is_some_and(|source| names::is_stdin(source.name.as_ref())))
}

/// The number of lines of a script file.
#[pyfunction]
fn script_length(py: Python<'_>, source: &Bound<'_, PyAny>) -> PyResult<usize> {
    let name = names::of_source(source)?.map(|source| source.name).unwrap_or_default();
    without_interpreter(py, move || stream::script_length(&name))
}

/// Adds the class to the module.
///
/// # Errors
/// If there is no memory for it.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(is_stdin, module)?)?;
    module.add_function(wrap_pyfunction!(script_length, module)?)?;
    module.add_class::<TableIterator>()
}
