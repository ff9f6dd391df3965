//! Arrow, as its IPC format lies in files: streams, as `save_to_disk` of `datasets` writes, and files, Feather among them.
//!
//! Both are messages. One is four bytes `ff`, the size of its metadata, the metadata, and a body of buffers:
//!
//! ```text
//! ff ff ff ff  98 02 00 00 | metadata (a flatbuffer): schema               | no body
//! ff ff ff ff  d8 00 00 00 | metadata: 100 rows, places of the buffers     | buffers: validity, offsets, bytes ...
//! ff ff ff ff  00 00 00 00 | the end
//! ```
//!
//! A file has `ARROW1` before them, and after them a directory, its size and `ARROW1` again. Only metadata is read at first; a value is
//! read where it lies, so that neither a batch of rows nor one of its buffers is in memory.

#[cfg(feature = "columns")]
mod buffer;
#[cfg(feature = "columns")]
mod field;
#[cfg(feature = "columns")]
mod file;
mod flat;
#[cfg(all(test, feature = "columns"))]
mod tests;
#[cfg(feature = "columns")]
mod values;

#[cfg(feature = "columns")]
pub(crate) use file::ArrowFile;
#[cfg(feature = "columns")]
pub(crate) use values::ArrowValues;

use flat::Table;

/// What a file starts and ends with; a stream does not.
const MAGIC: &[u8] = b"ARROW1";

/// The first bytes of a message.
const MESSAGE: [u8; 4] = [0xff; 4];

/// Whether a file that starts like this is one of Arrow.
pub(crate) fn is_arrow(head: &[u8]) -> bool {
    let is_schema = |metadata: &[u8]| Table::root(metadata).and_then(|message| message.u8(1)) == Ok(SCHEMA);
    head.starts_with(MAGIC) || (head.starts_with(&MESSAGE) && head.get(8..).is_some_and(is_schema))
}

/// Kinds of messages.
const SCHEMA: u8 = 1;
const DICTIONARY: u8 = 2;
const BATCH: u8 = 3;
