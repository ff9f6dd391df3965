//! Binary file objects of Python as streams.

use std::io;

use kaldi_io::{Input, Source};
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::errors::wrong_type;

use crate::interrupt::keep;
use crate::kept::Kept;
use crate::names;

/// An object with `read`.
#[derive(Debug)]
struct FileObject {
    object: Kept,
}

impl Source for FileObject {
    fn read_some(&mut self, buffer: &mut Vec<u8>, limit: usize) -> io::Result<usize> {
        let read = Python::try_attach(|py| -> PyResult<usize> {
            let bytes = self.object.bind(py).call_method1("read", (limit,))?;
            let Ok(bytes) = bytes.cast::<PyBytes>() else {
                let kind = bytes.get_type().name()?;
                return Err(wrong_type(format!(
                    "expected read() to return bytes, got {kind}: open the file in binary mode"
                )));
            };
            buffer.extend_from_slice(bytes.as_bytes());
            Ok(bytes.as_bytes().len())
        });
        match read {
            Some(Ok(count)) => Ok(count),
            Some(Err(raised)) => {
                keep(raised);
                Err(io::Error::other("read() raised an exception"))
            }
            None => Err(io::Error::other("the interpreter has ended")),
        }
    }
}

/// The stream of an object with `read`, from where it is.
///
/// # Errors
/// `TypeError` if it has no `read`.
pub fn open(object: &Bound<'_, PyAny>) -> PyResult<Input> {
    if !object.hasattr("read")? {
        let kind = object.get_type().name()?;
        return Err(wrong_type(format!("expected a name, a path or a binary file object, got {kind}")));
    }
    let name = match object.getattr("name").ok().map(|name| names::of_source(&name)) {
        Some(Ok(Some(source))) => source.name.to_string(),
        _ => "a file object".to_owned(),
    };
    Ok(Input::from_source(&name, 0, Box::new(FileObject { object: Kept::new(object.clone().unbind()) })))
}
