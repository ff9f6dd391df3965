//! Lists: a line each.

mod index;
mod raw;

pub use index::ListIndex;
pub use raw::{RawList, RawUtterance, write_raw_line};
