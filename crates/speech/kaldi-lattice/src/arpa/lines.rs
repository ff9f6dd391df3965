//! Lines of a model, as they are read.

use kaldi_io::{BYTE_ORDER_MARK, Error, Input, ParseError, Result};
use memchr::memchr;

/// Bytes that are read at once.
const CHUNK: usize = 1 << 17;

/// The longest line.
const LONGEST: usize = 16 << 20;

/// Lines without their line ends, one at a time. A carriage return before a line end belongs to it, and so does a byte order
/// mark before the first line.
pub(super) struct ModelLines {
    input: Input,
    buffer: Vec<u8>,
    used: usize,
    number: u64,
    line: std::ops::Range<usize>,
    /// Whether the last line has no line end.
    is_open: bool,
}

impl ModelLines {
    pub(super) fn new(input: Input) -> Self {
        Self { input, buffer: Vec::new(), used: 0, number: 0, line: 0..0, is_open: false }
    }

    /// Goes to the next line; returns false at the end.
    pub(super) fn advance(&mut self) -> Result<bool> {
        let mut seen = 0;
        loop {
            let rest = &self.buffer[self.used..];
            if let Some(length) = memchr(b'\n', &rest[seen..]) {
                let (start, end) = (self.used, self.used + seen + length);
                self.used = end + 1;
                return Ok(self.found(start, end));
            }
            seen = rest.len();
            if seen > LONGEST {
                let at = self.input.offset().saturating_sub(seen as u64);
                let source = ParseError::new(0, "expected lines, got one of more than 16 MB");
                return Err(Error::content(self.input.name(), at, source).in_line(Some(self.number + 1)));
            }
            self.buffer.drain(..self.used);
            self.used = 0;
            if self.input.read_some(&mut self.buffer, CHUNK)? == 0 {
                break;
            }
        }
        if seen == 0 {
            return Ok(false);
        }
        self.is_open = true;
        self.used = self.buffer.len();
        Ok(self.found(0, seen))
    }

    fn found(&mut self, mut start: usize, mut end: usize) -> bool {
        self.number += 1;
        if self.number == 1 && self.buffer[start..end].starts_with(BYTE_ORDER_MARK) {
            start += BYTE_ORDER_MARK.len();
        }
        if self.buffer[start..end].ends_with(b"\r") {
            end -= 1;
        }
        self.line = start..end;
        true
    }

    /// The line. Empty before the first one.
    pub(super) fn line(&self) -> &[u8] {
        &self.buffer[self.line.clone()]
    }

    /// Whether the line stands at the end of the input and has no line end: it may be cut.
    pub(super) fn is_open(&self) -> bool {
        self.is_open
    }

    /// Its number, from 1.
    pub(super) fn number(&self) -> u64 {
        self.number
    }

    pub(super) fn name(&self) -> &str {
        self.input.name()
    }

    pub(super) fn is_compressed(&self) -> bool {
        self.input.is_compressed()
    }

    /// Closes the input, of which no more is needed. If that was all of it, a command has to succeed.
    pub(super) fn finish(mut self) -> Result<()> {
        if self.used == self.buffer.len() && !self.input.at_end() {
            self.input.expect_end();
            self.input.read_some(&mut self.buffer, 1)?;
        }
        self.input.finish()
    }
}
