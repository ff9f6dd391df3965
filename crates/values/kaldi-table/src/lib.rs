#![doc = include_str!("../README.md")]
//! A table is a list of keys and values of one type. An *archive* (`ark:`) holds them in one stream: a key, one space,
//! and the value, for each entry:
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
//! are types that implement [`kaldi_value::Value`]; this crate knows none of them.
//!
//! ```
//! use kaldi_table::{SequentialReader, TableWriter};
//!
//! // Doubles every number, on several threads.
//! let source = SequentialReader::<i32>::open("ark:printf 'a 1\\nb 2\\n' |")?;
//! let target = TableWriter::<i32>::create("ark,t:/dev/null")?;
//! let written = source.par_map_into(target, |entry| Ok(entry.record(&(2 * entry.read()?))))?;
//! assert_eq!(written.finish()?.done, 2);
//! # Ok::<(), kaldi_table::Error>(())
//! ```

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod batch;
mod entry;
mod error;
mod framing;
mod kept;
mod key;
mod lookup;
mod par_map_into;
mod permissive;
mod ranged;
mod raw;
mod read;
mod record;
mod script;
mod specifier;
mod value_fns;
mod write;

/// Keys, and names of tables: bytes that are mostly text.
pub use bstr::{BStr, BString};
pub use entry::{Entry, Erased};
pub use error::{Error, Result, WorkError};
pub use framing::{Framing, Front, Typed, find_key};
pub use kaldi_io::{Session, count_delivered};
pub use kaldi_reader::{Reader, ReaderExt};
pub use kept::KeptEntries;
pub use key::is_key;
pub use lookup::file_or_table::FileOrTable;
pub use lookup::find::Lookup;
pub use lookup::mapped::MappedReader;
pub use lookup::tables::{SameKey, Tables};
pub use par_map_into::{Counts, EntryTo, Written};
pub use raw::RawEntry;
pub use read::entries::RawEntries;
pub use read::loader::ValueLoader;
pub use read::random_access::RandomAccessReader;
pub use read::rows::{Ended, Rows};
pub use read::sequential::SequentialReader;
pub use read::single_file::read_file;
pub use record::Record;
pub use script::{ScriptLine, ScriptLines, parse_script_line, read_script, write_script_line};
pub use specifier::are_tables;
pub use write::archive::ArchiveWriter;
pub use write::file::write_file;
pub use write::output::create_output;
pub use write::table::TableWriter;
