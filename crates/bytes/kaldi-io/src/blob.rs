//! Bytes of a stream: all in memory, or the first of them in memory and the rest in a file or an object.

use std::borrow::Cow;
use std::fs::File;
use std::io;
use std::ops::Range;
use std::sync::Arc;

use crate::source::RegularFile;
use crate::{Block, Error, Output, ReadAt, Result, fallible};

/// A piece of a stream in memory. Blobs share it, and the last one frees it.
#[derive(Debug)]
pub struct Chunk {
    /// The bytes.
    pub bytes: Vec<u8>,
    /// Offset of the first byte in the stream.
    pub base: u64,
    /// Printable name of the stream.
    pub name: Arc<str>,
    /// The stream for reading at any offset. Without it, all bytes of each blob are in memory.
    pub rest: Option<Arc<dyn ReadAt>>,
}

impl AsRef<[u8]> for Chunk {
    fn as_ref(&self) -> &[u8] {
        &self.bytes
    }
}

/// Bytes of a stream. Either all of them are in memory, or only the first ones, the head, and the rest is read when it
/// is asked for. Copies share the memory.
#[derive(Clone, Debug)]
pub struct Blob {
    chunk: Arc<Chunk>,
    /// Where the head is in the chunk.
    head: Range<usize>,
    /// Number of all bytes.
    length: u64,
}

impl Blob {
    /// A part of a chunk.
    pub fn in_chunk(chunk: &Arc<Chunk>, bytes: Range<usize>) -> Self {
        Self { chunk: Arc::clone(chunk), length: bytes.len() as u64, head: bytes }
    }

    /// `length` bytes, the first of which are in the chunk. The chunk must know where the rest is.
    #[inline]
    pub fn with_head(chunk: &Arc<Chunk>, head: Range<usize>, length: u64) -> Self {
        Self { chunk: Arc::clone(chunk), head, length }
    }

    /// Bytes that were read from a stream of this name, from `offset` on.
    pub fn in_memory(name: impl Into<Arc<str>>, offset: u64, bytes: Vec<u8>) -> Self {
        let length = bytes.len();
        Self::in_chunk(&Arc::new(Chunk { bytes, base: offset, name: name.into(), rest: None }), 0..length)
    }

    /// `length` bytes of a file or an object from `offset` on. None of them is in memory.
    pub fn stored(name: impl Into<Arc<str>>, rest: Arc<dyn ReadAt>, offset: u64, length: u64) -> Self {
        let chunk = Chunk { bytes: Vec::new(), base: offset, name: name.into(), rest: Some(rest) };
        Self::with_head(&Arc::new(chunk), 0..0, length)
    }

    /// `length` bytes of a file from `offset` on. Messages call it `name`.
    pub fn in_file(name: impl Into<Arc<str>>, file: Arc<File>, offset: u64, length: u64) -> Self {
        Self::stored(name, Arc::new(RegularFile { file, length: offset.saturating_add(length) }), offset, length)
    }

    /// Printable name of the stream.
    pub fn name(&self) -> &Arc<str> {
        &self.chunk.name
    }

    /// Offset of the first byte in the stream.
    #[inline]
    pub fn offset(&self) -> u64 {
        self.chunk.base + self.head.start as u64
    }

    /// Offset of the end in the stream.
    pub fn end(&self) -> u64 {
        self.offset() + self.length
    }

    /// The number of bytes.
    #[inline]
    pub fn length(&self) -> u64 {
        self.length
    }

    /// The bytes in memory: the first ones, or all of them.
    #[inline]
    pub fn head(&self) -> &[u8] {
        &self.chunk.bytes[self.head.clone()]
    }

    /// Whether all bytes are in memory.
    #[inline]
    pub fn is_whole(&self) -> bool {
        self.head.len() as u64 == self.length
    }

    /// The stream for reading at any offset, if that is possible.
    pub fn rest(&self) -> Option<&Arc<dyn ReadAt>> {
        self.chunk.rest.as_ref()
    }

    /// The regular file of the bytes, if it is known.
    pub fn file(&self) -> Option<&Arc<File>> {
        self.rest()?.as_file()
    }

    /// The bytes in memory that are before the first byte in the stream.
    pub fn before(&self) -> &[u8] {
        &self.chunk.bytes[..self.head.start]
    }

    /// The bytes of the stream in memory around this blob, and where the head is in them.
    pub fn surroundings(&self) -> (&Arc<Chunk>, Range<usize>) {
        (&self.chunk, self.head.clone())
    }

    /// The memory that has the head, to be written from there, and the head's range in it.
    pub fn shared(&self) -> (Block, Range<usize>) {
        (Arc::<Chunk>::clone(&self.chunk), self.head.clone())
    }

    /// Frees the memory around the bytes, for a blob that is kept longer. If the rest is in a file, only the first
    /// `limit` bytes are kept.
    #[must_use]
    pub fn detached(&self, limit: usize) -> Self {
        let kept = if self.rest().is_some() { self.head.len().min(limit) } else { self.head.len() };
        let Chunk { name, rest, .. } = &*self.chunk;
        let chunk =
            Chunk { bytes: self.head()[..kept].to_vec(), base: self.offset(), name: name.clone(), rest: rest.clone() };
        Self::with_head(&Arc::new(chunk), 0..kept, self.length)
    }

    /// All bytes. Those that are not in memory are read now.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn load(&self) -> Result<Cow<'_, [u8]>> {
        if self.is_whole() {
            return Ok(self.head().into());
        }
        self.first(usize::try_from(self.length).map_err(|_| self.failed(0, io::ErrorKind::OutOfMemory.into()))?)
    }

    /// The first `count` bytes, or more of them, or all. Those that are not in memory are read now.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn first(&self, count: usize) -> Result<Cow<'_, [u8]>> {
        let head = self.head();
        let count = usize::try_from(self.length).map_or(count, |length| length.min(count));
        if count <= head.len() {
            return Ok(head.into());
        }
        let mut bytes = Vec::new();
        fallible(|| bytes.try_reserve_exact(count)).map_err(|_| self.failed(0, io::ErrorKind::OutOfMemory.into()))?;
        bytes.extend_from_slice(head);
        self.read_at(head.len() as u64, &mut bytes, count - head.len()).map_err(|error| match error {
            // The offset of the whole is the useful one.
            Error::Read { source, .. } => self.failed(0, source),
            error => error,
        })?;
        Ok(bytes.into())
    }

    /// Offers the first bytes to `parse`, and more of them as long as it returns `None`: first `count`, then four times
    /// as many each time. Returns `None` if even all bytes are not enough.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn parse_front<T>(&self, count: usize, mut parse: impl FnMut(&[u8]) -> Option<T>) -> Result<Option<T>> {
        let mut count = count;
        loop {
            let bytes = self.first(count)?;
            match parse(&bytes) {
                None if (bytes.len() as u64) < self.length => count = count.saturating_mul(4),
                found => return Ok(found),
            }
        }
    }

    /// Appends `count` bytes to `buffer`, from the byte number `start` on, read from the file.
    ///
    /// # Errors
    /// If the file cannot be read.
    pub fn read_at(&self, start: u64, buffer: &mut Vec<u8>, count: usize) -> Result<()> {
        let read = match self.rest() {
            Some(rest) => rest.read_at(self.offset() + start, buffer, count),
            None => Err(io::ErrorKind::UnexpectedEof.into()),
        };
        read.map_err(|source| self.failed(start, source))
    }

    fn failed(&self, start: u64, source: io::Error) -> Error {
        Error::Read { name: self.name().to_string(), offset: self.offset() + start, source }
    }

    /// Writes all bytes, and this many bytes before them, which must be in memory. The kernel moves bytes that are in a
    /// file.
    ///
    /// # Errors
    /// If the output cannot be written, or the file cannot be read.
    pub fn write(&self, before: usize, output: &mut Output) -> Result<()> {
        let start = self.head.start - before;
        match self.file() {
            _ if self.is_whole() => output.write_chunk(&self.chunk, start..self.head.end),
            Some(file) => output.write_from(file, self.chunk.base + start as u64..self.end()),
            None => {
                output.write_all(&self.chunk.bytes[start..self.head.start])?;
                output.write_all(&self.load()?)
            }
        }
    }
}

/// Bytes that were made in memory.
impl From<Vec<u8>> for Blob {
    fn from(bytes: Vec<u8>) -> Self {
        Self::in_memory("", 0, bytes)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Input;

    fn stored(bytes: &[u8], offset: u64, length: u64) -> Blob {
        let rest = Input::from_bytes("memory", bytes.to_vec()).positioned().unwrap();
        Blob::stored("memory", rest, offset, length)
    }

    #[test]
    fn what_is_not_in_memory_is_read() {
        let blob = stored(b"0123456789", 2, 5);
        assert_eq!((blob.head(), blob.is_whole(), blob.end()), (&b""[..], false, 7));
        assert_eq!(&*blob.load().unwrap(), b"23456");
        assert_eq!(&*blob.first(2).unwrap(), b"23");
        assert_eq!(&*blob.first(20).unwrap(), b"23456");
        let mut piece = b">".to_vec();
        blob.read_at(3, &mut piece, 2).unwrap();
        assert_eq!(piece, b">56");
        let message = stored(b"0123456789", 8, 5).load().unwrap_err().to_string();
        assert!(message.starts_with("cannot read memory:8: "), "{message}");
    }

    #[test]
    fn a_blob_shows_more_of_it_until_that_does() {
        let blob = stored(&[b'x'; 100], 10, 80);
        let mut seen = Vec::new();
        let found = blob.parse_front(10, |head| {
            seen.push(head.len());
            (head.len() > 50).then_some(())
        });
        assert_eq!((found.unwrap(), seen), (Some(()), vec![10, 40, 80]));
        assert_eq!(blob.parse_front(10, |_| None::<()>).unwrap(), None);
        assert_eq!(Blob::in_memory("x", 0, b"abc".to_vec()).parse_front(1, |head| Some(head.len())).unwrap(), Some(3));
    }

    #[test]
    fn a_detached_blob_holds_no_more_than_its_bytes() {
        let chunk = Chunk { bytes: b"key value".to_vec(), base: 5, name: "x".into(), rest: None };
        let blob = Blob::in_chunk(&Arc::new(chunk), 4..9);
        assert_eq!((blob.before(), blob.offset()), (&b"key "[..], 9));
        let kept = blob.detached(2);
        assert_eq!((kept.head(), kept.before(), kept.offset()), (&b"value"[..], &b""[..], 9));
        assert_eq!(&*stored(b"0123456789", 2, 5).detached(2).load().unwrap(), b"23456");
    }
}
