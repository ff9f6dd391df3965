//! How many examples are merged to one: the rules of the option `--minibatch-size`.

use crate::{Error, Result};

/// Rules for the number of examples that are merged (Kaldi's `ExampleMergingConfig`):
///
/// ```text
/// rules := set | size=set/size=set/...     set := part,part,...     part := number | low:high
/// ```
///
/// The size is that of an example; the rule with the nearest size counts.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MinibatchSizes {
    rules: Vec<Rule>,
}

/// The numbers that are allowed for examples of about this size.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Rule {
    size: i32,
    /// The lowest and highest number of each part.
    parts: Vec<(i32, i32)>,
}

impl MinibatchSizes {
    /// Parses rules.
    ///
    /// # Errors
    /// If they are none.
    pub fn parse(text: &str) -> Result<Self> {
        let wrong = || Error::Option {
            name: "minibatch_size",
            expected: "numbers and ranges above 0 (64,128 or 1:64), or such sets for sizes of examples (100=64/200=1:32)",
            got: text.to_owned(),
        };
        let rules: Option<Vec<Rule>> = match text.split('/').collect::<Vec<_>>()[..] {
            [rule] if !rule.contains('=') => Rule::parse(0, rule).map(|rule| vec![rule]),
            ref rules => rules
                .iter()
                .map(|rule| {
                    let (size, set) = rule.split_once('=')?;
                    Rule::parse(integer(size)?, set)
                })
                .collect(),
        };
        let rules = rules.ok_or_else(wrong)?;
        let mut sizes: Vec<i32> = rules.iter().map(|rule| rule.size).collect();
        sizes.sort_unstable();
        if sizes.windows(2).any(|pair| pair[0] == pair[1]) {
            return Err(wrong());
        }
        Ok(Self { rules })
    }

    /// The number of examples of `size` to merge now that `available` are there; 0 if none. As long as more may come, that is
    /// only the largest number.
    pub fn number(&self, size: usize, available: usize, has_ended: bool) -> usize {
        let Some(rule) = self.rules.iter().min_by_key(|rule| (size as i64 - i64::from(rule.size)).abs()) else {
            return 0;
        };
        let most = rule.parts.iter().map(|&(_, high)| high as usize).max().unwrap_or(0);
        if !has_ended {
            return if most <= available { most } else { 0 };
        }
        let within =
            |&(low, high): &(i32, i32)| if available >= low as usize { available.min(high as usize) } else { 0 };
        rule.parts.iter().map(within).max().unwrap_or(0)
    }
}

impl Rule {
    fn parse(size: i32, set: &str) -> Option<Self> {
        let part = |part: &str| {
            let (low, high) = match part.split_once(':') {
                Some((low, high)) => (integer(low)?, integer(high)?),
                None => (integer(part)?, integer(part)?),
            };
            (low > 0 && low <= high).then_some((low, high))
        };
        Some(Self { size, parts: set.split(',').map(part).collect::<Option<_>>()? })
    }
}

/// A number; space before it does not count, as in C.
fn integer(text: &str) -> Option<i32> {
    text.trim_start().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn number(rules: &str, size: usize, available: usize, has_ended: bool) -> usize {
        MinibatchSizes::parse(rules).unwrap().number(size, available, has_ended)
    }

    #[test]
    fn only_the_largest_number_counts_before_the_end() {
        assert_eq!([3, 4, 5].map(|available| number("4,2,1", 10, available, false)), [0, 4, 4]);
        assert_eq!([1, 3, 7].map(|available| number("4,2,1", 10, available, true)), [1, 2, 4]);
        assert_eq!([2, 3, 5, 6, 20].map(|available| number("1:2,6:9", 1, available, true)), [2, 2, 2, 6, 9]);
        assert_eq!(number("7,3", 1, 2, true), 0);
    }

    #[test]
    fn the_nearest_size_counts_and_the_first_in_a_tie() {
        let rules = "4=5/8=7";
        assert_eq!([1, 4, 6, 7, 100].map(|size| number(rules, size, 10, false)), [5, 5, 5, 7, 7]);
        assert_eq!(number("8=7/4=5", 6, 10, false), 7);
    }

    #[test]
    fn other_texts_are_refused() {
        for text in ["", "0", "-4", "a", "4:2", "4=2=3", "4=", "4/8", "=4", "4,", "4=2/4=3", "4=2/8", "1:2:3", "4 "] {
            let error = MinibatchSizes::parse(text).unwrap_err();
            assert!(error.to_string().ends_with(&format!("got \"{text}\"")), "{error}");
        }
        assert!(MinibatchSizes::parse(" 4").is_ok());
    }
}
