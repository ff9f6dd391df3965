//! Compressed streams, which are decompressed while they are read.

mod feed;
mod zstd;

use std::fmt;
use std::io::{self, Read};
use std::os::fd::BorrowedFd;

use flate2::bufread::MultiGzDecoder;

use crate::Result;
use crate::fallible::fallible;
use crate::source::Source;
use feed::Feed;
use zstd::ZstdDecoder;

/// A kind of compression that is read everywhere.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compression {
    /// RFC 1952.
    Gzip,
    /// RFC 8878.
    Zstd,
}

impl Compression {
    /// This many first bytes of a stream show its compression.
    pub const HEAD: usize = 4;

    fn magic(self) -> &'static [u8] {
        match self {
            Self::Gzip => b"\x1f\x8b\x08",
            Self::Zstd => b"\x28\xb5\x2f\xfd",
        }
    }

    /// The compression of a stream that starts with these bytes.
    pub fn of(head: &[u8]) -> Option<Self> {
        [Self::Gzip, Self::Zstd].into_iter().find(|it| head.starts_with(it.magic()))
    }

    /// Whether a stream that starts with these bytes may go on as a compressed one.
    pub(crate) fn may_follow(head: &[u8]) -> bool {
        [Self::Gzip, Self::Zstd].iter().any(|it| it.magic().starts_with(head))
    }

    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Gzip => "gzip",
            Self::Zstd => "zstd",
        }
    }

    /// Why an offset into such a file is refused.
    pub fn no_offset(self) -> String {
        format!(
            "this is {}-compressed data, into which an offset cannot lead; decompress it with {}, or read all of it",
            self.name(),
            self.command()
        )
    }

    /// A command that reads a file and writes its decompressed content.
    pub(crate) fn command(self) -> &'static str {
        match self {
            Self::Gzip => "gunzip -c",
            Self::Zstd => "zstd -dc",
        }
    }
}

/// Bytes that are decompressed at once. Those before damage are lost if they come with it.
const PIECE: usize = 1 << 14;

/// What is wrong with a compressed stream: it is cut or damaged.
#[derive(Debug, thiserror::Error)]
#[error("{0}")]
pub(crate) struct DamagedStream(String);

/// A source whose bytes are decompressed.
pub(crate) struct Decompressed {
    compression: Compression,
    decoder: Decoder,
}

enum Decoder {
    Gzip(Box<MultiGzDecoder<Feed>>),
    Zstd(Box<ZstdDecoder>),
    /// Between two decoders.
    Moving,
}

impl Decoder {
    fn new(compression: Compression, feed: Feed) -> Self {
        match compression {
            Compression::Gzip => Self::Gzip(Box::new(MultiGzDecoder::new(feed))),
            Compression::Zstd => Self::Zstd(Box::new(ZstdDecoder::new(feed))),
        }
    }

    fn feed(&mut self) -> Option<&mut Feed> {
        match self {
            Self::Gzip(decoder) => Some(decoder.get_mut()),
            Self::Zstd(decoder) => Some(decoder.feed()),
            Self::Moving => None,
        }
    }

    fn into_feed(self) -> Option<Feed> {
        match self {
            Self::Gzip(decoder) => Some(decoder.into_inner()),
            Self::Zstd(decoder) => Some(decoder.into_feed()),
            Self::Moving => None,
        }
    }
}

impl Decompressed {
    /// Decompresses `source`, of which `bytes` were already read.
    pub(crate) fn new(source: Box<dyn Source>, bytes: Vec<u8>, compression: Compression) -> Self {
        Self { compression, decoder: Decoder::new(compression, Feed::new(source, bytes)) }
    }

    /// Says what an error of the decoder means.
    fn explain(&mut self, error: &io::Error) -> io::Error {
        let name = self.compression.name();
        let Some(feed) = self.decoder.feed() else { return io::ErrorKind::Other.into() };
        if let Some(fault) = feed.take_fault() {
            return fault;
        }
        // The decoder got everything and wants more.
        if feed.at_end() {
            let message = format!("expected the rest of the {name} stream, got the end of the file");
            return io::Error::new(io::ErrorKind::UnexpectedEof, DamagedStream(message));
        }
        let found = error.to_string().replace(['\n', '\r'], " ");
        let message = format!("expected a whole {name} stream: {found}");
        io::Error::new(io::ErrorKind::InvalidData, DamagedStream(message))
    }
}

impl fmt::Debug for Decompressed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Decompressed").field("compression", &self.compression).finish_non_exhaustive()
    }
}

impl Source for Decompressed {
    fn read_some(&mut self, buffer: &mut Vec<u8>, limit: usize) -> io::Result<usize> {
        let (start, limit) = (buffer.len(), limit.min(PIECE));
        fallible(|| buffer.try_reserve(limit)).map_err(|_| io::ErrorKind::OutOfMemory)?;
        buffer.resize(start + limit, 0);
        let out = &mut buffer[start..];
        let got = loop {
            let got = match &mut self.decoder {
                Decoder::Gzip(decoder) => decoder.read(out),
                Decoder::Zstd(decoder) => decoder.read(out),
                Decoder::Moving => Ok(0),
            };
            match got {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                got => break got,
            }
        };
        buffer.truncate(start + got.as_ref().copied().unwrap_or(0));
        got.map_err(|error| self.explain(&error))
    }

    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        match &self.decoder {
            Decoder::Gzip(decoder) => decoder.get_ref().descriptor(),
            Decoder::Zstd(decoder) => decoder.feed_ref().descriptor(),
            Decoder::Moving => None,
        }
    }

    fn restart(&mut self) -> Result<bool> {
        let Some(feed) = std::mem::replace(&mut self.decoder, Decoder::Moving).into_feed() else { return Ok(false) };
        let mut source = feed.into_source();
        let restarted = source.restart();
        self.decoder = Decoder::new(self.compression, Feed::new(source, Vec::new()));
        restarted
    }

    fn finish(&mut self, at_end: bool) -> Result<()> {
        self.decoder.feed().map_or(Ok(()), |feed| feed.source().finish(at_end))
    }

    fn stop(&mut self) {
        if let Some(feed) = self.decoder.feed() {
            feed.source().stop();
        }
    }
}

#[cfg(test)]
mod tests;
