//! Errors of the commands.

use crate::fault::Fault;

/// What can go wrong with a command.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// The store has failed.
    Object {
        /// The printable name of the object or the folder.
        name: String,
        /// Why.
        source: std::io::Error,
    },
    /// A stream has failed.
    Io(kaldi_io::Error),
    /// The stores cannot start.
    Start(std::io::Error),
}

/// The result of a command.
pub type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    /// A fault of the object `name`.
    pub(crate) fn of_object(name: &bstr::BStr, fault: Fault) -> Self {
        let name = String::from_utf8_lossy(&kaldi_log::hide_secrets(name)).into_owned();
        Self::Object { name, source: fault.into() }
    }
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Object { name, source } => write!(f, "{name}: {source}"),
            Self::Io(error) => error.fmt(f),
            Self::Start(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Object { source, .. } => Some(source),
            Self::Io(error) => error.source(),
            Self::Start(error) => error.source(),
        }
    }
}

impl From<kaldi_io::Error> for Error {
    fn from(error: kaldi_io::Error) -> Self {
        Self::Io(error)
    }
}
