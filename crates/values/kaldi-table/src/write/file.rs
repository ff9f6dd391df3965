//! Writes values into files that are no tables.

use bstr::BStr;
use kaldi_value::{Format, Value};

use crate::Result;
use crate::record::warn_of_loss;
use crate::write::output::create_output;

/// Writes one value to a wxfilename that is no table.
///
/// # Errors
/// If the name is invalid or writing fails.
pub fn write_file<T: Value>(wxfilename: impl AsRef<[u8]>, value: &T, format: Format) -> Result<()> {
    warn_of_loss(b"", value);
    write_bytes(BStr::new(wxfilename.as_ref()), &value.to_bytes(format))
}

fn write_bytes(wxfilename: &BStr, bytes: &[u8]) -> Result<()> {
    let mut output = create_output(wxfilename, false)?;
    output.write_all(bytes)?;
    Ok(output.finish()?)
}
