//! Opens and closes outputs as tables do.

use bstr::BStr;
use kaldi_io::log::warning;
use kaldi_io::{Output, output_doubt, printable_wxfilename};

use crate::Result;

/// Opens the output that `name` names, as [`Output::create`] does. Warns if the name of the file looks like a mistake.
///
/// # Errors
/// As [`Output::create`].
pub fn create_output(name: impl AsRef<[u8]>, in_place: bool) -> Result<Output> {
    create(BStr::new(name.as_ref()), in_place)
}

fn create(name: &BStr, in_place: bool) -> Result<Output> {
    let output = Output::create(name, in_place)?;
    if let Some(doubt) = output_doubt(name) {
        warning!("the name of the output file is {}: {doubt}", printable_wxfilename(name));
    }
    Ok(output)
}

/// Completes an output; a command that failed is only a warning in permissive mode.
pub(crate) fn finish_output(output: Output, permissive: bool) -> Result<()> {
    match output.finish() {
        Err(error @ kaldi_io::Error::Status { .. }) if permissive => {
            warning!("{error}; ignored, as permissive mode (p) asks");
            Ok(())
        }
        other => Ok(other?),
    }
}
