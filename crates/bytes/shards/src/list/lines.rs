//! The lines of a list.

use bstr::{BStr, ByteSlice};
use kaldi_io::shortened;

use crate::source::{Source, Wanted};
use crate::{Error, Result};

/// The longest line. A file with longer ones is not a list.
const MAX_LINE: usize = 1 << 24;

/// The lines of a list that are not empty, read only as far as needed.
pub struct ListLines {
    source: Source,
    number: u64,
}

impl ListLines {
    /// Opens a list.
    ///
    /// # Errors
    /// If it cannot be opened.
    pub fn open(rxfilename: &BStr) -> Result<Self> {
        Ok(Self::new(Source::open(rxfilename, Wanted::Contents)?))
    }

    pub(crate) fn new(source: Source) -> Self {
        Self { source, number: 0 }
    }

    /// The next line, without white space around it.
    ///
    /// # Errors
    /// If the list cannot be read, or is not text.
    pub fn next_line(&mut self) -> Result<Option<Vec<u8>>> {
        loop {
            let mut wanted = 1;
            let line = loop {
                let window = self.source.window(wanted)?;
                if let Some(length) = memchr::memchr(b'\n', window) {
                    break length + 1;
                }
                if window.len() < wanted {
                    break window.len();
                }
                wanted = window.len() + 1;
                if wanted > MAX_LINE {
                    self.number += 1;
                    return Err(self.error(format!("expected a line of at most {MAX_LINE} bytes, got more")));
                }
            };
            if line == 0 {
                return Ok(None);
            }
            self.number += 1;
            let text = &self.source.window(line)?[..line];
            let text = if self.number == 1 { kaldi_io::without_mark(text) } else { text }.trim_ascii().to_vec();
            self.source.consume(line);
            if text.contains(&0) {
                return Err(self.error("expected a line of text, got binary data".to_owned()));
            }
            if !text.is_empty() {
                return Ok(Some(text));
            }
        }
    }

    /// The number of the last delivered line, from 1.
    pub fn number(&self) -> u64 {
        self.number
    }

    /// Whether only the first line was read.
    pub(crate) fn is_first(&self) -> bool {
        self.number == 1
    }

    /// The error of the last delivered line.
    pub fn error(&self, message: String) -> Error {
        Error::Line { list: self.source.name().to_owned(), line: self.number, message }
    }

    /// Closes the list.
    ///
    /// # Errors
    /// If a command failed and its output was read to the end.
    pub fn finish(self) -> Result<()> {
        self.source.finish()
    }
}

/// What a list has, as its first line shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ListKind {
    /// Utterances as objects in JSON.
    Raw,
    /// A manifest of NeMo, whose objects have other fields.
    Manifest,
    /// Names of shards.
    Shards,
    /// Keys and file names.
    Script,
    /// No lines, but the members of a shard.
    Shard,
}

impl ListKind {
    /// The kind of a list with this first line, if it is certain.
    pub fn of(line: &[u8]) -> Option<Self> {
        let line = line.trim_ascii();
        if line.contains(&0) {
            return Some(Self::Shard);
        }
        if line.starts_with(b"{") {
            let is_manifest = line.contains_str("\"audio_filepath\"") && !line.contains_str("\"wav\"");
            return Some(if is_manifest { Self::Manifest } else { Self::Raw });
        }
        if kaldi_io::is_script_line(line) {
            return Some(Self::Script);
        }
        super::shard_names::has_suffix(line.as_bstr()).then_some(Self::Shards)
    }
}

/// What it is, and what can be done with it.
impl std::fmt::Display for ListKind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Raw => "this is a raw list, which feed-batches and feed-feats read with --data-type=raw",
            Self::Manifest => "this is a manifest of NeMo, which feed-batches and feed-feats read with --data-type=nemo",
            Self::Shards => "this is a list of shards, which feed-batches and feed-feats read with --data-type=shard",
            Self::Script => {
                "this is a script file, which feed-batches and feed-feats read with --data-type=table and scp: before its name"
            }
            Self::Shard => "this is a shard, which feed-batches and feed-feats read with --data-type=shard",
        })
    }
}

/// The start of a line, for messages.
pub fn excerpt(line: &[u8]) -> String {
    format!("\"{}\"", shortened(line, 60))
}
