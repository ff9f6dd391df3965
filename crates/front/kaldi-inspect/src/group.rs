//! Groups of numbers and their statistics.

use bstr::BString;
use corpus_quality::Moments;

/// How numbers are grouped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum By {
    /// All numbers of a table.
    Table,
    /// Those of a column of matrices, or of a place in vectors.
    Column,
    /// Those of an entry.
    Key,
    /// Those of all entries of a speaker.
    Speaker,
}

impl By {
    /// All ways with their names.
    pub const NAMES: [(&str, Self); 4] =
        [("table", Self::Table), ("column", Self::Column), ("key", Self::Key), ("speaker", Self::Speaker)];
}

/// Statistics of the numbers of a group.
#[derive(Clone, Debug, PartialEq)]
pub struct Group {
    /// The number of the column, the key or the speaker; empty for a table.
    pub name: BString,
    /// Count, extremes, mean, deviation.
    pub moments: Moments,
    /// The quantiles of [`Group::FRACTIONS`]; NaN if there are no finite numbers. See
    /// [`Sketch::RELATIVE_ERROR`](crate::Sketch::RELATIVE_ERROR).
    pub quantiles: [f64; 5],
}

impl Group {
    /// The fractions of the quantiles.
    pub const FRACTIONS: [f64; 5] = [0.01, 0.25, 0.5, 0.75, 0.99];

    /// A quantile is never beyond the extremes, which are exact. The quantile of integers is an integer.
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
