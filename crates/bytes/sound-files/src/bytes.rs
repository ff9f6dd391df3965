//! The bytes of a file, read at any place.

use byteorder::{BigEndian, ByteOrder, LittleEndian};

use crate::fault::{Result, SoundFault};

/// The first bytes of a file, or all of them.
#[derive(Clone, Copy)]
pub(crate) struct Bytes<'a> {
    head: &'a [u8],
    /// The length of the file.
    total: u64,
    /// What files of this kind are called.
    kind: &'static str,
}

impl<'a> Bytes<'a> {
    pub(crate) fn new(head: &'a [u8], total: u64, kind: &'static str) -> Self {
        Self { head, total: total.max(head.len() as u64), kind }
    }

    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// Adds to a fault, if all of the file is in memory and it ends too early, what it is and where it ends.
    pub(crate) fn explain(&self, fault: SoundFault) -> SoundFault {
        if !fault.at_end || self.head.len() as u64 != self.total {
            return fault;
        }
        let unit = if self.total == 1 { "byte" } else { "bytes" };
        let message = format!("{}: this {} file ends after {} {unit}", fault.message, self.kind, self.total);
        SoundFault { message: message.into(), ..fault }
    }

    /// Bytes at any place.
    pub(crate) fn at(&self, offset: u64, length: u64) -> Result<&'a [u8]> {
        self.get(offset, length).ok_or_else(|| {
            let message = format!("expected {length} bytes of the {} file, found its end", self.kind);
            SoundFault::at_end(offset, message)
        })
    }

    fn get(&self, offset: u64, length: u64) -> Option<&'a [u8]> {
        let end = usize::try_from(offset.checked_add(length)?).ok()?;
        self.head.get(offset as usize..end)
    }

    /// Whether the file is long enough for these bytes.
    pub(crate) fn reaches(&self, offset: u64, length: u64) -> bool {
        offset.checked_add(length).is_some_and(|end| end <= self.total)
    }

    /// All bytes from here on; an error if some of them are not in memory.
    pub(crate) fn rest(&self, offset: u64) -> Result<&'a [u8]> {
        self.at(offset, self.total.saturating_sub(offset))
    }

    fn array<const N: usize>(&self, offset: u64) -> Result<[u8; N]> {
        Ok(self.at(offset, N as u64)?.try_into().unwrap_or([0; N]))
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
