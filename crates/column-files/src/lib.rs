#![doc = include_str!("../README.md")]
//! A [`ColumnFile`] has leaves: columns, or members of structs, which have names with dots, such as `audio.bytes`. [`ColumnValues`]
//! delivers the values of one, and has a page of it in memory at most, or a few values of a long page. Sizes that a file claims are compared with the bytes
//! that are there, and checksums of pages with the pages.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod arrow;
mod checksum;
mod codecs;
mod column_pages;
mod columns;
mod error;
mod file;
mod leaf;
mod list_pages;
mod pages;
mod pieces;
mod places;
mod records;
mod snappy;
mod value;
mod write;

pub use columns::{ColumnFile, ColumnValues};
pub use error::{Error, Result};
pub use leaf::{Leaf, LeafType};
pub use places::FilePlaces;
pub use value::{ColumnNumbers, ColumnValue};
pub use write::{Cell, ParquetOptions, ParquetWriter};

/// Whether a file that starts with these bytes has columns of Arrow: `ARROW1`, or a message with a schema.
pub fn is_arrow(head: &[u8]) -> bool {
    arrow::is_arrow(head)
}
