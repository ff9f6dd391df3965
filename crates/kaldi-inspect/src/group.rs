//! Groups of numbers, and what is told of each.

use bstr::BString;

use crate::moments::Moments;

/// What numbers are put together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// All of a table.
    Table,
    /// Those of a column of matrices; those at a place of vectors.
    Column,
    /// Those of an entry.
    Key,
    /// Those of all entries of a speaker.
    Speaker,
}

impl By {
    /// Every way with its name.
    pub const NAMES: [(&str, Self); 4] =
        [("table", Self::Table), ("column", Self::Column), ("key", Self::Key), ("speaker", Self::Speaker)];
}

/// What is told of the numbers of a group.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// The number of the column, the key or the speaker; empty for a table.
    pub name: BString,
    /// Count, extremes, mean, deviation.
    pub moments: Moments,
    /// The quantiles of [`Group::FRACTIONS`]; NaN if there are no finite numbers. See [`Sketch::RELATIVE_ERROR`](crate::Sketch::RELATIVE_ERROR).
    pub quantiles: [f64; 5],
}

impl Group {
    /// The fractions of the quantiles.
    pub const FRACTIONS: [f64; 5] = [0.01, 0.25, 0.5, 0.75, 0.99];

    /// A quantile is never outside of the extremes, which are exact; that of integers is one.
    pub(crate) fn new(name: impl Into<BString>, moments: Moments, quantiles: [f64; 5], are_integers: bool) -> Self {
        let quantiles = if are_integers { quantiles.map(f64::round) } else { quantiles };
        let quantiles =
            if moments.count > 0 { quantiles.map(|value| value.clamp(moments.min, moments.max)) } else { quantiles };
        Self { name: name.into(), moments, quantiles }
    }
}

/// Entries of similar lengths.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LengthGroup {
    /// The shortest.
    pub first: u64,
    /// The longest.
    pub last: u64,
    /// How many entries.
    pub entries: u64,
}
