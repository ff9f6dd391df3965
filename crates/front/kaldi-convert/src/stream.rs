//! Inputs of tables as the standard library's readers, which other libraries want.

use std::io::{self, Read};

use bstr::BStr;
use kaldi_io::Input;

use crate::Result;

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
