//! Lookups: what belongs to an entry of a table.

pub(crate) mod file_or_table;
pub(crate) mod find;
pub(crate) mod mapped;
pub(crate) mod tables;
