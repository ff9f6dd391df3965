//! Where the samples of a file are and where it ends, from its header alone.

use kaldi_io::{Cursor, ParseError};

/// The name and size of a chunk.
const CHUNK_HEADER: u64 = 8;
/// The shortest chunk that describes a format.
const FORMAT: u32 = 16;

/// Where the samples of a RIFF/WAVE file are and where it ends.
///
/// The size of a file that was written to a pipe is not known: where one of the sizes is 0 or 0xFFFFFFFF, or that of the
/// samples is 0x7FFFF000 (from SoX), the samples go on to the end of the stream, as Kaldi has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extent {
    /// Offset of the first sample.
    pub samples: u64,
    /// The length of the samples in bytes, or nothing where they go on to the end of the stream.
    pub num_bytes: Option<u64>,
    /// The length of all, with the chunks behind the samples, or nothing as for `num_bytes`.
    pub total: Option<u64>,
    /// Whether a zero byte may follow that makes the length even, where the sizes leave it open.
    pub may_be_padded: bool,
}

impl Extent {
    /// Reads the header at the start of `bytes`, up to the samples.
    ///
    /// The samples need not be there. Kaldi stops reading behind them; chunks that follow belong to the file here, if its
    /// size in the header has room for one.
    ///
    /// # Errors
    /// Where the bytes are no such header; where they end before the samples begin, `at_end` is set.
    pub fn read(bytes: &[u8]) -> Result<Self, ParseError> {
        let mut chunks = Chunks::open(bytes)?;
        let mut has_format = false;
        loop {
            let (name, size) = chunks.next()?;
            match &name {
                b"data" if !has_format => return Err(chunks.error("expected a chunk \"fmt \" before the samples")),
                b"data" => return Ok(chunks.extent(size)),
                b"fmt " if size < FORMAT => {
                    return Err(chunks.error(&format!("expected {FORMAT} bytes or more in chunk \"fmt \", got {size}")));
                }
                b"fmt " => has_format = true,
                _ => {}
            }
            chunks.skip(size)?;
        }
    }
}

/// The chunks in a RIFF/WAVE file.
struct Chunks<'a> {
    cursor: Cursor<'a>,
    big_endian: bool,
    /// The size in the outermost header.
    riff_size: u32,
}

impl<'a> Chunks<'a> {
    fn open(bytes: &'a [u8]) -> Result<Self, ParseError> {
        let mut cursor = Cursor::new(bytes);
        let start = bytes.get(..4).unwrap_or(bytes);
        if !b"RIFF".starts_with(start) && !b"RIFX".starts_with(start) {
            return Err(cursor.expected("\"RIFF\" or \"RIFX\""));
        }
        let big_endian = cursor.take(4)? == b"RIFX";
        let mut chunks = Self { cursor, big_endian, riff_size: 0 };
        chunks.riff_size = chunks.number()?;
        match chunks.cursor.take(4)? {
            b"WAVE" => Ok(chunks),
            _ => Err(ParseError::new(8, "expected \"WAVE\" in the RIFF file, got another kind")),
        }
    }

    fn number(&mut self) -> Result<u32, ParseError> {
        let mut word = [0; 4];
        word.copy_from_slice(self.cursor.take(4)?);
        Ok(if self.big_endian { u32::from_be_bytes(word) } else { u32::from_le_bytes(word) })
    }

    /// Consumes the name and size of a chunk.
    fn next(&mut self) -> Result<([u8; 4], u32), ParseError> {
        let mut name = [0; 4];
        name.copy_from_slice(self.cursor.take(4)?);
        if !name.iter().all(|byte| matches!(byte, b' '..=b'~')) {
            let message = format!("expected the name of a chunk, got \"{}\"", name.escape_ascii());
            return Err(ParseError::new(self.cursor.offset() - 4, message));
        }
        Ok((name, self.number()?))
    }

    /// Consumes what is in a chunk, and the zero byte behind it that makes its length even, which not all programs write.
    fn skip(&mut self, size: u32) -> Result<(), ParseError> {
        self.cursor.take(size as usize)?;
        if size % 2 == 1 && self.cursor.peek() == Some(0) {
            self.cursor.advance(1);
        }
        Ok(())
    }

    /// The extent, given that the cursor is at the samples, of `size` bytes.
    fn extent(&self, size: u32) -> Extent {
        let samples = self.cursor.offset() as u64;
        if matches!(self.riff_size, 0 | u32::MAX) || matches!(size, 0 | u32::MAX | 0x7fff_f000) {
            return Extent { samples, num_bytes: None, total: None, may_be_padded: false };
        }
        let num_bytes = u64::from(size);
        let end = samples + num_bytes;
        let claimed = CHUNK_HEADER + u64::from(self.riff_size);
        // Sizes are often off by a byte or so, which belongs to whatever comes next.
        let has_more = claimed >= end + CHUNK_HEADER;
        let total = if has_more { claimed } else { end };
        Extent { samples, num_bytes: Some(num_bytes), total: Some(total), may_be_padded: !has_more && size % 2 == 1 }
    }

    fn error(&self, message: &str) -> ParseError {
        ParseError::new(self.cursor.offset() - CHUNK_HEADER as usize, message.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FORMAT_CHUNK: &[u8] = b"fmt \x10\0\0\0\x01\0\x01\0\x40\x1f\0\0\x80\x3e\0\0\x02\0\x10\0";

    fn file(riff_size: u32, chunks: &[&[u8]]) -> Vec<u8> {
        [b"RIFF", riff_size.to_le_bytes().as_slice(), b"WAVE", &chunks.concat()].concat()
    }

    fn data(size: u32) -> Vec<u8> {
        [b"data".as_slice(), &size.to_le_bytes()].concat()
    }

    #[test]
    fn the_samples_follow_the_header() {
        let bytes = file(40, &[FORMAT_CHUNK, &data(4), b"\x01\0\x02\0"]);
        let extent = Extent { samples: 44, num_bytes: Some(4), total: Some(48), may_be_padded: false };
        assert_eq!(Extent::read(&bytes), Ok(extent));
        assert_eq!(Extent::read(&bytes[..44]), Ok(extent));
        for cut in 0..44 {
            assert!(Extent::read(&bytes[..cut]).unwrap_err().at_end, "{cut}");
        }
    }

    #[test]
    fn sizes_may_be_big_endian() {
        let bytes = b"RIFX\0\0\0\x28WAVEfmt \0\0\0\x10\0\x01\0\x01\0\0\x1f\x40\0\0\x3e\x80\0\x02\0\x10data\0\0\0\x04";
        let extent = Extent { samples: 44, num_bytes: Some(4), total: Some(48), may_be_padded: false };
        assert_eq!(Extent::read(bytes), Ok(extent));
    }

    #[test]
    fn chunks_before_the_samples_may_be_padded_or_not() {
        for (junk, samples) in [
            (b"JUNK\x02\0\0\0ab".as_slice(), 54),
            (b"LIST\x03\0\0\0abc", 55),
            (b"LIST\x03\0\0\0abc\0", 56),
            (b"fact\x04\0\0\0\x02\0\0\0", 56),
        ] {
            for chunks in [[junk, FORMAT_CHUNK], [FORMAT_CHUNK, junk]] {
                let bytes = file(samples - 8 + 4, &[chunks[0], chunks[1], &data(4)]);
                let extent = Extent::read(&bytes).unwrap();
                assert_eq!((extent.samples, extent.total), (samples.into(), Some(u64::from(samples) + 4)));
            }
        }
    }

    #[test]
    fn chunks_behind_the_samples_belong_to_the_file() {
        let total = |riff_size, size| Extent::read(&file(riff_size, &[FORMAT_CHUNK, &data(size)])).unwrap().total;
        assert_eq!(total(40, 4), Some(48));
        assert_eq!(total(50, 4), Some(58));
        // Off by a little: what has no room for a chunk is none.
        assert_eq!(total(41, 4), Some(48));
        assert_eq!(total(39, 4), Some(48));
        assert_eq!(total(47, 4), Some(48));
        assert_eq!(total(55, 5), Some(63));
    }

    #[test]
    fn an_odd_length_may_have_been_made_even() {
        let extent = |size| Extent::read(&file(40, &[FORMAT_CHUNK, &data(size)])).unwrap();
        assert_eq!((extent(3).total, extent(3).may_be_padded), (Some(47), true));
        assert_eq!((extent(4).total, extent(4).may_be_padded), (Some(48), false));
    }

    #[test]
    fn sizes_that_were_not_known_reach_to_the_end() {
        for (riff_size, size) in [(0, 4), (u32::MAX, 4), (40, 0), (40, u32::MAX), (40, 0x7fff_f000)] {
            let extent = Extent::read(&file(riff_size, &[FORMAT_CHUNK, &data(size)])).unwrap();
            assert_eq!(extent, Extent { samples: 44, num_bytes: None, total: None, may_be_padded: false });
        }
    }

    #[test]
    fn what_is_no_wave_file_is_refused() {
        let message = |bytes: &[u8]| Extent::read(bytes).map_err(|error| (error.offset, error.message.into_owned()));
        let refuses =
            |bytes: &[u8], offset: usize, text: &str| assert_eq!(message(bytes), Err((offset, text.to_owned())));
        refuses(b"RIFE1234WAVE", 0, "expected \"RIFF\" or \"RIFX\", got \"RIFE1234WAVE\"");
        refuses(b"RIFF\x04\0\0\0AVI ", 8, "expected \"WAVE\" in the RIFF file, got another kind");
        refuses(&file(40, &[&data(4)]), 12, "expected a chunk \"fmt \" before the samples");
        refuses(&file(40, &[b"\x01\0\0\0\0\0\0\0"]), 12, "expected the name of a chunk, got \"\\x01\\x00\\x00\\x00\"");
        refuses(&file(40, &[b"fmt \x02\0\0\0"]), 12, "expected 16 bytes or more in chunk \"fmt \", got 2");
        assert!(Extent::read(&file(40, &[b"JUNK\xff\xff\xff\x7f"])).unwrap_err().at_end);
    }
}
