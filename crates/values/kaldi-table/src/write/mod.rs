//! Writing of tables.

pub(crate) mod archive;
pub(crate) mod file;
pub(crate) mod output;
pub(crate) mod table;
