//! Lists, one item on each line.

mod index;
mod nemo;
mod nemo_sounds;
mod raw;

pub use index::ListIndex;
pub use nemo_sounds::NemoSounds;
pub(crate) use raw::python_float;
pub use raw::{RawList, RawUtterance, write_raw_line};
