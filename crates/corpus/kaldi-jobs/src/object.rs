//! Outputs of pieces: files, and objects of stores.

use std::fs::{self, File};
use std::io::{self, BufReader, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use bstr::{BStr, BString, ByteSlice};
use kaldi_io::{Input, Output, is_remote, local_path, remote_name};

use crate::input_fingerprints::Stamp;
use crate::{Error, Result};

/// Bytes that are copied at once.
const BLOCK: usize = 1 << 18;

/// Where an output is kept.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Target {
    /// A file.
    File(PathBuf),
    /// An object of a store.
    Object(BString),
}

impl Target {
    /// What `name` names in a command that runs in `folder`.
    pub(crate) fn of(folder: &Path, name: &str) -> Self {
        if is_remote(name.as_bytes()) {
            return Self::Object(name.into());
        }
        // A name that is no valid address is left as it is: whoever opens it says why.
        let path = local_path(name.as_bytes()).unwrap_or_else(|_| name.as_bytes().into());
        Self::File(folder.join(path.to_path_lossy()))
    }

    /// The same for a name that is a path.
    pub(crate) fn of_path(folder: &Path, path: &Path) -> Self {
        match remote_name(path) {
            Some(name) => Self::Object(name.to_owned()),
            None => Self::File(folder.join(path)),
        }
    }

    pub(crate) fn display(&self) -> String {
        match self {
            Self::File(path) => path.display().to_string(),
            Self::Object(name) => String::from_utf8_lossy(&kaldi_io::log::hide_secrets(name)).into_owned(),
        }
    }

    fn unreadable(&self, source: io::Error) -> Error {
        Error::Read { path: self.display().into(), source }
    }

    fn unwritable(&self, source: io::Error) -> Error {
        Error::Write { path: self.display().into(), source }
    }

    /// How it is known again; `None` if it is not there.
    pub(crate) fn stamp(&self) -> Result<Option<Stamp>> {
        match self {
            Self::File(path) if !path.exists() => Ok(None),
            Self::File(path) => Stamp::read(path).map(Some),
            Self::Object(name) => match kaldi_io::store().and_then(|store| store.metadata(name.as_ref())) {
                Ok(facts) => Ok(Some(Stamp::of_object(facts))),
                Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
                Err(error) => Err(self.unreadable(error)),
            },
        }
    }

    /// Removes it; it may be missing. Of a symbolic link, the file is removed, and the link stays: it says where the output is kept.
    pub(crate) fn clear(&self) -> Result<()> {
        match self {
            Self::File(path) => match fs::canonicalize(path) {
                Ok(place) if place.is_file() => crate::folder::remove(&place),
                _ => Ok(()),
            },
            // Who may write need not be allowed to remove.
            Self::Object(_) => self.stamp()?.map_or(Ok(()), |_| self.remove()),
        }
    }

    /// Removes it; it may be missing.
    pub(crate) fn remove(&self) -> Result<()> {
        match self {
            Self::File(path) => crate::folder::remove(path),
            Self::Object(name) => {
                kaldi_io::store().and_then(|store| store.remove(name.as_ref())).map_err(|error| self.unwritable(error))
            }
        }
    }

    /// Its bytes.
    pub(crate) fn open(&self) -> Result<Box<dyn Read>> {
        match self {
            Self::File(path) => Ok(Box::new(File::open(path).map_err(Error::read(path))?)),
            Self::Object(name) => Ok(Box::new(Bytes(Input::open(name.as_ref())?))),
        }
    }

    pub(crate) fn lines(&self) -> Result<BufReader<Box<dyn Read>>> {
        Ok(BufReader::with_capacity(BLOCK, self.open()?))
    }

    /// Starts it anew: it appears when it is complete.
    pub(crate) fn create(&self) -> Result<Output> {
        match self {
            Self::File(path) => Ok(Output::create_file(path, path.display().to_string(), false)?),
            Self::Object(name) => Ok(Output::create(name.as_ref(), false)?),
        }
    }

    /// Appends its bytes to an output; returns their number. The system copies those of files.
    pub(crate) fn append_to(&self, output: &mut Output) -> Result<u64> {
        if let Self::File(path) = self {
            let source = File::open(path).map_err(Error::read(path))?;
            let length = source.metadata().map_err(Error::read(path))?.len();
            output.write_from(&Arc::new(source), 0..length)?;
            return Ok(length);
        }
        let (mut bytes, mut block, mut length) = (self.open()?, vec![0; BLOCK], 0);
        loop {
            let got = bytes.read(&mut block).map_err(|error| self.unreadable(error))?;
            if got == 0 {
                return Ok(length);
            }
            output.write_all(&block[..got])?;
            length += got as u64;
        }
    }

    /// Sees to it that the store takes such an object, before any work is done for it. Nothing is written.
    ///
    /// # Errors
    /// If nothing can be written under this name.
    pub(crate) fn check(&self) -> Result<()> {
        match self {
            Self::File(_) => Ok(()),
            Self::Object(name) => {
                let started = kaldi_io::store().and_then(|store| store.create(name.as_ref()));
                started.map(drop).map_err(|error| self.unwritable(error))
            }
        }
    }
}

/// The bytes of an input.
struct Bytes(Input);

impl Read for Bytes {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let mut bytes = Vec::with_capacity(buffer.len());
        let got = self.0.read_some(&mut bytes, buffer.len()).map_err(io::Error::other)?;
        buffer[..got].copy_from_slice(&bytes[..got]);
        Ok(got)
    }
}

/// The bytes that a name has, decompressed.
pub(crate) fn open_input(name: &BStr) -> Result<impl Read + use<>> {
    Ok(Bytes(Input::open(name)?))
}
