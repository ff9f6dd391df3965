//! The options.

use std::ops::Range;
use std::str::FromStr;

/// The options of making samples.
#[derive(Clone, Debug)]
pub struct SampleOptions {
    /// Tokens of a sample.
    pub seq_length: u64,
    /// How many samples are wanted.
    pub count: SampleCount,
    /// The seed of the shuffles.
    pub seed: u32,
    /// Whether a sample has the first token of the next one, too.
    pub extra_token: bool,
    /// Whether an incomplete sample at the end is left out.
    pub drop_last: bool,
    /// Whether the last epoch is shuffled separately.
    pub separate_last_epoch: SeparateLastEpoch,
    /// Whether anything is shuffled.
    pub shuffle: bool,
}

impl Default for SampleOptions {
    /// Megatron's defaults, for samples of 2048 tokens.
    fn default() -> Self {
        Self {
            seq_length: 2048,
            count: SampleCount::OneEpoch,
            seed: 1234,
            extra_token: true,
            drop_last: true,
            separate_last_epoch: SeparateLastEpoch::Auto,
            shuffle: true,
        }
    }
}

/// How many samples are wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SampleCount {
    /// Those of one epoch.
    OneEpoch,
    /// Those of this many epochs.
    Epochs(u64),
    /// At least this many: all those of as many whole epochs as necessary.
    Samples(u64),
}

/// Whether the last epoch is shuffled separately.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SeparateLastEpoch {
    /// If samples are counted and less than 80 % of the last epoch are wanted.
    Auto,
    /// Always.
    Yes,
    /// Never.
    No,
}

/// Parts of a dataset for training, validation and test, in Megatron's notation `969,30,1`.
#[derive(Clone, Debug, PartialEq)]
pub struct Split {
    /// The ends of the parts, as shares of 1.
    ends: [f64; 3],
}

/// A part of a [`Split`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SplitName {
    /// The first one.
    Train,
    /// The second one.
    Valid,
    /// The third one.
    Test,
}

impl Split {
    /// The sequences of a part, of `num_sequences`.
    pub fn range(&self, name: SplitName, num_sequences: u64) -> Range<u64> {
        // Python rounds halves to even numbers.
        let place = |end: f64| ((end * num_sequences as f64).round_ties_even() as u64).min(num_sequences);
        let ends = [0.0, self.ends[0], self.ends[1], self.ends[2]].map(place);
        let at = name as usize;
        ends[at]..ends[at + 1].max(ends[at])
    }
}

impl FromStr for Split {
    type Err = String;

    /// Takes the numbers in the text, with commas, slashes or blanks between them; if there are fewer than three, the
    /// missing ones are 0.
    fn from_str(text: &str) -> Result<Self, String> {
        let words = text.split([',', '/', ';', ' ', '[', ']']).filter(|word| !word.is_empty());
        let share = |word: &str| word.parse().ok().filter(|share: &f64| share.is_finite() && share.is_sign_positive());
        let shares: Option<Vec<f64>> = words.map(share).collect();
        let mut shares = shares.filter(|shares| (1..=3).contains(&shares.len())).unwrap_or_default();
        shares.resize(3, 0.0);
        let sum: f64 = shares.iter().sum();
        if !(sum > 0.0 && sum.is_finite()) {
            return Err(format!("expected one to three shares such as 969,30,1, got {text:?}"));
        }
        let [train, valid, test] = [0, 1, 2].map(|at: usize| shares[at] / sum);
        Ok(Self { ends: [train, train + valid, train + valid + test] })
    }
}

impl SplitName {
    /// Every split with its name.
    pub const NAMES: [(&str, Self); 3] = [("train", Self::Train), ("valid", Self::Valid), ("test", Self::Test)];

    /// `train`, `valid` or `test`.
    pub fn name(self) -> &'static str {
        Self::NAMES[self as usize].0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_round_halves_to_even_numbers() {
        let split: Split = "1,1".parse().unwrap();
        assert_eq!(split.range(SplitName::Train, 5), 0..2);
        assert_eq!(split.range(SplitName::Valid, 5), 2..5);
        assert_eq!(split.range(SplitName::Test, 5), 5..5);
        let split: Split = "969, 30, 1".parse().unwrap();
        let ranges = [SplitName::Train, SplitName::Valid, SplitName::Test].map(|name| split.range(name, 2000));
        assert_eq!(ranges, [0..1938, 1938..1998, 1998..2000]);
        assert_eq!("100".parse::<Split>().unwrap().range(SplitName::Train, 7), 0..7);
        for text in ["", "0,0", "a", "1.2.3", "1,2,3,4", "nan,1,1", "-1,2,1", "1,inf", "8,-0,1", "9x1"] {
            assert!(text.parse::<Split>().is_err(), "{text}");
        }
    }
}
