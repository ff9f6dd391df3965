//! Lists, one item on each line.

mod index;
mod nemo;
mod raw;

pub use index::ListIndex;
pub use raw::{RawList, RawUtterance, write_raw_line};
