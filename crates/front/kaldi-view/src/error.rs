//! Errors of reading a corpus.

use bstr::BString;
use corpus_quality::SoundIndex;
use kaldi_io::printable_rxfilename;

/// The result of a function of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A corpus that cannot be shown.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum Error {
    /// A table cannot be read.
    #[error(transparent)]
    Table(#[from] kaldi_inspect::Error),
    /// A file of symbols cannot be read.
    #[error(transparent)]
    Text(#[from] kaldi_io::TextError),
    /// The values of a table are of a type that says nothing about utterances.
    #[error(
        "{}: expected waveforms, features, alignments or texts, got values of type {found}",
        printable_rxfilename(.name.as_ref())
    )]
    Type { name: BString, found: &'static str },
    /// The values of a table are not over time.
    #[error(
        "{}: expected waveforms, features, alignments, posteriors, lattices or training examples, got values of type {found}",
        printable_rxfilename(.name.as_ref())
    )]
    NotOverTime { name: BString, found: &'static str },
    /// There are no utterances.
    #[error("there are no utterances in {}", nothing_in(.names))]
    Nothing { names: Vec<BString> },
    /// A picture cannot be drawn.
    #[error(transparent)]
    Picture(#[from] kaldi_plot::Error),
    /// A table comes only once.
    #[error(
        "{} comes only once, but values are read when they are seen: expected files; write it to one first, as copy-feats does",
        printable_rxfilename(.name.as_ref())
    )]
    Stream { name: BString },
    /// A list cannot be read.
    #[error("{message}")]
    List { name: BString, message: String },
    /// There is more sound than can be compared.
    #[error(
        "expected at most {} hours of sound to look for copies in, got more (see `near_duplicates`)",
        SoundIndex::MOST_HOURS
    )]
    TooMuch,
    /// Reading was ended before it was complete.
    #[error("ended before it was complete")]
    Ended,
    /// The server cannot run.
    #[error("cannot serve: {0}")]
    Serve(#[source] std::io::Error),
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

/// The names, and what to do with a folder.
fn nothing_in(names: &[BString]) -> String {
    let names: Vec<_> = names.iter().map(|name| printable_rxfilename(name.as_ref())).collect();
    let has_folder = names.iter().any(|name| std::path::Path::new(&**name).is_dir());
    let advice = if has_folder { " (make-data-dir makes a data directory of a folder of sound)" } else { "" };
    names.join(", ") + advice
}
