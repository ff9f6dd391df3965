//! Where samples come from.

mod archives;
mod content;
mod measure;
mod picks;
mod raw;
mod shards;
mod table;

use bstr::BString;
use kaldi_corpus::ListIndex;
use kaldi_corpus::shard::{FieldPath, ListKind};
use kaldi_io::Commands;
use kaldi_reader::BoxReader;

use crate::ledger::Found;
use crate::{Error, Result};

pub use picks::Permutation;
pub(crate) use picks::Reading;

/// What a list names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum DataType {
    /// Each line is an utterance: an object in JSON.
    Raw,
    /// Each line is an utterance: an object in JSON as in manifests of NeMo.
    Nemo,
    /// Each line is a shard.
    Shard,
    /// A Shar folder of lhotse.
    Shar,
    /// A script file of sound or of features, and a file of texts.
    Table,
}

/// The list of the data.
#[derive(Clone, Debug)]
pub struct DataList {
    /// What it names.
    pub data_type: DataType,
    /// The file; for a table, its rspecifier.
    pub name: BString,
    /// A file of texts, or a table of them, for tables.
    pub text: Option<BString>,
    /// Where the text of a sample is, for shards and Shar; `None` is `txt`, and `text`.
    pub text_field: Option<FieldPath>,
    /// What happens to commands in place of files in raw lists and manifests. Lines of script files and of lists of shards are
    /// trusted.
    pub commands: Commands,
}

/// Looks at the first line of a list: one line of advice is better than a warning for each.
fn check_kind(name: &BString, index: &ListIndex, is_right: fn(ListKind) -> bool, expected: &str) -> Result<()> {
    if index.is_empty() {
        return Ok(());
    }
    let line = index.line(0)?;
    match ListKind::of(&line).filter(|kind| !is_right(*kind)) {
        Some(kind) => {
            let message = format!("expected {expected}, got {}: {kind}", kaldi_corpus::shard::excerpt(&line));
            Err(Error::Conf { place: format!("{name}:1"), message })
        }
        None => Ok(()),
    }
}

/// A list that can be read any number of times.
pub(crate) enum Opened {
    Raw(raw::Raw),
    Shards(shards::Shards),
    Table(table::Table),
}

impl Opened {
    /// Reads where the lines of a list are.
    pub(crate) fn open(list: &DataList) -> Result<Self> {
        let is_shards = matches!(list.data_type, DataType::Shard | DataType::Shar);
        if let Some(field) = list.text_field.as_ref().filter(|_| !is_shards) {
            let message = format!("expected the name of a field for the text in shards only, got {field}");
            return Err(Error::Conf { place: list.name.to_string(), message });
        }
        match (list.data_type, &list.text) {
            (DataType::Raw, None) => Ok(Self::Raw(raw::Raw::open(&list.name, false, list.commands)?)),
            (DataType::Nemo, None) => Ok(Self::Raw(raw::Raw::open(&list.name, true, list.commands)?)),
            (DataType::Shard, None) => {
                let text_field = list.text_field.clone().unwrap_or_else(|| FieldPath::new("txt"));
                Ok(Self::Shards(shards::Shards::open(&list.name, text_field)?))
            }
            (DataType::Shar, None) => {
                Ok(Self::Shards(shards::Shards::open_shar(&list.name, list.text_field.as_ref())?))
            }
            (DataType::Table, text) => Ok(Self::Table(table::Table::open(&list.name, text.as_ref())?)),
            (_, Some(_)) => Err(Error::Conf {
                place: list.name.to_string(),
                message: "expected a file of texts for tables only: lists and shards have their own".to_owned(),
            }),
        }
    }

    /// How many samples the list has; `None` for shards.
    pub(crate) fn num_samples(&self) -> Option<u64> {
        match self {
            Self::Raw(list) => Some(list.len() as u64),
            Self::Table(list) => Some(list.len() as u64),
            Self::Shards(_) => None,
        }
    }

    /// The samples, or what is wrong with them, in the order of reading.
    pub(crate) fn read(&self, reading: Reading) -> BoxReader<Found, Error> {
        match self {
            Self::Raw(list) => list.read(reading),
            Self::Shards(list) => list.read(reading),
            Self::Table(list) => list.read(reading),
        }
    }
}
