//! The grammar of a model: sections, counts, lines of n-grams.

use std::collections::{BTreeMap, VecDeque};
use std::ops::Range;

use bstr::{BStr, ByteSlice};
use kaldi_io::{Input, TextError, excerpt};

use super::lines::ModelLines;
use super::weights::{parse_log10, weight};

/// What comes next in a model.
#[derive(Clone, Debug, PartialEq)]
pub enum Event {
    /// The n-grams of this order follow.
    Section(usize),
    /// Something is odd, at the place that the text names.
    Warning(String),
    /// An n-gram. Its words are [`ArpaReader::word`].
    Ngram(Ngram),
}

/// The numbers of an n-gram, as negative natural logarithms.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Ngram {
    /// That of its probability.
    pub weight: f32,
    /// That of its back-off; -0 if it has none.
    pub back_off: f32,
    /// How far the logarithm of its probability is above 0, to base 10.
    pub excess: f32,
}

type Result<T> = std::result::Result<T, TextError>;

/// Reads a model a line at a time. No text is kept.
pub struct ArpaReader {
    lines: ModelLines,
    /// Announced numbers of n-grams by order.
    counts: BTreeMap<i32, i32>,
    /// The highest order.
    highest: usize,
    order: usize,
    /// N-grams of the section so far; `None` between sections.
    seen: Option<u64>,
    events: VecDeque<Event>,
    columns: Vec<Range<usize>>,
    is_done: bool,
}

fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t' | b'\r')
}

impl ArpaReader {
    /// Reads the header of a model: everything up to the section of words.
    ///
    /// # Errors
    /// If there is none, or it makes no sense.
    pub fn new(input: Input) -> Result<Self> {
        let mut reader = Self {
            lines: ModelLines::new(input),
            counts: BTreeMap::new(),
            highest: 0,
            order: 0,
            seen: None,
            events: VecDeque::new(),
            columns: Vec::new(),
            is_done: false,
        };
        reader.read_header()?;
        Ok(reader)
    }

    /// The highest order of n-grams, as announced.
    pub fn highest_order(&self) -> usize {
        self.highest
    }

    /// The order of the n-grams that come now.
    pub fn order(&self) -> usize {
        self.order
    }

    /// A word of the n-gram that came last.
    pub fn word(&self, index: usize) -> &BStr {
        self.column(index + 1)
    }

    /// The place of the line that came last.
    pub fn place(&self) -> String {
        format!("{}:{}", self.lines.name(), self.lines.number())
    }

    /// Its number, from 1.
    pub fn line_number(&self) -> u64 {
        self.lines.number()
    }

    /// The name of the file in messages.
    pub fn name(&self) -> &str {
        self.lines.name()
    }

    /// An error about the line that came last.
    pub fn error(&self, message: impl Into<String>) -> TextError {
        TextError::Line { name: self.lines.name().to_owned(), line: self.lines.number(), message: message.into() }
    }

    fn warn(&mut self, message: &str) {
        let warning = format!("{}: {message}", self.place());
        self.events.push_back(Event::Warning(warning));
    }

    fn column(&self, index: usize) -> &BStr {
        self.lines.line()[self.columns[index].clone()].as_bstr()
    }

    /// Goes to the next line that is not blank. The end of the file is an error, and so is what has no line end there, for it may
    /// be cut; only the last line of a model may lack it.
    fn advance(&mut self, expected: &str) -> Result<()> {
        loop {
            let is_there = self.lines.advance()?;
            if self.lines.is_compressed() {
                return Err(TextError::Whole {
                    name: self.lines.name().to_owned(),
                    message: "expected a model in ARPA format, got a compressed file; write 'gunzip -c FILE |'"
                        .to_owned(),
                });
            }
            let line = self.lines.line();
            let is_last = line.trim_ascii_end() == b"\\end\\";
            if !is_there || self.lines.is_open() && !is_last {
                let got = if is_there && !line.trim_ascii().is_empty() {
                    format!("a line that is cut, \"{}\"", excerpt(line.trim_ascii()))
                } else {
                    "the end of the file".to_owned()
                };
                return Err(self.error(format!("expected {expected}, got {got}")));
            }
            if !line.iter().all(|&byte| is_blank(byte)) {
                return Ok(());
            }
        }
    }

    fn read_header(&mut self) -> Result<()> {
        loop {
            self.advance("a line \\data\\ that begins a model in ARPA format")?;
            if self.lines.line().trim_ascii_end() == b"\\data\\" {
                break;
            }
        }
        loop {
            self.advance("a number of n-grams or the line \\1-grams:")?;
            let line = self.lines.line();
            if line.starts_with(b"\\") {
                break;
            }
            // White space may be around the first equals sign.
            let (before, after) =
                line.split_once_str("=").map_or((line, None), |(before, after)| (before, Some(after)));
            let columns = |text: &'_ [u8]| -> Vec<Vec<u8>> {
                let columns = text.split(|&byte| byte == b' ' || byte == b'\t').filter(|column| !column.is_empty());
                columns.map(<[u8]>::to_vec).collect()
            };
            let (before, after) = (columns(before), after.map(columns));
            match (&before[..], after.as_deref()) {
                ([name, order], Some([count])) if name == b"ngram" => {
                    let numbers = integer(order).zip(integer(count));
                    let Some((order, count)) = numbers.filter(|(order, _)| *order > 0) else {
                        let got = excerpt(self.lines.line().trim_ascii()).to_string();
                        return Err(
                            self.error(format!("expected an order over 0 and a number of n-grams, got \"{got}\""))
                        );
                    };
                    self.counts.insert(order, count);
                }
                _ => {
                    let got = excerpt(self.lines.line().trim_ascii()).to_string();
                    self.warn(&format!("uninterpretable line in the \\data\\ section: \"{got}\""));
                }
            }
        }
        match self.counts.last_key_value() {
            Some((&highest, _)) => self.highest = highest as usize,
            None => return Err(self.error("expected numbers of n-grams below \\data\\, got none")),
        }
        Ok(())
    }

    /// What comes next; `None` at the end of the model.
    ///
    /// # Errors
    /// If a line is not one of a model, or there are more n-grams than announced.
    pub fn next_event(&mut self) -> Result<Option<Event>> {
        loop {
            if let Some(event) = self.events.pop_front() {
                return Ok(Some(event));
            }
            if self.is_done {
                return Ok(None);
            }
            match self.seen {
                Some(seen) => {
                    if let Some(ngram) = self.next_ngram(seen)? {
                        return Ok(Some(Event::Ngram(ngram)));
                    }
                }
                None => self.next_section()?,
            }
        }
    }

    /// Looks at the line between two sections.
    fn next_section(&mut self) -> Result<()> {
        self.order += 1;
        let expected = if self.order > self.highest { b"\\end\\".to_vec() } else { heading(self.order) };
        if self.lines.line().trim_ascii_end() != expected {
            let got = excerpt(self.lines.line().trim_ascii()).to_string();
            return Err(self.error(format!("expected \"{}\", got \"{got}\"", expected.as_bstr())));
        }
        if self.order > self.highest {
            self.is_done = true;
            return Ok(());
        }
        if self.announced() == 0 {
            self.warn(&format!("no n-grams of order {} are announced: look for 'ngram {}='", self.order, self.order));
        }
        self.seen = Some(0);
        self.events.push_back(Event::Section(self.order));
        Ok(())
    }

    fn announced(&self) -> i64 {
        i64::from(self.counts.get(&(self.order as i32)).copied().unwrap_or(0))
    }

    fn next_ngram(&mut self, seen: u64) -> Result<Option<Ngram>> {
        self.advance("an n-gram or \\end\\")?;
        if self.lines.line().starts_with(b"\\") {
            let line = self.lines.line().trim_ascii_end();
            if line != heading(self.order + 1) && line != b"\\end\\" {
                let message = format!(
                    "expected an n-gram, \"{}\" or \"\\end\\\", got \"{}\"",
                    heading(self.order + 1).as_bstr(),
                    excerpt(line)
                );
                return Err(self.error(message));
            }
            self.check_count(seen)?;
            self.seen = None;
            return Ok(None);
        }
        self.seen = Some(seen + 1);
        self.ngram().map(Some)
    }

    fn check_count(&mut self, seen: u64) -> Result<()> {
        let (announced, order) = (self.announced(), self.order);
        if seen as i64 > announced {
            return Err(self.error(format!("expected {announced} n-grams of order {order} as announced, got {seen}")));
        }
        if (seen as i64) < announced {
            self.warn(&format!("expected {announced} n-grams of order {order} as announced, got {seen}"));
        }
        Ok(())
    }

    /// Parts the line into columns.
    fn ngram(&mut self) -> Result<Ngram> {
        self.columns.clear();
        let line = self.lines.line();
        let mut start = None;
        for (at, &byte) in line.iter().enumerate() {
            match (byte == b' ' || byte == b'\t', start) {
                (true, Some(from)) => {
                    self.columns.push(from..at);
                    start = None;
                }
                (false, None) => start = Some(at),
                _ => {}
            }
        }
        self.columns.extend(start.map(|from| from..line.len()));
        let (order, count) = (self.order, self.columns.len());
        let may_back_off = order < self.highest;
        if count != order + 1 && !(may_back_off && count == order + 2) {
            let or = if may_back_off { " and perhaps a back-off" } else { "" };
            return Err(self.error(format!("expected a probability, {order} words{or}, got {count} columns")));
        }
        let log_prob = self.number(0, "the logarithm of a probability")?;
        let back_off = if count > order + 1 { self.number(count - 1, "the logarithm of a back-off")? } else { 0.0 };
        if log_prob == f32::INFINITY {
            return Err(self.error("expected the logarithm of a probability, got infinity"));
        }
        Ok(Ngram { weight: weight(log_prob), back_off: weight(back_off), excess: log_prob })
    }

    fn number(&self, column: usize, what: &str) -> Result<f32> {
        let text = self.column(column);
        parse_log10(text).filter(|number| !number.is_nan()).ok_or_else(|| {
            let text = excerpt(text).to_string();
            self.error(format!("expected {what}, got \"{text}\""))
        })
    }

    /// Closes the file. If all of it was read, a command has to succeed.
    ///
    /// # Errors
    /// If the command failed.
    pub fn finish(self) -> Result<()> {
        Ok(self.lines.finish()?)
    }
}

fn heading(order: usize) -> Vec<u8> {
    format!("\\{order}-grams:").into_bytes()
}

fn integer(column: &[u8]) -> Option<i32> {
    let column = column.trim_ascii();
    let (number, length) = kaldi_value::number::parse_integer(column).ok()?;
    if length == column.len() { i32::try_from(number).ok() } else { None }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> std::result::Result<Vec<String>, String> {
        let input = Input::from_bytes("m", text.as_bytes().to_vec());
        let mut reader = ArpaReader::new(input).map_err(|error| error.to_string())?;
        let mut events = Vec::new();
        while let Some(event) = reader.next_event().map_err(|error| error.to_string())? {
            events.push(match event {
                Event::Section(order) => format!("section {order}"),
                Event::Warning(warning) => warning,
                Event::Ngram(_) => {
                    let words: Vec<_> = (0..reader.order()).map(|index| reader.word(index).to_string()).collect();
                    words.join(" ")
                }
            });
        }
        Ok(events)
    }

    #[test]
    fn sections_follow_the_header() {
        let text = "\u{feff}\\data\\ \r\nngram 2 =1\nngram 1= 2\nodd\n\n\\1-grams:\n-1 a -2\r\n -1\tb\n\\2-grams:\n-1 a b\n\\end\\ ";
        let warning = "m:4: uninterpretable line in the \\data\\ section: \"odd\"";
        assert_eq!(read(text).unwrap(), [warning, "section 1", "a", "b", "section 2", "a b"]);
    }

    #[test]
    fn counts_are_claims() {
        let text = |count: &str| format!("\\data\\\nngram 1={count}\n\\1-grams:\n-1 a\n\\end\\\n");
        let warning = "m:5: expected 2 n-grams of order 1 as announced, got 1";
        assert_eq!(read(&text("2")).unwrap(), ["section 1", "a", warning]);
        assert_eq!(read(&text("0")).unwrap_err(), "m:5: expected 0 n-grams of order 1 as announced, got 1");
        let none = "m:3: no n-grams of order 1 are announced: look for 'ngram 1='";
        assert_eq!(read("\\data\\\nngram 1=0\n\\1-grams:\n\\end\\").unwrap(), [none, "section 1"]);
        assert!(
            read("\\data\\\nngram 1000000000=1\n\\1-grams:\n\\end\\").is_err_and(|error| error.contains("\\2-grams:"))
        );
    }

    #[test]
    fn what_is_no_model_is_refused_with_its_line() {
        let start = "\\data\\\nngram 1=1\nngram 2=1\n\\1-grams:\n";
        for (text, message) in [
            ("", "m:0: expected a line \\data\\ that begins a model in ARPA format, got the end of the file"),
            ("\\data\\\n\\1-grams:\n", "m:2: expected numbers of n-grams below \\data\\, got none"),
            ("\\data\\\nngram 0=1\n", "m:2: expected an order over 0 and a number of n-grams, got \"ngram 0=1\""),
            ("\\data\\\nngram 1==1\n", "m:2: expected an order over 0 and a number of n-grams, got \"ngram 1==1\""),
            ("\\data\\\nngram 1=1\n\\2-grams:\n", "m:3: expected \"\\1-grams:\", got \"\\2-grams:\""),
            (&format!("{start}-1 a"), "m:5: expected an n-gram or \\end\\, got a line that is cut, \"-1 a\""),
            (&format!("{start}-1 a\n\\end\\"), "m:6: expected \"\\2-grams:\", got \"\\end\\\""),
            (
                &format!("{start}-1 a -1 -1\n"),
                "m:5: expected a probability, 1 words and perhaps a back-off, got 4 columns",
            ),
            (&format!("{start}-1 a nan\n"), "m:5: expected the logarithm of a back-off, got \"nan\""),
            (&format!("{start}inf a\n"), "m:5: expected the logarithm of a probability, got infinity"),
            (&format!("{start}\\odd\n"), "m:5: expected an n-gram, \"\\2-grams:\" or \"\\end\\\", got \"\\odd\""),
        ] {
            assert_eq!(read(text).unwrap_err(), message, "{text}");
        }
    }
}
