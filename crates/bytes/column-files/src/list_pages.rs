//! Columns of lists of numbers, whose pages are written from where the numbers are.
//!
//! The library looks at the levels of every number, which takes more time than to write it. A page has these levels as runs: a
//! list starts with a repetition level of 0, and its other numbers have 1; definition levels are 1, or 0 for an empty list.
//! Header, levels and numbers of a page follow one another. The formats are those of Parquet (`parquet.thrift`,
//! `Encodings.md`).

use std::collections::VecDeque;
use std::io::{self, Read, Write};

use bytes::Bytes;
use kaldi_io::Encoded;
use parquet::basic::{Encoding, EncodingMask, PageType, Type};
use parquet::column::writer::ColumnCloseResult;
use parquet::errors::ParquetError;
use parquet::file::metadata::{ColumnChunkMetaData, OffsetIndexBuilder, PageEncodingStats};
use parquet::file::reader::{ChunkReader, Length};
use parquet::file::writer::SerializedRowGroupWriter;
use parquet::schema::types::ColumnDescPtr;

use crate::write::other_type;

/// Bytes of numbers, and lists, in a page. A list is in one page, however long it is.
const PAGE_BYTES: usize = 1 << 20;
const PAGE_LISTS: usize = 20_000;

/// A column of a row group.
pub(crate) struct ListColumn<'a> {
    pages: Vec<Page<'a>>,
}

struct Page<'a> {
    /// Header and levels.
    head: Vec<u8>,
    lists: &'a [&'a Encoded],
    num_levels: usize,
    num_bytes: usize,
}

impl<'a> ListColumn<'a> {
    /// Lists of numbers whose little-endian bytes are those of the column's type. The lists and the numbers are required.
    pub(crate) fn new(mut lists: &'a [&'a Encoded], descr: &ColumnDescPtr) -> Result<Self, ParquetError> {
        let width = match descr.physical_type() {
            Type::FLOAT | Type::INT32 => 4,
            Type::DOUBLE | Type::INT64 => 8,
            Type::FIXED_LEN_BYTE_ARRAY => descr.type_length().max(1) as usize,
            _ => 0,
        };
        let has_lists = (descr.max_def_level(), descr.max_rep_level()) == (1, 1) && !descr.self_type().is_optional();
        if !has_lists || width == 0 || lists.iter().any(|list| list.len() % width != 0) {
            return Err(other_type());
        }
        let mut pages = Vec::new();
        while !lists.is_empty() {
            let mut num_bytes = 0;
            let is_full = |list: &&Encoded| {
                num_bytes += list.len();
                num_bytes >= PAGE_BYTES
            };
            let count = lists.iter().take(PAGE_LISTS).position(is_full).map_or(PAGE_LISTS, |last| last + 1);
            let (page, rest) = lists.split_at(count.min(lists.len()));
            pages.push(Page::new(page, width)?);
            lists = rest;
        }
        Ok(Self { pages })
    }

    fn pieces(&self) -> Pieces<'_> {
        Pieces(self.pages.iter().flat_map(Page::pieces).collect())
    }

    /// Appends the column to a row group.
    pub(crate) fn append_to<W: Write + Send>(
        &self,
        group: &mut SerializedRowGroupWriter<'_, W>,
        descr: ColumnDescPtr,
    ) -> Result<(), ParquetError> {
        let mut offsets = OffsetIndexBuilder::new();
        let (mut at, mut num_levels, mut num_lists) = (0, 0, 0);
        for page in &self.pages {
            offsets.append_row_count(page.lists.len() as i64);
            offsets.append_offset_and_size(at, page.num_bytes as i32);
            at += page.num_bytes as i64;
            num_levels += page.num_levels as i64;
            num_lists += page.lists.len() as u64;
        }
        let (page_type, encoding, count) = (PageType::DATA_PAGE, Encoding::PLAIN, self.pages.len() as i32);
        let metadata = ColumnChunkMetaData::builder(descr)
            .set_encodings_mask(EncodingMask::new_from_encodings([encoding, Encoding::RLE].iter()))
            .set_page_encoding_stats(vec![PageEncodingStats { page_type, encoding, count }])
            .set_total_compressed_size(at)
            .set_total_uncompressed_size(at)
            .set_num_values(num_levels)
            .set_data_page_offset(0)
            .build()?;
        let close = ColumnCloseResult {
            bytes_written: at as u64,
            rows_written: num_lists,
            metadata,
            bloom_filter: None,
            column_index: None,
            offset_index: Some(offsets.build()),
        };
        group.append_column(&self.pieces(), close)
    }
}

impl<'a> Page<'a> {
    fn pieces(&self) -> impl Iterator<Item = &[u8]> {
        std::iter::once(self.head.as_slice()).chain(self.lists.iter().flat_map(|list| list.slices()))
    }

    fn new(lists: &'a [&'a Encoded], width: usize) -> Result<Self, ParquetError> {
        let counts = || lists.iter().map(|list| list.len() / width);
        let repetitions = runs(counts().flat_map(|count| [(0, 1), (1, count.saturating_sub(1))]));
        let definitions = runs(counts().map(|count| (count.min(1) as u8, count.max(1))));
        let num_levels: usize = counts().map(|count| count.max(1)).sum();
        let num_bytes = lists.iter().map(|list| list.len()).sum::<usize>();
        let size = repetitions.len() + definitions.len() + num_bytes;
        if i32::try_from(size + 64).is_err() {
            return Err(ParquetError::General(format!("a page of {size} bytes is larger than Parquet allows")));
        }
        let head = [header(size, num_levels), repetitions, definitions].concat();
        Ok(Self { num_bytes: head.len() + num_bytes, head, lists, num_levels })
    }
}

/// The header of a data page: a struct in Thrift's compact protocol.
fn header(size: usize, num_levels: usize) -> Vec<u8> {
    const NEXT_INTEGER: u8 = 0x15;
    const STRUCT_AFTER_NEXT: u8 = 0x2c;
    const END: u8 = 0;
    let mut bytes = Vec::new();
    let mut put = |numbers: &[usize], end: &[u8]| {
        for number in numbers {
            bytes.push(NEXT_INTEGER);
            put_doubled(&mut bytes, *number);
        }
        bytes.extend_from_slice(end);
    };
    // A data page, its uncompressed and its compressed size.
    put(&[PageType::DATA_PAGE as usize, size, size], &[STRUCT_AFTER_NEXT]);
    put(&[num_levels, Encoding::PLAIN as usize, Encoding::RLE as usize, Encoding::RLE as usize], &[END, END]);
    bytes
}

/// The length of runs of levels, and the runs: twice the number of levels, and the level.
fn runs(levels: impl Iterator<Item = (u8, usize)>) -> Vec<u8> {
    let mut bytes = vec![0; 4];
    let mut last = (0, 0);
    let mut put = |(level, count)| {
        if count > 0 {
            put_doubled(&mut bytes, count);
            bytes.push(level);
        }
    };
    for (level, count) in levels.filter(|(_, count)| *count > 0) {
        if level == last.0 {
            last.1 += count;
        } else {
            put(std::mem::replace(&mut last, (level, count)));
        }
    }
    put(last);
    let length = (bytes.len() - 4) as u32;
    bytes[..4].copy_from_slice(&length.to_le_bytes());
    bytes
}

/// Twice a number, seven bits to a byte, the low ones first.
fn put_doubled(bytes: &mut Vec<u8>, number: usize) {
    let mut left = (number as u64) << 1;
    while left >= 0x80 {
        bytes.push(left as u8 | 0x80);
        left >>= 7;
    }
    bytes.push(left as u8);
}

/// The bytes of a column, piece after piece.
#[derive(Clone)]
struct Pieces<'a>(VecDeque<&'a [u8]>);

impl Read for Pieces<'_> {
    fn read(&mut self, out: &mut [u8]) -> io::Result<usize> {
        while self.0.front().is_some_and(|piece| piece.is_empty()) {
            self.0.pop_front();
        }
        self.0.front_mut().map_or(Ok(0), |piece| piece.read(out))
    }
}

impl Length for Pieces<'_> {
    fn len(&self) -> u64 {
        self.0.iter().map(|piece| piece.len() as u64).sum()
    }
}

impl<'a> ChunkReader for Pieces<'a> {
    type T = Self;

    fn get_read(&self, start: u64) -> Result<Self, ParquetError> {
        let mut left = self.clone();
        io::copy(&mut left.by_ref().take(start), &mut io::sink())?;
        Ok(left)
    }

    fn get_bytes(&self, start: u64, length: usize) -> Result<Bytes, ParquetError> {
        let mut bytes = vec![0; length];
        self.get_read(start)?.read_exact(&mut bytes)?;
        Ok(bytes.into())
    }
}
