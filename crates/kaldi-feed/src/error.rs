//! Errors in the parameters and data of a chain.

use std::fmt;

use bstr::BString;
use kaldi_values::SymbolTableError;
use kaldi_wave::ResampleError;

/// The result of a function of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Parameters or files of a chain that make no sense.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A symbol table cannot be read.
    Symbols(SymbolTableError),
    /// A file is not a SentencePiece model.
    Model {
        /// The file.
        file: String,
        /// The reason of the library.
        reason: String,
    },
    /// A SentencePiece model fails on a text.
    Encode {
        /// The reason of the library.
        reason: String,
    },
    /// A speed is out of range.
    Speed {
        /// The speed.
        got: f64,
    },
    /// A line of a list does not have a key and a number.
    Length {
        /// File and line.
        place: String,
        /// The line.
        got: BString,
    },
    /// A key comes twice in a list.
    KeyTwice {
        /// The list.
        name: String,
        /// The key.
        key: BString,
    },
    /// A name is neither a file nor an rspecifier.
    Name {
        /// The name.
        got: BString,
    },
    /// Something should follow a wave file whose length was not known when it was written.
    OpenEntry {
        /// Key, file and offset.
        place: String,
    },
    /// An entry of a stream is not in memory as a whole.
    LongEntry {
        /// Key, file and offset.
        place: String,
    },
    /// A binary value that is copied unchanged should become text.
    TextCopy {
        /// The key.
        key: BString,
    },
    /// Lines of a list should become an archive.
    ListToArchive {
        /// The wspecifier.
        name: BString,
    },
    /// Options that make no sense.
    Arguments {
        /// What was expected, and what was found.
        message: String,
    },
    /// A configuration makes no sense.
    Conf {
        /// File and line.
        place: String,
        /// What was expected, and what was found.
        message: String,
    },
    /// A sample is bad, and the policy makes that an error.
    Bad {
        /// Its key, and what is wrong with it.
        message: String,
    },
    /// More samples are bad than are allowed.
    TooManyBad {
        /// How many are allowed.
        max: u64,
        /// The one more.
        message: String,
    },
    /// More than a tenth of the samples are bad.
    TenthBad {
        /// How many are bad.
        bad: u64,
        /// How many there are.
        samples: u64,
    },
    /// A share that does not exist.
    Share {
        /// What is shared among: `ranks` or `workers`.
        among: &'static str,
        /// Its number, from 0 on.
        index: u64,
        /// How many there are.
        count: u64,
    },
    /// A rank gets no batches, although all should get the same number.
    NoBatches {
        /// The rank, from 0 on.
        rank: u64,
        /// The number of ranks.
        world_size: u64,
    },
    /// No batch of a rank can be read, although all should get the same number.
    NoSpare {
        /// The batch that should be replaced.
        number: u64,
    },
    /// A shard or a list of utterances cannot be read.
    Shard(kaldi_corpus::shard::Error),
    /// A list cannot be read.
    Io(kaldi_io::Error),
    /// A table cannot be read.
    Table(kaldi_table::Error),
    /// Sample rates that cannot be converted.
    Resample(ResampleError),
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Symbols(error) => error.fmt(f),
            Self::Model { file, reason } => write!(f, "{file}: expected a SentencePiece model, got {reason}"),
            Self::Encode { reason } => write!(f, "the SentencePiece model fails: {reason}"),
            Self::Speed { got } => write!(f, "expected a speed from 0.1 to 10, got {got}"),
            Self::Length { place, got } => write!(f, "{place}: expected a key and a number, got {got:?}"),
            Self::KeyTwice { name, key } => write!(f, "{name}: the key {key} comes twice"),
            Self::Name { got } => write!(f, "expected an rspecifier or a file, got {got:?}"),
            Self::OpenEntry { place } => write!(
                f,
                "{place}: the length of this wave file was not known when it was written, so that nothing may follow it"
            ),
            Self::LongEntry { place } => {
                write!(f, "{place}: this entry of a stream is too long: write the archive to a file first")
            }
            Self::TextCopy { key } => write!(f, "{key}: expected text as the option t asks, got a binary value"),
            Self::ListToArchive { name } => {
                write!(f, "{name}: a list of lines becomes a list: write to scp:FILE or FILE, or read ark:FILE")
            }
            Self::Conf { place, message } => write!(f, "{place}: {message}"),
            Self::Arguments { message } | Self::Bad { message } => f.write_str(message),
            Self::TooManyBad { max, message } => {
                write!(f, "expected at most {max} bad samples, got one more: {message}")
            }
            Self::TenthBad { bad, samples } => write!(
                f,
                "expected at most a tenth of the samples to be bad, got {bad} of {samples}: the warnings name them; --max-bad \
                 allows more"
            ),
            Self::Share { among, count: 0, .. } => write!(f, "expected 1 or more {among}, got 0"),
            Self::Share { among, index, count } => {
                write!(f, "expected a number from 0 to {} of {count} {among}, got {index}", count - 1)
            }
            Self::NoBatches { rank, world_size } => {
                write!(f, "expected batches for each of {world_size} ranks, got none for rank {rank}")
            }
            Self::NoSpare { number } => {
                write!(f, "expected another batch for batch {number}, which cannot be read, got none that can")
            }
            Self::Shard(error) => error.fmt(f),
            Self::Io(error) => error.fmt(f),
            Self::Table(error) => error.fmt(f),
            Self::Resample(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Shard(error) => error.source(),
            Self::Io(error) => error.source(),
            Self::Table(error) => error.source(),
            Self::Resample(error) => error.source(),
            Self::Symbols(error) => error.source(),
            _ => None,
        }
    }
}

impl From<ResampleError> for Error {
    fn from(error: ResampleError) -> Self {
        Self::Resample(error)
    }
}

impl From<kaldi_corpus::shard::Error> for Error {
    fn from(error: kaldi_corpus::shard::Error) -> Self {
        Self::Shard(error)
    }
}

impl From<SymbolTableError> for Error {
    fn from(error: SymbolTableError) -> Self {
        Self::Symbols(error)
    }
}

impl From<kaldi_io::Error> for Error {
    fn from(error: kaldi_io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<kaldi_table::Error> for Error {
    fn from(error: kaldi_table::Error) -> Self {
        Self::Table(error)
    }
}
