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

mod buffer;
mod field;
mod file;
mod flat;
#[cfg(test)]
mod tests;
mod values;

pub(crate) use file::{ArrowFile, is_arrow};
pub(crate) use values::ArrowValues;
