//! Snappy's blocks, decompressed as they are read.
//!
//! ```text
//! 0a                the bytes of all: 10, seven bits in each byte, the lowest first
//! 0c 61 62 63 64    the lowest two bits are 0: as they are, 4 bytes (0c / 4 + 1)
//! 09 04             they are 1: a copy of 6 bytes (09 / 4 + 4) that came 4 bytes before; 2 and 3 are copies from further away
//! ```

use std::io::{self, BufRead, Read};

/// Bytes that are kept for copies. Programs compress pieces of 64 kB.
const KEPT: usize = 1 << 20;

/// Bytes that are decompressed at once.
const STEP: usize = 1 << 16;

/// Decompresses a block.
#[derive(Debug)]
pub(crate) struct SnappyReader<R> {
    packed: R,
    /// What was decompressed last.
    plain: Vec<u8>,
    /// Where the bytes start that were not taken.
    start: usize,
    /// Bytes that are still to come, as the block says.
    left: u64,
    /// Bytes that follow as they are.
    literal: u64,
}

impl<R: BufRead> SnappyReader<R> {
    /// Reads how long the block is.
    pub(crate) fn new(mut packed: R) -> io::Result<Self> {
        let mut left = 0;
        for shift in (0..35).step_by(7) {
            let byte = u64::from(number(&mut packed, 1)?);
            left |= (byte & 0x7f) << shift;
            if byte < 0x80 {
                return Ok(Self { packed, plain: Vec::new(), start: 0, left, literal: 0 });
            }
        }
        Err(fault("expected a length of at most 5 bytes"))
    }

    /// Decompresses some more bytes.
    fn fill(&mut self) -> io::Result<()> {
        if self.start > 2 * KEPT {
            self.plain.drain(..self.start - KEPT);
            self.start = KEPT;
        }
        let end = self.plain.len() + STEP;
        while self.plain.len() < end && self.left > 0 {
            if self.literal > 0 {
                let count = self.literal.min(STEP as u64);
                if (&mut self.packed).take(count).read_to_end(&mut self.plain)? as u64 != count {
                    return Err(io::ErrorKind::UnexpectedEof.into());
                }
                self.literal -= count;
                self.left -= count;
                continue;
            }
            let tag = number(&mut self.packed, 1)?;
            let count = match tag & 3 {
                0 => {
                    let count = match tag >> 2 {
                        short @ ..60 => short,
                        long => number(&mut self.packed, long as usize - 59)?,
                    };
                    self.literal = u64::from(count) + 1;
                    self.literal
                }
                1 => self.copy((tag >> 2 & 7) as usize + 4, (tag >> 5) << 8, 1)?,
                2 => self.copy((tag >> 2) as usize + 1, 0, 2)?,
                _ => self.copy((tag >> 2) as usize + 1, 0, 4)?,
            };
            if count > self.left {
                return Err(fault(&format!("expected at most {} more bytes, got {count}", self.left)));
            }
            if self.literal == 0 {
                self.left -= count;
            }
        }
        match self.left == 0 && !self.packed.fill_buf()?.is_empty() {
            true => Err(fault("expected the end, got more bytes")),
            false => Ok(()),
        }
    }

    /// Appends bytes that came before; the lower bits of how far before follow in `width` bytes.
    fn copy(&mut self, count: usize, distance: u32, width: usize) -> io::Result<u64> {
        let distance = (distance | number(&mut self.packed, width)?) as usize;
        let Some(from) = self.plain.len().checked_sub(distance).filter(|_| distance > 0) else {
            let kept = self.plain.len();
            return Err(fault(&format!("expected a copy from at most {kept} bytes before, got one from {distance}")));
        };
        // What is copied may be a part of the copy.
        let mut done = 0;
        while done < count {
            let now = (count - done).min(distance + done);
            self.plain.extend_from_within(from..from + now);
            done += now;
        }
        Ok(count as u64)
    }
}

impl<R: BufRead> BufRead for SnappyReader<R> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        if self.start == self.plain.len() {
            self.fill()?;
        }
        Ok(&self.plain[self.start..])
    }

    fn consume(&mut self, count: usize) {
        self.start = self.plain.len().min(self.start + count);
    }
}

impl<R: BufRead> Read for SnappyReader<R> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        let count = self.fill_buf()?.read(out)?;
        self.consume(count);
        Ok(count)
    }
}

/// Reads a number of up to four bytes, the lowest first.
fn number(packed: &mut impl BufRead, width: usize) -> io::Result<u32> {
    let mut bytes = [0; 4];
    packed.read_exact(&mut bytes[..width])?;
    Ok(u32::from_le_bytes(bytes))
}

fn fault(message: &str) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, message)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn unpack(packed: &[u8]) -> Result<Vec<u8>, String> {
        let mut plain = Vec::new();
        let read = SnappyReader::new(packed).and_then(|mut reader| reader.read_to_end(&mut plain));
        read.map(|_| plain).map_err(|error| error.to_string())
    }

    /// A block of literals, whose lengths have so many bytes.
    fn literals(plain: &[u8], width: usize) -> Vec<u8> {
        let mut length = plain.len();
        let mut packed = Vec::new();
        while length >= 0x80 {
            packed.push(length as u8 | 0x80);
            length >>= 7;
        }
        packed.push(length as u8);
        for piece in plain.chunks(1 << (8 * width.min(2))) {
            packed.push(((59 + width) << 2) as u8);
            packed.extend(&(piece.len() - 1).to_le_bytes()[..width]);
            packed.extend(piece);
        }
        packed
    }

    #[test]
    fn copies_may_overlap_themselves() {
        assert_eq!(unpack(b"\x0a\x0cabcd\x09\x04"), Ok(b"abcdabcdab".to_vec()));
        assert_eq!(unpack(b"\x08\x00a\x0d\x01"), Ok(b"aaaaaaaa".to_vec()));
        assert_eq!(unpack(b"\x06\x0cabcd\x06\x03\x00"), Ok(b"abcdbc".to_vec()));
        assert_eq!(unpack(b"\x06\x0cabcd\x07\x04\x00\x00\x00"), Ok(b"abcdab".to_vec()));
        assert_eq!(unpack(b"\x00"), Ok(Vec::new()));
    }

    #[test]
    fn long_blocks_keep_what_copies_need() {
        let plain: Vec<u8> =
            (0..5_000_000_u32).map(|number| (number.wrapping_mul(2_654_435_761) >> 24) as u8).collect();
        for width in 1..=4 {
            assert!(unpack(&literals(&plain, width)).unwrap() == plain, "{width}");
        }
        let mut packed = literals(&plain, 2);
        packed.splice(..4, [0xc4, 0x96, 0xb1, 0x02]);
        // 4 bytes from a million before the end.
        packed.extend([0x0f, 0x40, 0x42, 0x0f, 0x00]);
        let unpacked = unpack(&packed).unwrap();
        assert_eq!(unpacked[5_000_000..], plain[4_000_000..4_000_004]);
    }

    #[test]
    fn damage_is_told() {
        for (packed, expected) in [
            (&b""[..], "failed to fill whole buffer"),
            (b"\x0a\x0cabc", "unexpected end of file"),
            (b"\x0a\x0cabcd", "failed to fill whole buffer"),
            (b"\x03\x0cabcd", "expected at most 3 more bytes, got 4"),
            (b"\x06\x0cabcd\x09\x04", "expected at most 2 more bytes, got 6"),
            (b"\x04\x0cabcd\x00", "expected the end, got more bytes"),
            (b"\x0a\x0cabcd\x09\x05", "expected a copy from at most 4 bytes before, got one from 5"),
            (b"\x0a\x0cabcd\x09\x00", "expected a copy from at most 4 bytes before, got one from 0"),
            (b"\xff\xff\xff\xff\xff\x01", "expected a length of at most 5 bytes"),
            (b"\xff\xff\xff\xff\x0f\xfc\xff\xff\xff\xff", "expected at most 4294967295 more bytes, got 4294967296"),
        ] {
            assert_eq!(unpack(packed).unwrap_err(), expected, "{packed:?}");
        }
    }
}
