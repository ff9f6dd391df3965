//! What can go wrong with a picture.

use std::fmt;

/// The result of the functions of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A picture that cannot be made.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// The value of an option makes no sense.
    Option {
        /// Its name, without dashes.
        name: &'static str,
        /// The allowed values.
        expected: String,
        /// The value.
        got: String,
    },
    /// There is nothing to draw.
    Empty,
    /// The PNG file cannot be encoded.
    Encoding(String),
}

impl Error {
    pub(crate) fn option(name: &'static str, expected: impl Into<String>, got: impl fmt::Display) -> Self {
        Self::Option { name, expected: expected.into(), got: got.to_string() }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Option { name, expected, got } => write!(f, "expected --{name} to be {expected}, got {got}"),
            Self::Empty => f.write_str("expected features, got none"),
            Self::Encoding(reason) => write!(f, "cannot encode a picture: {reason}"),
        }
    }
}

impl std::error::Error for Error {}
