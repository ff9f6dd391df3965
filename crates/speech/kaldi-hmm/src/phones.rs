//! Lists and maps of phones, as command lines and files have them.

use std::collections::BTreeMap;

use bstr::BStr;
use kaldi_io::read_text_file;

use crate::{Error, Result};

/// Parses phones with colons between them, such as `1:2:3`; an empty text has none.
///
/// # Errors
/// If there is something else between the colons than an integer.
pub fn parse_phones(text: &[u8]) -> Result<Vec<i32>> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    let phone = |word: &[u8]| std::str::from_utf8(word).ok()?.trim_start().parse().ok();
    let phones: Option<_> = text.split(|&byte| byte == b':').map(phone).collect();
    phones.ok_or_else(|| Error::PhoneList { got: String::from_utf8_lossy(text).into_owned() })
}

/// The new phones of old ones, for a system with other phones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PhoneMap(BTreeMap<i32, i32>);

impl PhoneMap {
    /// Reads the map that an rxfilename names.
    ///
    /// # Errors
    /// Those of [`Self::parse`], and if the file cannot be read.
    pub fn read(rxfilename: &BStr) -> Result<Self> {
        let read = || {
            let (name, text) = read_text_file(rxfilename)?;
            Ok((name, text))
        };
        let (name, text) = read().map_err(|error: kaldi_io::Error| Error::Unreadable { message: error.to_string() })?;
        Self::parse(&text).map_err(|error| Error::Unreadable { message: format!("{name}: {error}") })
    }

    /// Parses lines of an old phone and its new one.
    ///
    /// # Errors
    /// If there are none, or a line is something else or maps a phone again.
    pub fn parse(text: &[u8]) -> Result<Self> {
        let mut map = BTreeMap::new();
        let lines = text.strip_suffix(b"\n").unwrap_or(text).split(|&byte| byte == b'\n');
        for (line, number) in lines.zip(1..) {
            let words = line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty());
            let integers: Option<Vec<i32>> = words.map(|word| std::str::from_utf8(word).ok()?.parse().ok()).collect();
            let is_new = match integers.as_deref() {
                Some(&[old, new]) => old > 0 && new > 0 && map.insert(old, new).is_none(),
                _ => false,
            };
            if !is_new && !text.is_empty() {
                return Err(Error::PhoneMap { line: number, got: String::from_utf8_lossy(line).into_owned() });
            }
        }
        if map.is_empty() {
            return Err(Error::PhoneMap { line: 0, got: String::new() });
        }
        Ok(Self(map))
    }

    /// The new phone of an old one.
    ///
    /// # Errors
    /// If there is none.
    pub fn get(&self, phone: i32) -> Result<i32> {
        self.0.get(&phone).copied().ok_or(Error::UnmappedPhone { got: phone })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn phones_have_colons_between_them() {
        assert_eq!(parse_phones(b""), Ok(vec![]));
        assert_eq!(parse_phones(b"1:22:+3"), Ok(vec![1, 22, 3]));
        for text in ["1,2", "1::2", ":", "a", "1:", "4294967296"] {
            assert!(parse_phones(text.as_bytes()).is_err(), "{text}");
        }
        let error = parse_phones(b"1,2").unwrap_err().to_string();
        assert_eq!(error, "expected phones such as 1:2:3, got \"1,2\"");
    }

    #[test]
    fn lines_map_old_phones_to_new_ones() {
        let map = PhoneMap::parse(b"3 1\n 4\t 1 \r\n7 9").unwrap();
        assert_eq!([3, 4, 7].map(|phone| map.get(phone)), [Ok(1), Ok(1), Ok(9)]);
        let error = map.get(1).unwrap_err().to_string();
        assert_eq!(error, "could not map phone 1: it is not in the map of phones");
    }

    #[test]
    fn other_lines_are_refused() {
        for (text, line) in
            [("1 2\n1 3\n", 2), ("1\n", 1), ("1 2 3\n", 1), ("\n", 1), ("0 1\n", 1), ("1 -1", 1), ("a 1", 1)]
        {
            let error = PhoneMap::parse(text.as_bytes()).unwrap_err();
            assert!(matches!(error, Error::PhoneMap { line: got, .. } if got == line), "{text:?}: {error}");
        }
        let empty = PhoneMap::parse(b"").unwrap_err().to_string();
        assert_eq!(empty, "expected lines of an old and a new phone, got an empty map");
    }
}
