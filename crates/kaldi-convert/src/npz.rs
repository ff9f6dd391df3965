//! NumPy's files of many arrays: zip files with a member `<name>.npy` for each.
//!
//! Members are stored without compression, as `numpy.savez` does it; those that are compressed are read, too.

use std::io::Write;

use bstr::{BStr, ByteSlice};
use kaldi_io::Output;
use zip::write::{SimpleFileOptions, StreamWriter};
use zip::{CompressionMethod, ZipArchive, ZipWriter};

use crate::array::Array;
use crate::npy;
use crate::stream::{Places, Sink};
use crate::{Error, Result};

/// Bytes of a member from which on its sizes do not fit the 32 bits of the plain format.
const LARGE: u64 = 0xfff0_0000;

/// Writes arrays into a file.
pub(crate) struct NpzWriter {
    zip: ZipWriter<StreamWriter<Sink>>,
    name: String,
}

impl NpzWriter {
    pub(crate) fn new(output: Output) -> Self {
        let name = output.name();
        Self { zip: ZipWriter::new_stream(Sink::new(output)), name }
    }

    /// Appends an array.
    pub(crate) fn put(&mut self, key: &BStr, array: &Array) -> Result<()> {
        let Ok(name) = key.to_str() else {
            return Err(Error::value(key, "expected a key in UTF-8, which names of arrays are"));
        };
        let (header, data) = npy::encode(array);
        let is_large = (header.len() + data.len()) as u64 >= LARGE;
        let options = SimpleFileOptions::default().compression_method(CompressionMethod::Stored).large_file(is_large);
        let started = self.zip.start_file(format!("{name}.npy"), options);
        started.map_err(|error| match error {
            zip::result::ZipError::Io(error) => self.failed(&error),
            error => Error::value(key, format!("{}: {error}", self.name)),
        })?;
        self.zip.write_all(&header).map_err(|error| self.failed(&error))?;
        for slice in data.slices() {
            self.zip.write_all(slice).map_err(|error| self.failed(&error))?;
        }
        Ok(())
    }

    fn failed(&self, error: &dyn std::fmt::Display) -> Error {
        Error::content(&self.name, error)
    }

    /// Writes the directory, and gives the output back.
    pub(crate) fn finish(self) -> Result<Output> {
        let name = self.name;
        self.zip.finish().map_err(|error| Error::content(&name, error))?.into_inner().take()
    }
}

/// Reads every array of a file, in the order of its directory.
pub(crate) fn read(name: &BStr, mut each: impl FnMut(&[u8], Array) -> Result<()>) -> Result<()> {
    let file = Places::open(name)?;
    let fault = |error: &dyn std::fmt::Display| Error::content(name, error);
    let mut zip = ZipArchive::new(file).map_err(|error| fault(&format!("expected a zip file of arrays: {error}")))?;
    for index in 0..zip.len() {
        let member = zip.by_index(index).map_err(|error| fault(&error))?;
        let path = member.name_raw().to_vec();
        if path.ends_with(b"/") {
            continue;
        }
        let key = path.strip_suffix(b".npy").unwrap_or(&path);
        let array = npy::read(&format!("{name}: {}", path.escape_ascii()), member)?;
        each(key, array)?;
    }
    Ok(())
}
