//! Errors of shards and lists.

use crate::ShardFault;

/// The result of the functions of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A failure of a shard or a list.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum Error {
    /// A stream cannot be opened, read or written.
    #[error(transparent)]
    Io(#[from] kaldi_io::Error),
    /// A shard is wrong.
    #[error("{0}")]
    Fault(Box<ShardFault>),
    /// A line of a list makes no sense.
    #[error("{list}:{line}: {message}")]
    Line { list: String, line: u64, message: String },
    /// This cannot be done with this shard.
    #[error("{shard}: {message}")]
    Refused { shard: String, message: String },
}

impl From<ShardFault> for Error {
    fn from(fault: ShardFault) -> Self {
        Self::Fault(Box::new(fault))
    }
}
