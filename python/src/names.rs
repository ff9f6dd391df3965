//! Keys and names of files: bytes in Rust, `str` in Python. Bytes that are not UTF-8 become surrogates (`surrogateescape`), as
//! in the module `os`.

use std::path::Path;

use bstr::{BStr, BString, ByteSlice};
use kaldi_io::{Rspecifier, Rxfilename, is_remote};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyString};

use crate::errors::{Class, Failure, wrong_type};
use crate::interrupt::in_session;

/// A key or name as `str`.
///
/// # Errors
/// If there is no memory for it.
pub fn to_str<'py>(py: Python<'py>, bytes: &[u8]) -> PyResult<Bound<'py, PyString>> {
    match str::from_utf8(bytes) {
        Ok(text) => Ok(PyString::new(py, text)),
        Err(_) => PyString::from_encoded_object(&PyBytes::new(py, bytes), Some(c"utf-8"), Some(c"surrogateescape")),
    }
}

/// The bytes of a `str`.
///
/// # Errors
/// `UnicodeEncodeError` if it has surrogates that are no bytes.
pub fn from_str(text: &Bound<'_, PyString>) -> PyResult<BString> {
    if let Ok(text) = text.to_cow() {
        return Ok(text.as_bytes().into());
    }
    let bytes = text.call_method1("encode", ("utf-8", "surrogateescape"))?;
    Ok(bytes.cast_into::<PyBytes>()?.as_bytes().into())
}

/// The name of a table or stream: a `str`, `bytes` or an `os.PathLike`. `None` if it is none of these.
///
/// # Errors
/// Those of `__fspath__`.
pub fn of_source(source: &Bound<'_, PyAny>) -> PyResult<Option<SourceName>> {
    if let Ok(text) = source.cast::<PyString>() {
        return Ok(Some(SourceName { name: from_str(text)?, is_path: false }));
    }
    if !source.hasattr("__fspath__")? {
        return Ok(None);
    }
    let path = source.call_method0("__fspath__")?;
    let name = match (path.cast::<PyString>(), path.cast::<PyBytes>()) {
        (Ok(text), _) => from_str(text)?,
        (_, Ok(bytes)) => bytes.as_bytes().into(),
        _ => return Err(wrong_type("__fspath__ returned neither str nor bytes")),
    };
    Ok(Some(SourceName { name: plain(name), is_path: true }))
}

/// Whether the name starts like a specifier: words and a colon. Then it is one, right or wrong.
pub fn starts_as_specifier(name: &BStr) -> bool {
    let word = |byte: &u8| byte.is_ascii_alphanumeric() || matches!(byte, b',' | b'_' | b' ');
    let is_plain = in_session(|| is_remote(name)) || name.starts_with(b"file:") || name.starts_with(b"|");
    !is_plain && name.split_once_str(b":").is_some_and(|(words, _)| words.iter().all(word))
}

/// Refuses the name of a table to read that starts like a specifier, but is none. A file may have such a name.
///
/// # Errors
/// If it is refused, or empty.
pub fn check_rspecifier(name: &BStr) -> Result<(), Failure> {
    let is_file = || matches!(Rxfilename::parse(name), Ok(Rxfilename::Offset(..) | Rxfilename::Pipe(_)));
    let text = name.trim_ascii_start();
    let has_word = kaldi_io::is_kind;
    let is_meant = text.split_once_str(b":").is_some_and(|(words, _)| words.split_str(",").any(has_word));
    if name.is_empty() {
        return Err(Failure::new(Class::Specifier, "the name of a table is empty"));
    }
    let is_other = is_file() || name.to_path_lossy().exists();
    let is_wrong = is_meant || (starts_as_specifier(name) && !is_other);
    if Rspecifier::parse(name).is_some() || !is_wrong {
        return Ok(());
    }
    let advice = kaldi_io::specifier_advice(name, "rspecifier");
    Err(kaldi_table::Error::Specifier { role: "rspecifier", text: name.to_owned(), advice }.into())
}

/// Whether a table can be read once only, since it is standard input.
pub fn is_stdin(name: &BStr) -> bool {
    let specifier = Rspecifier::parse(name);
    let rxfilename = specifier.as_ref().map_or(name, |specifier| specifier.rxfilename.as_bstr());
    matches!(Rxfilename::parse(rxfilename), Ok(Rxfilename::Stdin))
}

/// A name that was given to a function.
#[derive(Clone, Debug)]
pub struct SourceName {
    /// The bytes.
    pub name: BString,
    /// Whether it was an `os.PathLike`, which is never a specifier or a command.
    pub is_path: bool,
}

/// The name of a path. One that could mean something else starts with `./`: `ark:x`, `ls |`.
fn plain(name: BString) -> BString {
    let text = BStr::new(&name);
    let is_other = kaldi_io::is_specifier(text)
        || starts_as_specifier(text)
        || name == "-"
        || name.starts_with(b"|")
        || name.ends_with(b"|");
    match is_other && !Path::new(&*name.to_string()).is_absolute() {
        true => [b"./".as_slice(), &name].concat().into(),
        false => name,
    }
}
