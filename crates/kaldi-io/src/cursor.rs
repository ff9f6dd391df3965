//! Reading of tokens, basic types and integer vectors from bytes in memory.

use std::borrow::Cow;

use byteorder::{ByteOrder, LittleEndian};
use memchr::memchr;

use crate::number;
use crate::{Basic, ParseError};

type Result<T> = std::result::Result<T, ParseError>;

/// A position in the bytes of a value.
///
/// Knows whether the value is binary, as its first bytes say, since the same token or number is laid out differently in
/// the two forms.
#[derive(Clone, Debug)]
pub struct Cursor<'a> {
    bytes: &'a [u8],
    at: usize,
    binary: bool,
    /// More bytes may follow those in memory.
    open: bool,
    /// Bytes that follow those in memory for certain, and can only be skipped.
    beyond: u64,
    /// What is doubtful about the value.
    warnings: Vec<ParseError>,
}

impl<'a> Cursor<'a> {
    /// Starts at the first byte, in text form until [`Cursor::read_marker`] finds the binary marker.
    pub fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, binary: false, open: false, beyond: 0, warnings: Vec::new() }
    }

    /// Like [`Cursor::new`] where more bytes may follow: a number or word that touches the end is not taken as whole.
    pub fn new_open(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, binary: false, open: true, beyond: 0, warnings: Vec::new() }
    }

    /// Like [`Cursor::new`] where `beyond` more bytes are known to follow, which can be skipped but not read.
    pub fn new_head(bytes: &'a [u8], beyond: u64) -> Self {
        Self { bytes, at: 0, binary: false, open: false, beyond, warnings: Vec::new() }
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

    /// The next byte, not consumed.
    pub fn peek(&self) -> Option<u8> {
        self.bytes.get(self.at).copied()
    }

    /// Consumes `count` bytes that are known to be there.
    pub fn advance(&mut self, count: usize) {
        self.at += count;
        debug_assert!(self.at <= self.bytes.len());
    }

    /// Consumes and returns the next `count` bytes.
    ///
    /// # Errors
    /// Where fewer are left.
    pub fn take(&mut self, count: usize) -> Result<&'a [u8]> {
        match self.rest().get(..count) {
            Some(bytes) => {
                self.at += count;
                Ok(bytes)
            }
            None => Err(ParseError::end(self.bytes.len(), format_args!("{count} bytes at {}", self.at))),
        }
    }

    /// Consumes `count` bytes whatever they are.
    ///
    /// # Errors
    /// Where fewer are left.
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

    /// Leaves word of something that is doubtful about the value, and no error: who reads the value knows the key to warn
    /// with.
    pub fn warn(&mut self, message: String) {
        self.warn_at(ParseError::new(0, message));
    }

    /// Like [`Cursor::warn`] where what is doubtful has a place, its offset from the cursor's start.
    pub fn warn_at(&mut self, warning: ParseError) {
        self.warnings.push(warning);
    }

    /// What [`Cursor::warn`] and [`Cursor::warn_at`] were told, once.
    pub fn take_warnings(&mut self) -> Vec<ParseError> {
        std::mem::take(&mut self.warnings)
    }

    /// A fault at the current position.
    pub fn error(&self, message: impl Into<Cow<'static, str>>) -> ParseError {
        ParseError::new(self.at, message)
    }

    /// The bytes end here where `expected` should follow.
    pub fn end(&self, expected: impl std::fmt::Display) -> ParseError {
        ParseError::end(self.at, expected)
    }

    /// Consumes the binary marker `\0B` where it is next, and remembers the form; returns whether it is binary.
    ///
    /// # Errors
    /// Where a zero byte is not followed by `B`.
    pub fn read_marker(&mut self) -> Result<bool> {
        match self.rest() {
            [0, b'B', ..] => {
                self.at += 2;
                self.binary = true;
            }
            [0] => return Err(ParseError::end(self.at + 1, "\"B\" of the binary marker")),
            [0, other, ..] => {
                return Err(
                    self.error(format!("expected the binary marker \"\\0B\", got \"\\0{}\"", printable(*other)))
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

    /// Consumes white space up to the end of the line, the newline left.
    pub fn skip_blanks(&mut self) {
        let rest = self.rest();
        self.at += rest.iter().position(|&byte| !is_space(byte) || byte == b'\n').unwrap_or(rest.len());
    }

    /// Consumes a line and returns it without its newline, which the last line may lack (C++'s `getline`).
    ///
    /// # Errors
    /// Where nothing is left.
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

    /// Consumes white space up to and with the newline.
    ///
    /// # Errors
    /// Where anything else is left on the line, or no newline follows.
    pub fn read_line_end(&mut self) -> Result<()> {
        self.skip_blanks();
        if self.peek() != Some(b'\n') {
            return Err(self.expected("a newline"));
        }
        self.at += 1;
        Ok(())
    }

    /// Consumes white space, with the newline where it is next; returns whether the line has ended, as it also does
    /// where the bytes end.
    ///
    /// # Errors
    /// Where the bytes end, but more may follow.
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

    /// Consumes the newline behind the closing bracket of a text vector where it is next: `\n`, or `\r` with any byte
    /// that follows.
    ///
    /// # Errors
    /// Where the bytes end, but more may follow.
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
    /// Where only white space is left.
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
    /// Where the bytes end, or no white space follows.
    pub fn read_token(&mut self) -> Result<&'a [u8]> {
        self.skip_space();
        let rest = self.rest();
        let Some(length) = rest.iter().position(|&byte| is_space(byte)) else {
            return Err(ParseError::end(self.bytes.len(), "a token and a space"));
        };
        self.at += length + 1;
        Ok(&rest[..length])
    }

    /// Consumes the token `expected`.
    ///
    /// # Errors
    /// Where another token or none is there.
    pub fn expect_token(&mut self, expected: &str) -> Result<()> {
        self.skip_space();
        let start = self.at;
        let token = self.read_token().map_err(|mut error| {
            if error.at_end {
                error.message = format!("expected token \"{expected}\", got the end of the input").into();
            }
            error
        })?;
        if token == expected.as_bytes() {
            return Ok(());
        }
        Err(ParseError::new(start, format!("expected token \"{expected}\", got \"{}\"", excerpt(token))))
    }

    /// Consumes a number or truth value (Kaldi's `ReadBasicType`).
    ///
    /// # Errors
    /// Where there is none, its size byte is of another type, or it does not fit.
    pub fn read_basic<T: Basic>(&mut self) -> Result<T> {
        if self.binary { T::read_binary(self) } else { T::read_text(self) }
    }

    /// Consumes integers as Kaldi's `ReadIntegerVector` does; the counterpart of
    /// [`write_int_vector`](crate::write_int_vector).
    ///
    /// # Errors
    /// Where the form is not that of an integer vector or a number does not fit.
    pub fn read_int_vector(&mut self) -> Result<Vec<i32>> {
        if self.binary {
            let bytes = self.take_counted()?;
            return Ok(bytes.chunks_exact(4).map(LittleEndian::read_i32).collect());
        }
        let mut values = Vec::new();
        self.read_bracketed(|cursor| cursor.read_int_row(&mut values))?;
        Ok(values)
    }

    /// Consumes the header of a binary integer vector (size byte, count) and returns its elements' bytes.
    fn take_counted(&mut self) -> Result<&'a [u8]> {
        let size = self.take(1)?[0];
        if size != 4 {
            return Err(ParseError::new(self.at - 1, format!("expected element size 4, got {size}")));
        }
        let count = LittleEndian::read_i32(self.take(4)?);
        let Ok(count) = u64::try_from(count) else {
            return Err(ParseError::new(self.at - 4, format!("expected a count, got {count}")));
        };
        // A count below 2^31 times 4 bytes fits usize on every 64-bit machine.
        self.take((count * 4) as usize)
    }

    /// Consumes `[ ... ]`, calling `element` at each element; a newline after it is left.
    fn read_bracketed(&mut self, mut element: impl FnMut(&mut Self) -> Result<()>) -> Result<()> {
        self.skip_space();
        if self.peek() != Some(b'[') {
            return Err(self.expected("\"[\""));
        }
        self.at += 1;
        loop {
            self.skip_space();
            match self.peek() {
                Some(b']') => {
                    self.at += 1;
                    return Ok(());
                }
                Some(_) => element(self)?,
                None => return Err(self.end("\"]\"")),
            }
        }
    }

    /// A fault that shows what stands at the cursor instead of `wanted`.
    pub fn expected(&self, wanted: &str) -> ParseError {
        let rest = self.rest();
        let length = rest.iter().position(|&byte| is_space(byte)).unwrap_or(rest.len());
        match length {
            0 if rest.is_empty() => self.end(wanted),
            0 => self.error(format!("expected {wanted}, got \"{}\"", printable(rest[0]))),
            _ => self.error(format!("expected {wanted}, got \"{}\"", excerpt(&rest[..length]))),
        }
    }

    /// Consumes a number in text form that stands on the same line, `wanted` where there is none.
    ///
    /// # Errors
    /// Where the line ends or anything else is there, or the number does not fit.
    pub fn read_on_line<T: Basic>(&mut self, wanted: &str) -> Result<T> {
        self.skip_blanks();
        match self.peek() {
            None | Some(b'\n') => Err(self.expected(wanted)),
            Some(_) => T::read_text(self),
        }
    }

    /// Consumes integers in text form, up to the end of the line or to what ends a row for [`number::parse_i32_row`].
    ///
    /// # Errors
    /// Where not even one is there, or one does not fit.
    pub fn read_int_row(&mut self, values: &mut Vec<i32>) -> Result<()> {
        let before = values.len();
        match number::parse_i32_row(self.rest(), values) {
            Ok(length) if self.open && length == self.rest().len() => {
                Err(ParseError::end(self.bytes.len(), "a space after a number"))
            }
            Ok(_) if values.len() == before => Err(self.expected("an integer")),
            Ok(length) => {
                self.at += length;
                Ok(())
            }
            Err(error) => {
                // Reading it by itself words the fault.
                self.at += error.offset;
                values.push(i32::read_text(self)?);
                Ok(())
            }
        }
    }

    /// The bytes of the text number at the cursor, with white space before it consumed; `parse` tells its value and
    /// its length.
    pub(crate) fn read_number<T>(
        &mut self,
        what: &str,
        parse: impl FnOnce(&[u8]) -> std::result::Result<(T, usize), number::NumberError>,
    ) -> Result<T> {
        self.skip_space();
        match parse(self.rest()) {
            Ok((_, length)) if self.open && length == self.rest().len() => {
                Err(ParseError::end(self.bytes.len(), "a space after a number"))
            }
            Ok((value, length)) => {
                self.at += length;
                Ok(value)
            }
            Err(number::NumberError::OutOfRange) => {
                let word = self.rest().split(|&byte| is_space(byte)).next().unwrap_or_default();
                Err(self.error(format!("{what} is out of range: \"{}\"", excerpt(word))))
            }
            // What is no number may be the start of one, as "-" or "1e".
            Err(number::NumberError::Invalid) if self.open && !self.rest().iter().any(|&byte| is_space(byte)) => {
                Err(ParseError::end(self.bytes.len(), what))
            }
            Err(number::NumberError::Invalid) => Err(self.expected(what)),
        }
    }
}

/// C's `isspace` in the "C" locale.
pub fn is_space(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\n' | 0x0b | 0x0c | b'\r')
}

/// What is shown of data in a one-line message: at most 20 bytes, those that are not printable ASCII escaped.
pub fn excerpt(word: &[u8]) -> String {
    let cut = if word.len() > 20 { &word[..17] } else { word };
    let mut text: String = cut.iter().map(|&byte| printable(byte)).collect();
    if word.len() > 20 {
        text.push_str("...");
    }
    text
}

/// A byte as it may stand in a one-line message.
pub(crate) fn printable(byte: u8) -> String {
    match byte {
        b' '..=b'~' => char::from(byte).to_string(),
        _ => byte.escape_ascii().to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_marker_tells_the_form() {
        for (bytes, binary, offset) in
            [(&b"\0BFM "[..], true, 2), (b" [ 1 ]", false, 0), (b"B", false, 0), (b"", false, 0)]
        {
            let mut cursor = Cursor::new(bytes);
            assert_eq!((cursor.read_marker(), cursor.is_binary(), cursor.offset()), (Ok(binary), binary, offset));
        }
        assert!(!Cursor::new(b"\0C").read_marker().unwrap_err().at_end);
        assert!(Cursor::new(b"\0").read_marker().unwrap_err().at_end);
        assert!(Cursor::new_open(b"").read_marker().unwrap_err().at_end);
    }

    #[test]
    fn a_token_takes_one_byte_of_white_space_along() {
        for form in [&b""[..], b"\0B"] {
            let bytes = [form, b" FM  <X>\n"].concat();
            let mut cursor = Cursor::new(&bytes);
            cursor.read_marker().unwrap();
            assert_eq!(cursor.read_token().unwrap(), b"FM");
            assert_eq!(cursor.rest(), b" <X>\n");
            assert_eq!(cursor.read_token().unwrap(), b"<X>");
            assert_eq!(cursor.rest(), b"");
        }
        for bytes in [&b"FM"[..], b"", b"  "] {
            assert!(Cursor::new(bytes).read_token().unwrap_err().at_end);
        }
    }

    #[test]
    fn another_token_is_shown_beside_the_expected_one() {
        assert_eq!(Cursor::new(b"FM 1").expect_token("FM"), Ok(()));
        let error = Cursor::new(b" XM 1").expect_token("FM").unwrap_err();
        assert_eq!((error.offset, &*error.message), (1, "expected token \"FM\", got \"XM\""));
        let error = Cursor::new(b"FM").expect_token("FM").unwrap_err();
        assert_eq!((error.at_end, &*error.message), (true, "expected token \"FM\", got the end of the input"));
        let error = Cursor::new(b"\x01abcdefghijklmnopqrstuvw ").expect_token("FM").unwrap_err();
        assert_eq!(&*error.message, "expected token \"FM\", got \"\\x01abcdefghijklmnop...\"");
    }

    #[test]
    fn lines_and_words_end_as_in_streams() {
        let mut cursor = Cursor::new(b"a b\n\nc");
        assert_eq!(cursor.read_line(), Ok(&b"a b"[..]));
        assert_eq!(cursor.read_line(), Ok(&b""[..]));
        assert_eq!(cursor.clone().read_word(), Ok(&b"c"[..]));
        assert_eq!(cursor.read_line(), Ok(&b"c"[..]));
        assert!(cursor.read_line().unwrap_err().at_end);
        assert!(cursor.read_word().unwrap_err().at_end);

        let mut cursor = Cursor::new(b" \r\nx");
        assert_eq!(cursor.read_line_end(), Ok(()));
        assert!(!cursor.read_line_end().unwrap_err().at_end);
        assert_eq!(cursor.skip_line_end(), Ok(false));
        cursor.advance(1);
        assert_eq!(cursor.skip_line_end(), Ok(true));
        assert!(cursor.read_line_end().unwrap_err().at_end);
    }

    #[test]
    fn what_touches_an_open_end_is_not_taken_as_whole() {
        for bytes in ["", " ", "1", "-", "+", "1e", "1e+", "in"] {
            let cursor = Cursor::new_open(bytes.as_bytes());
            assert!(cursor.clone().read_basic::<f32>().unwrap_err().at_end, "{bytes}");
            assert!(cursor.clone().read_word().unwrap_err().at_end, "{bytes}");
            assert!(cursor.clone().read_line().unwrap_err().at_end, "{bytes}");
        }
        for bytes in ["", " ", "1", "-", "1 +", "1 23"] {
            let cursor = Cursor::new_open(bytes.as_bytes());
            assert!(cursor.clone().read_int_row(&mut Vec::new()).unwrap_err().at_end, "{bytes}");
            assert!(Cursor::new_open(format!("[ {bytes}").as_bytes()).read_int_vector().unwrap_err().at_end, "{bytes}");
        }
        assert_eq!(Cursor::new_open(b"1e5 ").read_basic(), Ok(1e5));
        assert!(!Cursor::new_open(b"- 1").read_basic::<i32>().unwrap_err().at_end);
        assert!(Cursor::new_open(b"").skip_line_end().unwrap_err().at_end);
    }

    #[test]
    fn binary_integer_vectors_are_as_long_as_they_say() {
        let read = |bytes: &[u8]| -> Result<_> {
            let mut cursor = Cursor::new(bytes);
            cursor.read_marker()?;
            cursor.read_int_vector()
        };
        let bytes = b"\0B\x04\x02\0\0\0\x07\0\0\0\xff\xff\xff\xff";
        assert_eq!(read(bytes), Ok(vec![7, -1]));
        for cut in 2..bytes.len() {
            assert!(read(&bytes[..cut]).is_err_and(|error| error.at_end), "{cut}");
        }
        assert!(read(b"\0B\x04\xff\xff\xff\x7f\0\0\0\0").is_err_and(|error| error.at_end));
        assert!(read(b"\0B\x04\xff\xff\xff\xff\0\0\0\0").is_err_and(|error| !error.at_end));
        assert!(read(b"\0B\x08\x01\0\0\0\0\0\0\0").is_err_and(|error| !error.at_end));
    }
}
