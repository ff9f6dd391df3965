//! Lists, one item on each line.

mod lines;
mod names;

pub use lines::{ListLines, excerpt};
pub use names::{ShardName, ShardNames};
