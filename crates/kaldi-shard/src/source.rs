//! The bytes of a file that may be compressed, in order.

mod input;
mod zstd;

use std::fs::File;
use std::io::{self, Read};
use std::sync::Arc;

use bstr::BStr;
use flate2::bufread::MultiGzDecoder;
use kaldi_io::{Input, Rxfilename};

use crate::{Error, Fault, FaultKind, Result};
use input::InputReader;
use zstd::ZstdDecoder;

const GZIP: &[u8] = b"\x1f\x8b";
const ZSTD: &[u8] = b"\x28\xb5\x2f\xfd";

/// Bytes that are read at once, from pipes and of what is decompressed.
const CHUNK: usize = 1 << 18;
/// Bytes that are read at once from files of which contents are wanted, too: these are read into their own memory.
const FILE_CHUNK: usize = 1 << 14;
/// Bytes that are read at once from files of which headers are wanted only: a header, a short text, another header and the
/// head of a sound.
const HEADERS_CHUNK: usize = 1 << 11;
/// Memory for a content grows by this much at a time where its size is a claim.
const PIECE: u64 = 1 << 20;

/// What of members is wanted, which tells how much is read at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Their headers, and a few of their first bytes: contents in files are passed over.
    Headers,
    /// Their contents, too.
    Contents,
}

/// An open stream of bytes, decompressed where it begins as gzip and zstd do.
pub(crate) struct Source {
    name: String,
    kind: Kind,
    window: Vec<u8>,
    /// Bytes of the window that were consumed.
    used: usize,
    /// Offset of the next byte.
    offset: u64,
    chunk: usize,
    at_end: bool,
}

enum Kind {
    /// Where the length is known, the file is a regular one, whose contents can be passed over.
    Plain {
        input: Input,
        length: Option<u64>,
    },
    Gzip(Box<MultiGzDecoder<InputReader>>),
    Zstd(Box<ZstdDecoder>),
}

impl Source {
    pub(crate) fn open(rxfilename: &BStr, wanted: Wanted) -> Result<Self> {
        let mut input = Input::open(rxfilename)?;
        let (name, offset) = (input.name().to_owned(), input.offset());
        let length = input.remaining().map(|left| offset + left);
        let chunk = match (length, wanted) {
            (None, _) => CHUNK,
            (Some(_), Wanted::Contents) => FILE_CHUNK,
            (Some(_), Wanted::Headers) => HEADERS_CHUNK,
        };
        let mut window = Vec::new();
        while window.len() < ZSTD.len() && input.read_some(&mut window, chunk)? > 0 {}
        let (is_gzip, is_zstd) = (window.starts_with(GZIP), window.starts_with(ZSTD));
        let (kind, window, offset) = if is_gzip || is_zstd {
            let reader = InputReader::new(input, window);
            let kind = match is_gzip {
                true => Kind::Gzip(Box::new(MultiGzDecoder::new(reader))),
                false => Kind::Zstd(Box::new(ZstdDecoder::new(reader))),
            };
            (kind, Vec::new(), 0)
        } else {
            (Kind::Plain { input, length }, window, offset)
        };
        let chunk = if is_gzip || is_zstd { CHUNK } else { chunk };
        Ok(Self { name, kind, window, used: 0, offset, chunk, at_end: false })
    }

    pub(crate) fn name(&self) -> &str {
        &self.name
    }

    /// Offset of the next byte.
    pub(crate) fn offset(&self) -> u64 {
        self.offset
    }

    /// The length of the file, where it is a regular one that is not compressed.
    pub(crate) fn length(&self) -> Option<u64> {
        match self.kind {
            Kind::Plain { length, .. } => length,
            _ => None,
        }
    }

    /// The file, where it is a regular one that is not compressed.
    pub(crate) fn plain_file(&self) -> Option<Arc<File>> {
        match &self.kind {
            Kind::Plain { input, length: Some(_) } => input.as_file(),
            _ => None,
        }
    }

    pub(crate) fn is_compressed(&self) -> bool {
        !matches!(self.kind, Kind::Plain { .. })
    }

    /// What comes next: at least `wanted` bytes unless the end comes before.
    pub(crate) fn window(&mut self, wanted: usize) -> Result<&[u8]> {
        while self.window.len() - self.used < wanted && !self.at_end {
            self.window.drain(..self.used);
            self.used = 0;
            let limit = self.chunk.max(wanted - self.window.len());
            let mut window = std::mem::take(&mut self.window);
            let count = self.read_some(&mut window, limit);
            self.window = window;
            self.at_end = count? == 0;
        }
        Ok(&self.window[self.used..])
    }

    /// Passes over bytes of the window.
    pub(crate) fn consume(&mut self, count: usize) {
        self.used += count;
        self.offset += count as u64;
    }

    /// Passes over bytes; returns how many there were.
    pub(crate) fn skip(&mut self, count: u64) -> Result<u64> {
        let in_window = (self.window.len() - self.used).min(usize::try_from(count).unwrap_or(usize::MAX));
        self.consume(in_window);
        let mut left = count - in_window as u64;
        if let Kind::Plain { input, length: Some(length) } = &mut self.kind {
            let there = left.min(length.saturating_sub(self.offset));
            if there > 0 {
                input.seek(self.offset + there)?;
            }
            self.offset += there;
            return Ok(count - (left - there));
        }
        while left > 0 {
            let there = self.window(1)?.len();
            if there == 0 {
                break;
            }
            let there = there.min(usize::try_from(left).unwrap_or(usize::MAX));
            self.consume(there);
            left -= there as u64;
        }
        Ok(count - left)
    }

    /// Appends the next `count` bytes to `out`; fewer where the end comes before.
    pub(crate) fn read(&mut self, count: u64, out: &mut Vec<u8>) -> Result<()> {
        let in_window = (self.window.len() - self.used).min(usize::try_from(count).unwrap_or(usize::MAX));
        out.extend_from_slice(&self.window[self.used..self.used + in_window]);
        self.consume(in_window);
        let mut left = count - in_window as u64;
        while left > 0 && !self.at_end {
            let there = self.length().map_or(PIECE, |length| length.saturating_sub(self.offset).max(1));
            let got = self.read_some(out, left.min(there) as usize)?;
            self.at_end = got == 0;
            self.offset += got as u64;
            left -= got as u64;
        }
        Ok(())
    }

    /// Appends some of what the window does not have.
    fn read_some(&mut self, out: &mut Vec<u8>, limit: usize) -> Result<usize> {
        let start = out.len();
        let got = match &mut self.kind {
            Kind::Plain { input, .. } => return Ok(input.read_some(out, limit)?),
            Kind::Gzip(decoder) => {
                out.resize(start + limit, 0);
                read(&mut **decoder, &mut out[start..])
            }
            Kind::Zstd(decoder) => {
                out.resize(start + limit, 0);
                read(&mut **decoder, &mut out[start..])
            }
        };
        out.truncate(start + got.as_ref().copied().unwrap_or(0));
        got.map_err(|error| self.explain(&error))
    }

    fn explain(&mut self, error: &io::Error) -> Error {
        let offset = self.offset + (self.window.len() - self.used) as u64;
        let (reader, what) = match &mut self.kind {
            Kind::Gzip(decoder) => (decoder.get_mut(), "gzip"),
            Kind::Zstd(decoder) => (decoder.get_mut(), "zstd"),
            Kind::Plain { .. } => return Fault::new(FaultKind::Damaged, &self.name, offset, error.to_string()).into(),
        };
        if let Some(fault) = reader.take_fault() {
            return fault.into();
        }
        // A decoder that has everything and wants more.
        let fault = if reader.at_end() {
            let message = format!("expected the rest of the {what} stream, got the end of the file");
            Fault::new(FaultKind::Truncated, &self.name, offset, message)
        } else {
            let message = format!("expected a whole {what} stream: {}", one_line(&error.to_string()));
            Fault::new(FaultKind::Damaged, &self.name, offset, message)
        };
        fault.into()
    }

    /// Closes the stream; the failure of a command counts where its output was read to the end.
    pub(crate) fn finish(self) -> Result<()> {
        let mut input = match self.kind {
            Kind::Plain { input, .. } => input,
            Kind::Gzip(decoder) => decoder.into_inner().into_input(),
            Kind::Zstd(decoder) => decoder.into_input(),
        };
        Ok(input.finish()?)
    }
}

/// Whether what a name means can be read but once: standard input, a named pipe.
pub(crate) fn comes_once(name: &BStr) -> bool {
    match Rxfilename::parse(name) {
        Ok(Rxfilename::Stdin) => true,
        Ok(Rxfilename::File(path)) => path.metadata().is_ok_and(|metadata| !metadata.is_file()),
        _ => false,
    }
}

/// Reads, whatever interrupts that.
fn read(source: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match source.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
}

fn one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ")
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use flate2::Compression;
    use flate2::write::GzEncoder;

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(bytes).unwrap();
        encoder.finish().unwrap()
    }

    fn zstd(bytes: &[u8]) -> Vec<u8> {
        ruzstd::encoding::compress_to_vec(bytes, ruzstd::encoding::CompressionLevel::Fastest)
    }

    fn text() -> Vec<u8> {
        (0..100_000_u32).flat_map(|number| number.to_string().into_bytes()).collect()
    }

    /// Reads a file in pieces of many lengths, some of them passed over.
    fn reads(bytes: &[u8], wanted: Wanted) -> Result<Vec<u8>> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("file");
        std::fs::write(&path, bytes).unwrap();
        let mut source = Source::open(path.to_str().unwrap().into(), wanted)?;
        let mut out = Vec::new();
        for length in (0..700).cycle().map(|number| number * 7) {
            let offset = source.offset();
            let next = source.window(length.min(1000))?.to_vec();
            if next.is_empty() && length > 0 {
                break;
            }
            let start = out.len();
            if length % 3 == 0 {
                source.read(length as u64, &mut out)?;
            } else {
                out.resize(start + source.skip(length as u64)? as usize, b'?');
            }
            assert_eq!(source.offset(), offset + (out.len() - start) as u64);
            assert!(next.iter().zip(&out[start..]).all(|(next, out)| *out == b'?' || next == out));
        }
        source.finish()?;
        Ok(out)
    }

    #[test]
    fn compression_makes_no_difference() {
        let text = text();
        let (first, second) = text.split_at(300_001);
        for wanted in [Wanted::Headers, Wanted::Contents] {
            let plain = reads(&text, wanted).unwrap();
            assert_eq!(plain.len(), text.len());
            assert!(plain.iter().zip(&text).all(|(got, byte)| *got == b'?' || got == byte));
            assert!(plain.iter().filter(|byte| **byte != b'?').count() > text.len() / 4);
            let skippable = b"\x50\x2a\x4d\x18\x03\0\0\0abc".as_slice();
            for compressed in [
                gzip(&text),
                [gzip(first), gzip(b""), gzip(second)].concat(),
                zstd(&text),
                [&zstd(first), skippable, &zstd(second)].concat(),
            ] {
                assert!(compressed.len() < text.len());
                assert!(reads(&compressed, wanted).unwrap() == plain);
            }
        }
    }

    #[test]
    fn cut_and_damaged_streams_are_told_apart() {
        let text = text();
        for compressed in [gzip(&text), zstd(&text)] {
            for cut in [5, 9, 100, compressed.len() / 2, compressed.len() - 1] {
                match reads(&compressed[..cut], Wanted::Contents) {
                    Err(Error::Fault(fault)) => assert_eq!(fault.kind, FaultKind::Truncated, "{fault}"),
                    other => panic!("{cut}: {other:?}"),
                }
            }
            for at in [compressed.len() / 3, compressed.len() / 2, compressed.len() - 6, compressed.len() - 1] {
                let mut damaged = compressed.clone();
                damaged[at] ^= 0x55;
                match reads(&damaged, Wanted::Contents) {
                    Err(Error::Fault(fault)) => assert_eq!(fault.kind, FaultKind::Damaged, "{at}: {fault}"),
                    // A few bytes of a compressed stream mean nothing.
                    other => panic!("{at}: {:?}", other.map(|bytes| bytes.len())),
                }
            }
        }
    }

    #[test]
    fn commands_are_streams_as_well() {
        let read = |command: &str| -> Result<u64> {
            let mut source = Source::open(command.into(), Wanted::Headers)?;
            let count = source.skip(1 << 40)?;
            source.finish()?;
            Ok(count)
        };
        assert_eq!(read("printf abc |").unwrap(), 3);
        assert_eq!(read("true |").unwrap(), 0);
        assert!(matches!(read("printf abc; exit 3 |"), Err(Error::Io(kaldi_io::Error::Status { .. }))));
    }
}
