//! Splits lists into ranges of lines.

use std::collections::HashSet;
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufRead, BufReader};
use std::ops::Range;
use std::path::{Path, PathBuf};

use bstr::{BString, ByteSlice};
use kaldi_io::count_lines;
use serde::{Deserialize, Serialize};

use crate::resume_shares::deal_around;
use crate::{Error, Result};

/// What is balanced between pieces.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[non_exhaustive]
pub enum Measure {
    /// Entries, lines of the list.
    Items,
    /// Bytes of the values, by the offsets of a script file.
    Bytes,
    /// Entries, and no speaker is in two pieces. The map is a list of lines `<utterance> <speaker>`.
    Speakers {
        /// The file of the map.
        utt2spk: PathBuf,
    },
    /// The sum of weights, from a list of lines `<key> <number>`, for example utt2dur.
    Weights {
        /// The file of the weights.
        list: PathBuf,
    },
}

impl Measure {
    /// The file that it needs beside the list.
    pub(crate) fn file(&self) -> Option<&Path> {
        match self {
            Self::Items | Self::Bytes => None,
            Self::Speakers { utt2spk } => Some(utt2spk),
            Self::Weights { list } => Some(list),
        }
    }
}

/// The ranges of lines of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LineRanges {
    /// The bytes of each piece.
    pub ranges: Vec<Range<u64>>,
    /// The number of lines of each piece.
    pub lines: Vec<u64>,
}

/// Cuts the list at `path` into at most `num_pieces` ranges of whole lines. No piece is empty, so there are fewer pieces
/// if there are fewer lines.
///
/// # Errors
/// If the list cannot be read, or the measure does not fit its lines.
pub fn deal(path: &Path, num_pieces: usize, measure: &Measure) -> Result<LineRanges> {
    match measure {
        Measure::Items => deal_lines(path, num_pieces),
        _ => deal_weighted(path, num_pieces, measure),
    }
}

/// Equal numbers of lines; the first pieces have one more, as in Kaldi's `split_scp.pl`.
fn deal_lines(path: &Path, num_pieces: usize) -> Result<LineRanges> {
    let num_lines = count_lines(path).map_err(Error::read(path))?;
    let pieces = (num_pieces as u64).min(num_lines);
    let lines: Vec<u64> = (0..pieces).map(|piece| num_lines / pieces + u64::from(piece < num_lines % pieces)).collect();
    cut(path, lines)
}

/// The byte ranges of consecutive groups of lines.
pub(crate) fn cut(path: &Path, lines: Vec<u64>) -> Result<LineRanges> {
    let mut ranges = Vec::with_capacity(lines.len());
    let (mut offset, mut start, mut seen) = (0_u64, 0_u64, 0_u64);
    each_block(path, |block| {
        for end in memchr::memchr_iter(b'\n', block) {
            seen += 1;
            if lines.get(ranges.len()) == Some(&seen) {
                let end = offset + end as u64 + 1;
                ranges.push(start..end);
                (start, seen) = (end, 0);
            }
        }
        offset += block.len() as u64;
        ranges.len() < lines.len()
    })?;
    if ranges.len() < lines.len() {
        ranges.push(start..offset);
    }
    Ok(LineRanges { ranges, lines })
}

/// Calls `each` for blocks of a file until it returns `false`.
fn each_block(path: &Path, mut each: impl FnMut(&[u8]) -> bool) -> Result<()> {
    let mut reader = BufReader::with_capacity(1 << 20, File::open(path).map_err(Error::read(path))?);
    loop {
        let block = reader.fill_buf().map_err(Error::read(path))?;
        let length = block.len();
        if length == 0 || !each(block) {
            return Ok(());
        }
        reader.consume(length);
    }
}

/// Pieces of about the same weight: a group belongs to the piece that contains its middle. The groups are counted first, and
/// not kept: a list may be long.
fn deal_weighted(path: &Path, num_pieces: usize, measure: &Measure) -> Result<LineRanges> {
    let shares = deal_around(path, &[], num_pieces, measure)?.unwrap_or_default();
    cut(path, shares.into_iter().map(|share| share.lines).collect())
}

/// Calls `each` for every line, without its line end, with its number from 1.
pub(crate) fn each_line(path: &Path, each: impl FnMut(u64, &[u8]) -> Result<()>) -> Result<()> {
    each_line_of(BufReader::with_capacity(1 << 18, File::open(path).map_err(Error::read(path))?), path, each)
}

pub(crate) fn each_line_of(
    mut reader: impl BufRead,
    path: &Path,
    mut each: impl FnMut(u64, &[u8]) -> Result<()>,
) -> Result<()> {
    let (mut line, mut number) = (Vec::new(), 0);
    loop {
        line.clear();
        if reader.read_until(b'\n', &mut line).map_err(Error::read(path))? == 0 {
            return Ok(());
        }
        number += 1;
        each(number, line.strip_suffix(b"\n").unwrap_or(&line))?;
    }
}

pub(crate) fn words_of(line: &[u8]) -> impl Iterator<Item = &[u8]> {
    line.split(u8::is_ascii_whitespace).filter(|word| !word.is_empty())
}

pub(crate) fn key_of(line: &[u8]) -> &[u8] {
    words_of(line).next().unwrap_or_default()
}

/// Refuses a list, which the command names as `name`, that has a key twice.
pub(crate) fn refuse_duplicates(name: &str, path: &Path) -> Result<()> {
    let mut seen = HashSet::new();
    each_line(path, |number, line| {
        // Two hashes of 64 bits instead of the key: a list may be long.
        let hash = |seed: u8| {
            let mut hasher = DefaultHasher::new();
            (seed, key_of(line)).hash(&mut hasher);
            hasher.finish()
        };
        if seen.insert((hash(0), hash(1))) {
            return Ok(());
        }
        let key = key_of(line).as_bstr();
        let reason = "the command reads it twice, so that a piece may find another entry than the whole run";
        Err(Error::Plan(format!("{name} has the key {key} a second time (entry {number}): {reason}")))
    })
}

pub(crate) fn at_line(path: &Path, number: u64, message: &str) -> Error {
    Error::Plan(format!("{}:{number}: {message}", path.display()))
}

/// Cuts a second list of the same keys at the keys at which `path` was cut. Both have to be sorted by key, as bytes.
///
/// # Errors
/// If a list cannot be read or is not sorted.
pub fn follow(path: &Path, line_ranges: &LineRanges, other: &Path) -> Result<Vec<Range<u64>>> {
    if let [0] = line_ranges.lines[..] {
        // The only piece of an empty list.
        let length = other.metadata().map_err(Error::read(other))?.len();
        return Ok(std::iter::once(0..length).collect());
    }
    let firsts = first_keys(path, line_ranges)?;
    let mut starts = vec![0];
    let (mut offset, mut last) = (0, BString::default());
    each_line(other, |number, line| {
        let key = key_of(line);
        check_order(other, number, &last, key)?;
        while firsts.get(starts.len()).is_some_and(|first| key >= first.as_slice()) {
            starts.push(offset);
        }
        offset += line.len() as u64 + 1;
        last = key.into();
        Ok(())
    })?;
    let length = other.metadata().map_err(Error::read(other))?.len();
    starts.resize(firsts.len(), length);
    starts.push(length);
    Ok(starts.windows(2).map(|ends| ends[0]..ends[1]).collect())
}

fn check_order(path: &Path, number: u64, last: &BString, key: &[u8]) -> Result<()> {
    if number > 1 && last.as_slice() > key {
        return Err(at_line(
            path,
            number,
            &format!("{} comes after {last}: sort it by key for `follow`", key.as_bstr()),
        ));
    }
    Ok(())
}

/// The first key of each stretch.
fn first_keys(path: &Path, line_ranges: &LineRanges) -> Result<Vec<BString>> {
    let (mut keys, mut offset, mut last) = (Vec::new(), 0, BString::default());
    each_line(path, |number, line| {
        let key = key_of(line);
        check_order(path, number, &last, key)?;
        if line_ranges.ranges.get(keys.len()).is_some_and(|range| range.start == offset) {
            keys.push(key.into());
        }
        offset += line.len() as u64 + 1;
        last = key.into();
        Ok(())
    })?;
    Ok(keys)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use tempfile::TempDir;

    use super::*;

    fn file(dir: &TempDir, name: &str, text: &str) -> std::path::PathBuf {
        let path = dir.path().join(name);
        fs::write(&path, text).unwrap();
        path
    }

    fn texts(path: &Path, ranges: &[Range<u64>]) -> Vec<String> {
        let text = fs::read_to_string(path).unwrap();
        ranges.iter().map(|range| text[range.start as usize..range.end as usize].to_owned()).collect()
    }

    #[test]
    fn the_first_pieces_have_a_line_more_and_none_is_empty() {
        let dir = tempfile::tempdir().unwrap();
        let path = file(&dir, "list", "a 1\nb 2\nc 3\nd 4\ne 5");
        let line_ranges = deal(&path, 3, &Measure::Items).unwrap();
        assert_eq!(texts(&path, &line_ranges.ranges), ["a 1\nb 2\n", "c 3\nd 4\n", "e 5"]);
        assert_eq!(line_ranges.lines, [2, 2, 1]);
        assert_eq!(deal(&path, 9, &Measure::Items).unwrap().lines, [1; 5]);
        let empty = file(&dir, "empty", "");
        assert_eq!(deal(&empty, 3, &Measure::Items).unwrap(), LineRanges::default());
    }

    #[test]
    fn weights_and_offsets_balance_pieces() {
        let dir = tempfile::tempdir().unwrap();
        let path = file(&dir, "list", "a x\nb x\nc x\n");
        let weights = file(&dir, "weights", "a 1\nb 1\nc 8\n");
        let measure = Measure::Weights { list: weights };
        assert_eq!(deal(&path, 2, &measure).unwrap().lines, [2, 1]);
        let other_order = file(&dir, "other", "c 8\nx 1\nb 1\na 1\n");
        assert_eq!(deal(&path, 2, &Measure::Weights { list: other_order }).unwrap().lines, [2, 1]);
        let short = file(&dir, "short", "a 1\nc 8\n");
        let error = deal(&path, 2, &Measure::Weights { list: short }).unwrap_err().to_string();
        assert!(error.ends_with("list:2: `weights` does not have the key b"), "{error}");
        let script = file(&dir, "script", "a x.ark:2\nb x.ark:12\nc x.ark:1000[0:3]\nd y.ark:2\n");
        assert_eq!(deal(&script, 2, &Measure::Bytes).unwrap().lines, [2, 2]);
        let error = deal(&path, 2, &Measure::Bytes).unwrap_err().to_string();
        assert!(error.contains("list:1: expected an archive and an offset"), "{error}");
    }

    #[test]
    fn speakers_stay_together() {
        let dir = tempfile::tempdir().unwrap();
        let path = file(&dir, "list", "a x\nb x\nc x\nd x\n");
        let utt2spk = file(&dir, "utt2spk", "a s\nb s\nc s\nd t\n");
        let measure = Measure::Speakers { utt2spk };
        assert_eq!(deal(&path, 2, &measure).unwrap().lines, [3, 1]);
        let torn = file(&dir, "torn", "a x\nd x\nb x\n");
        let error = deal(&torn, 2, &measure).unwrap_err().to_string();
        assert!(error.ends_with("torn:3: the utterances of s are not together: sort the list by speaker"), "{error}");
    }

    #[test]
    fn a_second_list_is_cut_at_the_same_keys() {
        let dir = tempfile::tempdir().unwrap();
        let path = file(&dir, "list", "b 1\nd 2\nf 3\nh 4\n");
        let line_ranges = deal(&path, 3, &Measure::Items).unwrap();
        let other = file(&dir, "other", "a 0\nb 1\ne 2\nf 3\ng 3\nz 9\n");
        let ranges = follow(&path, &line_ranges, &other).unwrap();
        assert_eq!(texts(&other, &ranges), ["a 0\nb 1\ne 2\n", "f 3\ng 3\n", "z 9\n"]);
        let short = file(&dir, "short", "a 0\n");
        assert_eq!(texts(&short, &follow(&path, &line_ranges, &short).unwrap()), ["a 0\n", "", ""]);
        let unsorted = file(&dir, "unsorted", "b 0\na 0\n");
        assert!(follow(&path, &line_ranges, &unsorted).unwrap_err().to_string().contains("sort it by key"));
    }
}
