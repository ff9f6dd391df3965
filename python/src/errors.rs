//! Errors of the libraries as exceptions. The classes are in `kaldi_tables/_errors.py`.

use std::fmt;
use std::io;
use std::os::unix::process::ExitStatusExt;

use bstr::BString;
use kaldi_io::Rxfilename;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyType};

use crate::names;

/// A class of exceptions.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Class {
    /// `Error`
    Error,
    /// `FileError`
    File,
    /// `MissingFileError`
    MissingFile,
    /// `DataError`
    Data,
    /// `SpecifierError`
    Specifier,
    /// `MissingKeyError`
    MissingKey,
    /// `CommandError`
    Command,
    /// `ClosedError`
    Closed,
    /// `ArgumentError`
    Argument,
    /// `ArgumentTypeError`
    ArgumentType,
    /// `RangeError`
    Range,
}

impl Class {
    fn name(self) -> &'static str {
        match self {
            Self::Error => "Error",
            Self::File => "FileError",
            Self::MissingFile => "MissingFileError",
            Self::Data => "DataError",
            Self::Specifier => "SpecifierError",
            Self::MissingKey => "MissingKeyError",
            Self::Command => "CommandError",
            Self::Closed => "ClosedError",
            Self::Argument => "ArgumentError",
            Self::ArgumentType => "ArgumentTypeError",
            Self::Range => "RangeError",
        }
    }
}

/// What becomes an exception. It is made without Python, so also where the interpreter is not held.
#[derive(Debug)]
pub struct Failure {
    class: Class,
    message: String,
    file: Option<String>,
    key: Option<BString>,
    offset: Option<u64>,
    line: Option<u64>,
    /// The number and the text of the system's error.
    system: Option<(i32, String)>,
    /// A command and its exit status.
    command: Option<(String, Option<i32>)>,
    /// An exception that Python raised meanwhile, which counts instead.
    raised: Option<PyErr>,
}

/// The result of work without the interpreter.
pub type Result<T> = std::result::Result<T, Failure>;

impl Failure {
    /// A failure of this class without a place.
    pub fn new(class: Class, message: impl Into<String>) -> Self {
        Self {
            class,
            message: message.into(),
            file: None,
            key: None,
            offset: None,
            line: None,
            system: None,
            command: None,
            raised: None,
        }
    }

    /// A key that a table does not have.
    pub fn missing_key(key: &[u8], table: &str) -> Self {
        let message = format!("{table} has no key {}", kaldi_io::quote_name(key));
        Self { file: Some(table.to_owned()), key: Some(key.into()), ..Self::new(Class::MissingKey, message) }
    }

    /// A use after `close()`.
    pub fn closed(what: &str) -> Self {
        Self::new(Class::Closed, format!("the {what} is closed"))
    }

    /// A failure of the system with a file.
    pub fn of_file(file: &str, error: &io::Error, message: String) -> Self {
        let class = match error.kind() {
            io::ErrorKind::NotFound => Class::MissingFile,
            _ => Class::File,
        };
        let system = error.raw_os_error().map(|number| (number, reason(error)));
        Self { file: Some(file.to_owned()), system, ..Self::new(class, message) }
    }

    /// The same failure at a key.
    #[must_use]
    pub fn at_key(self, key: &[u8]) -> Self {
        Self { key: Some(key.into()), ..self }
    }

    /// The same failure in a file.
    #[must_use]
    pub fn in_file(self, file: impl Into<String>) -> Self {
        Self { file: Some(file.into()), ..self }
    }

    /// The same failure at an offset.
    #[must_use]
    pub fn at_offset(self, offset: u64) -> Self {
        Self { offset: Some(offset), ..self }
    }

    /// The same failure at a line.
    #[must_use]
    pub fn at_line(self, line: u64) -> Self {
        Self { line: Some(line), ..self }
    }

    /// The same failure with another message.
    #[must_use]
    pub fn with_message(self, message: String) -> Self {
        Self { message, ..self }
    }

    /// The class.
    pub fn class(&self) -> Class {
        self.class
    }

    fn fields<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let fields = PyDict::new(py);
        let file = self.file.as_deref().map(|file| names::to_str(py, file.as_bytes())).transpose()?;
        fields.set_item("file", file)?;
        fields.set_item("key", self.key.as_ref().map(|key| names::to_str(py, key)).transpose()?)?;
        fields.set_item("offset", self.offset)?;
        fields.set_item("line", self.line)?;
        match self.class {
            Class::File | Class::MissingFile => {
                fields.set_item("errno", self.system.as_ref().map(|(number, _)| number))?;
                fields.set_item("strerror", self.system.as_ref().map(|(_, text)| text))?;
            }
            Class::Command => {
                fields.set_item("command", self.command.as_ref().map(|(command, _)| command))?;
                fields.set_item("status", self.command.as_ref().and_then(|(_, status)| *status))?;
            }
            Class::Error
            | Class::Data
            | Class::Specifier
            | Class::MissingKey
            | Class::Closed
            | Class::Argument
            | Class::ArgumentType
            | Class::Range => {}
        }
        Ok(fields)
    }

    fn raise(self, py: Python<'_>) -> PyResult<PyErr> {
        if let Some(raised) = self.raised {
            return Ok(raised);
        }
        let class = py.import("kaldi_tables._errors")?.getattr(self.class.name())?.cast_into::<PyType>()?;
        let exception = class.call((&self.message,), Some(&self.fields(py)?))?;
        Ok(PyErr::from_value(exception))
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl std::error::Error for Failure {}

/// An argument that makes no sense, which is a `ValueError`, too.
pub fn wrong_value(message: impl Into<String>) -> PyErr {
    Failure::new(Class::Argument, message).into()
}

/// An argument of another type than is expected, which is a `TypeError`, too.
pub fn wrong_type(message: impl Into<String>) -> PyErr {
    Failure::new(Class::ArgumentType, message).into()
}

/// A number that the format of a file cannot hold, which is an `OverflowError`, too.
pub fn out_of_range(message: impl Into<String>) -> PyErr {
    Failure::new(Class::Range, message).into()
}

impl From<Failure> for PyErr {
    fn from(failure: Failure) -> Self {
        Python::attach(|py| failure.raise(py).unwrap_or_else(|error| error))
    }
}

impl From<PyErr> for Failure {
    fn from(raised: PyErr) -> Self {
        Self { raised: Some(raised), ..Self::new(Class::Error, "Python raised an exception") }
    }
}

impl From<kaldi_io::Error> for Failure {
    fn from(error: kaldi_io::Error) -> Self {
        let message = error.to_string();
        let plain = |class| Self::new(class, message.clone());
        match error {
            kaldi_io::Error::Name { .. } => plain(Class::Specifier),
            kaldi_io::Error::Open { name, source } => match Rxfilename::parse(name.as_bytes().into()) {
                Ok(Rxfilename::Offset(path, offset)) => {
                    Self::of_file(&path.to_string_lossy(), &source, message).at_offset(offset)
                }
                _ => Self::of_file(&name, &source, message),
            },
            kaldi_io::Error::Folder { name, source } => Self::of_file(&name, &source, message),
            kaldi_io::Error::Read { name, offset, source } | kaldi_io::Error::Write { name, offset, source } => {
                Self { offset: Some(offset), ..Self::of_file(&name, &source, message) }
            }
            kaldi_io::Error::ReadOnce { name } => Self { file: Some(name), ..plain(Class::Error) },
            kaldi_io::Error::Replace { name, .. } => Self { file: Some(name), ..plain(Class::File) },
            kaldi_io::Error::Run { command, .. } => Self { command: Some((command, None)), ..plain(Class::Command) },
            kaldi_io::Error::Status { command, status } => {
                let status = status.code().or_else(|| status.signal().map(|signal| -signal));
                Self { command: Some((command, status)), ..plain(Class::Command) }
            }
            kaldi_io::Error::Content { name, offset, line, .. } => Self {
                file: Some(name.into()),
                offset: Some(offset),
                line: line.map(std::num::NonZeroU64::get),
                ..plain(Class::Data)
            },
            _ => plain(Class::Error),
        }
    }
}

impl From<kaldi_table::Error> for Failure {
    fn from(error: kaldi_table::Error) -> Self {
        use kaldi_table::Error as Table;
        let message = error.to_string();
        let plain = |class| Self::new(class, message.clone());
        match error {
            Table::Io(error) => error.into(),
            Table::Specifier { .. } | Table::Mixed { .. } => plain(Class::Specifier),
            Table::Entry { script, key, source, .. } => {
                let failure = Self::from(*source).with_message(message);
                let key = (!key.is_empty()).then_some(key);
                Self { key, line: script.map(|(_, line)| line).or(failure.line), ..failure }
            }
            Table::ScriptLine { script, line, .. } => {
                Self { file: Some(script), line: Some(line), ..plain(Class::Data) }
            }
            Table::Promise { table, .. } => Self { file: Some(table), ..plain(Class::Data) },
            Table::Key { key } => Self { key: Some(key), ..plain(Class::Data) },
            Table::Outside { folder, key } => Self { file: Some(folder), key: Some(key), ..plain(Class::File) },
            Table::NoPlace { script, key } => Self { file: Some(script), key: Some(key), ..plain(Class::MissingKey) },
            Table::NoOffsets { archive } => Self { file: Some(archive), ..plain(Class::Specifier) },
            Table::Shard(_) => plain(Class::Data),
            Table::Work { key, source } => {
                let key = (!key.is_empty()).then_some(key);
                let class = source.downcast_ref::<Self>().map_or(Class::Error, Self::class);
                Self { key, ..plain(class) }
            }
            _ => plain(Class::Error),
        }
    }
}

impl From<kaldi_inspect::Error> for Failure {
    fn from(error: kaldi_inspect::Error) -> Self {
        use kaldi_inspect::Error as Inspect;
        let message = error.to_string();
        match error {
            Inspect::Table(error) => error.into(),
            Inspect::Look { name, source } => Self::of_file(&name, &source, message),
            Inspect::Folder { name } | Inspect::Model { name, .. } | Inspect::NoData { name } => {
                Self { file: Some(name.to_string()), ..Self::new(Class::Data, message) }
            }
            _ => Self::new(Class::Error, message),
        }
    }
}

/// The system's reason without Rust's `(os error N)`.
fn reason(error: &io::Error) -> String {
    let text = error.to_string();
    text.split_once(" (os error").map_or(text.clone(), |(text, _)| text.to_owned())
}

/// Has nothing to add to the module: the classes are Python.
pub fn register(_module: &Bound<'_, PyModule>) -> PyResult<()> {
    Ok(())
}
