//! What can go wrong with a picture.

use std::fmt;

/// The result of the functions of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A picture that cannot be made.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum Error {
    /// The value of an option makes no sense.
    #[error("expected `{name}` to be {expected}, got {got}")]
    Option { name: &'static str, expected: String, got: String },
    /// There is nothing to draw.
    #[error("expected features, got none")]
    Empty,
    /// The PNG file cannot be encoded.
    #[error("cannot encode a picture: {0}")]
    Encoding(String),
}

impl Error {
    pub(crate) fn option(name: &'static str, expected: impl Into<String>, got: impl fmt::Display) -> Self {
        Self::Option { name, expected: expected.into(), got: got.to_string() }
    }
}
