//! A sample as it will be in a shard.

use std::io;

use bstr::{BStr, BString};
use kaldi_io::{Blob, Output};

use super::gzip::GzipPiece;
use crate::shard::{Error, Result};
use shards::{BLOCK, member_header, padding};

/// The members of a sample with their headers, ready to be written to a shard.
#[derive(Debug)]
pub struct Packed {
    key: BString,
    /// Path, offset from the start of the sample, and size of each content.
    index: Vec<(BString, u64, u64)>,
    /// Contents that are written from where they are, each with the bytes before it.
    pieces: Vec<(Vec<u8>, Blob)>,
    /// The bytes after the last of them.
    rest: Vec<u8>,
    size: u64,
    pub(super) gzip: Option<GzipPiece>,
}

impl Packed {
    /// A sample without members.
    pub fn new(key: impl Into<BString>) -> Self {
        Self { key: key.into(), index: Vec::new(), pieces: Vec::new(), rest: Vec::new(), size: 0, gzip: None }
    }

    /// The key.
    pub fn key(&self) -> &BString {
        &self.key
    }

    /// Adds a member.
    pub fn add(&mut self, path: &BStr, content: impl Into<Blob>) {
        let content = content.into();
        let size = content.length();
        let header = member_header(path, size);
        self.size += header.len() as u64;
        self.rest.extend_from_slice(&header);
        self.index.push((path.to_owned(), self.size, size));
        if content.is_whole() && content.head().len() <= 64 * BLOCK {
            self.rest.extend_from_slice(content.head());
        } else {
            self.pieces.push((std::mem::take(&mut self.rest), content));
        }
        self.rest.extend_from_slice(&[0; BLOCK][..padding(size)]);
        self.size += size + padding(size) as u64;
    }

    /// Writes headers, contents and zeros, as they are in a shard that is not compressed.
    pub(super) fn write(&self, output: &mut Output) -> Result<()> {
        for (before, content) in &self.pieces {
            output.write_all(before)?;
            content.write(0, output)?;
        }
        Ok(output.write_all(&self.rest)?)
    }

    /// The length of all in bytes, headers and zeros included.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Name, offset and size of each member, in a shard where the sample starts at `start`.
    pub(super) fn members(&self, start: u64) -> impl Iterator<Item = (&BStr, u64, u64)> {
        self.index.iter().map(move |(path, offset, size)| (path.as_ref(), start + offset, *size))
    }

    /// Compresses the sample for a shard that is to be compressed. This is the work that takes time, and samples can be
    /// compressed on several threads.
    ///
    /// # Errors
    /// If a file that a content is in cannot be read.
    pub fn compress(mut self) -> Result<Self> {
        match self.compressed() {
            Ok(piece) => self.gzip = Some(piece),
            Err(error) => {
                let message = format!("cannot read it: {error}");
                return Err(Error::Refused { shard: self.key.to_string(), message });
            }
        }
        Ok(self)
    }

    fn compressed(&mut self) -> io::Result<GzipPiece> {
        let mut piece = GzipPiece::default();
        let mut buffer = Vec::new();
        for (before, content) in std::mem::take(&mut self.pieces) {
            piece.add(&before)?;
            piece.add(content.head())?;
            let mut at = content.head().len() as u64;
            while at < content.length() {
                buffer.clear();
                let count = (content.length() - at).min(1 << 18) as usize;
                content.read_at(at, &mut buffer, count).map_err(reason)?;
                piece.add(&buffer)?;
                at += count as u64;
            }
        }
        piece.add(&std::mem::take(&mut self.rest))?;
        piece.flush()?;
        Ok(piece)
    }
}

/// What the system said.
fn reason(error: kaldi_io::Error) -> io::Error {
    match error {
        kaldi_io::Error::Read { source, .. } => source,
        error => io::Error::other(error.to_string()),
    }
}
