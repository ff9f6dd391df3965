//! Pages of Parquet that are compressed by zstd.
//!
//! The crate `parquet` decompresses them with a library in C. Here it delivers them as they are, and they are decompressed in
//! Rust before columns are read from them.

use std::io::Read;
use std::sync::Arc;

use bytes::Bytes;
use parquet::basic::Compression;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::serialized_reader::SerializedPageReader;
use ruzstd::decoding::StreamingDecoder;

use crate::stream::Places;

/// Bytes of the largest page. Programs write pages of 1 MB.
const LARGEST_PAGE: u64 = 1 << 28;

/// The pages of a column in a row group, decompressed.
pub(crate) struct ZstdPages(SerializedPageReader<Places>);

impl ZstdPages {
    /// The pages of a column if zstd compresses them; `None` for another compression.
    pub(crate) fn open(file: &Places, column: &ColumnChunkMetaData, num_rows: usize) -> Result<Option<Self>> {
        if !matches!(column.compression(), Compression::ZSTD(_)) {
            return Ok(None);
        }
        let plain = column.clone().into_builder().set_compression(Compression::UNCOMPRESSED).build()?;
        Ok(Some(Self(SerializedPageReader::new(Arc::new(file.clone()), &plain, num_rows, None)?)))
    }
}

/// Decompresses what follows the first `start` bytes.
fn decompress(page: &Bytes, start: usize) -> Result<Bytes> {
    let fault = |error: &dyn std::fmt::Display| ParquetError::General(format!("a page compressed by zstd: {error}"));
    let (before, compressed) = page.split_at_checked(start).ok_or_else(|| fault(&"it is cut"))?;
    let mut bytes = before.to_vec();
    // A page without values has no bytes.
    if !compressed.is_empty() {
        let decoder = StreamingDecoder::new(compressed).map_err(|error| fault(&error))?;
        let length = decoder.take(LARGEST_PAGE + 1).read_to_end(&mut bytes).map_err(|error| fault(&error))?;
        if length as u64 > LARGEST_PAGE {
            return Err(fault(&format!("expected at most {LARGEST_PAGE} bytes, got more")));
        }
    }
    Ok(bytes.into())
}

impl Iterator for ZstdPages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Result<Page>> {
        self.get_next_page().transpose()
    }
}

impl PageReader for ZstdPages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let Some(mut page) = self.0.get_next_page()? else { return Ok(None) };
        match &mut page {
            Page::DataPage { buf, .. } | Page::DictionaryPage { buf, .. } => *buf = decompress(buf, 0)?,
            Page::DataPageV2 { buf, def_levels_byte_len, rep_levels_byte_len, is_compressed, .. } => {
                if *is_compressed {
                    *buf = decompress(buf, (*def_levels_byte_len + *rep_levels_byte_len) as usize)?;
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
