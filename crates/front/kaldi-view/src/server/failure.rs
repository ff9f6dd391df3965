//! Why a request has no answer.

use std::fmt;

/// Why a request has no answer.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Failure {
    /// There is no such thing: 404.
    Unknown(String),
    /// It is there, and cannot be read: 422.
    Unreadable(String),
    /// The request makes no sense: 400.
    Wrong(String),
    /// It names what there is not: 400.
    Misnamed(Misnamed),
}

/// A name, or a number after one, that a search or an order has and nothing here fits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Misnamed {
    pub message: String,
    /// The column that is meant.
    pub column: Option<String>,
    /// The nearest names.
    pub like: Vec<&'static str>,
}

/// The result of what a request asks for.
pub(crate) type Answer<T> = Result<T, Failure>;

impl Failure {
    pub fn unreadable(error: impl fmt::Display) -> Self {
        Self::Unreadable(error.to_string())
    }

    pub fn wrong(error: impl fmt::Display) -> Self {
        Self::Wrong(error.to_string())
    }

    pub fn message(&self) -> &str {
        match self {
            Self::Unknown(message) | Self::Unreadable(message) | Self::Wrong(message) => message,
            Self::Misnamed(misnamed) => &misnamed.message,
        }
    }
}
