//! The names and objects that tables are written to.

use bstr::{BStr, BString};
use kaldi_io::{Wspecifier, is_specifier};
use kaldi_matrix::CompressionMethod;
use kaldi_table::TableWriter;
use kaldi_value::Format;
use pyo3::prelude::*;
use pyo3::types::PyString;

use super::looks::Kind;
use super::sink::{Appended, Object, Sink};
use super::{arrays, no_text};
use crate::errors::{Class, Failure, Result, wrong_type, wrong_value};
use crate::interrupt::without_interpreter;
use crate::names;

/// Names of the methods of compression, from number 1 on.
const METHODS: [&str; 7] = [
    "auto",
    "speech-feature",
    "two-byte-auto",
    "two-byte-signed-integer",
    "one-byte-auto",
    "one-byte-unsigned-integer",
    "one-byte-zero-one",
];

/// The method of this number or name.
///
/// # Errors
/// If there is none.
pub fn method(compression: &Bound<'_, PyAny>) -> PyResult<CompressionMethod> {
    let number = match compression.cast::<PyString>() {
        Ok(name) => {
            let name = name.to_cow()?;
            METHODS.iter().position(|method| *method == name).map(|at| at as i32 + 1)
        }
        Err(_) => match compression.extract::<i32>() {
            Ok(number) => Some(number),
            Err(_) => {
                return Err(wrong_type(format!(
                    "expected compression to be None, a number or a name, got {}",
                    arrays::describe(compression)
                )));
            }
        },
    };
    number.and_then(CompressionMethod::from_number).ok_or_else(|| {
        let names = METHODS.join(", ");
        wrong_value(format!("expected compression to be None, 1 to 7, or one of {names}, got {}", shown(compression)))
    })
}

fn shown(value: &Bound<'_, PyAny>) -> String {
    value.repr().map_or_else(|_| "another value".to_owned(), |text| text.to_string())
}

/// The wspecifier of a name.
fn wspecifier(name: BString) -> Result<BString> {
    let text = BStr::new(&name);
    if text.is_empty() {
        return Err(Failure::new(Class::Specifier, "the name of a table is empty"));
    }
    if is_specifier(text) || names::starts_as_specifier(text) {
        return Ok(name);
    }
    Ok([b"ark:".as_slice(), &name].concat().into())
}

/// Opens what a table is written to: a name or a file object. Returns what messages call it, too.
///
/// # Errors
/// If it cannot be opened.
pub fn open(py: Python<'_>, target: &Bound<'_, PyAny>, kind: Option<Kind>) -> PyResult<(String, Sink)> {
    let Some(source) = names::of_source(target)? else { return open_object(target) };
    let name = match source.is_path {
        // Even if it looks like a specifier.
        true => [b"ark:".as_slice(), &source.name].concat().into(),
        false => wspecifier(source.name)?,
    };
    let is_text = Wspecifier::parse(name.as_ref()).is_some_and(|wspecifier| !wspecifier.options.binary);
    if let (true, Some(Kind::Value(value_type))) = (is_text, kind)
        && !value_type.has_text()
    {
        return Err(no_text(value_type));
    }
    let table = without_interpreter(py, || Ok(TableWriter::create(&name)?))?;
    Ok((name.to_string(), Sink::Table(Box::new(table))))
}

fn open_object(target: &Bound<'_, PyAny>) -> PyResult<(String, Sink)> {
    if !target.hasattr("write")? {
        let found = arrays::describe(target);
        return Err(wrong_type(format!("expected a name or a binary file object to write to, got {found}")));
    }
    let text = target.py().import("io")?.getattr("TextIOBase")?;
    if target.is_instance(&text)? {
        return Err(wrong_type("expected a file object for bytes (mode \"wb\"), got one for text"));
    }
    Ok((arrays::describe(target), Sink::Object(Object::new(target.clone().unbind()))))
}

/// The name of a file, for one value.
///
/// # Errors
/// If it is no name, or one of a table.
pub fn file_name(name: &Bound<'_, PyAny>) -> PyResult<BString> {
    let found = names::of_source(name)?;
    let source = found.ok_or_else(|| wrong_type(format!("expected a name, got {}", arrays::describe(name))))?;
    if !source.is_path && is_specifier(source.name.as_ref()) {
        let message = format!("{} is a table; expected the name of a file for one value", source.name);
        return Err(Failure::new(Class::Specifier, message).into());
    }
    Ok(source.name)
}

/// Opens an archive, and perhaps a script file, to write at their ends.
///
/// # Errors
/// If that fails.
pub fn open_to_append(
    py: Python<'_>,
    archive: &Bound<'_, PyAny>,
    script: Option<&Bound<'_, PyAny>>,
    format: Format,
) -> PyResult<(String, Sink)> {
    let archive = file_name(archive)?;
    let script = script.map(file_name).transpose()?;
    let script = script.as_ref().map(BStr::new);
    let appended = without_interpreter(py, || Appended::open(archive.as_ref(), script, format))?;
    Ok((archive.to_string(), Sink::Appended(Box::new(appended))))
}
