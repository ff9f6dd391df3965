//! The value of a key, framed and not parsed.

use std::ops::Range;

use bstr::{BStr, BString};
use kaldi_io::{Blob, Input, was_interrupted};
use kaldi_reader::Reader;
use kaldi_table::{Framing, RawEntries, RawEntry};

use crate::server::catalog::ValuePlace;
use crate::server::limits::Limits;

/// Bytes that are read at once.
const PIECE: usize = 1 << 20;

/// Reads a value: of a file from an offset on, of a command, or of an archive that is read up to it. What was read before it is
/// forgotten.
///
/// # Errors
/// Why it cannot be read.
pub(crate) fn entry<F: Framing>(place: &ValuePlace, framing: F, limits: &Limits) -> Result<RawEntry, String> {
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
        limits.forget();
        if was_interrupted() {
            return Err("interrupted".into());
        }
    }
    Err(format!("{}: {key} is not there any more", shown()))
}

/// Bytes of a file: where they are, or what they are if it is compressed.
///
/// # Errors
/// Why they cannot be read.
pub(crate) fn bytes(rxfilename: &BStr, range: &Range<u64>) -> Result<Blob, String> {
    let mut input = Input::open(rxfilename).map_err(|error| error.to_string())?;
    let (name, length) = (input.name().to_owned(), range.end - range.start);
    if let Some(bytes) = input.positioned() {
        return Ok(Blob::stored(name, bytes, range.start, length));
    }
    let mut found = Vec::new();
    while (input.offset()) < range.end {
        found.drain(..found.len().min((range.start.saturating_sub(input.offset() - found.len() as u64)) as usize));
        let limit = usize::try_from(range.end - input.offset()).unwrap_or(usize::MAX).min(PIECE);
        if input.read_some(&mut found, limit).map_err(|error| error.to_string())? == 0 {
            return Err(format!("{name}: expected {length} bytes at {}, got the end of the file", range.start));
        }
        if was_interrupted() {
            return Err("interrupted".into());
        }
    }
    found.drain(..found.len() - length as usize);
    Ok(Blob::in_memory(name, range.start, found))
}

impl ValuePlace {
    /// A name of the value, unlike those of other values.
    pub fn name(&self) -> BString {
        let mut name = self.rxfilename.clone();
        if let Some(key) = &self.key {
            name.extend_from_slice(&[b"\0", key.as_slice()].concat());
        }
        if let Some(bytes) = &self.bytes {
            name.extend_from_slice(format!("\0{}", bytes.start).as_bytes());
        }
        name
    }
}
