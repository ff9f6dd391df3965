//! Small text files that options and arguments name.

use anyhow::Context;
use kaldi_io::Input;

use crate::InputName;

/// Reads a whole text and parses it.
///
/// # Errors
/// If the file cannot be read or parsed; then it is named.
pub fn read_text<T, E>(name: &InputName, parse: impl FnOnce(&[u8]) -> Result<T, E>) -> anyhow::Result<T>
where
    E: std::error::Error + Send + Sync + 'static,
{
    let mut input = Input::open(name)?;
    let text = input.read_to_end()?;
    let place = input.name().to_owned();
    input.finish()?;
    parse(&text).context(place)
}
