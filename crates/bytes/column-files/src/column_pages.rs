//! The pages of a column in a row group, decompressed; long ones come in pieces.
//!
//! The crate `parquet` reads a page as a whole. Programs cut pages only after a thousand values, so a page of sound can have
//! hundreds of megabytes.

use std::io::BufReader;
use std::ops::Range;
use std::sync::Arc;

use bytes::Bytes;
use kaldi_io::sync::Mutex;
use parquet::basic::Type as PhysicalType;
use parquet::column::page::{Page, PageMetadata, PageReader};
use parquet::errors::{ParquetError, Result};
use parquet::file::metadata::ColumnChunkMetaData;
use parquet::file::reader::{ChunkReader, Length};
use parquet::file::serialized_reader::SerializedPageReader;

use crate::FilePlaces;
use crate::checksum::{Checked, HeadOf, PageHead, check_bytes};
use crate::codecs::Codec;
use crate::dictionary::Dictionary;
use crate::page_pieces::Pieces;

/// Longer pages come in pieces, if that is possible.
const LONG: usize = 1 << 22;

/// The average length of values as they are stored from which on a long dictionary is not kept in memory.
const LARGE: u64 = 1 << 9;

/// The pages of a column in a row group.
pub(crate) struct ColumnPages {
    /// Delivers pages as they are, and long ones without their bytes.
    pages: SerializedPageReader<PagePlaces>,
    places: PagePlaces,
    codec: Codec,
    /// The level of definition of a value.
    value_level: i16,
    /// What is left of a long page.
    pieces: Option<Pieces>,
    /// A dictionary of large values, which is not in memory.
    dictionary: Option<Arc<Dictionary>>,
}

impl ColumnPages {
    /// The pages of a column.
    ///
    /// # Errors
    /// If nothing here decompresses them.
    pub(crate) fn open(file: &FilePlaces, column: &ColumnChunkMetaData, num_rows: usize) -> Result<Self> {
        let codec = Codec::of(column)?;
        let descriptor = column.column_descr();
        let has_pieces = codec.is_stream()
            && descriptor.max_rep_level() == 0
            && descriptor.physical_type() == PhysicalType::BYTE_ARRAY;
        let longest = if has_pieces { LONG } else { usize::MAX };
        let places = PagePlaces { file: file.clone(), longest, head: PageHead::default(), left: Arc::default() };
        let as_it_is = column.clone().into_builder().set_compression(parquet::basic::Compression::UNCOMPRESSED);
        let pages = SerializedPageReader::new(Arc::new(places.clone()), &as_it_is.build()?, num_rows, None)?;
        Ok(Self { pages, places, codec, value_level: descriptor.max_def_level(), pieces: None, dictionary: None })
    }

    /// Reads a long page, whose bytes are at a place: its first piece, or the whole page if that is impossible.
    fn long_page(&mut self, mut page: Page, place: LongPage) -> Result<Option<Page>> {
        let source = self.places.section(&place);
        let dictionary = self.dictionary.as_ref();
        if !matches!(page, Page::DictionaryPage { .. })
            && let Some(pieces) = Pieces::open(&page, source, self.codec, self.value_level, dictionary)?
        {
            return self.pieces.insert(pieces).next_piece();
        }
        match &mut page {
            Page::DictionaryPage { num_values, buf, .. }
                if place.bytes.end - place.bytes.start >= LARGE * u64::from(*num_values) =>
            {
                let values = self.codec.open(self.places.section(&place))?;
                let dictionary = Dictionary::read(values, *num_values).map_err(|message| self.codec.fault(message))?;
                self.dictionary = Some(Arc::new(dictionary));
                // For the crate it is empty.
                (*buf, *num_values) = (Bytes::new(), 0);
            }
            Page::DictionaryPage { buf, .. } if self.codec != Codec::Plain => {
                let mut plain = Vec::new();
                self.codec.decompress(self.places.section(&place), &mut plain)?;
                *buf = plain.into();
            }
            Page::DictionaryPage { buf, .. } | Page::DataPage { buf, .. } | Page::DataPageV2 { buf, .. } => {
                let LongPage { bytes, checksum } = place;
                *buf = self.places.file.get_bytes(bytes.start, usize::try_from(bytes.end - bytes.start)?)?;
                check_bytes(buf, checksum)?;
            }
        }
        match page {
            Page::DictionaryPage { .. } => Ok(Some(page)),
            _ => self.unpacked(page).map(Some),
        }
    }

    /// A page whose bytes are there, decompressed.
    fn unpacked(&self, mut page: Page) -> Result<Page> {
        if self.codec == Codec::Plain {
            return Ok(page);
        }
        let (buf, levels) = match &mut page {
            Page::DataPage { buf, .. } | Page::DictionaryPage { buf, .. } => (buf, 0),
            Page::DataPageV2 { is_compressed: false, .. } => return Ok(page),
            Page::DataPageV2 { buf, def_levels_byte_len, rep_levels_byte_len, is_compressed, .. } => {
                *is_compressed = false;
                (buf, u64::from(*def_levels_byte_len) + u64::from(*rep_levels_byte_len))
            }
        };
        let parts = buf.split_at_checked(usize::try_from(levels)?);
        let (levels, packed) = parts.ok_or_else(|| self.codec.fault("it is cut".to_owned()))?;
        let mut plain = levels.to_vec();
        self.codec.decompress(packed, &mut plain)?;
        *buf = plain.into();
        Ok(page)
    }
}

impl Iterator for ColumnPages {
    type Item = Result<Page>;

    fn next(&mut self) -> Option<Result<Page>> {
        self.get_next_page().transpose()
    }
}

impl PageReader for ColumnPages {
    fn get_next_page(&mut self) -> Result<Option<Page>> {
        loop {
            if let Some(pieces) = &mut self.pieces {
                if let Some(piece) = pieces.next_piece()? {
                    return Ok(Some(piece));
                }
                self.pieces = None;
            }
            let Some(page) = self.pages.get_next_page()? else { return Ok(None) };
            match self.places.take() {
                None => {
                    let page = self.unpacked(page)?;
                    let named = match &self.dictionary {
                        Some(dictionary) if !matches!(page, Page::DictionaryPage { .. }) => {
                            let bytes = std::io::Cursor::new(page.buffer().clone());
                            Pieces::open(&page, bytes, Codec::Plain, self.value_level, Some(dictionary))?
                        }
                        _ => None,
                    };
                    match named {
                        None => return Ok(Some(page)),
                        named => self.pieces = named,
                    }
                }
                Some(place) => {
                    if let Some(page) = self.long_page(page, place)? {
                        return Ok(Some(page));
                    }
                }
            }
        }
    }

    fn peek_next_page(&mut self) -> Result<Option<PageMetadata>> {
        match self.pieces.as_ref().map(Pieces::num_left) {
            Some(left @ 1..) => Ok(Some(PageMetadata { num_rows: Some(left), num_levels: Some(left), is_dict: false })),
            _ => self.pages.peek_next_page(),
        }
    }

    fn skip_next_page(&mut self) -> Result<()> {
        match self.pieces.take().is_some_and(|pieces| pieces.num_left() > 0) {
            true => Ok(()),
            false => self.pages.skip_next_page(),
        }
    }

    fn at_record_boundary(&mut self) -> Result<bool> {
        self.pages.at_record_boundary()
    }
}

/// The bytes of a file. Those of long pages are left where they are.
#[derive(Clone)]
struct PagePlaces {
    file: FilePlaces,
    longest: usize,
    /// The start of the header that was read last.
    head: PageHead,
    left: Arc<Mutex<Option<LongPage>>>,
}

/// A page whose bytes were left.
struct LongPage {
    /// Where they are.
    bytes: Range<u64>,
    /// The checksum that the header says.
    checksum: Option<u32>,
}

impl PagePlaces {
    /// The page that was left last.
    fn take(&self) -> Option<LongPage> {
        self.left.lock().take()
    }

    /// The bytes of a page, as a stream.
    fn section(&self, page: &LongPage) -> Checked<BufReader<FilePlaces>> {
        let file = BufReader::with_capacity(1 << 16, self.file.starting_at(page.bytes.start));
        Checked::new(file, page.bytes.end - page.bytes.start, page.checksum)
    }
}

impl Length for PagePlaces {
    fn len(&self) -> u64 {
        self.file.length()
    }
}

impl ChunkReader for PagePlaces {
    type T = HeadOf<BufReader<FilePlaces>>;

    /// Headers of pages are read so.
    fn get_read(&self, start: u64) -> Result<Self::T> {
        Ok(self.head.of(self.file.get_read(start)?))
    }

    /// Pages are read so, each after its header.
    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes> {
        let checksum = self.head.checksum();
        if length <= self.longest {
            let bytes = self.file.get_bytes(start, length)?;
            check_bytes(&bytes, checksum)?;
            return Ok(bytes);
        }
        let end = start.checked_add(length as u64).filter(|end| *end <= self.file.length());
        let end = end.ok_or_else(|| {
            let length = self.file.length();
            ParquetError::General(format!(
                "expected a page from {start} on in a file of {length} bytes, got a longer one"
            ))
        })?;
        let page = LongPage { bytes: start..end, checksum };
        *self.left.lock() = Some(page);
        Ok(Bytes::new())
    }
}
