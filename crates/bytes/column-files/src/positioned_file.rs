//! Positioned reads (`pread`) of files.

use std::fmt;
use std::io::{self, Read, Seek, SeekFrom};
use std::sync::Arc;

use bstr::BStr;
#[cfg(feature = "columns")]
use bytes::Bytes;
use kaldi_io::{Input, ReadAt};
#[cfg(feature = "columns")]
use parquet::{
    errors::ParquetError,
    file::reader::{ChunkReader, Length},
};

use crate::{Error, Result};

/// A file that is read at any place.
#[derive(Clone)]
pub struct FilePlaces {
    source: Arc<dyn ReadAt>,
    at: u64,
}

impl FilePlaces {
    /// Opens a file; a stream has one place only.
    ///
    /// # Errors
    /// If it cannot be opened, or is a stream.
    pub fn open(name: &BStr) -> Result<Self> {
        let input = Input::open(name)?;
        let refusal = "expected a regular file, got a stream: its directory is at the end, and is read first";
        let source = input.positioned().ok_or_else(|| Error::content(input.name(), refusal))?;
        Ok(Self { source, at: 0 })
    }

    /// What is read at any place.
    #[cfg(test)]
    pub(crate) fn new(source: Arc<dyn ReadAt>) -> Self {
        Self { source, at: 0 }
    }

    /// Bytes of the file.
    pub fn length(&self) -> u64 {
        self.source.length()
    }

    /// The same file, read from this offset on.
    pub(crate) fn starting_at(&self, at: u64) -> Self {
        Self { at, ..self.clone() }
    }

    /// So many bytes from a place on.
    pub(crate) fn piece(&self, offset: u64, length: usize) -> io::Result<Vec<u8>> {
        if offset.checked_add(length as u64).is_none_or(|end| end > self.length()) {
            let message = format!("expected {length} bytes from {offset} on, got {} in all", self.length());
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, message));
        }
        let mut bytes = Vec::new();
        self.source.read_at(offset, &mut bytes, length)?;
        Ok(bytes)
    }
}

impl fmt::Debug for FilePlaces {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("FilePlaces").field("at", &self.at).finish_non_exhaustive()
    }
}

impl Read for FilePlaces {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let left = self.source.length().saturating_sub(self.at);
        let count = usize::try_from(left).unwrap_or(usize::MAX).min(out.len()).min(1 << 20);
        out[..count].copy_from_slice(&self.piece(self.at, count)?);
        self.at += count as u64;
        Ok(count)
    }
}

impl Seek for FilePlaces {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let at = match to {
            SeekFrom::Start(at) => Some(at),
            SeekFrom::Current(by) => self.at.checked_add_signed(by),
            SeekFrom::End(by) => self.source.length().checked_add_signed(by),
        };
        self.at = at.ok_or_else(|| io::Error::from(io::ErrorKind::InvalidInput))?;
        Ok(self.at)
    }
}

#[cfg(feature = "columns")]
impl Length for FilePlaces {
    fn len(&self) -> u64 {
        self.source.length()
    }
}

#[cfg(feature = "columns")]
impl ChunkReader for FilePlaces {
    type T = io::BufReader<Self>;

    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        Ok(io::BufReader::new(self.starting_at(start)))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        Ok(self.piece(start, length)?.into())
    }
}
