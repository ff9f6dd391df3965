//! Lists, one item on each line.

mod index;
mod nemo;
mod raw;

pub use index::ListIndex;
pub(crate) use raw::python_float;
pub use raw::{RawList, RawUtterance, write_raw_line};
