#![doc = include_str!("../README.md")]
//! A [`ColumnFile`] has leaves: columns, or members of structs, which have names with dots, such as `audio.bytes`. [`ColumnValues`]
//! delivers the values of one, and has a page of it in memory at most. Sizes that a file claims are compared with the bytes
//! that are there. [`open_column`] opens a column for the crate `parquet`.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod codecs;
mod error;
mod file;
mod leaf;
mod list_pages;
mod pages;
mod places;
mod value;
mod write;

pub use error::{Error, Result};
pub use file::{ColumnFile, ColumnValues};
pub use leaf::{Leaf, LeafType};
pub use pages::open_column;
pub use places::FilePlaces;
pub use value::ColumnValue;
pub use write::{Cell, ParquetOptions, ParquetWriter};
