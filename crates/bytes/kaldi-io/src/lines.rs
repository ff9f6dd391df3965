//! Lines of text streams.

use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::ops::Range;
use std::path::Path;

use bstr::BStr;
use memchr::memchr;

use crate::{Error, ExpectedStream, Input, ParseError, Result, line_ends, recognize};

/// Bytes that are read at once.
const CHUNK: usize = 1 << 16;

/// The longest line.
const LONGEST: usize = 16 << 20;

/// The byte order mark that some programs write before text in UTF-8. It belongs to no key and no line.
pub const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// Text without the byte order mark before it.
pub fn without_mark(text: &[u8]) -> &[u8] {
    text.strip_prefix(BYTE_ORDER_MARK).unwrap_or(text)
}

/// Counts the lines of a file, of which the last may lack its line end.
///
/// # Errors
/// If the file cannot be read.
pub fn count_lines(path: &Path) -> io::Result<u64> {
    let mut reader = BufReader::with_capacity(1 << 18, File::open(path)?);
    let (mut count, mut last) = (0, b'\n');
    loop {
        let block = reader.fill_buf()?;
        let Some(&end) = block.last() else { return Ok(count + u64::from(last != b'\n')) };
        count += line_ends(block);
        last = end;
        let length = block.len();
        reader.consume(length);
    }
}

/// The lines of a text, read only as far as needed. A byte order mark before the first one is passed over.
#[derive(Debug)]
pub struct Lines {
    input: Input,
    /// What the lines are taken for.
    expected: ExpectedStream,
    ended: bool,
    buffer: Vec<u8>,
    /// Offset of the buffer's first byte in the stream.
    offset: u64,
    /// Bytes of the buffer that were delivered.
    used: usize,
    /// Where the line delivered last is in the buffer.
    line: Range<usize>,
    number: u64,
}

impl Lines {
    /// Opens what `rxfilename` names.
    ///
    /// # Errors
    /// As [`Input::open`].
    pub fn open(rxfilename: &BStr) -> Result<Self> {
        Self::open_as(rxfilename, ExpectedStream::Lines)
    }

    /// Opens what `rxfilename` names, which should be a list of this kind.
    ///
    /// # Errors
    /// As [`Input::open`].
    pub fn open_as(rxfilename: &BStr, expected: ExpectedStream) -> Result<Self> {
        let input = Input::open(rxfilename)?;
        let offset = input.offset();
        Ok(Self { input, expected, ended: false, buffer: Vec::new(), offset, used: 0, line: 0..0, number: 0 })
    }

    /// The name of the stream in messages.
    pub fn name(&self) -> &str {
        self.input.name()
    }

    /// Goes back to the first line.
    ///
    /// # Errors
    /// As [`Input::restart`].
    pub fn restart(&mut self) -> Result<()> {
        self.ended = true;
        self.buffer.clear();
        (self.used, self.line) = (0, 0..0);
        self.input.restart()?;
        self.offset = self.input.offset();
        self.number = 0;
        self.ended = false;
        Ok(())
    }

    /// Closes the stream; see [`Input::finish`].
    ///
    /// # Errors
    /// If its command failed.
    pub fn finish(&mut self) -> Result<()> {
        self.ended = true;
        self.input.finish()
    }

    /// Offset of the line delivered last in the stream.
    pub fn offset(&self) -> u64 {
        self.offset + self.line.start as u64
    }

    /// Number of the line delivered last, from 1.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Whether reading may have to wait, as everywhere but in a regular file.
    pub fn may_wait(&self) -> bool {
        self.input.remaining().is_none()
    }

    /// Whether the next line is in memory or in a regular file, so that reading it does not have to wait.
    pub fn has_line(&self) -> bool {
        self.ended || !self.may_wait() || memchr(b'\n', &self.buffer[self.used..]).is_some()
    }

    /// The next line, without its newline, which the last one may lack; `None` at the end.
    ///
    /// # Errors
    /// If the stream cannot be read, or is not text: [`Error::Content`] at a zero byte or a line of more than 16 MB. A
    /// pipe that failed is an error at its end; a last line without a newline can still be read.
    pub fn next_line(&mut self) -> Result<Option<&[u8]>> {
        // Bytes of the line that were checked.
        let mut seen = 0;
        let (end, next) = loop {
            let rest = &self.buffer[self.used..];
            if let Some(length) = memchr(b'\n', &rest[seen..]) {
                break (self.used + seen + length, self.used + seen + length + 1);
            }
            let is_empty = rest.is_empty();
            // Binary data may have no newline for a long time.
            self.check_text(seen, self.buffer.len())?;
            seen = rest.len();
            if seen > LONGEST {
                let offset = self.offset + self.used as u64;
                let source = ParseError::new(0, "expected lines, got one of more than 16 MB");
                return Err(Error::content(self.name(), offset, source).in_line(Some(self.number + 1)));
            }
            if !self.fill()? {
                if is_empty {
                    return Ok(None);
                }
                break (self.buffer.len(), self.buffer.len());
            }
        };
        self.check_text(seen.min(end - self.used), end)?;
        self.line = self.used..end;
        self.used = next;
        self.number += 1;
        Ok(Some(self.last_line()))
    }

    /// The line delivered last.
    pub(crate) fn last_line(&self) -> &[u8] {
        &self.buffer[self.line.clone()]
    }

    /// Refuses zero bytes before `end`, from the byte number `seen` of the undelivered bytes on.
    fn check_text(&self, seen: usize, end: usize) -> Result<()> {
        let Some(at) = memchr(0, &self.buffer[self.used + seen..end]) else { return Ok(()) };
        let at = seen + at;
        let offset = self.offset + (self.used + at) as u64;
        let is_first = self.offset == 0 && self.used == 0;
        let advice = is_first.then(|| recognize(&self.buffer, self.expected, self.name(), at)).flatten();
        let source = ParseError::new(0, "expected text, got binary data").with_advice(advice);
        Err(Error::content(self.name(), offset, source))
    }

    /// Reads on. Returns whether there was anything.
    fn fill(&mut self) -> Result<bool> {
        if self.ended {
            return Ok(false);
        }
        let is_start = self.offset == 0 && self.number == 0 && self.buffer.is_empty();
        self.buffer.drain(..self.used);
        self.offset += self.used as u64;
        self.used = 0;
        loop {
            if self.input.read_some(&mut self.buffer, CHUNK)? == 0 {
                break;
            }
            // A pipe may deliver less than a mark.
            let may_be_mark = self.buffer.len() < BYTE_ORDER_MARK.len() && BYTE_ORDER_MARK.starts_with(&self.buffer);
            if !(is_start && may_be_mark) {
                self.used = if is_start { self.buffer.len() - without_mark(&self.buffer).len() } else { 0 };
                return Ok(true);
            }
        }
        self.ended = true;
        self.input.finish()?;
        // What looked like the start of a mark.
        Ok(is_start && !self.buffer.is_empty())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(command: &str) -> Lines {
        Lines::open(command.into()).unwrap()
    }

    fn all(mut lines: Lines) -> Vec<String> {
        let mut all = Vec::new();
        while let Some(line) = lines.next_line().unwrap() {
            all.push(line.escape_ascii().to_string());
        }
        assert_eq!(lines.number(), all.len() as u64);
        assert_eq!(lines.next_line().unwrap(), None);
        all
    }

    #[test]
    fn the_last_newline_may_be_missing() {
        assert_eq!(all(lines("printf 'a b\\n\\nc\\r\\nd' |")), ["a b", "", "c\\r", "d"]);
        assert_eq!(all(lines("printf 'a\\n' |")), ["a"]);
        assert_eq!(all(lines("printf '\\n' |")), [""]);
        assert!(all(lines("true |")).is_empty());
    }

    #[test]
    fn lines_may_be_longer_than_what_is_read_at_once() {
        let long = all(lines("for n in 1 100000 200000; do head -c $n /dev/zero | tr '\\0' x; echo; done |"));
        assert_eq!(long.iter().map(String::len).collect::<Vec<_>>(), [1, 100_000, 200_000]);
    }

    #[test]
    fn a_line_may_be_in_memory_or_in_a_file() {
        let mut piped = lines("printf 'a\\nb' |");
        assert!(!piped.has_line());
        piped.next_line().unwrap();
        assert!(!piped.has_line());
        piped.next_line().unwrap();
        assert!(piped.has_line(), "the end waits for nobody either");
        let file = tempfile::NamedTempFile::new().unwrap();
        assert!(lines(file.path().to_str().unwrap()).has_line());
    }

    #[test]
    fn binary_data_is_refused_before_all_of_it_is_read() {
        let mut lines = lines("printf 'a\\nb\\0'; cat /dev/zero |");
        assert_eq!(lines.next_line().unwrap(), Some(&b"a"[..]));
        let message = lines.next_line().unwrap_err().to_string();
        assert!(message.ends_with(":3: expected text, got binary data"), "{message}");
        assert!(lines.next_line().is_err());
    }

    #[test]
    fn a_pipe_that_fails_is_an_error_behind_what_it_wrote() {
        let mut lines = lines("printf 'a\\nb'; exit 3 |");
        assert_eq!(lines.next_line().unwrap(), Some(&b"a"[..]));
        let error = lines.next_line().unwrap_err();
        assert!(error.to_string().contains("exit 3"), "{error}");
        assert_eq!(lines.next_line().unwrap(), Some(&b"b"[..]));
        assert_eq!(lines.next_line().unwrap(), None);
    }
}
