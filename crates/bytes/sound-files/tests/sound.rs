//! Sound in files, whole and damaged.

#![allow(clippy::unwrap_used)]
#![cfg(feature = "codecs")]

mod files;
mod missing;

/// One of the files of the tests.
fn read(name: &str) -> Vec<u8> {
    std::fs::read(format!("{}/tests/files/{name}", env!("CARGO_MANIFEST_DIR"))).unwrap()
}
