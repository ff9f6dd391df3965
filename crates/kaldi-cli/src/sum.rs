//! Sums of values that stand in files, one value each.

use anyhow::Context;
use kaldi_io::{Value, printable_rxfilename};
use kaldi_table::read_file;

use crate::InputName;

/// Reads the value of each file, in order, and gives it to `add`, which makes it a part of a sum.
///
/// # Errors
/// Where a file cannot be read, or its value cannot be added; then the file is named.
pub fn add_files<T: Value, E>(names: &[InputName], mut add: impl FnMut(T) -> Result<(), E>) -> anyhow::Result<()>
where
    E: std::error::Error + Send + Sync + 'static,
{
    for name in names {
        add(read_file(name)?).with_context(|| format!("cannot add {}", printable_rxfilename(name)))?;
    }
    Ok(())
}
