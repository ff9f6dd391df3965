//! Checksums of pages: CRC32 of their bytes as they are stored, which a header may have.
//!
//! The crate `parquet` reads the headers, but does not say what is in them:
//!
//! ```text
//! 15 04  15 80 01  15 7e  15 c9 a3 ...      type, size, size as stored, checksum: members 1 to 4, each an integer
//! ```

use std::io::{self, BufRead, Read};
use std::sync::Arc;

use crc32fast::Hasher;
use kaldi_io::sync::Mutex;
use parquet::errors::{ParquetError, Result};

/// Bytes of a header within which its checksum is.
const HEAD: usize = 32;

/// The first bytes of the header that was read last.
#[derive(Clone, Default)]
pub(crate) struct PageHead(Arc<Mutex<Vec<u8>>>);

impl PageHead {
    /// Reads a header, and keeps its first bytes.
    pub(crate) fn of<R>(&self, inner: R) -> HeadOf<R> {
        self.0.lock().clear();
        HeadOf { inner, head: self.clone() }
    }

    /// The checksum that the header says.
    pub(crate) fn checksum(&self) -> Option<u32> {
        checksum_of(&self.0.lock())
    }
}

/// Reads a header of a page.
pub(crate) struct HeadOf<R> {
    inner: R,
    head: PageHead,
}

impl<R: Read> Read for HeadOf<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.inner.read(out)?;
        let mut head = self.head.0.lock();
        let missing = HEAD.saturating_sub(head.len());
        head.extend_from_slice(&out[..count.min(missing)]);
        Ok(count)
    }
}

/// The fourth member of a header, if it has one: before it are integers only.
fn checksum_of(header: &[u8]) -> Option<u32> {
    let mut bytes = header.iter().copied();
    let mut member = 0;
    while member < 4 {
        // The distance from the member before, and the type: an integer of 32 bits.
        let start = bytes.next().filter(|start| start & 0xf == 5 && start >> 4 > 0)?;
        member += start >> 4;
        let mut number = 0_u64;
        for shift in (0..35).step_by(7) {
            let byte = bytes.next()?;
            number |= u64::from(byte & 0x7f) << shift;
            if byte & 0x80 == 0 {
                break;
            }
        }
        if member == 4 {
            // Zigzag: the lowest bit is the sign.
            let number = u32::try_from(number).ok()?;
            return Some((number >> 1) ^ (number & 1).wrapping_neg());
        }
    }
    None
}

/// Compares the bytes of a page with the checksum of its header.
///
/// # Errors
/// If they have another one.
pub(crate) fn check_bytes(bytes: &[u8], expected: Option<u32>) -> Result<()> {
    let Some(expected) = expected else { return Ok(()) };
    match crc32fast::hash(bytes) {
        got if got == expected => Ok(()),
        got => Err(ParquetError::General(format!("a page: {}", differs(expected, got)))),
    }
}

fn differs(expected: u32, got: u32) -> String {
    format!("expected bytes with the checksum {expected:08x}, got {got:08x}: the file is damaged")
}

/// The bytes of a page as a stream. The last of them come only if all have the checksum.
pub(crate) struct Checked<R> {
    inner: R,
    left: u64,
    expected: Option<u32>,
    hasher: Hasher,
}

impl<R: BufRead> Checked<R> {
    /// The first bytes of a stream.
    pub(crate) fn new(inner: R, length: u64, expected: Option<u32>) -> Self {
        Self { inner, left: length, expected, hasher: Hasher::new() }
    }

    /// How many bytes are there of those that belong to the page.
    fn there(&mut self) -> io::Result<usize> {
        let there = self.inner.fill_buf()?.len();
        Ok(usize::try_from(self.left).map_or(there, |left| there.min(left)))
    }
}

impl<R: BufRead> BufRead for Checked<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        let there = self.there()?;
        let bytes = &self.inner.fill_buf()?[..there];
        if there as u64 == self.left
            && let Some(expected) = self.expected.take()
        {
            let mut hasher = self.hasher.clone();
            hasher.update(bytes);
            let got = hasher.finalize();
            if got != expected {
                self.left = 0;
                return Err(io::Error::new(io::ErrorKind::InvalidData, differs(expected, got)));
            }
        }
        Ok(bytes)
    }

    fn consume(&mut self, amount: usize) {
        if self.expected.is_some()
            && let Ok(bytes) = self.inner.fill_buf()
        {
            self.hasher.update(&bytes[..amount.min(bytes.len())]);
        }
        self.inner.consume(amount);
        self.left = self.left.saturating_sub(amount as u64);
    }
}

impl<R: BufRead> Read for Checked<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let there = self.fill_buf()?;
        let count = there.len().min(out.len());
        out[..count].copy_from_slice(&there[..count]);
        self.consume(count);
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_may_have_a_checksum_after_three_numbers() {
        // Type 0, sizes 64 and 63, checksum 0x0102.
        assert_eq!(checksum_of(&[0x15, 0, 0x15, 0x80, 1, 0x15, 0x7e, 0x15, 0x84, 4, 0x2c]), Some(0x102));
        assert_eq!(checksum_of(&[0x15, 0, 0x15, 2, 0x15, 2, 0x15, 1]), Some(u32::MAX));
        // None: the header of its values follows at once, or it is cut.
        assert_eq!(checksum_of(&[0x15, 0, 0x15, 2, 0x15, 2, 0x2c, 0x15]), None);
        assert_eq!(checksum_of(&[0x15, 0, 0x15, 2, 0x15, 2, 0x15, 0x80]), None);
        assert_eq!(checksum_of(&[]), None);
    }

    #[test]
    fn headers_are_kept_as_they_are_read() {
        let head = PageHead::default();
        let mut header = head.of(&[0x15, 0, 0x15, 2, 0x15, 2, 0x15, 6, 0x2c, 0][..]);
        let mut byte = [0];
        while byte != [0x2c] {
            header.read_exact(&mut byte).unwrap();
        }
        assert_eq!(head.checksum(), Some(3));
        let _ = head.of(&b""[..]);
        assert_eq!(head.checksum(), None);
    }

    #[test]
    fn the_end_of_a_page_comes_only_with_its_checksum() {
        let bytes: Vec<u8> = (0..100_000_u32).map(|byte| byte as u8).collect();
        let checksum = crc32fast::hash(&bytes[..90_000]);
        let read = |expected| {
            let inner = io::BufReader::with_capacity(1000, &bytes[..]);
            let mut found = Vec::new();
            Checked::new(inner, 90_000, expected).read_to_end(&mut found).map(|_| found)
        };
        assert_eq!(read(None).unwrap(), &bytes[..90_000]);
        assert_eq!(read(Some(checksum)).unwrap(), &bytes[..90_000]);
        let error = read(Some(checksum ^ 1)).unwrap_err().to_string();
        assert!(error.starts_with("expected bytes with the checksum "), "{error}");
        assert!(check_bytes(&bytes[..90_000], Some(checksum)).is_ok() && check_bytes(&bytes, None).is_ok());
        assert!(check_bytes(&bytes, Some(checksum)).is_err());
    }
}
