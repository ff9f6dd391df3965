//! Errors of looking at tables.

use std::fmt;
use std::io;

use bstr::BString;
use kaldi_io::printable_rxfilename;
use kaldi_types::ModelType;

use crate::model_arrays::array_reader;

/// The result of a function of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A table that cannot be looked at.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A table or one of its entries cannot be read.
    Table(kaldi_table::Error),
    /// The name is a folder, but a table was expected.
    Folder {
        /// The name as given.
        name: BString,
    },
    /// The name is a model, but a table was expected.
    Model {
        /// The name as given.
        name: BString,
        /// Which kind of model.
        model_type: ModelType,
    },
    /// The name is a model, or statistics, of which no arrays are exported.
    NoArrays {
        /// The name as given.
        name: BString,
        /// Which kind of model.
        model_type: ModelType,
    },
    /// Numbers of a model cannot be computed.
    ModelNumbers {
        /// The name as given.
        name: BString,
        /// The reason.
        source: kaldi_gmm::Error,
    },
    /// A folder has none of the files of a data directory.
    NoData {
        /// The name as given.
        name: BString,
    },
    /// A file cannot be opened for looking at it.
    Look {
        /// The printable name.
        name: String,
        /// The reason of the system.
        source: io::Error,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Table(error) => error.fmt(f),
            Self::Folder { name } => {
                let name = printable_rxfilename(name.as_ref());
                write!(f, "{name} is a folder: expected a table, such as {name}/feats.scp")
            }
            Self::Model { name, model_type } => {
                let (name, model) = (printable_rxfilename(name.as_ref()), model_type.name());
                if model_type.is_stats() {
                    return write!(
                        f,
                        "{name} has statistics ({model}): expected a table; table-info shows their sizes, table-head their text"
                    );
                }
                let exported =
                    if array_reader(*model_type).is_some() { ", table-export writes its arrays" } else { "" };
                write!(
                    f,
                    "{name} is a model ({model}): expected a table; table-info shows its sizes, table-head its text{exported}"
                )
            }
            Self::NoArrays { name, model_type } => {
                let (name, model) = (printable_rxfilename(name.as_ref()), model_type.name());
                write!(f, "{name}: of {model} no arrays are exported; table-head shows its text")
            }
            Self::ModelNumbers { name, source } => write!(f, "{}: {source}", printable_rxfilename(name.as_ref())),
            Self::NoData { name } => {
                let name = printable_rxfilename(name.as_ref());
                write!(f, "{name} is a folder without wav.scp, feats.scp, utt2spk or text: expected a data directory")
            }
            Self::Look { name, source } => write!(f, "cannot read {name}: {source}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Table(error) => error.source(),
            Self::Look { source, .. } => Some(source),
            Self::ModelNumbers { source, .. } => Some(source),
            Self::Folder { .. } | Self::Model { .. } | Self::NoArrays { .. } | Self::NoData { .. } => None,
        }
    }
}

impl From<kaldi_table::Error> for Error {
    fn from(error: kaldi_table::Error) -> Self {
        Self::Table(error)
    }
}

impl From<kaldi_io::Error> for Error {
    fn from(error: kaldi_io::Error) -> Self {
        Self::Table(error.into())
    }
}
