//! Errors of the commands.

use crate::fault::Fault;

/// What can go wrong with a command.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum Error {
    /// The store has failed.
    #[error("{name}: {source}")]
    Object { name: String, source: std::io::Error },
    /// A stream has failed.
    #[error(transparent)]
    Io(#[from] kaldi_io::Error),
    /// Some of many objects have failed.
    #[error("{num_failed} of {of} objects have failed; the first one: {first}")]
    Several { num_failed: usize, of: usize, first: Box<Error> },
    /// The stores cannot start.
    #[error(transparent)]
    Start(std::io::Error),
}

/// The result of a command.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// A fault of the object `name`.
    pub(crate) fn of_object(name: &bstr::BStr, fault: Fault) -> Self {
        let name = String::from_utf8_lossy(&kaldi_io::log::hide_secrets(name)).into_owned();
        Self::Object { name, source: fault.into() }
    }
}
