//! A sample as it will stand in a shard.

use std::fs::File;
use std::io;
use std::sync::Arc;

use bstr::{BStr, BString};
use kaldi_io::read_at;

use super::gzip::GzipPiece;
use crate::{Error, Result};
use kaldi_tar::{BLOCK, member_header, padding};

/// The content of a member.
#[derive(Debug)]
pub enum Content {
    /// Bytes in memory.
    Bytes(Vec<u8>),
    /// `size` bytes of a file, which the kernel can move.
    File {
        /// The file.
        file: Arc<File>,
        /// Where in it they begin.
        offset: u64,
        /// How many there are.
        size: u64,
    },
}

impl Content {
    /// The length in bytes.
    pub fn size(&self) -> u64 {
        match self {
            Self::Bytes(bytes) => bytes.len() as u64,
            Self::File { size, .. } => *size,
        }
    }

    /// The first bytes, at most `limit` of them.
    pub(crate) fn head(&self, limit: usize) -> io::Result<Vec<u8>> {
        match self {
            Self::Bytes(bytes) => Ok(bytes[..bytes.len().min(limit)].to_vec()),
            Self::File { file, offset, size } => {
                let mut head = Vec::new();
                read_at(file, *offset, &mut head, (*size).min(limit as u64) as usize)?;
                Ok(head)
            }
        }
    }
}

/// The members of a sample with their headers, ready to be written to a shard.
#[derive(Debug)]
pub struct Packed {
    key: BString,
    /// Path, offset from the sample's begin, and size of each content.
    index: Vec<(BString, u64, u64)>,
    pub(super) pieces: Vec<Content>,
    size: u64,
    pub(super) gzip: Option<GzipPiece>,
}

impl Packed {
    /// A sample without members.
    pub fn new(key: impl Into<BString>) -> Self {
        Self { key: key.into(), index: Vec::new(), pieces: Vec::new(), size: 0, gzip: None }
    }

    /// The key.
    pub fn key(&self) -> &BString {
        &self.key
    }

    /// Adds a member.
    pub fn add(&mut self, path: &BStr, content: Content) {
        let size = content.size();
        let header = member_header(path, size);
        self.size += header.len() as u64;
        self.push_bytes(&header);
        self.index.push((path.to_owned(), self.size, size));
        match content {
            Content::Bytes(bytes) if bytes.len() <= 64 * BLOCK => self.push_bytes(&bytes),
            content => self.pieces.push(content),
        }
        self.push_bytes(&[0; BLOCK][..padding(size)]);
        self.size += size + padding(size) as u64;
    }

    fn push_bytes(&mut self, bytes: &[u8]) {
        match self.pieces.last_mut() {
            Some(Content::Bytes(last)) => last.extend_from_slice(bytes),
            _ => self.pieces.push(Content::Bytes(bytes.to_vec())),
        }
    }

    /// The length of all in bytes, headers and zeros included.
    pub fn size(&self) -> u64 {
        self.size
    }

    /// Name, offset and size of each member, in a shard where the sample begins at `start`.
    pub(super) fn members(&self, start: u64) -> impl Iterator<Item = (&BStr, u64, u64)> {
        self.index.iter().map(move |(path, offset, size)| (path.as_ref(), start + offset, *size))
    }

    /// Compresses the sample for a shard that is to be compressed. This is the work that takes time, and samples can be
    /// compressed on several threads.
    ///
    /// # Errors
    /// Where a file that a content is in cannot be read.
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
        for content in std::mem::take(&mut self.pieces) {
            match content {
                Content::Bytes(bytes) => piece.add(&bytes)?,
                Content::File { file, mut offset, size } => {
                    let end = offset + size;
                    let mut buffer = Vec::new();
                    while offset < end {
                        buffer.clear();
                        read_at(&file, offset, &mut buffer, (end - offset).min(1 << 18) as usize)?;
                        piece.add(&buffer)?;
                        offset += buffer.len() as u64;
                    }
                }
            }
        }
        piece.flush()?;
        Ok(piece)
    }
}
