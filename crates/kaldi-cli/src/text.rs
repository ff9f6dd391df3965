//! Small text files that options and arguments name.

use std::collections::BTreeSet;

use anyhow::{Context, bail};
use bstr::{BString, ByteSlice};
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
    let text = input.read_text()?;
    let place = input.name().to_owned();
    input.finish()?;
    parse(&text).context(place)
}

/// Reads the first word of every line of a text file.
///
/// # Errors
/// If the file cannot be read or is binary, or a line has no word.
pub fn read_keys(name: &InputName) -> anyhow::Result<BTreeSet<BString>> {
    let mut input = Input::open(name)?;
    let text = input.read_text()?;
    let place = input.name().to_owned();
    input.finish()?;
    if text.starts_with(b"\0B") {
        bail!("{place}: expected a text file, got a binary one");
    }
    let mut keys = BTreeSet::new();
    for (line, number) in text.lines().zip(1..) {
        match line.split(|byte| b" \t\r".contains(byte)).find(|word| !word.is_empty()) {
            Some(key) => keys.insert(key.into()),
            None => bail!("{place}:{number}: expected an utterance, got an empty line"),
        };
    }
    Ok(keys)
}
