//! Lists, one item on each line.

mod lines;
mod shard_names;

pub use lines::{ListKind, ListLines, excerpt};
pub use shard_names::{ShardName, ShardNames};
