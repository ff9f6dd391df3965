//! Rspecifiers and wspecifiers as arguments of a program.

use bstr::{BStr, ByteSlice};
use kaldi_io::{Rspecifier, Wspecifier, is_kind, is_specifier, specifier_advice};

use crate::{Error, Result};

/// Parses an rspecifier.
pub(crate) fn parse_rspecifier(text: &BStr) -> Result<Rspecifier> {
    Rspecifier::parse(text).ok_or_else(|| Error::Specifier {
        role: "rspecifier",
        text: text.to_owned(),
        advice: specifier_advice(text, "rspecifier"),
    })
}

/// The error that refuses an rspecifier.
pub(crate) fn refused(rspecifier: &BStr, advice: &str) -> Error {
    Error::Specifier { role: "rspecifier", text: rspecifier.to_owned(), advice: advice.to_owned() }
}

/// Parses a wspecifier.
pub(crate) fn parse_wspecifier(wspecifier: &BStr) -> Result<Wspecifier> {
    Wspecifier::parse(wspecifier).ok_or_else(|| invalid(wspecifier, &specifier_advice(wspecifier, "wspecifier")))
}

/// The error that refuses a wspecifier.
pub(crate) fn invalid(wspecifier: &BStr, advice: &str) -> Error {
    Error::Specifier { role: "wspecifier", text: wspecifier.to_owned(), advice: advice.to_owned() }
}

/// Returns whether a tool that copies `from` to `to` copies tables (`true`) or files (`false`).
///
/// # Errors
/// If one of the two is a table and the other is a file.
pub fn are_tables(from: impl AsRef<[u8]>, to: impl AsRef<[u8]>) -> Result<bool> {
    let (from, to) = (BStr::new(from.as_ref()), BStr::new(to.as_ref()));
    match (is_specifier(from), is_specifier(to)) {
        (true, true) => Ok(true),
        (false, false) => Ok(false),
        // If this should have been a specifier, give the advice for specifiers.
        (false, true) if is_almost_specifier(from) => parse_rspecifier(from).map(|_| true),
        (true, false) if is_almost_specifier(to) => Err(invalid(to, &specifier_advice(to, "wspecifier"))),
        _ => Err(Error::Mixed { from: from.to_owned(), to: to.to_owned() }),
    }
}

/// Whether `ark`, `scp`, `shard` or `shar` is among the words before the first colon.
fn is_almost_specifier(text: &BStr) -> bool {
    let Some((words, _)) = text.split_once_str(b":") else { return false };
    words.split(|byte| b", ".contains(byte)).any(is_kind)
}
