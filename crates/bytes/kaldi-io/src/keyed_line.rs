//! Lines with a key: most of Kaldi's text files.

use std::fmt;

use bstr::{BStr, ByteSlice};

use crate::{Lines, Result, is_space};

/// A line with a key and what belongs to it, such as `utt1 hello world`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyedLine<'a> {
    /// The first word; empty if the line is blank.
    pub key: &'a BStr,
    /// What is after the key, without white space at its ends.
    pub rest: &'a BStr,
}

impl<'a> KeyedLine<'a> {
    /// Splits a line at its first white space.
    pub fn split(line: &'a [u8]) -> Self {
        let line = trim(line);
        let end = line.iter().position(|&byte| is_space(byte)).unwrap_or(line.len());
        Self { key: line[..end].as_bstr(), rest: trim(&line[end..]).as_bstr() }
    }

    /// The words after the key.
    pub fn words(self) -> impl Iterator<Item = &'a BStr> {
        self.rest.split(|&byte| is_space(byte)).filter(|word| !word.is_empty()).map(ByteSlice::as_bstr)
    }

    /// The word at this place after the key, counted from 0, as a number.
    pub fn number_at(self, place: usize) -> Option<f64> {
        self.words().nth(place)?.to_str().ok()?.parse().ok()
    }
}

/// The key and the rest, with a blank between them.
impl fmt::Display for KeyedLine<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}{}", self.key, if self.rest.is_empty() { "" } else { " " }, self.rest)
    }
}

fn trim(line: &[u8]) -> &[u8] {
    let start = line.iter().position(|&byte| !is_space(byte)).unwrap_or(line.len());
    let end = line.iter().rposition(|&byte| !is_space(byte)).map_or(start, |last| last + 1);
    &line[start..end]
}

impl Lines {
    /// The number, from 1, and the content of the next line that is not blank; `None` at the end.
    ///
    /// # Errors
    /// As [`Lines::next_line`].
    pub fn next_keyed(&mut self) -> Result<Option<(u64, KeyedLine<'_>)>> {
        loop {
            match self.next_line()? {
                None => return Ok(None),
                Some(line) if trim(line).is_empty() => {}
                Some(_) => return Ok(Some((self.number(), KeyedLine::split(self.last_line())))),
            }
        }
    }
}

/// Passes every line of a text that is not blank to `each`, and returns how many there are.
///
/// # Errors
/// If it cannot be read, or is not text.
pub fn for_each_keyed_line(rxfilename: &BStr, mut each: impl FnMut(KeyedLine<'_>)) -> Result<u64> {
    let (mut lines, mut count) = (Lines::open(rxfilename)?, 0);
    while let Some((_, line)) = lines.next_keyed()? {
        count += 1;
        each(line);
    }
    Ok(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_has_a_key_and_words() {
        let line = KeyedLine::split(b" utt1\t 1  2.5 x \r");
        assert_eq!((line.key, line.rest), ("utt1".into(), "1  2.5 x".into()));
        assert_eq!(line.words().collect::<Vec<_>>(), ["1", "2.5", "x"]);
        assert_eq!(line.to_string(), "utt1 1  2.5 x");
        assert_eq!((line.number_at(1), line.number_at(2), line.number_at(3)), (Some(2.5), None, None));
        let alone = KeyedLine::split(b"utt1");
        assert_eq!((alone, alone.to_string().as_str()), (KeyedLine { key: "utt1".into(), rest: "".into() }, "utt1"));
        assert_eq!(KeyedLine::split(b" \x0b\r"), KeyedLine { key: "".into(), rest: "".into() });
    }

    #[test]
    fn blank_lines_are_counted_and_skipped() {
        let mut lines = Lines::open("printf 'a 1\\n\\n \\r\\nb' |".into()).unwrap();
        assert_eq!(lines.next_keyed().unwrap(), Some((1, KeyedLine { key: "a".into(), rest: "1".into() })));
        assert_eq!(lines.next_keyed().unwrap(), Some((4, KeyedLine { key: "b".into(), rest: "".into() })));
        assert_eq!(lines.next_keyed().unwrap(), None);
        assert_eq!(for_each_keyed_line("printf 'a\\n\\nb\\n' |".into(), |_| {}).unwrap(), 2);
    }
}
