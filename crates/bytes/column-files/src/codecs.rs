//! What compresses pages of Parquet, decompressed in Rust. The crate `parquet` decompresses zstd with a library in C, and its other
//! features compress, too.

use std::io::{self, BufRead, Read};

use brotli_decompressor::Decompressor;
use flate2::bufread::MultiGzDecoder;
use lz4_flex::block::{DecompressError, decompress_into};
use parquet::basic::Compression;
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::ColumnChunkMetaData;
use ruzstd::decoding::StreamingDecoder;

use crate::snappy::SnappyReader;

/// Bytes of the largest page that is read as a whole. Programs write pages of 1 MB, or of a thousand values.
const LARGEST_PAGE: usize = 1 << 28;

/// What compresses pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Codec {
    /// Nothing.
    Plain,
    Snappy,
    Zstd,
    Gzip,
    Brotli,
    /// A block of LZ4.
    Lz4,
    /// Blocks of LZ4 with their sizes before them, as Hadoop has them; older programs have a block alone.
    Lz4Hadoop,
}

impl Codec {
    /// What compresses the pages of a column.
    ///
    /// # Errors
    /// If nothing here decompresses them.
    pub(crate) fn of(column: &ColumnChunkMetaData) -> Result<Self> {
        Ok(match column.compression() {
            Compression::UNCOMPRESSED => Self::Plain,
            Compression::SNAPPY => Self::Snappy,
            Compression::ZSTD(_) => Self::Zstd,
            Compression::GZIP(_) => Self::Gzip,
            Compression::BROTLI(_) => Self::Brotli,
            Compression::LZ4_RAW => Self::Lz4,
            Compression::LZ4 => Self::Lz4Hadoop,
            other => {
                let message = format!(
                    "{}: expected pages that are plain, or compressed by Snappy, zstd, gzip, Brotli or LZ4, got {other}",
                    column.column_path()
                );
                return Err(ParquetError::General(message));
            }
        })
    }

    /// Whether a page can be decompressed as it is read.
    pub(crate) fn is_stream(self) -> bool {
        !matches!(self, Self::Lz4 | Self::Lz4Hadoop)
    }

    /// The bytes of a page, decompressed as they are read; those of LZ4 as a whole.
    pub(crate) fn open<'a>(self, mut packed: impl BufRead + Send + 'a) -> Result<Box<dyn BufRead + Send + 'a>> {
        let failed = |message| self.fault(message);
        Ok(match self {
            Self::Plain => Box::new(packed),
            Self::Snappy => Box::new(SnappyReader::new(packed).map_err(|error| failed(error.to_string()))?),
            Self::Zstd => {
                let decoder = StreamingDecoder::new(packed).map_err(|error| failed(error.to_string()))?;
                Box::new(io::BufReader::new(decoder))
            }
            Self::Gzip => Box::new(io::BufReader::new(MultiGzDecoder::new(packed))),
            Self::Brotli => Box::new(io::BufReader::new(Decompressor::new(packed, 1 << 12))),
            Self::Lz4 | Self::Lz4Hadoop => {
                let packed = read_all(&mut packed).map_err(failed)?;
                let blocks = if self == Self::Lz4Hadoop { lz4_blocks(&packed) } else { None };
                let plain = blocks.map_or_else(|| lz4_block(&packed), Ok).map_err(failed)?;
                Box::new(io::Cursor::new(plain))
            }
        })
    }

    /// Appends the bytes of a page, decompressed, to `out`.
    pub(crate) fn decompress(self, mut packed: impl BufRead + Send, out: &mut Vec<u8>) -> Result<()> {
        // A page without values may have no bytes.
        if packed.fill_buf()?.is_empty() {
            return Ok(());
        }
        let plain = read_all(&mut self.open(packed)?).map_err(|message| self.fault(message))?;
        match out.is_empty() {
            true => *out = plain,
            false => out.extend(plain),
        }
        Ok(())
    }

    /// What is wrong with a page.
    pub(crate) fn fault(self, message: String) -> ParquetError {
        ParquetError::General(match self {
            Self::Plain => format!("a page: {message}"),
            _ => format!("a page compressed by {self}: {message}"),
        })
    }
}

impl std::fmt::Display for Codec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Plain => "nothing",
            Self::Snappy => "Snappy",
            Self::Zstd => "zstd",
            Self::Gzip => "gzip",
            Self::Brotli => "Brotli",
            Self::Lz4 | Self::Lz4Hadoop => "LZ4",
        })
    }
}

fn read_all(decoder: &mut impl Read) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    decoder.take(LARGEST_PAGE as u64 + 1).read_to_end(&mut bytes).map_err(|error| error.to_string())?;
    if bytes.len() > LARGEST_PAGE { Err(too_large()) } else { Ok(bytes) }
}

fn too_large() -> String {
    format!("expected at most {LARGEST_PAGE} bytes, got more")
}

/// Decompresses a block, which does not say how long it is.
fn lz4_block(packed: &[u8]) -> Result<Vec<u8>, String> {
    let mut room = packed.len().saturating_mul(4).max(1 << 12);
    loop {
        let mut bytes = vec![0; room.min(LARGEST_PAGE)];
        match decompress_into(packed, &mut bytes) {
            Ok(length) => {
                bytes.truncate(length);
                return Ok(bytes);
            }
            Err(DecompressError::OutputTooSmall { .. }) if room < LARGEST_PAGE => room = room.saturating_mul(4),
            Err(DecompressError::OutputTooSmall { .. }) => return Err(too_large()),
            Err(error) => return Err(error.to_string()),
        }
    }
}

/// Decompresses blocks, each after its sizes: plain and compressed, four bytes each, the highest first. `None` if they are something
/// else.
fn lz4_blocks(mut packed: &[u8]) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    while !packed.is_empty() {
        let (sizes, rest) = packed.split_at_checked(8)?;
        let [plain, compressed] = [&sizes[..4], &sizes[4..]]
            .map(|size| size.iter().fold(0_usize, |size, &byte| size << 8 | usize::from(byte)));
        let (block, rest) = rest.split_at_checked(compressed)?;
        // A byte of LZ4 becomes at most 255.
        if bytes.len() + plain > LARGEST_PAGE || plain / 255 > compressed {
            return None;
        }
        let start = bytes.len();
        bytes.resize(start + plain, 0);
        if decompress_into(block, &mut bytes[start..]).ok()? != plain {
            return None;
        }
        packed = rest;
    }
    Some(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A block of 26 letters, and their first four again.
    const BLOCK: &[u8] = b"\xf0\x0babcdefghijklmnopqrstuvwxyz\x1a\x00\x10.";

    #[test]
    fn blocks_of_lz4_are_found_with_their_sizes_and_without() {
        let plain = b"abcdefghijklmnopqrstuvwxyzabcd.";
        let sizes = [[0, 0, 0, plain.len() as u8], [0, 0, 0, BLOCK.len() as u8]].concat();
        let hadoop = [&sizes[..], BLOCK, &sizes, BLOCK].concat();
        let unpack = |codec: Codec, packed: &[u8]| {
            let mut plain = Vec::new();
            codec.decompress(packed, &mut plain).map(|()| plain)
        };
        assert_eq!(unpack(Codec::Lz4, BLOCK).unwrap(), &plain[..]);
        assert_eq!(unpack(Codec::Lz4Hadoop, BLOCK).unwrap(), &plain[..]);
        assert_eq!(unpack(Codec::Lz4Hadoop, &hadoop).unwrap(), [&plain[..], plain].concat());
        assert_eq!(unpack(Codec::Lz4, b"").unwrap(), b""[..]);
    }

    #[test]
    fn damage_is_an_error_and_takes_no_room() {
        // Sizes that claim 4 GB.
        let claims = [&[0xff; 4][..], &[0, 0, 0, BLOCK.len() as u8], BLOCK].concat();
        for codec in [Codec::Snappy, Codec::Zstd, Codec::Gzip, Codec::Brotli, Codec::Lz4, Codec::Lz4Hadoop] {
            for packed in [&BLOCK[..20], b"\x00\x01\x02", &claims[..], &[0xff; 100]] {
                let error = codec.decompress(packed, &mut Vec::new()).unwrap_err().to_string();
                assert!(error.contains(&format!("a page compressed by {codec}: ")), "{error}");
            }
        }
    }
}
