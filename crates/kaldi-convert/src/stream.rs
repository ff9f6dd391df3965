//! Inputs and outputs of tables as the standard library's readers and writers, which other libraries want.

use std::io::{self, Read, Write};

use bstr::BStr;
use kaldi_io::{Input, Output};

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
