//! Lists cut into stretches of lines.

use std::collections::{HashMap, HashSet};
use std::fs::File;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{BufRead, BufReader};
use std::ops::Range;
use std::path::{Path, PathBuf};

use bstr::{BString, ByteSlice};
use serde::{Deserialize, Serialize};

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

/// The stretches of a list.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Stretches {
    /// The bytes of each piece.
    pub ranges: Vec<Range<u64>>,
    /// The number of lines of each piece.
    pub lines: Vec<u64>,
}

/// Cuts the list at `path` into at most `num_pieces` stretches of whole lines. No piece is empty, so there are fewer pieces
/// if there are fewer lines.
///
/// # Errors
/// If the list cannot be read, or the measure does not fit its lines.
pub fn deal(path: &Path, num_pieces: usize, measure: &Measure) -> Result<Stretches> {
    match measure {
        Measure::Items => deal_lines(path, num_pieces),
        Measure::Bytes => deal_weighted(path, num_pieces, |each| bytes_of_values(path, each)),
        Measure::Speakers { utt2spk } => {
            deal_weighted(path, num_pieces, |each| groups_of_speakers(path, utt2spk, each))
        }
        Measure::Weights { list } => deal_weighted(path, num_pieces, |each| weights_of_lines(path, list, each)),
    }
}

/// Equal numbers of lines; the first pieces have one more, as in Kaldi's `split_scp.pl`.
fn deal_lines(path: &Path, num_pieces: usize) -> Result<Stretches> {
    let num_lines = count_lines(path)?;
    let pieces = (num_pieces as u64).min(num_lines);
    let lines: Vec<u64> = (0..pieces).map(|piece| num_lines / pieces + u64::from(piece < num_lines % pieces)).collect();
    cut(path, lines)
}

/// The number of lines, the last of which may lack its line end.
fn count_lines(path: &Path) -> Result<u64> {
    let (mut count, mut last) = (0, b'\n');
    each_block(path, |block| {
        count += memchr::memchr_iter(b'\n', block).count() as u64;
        last = block.last().copied().unwrap_or(last);
        true
    })?;
    Ok(count + u64::from(last != b'\n'))
}

/// The byte ranges of consecutive groups of lines.
fn cut(path: &Path, lines: Vec<u64>) -> Result<Stretches> {
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
    Ok(Stretches { ranges, lines })
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

/// Lines that stay together, and what they weigh.
struct Group {
    lines: u64,
    weight: f64,
}

/// Pieces of about the same weight: a group belongs to the piece that contains its middle. The groups are counted first, and
/// not kept: a list may be long.
fn deal_weighted(
    path: &Path,
    num_pieces: usize,
    groups: impl Fn(&mut dyn FnMut(Group)) -> Result<()>,
) -> Result<Stretches> {
    let mut total = 0.0;
    groups(&mut |group| total += group.weight)?;
    let mut lines = vec![0; num_pieces];
    let mut before = 0.0;
    groups(&mut |group| {
        let middle = before + group.weight / 2.0;
        before += group.weight;
        let piece = if total > 0.0 { (middle / total * num_pieces as f64) as usize } else { 0 };
        lines[piece.min(num_pieces - 1)] += group.lines;
    })?;
    lines.retain(|&lines| lines > 0);
    cut(path, lines)
}

/// Calls `each` for every line, without its line end, with its number from 1.
pub(crate) fn each_line(path: &Path, mut each: impl FnMut(u64, &[u8]) -> Result<()>) -> Result<()> {
    let mut reader = BufReader::with_capacity(1 << 18, File::open(path).map_err(Error::read(path))?);
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

fn words_of(line: &[u8]) -> impl Iterator<Item = &[u8]> {
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

fn at_line(path: &Path, number: u64, message: &str) -> Error {
    Error::Plan(format!("{}:{number}: {message}", path.display()))
}

/// A list of keys, each with a value. As long as keys are asked for in its order, it is not kept in memory.
struct KeyedList<'a, T, F: Fn(&str) -> Option<T>> {
    path: &'a Path,
    lines: BufReader<File>,
    number: u64,
    all: Option<HashMap<BString, T>>,
    value: F,
    expected: &'static str,
}

impl<'a, T: Clone, F: Fn(&str) -> Option<T>> KeyedList<'a, T, F> {
    fn open(path: &'a Path, expected: &'static str, value: F) -> Result<Self> {
        let lines = BufReader::with_capacity(1 << 18, File::open(path).map_err(Error::read(path))?);
        Ok(Self { path, lines, number: 0, all: None, value, expected })
    }

    fn parse<'line>(&self, number: u64, line: &'line [u8]) -> Result<(&'line [u8], T)> {
        let mut words = words_of(line);
        let (key, word) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let value = word.to_str().ok().filter(|word| !word.is_empty()).and_then(&self.value);
        let value = value.filter(|_| words.next().is_none());
        Ok((key, value.ok_or_else(|| at_line(self.path, number, self.expected))?))
    }

    /// The value of a key, `None` if the list does not have it.
    fn get(&mut self, key: &[u8]) -> Result<Option<T>> {
        if let Some(all) = &self.all {
            return Ok(all.get(key.as_bstr()).cloned());
        }
        let mut line = Vec::new();
        loop {
            line.clear();
            if self.lines.read_until(b'\n', &mut line).map_err(Error::read(self.path))? == 0 {
                break;
            }
            self.number += 1;
            let (there, value) = self.parse(self.number, &line)?;
            if there == key {
                return Ok(Some(value));
            }
        }
        // The key is missing, or the order is another one.
        let mut all = HashMap::new();
        each_line(self.path, |number, line| {
            let (key, value) = self.parse(number, line)?;
            all.insert(key.into(), value);
            Ok(())
        })?;
        let value = all.get(key.as_bstr()).cloned();
        self.all = Some(all);
        Ok(value)
    }
}

fn weights_of_lines(path: &Path, list: &Path, each: &mut dyn FnMut(Group)) -> Result<()> {
    let number = |word: &str| word.parse().ok().filter(|weight: &f64| weight.is_finite() && *weight >= 0.0);
    let mut weights = KeyedList::open(list, "expected a key and a number of 0 or more", number)?;
    each_line(path, |number, line| {
        let key = key_of(line);
        let message = || at_line(path, number, &format!("`weights` does not have the key {}", key.as_bstr()));
        each(Group { lines: 1, weight: weights.get(key)?.ok_or_else(message)? });
        Ok(())
    })
}

fn groups_of_speakers(path: &Path, utt2spk: &Path, each: &mut dyn FnMut(Group)) -> Result<()> {
    let expected = "expected an utterance and its speaker";
    let mut speakers = KeyedList::open(utt2spk, expected, |word| Some(BString::from(word)))?;
    let (mut lines, mut seen, mut last) = (0, HashSet::new(), None);
    let group = |lines: u64| Group { lines, weight: lines as f64 };
    each_line(path, |number, line| {
        let key = key_of(line);
        let message = || at_line(path, number, &format!("`utt2spk` does not have the key {}", key.as_bstr()));
        let speaker = speakers.get(key)?.ok_or_else(message)?;
        if last.as_ref() != Some(&speaker) {
            if !seen.insert(speaker.clone()) {
                let message = format!("the utterances of {speaker} are not together: sort the list by speaker");
                return Err(at_line(path, number, &message));
            }
            if lines > 0 {
                each(group(lines));
            }
            (lines, last) = (0, Some(speaker));
        }
        lines += 1;
        Ok(())
    })?;
    if lines > 0 {
        each(group(lines));
    }
    Ok(())
}

/// Sizes of values from the offsets of neighbouring lines. The last value of an archive is taken to be as long as the one
/// before it.
fn bytes_of_values(path: &Path, each: &mut dyn FnMut(Group)) -> Result<()> {
    let (mut archive, mut from, mut size) = (BString::default(), None, 1);
    each_line(path, |number, line| {
        let message = "expected an archive and an offset for `by = bytes`; `weights` takes other sizes";
        let line = line.trim_ascii_end();
        let line = line.strip_suffix(b"]").and_then(|line| line.rsplit_once_str(b"[")).map_or(line, |(line, _)| line);
        let place = line.rsplit_once_str(b":").and_then(|(name, offset)| {
            Some((name[key_of(name).len()..].trim_ascii(), offset.to_str().ok()?.parse::<u64>().ok()?))
        });
        let (name, offset) = place.ok_or_else(|| at_line(path, number, message))?;
        if let Some(from) = from {
            if archive == name && offset > from {
                size = offset - from;
            }
            each(Group { lines: 1, weight: size as f64 });
        }
        if archive != name {
            archive = name.into();
        }
        from = Some(offset);
        Ok(())
    })?;
    if from.is_some() {
        each(Group { lines: 1, weight: size as f64 });
    }
    Ok(())
}

/// Cuts a second list of the same keys at the keys at which `path` was cut. Both have to be sorted by key, as bytes.
///
/// # Errors
/// If a list cannot be read or is not sorted.
pub fn follow(path: &Path, stretches: &Stretches, other: &Path) -> Result<Vec<Range<u64>>> {
    if let [0] = stretches.lines[..] {
        // The only piece of an empty list.
        let length = other.metadata().map_err(Error::read(other))?.len();
        return Ok(std::iter::once(0..length).collect());
    }
    let firsts = first_keys(path, stretches)?;
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
fn first_keys(path: &Path, stretches: &Stretches) -> Result<Vec<BString>> {
    let (mut keys, mut offset, mut last) = (Vec::new(), 0, BString::default());
    each_line(path, |number, line| {
        let key = key_of(line);
        check_order(path, number, &last, key)?;
        if stretches.ranges.get(keys.len()).is_some_and(|range| range.start == offset) {
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
        let stretches = deal(&path, 3, &Measure::Items).unwrap();
        assert_eq!(texts(&path, &stretches.ranges), ["a 1\nb 2\n", "c 3\nd 4\n", "e 5"]);
        assert_eq!(stretches.lines, [2, 2, 1]);
        assert_eq!(deal(&path, 9, &Measure::Items).unwrap().lines, [1; 5]);
        let empty = file(&dir, "empty", "");
        assert_eq!(deal(&empty, 3, &Measure::Items).unwrap(), Stretches::default());
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
        let stretches = deal(&path, 3, &Measure::Items).unwrap();
        let other = file(&dir, "other", "a 0\nb 1\ne 2\nf 3\ng 3\nz 9\n");
        let ranges = follow(&path, &stretches, &other).unwrap();
        assert_eq!(texts(&other, &ranges), ["a 0\nb 1\ne 2\n", "f 3\ng 3\n", "z 9\n"]);
        let short = file(&dir, "short", "a 0\n");
        assert_eq!(texts(&short, &follow(&path, &stretches, &short).unwrap()), ["a 0\n", "", ""]);
        let unsorted = file(&dir, "unsorted", "b 0\na 0\n");
        assert!(follow(&path, &stretches, &unsorted).unwrap_err().to_string().contains("sort it by key"));
    }
}
