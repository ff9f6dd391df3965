//! A dictionary that is long: programs look at its length only after a thousand values, so one of sound can have hundreds of megabytes.
//! Its values are in a file, and pages that name them become pages that have them.

use std::io::{self, Read};
use std::sync::Arc;

use kaldi_io::{Blob, Spool};

use crate::page_pieces::{Runs, append, length};

/// The values of a dictionary.
pub(crate) struct Dictionary {
    values: Blob,
    /// Where each value ends.
    ends: Vec<u64>,
}

impl Dictionary {
    /// Reads the values: the length of each in four bytes, and its bytes.
    pub(crate) fn read(mut source: impl Read, count: u32) -> Result<Self, String> {
        let mut values = Spool::default();
        let (mut ends, mut end, mut value) = (Vec::new(), 0, Vec::new());
        for _ in 0..count {
            let length = length(&mut source)?;
            value.clear();
            append(&mut source, length, &mut value)?;
            values.put(&value).map_err(|error| error.to_string())?;
            end += u64::from(length);
            ends.push(end);
        }
        // A checksum is that of all bytes.
        io::copy(&mut source, &mut io::sink()).map_err(|error| error.to_string())?;
        let values = values.into_blob("a dictionary").map_err(|error| error.to_string())?;
        Ok(Self { values, ends })
    }

    /// Appends a value after its length.
    fn append(&self, index: u32, out: &mut Vec<u8>) -> Result<(), String> {
        let index = index as usize;
        let Some(&end) = self.ends.get(index) else {
            let count = self.ends.len();
            return Err(format!("expected one of {count} values of the dictionary, got number {index}"));
        };
        let start = index.checked_sub(1).map_or(0, |before| self.ends[before]);
        let length = (end - start) as usize;
        out.extend((length as u32).to_le_bytes());
        match self.values.head().get(start as usize..end as usize) {
            Some(value) => out.extend_from_slice(value),
            None => self.values.read_at(start, out, length).map_err(|error| error.to_string())?,
        }
        Ok(())
    }
}

/// The values that a page names, each after its length.
pub(crate) struct NamedValues {
    dictionary: Arc<Dictionary>,
    names: Runs,
    /// The value that is being read, and how much of it was.
    value: Vec<u8>,
    at: usize,
}

impl NamedValues {
    /// Reads the names: the bits of each, and runs of them.
    pub(crate) fn open(mut source: impl Read, dictionary: &Arc<Dictionary>) -> Result<Self, String> {
        let mut bytes = Vec::new();
        source.read_to_end(&mut bytes).map_err(|error| error.to_string())?;
        let width = match bytes.first() {
            // There may be no value.
            None => 0,
            Some(&width @ 0..=32) => width,
            Some(width) => return Err(format!("expected at most 32 bits for the number of a value, got {width}")),
        };
        bytes.drain(..bytes.len().min(1));
        let names = Runs::new(bytes, width.into());
        Ok(Self { dictionary: Arc::clone(dictionary), names, value: Vec::new(), at: 0 })
    }
}

impl Read for NamedValues {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        if self.at == self.value.len() {
            self.value.clear();
            self.at = 0;
            let Some(name) = self.names.next() else { return Ok(0) };
            self.dictionary.append(name, &mut self.value).map_err(io::Error::other)?;
        }
        let count = out.len().min(self.value.len() - self.at);
        out[..count].copy_from_slice(&self.value[self.at..self.at + count]);
        self.at += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_become_values() {
        let values: [&[u8]; 3] = [b"a", b"", b"long"];
        let source: Vec<u8> = values.iter().flat_map(|it| [&(it.len() as u32).to_le_bytes(), *it].concat()).collect();
        let dictionary = Arc::new(Dictionary::read(&source[..], 3).unwrap());
        let named = |page: &[u8]| {
            let mut out = Vec::new();
            NamedValues::open(page, &dictionary)
                .unwrap()
                .read_to_end(&mut out)
                .map(|_| out)
                .map_err(|it| it.to_string())
        };
        // Two bits: twice the third; eight packed: 0 1 2 0 0 0 0 0.
        let all = named(&[2, 4, 2, 3, 0b10_0100, 0]).unwrap();
        assert!(all.starts_with(b"\x04\0\0\0long\x04\0\0\0long\x01\0\0\0a\0\0\0\0\x04\0\0\0long\x01\0\0\0a"));
        assert_eq!(named(&[]), Ok(Vec::new()));
        assert_eq!(named(&[8, 2, 3]).unwrap_err(), "expected one of 3 values of the dictionary, got number 3");
        assert!(NamedValues::open(&[33_u8][..], &dictionary).is_err());
        for cut in 0..source.len() {
            assert!(Dictionary::read(&source[..cut], 3).is_err(), "{cut}");
        }
    }
}
