//! Which parameters of a model are estimated.

use std::fmt;
use std::ops::BitOr;
use std::str::FromStr;

use crate::Error;

/// A set of the parameters of a model: statistics are kept for them, or they are estimated (Kaldi's `GmmFlagsType`).
///
/// As text, a letter for each: `m` means, `v` variances, `w` weights, `t` transitions, `a` all of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GmmFlags(u16);

impl GmmFlags {
    /// The means.
    pub const MEANS: Self = Self(1);
    /// The variances or covariances.
    pub const VARIANCES: Self = Self(2);
    /// The weights.
    pub const WEIGHTS: Self = Self(4);
    /// The transitions of a hidden Markov model.
    pub const TRANSITIONS: Self = Self(8);
    /// All of them.
    pub const ALL: Self = Self(15);

    /// The set of these bits, as files have them; `None` if there are others.
    pub fn from_bits(bits: u16) -> Option<Self> {
        (bits & !Self::ALL.0 == 0).then_some(Self(bits))
    }

    /// The bits as files have them.
    pub fn bits(self) -> u16 {
        self.0
    }

    /// Whether all of `other` are in the set.
    pub fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }

    /// The set with what its statistics need: variances need means, means need weights, and these are always there.
    #[must_use]
    pub fn with_needed(self) -> Self {
        let means = if self.contains(Self::VARIANCES) { Self::MEANS } else { Self(0) };
        self | means | Self::WEIGHTS
    }
}

impl BitOr for GmmFlags {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// The letters and their sets, in the order in which they are written.
const LETTERS: [(char, GmmFlags); 4] =
    [('m', GmmFlags::MEANS), ('v', GmmFlags::VARIANCES), ('w', GmmFlags::WEIGHTS), ('t', GmmFlags::TRANSITIONS)];

impl FromStr for GmmFlags {
    type Err = Error;

    fn from_str(text: &str) -> Result<Self, Error> {
        text.chars().try_fold(Self::default(), |flags, letter| {
            let known = LETTERS.iter().find(|(known, _)| *known == letter).map(|(_, flag)| *flag);
            let flag = if letter == 'a' { Some(Self::ALL) } else { known };
            Ok(flags | flag.ok_or_else(|| Error::FlagLetter { letter, text: text.to_owned() })?)
        })
    }
}

impl fmt::Display for GmmFlags {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        LETTERS.iter().filter(|(_, flag)| self.contains(*flag)).try_for_each(|(letter, _)| write!(f, "{letter}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_stand_for_parameters() {
        let flags: GmmFlags = "wm".parse().unwrap();
        assert_eq!((flags, flags.to_string()), (GmmFlags::MEANS | GmmFlags::WEIGHTS, "mw".to_owned()));
        assert_eq!("a".parse(), Ok(GmmFlags::ALL));
        assert_eq!("".parse(), Ok(GmmFlags::default()));
        let error = "mq".parse::<GmmFlags>().unwrap_err();
        assert_eq!(error.to_string(), "expected letters of m, v, w, t and a for the parameters, got 'q' in \"mq\"");
    }

    #[test]
    fn statistics_need_others() {
        assert_eq!(GmmFlags::VARIANCES.with_needed().to_string(), "mvw");
        assert_eq!(GmmFlags::TRANSITIONS.with_needed().to_string(), "wt");
        assert_eq!(
            [GmmFlags::from_bits(7), GmmFlags::from_bits(16)].map(|flags| flags.map(GmmFlags::bits)),
            [Some(7), None]
        );
    }
}
