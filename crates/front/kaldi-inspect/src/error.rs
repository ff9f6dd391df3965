//! Errors of looking at tables.

use kaldi_corpus::DataDirectory;
use std::io;

use bstr::{BStr, BString, ByteSlice};
use kaldi_any::ModelType;
use kaldi_io::log::warning;
use kaldi_io::{Session, printable_rxfilename};

use crate::model_arrays::array_reader;

/// The result of a function of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A table that cannot be looked at.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum Error {
    /// A table or one of its entries cannot be read.
    #[error(transparent)]
    Table(#[from] kaldi_table::Error),
    /// The name is a folder, but a table was expected.
    #[error("{} is a folder: expected a table{}", printable_rxfilename(.name.as_ref()), such_as(.name))]
    Folder { name: BString },
    /// The name is a model, but a table was expected.
    #[error("{} {}", printable_rxfilename(.name.as_ref()), no_table(*.model_type))]
    Model { name: BString, model_type: ModelType },
    /// The name has the utterances of a corpus, but a table was expected.
    #[error("{} is {kind}: expected a table; {advice}", printable_rxfilename(.name.as_ref()))]
    Corpus { name: BString, kind: String, advice: String },
    /// The name is a model, or statistics, of which no arrays are exported.
    #[error(
        "{}: of {} no arrays are exported; table-head shows its text",
        printable_rxfilename(.name.as_ref()), .model_type.name()
    )]
    NoArrays { name: BString, model_type: ModelType },
    /// Numbers of a model cannot be computed.
    #[error("{}: {source}", printable_rxfilename(.name.as_ref()))]
    ModelNumbers { name: BString, source: kaldi_gmm::Error },
    /// A folder has none of the files of a data directory.
    #[error(
        "{} is a folder without wav.scp, feats.scp, utt2spk or text: expected a data directory",
        printable_rxfilename(.name.as_ref())
    )]
    NoData { name: BString },
    /// A file cannot be opened for looking at it.
    #[error("cannot read {name}: {source}")]
    Look { name: String, source: io::Error },
}

impl Error {
    /// The key of the entry that cannot be read.
    pub fn key(&self) -> Option<&BStr> {
        match self {
            Self::Table(kaldi_table::Error::Entry { key, .. }) if !key.is_empty() => Some(key.as_bstr()),
            _ => None,
        }
    }

    /// Warns of an entry that cannot be read, and counts it in the session, where others can be read nevertheless.
    ///
    /// # Errors
    /// The error itself, if it is about no entry.
    pub fn leave_out(self) -> Result<()> {
        if self.key().is_none() {
            return Err(self);
        }
        warning!("{self}; left out");
        Session::current().count_left_out();
        Ok(())
    }
}

impl From<kaldi_io::Error> for Error {
    fn from(error: kaldi_io::Error) -> Self {
        Self::Table(error.into())
    }
}

/// What a model is, and which tools read it.
fn no_table(model_type: ModelType) -> String {
    let model = model_type.name();
    if model_type.is_stats() {
        return format!(
            "has statistics ({model}): expected a table; table-info shows their sizes, table-head their text"
        );
    }
    let exported = if array_reader(model_type).is_some() { ", table-export writes its arrays" } else { "" };
    format!("is a model ({model}): expected a table; table-info shows its sizes, table-head its text{exported}")
}

/// A table that is in the folder, if there is one.
fn such_as(folder: &BString) -> String {
    let folder = folder.to_path_lossy();
    let tables =
        [DataDirectory::FEATS_SCP, DataDirectory::WAV_SCP, "text", DataDirectory::UTT2SPK, "vad.scp", "ali.scp"];
    let there = tables.iter().map(|name| folder.join(name)).find(|path| path.is_file());
    there.map_or_else(String::new, |path| {
        format!(", such as {}", printable_rxfilename(path.as_os_str().as_encoded_bytes().into()))
    })
}
