//! An input as the decoders want it.

use std::io::{self, BufRead, Read};

use kaldi_io::Input;

/// Bytes that are read at once.
const CHUNK: usize = 1 << 17;

/// An input with a buffer. A failure of the input is kept, since decoders pass on but its text.
pub(crate) struct InputReader {
    input: Input,
    buffer: Vec<u8>,
    used: usize,
    fault: Option<kaldi_io::Error>,
}

impl InputReader {
    /// Reads `buffer` first.
    pub(crate) fn new(input: Input, buffer: Vec<u8>) -> Self {
        Self { input, buffer, used: 0, fault: None }
    }

    /// Whether everything was delivered.
    pub(crate) fn at_end(&self) -> bool {
        self.used == self.buffer.len() && self.input.at_end()
    }

    pub(crate) fn take_fault(&mut self) -> Option<kaldi_io::Error> {
        self.fault.take()
    }

    pub(crate) fn into_input(self) -> Input {
        self.input
    }
}

impl BufRead for InputReader {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.used == self.buffer.len() && !self.input.at_end() {
            self.buffer.clear();
            self.used = 0;
            if let Err(error) = self.input.read_some(&mut self.buffer, CHUNK) {
                self.fault = Some(error);
                return Err(io::Error::other("the input failed"));
            }
        }
        Ok(&self.buffer[self.used..])
    }

    fn consume(&mut self, amount: usize) {
        self.used += amount;
    }
}

impl Read for InputReader {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let there = self.fill_buf()?;
        let count = there.len().min(out.len());
        out[..count].copy_from_slice(&there[..count]);
        self.consume(count);
        Ok(count)
    }
}
