//! Errors of reading a corpus.

use std::fmt;

use bstr::BString;
use kaldi_io::printable_rxfilename;

/// The result of a function of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A corpus that cannot be shown.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A table cannot be read.
    Table(kaldi_inspect::Error),
    /// The values of a table are of a type that says nothing about utterances.
    Type {
        /// The name of the table.
        name: BString,
        /// The type of the values.
        found: &'static str,
    },
    /// The values of a table are not over time.
    NotOverTime {
        /// The name of the table.
        name: BString,
        /// The type of the values.
        found: &'static str,
    },
    /// There are no utterances.
    Nothing {
        /// The names of directories and tables.
        names: Vec<BString>,
    },
    /// A picture cannot be drawn.
    Picture(kaldi_plot::Error),
    /// A table comes only once.
    Stream {
        /// The name of the table.
        name: BString,
    },
    /// A list cannot be read.
    List {
        /// The name of the list.
        name: BString,
        /// Why.
        message: String,
    },
    /// Reading was ended before it was complete.
    Ended,
    /// The server cannot run.
    Serve(std::io::Error),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Table(error) => error.fmt(f),
            Self::Type { name, found } => {
                let name = printable_rxfilename(name.as_ref());
                write!(f, "{name}: expected waveforms, features, alignments or texts, got values of type {found}")
            }
            Self::NotOverTime { name, found } => {
                let name = printable_rxfilename(name.as_ref());
                write!(f, "{name}: expected waveforms, features, alignments or posteriors, got values of type {found}")
            }
            Self::Nothing { names } => {
                let names: Vec<_> = names.iter().map(|name| printable_rxfilename(name.as_ref())).collect();
                write!(f, "there are no utterances in {}", names.join(", "))?;
                let has_folder = names.iter().any(|name| std::path::Path::new(&**name).is_dir());
                f.write_str(if has_folder {
                    " (make-data-dir makes a data directory of a folder of sound)"
                } else {
                    ""
                })
            }
            Self::Picture(error) => error.fmt(f),
            Self::Stream { name } => {
                let name = printable_rxfilename(name.as_ref());
                write!(
                    f,
                    "{name} comes only once, but values are read when they are seen: expected files; write it to one first, as copy-feats does"
                )
            }
            Self::List { message, .. } => f.write_str(message),
            Self::Ended => f.write_str("ended before it was complete"),
            Self::Serve(error) => write!(f, "cannot serve: {error}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Table(error) => error.source(),
            Self::Picture(error) => error.source(),
            Self::Serve(error) => Some(error),
            Self::Type { .. }
            | Self::NotOverTime { .. }
            | Self::Nothing { .. }
            | Self::Stream { .. }
            | Self::List { .. }
            | Self::Ended => None,
        }
    }
}

impl From<kaldi_inspect::Error> for Error {
    fn from(error: kaldi_inspect::Error) -> Self {
        Self::Table(error)
    }
}

impl From<kaldi_table::Error> for Error {
    fn from(error: kaldi_table::Error) -> Self {
        Self::Table(error.into())
    }
}

impl From<kaldi_io::Error> for Error {
    fn from(error: kaldi_io::Error) -> Self {
        Self::Table(error.into())
    }
}

impl From<kaldi_plot::Error> for Error {
    fn from(error: kaldi_plot::Error) -> Self {
        Self::Picture(error)
    }
}
