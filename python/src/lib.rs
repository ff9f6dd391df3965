//! The extension module `kaldi_tables._core`: Kaldi's tables, values and features for Python.
//!
//! Each file has a function `register`, which adds its functions and classes to the module. The packages around it are Python
//! (`python/kaldi_tables`). How to build it for development is in `python/README.md`.

// An exception has many fields, and errors are rare.
#![allow(clippy::result_large_err)]

mod compose;
mod errors;
mod feats;
mod feed;
mod filesystem;
mod inspect;
mod interrupt;
mod jobs;
mod kaldiio;
mod kept;
mod lattice;
mod log;
mod lookup;
mod names;
mod owned;
mod reader;
mod shards;
mod tokens;
mod values;
mod write;

use pyo3::prelude::*;

/// Kaldi's tables, values and features.
#[pymodule]
fn _core(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    errors::register(module)?;
    interrupt::register(module)?;
    compose::register(module)?;
    feats::register(module)?;
    feed::register(module)?;
    filesystem::register(module)?;
    inspect::register(module)?;
    jobs::register(module)?;
    kaldiio::register(module)?;
    lattice::register(module)?;
    lookup::register(module)?;
    reader::register(module)?;
    shards::register(module)?;
    tokens::register(module)?;
    values::register(module)?;
    write::register(module)
}
