#![doc = include_str!("../README.md")]
//! | file | an entry of the table is |
//! | --- | --- |
//! | `.npy` | all of the file; with stacked rows, some of its rows |
//! | `.npz` | an array of its name, stored without compression, or several |
//! | `.safetensors` | a tensor of its name, or several |
//! | `.parquet` | a row: `key`, `rows`, `columns` and `values`, a list; or `key` and `value` |
//! | `.csv`, `.tsv` | a line for each row: the key, then the numbers, or words |
//! | `.jsonl` | a line: `{"key": "utt1", "value": [[1.0, 2.0]]}` |
//!
//! In between, an entry is an [`Item`]. Most are an [`Array`]: a type of numbers, up to two dimensions, and the bytes of the
//! numbers in little-endian order, row after row. That is how all binary files have them, Kaldi's archives among them, so that
//! most numbers go from file to file as they are. Posteriors, lists, waveforms, training examples, lattices and FSTs become several
//! arrays. [`Exporter`] writes the files, [`import`] reads them. Parquet and Arrow need the feature `columns`, which is on by default.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod array;
mod cells;
mod compound;
mod ctm;
mod error;
mod exact;
mod example_arrays;
mod example_json;
mod example_names;
mod example_parquet;
mod export;
mod file_format;
mod graph_parts;
mod import;
mod item;
mod json_read;
mod npy;
mod npz;
mod parquet_read;
mod parquet_write;
mod safetensors;
mod spool;
mod stream;
mod tensor_header;
mod text_read;
mod text_write;
mod types;

pub use array::{Array, FloatType};
pub use ctm::is_ctm;
pub use error::{Error, Result};
pub use export::{ExportOptions, Exporter, Piece};
pub use file_format::FileFormat;
pub use import::{ImportOptions, StackedKey, import};
pub use item::Item;
pub use types::{ExportedType, table_types, to_record};
