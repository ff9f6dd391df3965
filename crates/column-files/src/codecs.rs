//! Pages of Parquet that are compressed.
//!
//! The crate `parquet` decompresses zstd with a library in C, and its other features compress, too. Here it delivers pages as they
//! are, and they are decompressed in Rust. Only Snappy is left to it.

use std::io::Read;
use std::sync::Arc;

use bytes::Bytes;
use flate2::read::MultiGzDecoder;
use lz4_flex::block::{DecompressError, decompress_into};
use parquet::basic::Compression;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::serialized_reader::SerializedPageReader;
use ruzstd::decoding::StreamingDecoder;

use crate::FilePlaces;

/// Bytes of the largest page. Programs write pages of 1 MB.
const LARGEST_PAGE: usize = 1 << 28;

/// What compresses pages.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Codec {
    Zstd,
    Gzip,
    Brotli,
    /// A block of LZ4.
    Lz4,
    /// Blocks of LZ4 with their sizes before them, as Hadoop has them; older programs have a block alone.
    Lz4Hadoop,
}

/// The pages of a column in a row group, decompressed.
pub(crate) struct PackedPages(SerializedPageReader<FilePlaces>, Codec);

impl PackedPages {
    /// The pages of a column; `None` if they are plain, or the crate decompresses them.
    ///
    /// # Errors
    /// If nothing here decompresses them.
    pub(crate) fn open(file: &FilePlaces, column: &ColumnChunkMetaData, num_rows: usize) -> Result<Option<Self>> {
        let codec = match column.compression() {
            Compression::UNCOMPRESSED | Compression::SNAPPY => return Ok(None),
            Compression::ZSTD(_) => Codec::Zstd,
            Compression::GZIP(_) => Codec::Gzip,
            Compression::BROTLI(_) => Codec::Brotli,
            Compression::LZ4_RAW => Codec::Lz4,
            Compression::LZ4 => Codec::Lz4Hadoop,
            other => {
                let message = format!(
                    "{}: expected pages that are plain, or compressed by Snappy, zstd, gzip, Brotli or LZ4, got {other}",
                    column.column_path()
                );
                return Err(ParquetError::General(message));
            }
        };
        let plain = column.clone().into_builder().set_compression(Compression::UNCOMPRESSED).build()?;
        Ok(Some(Self(SerializedPageReader::new(Arc::new(file.clone()), &plain, num_rows, None)?, codec)))
    }
}

impl Codec {
    /// Decompresses what follows the first `start` bytes.
    fn decompress(self, page: &Bytes, start: usize) -> Result<Bytes> {
        let fault = |message: String| ParquetError::General(format!("a page compressed by {self}: {message}"));
        let (before, packed) = page.split_at_checked(start).ok_or_else(|| fault("it is cut".to_owned()))?;
        let mut bytes = before.to_vec();
        // A page without values may have no bytes.
        if !packed.is_empty() {
            let unpacked = match self {
                Self::Zstd => {
                    let decoder = StreamingDecoder::new(packed).map_err(|error| fault(error.to_string()))?;
                    read_all(decoder)
                }
                Self::Gzip => read_all(MultiGzDecoder::new(packed)),
                Self::Brotli => read_all(brotli_decompressor::Decompressor::new(packed, 1 << 12)),
                Self::Lz4 => lz4_block(packed),
                Self::Lz4Hadoop => match lz4_blocks(packed) {
                    Some(unpacked) => Ok(unpacked),
                    None => lz4_block(packed),
                },
            };
            bytes.extend(unpacked.map_err(fault)?);
        }
        Ok(bytes.into())
    }
}

impl std::fmt::Display for Codec {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Zstd => "zstd",
            Self::Gzip => "gzip",
            Self::Brotli => "Brotli",
            Self::Lz4 | Self::Lz4Hadoop => "LZ4",
        })
    }
}

fn read_all(decoder: impl Read) -> Result<Vec<u8>, String> {
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

impl Iterator for PackedPages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Result<Page>> {
        self.get_next_page().transpose()
    }
}

impl PageReader for PackedPages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let Some(mut page) = self.0.get_next_page()? else { return Ok(None) };
        match &mut page {
            Page::DataPage { buf, .. } | Page::DictionaryPage { buf, .. } => *buf = self.1.decompress(buf, 0)?,
            Page::DataPageV2 { buf, def_levels_byte_len, rep_levels_byte_len, is_compressed, .. } => {
                if *is_compressed {
                    let levels = u64::from(*def_levels_byte_len) + u64::from(*rep_levels_byte_len);
                    *buf = self.1.decompress(buf, usize::try_from(levels)?)?;
                    *is_compressed = false;
                }
            }
        }
        Ok(Some(page))
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.0.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.0.skip_next_page()
    }

    fn at_record_boundary(&mut self) -> Result<bool> {
        self.0.at_record_boundary()
    }
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
        let unpack = |codec: Codec, packed: &[u8]| codec.decompress(&Bytes::copy_from_slice(packed), 0);
        assert_eq!(unpack(Codec::Lz4, BLOCK).unwrap(), &plain[..]);
        assert_eq!(unpack(Codec::Lz4Hadoop, BLOCK).unwrap(), &plain[..]);
        assert_eq!(unpack(Codec::Lz4Hadoop, &hadoop).unwrap(), [&plain[..], plain].concat());
        assert_eq!(unpack(Codec::Lz4, b"").unwrap(), b""[..]);
    }

    #[test]
    fn damage_is_an_error_and_takes_no_room() {
        // Sizes that claim 4 GB.
        let claims = [&[0xff; 4][..], &[0, 0, 0, BLOCK.len() as u8], BLOCK].concat();
        for codec in [Codec::Zstd, Codec::Gzip, Codec::Brotli, Codec::Lz4, Codec::Lz4Hadoop] {
            for packed in [&BLOCK[..20], b"\x00\x01\x02", &claims, &[0xff; 100]] {
                let error = codec.decompress(&Bytes::copy_from_slice(packed), 0).unwrap_err().to_string();
                assert!(error.contains(&format!("a page compressed by {codec}: ")), "{error}");
            }
            assert!(codec.decompress(&Bytes::from_static(b"x"), 2).is_err());
        }
    }
}
