//! Tar: blocks of 512 bytes, a header before each member.

mod block;
mod header;
mod members;
mod pax;
mod write;

pub use block::{BLOCK, padding, whole_size};
pub(crate) use header::Header;
pub use members::{Member, Members, Payload};
pub use write::member_header;
