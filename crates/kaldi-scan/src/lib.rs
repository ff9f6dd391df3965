//! Archives of any type, without parsing their values.
//!
//! Whoever reads a table of matrices says so; here the type is found by looking. [`ValueType`] knows all types that a table
//! may have, and how far a value of each reaches; a [`Detector`] keeps those that fit what it has seen; a [`Scanner`] goes
//! through an archive with it, skipping what it need not see; a [`Sequence`] goes through several.
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

mod detector;
mod scanner;
mod sequence;
#[cfg(test)]
mod tests;
mod value_type;

pub use detector::{Detector, join_names};
pub use scanner::{ScannedEntry, Scanner};
pub use sequence::Sequence;
pub use value_type::{UnknownType, ValueType};
