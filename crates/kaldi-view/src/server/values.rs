//! The value of a key, framed and not parsed.

use kaldi_reader::Reader;
use kaldi_table::{Framing, RawEntries, RawEntry};

use crate::server::cancel::may_wait;
use crate::server::catalog::ValuePlace;

/// Reads a value: of a file from an offset on, of a command, or of an archive that is read up to it.
///
/// # Errors
/// Why it cannot be read.
pub(crate) fn entry<F: Framing>(place: &ValuePlace, framing: F) -> Result<RawEntry, String> {
    let name = &place.rxfilename;
    let shown = || kaldi_io::printable_rxfilename(name.as_ref());
    let Some(key) = &place.key else {
        let mut entries = RawEntries::file(name, framing).map_err(|error| error.to_string())?;
        let entry = entries.next().map_err(|error| error.to_string())?;
        entries.finish().map_err(|error| error.to_string())?;
        return entry.ok_or_else(|| format!("{}: expected a value, got nothing", shown()));
    };
    let mut entries = RawEntries::archive(name, framing).map_err(|error| error.to_string())?;
    while let Some(entry) = entries.next().map_err(|error| error.to_string())? {
        if entry.key() == key.as_slice() {
            return Ok(entry);
        }
        if !may_wait() {
            return Err("interrupted".into());
        }
    }
    Err(format!("{}: {key} is not there any more", shown()))
}

impl ValuePlace {
    /// A name of the value, unlike those of other values.
    pub fn name(&self) -> bstr::BString {
        match &self.key {
            None => self.rxfilename.clone(),
            Some(key) => [self.rxfilename.as_slice(), b"\0", key].concat().into(),
        }
    }
}
