//! What is wrong with a file of sound.

use std::borrow::Cow;
use std::fmt;

/// What is wrong with a file of sound, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SoundFault {
    /// Offset of the header or the packet.
    pub offset: u64,
    /// What was expected and what was found; lower case, no full stop.
    pub message: Cow<'static, str>,
    /// Whether the bytes ended too early, so that more of them might help.
    pub at_end: bool,
    /// Whether nothing is known to be wrong: the file does not show whether it is whole.
    pub is_doubt: bool,
    /// The feature of this crate without which there is no decoder.
    pub missing_feature: Option<&'static str>,
}

impl SoundFault {
    pub(crate) fn new(offset: u64, message: impl Into<Cow<'static, str>>) -> Self {
        Self { offset, message: message.into(), at_end: false, is_doubt: false, missing_feature: None }
    }

    /// A decoder that is not there.
    pub(crate) fn no_decoder(offset: u64, message: impl Into<Cow<'static, str>>) -> Self {
        let missing_feature = (!cfg!(feature = "codecs")).then_some("codecs");
        Self { missing_feature, ..Self::new(offset, message) }
    }

    /// Fewer samples than headers promise.
    pub(crate) fn truncated(offset: u64, expected: u64, got: u64) -> Self {
        Self::new(offset, format!("Truncated file? Expected {expected} samples, got {got}"))
    }

    pub(crate) fn at_end(offset: u64, message: impl Into<Cow<'static, str>>) -> Self {
        Self { at_end: true, ..Self::new(offset, message) }
    }
}

impl fmt::Display for SoundFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.offset, self.message)
    }
}

impl std::error::Error for SoundFault {}

pub(crate) type Result<T> = std::result::Result<T, SoundFault>;
