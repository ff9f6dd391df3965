//! Inputs and outputs of tables as the standard library's readers and writers, which other libraries want.

use std::io::{self, Read, Seek, SeekFrom, Write};
use std::sync::Arc;

use bstr::BStr;
use bytes::Bytes;
use kaldi_io::{Input, Output, ReadAt};
use parquet::errors::ParquetError;
use parquet::file::reader::{ChunkReader, Length};

use crate::{Error, Result};

/// Bytes that are read at once.
const PIECE: usize = 1 << 16;

/// A stream that is read from its start to its end.
pub(crate) struct Stream {
    pub(crate) input: Input,
    buffer: Vec<u8>,
    at: usize,
}

impl Stream {
    pub(crate) fn open(name: &BStr) -> Result<Self> {
        Ok(Self::new(Input::open(name)?))
    }

    pub(crate) fn new(input: Input) -> Self {
        Self { input, buffer: Vec::new(), at: 0 }
    }

    /// Closes the stream, whose command may have failed.
    pub(crate) fn finish(mut self) -> Result<()> {
        Ok(self.input.finish()?)
    }
}

impl Read for Stream {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.at == self.buffer.len() {
            self.buffer.clear();
            self.at = 0;
            self.input.read_some(&mut self.buffer, PIECE).map_err(io::Error::other)?;
        }
        let count = out.len().min(self.buffer.len() - self.at);
        out[..count].copy_from_slice(&self.buffer[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}

/// A file that is read at any place.
#[derive(Clone)]
pub(crate) struct Places {
    source: Arc<dyn ReadAt>,
    at: u64,
}

impl Places {
    /// Opens a file; a stream has one place only.
    pub(crate) fn open(name: &BStr) -> Result<Self> {
        let input = Input::open(name)?;
        let refusal = "expected a regular file, got a stream: its directory is at the end, and is read first";
        let source = input.positioned().ok_or_else(|| Error::content(input.name(), refusal))?;
        Ok(Self { source, at: 0 })
    }

    /// Bytes of the file.
    pub(crate) fn length(&self) -> u64 {
        self.source.length()
    }

    fn piece(&self, offset: u64, length: usize) -> io::Result<Vec<u8>> {
        if offset.checked_add(length as u64).is_none_or(|end| end > self.length()) {
            let message = format!("expected {length} bytes from {offset} on, got {} in all", self.length());
            return Err(io::Error::new(io::ErrorKind::UnexpectedEof, message));
        }
        let mut bytes = Vec::new();
        self.source.read_at(offset, &mut bytes, length)?;
        Ok(bytes)
    }
}

impl Read for Places {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let left = self.source.length().saturating_sub(self.at);
        let count = usize::try_from(left).unwrap_or(usize::MAX).min(out.len()).min(1 << 20);
        out[..count].copy_from_slice(&self.piece(self.at, count)?);
        self.at += count as u64;
        Ok(count)
    }
}

impl Seek for Places {
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

impl Length for Places {
    fn len(&self) -> u64 {
        self.source.length()
    }
}

impl ChunkReader for Places {
    type T = io::BufReader<Self>;

    fn get_read(&self, start: u64) -> Result<Self::T, ParquetError> {
        Ok(io::BufReader::new(Self { at: start, ..self.clone() }))
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        Ok(self.piece(start, length)?.into())
    }
}

/// An output that other libraries write to; keeps what the system says, which they may pass on in other words.
pub(crate) struct Sink {
    /// Nothing once it was given back.
    output: Option<Output>,
    name: String,
    fault: Option<kaldi_io::Error>,
}

impl Sink {
    pub(crate) fn new(output: Output) -> Self {
        let name = output.name();
        Self { output: Some(output), name, fault: None }
    }

    /// Gives the output back.
    pub(crate) fn take(&mut self) -> Result<Output> {
        self.output.take().ok_or_else(|| Error::content(&self.name, "it is finished"))
    }

    /// The message of the system, if there is one, else that of the library.
    pub(crate) fn explain(&mut self, error: impl std::fmt::Display) -> Error {
        match self.fault.take() {
            Some(fault) => fault.into(),
            None => Error::content(&self.name, error),
        }
    }
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let Some(output) = &mut self.output else { return Err(io::ErrorKind::BrokenPipe.into()) };
        match output.write_all(bytes) {
            Ok(()) => Ok(bytes.len()),
            Err(error) => {
                let told = io::Error::other(error.to_string());
                self.fault = Some(error);
                Err(told)
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
