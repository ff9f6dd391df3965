//! An entry of a table of any type.

use std::borrow::Cow;
use std::sync::Arc;

use bstr::{BStr, BString};
use kaldi_io::{ParseError, ReadAt};
use kaldi_table::RawEntry;

use crate::{Error, Result};

/// Bytes of a value that are kept of one in a file.
const KEPT: usize = 1 << 8;

/// An entry of a table: its key, where its value is, and the begin of the value. The rest is read when it is asked for.
#[derive(Clone, Debug)]
pub struct Entry {
    pub(crate) key: BString,
    /// Printable name of the stream that the value is in.
    pub(crate) file: Arc<str>,
    /// Offset of the key, in an archive.
    pub(crate) start: Option<u64>,
    /// Offset of the value.
    pub(crate) offset: u64,
    /// Bytes of the value.
    pub(crate) size: u64,
    pub(crate) is_text: bool,
    pub(crate) is_open: bool,
    /// The range of a script line, without its brackets.
    pub(crate) range: Option<BString>,
    /// The script file and the number of the line.
    pub(crate) line: Option<(Arc<str>, u64)>,
    pub(crate) bytes: Bytes,
}

/// The bytes of a value.
#[derive(Clone, Debug)]
pub(crate) enum Bytes {
    /// Those of an archive.
    Raw(RawEntry),
    /// All of them.
    Whole(Vec<u8>),
    /// The first ones, and where the others are.
    Head { head: Vec<u8>, source: Arc<dyn ReadAt> },
}

impl Entry {
    /// The key; empty where the table is a single value.
    pub fn key(&self) -> &BStr {
        self.key.as_ref()
    }

    /// Printable name of the file or stream that the value is in.
    pub fn file(&self) -> &Arc<str> {
        &self.file
    }

    /// Offset of the key, in an archive.
    pub fn start(&self) -> Option<u64> {
        self.start
    }

    /// Offset of the value in its file or stream, as a script file has it.
    pub fn offset(&self) -> u64 {
        self.offset
    }

    /// Bytes of the value, white space behind text included.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Whether the value is in text form.
    pub fn is_text(&self) -> bool {
        self.is_text
    }

    /// Whether the value goes on to the end of its stream, whatever stands there, as waveforms of unknown length do.
    pub fn is_open(&self) -> bool {
        self.is_open
    }

    /// The part of the value that a script line names, the text between its brackets.
    pub fn range(&self) -> Option<&BStr> {
        self.range.as_ref().map(AsRef::as_ref)
    }

    /// Makes it the part of the value that `range` names (without brackets).
    ///
    /// # Errors
    /// Where the script line names a part already.
    pub fn with_range(self, range: Option<BString>) -> Result<Self> {
        match (&self.range, range) {
            (_, None) => Ok(self),
            (None, range) => Ok(Self { range, ..self }),
            (Some(first), Some(range)) => {
                let message = format!("the script file has the range [{first}], so that [{range}] is none of it");
                Err(kaldi_table::Error::Work { key: self.key, source: message.into() }.into())
            }
        }
    }

    /// The number of the line in the script file, from 1.
    pub fn line(&self) -> Option<u64> {
        self.line.as_ref().map(|(_, number)| *number)
    }

    /// The first bytes of the value: its header at least, all of it where it is short or text.
    pub fn head(&self) -> &[u8] {
        match &self.bytes {
            Bytes::Raw(raw) => raw.head(),
            Bytes::Whole(bytes) => bytes,
            Bytes::Head { head, .. } => head,
        }
    }

    /// Whether [`Entry::head`] is all of the value.
    pub fn is_whole(&self) -> bool {
        self.head().len() as u64 >= self.size
    }

    /// Lets go of what stands around it in memory, for an entry that is kept for longer. What is in a file stays there.
    #[must_use]
    pub fn detached(self) -> Self {
        let Bytes::Raw(raw) = &self.bytes else { return self };
        let bytes = match raw.source() {
            Some(source) if raw.head().len() > KEPT => {
                Bytes::Head { head: raw.head()[..KEPT].to_vec(), source: Arc::clone(source) }
            }
            Some(source) => Bytes::Head { head: raw.head().to_vec(), source: Arc::clone(source) },
            None => Bytes::Whole(raw.head().to_vec()),
        };
        Self { bytes, ..self }
    }

    /// All bytes of the value, read now where they were not before.
    ///
    /// # Errors
    /// Where the file cannot be read.
    pub fn bytes(&self) -> Result<Cow<'_, [u8]>> {
        match &self.bytes {
            Bytes::Raw(raw) => Ok(raw.load()?),
            Bytes::Whole(bytes) => Ok(bytes.into()),
            Bytes::Head { head, source } => {
                let failed =
                    |source| kaldi_io::Error::Read { name: self.file.to_string(), offset: self.offset, source };
                let mut bytes = head.clone();
                let rest = self.size - head.len() as u64;
                let rest = usize::try_from(rest).map_err(|_| failed(std::io::ErrorKind::OutOfMemory.into()))?;
                source.read_at(self.offset + head.len() as u64, &mut bytes, rest).map_err(failed)?;
                Ok(bytes.into())
            }
        }
    }

    /// Puts the place to a fault in the value.
    pub fn error(&self, source: ParseError) -> Error {
        let offset = self.offset + source.offset as u64;
        let source = kaldi_io::Error::Content { name: self.file.to_string(), offset, source };
        self.failed(source)
    }

    /// Puts the key to a failure to read the value.
    pub(crate) fn failed(&self, source: kaldi_io::Error) -> Error {
        let script = self.line.as_ref().map(|(name, line)| (name.to_string(), *line));
        kaldi_table::Error::Entry { script, key: self.key.clone(), source: Box::new(source) }.into()
    }
}
