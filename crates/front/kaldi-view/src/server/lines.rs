//! A list whose lines are found by number and by key, and stay in the file.

use std::collections::hash_map::RandomState;
use std::hash::BuildHasher;
use std::ops::Range;
use std::sync::Arc;

use bstr::{BStr, BString, ByteSlice};
use kaldi_io::{Input, KeyedLine, ReadAt};
use memchr::memchr;

use crate::Result;
use crate::server::failure::{Answer, Failure};

/// The offset of every line of this many is kept.
const STRIDE: usize = 64;

/// Bytes that are read at once.
const PIECE: usize = 1 << 20;

/// The longest line.
const LONGEST: usize = 16 << 20;

/// The bytes of a list.
#[derive(Debug)]
pub(crate) enum Bytes {
    /// In a file.
    Placed(Arc<dyn ReadAt>),
    /// Of a compressed file, of an object, or made here.
    Memory(Vec<u8>),
}

impl Bytes {
    pub fn open(name: &BStr) -> Result<Self> {
        let mut input = Input::open(name)?;
        match input.positioned().filter(|bytes| bytes.is_near()) {
            Some(bytes) => Ok(Self::Placed(bytes)),
            None => Ok(Self::Memory(input.read_to_end()?)),
        }
    }

    pub fn length(&self) -> u64 {
        match self {
            Self::Placed(bytes) => bytes.length(),
            Self::Memory(bytes) => bytes.len() as u64,
        }
    }

    /// Appends bytes from `offset` on: at most `limit`, fewer at the end.
    pub fn append(&self, offset: u64, limit: usize, buffer: &mut Vec<u8>) -> std::io::Result<usize> {
        let length = limit.min(usize::try_from(self.length().saturating_sub(offset)).unwrap_or(usize::MAX));
        match self {
            Self::Placed(bytes) => bytes.read_at(offset, buffer, length)?,
            Self::Memory(bytes) => buffer.extend_from_slice(&bytes[offset as usize..][..length]),
        }
        Ok(length)
    }
}

/// A line of a list: a key, and what is after it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct Line {
    pub key: BString,
    pub rest: BString,
}

impl Line {
    fn of(line: &[u8]) -> Self {
        let KeyedLine { key, rest } = KeyedLine::split(line);
        Self { key: key.into(), rest: rest.into() }
    }
}

/// How a key is found.
#[derive(Debug)]
enum KeyOrder {
    /// Keys ascend, byte by byte; equal ones are together.
    Sorted,
    /// A hash of each key, and the number of its line; sorted.
    Hashed(Vec<(u32, u32)>),
}

/// A list whose lines are found by number and by key. Empty lines do not count.
#[derive(Debug)]
pub(crate) struct KeyedLines {
    name: BString,
    bytes: Bytes,
    /// The offset of every 64th line.
    starts: Vec<u64>,
    count: u32,
    order: KeyOrder,
    hasher: RandomState,
}

impl KeyedLines {
    /// Reads the list once. The hashes of all keys come along.
    ///
    /// # Errors
    /// If it cannot be read, is not text, or has more than 2³² lines.
    pub fn open(name: &BStr, hasher: &RandomState) -> Result<(Self, Vec<u64>)> {
        Self::of(name, Bytes::open(name)?, hasher)
    }

    /// As [`KeyedLines::open`], of lines that are there already.
    ///
    /// # Errors
    /// As [`KeyedLines::open`].
    pub fn of(name: &BStr, bytes: Bytes, hasher: &RandomState) -> Result<(Self, Vec<u64>)> {
        let order = KeyOrder::Sorted;
        let mut lines =
            Self { name: name.to_owned(), bytes, starts: Vec::new(), count: 0, order, hasher: hasher.clone() };
        let (mut starts, mut hashes, mut last, mut is_sorted) = (Vec::new(), Vec::new(), BString::default(), true);
        let mut number = 0_u32;
        let scanned = lines.scan(|offset, line| {
            if (number as usize).is_multiple_of(STRIDE) {
                starts.push(offset);
            }
            let key = KeyedLine::split(line).key;
            hashes.push(hasher.hash_one(key));
            is_sorted = is_sorted && (number == 0 || last.as_slice() <= key);
            if is_sorted {
                last.clear();
                last.extend_from_slice(key);
            }
            number = number.saturating_add(1);
            Ok(())
        });
        scanned
            .map_err(|failure| crate::Error::List { name: name.to_owned(), message: failure.message().to_owned() })?;
        starts.shrink_to_fit();
        (lines.starts, lines.count) = (starts, number);
        if !is_sorted {
            let mut order: Vec<(u32, u32)> = hashes.iter().zip(0..).map(|(&hash, line)| (hash as u32, line)).collect();
            order.sort_unstable();
            lines.order = KeyOrder::Hashed(order);
        }
        Ok((lines, hashes))
    }

    pub fn name(&self) -> &BStr {
        self.name.as_bstr()
    }

    pub fn len(&self) -> u32 {
        self.count
    }

    pub fn is_sorted(&self) -> bool {
        matches!(self.order, KeyOrder::Sorted)
    }

    /// The lines of these numbers.
    pub fn read(&self, range: Range<u32>) -> Answer<Vec<Line>> {
        let end = range.end.min(self.count);
        let mut found = Vec::new();
        let mut number = range.start;
        while number < end {
            let block = number as usize / STRIDE;
            let mut at = (block * STRIDE) as u32;
            self.each_line(self.starts[block], self.starts.get(block + 1).copied(), |_, line| {
                if (number..end).contains(&at) {
                    found.push(Line::of(line));
                }
                at += 1;
                Ok(())
            })?;
            // The file may have been cut since.
            if found.len() < (at.min(end) - range.start) as usize || at <= number {
                return Err(self.failure("the file has changed"));
            }
            number = at;
        }
        Ok(found)
    }

    /// The line of this number.
    pub fn line(&self, number: u32) -> Answer<Line> {
        self.read(number..number + 1)?.pop().ok_or_else(|| self.failure("the file has changed"))
    }

    /// The number of the first line of a key.
    pub fn find(&self, key: &BStr) -> Answer<Option<u32>> {
        match &self.order {
            KeyOrder::Hashed(order) => {
                for number in self.same_hash(order, key) {
                    if self.line(number)?.key == key {
                        return Ok(Some(number));
                    }
                }
                Ok(None)
            }
            KeyOrder::Sorted => {
                // The last block whose first key is before this one; or else the first block.
                let (mut low, mut high) = (0, self.starts.len());
                while low < high {
                    let middle = low.midpoint(high);
                    match self.first_key(middle)?.as_slice() < key.as_bytes() {
                        true => low = middle + 1,
                        false => high = middle,
                    }
                }
                // It may be the first key of the block after that.
                let start = (low.saturating_sub(1) * STRIDE) as u32;
                let lines = self.read(start..start + STRIDE as u32 + 1)?;
                Ok(lines.iter().position(|line| line.key == key).map(|at| start + at as u32))
            }
        }
    }

    /// All lines of a key.
    pub fn find_all(&self, key: &BStr) -> Answer<Vec<Line>> {
        let mut found = Vec::new();
        match &self.order {
            KeyOrder::Hashed(order) => {
                let numbers: Vec<u32> = self.same_hash(order, key).collect();
                for run in numbers.chunk_by(|left, right| left + 1 == *right) {
                    found.extend(self.read(run[0]..run[0] + run.len() as u32)?);
                }
                found.retain(|line| line.key == key);
            }
            KeyOrder::Sorted => {
                let mut next = self.find(key)?.unwrap_or(self.count);
                while next < self.count {
                    let lines = self.read(next..next + STRIDE as u32)?;
                    next += lines.len() as u32;
                    let before = found.len();
                    found.extend(lines.into_iter().take_while(|line| line.key == key));
                    if (found.len() - before) < STRIDE {
                        break;
                    }
                }
            }
        }
        Ok(found)
    }

    /// The numbers of lines whose keys have the hash of this one.
    fn same_hash<'a>(&self, order: &'a [(u32, u32)], key: &BStr) -> impl Iterator<Item = u32> + 'a {
        let hash = self.hasher.hash_one(key.as_bytes()) as u32;
        let first = order.partition_point(|&(other, _)| other < hash);
        order[first..].iter().take_while(move |(other, _)| *other == hash).map(|(_, number)| *number)
    }

    /// The key of the first line of a block.
    fn first_key(&self, block: usize) -> Answer<BString> {
        let (mut bytes, offset) = (Vec::new(), self.starts[block]);
        let mut wanted = 128;
        loop {
            bytes.clear();
            let length = self.bytes.append(offset, wanted, &mut bytes).map_err(|error| self.failure(error))?;
            let text = bytes.trim_ascii_start();
            let end = text.iter().position(u8::is_ascii_whitespace);
            if end.is_some() || length < wanted || wanted > LONGEST {
                return Ok(text[..end.unwrap_or(text.len())].into());
            }
            wanted *= 4;
        }
    }

    /// Passes all lines that are not empty to `each`, with their offsets.
    pub fn scan(&self, each: impl FnMut(u64, &[u8]) -> Answer<()>) -> Answer<()> {
        self.each_line(0, None, each)
    }

    fn each_line(&self, start: u64, end: Option<u64>, mut each: impl FnMut(u64, &[u8]) -> Answer<()>) -> Answer<()> {
        let end = end.unwrap_or(u64::MAX).min(self.bytes.length());
        self.pieces(start..end, |offset, piece| {
            let mut at = 0;
            while at < piece.len() {
                let length = memchr(b'\n', &piece[at..]).unwrap_or(piece.len() - at);
                let line = &piece[at..at + length];
                if !line.trim_ascii().is_empty() {
                    each(offset + at as u64, line)?;
                }
                at += length + 1;
            }
            Ok(())
        })
    }

    /// Passes pieces of whole lines to `each`, with their offsets.
    pub fn pieces(&self, range: Range<u64>, mut each: impl FnMut(u64, &[u8]) -> Answer<()>) -> Answer<()> {
        let (mut buffer, mut start) = (Vec::new(), range.start);
        loop {
            let next = start + buffer.len() as u64;
            let limit = PIECE.min(usize::try_from(range.end.saturating_sub(next)).unwrap_or(PIECE));
            let length = self.bytes.append(next, limit, &mut buffer).map_err(|error| self.failure(error))?;
            let is_last = length == 0 || next + length as u64 >= range.end;
            if memchr(0, &buffer[buffer.len() - length..]).is_some() {
                return Err(self.failure("expected text, got binary data"));
            }
            let whole = match is_last {
                true => buffer.len(),
                false => buffer.rfind_byte(b'\n').map_or(0, |last| last + 1),
            };
            each(start, &buffer[..whole])?;
            buffer.drain(..whole);
            start += whole as u64;
            if is_last {
                return Ok(());
            }
            if buffer.len() > LONGEST {
                return Err(self.failure("expected lines, got one of more than 16 MB"));
            }
        }
    }

    fn failure(&self, error: impl std::fmt::Display) -> Failure {
        Failure::Unreadable(format!("{}: {error}", kaldi_io::printable_rxfilename(self.name.as_ref())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> (tempfile::NamedTempFile, KeyedLines, Vec<u64>) {
        let file = tempfile::NamedTempFile::new().unwrap();
        std::fs::write(file.path(), text).unwrap();
        let name = BString::from(file.path().as_os_str().as_encoded_bytes());
        let (lines, hashes) = KeyedLines::open(name.as_bstr(), &RandomState::new()).unwrap();
        (file, lines, hashes)
    }

    #[test]
    fn lines_are_found_by_number_and_by_key() {
        for is_sorted in [true, false] {
            let mut numbers: Vec<usize> = (0..1000).collect();
            if !is_sorted {
                numbers.reverse();
            }
            let text: String = numbers.iter().map(|number| format!("  u{number:04}\t value {number} \r\n\n")).collect();
            let (_file, lines, hashes) = lines(&text);
            assert_eq!((lines.len(), lines.is_sorted(), hashes.len()), (1000, is_sorted, 1000));
            for at in [0, 1, 63, 64, 65, 511, 998, 999_usize] {
                let line = lines.line(at as u32).unwrap();
                assert_eq!(line.key, format!("u{:04}", numbers[at]));
                assert_eq!(line.rest, format!("value {}", numbers[at]));
                assert_eq!(lines.find(line.key.as_bstr()), Ok(Some(at as u32)));
            }
            assert_eq!(lines.read(60..200).unwrap().len(), 140);
            assert_eq!(lines.read(990..2000).unwrap().len(), 10);
            for key in ["", "t", "u", "u00005", "u1000", "v"] {
                assert_eq!(lines.find(key.into()), Ok(None), "{key}");
            }
        }
    }

    #[test]
    fn a_list_may_be_empty_or_lack_its_last_newline() {
        let (_file, empty, _) = lines("\n \n");
        assert_eq!((empty.len(), empty.find("a".into()), empty.read(0..5)), (0, Ok(None), Ok(vec![])));
        let (_file, one, _) = lines("a b c");
        assert_eq!(one.line(0), Ok(Line { key: "a".into(), rest: "b c".into() }));
    }

    #[test]
    fn a_key_may_have_many_lines() {
        let (_file, mixed, _) = lines("b 1\na 2\nb 3\n");
        assert_eq!((mixed.find("b".into()), mixed.is_sorted()), (Ok(Some(0)), false));
        let rests = |lines: &KeyedLines, key: &str| -> Vec<String> {
            lines.find_all(key.into()).unwrap().into_iter().map(|line| line.rest.to_string()).collect()
        };
        assert_eq!(rests(&mixed, "b"), ["1", "3"]);
        let text: String = (0..300).map(|at| format!("{} {at}\n", ["a", "b", "c"][at / 100])).collect();
        let (_file, lines, _) = lines(&text);
        assert!(lines.is_sorted());
        for (at, key) in ["a", "b", "c"].into_iter().enumerate() {
            assert_eq!(lines.find(key.into()), Ok(Some(100 * at as u32)));
            let expected: Vec<String> = (100 * at..100 * at + 100).map(|at| at.to_string()).collect();
            assert_eq!(rests(&lines, key), expected);
        }
        assert!(rests(&lines, "d").is_empty());
    }

    #[test]
    fn a_file_that_was_cut_is_an_error() {
        let (file, lines, _) = lines(&"abc def\n".repeat(1000));
        std::fs::write(file.path(), "x\n").unwrap();
        assert!(lines.line(900).is_err());
    }
}
