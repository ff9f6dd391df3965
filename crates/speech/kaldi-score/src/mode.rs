//! What happens to sentences without a hypothesis.

use std::str::FromStr;

use crate::{Error, Result};

/// What happens to sentences without a hypothesis (`--mode` of Kaldi's `compute-wer` and `compute-wer-bootci`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// `strict`: they are an error.
    Strict,
    /// `present`: they are not scored.
    Present,
    /// `all`: they are scored as if nothing had been recognized.
    All,
}

impl Mode {
    /// The words of the hypothesis to score, given those that were found; `None` if the sentence is not scored.
    ///
    /// # Errors
    /// If they are missing and must not be.
    pub fn hypothesis<W>(self, found: Option<Vec<W>>) -> Result<Option<Vec<W>>> {
        match (self, found) {
            (_, Some(words)) => Ok(Some(words)),
            (Self::Strict, None) => Err(Error::NoHypothesis),
            (Self::Present, None) => Ok(None),
            (Self::All, None) => Ok(Some(Vec::new())),
        }
    }
}

impl FromStr for Mode {
    type Err = Error;

    fn from_str(name: &str) -> Result<Self> {
        match name {
            "strict" => Ok(Self::Strict),
            "present" => Ok(Self::Present),
            "all" => Ok(Self::All),
            _ => Err(Error::Mode(name.to_owned())),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn modes_have_names() {
        assert_eq!(["strict", "present", "all"].map(str::parse), [Ok(Mode::Strict), Ok(Mode::Present), Ok(Mode::All)]);
        assert_eq!("Strict".parse::<Mode>(), Err(Error::Mode("Strict".to_owned())));
    }

    #[test]
    fn modes_differ_where_there_is_no_hypothesis() {
        for mode in [Mode::Strict, Mode::Present, Mode::All] {
            assert_eq!(mode.hypothesis(Some(vec![1, 2])), Ok(Some(vec![1, 2])));
        }
        assert_eq!(Mode::Strict.hypothesis::<u8>(None), Err(Error::NoHypothesis));
        assert_eq!(Mode::Present.hypothesis::<u8>(None), Ok(None));
        assert_eq!(Mode::All.hypothesis::<u8>(None), Ok(Some(Vec::new())));
    }
}
