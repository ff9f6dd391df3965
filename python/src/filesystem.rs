//! File systems of Python (`fsspec` and similar) as stores of remote names: `set_filesystem`.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::sync::Arc;

use bstr::{BStr, BString, ByteSlice};
use kaldi_io::sync::Mutex;
use kaldi_io::{FrameFn, ReadAt, Source, Store, Upload};
use pyo3::exceptions::{PyAttributeError, PyFileNotFoundError, PyKeyError};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors::{wrong_type, wrong_value};

use crate::kept::Kept;

/// Bytes that go to a file system with one call.
const PIECE: usize = 1 << 20;

/// File systems with their schemes, in lower case. Only a thread that holds the interpreter takes the lock, and not for long.
static FILE_SYSTEMS: Mutex<Vec<(String, Py<PyAny>)>> = Mutex::new(Vec::new());

/// Does `work` with the interpreter.
///
/// # Errors
/// Those of the work, and if the interpreter ends.
fn with_python<T>(work: impl FnOnce(Python<'_>) -> PyResult<T>) -> io::Result<T> {
    let done = Python::try_attach(work).ok_or_else(|| io::Error::other("the interpreter ends"))?;
    done.map_err(io::Error::from)
}

/// The scheme of a remote name, and what is after `://`.
fn split(url: &BStr) -> Option<(String, String)> {
    let (scheme, path) = url.split_once_str("://")?;
    Some((scheme.to_str_lossy().to_ascii_lowercase(), path.to_str_lossy().into_owned()))
}

/// The file system for a name. `None` if the store of the tools has it.
fn find(py: Python<'_>, url: &BStr) -> Option<(Kept, String)> {
    let (scheme, path) = split(url)?;
    let systems = FILE_SYSTEMS.lock();
    systems.iter().find(|(known, _)| *known == scheme).map(|(_, system)| (Kept::new(system.clone_ref(py)), path))
}

/// Opens a file of a file system. Its path is the name without the scheme; if there is no such file, the whole name is tried.
fn open<'py>(py: Python<'py>, url: &BStr, path: &str, system: &Kept, mode: &str) -> PyResult<Bound<'py, PyAny>> {
    let opened = system.bind(py).call_method1("open", (path, mode));
    match opened {
        Err(error) if error.is_instance_of::<PyFileNotFoundError>(py) || error.is_instance_of::<PyKeyError>(py) => {
            let whole = system.bind(py).call_method1("open", (url.to_str_lossy(), mode));
            whole.map_err(|_| match error.is_instance_of::<PyKeyError>(py) {
                true => PyFileNotFoundError::new_err(format!("there is no {path:?}")),
                false => error,
            })
        }
        opened => opened,
    }
}

/// The store of all remote names: file systems of Python, and else the store of the tools.
#[derive(Debug)]
struct Systems {
    others: Arc<dyn Store>,
}

impl Store for Systems {
    fn has_scheme(&self, scheme: &str) -> bool {
        let has = |_: Python<'_>| {
            let systems = FILE_SYSTEMS.lock();
            Ok(systems.iter().any(|(known, _)| known == scheme))
        };
        with_python(has).unwrap_or(false) || self.others.has_scheme(scheme)
    }

    fn open(&self, url: &BStr, offset: u64) -> io::Result<Box<dyn Source>> {
        let opened = with_python(|py| {
            let Some((system, path)) = find(py, url) else { return Ok(None) };
            let file = open(py, url, &path, &system, "rb")?;
            if offset > 0 {
                file.call_method1("seek", (offset,))?;
            }
            Ok(Some(Remote { file: Arc::new(Mutex::new(Kept::new(file.unbind()))), at: offset }))
        })?;
        match opened {
            Some(remote) => Ok(Box::new(remote)),
            None => self.others.open(url, offset),
        }
    }

    fn create(&self, url: &BStr) -> io::Result<Box<dyn Upload>> {
        let found = with_python(|py| Ok(find(py, url)))?;
        match found {
            Some((system, path)) => {
                let bytes = whole_file::create_nameless(&std::env::temp_dir())?;
                Ok(Box::new(Upwards { system, url: url.to_string(), path, bytes }))
            }
            None => self.others.create(url),
        }
    }

    fn open_at(&self, url: &BStr) -> io::Result<Arc<dyn ReadAt>> {
        match with_python(|py| Ok(find(py, url)))? {
            Some(_) => {
                let missing = || io::Error::new(io::ErrorKind::Unsupported, "its file system does not say its length");
                self.open(url, 0)?.positioned().ok_or_else(missing)
            }
            None => self.others.open_at(url),
        }
    }

    fn remove(&self, url: &BStr) -> io::Result<()> {
        let found = with_python(|py| {
            let Some((system, path)) = find(py, url) else { return Ok(None) };
            match system.bind(py).call_method1("rm", (path,)) {
                Err(error) if error.is_instance_of::<PyAttributeError>(py) => Ok(Some(false)),
                Err(error) if error.is_instance_of::<PyFileNotFoundError>(py) => Ok(Some(true)),
                removed => removed.map(|_| Some(true)),
            }
        })?;
        match found {
            Some(true) => Ok(()),
            Some(false) => Err(io::ErrorKind::Unsupported.into()),
            None => self.others.remove(url),
        }
    }

    fn list(&self, url: &BStr) -> io::Result<Vec<BString>> {
        match with_python(|py| Ok(find(py, url)))? {
            Some(_) => Err(io::Error::new(io::ErrorKind::Unsupported, "its file system is not asked for folders")),
            None => self.others.list(url),
        }
    }

    fn expect(&self, url: &BStr, offsets: &[u64], at_once: usize, frame: FrameFn) {
        if let Ok(None) = with_python(|py| Ok(find(py, url))) {
            self.others.expect(url, offsets, at_once, frame);
        }
    }

    fn close(&self) {
        self.others.close();
    }
}

/// A file of a file system, and the offset of the next byte.
#[derive(Debug)]
struct Remote {
    file: Arc<Mutex<Kept>>,
    at: u64,
}

/// Reads up to `limit` bytes at an offset. The lock is taken without the interpreter.
fn read(file: &Mutex<Kept>, at: u64, limit: usize, buffer: &mut Vec<u8>) -> io::Result<usize> {
    let file = file.lock();
    with_python(|py| {
        let file = file.bind(py);
        if file.call_method0("tell")?.extract::<u64>()? != at {
            file.call_method1("seek", (at,))?;
        }
        let bytes = file.call_method1("read", (limit,))?;
        let bytes = bytes.cast::<PyBytes>()?.as_bytes();
        buffer.extend_from_slice(bytes);
        Ok(bytes.len())
    })
}

impl Source for Remote {
    fn read_some(&mut self, buffer: &mut Vec<u8>, limit: usize) -> io::Result<usize> {
        let count = read(&self.file, self.at, limit, buffer)?;
        self.at += count as u64;
        Ok(count)
    }

    fn positioned(&self) -> Option<Arc<dyn ReadAt>> {
        let file = self.file.lock();
        let length = with_python(|py| {
            let file = file.bind(py);
            let length = file.call_method1("seek", (0, 2))?.extract::<Option<u64>>()?;
            length.map_or_else(|| file.call_method0("tell")?.extract(), Ok)
        });
        Some(Arc::new(RemoteParts { file: Arc::clone(&self.file), length: length.ok()? }))
    }

    fn seek(&mut self, offset: u64) -> io::Result<()> {
        self.at = offset;
        Ok(())
    }

    fn restart(&mut self) -> kaldi_io::Result<bool> {
        self.at = 0;
        Ok(true)
    }
}

/// The same file, for reading at any offset.
#[derive(Debug)]
struct RemoteParts {
    file: Arc<Mutex<Kept>>,
    length: u64,
}

impl ReadAt for RemoteParts {
    fn length(&self) -> u64 {
        self.length
    }

    fn read_at(&self, offset: u64, buffer: &mut Vec<u8>, length: usize) -> io::Result<()> {
        let mut left = length;
        while left > 0 {
            match read(&self.file, offset + (length - left) as u64, left, buffer)? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                count => left -= count.min(left),
            }
        }
        Ok(())
    }

    fn is_near(&self) -> bool {
        false
    }
}

/// A file that is being written: its bytes wait in a file without a name until all of them are there.
#[derive(Debug)]
struct Upwards {
    system: Kept,
    url: String,
    path: String,
    bytes: File,
}

impl Upload for Upwards {
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.bytes.write_all(bytes)
    }

    fn finish(mut self: Box<Self>) -> io::Result<()> {
        self.bytes.rewind()?;
        let file = with_python(|py| {
            let url = BStr::new(&self.url);
            open(py, url, &self.path, &self.system, "wb").map(|file| Kept::new(file.unbind()))
        })?;
        let mut piece = Vec::new();
        loop {
            piece.clear();
            if (&self.bytes).take(PIECE as u64).read_to_end(&mut piece)? == 0 {
                break;
            }
            with_python(|py| file.bind(py).call_method1("write", (PyBytes::new(py, &piece),)).map(drop))?;
        }
        with_python(|py| file.bind(py).call_method0("close").map(drop))
    }
}

/// Makes a file system, an object with `open(path, mode)` such as those of fsspec, the store of names with a scheme.
///
/// >>> import kaldi_tables as kt, io
/// >>> class Letters:
/// ...     def open(self, path, mode):
/// ...         return io.BytesIO(path.encode() + b" [ 1 2 ]\n")
/// >>> kt.set_filesystem("letters", Letters())
/// >>> [key for key, vector in kt.open("ark:letters://abc", "vector")]
/// ['abc']
#[pyfunction]
fn set_filesystem(scheme: &str, fs: &Bound<'_, PyAny>) -> PyResult<()> {
    let scheme = scheme.strip_suffix("://").unwrap_or(scheme).to_ascii_lowercase();
    let is_scheme = |text: &str| {
        let mut bytes = text.bytes();
        bytes.next().is_some_and(|byte| byte.is_ascii_alphabetic())
            && bytes.all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
    };
    if !is_scheme(&scheme) || scheme == "file" {
        return Err(wrong_value(format!("expected a scheme such as \"memory\", got {scheme:?}")));
    }
    if !fs.hasattr("open")? {
        return Err(wrong_type("expected a file system with a method open(path, mode)"));
    }
    let mut systems = FILE_SYSTEMS.lock();
    systems.retain(|(known, _)| *known != scheme);
    systems.push((scheme, fs.clone().unbind()));
    Ok(())
}

/// The store of the module: file systems of Python, and the store of the tools.
pub fn store() -> Arc<dyn Store> {
    Arc::new(Systems { others: kaldi_store::store() })
}

/// Adds the function.
///
/// # Errors
/// If the module refuses.
pub fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(set_filesystem, module)?)
}
