//! Pages of Parquet, before columns are read from them: their values are counted.

use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::column::reader::{ColumnReader, get_column_reader};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::{ColumnChunkMetaData, RowGroupMetaData};

use crate::FilePlaces;
use crate::column_pages::ColumnPages;

/// So many values are allowed in a column of a row group, however few bytes it has.
const MANY: u64 = 1 << 24;

/// More of them need a byte for each of so many values.
const SHARE: u64 = 1000;

/// Opens the column with this index in a row group of a file.
///
/// # Errors
/// If the directory makes no sense, or claims more than can be there; if nothing here decompresses the pages.
pub fn open_column(file: &FilePlaces, group: &RowGroupMetaData, index: usize) -> Result<ColumnReader> {
    let num_rows = usize::try_from(group.num_rows())?;
    let Some(column) = group.columns().get(index) else {
        return Err(ParquetError::General(format!("expected a column {index}, got {} columns", group.num_columns())));
    };
    check_size(column, file.length()).map_err(ParquetError::General)?;
    // The library takes them for positive.
    let starts = [Some(column.data_page_offset()), column.dictionary_page_offset(), Some(column.compressed_size())];
    if let Some(negative) = starts.into_iter().flatten().find(|number| *number < 0) {
        let message = format!("{}: expected a place of 0 or more, got {negative}", column.column_path());
        return Err(ParquetError::General(message));
    }
    let pages = Box::new(ColumnPages::open(file, column, num_rows)?);
    Ok(get_column_reader(column.column_descr_ptr(), Box::new(CountedPages::new(pages, column.num_values()))))
}

/// Whether there are far more values than there can be in so many bytes.
pub(crate) fn has_too_many(values: u64, bytes: u64) -> bool {
    values > MANY && values / SHARE > bytes
}

/// Refuses a column that claims far more values than its bytes can reasonably have: a few bytes may repeat one value as
/// often as they like. A column has no more bytes than the file, which has `length`.
fn check_size(column: &ColumnChunkMetaData, length: u64) -> Result<(), String> {
    let [values, bytes] = [column.num_values(), column.compressed_size()].map(|size| size.max(0).unsigned_abs());
    let bytes = bytes.min(length);
    match has_too_many(values, bytes) {
        true => Err(format!("{}: expected no {values} values in {bytes} bytes", column.column_path().string())),
        false => Ok(()),
    }
}

/// The pages of a column, which may have as many values as the directory says, whatever their headers say: the directory
/// was checked, and a row is read whole.
struct CountedPages {
    inner: Box<dyn PageReader>,
    /// Values that may follow.
    left: u64,
}

impl CountedPages {
    /// The pages of a column with so many values.
    fn new(inner: Box<dyn PageReader>, num_values: i64) -> Self {
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
    use std::sync::Arc;

    use bytes::Bytes;
    use parquet::basic::Encoding;
    use parquet::schema::parser::parse_message_type;
    use parquet::schema::types::SchemaDescriptor;

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

    #[test]
    fn few_bytes_may_not_claim_millions_of_values() {
        let column = |values: i64, bytes: i64| {
            let schema = parse_message_type("message m { required float value; }").unwrap();
            let schema = SchemaDescriptor::new(Arc::new(schema));
            let column = ColumnChunkMetaData::builder(schema.column(0));
            column.set_num_values(values).set_total_compressed_size(bytes).build().unwrap()
        };
        assert!(check_size(&column(10_000_000, 700), 1000).is_ok());
        assert!(check_size(&column(100_000_000, 400_000_000), 500_000_000).is_ok());
        assert_eq!(
            check_size(&column(100_000_000, 700), 1000).unwrap_err(),
            "value: expected no 100000000 values in 700 bytes"
        );
        assert_eq!(
            check_size(&column(100_000_000, 400_000_000), 1000).unwrap_err(),
            "value: expected no 100000000 values in 1000 bytes"
        );
    }
}
