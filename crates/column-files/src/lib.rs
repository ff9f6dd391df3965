//! Columns of Parquet files, read a value at a time.
//!
//! A [`ColumnFile`] has leaves: columns, or members of structs, which have names with dots, such as `audio.bytes`. [`ColumnValues`]
//! delivers the values of one, and has a page of it in memory at most, or a few values of a long page. Sizes that a file claims are compared with the bytes
//! that are there. [`open_column`] opens a column for the crate `parquet`.

#![cfg_attr(test, allow(clippy::unwrap_used))]

/// The examples of README.md, compiled and run as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod codecs;
mod column_pages;
mod error;
mod file;
mod leaf;
mod pages;
mod pieces;
mod places;
mod snappy;
mod value;

pub use error::{Error, Result};
pub use file::{ColumnFile, ColumnValues};
pub use leaf::{Leaf, LeafType};
pub use pages::open_column;
pub use places::FilePlaces;
pub use value::ColumnValue;
