//! Kaldi's tables: archives and script files, read in sequence or by key, and written.
//!
//! A table is a list of keys and values of one type. An *archive* (`ark:`) holds them in one stream, each value behind
//! its key and one space:
//!
//! ```text
//! utt1 \0BFM ...utt2 \0BFM ...          binary
//! utt1  [ 1 2 3 ]\nutt2  [ 4 5 6 ]\n    text; both may be mixed in one archive
//! ```
//!
//! A *script file* (`scp:`) has a line for each key that says where the value is:
//!
//! ```text
//! utt1 feats.ark:5
//! utt2 feats.ark:1204[0:99]
//! ```
//!
//! [`SequentialReader`], [`RandomAccessReader`] and [`TableWriter`] take Kaldi's rspecifiers and wspecifiers. The values
//! are types that implement [`kaldi_io::Value`]; this crate knows none of them.

#![cfg_attr(test, allow(clippy::unwrap_used))]

/// The examples of README.md, compiled and run as documentation tests.
#[cfg(doctest)]
#[doc = include_str!("../README.md")]
struct Readme;

mod archive;
mod archive_writer;
mod entry;
mod error;
mod lines_ahead;
mod loader;
mod lookup;
mod random_access;
mod rows;
mod script;
mod script_reader;
mod sequential;
mod stream_value;
mod writer;

pub use archive_writer::{ArchiveWriter, create_output};
pub use entry::{Entry, Record};
pub use error::{Error, Result, WorkError};
pub use lookup::{FileOrTable, Lookup, MappedReader};
pub use random_access::RandomAccessReader;
pub use rows::{Rows, count_delivered, entries_delivered, set_num_threads};
pub use script::{ScriptLine, parse_script_line, read_script, write_script_line};
pub use sequential::{SequentialReader, are_tables, read_file};
pub use writer::{TableWriter, entries_written, is_key, write_file};
