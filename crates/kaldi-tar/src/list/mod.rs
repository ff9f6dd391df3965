//! Lists: a line each.

mod lines;
mod names;

pub use lines::{ListLines, excerpt};
pub use names::{ShardName, ShardNames};
