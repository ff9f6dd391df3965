//! Pages of Parquet, before columns are read from them: their values are counted.

use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};

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
    use bytes::Bytes;
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
