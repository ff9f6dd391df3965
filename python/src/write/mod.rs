//! Writing of tables: `create`, `Writer`, `save_mat`.

mod arrays;
mod convert;
mod examples;
mod looks;
mod many;
mod sink;
mod taken;
mod target;

use std::collections::HashSet;
use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::sync::{MutexGuard, OnceLock};

use bstr::{BStr, BString};
use kaldi_any::ValueType;
use kaldi_io::Encoded;
use kaldi_io::sync::Mutex;
use kaldi_matrix::CompressionMethod;
use kaldi_table::is_key;
use kaldi_value::Format;
use pyo3::exceptions::PyResourceWarning;
use pyo3::prelude::*;
use pyo3::types::{PyString, PyType};

use crate::errors::{Class, Failure, Result, wrong_type, wrong_value};
use crate::interrupt::{aside, guarded, lock, without_interpreter};
use crate::owned::Owned;
use crate::{log, names};
use looks::{Kind, look};
use sink::Sink;

pub use convert::{take_matrix, take_vector, wrong};
pub use taken::Taken;

/// A table that is being written.
#[pyclass(frozen, module = "kaldi_tables")]
struct Writer {
    /// What it writes to, for messages.
    target: String,
    format: Format,
    kind: OnceLock<Kind>,
    /// Whether the type was given, and not found by looking at the first value.
    is_named: bool,
    compression: Option<CompressionMethod>,
    threads: usize,
    state: Owned<Mutex<State>>,
    /// The hashes of all keys, which find one that comes twice.
    keys: Mutex<HashSet<u64>>,
    hasher: RandomState,
}

/// How far a writer is.
enum State {
    Open(Sink),
    Closed,
    /// Writing failed before, with this message.
    Failed(String),
}

/// A key and a value on their way into the file.
struct Entry {
    key: BString,
    value: Taken,
}

impl Writer {
    fn new(target: String, sink: Sink, kind: Option<Kind>, options: Settings) -> PyResult<Self> {
        let format = sink.format();
        check_compression(kind, options.compression)?;
        let is_named = kind.is_some();
        let kind = kind.map_or_else(OnceLock::new, OnceLock::from);
        let Settings { compression, threads } = options;
        let state = Owned::new(Mutex::new(State::Open(sink)), format!("writer of {target}"));
        let (keys, hasher) = (Mutex::default(), RandomState::new());
        Ok(Self { target, format, kind, is_named, compression, threads, state, keys, hasher })
    }

    /// The state, for one thread at a time. A process that inherited the writer is refused.
    fn state(&self) -> Result<MutexGuard<'_, State>> {
        lock(self.state.get()?)
    }

    /// Refuses a writer that is closed or has failed.
    fn check(&self) -> Result<()> {
        self.state()?.sink().map(drop)
    }

    /// Takes the value, and checks key and type.
    fn take(&self, key: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<Entry> {
        // A process that inherited the writer is refused whatever the value is.
        self.state.get()?;
        let Ok(key) = key.cast::<PyString>() else {
            return Err(wrong_type(format!("expected a str as key, got {}", arrays::describe(key))));
        };
        let key = names::from_str(key)?;
        if !is_key(&key) {
            return Err(Failure::from(kaldi_table::Error::Key { key }).into());
        }
        match self.converted(value) {
            Ok(value) => Ok(Entry { key, value }),
            Err(error) => Err(with_key(value.py(), &key, error)),
        }
    }

    fn converted(&self, value: &Bound<'_, PyAny>) -> PyResult<Taken> {
        let kind = match self.kind.get() {
            Some(kind) => *kind,
            None => look(value)?
                .ok_or_else(|| wrong_type("an empty list may be of several types; pass one: type=\"int32-vector\""))?,
        };
        self.check_kind(kind)?;
        let taken = convert::convert(value, kind, self.is_named)?;
        // Perhaps another thread was first.
        if *self.kind.get_or_init(|| kind) != kind {
            return convert::convert(value, *self.kind.get_or_init(|| kind), false);
        }
        Ok(taken)
    }

    fn check_kind(&self, kind: Kind) -> PyResult<()> {
        check_compression(Some(kind), self.compression)?;
        match (kind, self.format) {
            (Kind::Value(value_type), Format::Text) if !value_type.has_text() => Err(no_text(value_type)),
            _ => Ok(()),
        }
    }

    /// Writes an entry. After a failure of the output, nothing more is written.
    fn put(&self, key: &BStr, value: Encoded) -> Result<()> {
        let mut state = self.state()?;
        let sink = state.sink()?;
        let hash = self.hasher.hash_one(key);
        let mut keys = lock(&self.keys)?;
        if !keys.insert(hash) {
            let message = format!("{}: the key was written before", kaldi_io::quote_name(key));
            return Err(Failure::new(Class::Data, message).at_key(key));
        }
        let written = sink.put(key, value);
        if written.is_err() {
            keys.remove(&hash);
        }
        self.settle(&mut state, written)
    }

    /// Gives the output up if the result is a failure that leaves it in pieces.
    fn settle(&self, state: &mut State, result: Result<()>) -> Result<()> {
        if let Err(failure) = &result
            && !matches!(failure.class(), Class::MissingKey | Class::Data)
        {
            *state = State::Failed(failure.to_string());
        }
        result
    }

    /// Encodes and writes. This releases the interpreter.
    fn write_entry(&self, py: Python<'_>, entry: Entry) -> PyResult<()> {
        let (format, compression) = (self.format, self.compression);
        without_interpreter(py, || {
            let value = entry.value.encode(&entry.key, format, compression)?;
            self.put(entry.key.as_ref(), value)
        })
    }

    /// Takes the output away, if there is one. A process that inherited the writer has nothing to end.
    fn end(&self) -> Option<Sink> {
        match std::mem::replace(&mut *self.state().ok()?, State::Closed) {
            State::Open(sink) => Some(sink),
            State::Closed | State::Failed(_) => None,
        }
    }
}

impl State {
    /// The output, if entries may be written.
    fn sink(&mut self) -> Result<&mut Sink> {
        match self {
            Self::Open(sink) => Ok(sink),
            Self::Closed => Err(Failure::closed("writer")),
            Self::Failed(message) => {
                Err(Failure::new(Class::Error, format!("nothing more is written after an error: {message}")))
            }
        }
    }
}

#[pymethods]
impl Writer {
    fn __setitem__(&self, py: Python<'_>, key: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        self.write(py, key, value)
    }

    /// Writes an entry.
    fn write(&self, py: Python<'_>, key: &Bound<'_, PyAny>, value: &Bound<'_, PyAny>) -> PyResult<()> {
        guarded(|| {
            let entry = self.take(key, value)?;
            self.write_entry(py, entry)
        })
    }

    /// Writes the entries of a mapping, or of pairs of key and value.
    fn write_many(&self, py: Python<'_>, pairs: &Bound<'_, PyAny>) -> PyResult<()> {
        guarded(|| {
            without_interpreter(py, || self.check())?;
            many::write_many(self, py, pairs)
        })
    }

    /// Writes out what is buffered. Files get their names by `close` only.
    fn flush(&self, py: Python<'_>) -> PyResult<()> {
        without_interpreter(py, || {
            let mut state = self.state()?;
            let flushed = state.sink()?.flush();
            self.settle(&mut state, flushed)
        })
    }

    /// Completes the table: its files get their names. A second call does nothing.
    fn close(&self, py: Python<'_>) -> PyResult<()> {
        without_interpreter(py, || {
            let mut state = self.state()?;
            match std::mem::replace(&mut *state, State::Closed) {
                State::Open(sink) => sink.finish(),
                State::Closed => Ok(()),
                mut failed @ State::Failed(_) => failed.sink().map(drop),
            }
        })
    }

    /// Gives up what was written: no file appears, and an old one stays.
    fn discard(&self, py: Python<'_>) {
        aside(py, || drop(self.end()));
    }

    /// Whether the writer was closed.
    #[getter]
    fn closed(&self, py: Python<'_>) -> bool {
        // One of another process cannot be used.
        py.detach(|| self.state().is_ok_and(|state| !matches!(*state, State::Open(_))))
    }

    /// The name of the type of the values; None before the first one.
    #[getter]
    fn r#type(&self) -> Option<&'static str> {
        self.kind.get().map(|kind| kind.name())
    }

    fn __enter__(slf: Bound<'_, Self>) -> PyResult<Bound<'_, Self>> {
        let writer = slf.get();
        slf.py().detach(|| writer.check())?;
        Ok(slf)
    }

    fn __exit__(
        &self,
        py: Python<'_>,
        class: Option<&Bound<'_, PyType>>,
        _value: Option<&Bound<'_, PyAny>>,
        _traceback: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<bool> {
        match class {
            Some(_) => self.discard(py),
            None => self.close(py)?,
        }
        Ok(false)
    }

    fn __reduce__(&self) -> PyResult<()> {
        Err(wrong_type(format!("the writer of {} cannot be pickled", self.target)))
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        let closed = if self.closed(py) { ", closed" } else { "" };
        format!("<Writer of {}{closed}>", self.target)
    }
}

impl Drop for Writer {
    fn drop(&mut self) {
        let Some(sink) = self.end() else { return };
        drop(sink);
        let message = format!("a writer of {} was not closed: what it has written is discarded\0", self.target);
        let Ok(message) = std::ffi::CStr::from_bytes_until_nul(message.as_bytes()) else { return };
        Python::attach(|py| {
            // An exception that is on its way stays.
            let raised = PyErr::take(py);
            if let Err(error) = PyErr::warn(py, &py.get_type::<PyResourceWarning>(), message, 1) {
                error.write_unraisable(py, None);
            }
            if let Some(raised) = raised {
                raised.restore(py);
            }
        });
    }
}

/// Settings of a writer.
struct Settings {
    compression: Option<CompressionMethod>,
    threads: usize,
}

impl Settings {
    fn of(py: Python<'_>, compression: Option<&Bound<'_, PyAny>>, threads: Option<usize>) -> PyResult<Self> {
        let compression = compression.map(target::method).transpose()?;
        let threads = match threads {
            Some(0) => return Err(wrong_value("expected 1 thread or more, got 0")),
            Some(threads) => threads,
            None => py.import("kaldi_tables._threads")?.call_method0("get_num_threads")?.extract()?,
        };
        Ok(Self { compression, threads })
    }
}

/// Only matrices are compressed.
fn check_compression(kind: Option<Kind>, compression: Option<CompressionMethod>) -> PyResult<()> {
    match (kind, compression) {
        (Some(kind), Some(_)) if kind != ValueType::Matrix.into() => {
            Err(wrong_type(format!("only matrices can be compressed, not values of the type {}", kind.name())))
        }
        _ => Ok(()),
    }
}

fn no_text(value_type: ValueType) -> PyErr {
    let message = format!("a {value_type} has no text form (remove the option t)");
    Failure::new(Class::Specifier, message).into()
}

/// The same error with the key before its message, if it is about the value.
fn with_key(py: Python<'_>, key: &[u8], error: PyErr) -> PyErr {
    let class = match error.get_type(py).name().map(|name| name.to_string()).as_deref() {
        Ok("TypeError" | "ArgumentTypeError") => Class::ArgumentType,
        Ok("ValueError" | "ArgumentError") => Class::Argument,
        Ok("OverflowError" | "RangeError") => Class::Range,
        _ => return error,
    };
    let message = format!("{}: {}", kaldi_io::quote_name(key), error.value(py));
    Failure::new(class, message).at_key(key).into()
}

/// Creates a table: a writer of entries. Its files appear at the end of the block, or not at all after an exception.
///
/// >>> import kaldi_tables as kt, numpy as np
/// >>> with kt.create("ark,scp:out.ark,out.scp", compression="speech-feature") as out:
/// ...     out["utt1"] = np.zeros((30, 13), np.float32)
/// >>> kt.shapes("out.scp")
/// {'utt1': (30, 13)}
#[pyfunction]
#[pyo3(signature = (target, r#type=None, *, compression=None, threads=None))]
fn create(
    py: Python<'_>,
    target: &Bound<'_, PyAny>,
    r#type: Option<&Bound<'_, PyAny>>,
    compression: Option<&Bound<'_, PyAny>>,
    threads: Option<usize>,
) -> PyResult<Writer> {
    let kind = r#type.map(Kind::parse).transpose()?;
    let settings = Settings::of(py, compression, threads)?;
    check_compression(kind, settings.compression)?;
    let (shown, sink) = target::open(py, target, kind)?;
    log::deliver(py)?;
    Writer::new(shown, sink, kind, settings)
}

/// Creates a writer at the end of an archive, and perhaps of a script file.
#[pyfunction]
#[pyo3(signature = (archive, script, text, compression=None))]
fn append(
    py: Python<'_>,
    archive: &Bound<'_, PyAny>,
    script: Option<&Bound<'_, PyAny>>,
    text: bool,
    compression: Option<&Bound<'_, PyAny>>,
) -> PyResult<Writer> {
    let settings = Settings::of(py, compression, None)?;
    let (shown, sink) = target::open_to_append(py, archive, script, Format::from_binary(!text))?;
    Writer::new(shown, sink, None, settings)
}

/// Writes one value to a file that is no table.
///
/// >>> import kaldi_tables as kt, numpy as np
/// >>> kt.save_mat("lda.mat", np.eye(2))
/// >>> kt.load_mat("lda.mat").tolist()
/// [[1.0, 0.0], [0.0, 1.0]]
#[pyfunction]
#[pyo3(signature = (wxfilename, value, *, text=false, compression=None))]
fn save_mat(
    py: Python<'_>,
    wxfilename: &Bound<'_, PyAny>,
    value: &Bound<'_, PyAny>,
    text: bool,
    compression: Option<&Bound<'_, PyAny>>,
) -> PyResult<()> {
    let (name, format) = (target::file_name(wxfilename)?, Format::from_binary(!text));
    let compression = compression.map(target::method).transpose()?;
    let found = look(value)?;
    check_compression(found, compression)?;
    let kind = found.ok_or_else(|| wrong_type("an empty list may be of several types; pass an array"))?;
    if let (Kind::Value(value_type), Format::Text) = (kind, format)
        && !value_type.has_text()
    {
        return Err(no_text(value_type));
    }
    let taken = convert::convert(value, kind, false)?;
    without_interpreter(py, || {
        let bytes = taken.encode(b"value", format, compression)?;
        let mut output = kaldi_table::create_output(&name, false)?;
        output.write_encoded(&bytes)?;
        Ok(output.finish()?)
    })
}

/// Adds the functions and the class.
///
/// # Errors
/// If the module refuses.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Writer>()?;
    module.add_function(wrap_pyfunction!(create, module)?)?;
    module.add_function(wrap_pyfunction!(append, module)?)?;
    module.add_function(wrap_pyfunction!(save_mat, module)?)
}
