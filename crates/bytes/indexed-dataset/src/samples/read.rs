//! Samples in the order of training.

use std::path::{Path, PathBuf};

use super::npy::NpyReader;
use crate::open::names_in;
use crate::{DatasetFault, Error, IndexedDataset, Result, SequenceTokens};

/// The ends of the names of the three files: today's, and those of Megatron before the middle of 2023 and of gpt-neox.
const ENDS: [[&str; 3]; 2] = [
    ["document_index.npy", "sample_index.npy", "shuffle_index.npy"],
    ["_doc_idx.npy", "_sample_idx.npy", "_shuffle_idx.npy"],
];

/// The samples of a dataset, by its three index files.
#[derive(Debug)]
pub struct SampleIndices<'a> {
    dataset: &'a IndexedDataset,
    documents: NpyReader,
    rows: NpyReader,
    order: NpyReader,
    extra: u64,
}

impl<'a> SampleIndices<'a> {
    /// Opens the indices in a folder. If it has those of several datasets or parts, the names of the right ones contain
    /// `chosen`.
    ///
    /// # Errors
    /// If there are less or more than three files, or they do not fit together.
    pub fn open(dataset: &'a IndexedDataset, folder: &Path, chosen: &str, extra_token: bool) -> Result<Self> {
        let [documents, rows, order] = find(folder, chosen)?;
        let samples = Self {
            dataset,
            documents: NpyReader::open(&documents)?,
            rows: NpyReader::open(&rows)?,
            order: NpyReader::open(&order)?,
            extra: extra_token.into(),
        };
        let columns = [(&samples.documents, 1), (&samples.rows, 2), (&samples.order, 1)];
        for (array, columns) in columns {
            if array.num_columns() != columns {
                return Err(DatasetFault::new(array.path(), "columns", None, columns, array.num_columns()).into());
            }
        }
        if samples.rows.num_rows() != samples.order.num_rows() + 1 {
            let expected = format!("{} rows, one more than samples", samples.order.num_rows() + 1);
            return Err(DatasetFault::new(&rows, "rows", None, expected, samples.rows.num_rows()).into());
        }
        Ok(samples)
    }

    /// The number of samples.
    pub fn len(&self) -> u64 {
        self.order.num_rows()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Reads the sample that comes at `place` in training.
    ///
    /// # Errors
    /// If the indices contradict each other or the dataset.
    pub fn sample(&self, place: u64) -> Result<SequenceTokens> {
        let number = self.number(&self.order, place, place, self.len())?;
        let row = self.rows.rows(number..number + 2)?;
        let [first, start, last, end] = row[..] else { return Err(self.fault(number, "two rows", row.len())) };
        let num_documents = self.documents.num_rows();
        let is_range = 0 <= first && first <= last && (last as u64) < num_documents;
        if !is_range {
            return Err(self.fault(number, format!("positions below {num_documents}"), format!("{first} and {last}")));
        }
        let mut bytes = Vec::new();
        for position in first..=last {
            let document = self.number(&self.documents, position as u64, position as u64, self.dataset.len())?;
            let from = if position == first { start } else { 0 };
            let to = (position == last).then(|| end.saturating_add(self.extra as i64));
            let fault = || self.fault(number, "tokens of a sequence, in order", format!("{from} to {to:?}"));
            let from = u64::try_from(from).map_err(|_| fault())?;
            let length = match to {
                Some(to) => Some(u64::try_from(to).ok().and_then(|to| to.checked_sub(from)).ok_or_else(fault)?),
                None => None,
            };
            bytes.extend_from_slice(self.dataset.slice(document, from, length)?.as_bytes());
        }
        Ok(SequenceTokens::new(self.dataset.token_type(), bytes))
    }

    /// A number in an array, checked to be below `count`.
    fn number(&self, array: &NpyReader, row: u64, position: u64, count: u64) -> Result<u64> {
        let found = array.rows(row..row + 1)?[0];
        let number = u64::try_from(found).ok().filter(|number| *number < count);
        let expected = format!("a number below {count}");
        number.ok_or_else(|| DatasetFault::new(array.path(), "entry", Some(position), expected, found).into())
    }

    fn fault(&self, row: u64, expected: impl std::fmt::Display, found: impl std::fmt::Display) -> Error {
        DatasetFault::new(self.rows.path(), "row", Some(row), expected, found).into()
    }
}

/// The three files in a folder.
fn find(folder: &Path, chosen: &str) -> Result<[PathBuf; 3]> {
    let names = names_in(folder)?;
    let starts = |end: &str| -> Vec<String> {
        let starts = names.iter().filter(|name| name.contains(chosen)).filter_map(|name| name.strip_suffix(end));
        starts.map(str::to_owned).collect()
    };
    for ends in ENDS {
        match &starts(ends[0])[..] {
            [] => {}
            [start] => return Ok(ends.map(|end| folder.join(format!("{start}{end}")))),
            several => {
                let (count, folder) = (several.len(), folder.display());
                return Err(Error::Request(format!(
                    "{folder}: expected the indices of one dataset, found those of {count}: `choose` takes what has the text in its name, such as train"
                )));
            }
        }
    }
    Err(Error::Request(format!("{}: expected a file *{}, found none", folder.display(), ENDS[0][0])))
}
