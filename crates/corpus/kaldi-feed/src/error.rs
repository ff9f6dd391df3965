//! Errors in the parameters and data of a chain.

use bstr::BString;
use kaldi_io::TextError;
use kaldi_wave::ResampleError;

/// The result of a function of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Parameters or files of a chain that make no sense.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum Error {
    /// A symbol table cannot be read.
    #[error(transparent)]
    Symbols(#[from] TextError),
    /// A file is not a SentencePiece model.
    #[error("{file}: expected a SentencePiece model, got {reason}")]
    Model { file: String, reason: String },
    /// A SentencePiece model fails on a text.
    #[error("the SentencePiece model fails: {reason}")]
    Encode { reason: String },
    /// A speed is out of range.
    #[error("expected a speed from 0.1 to 10, got {got}")]
    Speed { got: f64 },
    /// A line of a list does not have a key and a number.
    #[error("{place}: expected a key and a number, got {got:?}")]
    Length { place: String, got: BString },
    /// A key comes twice in a list.
    #[error("{name}: the key {key} comes twice")]
    KeyTwice { name: String, key: BString },
    /// A name is neither a file nor an rspecifier.
    #[error("expected an rspecifier or a file, got {got:?}")]
    Name { got: BString },
    /// Something should follow a wave file whose length was not known when it was written.
    #[error("{place}: the length of this wave file was not known when it was written, so that nothing may follow it")]
    OpenEntry { place: String },
    /// An entry of a stream is not in memory as a whole.
    #[error("{place}: this entry of a stream is too long: write the archive to a file first")]
    LongEntry { place: String },
    /// A binary value that is copied unchanged should become text.
    #[error("{key}: {message}")]
    TextCopy { key: BString, message: String },
    /// Lines of a list should become an archive.
    #[error("{name}: a list of lines becomes a list: write to scp:FILE or FILE, or read ark:FILE")]
    ListToArchive { name: BString },
    /// Options that make no sense.
    #[error("{message}")]
    Arguments { message: String },
    /// A configuration makes no sense.
    #[error("{place}: {message}")]
    Conf { place: String, message: String },
    /// A sample is bad, and the policy makes that an error.
    #[error("{message}")]
    Bad { message: String },
    /// More samples are bad than are allowed.
    #[error("expected at most {max} bad samples, got one more: {message}")]
    TooManyBad { max: u64, message: String },
    /// More than a tenth of the samples are bad.
    #[error(
        "expected at most a tenth of the samples to be bad, got {bad} of {samples}: the warnings name them; `max_bad` \
         allows more"
    )]
    TenthBad { bad: u64, samples: u64 },
    /// A share that does not exist.
    #[error("{}", no_share(.among, *.index, *.count))]
    Share { among: &'static str, index: u64, count: u64 },
    /// A rank gets no batches, although all should get the same number.
    #[error("expected batches for each of {world_size} ranks, got none for rank {rank}")]
    NoBatches { rank: u64, world_size: u64 },
    /// No batch of a rank can be read, although all should get the same number.
    #[error("expected another batch for batch {number}, which cannot be read, got none that can")]
    NoSpare { number: u64 },
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
