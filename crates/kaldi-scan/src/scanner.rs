//! Going through an archive without parsing its values, and where it is a file, without reading them.

use std::sync::Arc;

use bstr::{BStr, BString, ByteSlice};
use kaldi_io::{ParseError, Rxfilename};
use kaldi_table::{ArchiveEntries, Error, RawEntry, Reader, Result};

use kaldi_types::Detector;

/// An entry of an archive: its key, and where it stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ScannedEntry {
    /// The key.
    pub key: BString,
    /// Offset of the key.
    pub start: u64,
    /// Offset of the value, as a script file has it.
    pub value: u64,
    /// Offset of what follows; white space behind text belongs to it.
    pub end: u64,
    /// Whether the value is in text form.
    pub is_text: bool,
    /// Whether the value goes on to the end of the stream, whatever is there.
    pub is_open: bool,
}

/// Goes through the entries of an archive.
///
/// In a regular file, headers are read and payloads skipped. In a pipe, an entry is in memory as long as it is the current
/// one.
#[derive(Debug)]
pub struct Scanner {
    entries: ArchiveEntries<Detector>,
    name: BString,
    printable_name: Arc<str>,
    current: Option<RawEntry>,
}

impl Scanner {
    /// Opens an archive: a file, a file from an offset on, standard input or a command's output.
    ///
    /// # Errors
    /// Where the name is invalid, or the file or command cannot be opened.
    pub fn open(rxfilename: impl AsRef<[u8]>, detector: Detector) -> Result<Self> {
        let rxfilename = BStr::new(rxfilename.as_ref());
        let entries = ArchiveEntries::open(rxfilename, detector)?;
        let input = entries.window().input();
        let printable_name = input.name().into();
        if input.positioned().is_some_and(|file| file.length() < input.offset()) {
            let name = input.name().to_owned();
            let source = ParseError::end(0, "an archive");
            return Err(kaldi_io::Error::Content { name, offset: input.offset(), source }.into());
        }
        let name = match Rxfilename::parse(rxfilename)? {
            // The offsets of entries count from the begin of the file.
            Rxfilename::Offset(..) => rxfilename.rsplit_once_str(b":").map_or(rxfilename, |(path, _)| path.into()),
            _ => rxfilename,
        };
        Ok(Self { entries, name: name.to_owned(), printable_name, current: None })
    }

    /// The name as given, without an offset: what to put before the offsets of entries.
    pub fn name(&self) -> &BStr {
        self.name.as_ref()
    }

    /// The name of the archive in messages.
    pub fn printable_name(&self) -> &Arc<str> {
        &self.printable_name
    }

    /// What is known of the type of the values.
    pub fn detector(&self) -> &Detector {
        self.entries.framing()
    }

    /// The current entry with its bytes, as far as they were read.
    pub fn entry(&self) -> Option<&RawEntry> {
        self.current.as_ref()
    }

    /// Moves on to the next entry, or returns nothing at the end.
    ///
    /// # Errors
    /// Where the stream cannot be read ([`Error::Io`]), is damaged or cut ([`Error::Entry`]), or where more than one type
    /// fits it ([`Error::Promise`]).
    pub fn next_entry(&mut self) -> Result<Option<ScannedEntry>> {
        self.current = None;
        let Some(raw) = self.entries.next().map_err(|error| self.explain(error))? else { return Ok(None) };
        let entry = ScannedEntry {
            key: raw.key().to_owned(),
            start: raw.start(),
            value: raw.offset(),
            end: raw.end(),
            is_text: self.detector().is_text(raw.head()),
            is_open: raw.is_open(),
        };
        self.current = Some(raw);
        Ok(Some(entry))
    }

    /// Closes the archive.
    ///
    /// # Errors
    /// Where the command that should have written it failed.
    pub fn finish(mut self) -> Result<()> {
        self.entries.finish()
    }

    #[cfg(test)]
    pub(crate) fn window_length(&self) -> usize {
        self.entries.window().bytes().len()
    }

    /// An entry whose type cannot be told need not have any fault.
    fn explain(&self, error: Error) -> Error {
        match error {
            Error::Entry { key, source, .. } if self.detector().is_ambiguous() => match *source {
                kaldi_io::Error::Content { offset, source, .. } => {
                    let at = (offset - source.offset as u64).saturating_sub(key.len() as u64 + 1);
                    let message = format!("the type of {key} at {at} cannot be found: {source}");
                    Error::Promise { table: self.printable_name.to_string(), message }
                }
                other => other.into(),
            },
            error => error,
        }
    }
}
