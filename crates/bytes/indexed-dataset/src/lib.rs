#![doc = include_str!("../README.md")]
//! The `.bin` has tokens and nothing else. The index says where *sequences* of tokens start, and which sequences are a
//! *document*. This is Megatron's, of the documents `1 2 3`, `4 5 6 7` and `8 9`, in 16-bit numbers; all numbers are
//! little-endian:
//!
//! ```text
//! 0000  4d 4d 49 44 49 44 58 00 00                        magic: MMIDIDX and two zeros
//! 0009  01 00 00 00 00 00 00 00                           version 1
//! 0011  08                                                type code: uint16
//! 0012  03 00 00 00 00 00 00 00                           sequences
//! 001a  04 00 00 00 00 00 00 00                           bounds of documents, one more than documents
//! 0022  03 00 00 00  04 00 00 00  02 00 00 00             sizes: tokens of each sequence
//! 002e  00 00 00 00 00 00 00 00  06 00 00 00 00 00 00 00  pointers: the byte of the .bin where each starts
//! 003e  0e 00 00 00 00 00 00 00
//! 0046  00 00 00 00 00 00 00 00  01 00 00 00 00 00 00 00  bounds: where documents start and end, in sequences
//! 0056  02 00 00 00 00 00 00 00  03 00 00 00 00 00 00 00
//! ```
//!
//! A signed byte for each sequence may follow, its *mode*. fairseq has neither bounds nor their count.
//!
//! ```
//! use indexed_dataset::{BuilderOptions, IndexedDataset, IndexedDatasetBuilder, Prefix, TokenType};
//!
//! # let folder = tempfile::tempdir().unwrap();
//! # let prefix = folder.path().join("text");
//! let prefix = Prefix::new(prefix);
//! let options = BuilderOptions { token_type: TokenType::U16, ..BuilderOptions::default() };
//! let mut builder = IndexedDatasetBuilder::create(&prefix, options)?;
//! for document in [&[1, 2, 3][..], &[4, 5, 6, 7], &[8, 9]] {
//!     builder.push(document)?;
//!     builder.end_document()?;
//! }
//! builder.finish()?;
//!
//! let dataset = IndexedDataset::open(&prefix)?;
//! assert_eq!(dataset.num_documents(), 3);
//! assert_eq!(dataset.slice(1, 1, Some(2))?.integers(), [5, 6]);
//! # Ok::<(), indexed_dataset::Error>(())
//! ```
//!
//! Names of objects, such as `s3://bucket/text`, are read and written, too, by the store of the process
//! ([`kaldi_io::SessionSettings::store`]).
//!
//! Nothing in a file is trusted: sizes are compared in 64 bits with the length of the file before anything is
//! allocated.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod bin_parts;
mod builder;
mod check;
mod dataset;
mod error;
mod index_file;
mod index_writer;
mod layout;
mod lookalikes;
mod merge;
mod open;
mod prefix;
mod publish;
pub mod samples;
mod sequence_offsets;
mod sequences;
mod split;
mod spool;
mod summary;
#[cfg(test)]
mod tests;
mod token_type;
mod tokens;

pub use bin_parts::{count_bin_parts, cut_bin, join_bin_parts};
pub use builder::{BuilderOptions, DatasetCounts, IndexedDatasetBuilder};
pub use check::{Checked, check};
pub use dataset::IndexedDataset;
pub use error::{DatasetFault, Error, Misfit, Result};
pub use index_file::format_of_file;
pub use merge::merge;
pub use prefix::Prefix;
pub use sequences::{Documents, Sequences};
pub use summary::DatasetSummary;
pub use token_type::{Dialect, TokenType};
pub use tokens::{SequenceTokens, decode_i32, encode_i32, write_text};
