//! Where entries are written to.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};

use bstr::{BStr, BString, ByteSlice};
use kaldi_io::Encoded;
use kaldi_matrix::Matrix;
use kaldi_table::{Record, TableWriter, is_key, write_script_line};
use kaldi_value::Format;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors::{Class, Failure, Result};
use crate::kept::Kept;

/// Bytes that are gathered before they are written.
const BUFFER: usize = 1 << 16;

/// Where entries are written to.
pub enum Sink {
    /// What a wspecifier names. It takes encoded values of any type.
    Table(Box<TableWriter<Matrix<f32>>>),
    /// A file object of Python.
    Object(Object),
    /// The end of files that are there.
    Appended(Box<Appended>),
}

impl Sink {
    /// The form in which values are written.
    pub fn format(&self) -> Format {
        match self {
            Self::Table(table) => table.format(),
            Self::Object(_) => Format::Binary,
            Self::Appended(appended) => appended.format,
        }
    }

    /// Writes an entry.
    ///
    /// # Errors
    /// If that fails. After most failures the output is not usable.
    pub fn put(&mut self, key: &BStr, value: Encoded) -> Result<()> {
        match self {
            Self::Table(table) => Ok(table.put(Record::from_bytes(key, value))?),
            Self::Object(object) => {
                object.buffer.extend_from_slice(key);
                object.buffer.push(b' ');
                value.slices().for_each(|slice| object.buffer.extend_from_slice(slice));
                if object.buffer.len() >= BUFFER { object.write_out() } else { Ok(()) }
            }
            Self::Appended(appended) => appended.put(key, &value),
        }
    }

    /// Writes out what is gathered, if the kind of output allows that.
    ///
    /// # Errors
    /// If that fails.
    pub fn flush(&mut self) -> Result<()> {
        match self {
            // A file appears as a whole.
            Self::Table(table) => Ok(table.flush()?),
            Self::Object(object) => object.flush(),
            Self::Appended(appended) => appended.write_out(),
        }
    }

    /// Completes the output.
    ///
    /// # Errors
    /// If that fails. Then no file appears.
    pub fn finish(self) -> Result<()> {
        match self {
            Self::Table(table) => Ok(table.finish()?),
            Self::Object(mut object) => object.flush(),
            Self::Appended(mut appended) => {
                appended.write_out()?;
                appended.is_complete = true;
                Ok(())
            }
        }
    }
}

/// A file object of Python, and bytes that it gets next.
pub struct Object {
    file: Kept,
    buffer: Vec<u8>,
}

impl Object {
    /// Writes to a file object with `write`.
    pub fn new(file: Py<PyAny>) -> Self {
        Self { file: Kept::new(file), buffer: Vec::new() }
    }

    fn write_out(&mut self) -> Result<()> {
        let bytes = std::mem::take(&mut self.buffer);
        Python::attach(|py| {
            let mut rest = bytes.as_slice();
            while !rest.is_empty() {
                let written = self.file.bind(py).call_method1("write", (PyBytes::new(py, rest),))?;
                // Raw files may take less than all; others return nothing useful.
                match written.extract::<usize>() {
                    Ok(0) => return Err(PyErr::from(Failure::new(Class::File, "the file object takes no more bytes"))),
                    Ok(count) => rest = rest.get(count..).unwrap_or_default(),
                    Err(_) => break,
                }
            }
            Ok(())
        })?;
        Ok(())
    }

    fn flush(&mut self) -> Result<()> {
        self.write_out()?;
        Python::attach(|py| {
            let file = self.file.bind(py);
            if file.hasattr("flush")? {
                file.call_method0("flush")?;
            }
            PyResult::Ok(())
        })?;
        Ok(())
    }
}

/// An archive, and perhaps a script file, that grow. If it is not completed, both have their old length again.
pub struct Appended {
    archive: Grown,
    script: Option<Grown>,
    /// The name of the archive in the script file.
    name: BString,
    format: Format,
    is_complete: bool,
}

/// A file to which bytes are appended.
struct Grown {
    name: BString,
    file: File,
    /// Its length before; `None` if it is new.
    old: Option<u64>,
    /// Its length now, with the buffer.
    length: u64,
    buffer: Vec<u8>,
}

impl Grown {
    fn open(name: &BStr) -> Result<Self> {
        let path = name.to_path_lossy().into_owned();
        let is_new = !path.exists();
        let opened = OpenOptions::new().append(true).create(true).open(path);
        let opened = opened.and_then(|file| {
            let metadata = file.metadata()?;
            match metadata.is_file() {
                true => Ok((file, metadata.len())),
                false => Err(io::Error::new(io::ErrorKind::InvalidInput, "only regular files can be appended to")),
            }
        });
        let (file, old) = opened
            .map_err(|error| Failure::of_file(&name.to_string(), &error, format!("cannot open {name}: {error}")))?;
        Ok(Self { name: name.to_owned(), file, old: (!is_new).then_some(old), length: old, buffer: Vec::new() })
    }

    fn append(&mut self, bytes: &[u8]) -> Result<()> {
        self.buffer.extend_from_slice(bytes);
        self.length += bytes.len() as u64;
        if self.buffer.len() >= BUFFER { self.write_out() } else { Ok(()) }
    }

    fn write_out(&mut self) -> Result<()> {
        let written = self.file.write_all(&self.buffer);
        self.buffer.clear();
        let name = &self.name;
        written.map_err(|error| Failure::of_file(&name.to_string(), &error, format!("cannot write {name}: {error}")))
    }
}

impl Appended {
    /// Opens the files, and creates those that do not exist.
    ///
    /// # Errors
    /// If that fails, or one of them is no regular file.
    pub fn open(archive: &BStr, script: Option<&BStr>, format: Format) -> Result<Self> {
        if script == Some(archive) {
            return Err(Failure::new(Class::Specifier, "the archive and its script file are the same file"));
        }
        let script = script.map(Grown::open).transpose()?;
        let archive_file = Grown::open(archive)?;
        Ok(Self { archive: archive_file, script, name: archive.to_owned(), format, is_complete: false })
    }

    fn put(&mut self, key: &BStr, value: &Encoded) -> Result<()> {
        if !is_key(key) {
            return Err(kaldi_table::Error::Key { key: key.to_owned() }.into());
        }
        if let Some(script) = &mut self.script {
            let mut line = Vec::new();
            write_script_line(&mut line, key, &self.name, self.archive.length + key.len() as u64 + 1);
            script.append(&line)?;
        }
        self.archive.append(&[key.as_bytes(), b" "].concat())?;
        value.slices().try_for_each(|slice| self.archive.append(slice))
    }

    fn write_out(&mut self) -> Result<()> {
        self.archive.write_out()?;
        self.script.as_mut().map_or(Ok(()), Grown::write_out)
    }
}

impl Drop for Appended {
    fn drop(&mut self) {
        if !self.is_complete {
            for grown in [Some(&self.archive), self.script.as_ref()].into_iter().flatten() {
                let _ = match grown.old {
                    Some(old) => grown.file.set_len(old),
                    None => fs::remove_file(grown.name.to_path_lossy()),
                };
            }
        }
    }
}
