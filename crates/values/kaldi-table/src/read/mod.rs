//! Reading of tables, in sequence and by key.

pub(crate) mod archive;
mod archive_index;
mod archive_table;
mod by_key;
pub(crate) mod entries;
mod entry_by_entry;
mod lines_ahead;
mod loaded;
pub(crate) mod loader;
mod queue;
pub(crate) mod random_access;
pub(crate) mod rows;
mod script;
pub(crate) mod sequential;
mod shar;
mod shards;
pub(crate) mod single_file;
mod stream_value;
