//! A source in the form that decoders need.

use std::io::{self, BufRead, Read};
use std::os::fd::BorrowedFd;

use crate::source::Source;

/// Bytes that are read at once.
const CHUNK: usize = 1 << 17;

/// A source with a buffer. It keeps its error, because decoders pass on only the text of one.
pub(super) struct Feed {
    source: Box<dyn Source>,
    buffer: Vec<u8>,
    used: usize,
    at_end: bool,
    fault: Option<io::Error>,
}

impl Feed {
    /// Delivers `buffer` first.
    pub(super) fn new(source: Box<dyn Source>, buffer: Vec<u8>) -> Self {
        Self { source, buffer, used: 0, at_end: false, fault: None }
    }

    /// Whether everything was delivered.
    pub(super) fn at_end(&self) -> bool {
        self.used == self.buffer.len() && self.at_end
    }

    pub(super) fn take_fault(&mut self) -> Option<io::Error> {
        self.fault.take()
    }

    /// Something that can be waited for; `None` if bytes are there.
    pub(super) fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        if self.used < self.buffer.len() { None } else { self.source.descriptor() }
    }

    pub(super) fn source(&mut self) -> &mut dyn Source {
        &mut *self.source
    }

    pub(super) fn into_source(self) -> Box<dyn Source> {
        self.source
    }
}

impl BufRead for Feed {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.used == self.buffer.len() && !self.at_end {
            self.buffer.clear();
            self.used = 0;
            match self.source.read_some(&mut self.buffer, CHUNK) {
                Ok(count) => self.at_end = count == 0,
                Err(error) => {
                    self.fault = Some(error);
                    return Err(io::Error::other("the source failed"));
                }
            }
        }
        Ok(&self.buffer[self.used..])
    }

    fn consume(&mut self, amount: usize) {
        self.used += amount;
    }
}

impl Read for Feed {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let there = self.fill_buf()?;
        let count = there.len().min(out.len());
        out[..count].copy_from_slice(&there[..count]);
        self.consume(count);
        Ok(count)
    }
}
