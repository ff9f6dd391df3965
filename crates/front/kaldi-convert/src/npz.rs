//! NumPy's files of many arrays, from and to the streams of tables.

use std::io;

use array_files::npz;
use bstr::{BStr, BString, ByteSlice};
use column_files::FilePlaces;
use kaldi_io::Output;

use crate::array::Array;
use crate::import::NamedArrays;
use crate::npy;
use crate::{Error, Result};

/// Writes arrays into a file.
pub(crate) struct NpzWriter {
    npz: npz::NpzWriter<Output>,
    name: String,
}

impl NpzWriter {
    pub(crate) fn new(output: Output) -> Self {
        let name = output.name();
        Self { npz: npz::NpzWriter::new(output), name }
    }

    /// Appends an array.
    pub(crate) fn put(&mut self, key: &BStr, array: &Array) -> Result<()> {
        let Ok(name) = key.to_str() else {
            return Err(Error::value(key, "expected a key in UTF-8, which names of arrays are"));
        };
        let (header, data) = npy::encode(array);
        let pieces: Vec<&[u8]> = std::iter::once(&header[..]).chain(data.slices()).collect();
        self.npz.put(name, pieces.iter().copied()).map_err(|error| match error {
            array_files::Error::Io(error) => written(&self.name, error),
            error if error.to_string().contains("Duplicate filename") => {
                Error::value(key, format!("{}: expected each key once, got it again", self.name))
            }
            error => Error::value(key, format!("{}: {error}", self.name)),
        })
    }

    /// Writes the directory, and gives the output back.
    pub(crate) fn finish(self) -> Result<Output> {
        self.npz.finish().map_err(|error| match error {
            array_files::Error::Io(error) => written(&self.name, error),
            error => Error::content(&self.name, error),
        })
    }
}

/// The error of the output, if there is one, or that of the library.
fn written(name: &str, error: io::Error) -> Error {
    error.downcast::<kaldi_io::Error>().map_or_else(|error| Error::content(name, error), Error::Io)
}

/// The arrays of a file, in the order of its directory.
pub(crate) struct NpzArrays {
    npz: npz::NpzReader<FilePlaces>,
    name: BString,
}

impl NpzArrays {
    pub(crate) fn open(name: &BStr) -> Result<Self> {
        let npz = npz::NpzReader::open(FilePlaces::open(name)?).map_err(|error| Error::content(name, error))?;
        Ok(Self { npz, name: name.to_owned() })
    }
}

impl NamedArrays for NpzArrays {
    fn names(&mut self) -> Result<Vec<BString>> {
        let names = self.npz.names().map_err(|error| Error::content(&self.name, error))?;
        Ok(names.iter().map(|path| key_of(path).into()).collect())
    }

    fn next_array(&mut self) -> Result<Option<(BString, Array)>> {
        let next = self.npz.next_member().map_err(|error| Error::content(&self.name, error))?;
        let Some((path, member)) = next else { return Ok(None) };
        let place = format!("{}: {}", self.name, kaldi_io::printable(&path));
        Ok(Some((key_of(&path).into(), npy::read(&place, member)?)))
    }
}

fn key_of(path: &[u8]) -> &[u8] {
    path.strip_suffix(b".npy").unwrap_or(path)
}
