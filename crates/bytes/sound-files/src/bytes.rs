//! The bytes of a file, read at any place.

use std::borrow::Cow;
use std::cell::RefCell;
use std::io;

use byteorder::{BigEndian, ByteOrder, LittleEndian};

use crate::fault::{Result, SoundFault};

/// A file of sound that need not be in memory.
pub trait ReadSound {
    /// The length of the file.
    fn length(&self) -> u64;

    /// Appends `count` bytes to `buffer`, from the byte number `offset` on.
    ///
    /// # Errors
    /// If they cannot be read.
    fn read_at(&self, offset: u64, buffer: &mut Vec<u8>, count: usize) -> io::Result<()>;
}

impl ReadSound for &[u8] {
    fn length(&self) -> u64 {
        self.len() as u64
    }

    fn read_at(&self, offset: u64, buffer: &mut Vec<u8>, count: usize) -> io::Result<()> {
        let start = usize::try_from(offset).ok();
        let bytes = start.and_then(|start| self.get(start..start.checked_add(count)?));
        buffer.extend_from_slice(bytes.ok_or(io::ErrorKind::UnexpectedEof)?);
        Ok(())
    }
}

/// Bytes that are read at a time: headers of packets are close to each other.
const PAGE: u64 = 1 << 16;

/// A file of which the page that was read last is in memory.
pub(crate) struct Pages<'a> {
    file: &'a dyn ReadSound,
    /// Where it starts, and its bytes.
    page: RefCell<(u64, Vec<u8>)>,
}

impl<'a> Pages<'a> {
    pub(crate) fn new(file: &'a dyn ReadSound) -> Self {
        Self { file, page: RefCell::default() }
    }

    /// Hands bytes that the file has to `take`, at most a page.
    fn with<T>(&self, offset: u64, length: u64, take: impl FnOnce(&[u8]) -> T) -> Result<T> {
        let (start, bytes) = &mut *self.page.borrow_mut();
        if offset < *start || offset + length > *start + bytes.len() as u64 {
            bytes.clear();
            *start = offset;
            self.read(offset, PAGE.min(self.file.length() - offset), bytes)?;
        }
        let at = (offset - *start) as usize;
        Ok(take(bytes.get(at..at + length as usize).unwrap_or_default()))
    }

    fn read(&self, offset: u64, length: u64, buffer: &mut Vec<u8>) -> Result<()> {
        let count = usize::try_from(length).map_err(|_| io::ErrorKind::OutOfMemory.into());
        let read = count.and_then(|count| self.file.read_at(offset, buffer, count));
        read.map_err(|error| SoundFault::new(offset, format!("cannot read: {error}")))
    }
}

/// The first bytes of a file, or all of them, or a file.
#[derive(Clone, Copy)]
pub(crate) struct Bytes<'a> {
    content: Content<'a>,
    /// The length of the file.
    total: u64,
    /// What files of this kind are called.
    kind: &'static str,
}

#[derive(Clone, Copy)]
enum Content<'a> {
    Head(&'a [u8]),
    Pages(&'a Pages<'a>),
}

impl<'a> Bytes<'a> {
    pub(crate) fn new(head: &'a [u8], total: u64, kind: &'static str) -> Self {
        Self { content: Content::Head(head), total: total.max(head.len() as u64), kind }
    }

    pub(crate) fn stored(pages: &'a Pages<'a>, kind: &'static str) -> Self {
        Self { content: Content::Pages(pages), total: pages.file.length(), kind }
    }

    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// Whether all bytes can be had.
    pub(crate) fn is_all(&self) -> bool {
        match self.content {
            Content::Head(head) => head.len() as u64 == self.total,
            Content::Pages(_) => true,
        }
    }

    /// Adds to a fault, if all of the file is there and it ends too early, what it is and where it ends.
    pub(crate) fn explain(&self, fault: SoundFault) -> SoundFault {
        if !fault.at_end || !self.is_all() {
            return fault;
        }
        let unit = if self.total == 1 { "byte" } else { "bytes" };
        let message = format!("{}: this {} file ends after {} {unit}", fault.message, self.kind, self.total);
        SoundFault { message: message.into(), ..fault }
    }

    /// Bytes at any place.
    pub(crate) fn at(&self, offset: u64, length: u64) -> Result<Cow<'a, [u8]>> {
        match self.content {
            Content::Head(head) => self.in_head(head, offset, length).map(Cow::Borrowed),
            Content::Pages(pages) => {
                self.check(offset, length)?;
                let mut bytes = Vec::new();
                if length > PAGE {
                    pages.read(offset, length, &mut bytes)?;
                } else {
                    pages.with(offset, length, |there| bytes.extend_from_slice(there))?;
                }
                Ok(bytes.into())
            }
        }
    }

    fn in_head(&self, head: &'a [u8], offset: u64, length: u64) -> Result<&'a [u8]> {
        let end = offset.checked_add(length).and_then(|end| usize::try_from(end).ok());
        end.and_then(|end| head.get(offset as usize..end)).ok_or_else(|| self.missing(offset, length))
    }

    /// Checks that the file is long enough.
    fn check(&self, offset: u64, length: u64) -> Result<()> {
        if self.reaches(offset, length) { Ok(()) } else { Err(self.missing(offset, length)) }
    }

    fn missing(&self, offset: u64, length: u64) -> SoundFault {
        SoundFault::at_end(offset, format!("expected {length} bytes of the {} file, found its end", self.kind))
    }

    /// So many bytes at any place, or fewer up to the end of the file.
    pub(crate) fn up_to(&self, offset: u64, most: u64) -> Result<Cow<'a, [u8]>> {
        self.at(offset.min(self.total), most.min(self.total.saturating_sub(offset)))
    }

    /// Whether the file is long enough for these bytes.
    pub(crate) fn reaches(&self, offset: u64, length: u64) -> bool {
        offset.checked_add(length).is_some_and(|end| end <= self.total)
    }

    /// An error if some of the bytes from here on cannot be had.
    pub(crate) fn expect_rest(&self, offset: u64) -> Result<()> {
        let length = self.total.saturating_sub(offset);
        if self.is_all() && offset <= self.total { Ok(()) } else { Err(self.missing(offset, length)) }
    }

    /// Whether all bytes from here on are zeros.
    pub(crate) fn is_zero_from(&self, offset: u64) -> Result<bool> {
        let mut at = offset;
        while at < self.total {
            let piece = self.up_to(at, if at == offset { 1 } else { PAGE })?;
            if piece.iter().any(|&byte| byte != 0) {
                return Ok(false);
            }
            at += piece.len() as u64;
        }
        Ok(true)
    }

    fn array<const N: usize>(&self, offset: u64) -> Result<[u8; N]> {
        let of = |bytes: &[u8]| bytes.try_into().unwrap_or([0; N]);
        match self.content {
            Content::Head(head) => self.in_head(head, offset, N as u64).map(of),
            Content::Pages(pages) => {
                self.check(offset, N as u64)?;
                pages.with(offset, N as u64, of)
            }
        }
    }

    pub(crate) fn byte(&self, offset: u64) -> Result<u8> {
        self.array::<1>(offset).map(|[byte]| byte)
    }

    /// Four letters.
    pub(crate) fn name(&self, offset: u64) -> Result<[u8; 4]> {
        self.array(offset)
    }

    pub(crate) fn be16(&self, offset: u64) -> Result<u16> {
        self.array(offset).map(u16::from_be_bytes)
    }

    pub(crate) fn be32(&self, offset: u64) -> Result<u32> {
        self.array(offset).map(u32::from_be_bytes)
    }

    pub(crate) fn be64(&self, offset: u64) -> Result<u64> {
        self.array(offset).map(u64::from_be_bytes)
    }
}

/// A number in a slice; 0 if the slice is too short.
pub(crate) fn be(bytes: &[u8], at: usize, width: usize) -> u64 {
    bytes.get(at..at + width).filter(|it| !it.is_empty()).map_or(0, |bytes| BigEndian::read_uint(bytes, width))
}

/// A number in a slice; 0 if the slice is too short.
pub(crate) fn le(bytes: &[u8], at: usize, width: usize) -> u64 {
    bytes.get(at..at + width).filter(|it| !it.is_empty()).map_or(0, |bytes| LittleEndian::read_uint(bytes, width))
}

/// A name of four letters, for messages.
pub(crate) fn shown(name: &[u8]) -> String {
    name.escape_ascii().to_string()
}
