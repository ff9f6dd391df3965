//! Lines that stay together in a piece, and what they weigh.

use std::collections::{HashMap, HashSet};
use std::io::{BufRead, BufReader};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use bstr::{BString, ByteSlice};

use crate::object::open_input;
use crate::split_list::{at_line, each_line, each_line_of, key_of, words_of};
use crate::{Error, Measure, Result};

/// Calls `each` for groups of lines.
pub(crate) fn each_group(path: &Path, measure: &Measure, each: &mut dyn FnMut(Group)) -> Result<()> {
    match measure {
        Measure::Items => each_line(path, |_, _| {
            each(Group { lines: 1, weight: 1.0 });
            Ok(())
        }),
        Measure::Bytes => bytes_of_values(path, each),
        Measure::Speakers { utt2spk } => groups_of_speakers(path, utt2spk, each),
        Measure::Weights { list } => weights_of_lines(path, list, each),
    }
}

/// Lines that stay together, and what they weigh.
#[derive(Clone, Copy)]
pub(crate) struct Group {
    pub(crate) lines: u64,
    pub(crate) weight: f64,
}

/// Opens a list that may be compressed, or in a store.
fn open(path: &Path) -> Result<Box<dyn BufRead>> {
    let name = path.as_os_str().as_bytes();
    Ok(Box::new(BufReader::with_capacity(1 << 18, open_input(name.into())?)))
}

/// A list of keys, each with a value. As long as keys are asked for in its order, it is not kept in memory.
struct KeyedList<'a, T, F: Fn(&str) -> Option<T>> {
    path: &'a Path,
    lines: Box<dyn BufRead>,
    number: u64,
    all: Option<HashMap<BString, T>>,
    value: F,
    expected: &'static str,
}

impl<'a, T: Clone, F: Fn(&str) -> Option<T>> KeyedList<'a, T, F> {
    fn open(path: &'a Path, expected: &'static str, value: F) -> Result<Self> {
        Ok(Self { path, lines: open(path)?, number: 0, all: None, value, expected })
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
        each_line_of(open(self.path)?, self.path, |number, line| {
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
