//! Reading of tables, in sequence and by key.

pub(crate) mod archive;
mod archive_table;
mod by_key;
pub(crate) mod entries;
mod lines_ahead;
mod loaded;
pub(crate) mod loader;
mod places;
mod queue;
pub(crate) mod random_access;
pub(crate) mod rows;
mod script;
pub(crate) mod sequential;
mod shar;
mod shards;
pub(crate) mod single_file;
mod stepwise;
mod stream_value;
