//! Errors in the parameters and data of a chain.

use bstr::BString;
use kaldi_io::TextError;
use kaldi_wave::ResampleError;

/// The result of a function of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Parameters or files of a chain that make no sense.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A symbol table cannot be read.
    #[error(transparent)]
    Symbols(#[from] TextError),
    /// A file is not a SentencePiece model.
    #[error("{file}: expected a SentencePiece model, got {reason}")]
    Model {
        /// The file.
        file: String,
        /// The reason of the library.
        reason: String,
    },
    /// A SentencePiece model fails on a text.
    #[error("the SentencePiece model fails: {reason}")]
    Encode {
        /// The reason of the library.
        reason: String,
    },
    /// A speed is out of range.
    #[error("expected a speed from 0.1 to 10, got {got}")]
    Speed {
        /// The speed.
        got: f64,
    },
    /// A line of a list does not have a key and a number.
    #[error("{place}: expected a key and a number, got {got:?}")]
    Length {
        /// File and line.
        place: String,
        /// The line.
        got: BString,
    },
    /// A key comes twice in a list.
    #[error("{name}: the key {key} comes twice")]
    KeyTwice {
        /// The list.
        name: String,
        /// The key.
        key: BString,
    },
    /// A name is neither a file nor an rspecifier.
    #[error("expected an rspecifier or a file, got {got:?}")]
    Name {
        /// The name.
        got: BString,
    },
    /// Something should follow a wave file whose length was not known when it was written.
    #[error("{place}: the length of this wave file was not known when it was written, so that nothing may follow it")]
    OpenEntry {
        /// Key, file and offset.
        place: String,
    },
    /// An entry of a stream is not in memory as a whole.
    #[error("{place}: this entry of a stream is too long: write the archive to a file first")]
    LongEntry {
        /// Key, file and offset.
        place: String,
    },
    /// A binary value that is copied unchanged should become text.
    #[error("{key}: {message}")]
    TextCopy {
        /// The key.
        key: BString,
        /// What was expected, and what was found.
        message: String,
    },
    /// Lines of a list should become an archive.
    #[error("{name}: a list of lines becomes a list: write to scp:FILE or FILE, or read ark:FILE")]
    ListToArchive {
        /// The wspecifier.
        name: BString,
    },
    /// Options that make no sense.
    #[error("{message}")]
    Arguments {
        /// What was expected, and what was found.
        message: String,
    },
    /// A configuration makes no sense.
    #[error("{place}: {message}")]
    Conf {
        /// File and line.
        place: String,
        /// What was expected, and what was found.
        message: String,
    },
    /// A sample is bad, and the policy makes that an error.
    #[error("{message}")]
    Bad {
        /// Its key, and what is wrong with it.
        message: String,
    },
    /// More samples are bad than are allowed.
    #[error("expected at most {max} bad samples, got one more: {message}")]
    TooManyBad {
        /// How many are allowed.
        max: u64,
        /// The one more.
        message: String,
    },
    /// More than a tenth of the samples are bad.
    #[error(
        "expected at most a tenth of the samples to be bad, got {bad} of {samples}: the warnings name them; `max_bad` \
         allows more"
    )]
    TenthBad {
        /// How many are bad.
        bad: u64,
        /// How many there are.
        samples: u64,
    },
    /// A share that does not exist.
    #[error("{}", no_share(.among, *.index, *.count))]
    Share {
        /// What is shared among: `ranks` or `workers`.
        among: &'static str,
        /// Its number, from 0 on.
        index: u64,
        /// How many there are.
        count: u64,
    },
    /// A rank gets no batches, although all should get the same number.
    #[error("expected batches for each of {world_size} ranks, got none for rank {rank}")]
    NoBatches {
        /// The rank, from 0 on.
        rank: u64,
        /// The number of ranks.
        world_size: u64,
    },
    /// No batch of a rank can be read, although all should get the same number.
    #[error("expected another batch for batch {number}, which cannot be read, got none that can")]
    NoSpare {
        /// The batch that should be replaced.
        number: u64,
    },
    /// A shard or a list of utterances cannot be read.
    #[error(transparent)]
    Shard(#[from] kaldi_corpus::shard::Error),
    /// A list cannot be read.
    #[error(transparent)]
    Io(#[from] kaldi_io::Error),
    /// A table cannot be read.
    #[error(transparent)]
    Table(#[from] kaldi_table::Error),
    /// Sample rates that cannot be converted.
    #[error(transparent)]
    Resample(#[from] ResampleError),
}

/// What is wrong with a share.
fn no_share(among: &str, index: u64, count: u64) -> String {
    match count {
        0 => format!("expected 1 or more {among}, got 0"),
        _ => format!("expected a number from 0 to {} of {count} {among}, got {index}", count - 1),
    }
}
