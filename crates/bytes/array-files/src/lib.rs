#![doc = include_str!("../README.md")]
//! | file | module | feature |
//! | --- | --- | --- |
//! | `.npy`: one array | [`npy`] | |
//! | `.npz`: a zip file with a `.npy` for each array | `npz` | `npz` |
//! | `.safetensors`: a header in JSON, then the numbers of all arrays | `safetensors` | `safetensors` |
//!
//! Headers are written and parsed here. Numbers are bytes that the caller moves, row after row and little-endian when they
//! are written, so that an array need not be in memory. Sizes in headers are claims: nothing is allocated because of them.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod dtype;
mod error;
pub mod npy;
#[cfg(feature = "npz")]
pub mod npz;
#[cfg(feature = "safetensors")]
pub mod safetensors;

use std::io::{self, Read};

pub use dtype::DType;
pub use error::{Error, Result};

/// Reads this many bytes, or fewer if the input ends; takes memory only for those that are there.
///
/// # Errors
/// If the input cannot be read.
pub fn read_at_most(input: &mut impl Read, length: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(length).read_to_end(&mut bytes)?;
    Ok(bytes)
}
