//! Pages of Parquet, before columns are read from them: their values are counted, and those of zstd are decompressed.
//!
//! The crate `parquet` decompresses zstd with a library in C. Here it delivers such pages as they are, and they are
//! decompressed in Rust.

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

/// The pages of a column, which may have as many values as the directory says, whatever their headers say: the directory
/// was checked, and a row is read whole.
pub(crate) struct CountedPages {
    inner: Box<dyn PageReader>,
    /// Values that may follow.
    left: u64,
}

impl CountedPages {
    /// The pages of a column with so many values.
    pub(crate) fn new(inner: Box<dyn PageReader>, num_values: i64) -> Self {
        Self { inner, left: num_values.max(0).unsigned_abs() }
    }
}

impl Iterator for CountedPages {
    type Item = Result<Page, ParquetError>;

    fn next(&mut self) -> Option<Result<Page>> {
        self.get_next_page().transpose()
    }
}

impl PageReader for CountedPages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        let page = self.inner.get_next_page()?;
        if let Some(page @ (Page::DataPage { .. } | Page::DataPageV2 { .. })) = &page {
            let left = self.left.checked_sub(page.num_values().into());
            self.left = left.ok_or_else(|| {
                let message =
                    format!("expected at most {} more values in a page, got {}", self.left, page.num_values());
                ParquetError::General(message)
            })?;
        }
        Ok(page)
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        self.inner.peek_next_page()
    }

    fn skip_next_page(&mut self) -> Result<()> {
        self.inner.skip_next_page()
    }

    fn at_record_boundary(&mut self) -> Result<bool> {
        self.inner.at_record_boundary()
    }
}

#[cfg(test)]
mod tests {
    use parquet::basic::Encoding;

    use super::*;

    /// Pages of three values.
    struct Threes;

    impl Iterator for Threes {
        type Item = Result<Page>;

        fn next(&mut self) -> Option<Result<Page>> {
            self.get_next_page().transpose()
        }
    }

    impl PageReader for Threes {
        fn get_next_page(&mut self) -> Result<Option<Page>> {
            let (encoding, buf) = (Encoding::PLAIN, Bytes::from_static(&[0; 12]));
            let [def_level_encoding, rep_level_encoding] = [Encoding::RLE; 2];
            let page = Page::DataPage {
                buf,
                num_values: 3,
                encoding,
                def_level_encoding,
                rep_level_encoding,
                statistics: None,
            };
            Ok(Some(page))
        }

        fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
            Ok(None)
        }

        fn skip_next_page(&mut self) -> Result<()> {
            Ok(())
        }

        fn at_record_boundary(&mut self) -> Result<bool> {
            Ok(true)
        }
    }

    #[test]
    fn pages_have_no_more_values_than_the_directory_says() {
        let mut pages = CountedPages::new(Box::new(Threes), 7);
        assert!(pages.get_next_page().is_ok() && pages.get_next_page().is_ok());
        let said = pages.get_next_page().err().map(|error| error.to_string()).unwrap_or_default();
        assert!(said.contains("expected at most 1 more values in a page, got 3"), "{said}");
        assert!(CountedPages::new(Box::new(Threes), -1).get_next_page().is_err());
    }
}
