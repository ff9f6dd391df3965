//! Rows of files that are written, and how they are.

use kaldi_io::Encoded;

use crate::ColumnValue;

/// What a row has in a column of a file that is written.
#[derive(Clone, Debug)]
pub enum Cell {
    /// A value, a list of values, or nothing.
    Value(ColumnValue),
    /// A list of numbers: their little-endian bytes in the type of the column, which are written from where they are. All rows of
    /// the column have such a list, neither the list nor a number may be missing, and the column is one of
    /// [`ParquetOptions::plain`].
    Numbers(Encoded),
}

/// How a Parquet file is written.
#[derive(Clone, Debug)]
pub struct ParquetOptions {
    /// What the file says of itself: keys and texts ([`ColumnFile::note`](crate::ColumnFile::note)).
    pub notes: Vec<(String, String)>,
    /// Whether columns are compressed by Snappy.
    pub is_compressed: bool,
    /// The paths of columns without compression and statistics, such as `["audio", "bytes"]` or `["values", "list", "element"]`.
    pub plain: Vec<Vec<String>>,
    /// The most rows of a row group.
    pub group_rows: usize,
}

impl Cell {
    /// About how many bytes it takes in memory.
    pub(crate) fn weigh(&self) -> usize {
        fn weigh(value: &ColumnValue) -> usize {
            match value {
                ColumnValue::Bytes(bytes) => bytes.len() + 32,
                ColumnValue::List(values) => values.iter().map(weigh).sum::<usize>() + 32,
                _ => 32,
            }
        }
        match self {
            Self::Value(value) => weigh(value),
            Self::Numbers(numbers) => numbers.len() + 32,
        }
    }
}

impl From<ColumnValue> for Cell {
    fn from(value: ColumnValue) -> Self {
        Self::Value(value)
    }
}
