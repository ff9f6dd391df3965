//! Maps of phones, for systems with other phones.

use std::collections::BTreeMap;

use crate::{Error, Result};

/// The new phones of old ones, for a system with other phones.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PhoneMap(BTreeMap<i32, i32>);

impl PhoneMap {
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
