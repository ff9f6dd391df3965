//! The objects of a text in JSON, one at a time.

use bstr::BStr;

use crate::{Error, Lines, ParseError, Result};

/// The longest object of an array.
const LONGEST: usize = 16 << 20;

/// The lines of a text of which each is an object in JSON; or the elements of one array in JSON, each as one line, whatever lines
/// the text has.
#[derive(Debug)]
pub struct JsonObjects {
    lines: Lines,
    form: Form,
    /// The line of an array that is looked at.
    line: Vec<u8>,
    /// Where its rest begins.
    at: usize,
    /// The element delivered last.
    element: Vec<u8>,
    number: u64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Form {
    Unknown,
    Lines,
    Array,
    /// The array has ended.
    Ended,
}

impl JsonObjects {
    /// Opens what `rxfilename` names.
    ///
    /// # Errors
    /// As [`Lines::open`].
    pub fn open(rxfilename: &BStr) -> Result<Self> {
        let lines = Lines::open(rxfilename)?;
        Ok(Self { lines, form: Form::Unknown, line: Vec::new(), at: 0, element: Vec::new(), number: 0 })
    }

    /// The name of the stream in messages.
    pub fn name(&self) -> &str {
        self.lines.name()
    }

    /// Number of the line in which the object delivered last starts, from 1.
    pub fn number(&self) -> u64 {
        if self.form == Form::Lines { self.lines.number() } else { self.number }
    }

    /// Closes the stream; see [`Lines::finish`].
    ///
    /// # Errors
    /// If its command failed.
    pub fn finish(&mut self) -> Result<()> {
        self.lines.finish()
    }

    /// The next line, which may be blank, or element of the array; `None` at the end. What it is has to be seen by the caller.
    ///
    /// # Errors
    /// If the stream cannot be read, or an array has no end.
    pub fn next_line(&mut self) -> Result<Option<&[u8]>> {
        if self.form == Form::Unknown {
            match self.lines.next_line()? {
                Some(line) if line.trim_ascii_start().starts_with(b"[") => {
                    self.line = line.trim_ascii_start().to_vec();
                    self.at = 1;
                    self.form = Form::Array;
                }
                // Blank lines may come first.
                Some(line) if line.trim_ascii().is_empty() => {
                    self.number = self.lines.number();
                    return Ok(Some(b""));
                }
                None => return Ok(None),
                Some(_) => {
                    self.form = Form::Lines;
                    return Ok(Some(self.lines.last_line()));
                }
            }
        }
        match self.form {
            Form::Lines => self.lines.next_line(),
            Form::Ended => Ok(None),
            Form::Unknown | Form::Array => Ok(if self.read_element()? { Some(&self.element) } else { None }),
        }
    }

    /// Reads the next element of the array. Returns whether there is one.
    fn read_element(&mut self) -> Result<bool> {
        self.element.clear();
        let (mut depth, mut is_text, mut is_escaped) = (0_usize, false, false);
        loop {
            for &byte in &self.line[self.at..] {
                if self.element.is_empty() && (byte.is_ascii_whitespace() || byte == b',') {
                    self.at += 1;
                    continue;
                }
                if depth == 0 && !is_text && matches!(byte, b',' | b']') {
                    break;
                }
                if self.element.is_empty() {
                    self.number = self.lines.number();
                }
                self.at += 1;
                self.element.push(byte);
                match byte {
                    _ if is_escaped => is_escaped = false,
                    b'\\' if is_text => is_escaped = true,
                    b'"' => is_text = !is_text,
                    b'{' | b'[' if !is_text => depth += 1,
                    b'}' | b']' if !is_text => depth = depth.saturating_sub(1),
                    _ => {}
                }
                if depth == 0 && !is_text && matches!(byte, b'}' | b']') {
                    break;
                }
            }
            let rest = &self.line[self.at..];
            let is_whole = depth == 0 && !is_text;
            if is_whole && !self.element.is_empty() && (!rest.is_empty() || self.element.ends_with(b"}")) {
                return Ok(true);
            }
            if is_whole && self.element.is_empty() && rest.first() == Some(&b']') {
                return self.end();
            }
            if self.element.len() > LONGEST {
                return Err(self.error("expected objects in JSON, got one of more than 16 MB"));
            }
            if !self.element.is_empty() {
                self.element.push(b' ');
            }
            match self.lines.next_line()? {
                Some(line) => {
                    self.line = line.to_vec();
                    self.at = 0;
                }
                None => return Err(self.error("expected the rest of an array in JSON, got the end of the file")),
            }
        }
    }

    /// Nothing may follow the array.
    fn end(&mut self) -> Result<bool> {
        let mut after = self.line[self.at + 1..].to_vec();
        self.form = Form::Ended;
        loop {
            if !after.trim_ascii().is_empty() {
                return Err(self.error("expected nothing after the array in JSON, got more"));
            }
            match self.lines.next_line()? {
                Some(line) => after = line.to_vec(),
                None => return Ok(false),
            }
        }
    }

    fn error(&mut self, message: &str) -> Error {
        self.form = Form::Ended;
        Error::content(self.lines.name(), self.lines.offset(), ParseError::new(0, message.to_owned()))
            .in_line(Some(self.lines.number()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> (Vec<(u64, String)>, Option<String>) {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        let mut objects = JsonObjects::open(file.path().to_str().unwrap().into()).unwrap();
        let mut all = Vec::new();
        loop {
            match objects.next_line() {
                Ok(Some(line)) => {
                    let line = String::from_utf8(line.to_vec()).unwrap();
                    all.push((objects.number(), line));
                }
                Ok(None) => return (all, None),
                Err(error) => return (all, Some(error.to_string())),
            }
        }
    }

    fn texts(text: &str) -> Vec<String> {
        let (found, error) = all(text);
        assert_eq!(error, None);
        found.into_iter().map(|(_, text)| text).collect()
    }

    #[test]
    fn lines_stay_lines() {
        assert_eq!(texts("{\"a\": 1}\n\n{\"b\": 2}"), ["{\"a\": 1}", "", "{\"b\": 2}"]);
        assert_eq!(texts("\n{}\n"), ["", "{}"]);
        assert!(texts("").is_empty());
    }

    #[test]
    fn an_array_is_its_elements_with_the_lines_where_they_start() {
        let text = "\n[\n  {\n    \"a\": \"]},{\\\"\"\n  },\n  {\"b\": [1, {}]}, {\"c\": 3}\n]\n\n";
        let (found, error) = all(text);
        assert_eq!(error, None);
        let found: Vec<_> = found.iter().map(|(number, text)| (*number, text.replace("  ", ""))).collect();
        let expected = [(1, ""), (3, "{ \"a\": \"]},{\\\"\" }"), (6, "{\"b\": [1, {}]}"), (6, "{\"c\": 3}")];
        assert_eq!(found, expected.map(|(number, text)| (number, text.to_owned())));
        assert_eq!(texts("[{\"a\":1},{\"b\":2}]"), ["{\"a\":1}", "{\"b\":2}"]);
        assert_eq!(texts("[1, \"a\",\n true ]"), ["1", "\"a\"", "true "]);
        assert!(texts("[ ]").is_empty());
    }

    #[test]
    fn an_array_without_an_end_and_what_follows_one_are_errors() {
        for (text, message) in [
            ("[{\"a\": 1},", "expected the rest of an array in JSON, got the end of the file"),
            ("[{\"a\": ", "expected the rest of an array in JSON, got the end of the file"),
            ("[{}] {}", "expected nothing after the array in JSON, got more"),
            ("[]\n]", "expected nothing after the array in JSON, got more"),
        ] {
            let (_, error) = all(text);
            assert!(error.is_some_and(|error| error.ends_with(message)), "{text}");
        }
    }
}
