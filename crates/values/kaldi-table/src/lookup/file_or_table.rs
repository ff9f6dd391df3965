//! One value for all keys, or one per key.

use std::sync::Arc;

use bstr::BStr;
use kaldi_io::is_specifier;
use kaldi_value::Value;

use crate::Result;
use crate::lookup::find::Lookup;
use crate::lookup::mapped::MappedReader;
use crate::read::single_file::read_file;

/// One value for all keys, or one per key: for an argument of a tool that may name a file or a table.
#[must_use]
pub enum FileOrTable<T> {
    /// A file: the same value for every key.
    File(Arc<T>),
    /// A table, perhaps through an utt2spk map.
    Table(Box<MappedReader<T>>),
}

impl<T: Value> FileOrTable<T> {
    /// Opens `name` as a table if it is an rspecifier, and else as a file. `utt2spk` is the value of the tool's option
    /// of this name, which may be empty; `None` for a tool without this option.
    ///
    /// # Errors
    /// If it cannot be opened or, for a file, read.
    pub fn open(name: impl AsRef<[u8]>, utt2spk: Option<&BStr>) -> Result<Self> {
        let name = BStr::new(name.as_ref());
        if is_specifier(name) {
            let table = MappedReader::open(name, utt2spk.unwrap_or_default())?;
            Ok(Self::Table(Box::new(if utt2spk.is_none() { table.without_map() } else { table })))
        } else {
            Ok(Self::File(Arc::new(read_file(name)?)))
        }
    }
}

impl<T: Value + Sync> Lookup for FileOrTable<T> {
    type Found = Option<Arc<T>>;

    fn find(&mut self, key: &BStr) -> Result<Self::Found> {
        match self {
            Self::File(value) => Ok(Some(Arc::clone(value))),
            Self::Table(table) => table.find(key),
        }
    }

    fn finish(&mut self) -> Result<()> {
        match self {
            Self::File(_) => Ok(()),
            Self::Table(table) => table.finish(),
        }
    }

    fn restart(&mut self) -> Result<()> {
        match self {
            Self::File(_) => Ok(()),
            Self::Table(table) => table.restart(),
        }
    }
}
