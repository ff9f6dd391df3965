//! Archives of any type, without parsing their values.
//!
//! Whoever reads a table of matrices says so; here the type is found by looking, with a
//! [`Detector`](kaldi_types::Detector). [`RawEntries`](kaldi_table::RawEntries) go through an archive with it, skipping what they
//! need not see; a [`Sequence`] goes through
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

mod sequence;
#[cfg(test)]
mod tests;

pub use sequence::Sequence;
