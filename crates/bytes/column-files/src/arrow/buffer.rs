//! Buffers in the body of a message, read from front to back.

use std::io::{self, BufReader, Read};

use bytes::Bytes;
use lz4_flex::frame::FrameDecoder;
use ruzstd::decoding::StreamingDecoder;

use crate::FilePlaces;

/// Bytes that are read ahead.
const WINDOW: usize = 1 << 16;

/// A value of so many bytes is read alone.
const LARGE: usize = WINDOW / 4;

/// Bytes of the largest value in a buffer that is compressed: what is there says little about it.
const LARGEST_PACKED: usize = 1 << 28;

/// What compresses buffers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum BufferCodec {
    Lz4,
    Zstd,
}

/// A buffer. What has been passed cannot be read again if it is compressed.
pub(super) struct Buffer {
    source: Source,
    /// Bytes, when decompressed.
    length: u64,
    window: Vec<u8>,
    /// Where the window starts.
    at: u64,
}

enum Source {
    /// Where it starts in the file.
    Plain(FilePlaces, u64),
    Packed(Box<dyn Read + Send>, BufferCodec),
}

impl Buffer {
    /// The buffer of `length` bytes that starts at `start`.
    pub(super) fn open(file: &FilePlaces, start: u64, length: u64, codec: Option<BufferCodec>) -> Result<Self, String> {
        let plain = |start, length| {
            let source = Source::Plain(file.clone(), start);
            Self { source, length, window: Vec::new(), at: 0 }
        };
        let Some(codec) = codec.filter(|_| length > 0) else { return Ok(plain(start, length)) };
        if length < 8 {
            return Err(format!("expected the size of a compressed buffer in 8 bytes, got {length} bytes"));
        }
        let bytes = file.piece(start, 8).map_err(|error| error.to_string())?;
        let unpacked = bytes.first_chunk().map_or(0, |bytes| i64::from_le_bytes(*bytes));
        // What would not be smaller is not compressed.
        if unpacked == -1 {
            return Ok(plain(start + 8, length - 8));
        }
        let Ok(unpacked) = u64::try_from(unpacked) else {
            return Err(format!("expected the size of a compressed buffer, got {unpacked}"));
        };
        let packed = BufReader::new(file.starting_at(start + 8).take(length - 8));
        let decoder: Box<dyn Read + Send> = match codec {
            BufferCodec::Lz4 => Box::new(FrameDecoder::new(packed)),
            BufferCodec::Zstd if unpacked == 0 => Box::new(io::empty()),
            BufferCodec::Zstd => {
                Box::new(StreamingDecoder::new(packed).map_err(|error| codec.fault(&error.to_string()))?)
            }
        };
        Ok(Self { source: Source::Packed(decoder, codec), length: unpacked, window: Vec::new(), at: 0 })
    }

    /// A few bytes from a place on.
    pub(super) fn few<const N: usize>(&mut self, at: u64) -> Result<[u8; N], String> {
        let start = self.find(at, N)?;
        Ok(self.window.get(start..).and_then(|rest| rest.first_chunk()).copied().unwrap_or([0; N]))
    }

    /// The bytes of a value from a place on.
    pub(super) fn value(&mut self, at: u64, length: u64) -> Result<Bytes, String> {
        let length = self.check(at, length)?;
        match &self.source {
            Source::Plain(file, start) if length >= LARGE => {
                Ok(file.piece(start + at, length).map_err(|error| error.to_string())?.into())
            }
            _ => {
                let start = self.find(at, length)?;
                let bytes = self.window.get(start..start + length).unwrap_or_default();
                Ok(Bytes::copy_from_slice(bytes))
            }
        }
    }

    fn check(&self, at: u64, length: u64) -> Result<usize, String> {
        if at.checked_add(length).is_none_or(|end| end > self.length) {
            return Err(format!("expected {length} bytes from {at} on in a buffer, got {} bytes in all", self.length));
        }
        match usize::try_from(length) {
            Ok(length) if length <= LARGEST_PACKED || matches!(self.source, Source::Plain(..)) => Ok(length),
            _ => Err(format!("expected at most {LARGEST_PACKED} bytes in a compressed value, got {length}")),
        }
    }

    /// Gets bytes into the window. Returns where they start there.
    fn find(&mut self, at: u64, length: usize) -> Result<usize, String> {
        self.check(at, length as u64)?;
        let end = self.at + self.window.len() as u64;
        if at >= self.at && at + length as u64 <= end {
            return Ok((at - self.at) as usize);
        }
        let wanted = (self.length - at).min(length.max(WINDOW) as u64);
        match &mut self.source {
            Source::Plain(file, start) => {
                self.window = file.piece(*start + at, wanted as usize).map_err(|error| error.to_string())?;
            }
            Source::Packed(decoder, codec) => {
                if at < self.at {
                    return Err("expected offsets that ascend, got others".to_owned());
                }
                let read = |count, into: &mut dyn io::Write| match io::copy(&mut decoder.by_ref().take(count), into) {
                    Ok(read) if read == count => Ok(()),
                    Ok(_) => Err(codec.fault("it ends too early")),
                    Err(error) => Err(codec.fault(&error.to_string())),
                };
                let mut read = read;
                if at >= end {
                    self.window.clear();
                    read(at - end, &mut io::sink())?;
                } else {
                    self.window.drain(..(at - self.at) as usize);
                }
                read(wanted - self.window.len() as u64, &mut self.window)?;
            }
        }
        self.at = at;
        Ok(0)
    }
}

impl BufferCodec {
    fn fault(self, message: &str) -> String {
        let name = match self {
            Self::Lz4 => "LZ4",
            Self::Zstd => "zstd",
        };
        format!("a buffer compressed by {name}: {message}")
    }
}
