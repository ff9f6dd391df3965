//! Archives of any type, without parsing their values.
//!
//! Whoever reads a table of matrices says so; here the type is found by looking: a [`Scanner`] goes
//! through an archive with a [`Detector`](kaldi_types::Detector), skipping what it need not see; a [`Sequence`] goes through
//! several.
//!
//! ```text
//! utt1 \0BFM \x04....\x04....(96000 bytes)utt2 \0BFM ...
//! ^    ^                                  ^
//! key  value: header is read              end: the next thing that is read
//! ```

#![cfg_attr(test, allow(clippy::unwrap_used))]

/// The examples of README.md, compiled and run as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod scanner;
mod sequence;
#[cfg(test)]
mod tests;

pub use scanner::{ScannedEntry, Scanner};
pub use sequence::Sequence;
