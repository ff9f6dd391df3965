//! How long utterances are.

use std::collections::HashMap;

use bstr::{BStr, BString, ByteSlice};
use kaldi_io::{Lines, Rspecifier, is_specifier};
use kaldi_table::SequentialReader;

use crate::{Error, Result};

/// The unit of the numbers of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Frames of 10 ms (utt2num_frames).
    Frames,
    /// Seconds (utt2dur).
    Seconds,
}

/// The lengths of utterances in frames of 10 ms, in the order of a list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Lengths {
    lengths: Vec<(BString, f64)>,
    places: HashMap<BString, usize>,
}

impl Lengths {
    /// Reads a file of lines with a key and a number, or a table: of integers for frames, of floats for seconds.
    ///
    /// # Errors
    /// If it cannot be read, a line has something else, a number is negative, or a key comes twice.
    pub fn read(name: &BStr, unit: Unit) -> Result<Self> {
        let mut lengths = Self::default();
        let printable = name.to_string();
        if Rspecifier::parse(name).is_some() {
            match unit {
                Unit::Frames => {
                    let add = |key, frames: i32| lengths.add(&printable, key, f64::from(frames));
                    SequentialReader::<i32>::open(name)?.values().drain(add)?.finish()?;
                }
                Unit::Seconds => {
                    // The shortest decimal number is meant.
                    let exact = |seconds: f32| seconds.to_string().parse().unwrap_or(f64::NAN);
                    let add = |key, seconds| lengths.add(&printable, key, frames_of(exact(seconds)));
                    SequentialReader::<f32>::open(name)?.values().drain(add)?.finish()?;
                }
            }
            return Ok(lengths);
        }
        if is_specifier(name) {
            return Err(Error::Name { got: name.to_owned() });
        }
        let mut lines = Lines::open(name)?;
        while let Some((line_number, line)) = lines.next_keyed()? {
            let number = line.rest.to_str().ok().and_then(|number| number.parse::<f64>().ok());
            let Some(number) = number.filter(|number| *number >= 0.0) else {
                let got = line.to_string().into();
                return Err(Error::Length { place: format!("{printable}:{line_number}"), got });
            };
            lengths.add(&printable, line.key.into(), if unit == Unit::Frames { number } else { frames_of(number) })?;
        }
        Ok(lengths)
    }

    fn add(&mut self, name: &str, key: BString, length: f64) -> Result<()> {
        if self.places.insert(key.clone(), self.lengths.len()).is_some() {
            return Err(Error::KeyTwice { name: name.to_owned(), key });
        }
        self.lengths.push((key, length));
        Ok(())
    }

    /// The length of an utterance.
    pub fn get(&self, key: &BStr) -> Option<f64> {
        self.places.get(key).map(|&place| self.lengths[place].1)
    }

    /// Keys and lengths in the order of the list.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (&BStr, f64)> {
        self.lengths.iter().map(|(key, length)| (key.as_bstr(), *length))
    }
}

/// Frames of 10 ms, exactly where the seconds are a decimal number: 0.29 s are 29, not a little less.
fn frames_of(seconds: f64) -> f64 {
    (seconds * 1e8).round() / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str, prefix: &str, unit: Unit) -> Result<Lengths> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("list");
        std::fs::write(&path, text).unwrap();
        Lengths::read(format!("{prefix}{}", path.display()).as_str().into(), unit)
    }

    #[test]
    fn files_and_tables_say_the_same() {
        for prefix in ["", "ark:"] {
            let lengths = read("a 29\nb 7\n", prefix, Unit::Frames).unwrap();
            assert_eq!(lengths.iter().collect::<Vec<_>>(), [("a".into(), 29.0), ("b".into(), 7.0)]);
            let lengths = read("a 0.29\nb 7\n", prefix, Unit::Seconds).unwrap();
            assert_eq!((lengths.get("a".into()), lengths.get("b".into())), (Some(29.0), Some(700.0)));
            assert_eq!(lengths.get("c".into()), None);
        }
    }

    #[test]
    fn what_is_no_length_is_refused_with_its_line() {
        for text in ["a 1\nb\n", "a 1\nb 1 2\n", "a 1\nb x\n", "a 1\nb -1\n", "a 1\nb nan\n"] {
            let error = read(text, "", Unit::Frames).unwrap_err().to_string();
            assert!(error.contains("list:2: expected a key and a number, got \"b"), "{error}");
        }
        let error = read("a 1\na 1\n", "", Unit::Frames).unwrap_err().to_string();
        assert!(error.ends_with("the key a comes twice"), "{error}");
    }
}
