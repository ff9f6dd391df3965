//! The bytes of a stream, in order.

use std::fs::File;
use std::io;
use std::sync::Arc;

use bstr::BStr;
use kaldi_io::{Input, ReadAt, Rxfilename, Window};

use crate::{Error, FaultKind, Result, ShardFault};

/// Bytes that are read at once from pipes and of decompressed data.
const CHUNK: usize = 1 << 18;
/// Bytes that are read at once from files if contents are wanted, too: these are read into their own memory.
const FILE_CHUNK: usize = 1 << 14;
/// Bytes that are read at once from files if only headers are wanted: a header, a short text, another header and the
/// first bytes of a sound.
const HEADERS_CHUNK: usize = 1 << 11;

/// What is wanted of members. It determines how much is read at once.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    /// Their headers, and a few of their first bytes: contents in files are skipped.
    Headers,
    /// Their contents, too.
    Contents,
}

/// An open stream of bytes, whose faults are those of a shard.
pub(crate) struct Source {
    window: Window,
    /// The length of the file, if it is a regular one that is not compressed: its contents can be skipped.
    length: Option<u64>,
}

impl Source {
    pub(crate) fn open(rxfilename: &BStr, wanted: Wanted) -> Result<Self> {
        let mut window = Window::new(Input::open(rxfilename)?);
        let length = window.left().map(|left| window.offset() + left);
        window.read_ahead(match (length, wanted) {
            (None, _) => CHUNK,
            (Some(_), Wanted::Contents) => FILE_CHUNK,
            (Some(_), Wanted::Headers) => HEADERS_CHUNK,
        });
        Ok(Self { window, length })
    }

    pub(crate) fn name(&self) -> &str {
        self.window.input().name()
    }

    /// Offset of the next byte.
    pub(crate) fn offset(&self) -> u64 {
        self.window.offset()
    }

    /// The length of the file, if it is a regular one that is not compressed.
    pub(crate) fn length(&self) -> Option<u64> {
        self.length
    }

    /// The file, if it is a regular one that is not compressed.
    pub(crate) fn plain_file(&self) -> Option<Arc<File>> {
        self.window.input().as_file()
    }

    /// The same bytes for reading at any offset, if that is possible.
    pub(crate) fn positioned(&self) -> Option<Arc<dyn ReadAt>> {
        self.window.input().positioned()
    }

    pub(crate) fn is_compressed(&self) -> bool {
        self.window.input().is_compressed()
    }

    /// The next bytes: at least `wanted`, unless the end comes before.
    pub(crate) fn window(&mut self, wanted: usize) -> Result<&[u8]> {
        self.work(|window| window.at_least(wanted).map(drop))?;
        Ok(self.window.bytes())
    }

    /// Skips bytes of the window.
    pub(crate) fn consume(&mut self, count: usize) {
        self.window.consume(count);
    }

    /// Skips bytes. Returns how many there were.
    pub(crate) fn skip(&mut self, count: u64) -> Result<u64> {
        self.work(|window| window.pass(count))
    }

    /// Appends the next `count` bytes to `out`; fewer if the end comes before.
    pub(crate) fn read(&mut self, count: u64, out: &mut Vec<u8>) -> Result<()> {
        self.work(|window| window.move_to(count, out))
    }

    fn work<T>(&mut self, work: impl FnOnce(&mut Window) -> kaldi_io::Result<T>) -> Result<T> {
        work(&mut self.window).map_err(|error| fault(self.window.input(), error))
    }

    /// Closes the stream. A failed command is an error if its output was read to the end.
    pub(crate) fn finish(mut self) -> Result<()> {
        Ok(self.window.finish()?)
    }
}

/// A compressed stream that is cut or damaged is a fault of the shard.
fn fault(input: &Input, error: kaldi_io::Error) -> Error {
    let kaldi_io::Error::Read { name, offset, source } = &error else { return error.into() };
    let kind = match source.kind() {
        io::ErrorKind::UnexpectedEof => FaultKind::Truncated,
        io::ErrorKind::InvalidData => FaultKind::Damaged,
        _ => return error.into(),
    };
    if input.is_compressed() { ShardFault::new(kind, name, *offset, source.to_string()).into() } else { error.into() }
}

/// Whether a name can be read only once: standard input, a named pipe.
pub fn comes_once(name: &BStr) -> bool {
    match Rxfilename::parse(name) {
        Ok(Rxfilename::Stdin) => true,
        Ok(Rxfilename::File(path)) => path.metadata().is_ok_and(|metadata| !metadata.is_file()),
        _ => false,
    }
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

    /// Reads a file in pieces of many lengths, some of them skipped.
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
                    // A few bytes of a compressed stream decompress to nothing.
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
