//! Errors of shards and lists.

use std::fmt;

use crate::ShardFault;

/// The result of the functions of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A failure of a shard or a list.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A stream cannot be opened, read or written.
    Io(kaldi_io::Error),
    /// A shard is wrong.
    Fault(Box<ShardFault>),
    /// A line of a list makes no sense.
    Line {
        /// The name of the list.
        list: String,
        /// The number of the line, from 1.
        line: u64,
        /// What was expected and what was found.
        message: String,
    },
    /// This cannot be done with this shard.
    Refused {
        /// The name of the shard.
        shard: String,
        /// Why.
        message: String,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Io(error) => error.fmt(f),
            Self::Fault(fault) => fault.fmt(f),
            Self::Line { list, line, message } => write!(f, "{list}:{line}: {message}"),
            Self::Refused { shard, message } => write!(f, "{shard}: {message}"),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Io(error) => error.source(),
            _ => None,
        }
    }
}

impl From<kaldi_io::Error> for Error {
    fn from(error: kaldi_io::Error) -> Self {
        Self::Io(error)
    }
}

impl From<ShardFault> for Error {
    fn from(fault: ShardFault) -> Self {
        Self::Fault(Box::new(fault))
    }
}
