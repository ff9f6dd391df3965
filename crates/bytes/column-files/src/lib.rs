#![doc = include_str!("../README.md")]
//! A [`ColumnFile`] has leaves: columns, or members of structs, which have names with dots, such as `audio.bytes`. [`ColumnValues`]
//! delivers the values of one, and has a page of it in memory at most, or a few values of a long page. Sizes that a file claims are
//! compared with the bytes that are there, and checksums of pages with the pages.
//!
//! All this needs the feature `columns`, which is on by default. Without it, files are told apart, and opening or making one is an error.

#![cfg_attr(test, allow(clippy::unwrap_used))]
// What tells a file apart is a part of what reads it.
#![cfg_attr(not(feature = "columns"), allow(dead_code))]

mod arrow;
mod cell;
#[cfg(feature = "columns")]
mod checksum;
#[cfg(feature = "columns")]
mod codecs;
#[cfg(feature = "columns")]
mod column_pages;
#[cfg(feature = "columns")]
mod columns;
#[cfg(feature = "columns")]
mod dictionary;
mod error;
#[cfg(feature = "columns")]
mod file;
mod leaf;
#[cfg(feature = "columns")]
mod list_pages;
#[cfg(not(feature = "columns"))]
mod missing;
#[cfg(feature = "columns")]
mod page_pieces;
#[cfg(feature = "columns")]
mod pages;
mod positioned_file;
#[cfg(feature = "columns")]
mod records;
#[cfg(feature = "columns")]
mod schema;
#[cfg(feature = "columns")]
mod snappy;
mod value;
#[cfg(feature = "columns")]
mod write;

pub use cell::{Cell, ParquetOptions};
#[cfg(feature = "columns")]
pub use columns::{ColumnFile, ColumnValues};
pub use error::{Error, Result};
pub use leaf::{Leaf, LeafType};
#[cfg(not(feature = "columns"))]
pub use missing::{ColumnFile, ColumnValues, ParquetWriter};
pub use positioned_file::FilePlaces;
pub use value::{ColumnNumbers, ColumnValue};
#[cfg(feature = "columns")]
pub use write::ParquetWriter;

/// Whether a file that starts with these bytes has columns of Arrow: `ARROW1`, or a message with a schema.
pub fn is_arrow(head: &[u8]) -> bool {
    arrow::is_arrow(head)
}
