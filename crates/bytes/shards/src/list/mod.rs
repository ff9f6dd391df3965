//! Lists, one item on each line.

mod lines;
mod names;

pub use lines::{ListKind, ListLines, excerpt};
pub use names::{ShardName, ShardNames};
