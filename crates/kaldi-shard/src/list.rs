//! Lists: a line each.

mod index;
mod lines;
mod names;
mod raw;

pub use index::ListIndex;
pub use names::{ShardName, ShardNames};
pub use raw::{RawList, RawUtterance, write_raw_line};
