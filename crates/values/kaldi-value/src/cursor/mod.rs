//! Reading of tokens and of text from bytes in memory.

use std::borrow::Cow;

use memchr::memchr;

use kaldi_io::ParseError;
use kaldi_io::{excerpt, is_space};

type Result<T> = std::result::Result<T, ParseError>;

/// A position in the bytes of a value.
///
/// It knows from the first bytes whether the value is binary, since a token or number looks different in the two forms.
#[derive(Clone, Debug)]
pub struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    binary: bool,
    /// Whether more bytes may follow those in memory.
    open: bool,
    /// The number of bytes that are known to follow those in memory; they can only be skipped.
    beyond: u64,
    /// Warnings about the value.
    warnings: Vec<ParseError>,
    /// How many of the numbers that were counted are infinite or NaN, and how many there are.
    odd_numbers: (usize, usize),
}

impl<'a> Cursor<'a> {
    /// Starts at the first byte, in text form until [`Cursor::read_marker`] finds the binary marker.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, binary: false, open: false, beyond: 0, warnings: Vec::new(), odd_numbers: (0, 0) }
    }

    /// Like [`Cursor::new`], but more bytes may follow: a number or word that touches the end does not count as
    /// complete.
    pub fn new_open(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, binary: false, open: true, beyond: 0, warnings: Vec::new(), odd_numbers: (0, 0) }
    }

    /// Like [`Cursor::new`], but `beyond` more bytes are known to follow, which can be skipped but not read.
    pub fn new_head(bytes: &'a [u8], beyond: u64) -> Self {
        Self { bytes, at: 0, binary: false, open: false, beyond, warnings: Vec::new(), odd_numbers: (0, 0) }
    }

    /// Bytes consumed so far.
    pub fn offset(&self) -> usize {
        self.at
    }

    /// Whether the value is in binary form.
    pub fn is_binary(&self) -> bool {
        self.binary
    }

    /// The bytes that are not consumed yet.
    pub fn rest(&self) -> &'a [u8] {
        &self.bytes[self.at..]
    }

    /// How many bytes are known to follow those in memory.
    pub fn beyond(&self) -> u64 {
        self.beyond
    }

    /// The next byte, not consumed.
    pub fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Consumes `count` bytes, which must be there.
    pub fn advance(&mut self, count: usize) {
        self.at += count;
        debug_assert!(self.at <= self.bytes.len());
    }

    /// Consumes and returns the next `count` bytes.
    ///
    /// # Errors
    /// If fewer are left.
    pub fn take(&mut self, count: usize) -> Result<&'a [u8]> {
        match self.rest().get(..count) {
            Some(bytes) => {
                self.at += count;
                Ok(bytes)
            }
            None => Err(ParseError::end(self.bytes.len(), format_args!("{count} bytes at {}", self.at))),
        }
    }

    /// Consumes any `count` bytes.
    ///
    /// # Errors
    /// If fewer are left.
    pub fn skip(&mut self, count: u64) -> Result<()> {
        let in_memory = self.rest().len() as u64;
        if count <= in_memory {
            self.at += count as usize;
        } else if count - in_memory <= self.beyond {
            self.at = self.bytes.len();
            self.beyond -= count - in_memory;
        } else {
            return Err(ParseError::end(self.bytes.len(), format_args!("{count} bytes at {}", self.at)));
        }
        Ok(())
    }

    /// Adds a warning about something doubtful in the value. The caller, who knows the key, logs it.
    pub fn warn(&mut self, message: String) {
        self.warn_at(ParseError::new(0, message));
    }

    /// Like [`Cursor::warn`], with a place: its offset from the cursor's start.
    pub fn warn_at(&mut self, warning: ParseError) {
        self.warnings.push(warning);
    }

    /// Counts numbers of the value, of which `odd` are infinite or NaN. If there are such, there is one warning, however
    /// many parts the value has. Kaldi warns of each in a text.
    pub fn count_numbers(&mut self, odd: usize, all: usize) {
        self.odd_numbers = (self.odd_numbers.0 + odd, self.odd_numbers.1 + all);
    }

    /// Returns the warnings of [`Cursor::warn`], [`Cursor::warn_at`] and [`Cursor::count_numbers`], and forgets them.
    pub fn take_warnings(&mut self) -> Vec<ParseError> {
        if let (odd @ 1.., all) = std::mem::take(&mut self.odd_numbers) {
            self.warn(format!("{odd} of {all} numbers are infinite or NaN"));
        }
        std::mem::take(&mut self.warnings)
    }

    /// An error at the current position.
    pub fn error(&self, message: impl Into<Cow<'static, str>>) -> ParseError {
        ParseError::new(self.at, message)
    }

    /// The error for bytes that end where `expected` should follow.
    pub fn end(&self, expected: impl std::fmt::Display) -> ParseError {
        ParseError::end(self.at, expected)
    }

    /// Consumes the binary marker `\0B` if it is next, and remembers the form; returns whether it is binary.
    ///
    /// # Errors
    /// If a zero byte is not followed by `B`.
    pub fn read_marker(&mut self) -> Result<bool> {
        match self.rest() {
            [0, b'B', ..] => {
                self.at += 2;
                self.binary = true;
            }
            [0] => return Err(ParseError::end(self.at + 1, "\"B\" of the binary marker")),
            [0, other, ..] => {
                return Err(
                    self.error(format!("expected the binary marker \"\\0B\", got \"\\0{}\"", excerpt(&[*other])))
                );
            }
            [] if self.open => return Err(self.end("a value")),
            _ => self.binary = false,
        }
        Ok(self.binary)
    }

    /// Consumes white space (C's `isspace`).
    pub fn skip_space(&mut self) {
        let rest = self.rest();
        self.at += rest.iter().position(|&byte| !is_space(byte)).unwrap_or(rest.len());
    }

    /// Consumes white space up to the end of the line, without the newline.
    pub fn skip_blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.iter().position(|&byte| !is_space(byte) || byte == b'\n').unwrap_or(rest.len());
    }

    /// Consumes a line and returns it without its newline, which the last line may lack (C++'s `getline`).
    ///
    /// # Errors
    /// If nothing is left.
    pub fn read_line(&mut self) -> Result<&'a [u8]> {
        let rest = self.rest();
        let (line, length) = match memchr(b'\n', rest) {
            Some(length) => (&rest[..length], length + 1),
            None if self.open || rest.is_empty() => return Err(ParseError::end(self.bytes.len(), "a line")),
            None => (rest, rest.len()),
        };
        self.at += length;
        Ok(line)
    }

    /// Consumes white space up to the newline, included.
    ///
    /// # Errors
    /// If anything else is left on the line, or no newline follows.
    pub fn read_line_end(&mut self) -> Result<()> {
        self.skip_blanks();
        if self.peek() != Some(b'\n') {
            return Err(self.expected("a newline"));
        }
        self.at += 1;
        Ok(())
    }

    /// Consumes white space, including the newline if it is next; returns whether the line has ended, which is also
    /// true at the end of the bytes.
    ///
    /// # Errors
    /// If the bytes end, but more may follow.
    pub fn skip_line_end(&mut self) -> Result<bool> {
        self.skip_blanks();
        match self.peek() {
            Some(b'\n') => self.at += 1,
            Some(_) => return Ok(false),
            None if self.open => return Err(self.end("a newline")),
            None => {}
        }
        Ok(true)
    }

    /// Consumes the newline after the closing bracket of a text vector if it is next: `
    /// `, or `\r` with any byte that follows.
    ///
    /// # Errors
    /// If the bytes end, but more may follow.
    pub fn skip_newline(&mut self) -> Result<()> {
        match self.rest() {
            [b'\r', _, ..] => self.at += 2,
            [] | [b'\r'] if self.open => return Err(ParseError::end(self.bytes.len(), "a newline")),
            [b'\n' | b'\r', ..] => self.at += 1,
            _ => {}
        }
        Ok(())
    }

    /// Consumes a word (after white space, up to white space), as `istream >> string` does.
    ///
    /// # Errors
    /// If only white space is left.
    pub fn read_word(&mut self) -> Result<&'a [u8]> {
        self.skip_space();
        let rest = self.rest();
        let length = match rest.iter().position(|&byte| is_space(byte)) {
            Some(length) => length,
            None if self.open => return Err(ParseError::end(self.bytes.len(), "a space after a word")),
            None => rest.len(),
        };
        if length == 0 {
            return Err(self.end("a word"));
        }
        self.at += length;
        Ok(&rest[..length])
    }

    /// Consumes a token and the one white-space byte after it (Kaldi's `ReadToken`).
    ///
    /// White space may come before it, in binary form too.
    ///
    /// # Errors
    /// If the bytes end, or no white space follows.
    pub fn read_token(&mut self) -> Result<&'a [u8]> {
        self.skip_space();
        let rest = self.rest();
        let Some(length) = rest.iter().position(|&byte| is_space(byte)) else {
            return Err(ParseError::end(self.bytes.len(), "a token and a space"));
        };
        self.at += length + 1;
        Ok(&rest[..length])
    }

    /// Whether `word` is next, after white space.
    pub fn is_before(&self, word: &str) -> bool {
        let rest = self.rest();
        let space = rest.iter().take_while(|byte| is_space(**byte)).count();
        rest[space..].starts_with(word.as_bytes())
    }

    /// Consumes the token `expected`.
    ///
    /// # Errors
    /// If another token or none is there.
    pub fn expect_token(&mut self, expected: &str) -> Result<()> {
        self.skip_space();
        let start = self.at;
        let token = self.read_token().map_err(|mut error| {
            if error.at_end {
                error.message = format!("expected token \"{expected}\", got the end of the input").into();
            }
            error
        })?;
        // Kaldi forgives a missing first bracket.
        if token == expected.as_bytes() || expected.strip_prefix('<').is_some_and(|rest| token == rest.as_bytes()) {
            return Ok(());
        }
        Err(ParseError::new(start, format!("expected token \"{expected}\", got \"{}\"", excerpt(token))))
    }

    /// An error that shows the bytes at the cursor instead of `wanted`.
    pub fn expected(&self, wanted: &str) -> ParseError {
        let rest = self.rest();
        let length = rest.iter().position(|&byte| is_space(byte)).unwrap_or(rest.len());
        match length {
            0 if rest.is_empty() => self.end(wanted),
            0 => self.error(format!("expected {wanted}, got \"{}\"", excerpt(&rest[..1]))),
            _ => self.error(format!("expected {wanted}, got \"{}\"", excerpt(&rest[..length]))),
        }
    }

    /// Whether a number or word of `length` bytes at the cursor may be the start of a longer one.
    pub(crate) fn may_go_on(&self, length: usize) -> bool {
        self.open && length == self.rest().len()
    }

    /// The bytes of the text number at the cursor, after consuming white space before it; `parse` returns its value and
    /// its length.
    pub(crate) fn read_number<T>(
        &mut self,
        what: &str,
        parse: impl FnOnce(&[u8]) -> std::result::Result<(T, usize), crate::number::NumberError>,
    ) -> Result<T> {
        self.skip_space();
        match parse(self.rest()) {
            Ok((_, length)) if self.may_go_on(length) => {
                Err(ParseError::end(self.bytes.len(), "a space after a number"))
            }
            Ok((value, length)) => {
                self.at += length;
                Ok(value)
            }
            Err(crate::number::NumberError::OutOfRange) => {
                let word = self.rest().split(|&byte| is_space(byte)).next().unwrap_or_default();
                Err(self.error(format!("{what} is out of range: \"{}\"", excerpt(word))))
            }
            // If it is no number, it may be the start of one, such as "-" or "1e".
            Err(crate::number::NumberError::Invalid)
                if self.open && !self.rest().iter().any(|&byte| is_space(byte)) =>
            {
                Err(ParseError::end(self.bytes.len(), what))
            }
            Err(crate::number::NumberError::Invalid) => Err(self.expected(what)),
        }
    }
}

#[cfg(test)]
mod tests;
