//! Examples that are copied to one or several tables.

use kaldi_table::{Entry, Record, Result, TableWriter};
use kaldi_value::random::Random;
use kaldi_value::{Format, Value};

use crate::Error;

/// The forms that outputs need.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Formats {
    binary: bool,
    text: bool,
}

/// An example in the forms that outputs need.
#[derive(Debug)]
pub struct Copies<T> {
    binary: Option<Record<T>>,
    text: Option<Record<T>>,
}

impl<T: Value> Copies<T> {
    /// Copies an entry as it is. Bytes are passed on unparsed if they are as they would be written.
    ///
    /// # Errors
    /// If the entry cannot be read.
    pub fn of_entry(entry: &Entry<'_, T>, formats: Formats) -> Result<Self> {
        let copy = |wanted: bool, format| wanted.then(|| entry.copy(format)).transpose();
        Ok(Self { binary: copy(formats.binary, Format::Binary)?, text: copy(formats.text, Format::Text)? })
    }
}

/// Tables that take turns, or of which each example gets a random one.
#[must_use = "the tables get their names only with finish()"]
pub struct Outputs<T> {
    targets: Vec<TableWriter<T>>,
    is_random: bool,
    num_written: u64,
}

impl<T: Value> Outputs<T> {
    /// Creates tables, of which there is at least one.
    ///
    /// # Errors
    /// If one cannot be created.
    pub fn create<N: AsRef<[u8]>>(wspecifiers: impl IntoIterator<Item = N>, is_random: bool) -> Result<Self> {
        let targets = wspecifiers.into_iter().map(TableWriter::create).collect::<Result<_>>()?;
        Ok(Self { targets, is_random, num_written: 0 })
    }

    /// The forms of all tables.
    pub fn formats(&self) -> Formats {
        let has = |format| self.targets.iter().any(|target| target.format() == format);
        Formats { binary: has(Format::Binary), text: has(Format::Text) }
    }

    /// The number of the table for the next example. Draws a number if the tables do not take turns.
    pub fn choose(&self, random: &mut Random) -> usize {
        let number = if self.is_random { u64::from(random.draw()) } else { self.num_written };
        (number % self.targets.len() as u64) as usize
    }

    /// Writes an example to the table of this number.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn write(&mut self, number: usize, key: impl AsRef<[u8]>, example: &T) -> Result<()> {
        self.num_written += 1;
        self.targets[number].write(key, example)
    }

    /// Writes a copy to the table of this number.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn put(&mut self, number: usize, copies: &Copies<T>) -> Result<()> {
        let target = &mut self.targets[number];
        let copy = match target.format() {
            Format::Binary => &copies.binary,
            Format::Text => &copies.text,
        };
        if let Some(copy) = copy {
            self.num_written += 1;
            target.put(copy.clone())?;
        }
        Ok(())
    }

    /// The number of examples that were written.
    pub fn num_written(&self) -> u64 {
        self.num_written
    }

    /// Completes all tables.
    ///
    /// # Errors
    /// If one cannot be completed.
    pub fn finish(self) -> Result<()> {
        self.targets.into_iter().try_for_each(TableWriter::finish)
    }
}

/// How often each example is copied: the whole part of a number, and once more with the probability of the rest.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CopyCount {
    whole: u32,
    rest: f32,
}

impl CopyCount {
    /// The number of the option `--keep-proportion`.
    ///
    /// # Errors
    /// If it is negative, or more than 32 bits can hold.
    pub fn new(proportion: f32) -> std::result::Result<Self, Error> {
        let whole = f64::from(proportion).floor();
        if !(0.0..f64::from(i32::MAX)).contains(&whole) {
            let got = proportion.to_string();
            return Err(Error::Option { name: "keep_proportion", expected: "a number from 0 on", got });
        }
        Ok(Self { whole: whole as u32, rest: (f64::from(proportion) - whole) as f32 })
    }

    /// Draws the number of copies of the next example.
    pub fn draw(self, random: &mut Random) -> u32 {
        self.whole + u32::from(random.with_prob(self.rest))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_proportion_is_the_mean_number_of_copies() {
        let mut random = Random::seeded(3);
        for proportion in [0.0, 0.25, 1.0, 2.5] {
            let count = CopyCount::new(proportion).unwrap();
            let sum: u32 = (0..10_000).map(|_| count.draw(&mut random)).sum();
            assert!((sum as f32 / 1e4 - proportion).abs() < 0.02, "{proportion}: {sum}");
        }
        for proportion in [-0.5, f32::NAN, f32::INFINITY, 1e12] {
            assert!(CopyCount::new(proportion).is_err(), "{proportion}");
        }
    }
}
