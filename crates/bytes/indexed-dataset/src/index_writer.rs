//! Writing an index whose counts are known, in any order of its arrays.

use std::fs::File;
use std::io::{self, Seek, SeekFrom};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::PathBuf;

use kaldi_io::{FileEnd, PartError, ReservedBlocks};

use crate::layout::Layout;
use crate::{DatasetFault, Error, Result, TokenType};

/// The number of bytes of an array that are gathered before they are written.
const BUFFER: usize = ReservedBlocks::BLOCK;

/// An array in a file, written from its start.
#[derive(Debug)]
pub(crate) struct Region {
    /// The place of the next byte that is gathered.
    at: u64,
    buffer: Vec<u8>,
}

impl Region {
    pub(crate) fn new(at: u64) -> Self {
        Self { at, buffer: Vec::new() }
    }

    pub(crate) fn put(&mut self, file: &File, bytes: &[u8]) -> io::Result<()> {
        self.buffer.extend_from_slice(bytes);
        if self.buffer.len() < BUFFER {
            return Ok(());
        }
        // The kernel is faster with blocks that start at multiples of their size.
        let rest = (self.end() % BUFFER as u64) as usize;
        self.write(file, self.buffer.len() - rest)
    }

    pub(crate) fn flush(&mut self, file: &File) -> io::Result<()> {
        self.write(file, self.buffer.len())
    }

    /// Writes the first bytes that are gathered.
    fn write(&mut self, file: &File, count: usize) -> io::Result<()> {
        file.write_all_at(&self.buffer[..count], self.at)?;
        self.at += count as u64;
        self.buffer.drain(..count);
        Ok(())
    }

    /// Appends a part of another file.
    ///
    /// # Errors
    /// If it cannot be read or written.
    pub(crate) fn append(
        &mut self,
        mut file: &File,
        room: &mut ReservedBlocks,
        source: &File,
        range: Range<u64>,
    ) -> Result<(), PartError> {
        file.seek(SeekFrom::Start(self.at)).map_err(PartError::Write)?;
        let position = self.end();
        let end = position + (range.end - range.start);
        FileEnd { file, gathered: &mut self.buffer, position, room }.append(source, range)?;
        self.at = end - self.buffer.len() as u64;
        Ok(())
    }

    /// The place of the next byte.
    pub(crate) fn end(&self) -> u64 {
        self.at + self.buffer.len() as u64
    }
}

/// An index that is being written.
#[derive(Debug)]
pub(crate) struct IndexWriter<'a> {
    file: &'a File,
    path: PathBuf,
    layout: Layout,
    token_size: u64,
    sizes: Region,
    pointers: Region,
    bounds: Region,
    modes: Region,
    /// The start of the next sequence in the `.bin`.
    pointer: u64,
    /// The number of sequences whose documents are known.
    bound: u64,
}

impl<'a> IndexWriter<'a> {
    /// `path` is for messages.
    pub(crate) fn new(file: &'a File, path: PathBuf, layout: Layout, token_type: TokenType) -> Result<Self> {
        if layout.length().is_none_or(|length| i64::try_from(length).is_err()) {
            return Err(Error::Request(format!("{} sequences are more than an index can have", layout.num_sequences)));
        }
        file.write_all_at(&layout.header(), 0).map_err(Error::write(&path))?;
        let [sizes, pointers, bounds, modes] =
            [layout.sizes_at(), layout.pointers_at(), layout.bounds_at(), layout.modes_at()].map(Region::new);
        let token_size = token_type.size();
        let mut writer = Self { file, path, layout, token_size, sizes, pointers, bounds, modes, pointer: 0, bound: 0 };
        if layout.num_bounds.is_some() {
            writer.put(|writer| &mut writer.bounds, &[0; 8])?;
        }
        Ok(writer)
    }

    /// Keeps the sizes that are in the file already.
    pub(crate) fn with_sizes_there(mut self) -> Self {
        self.sizes = Region::new(self.layout.pointers_at());
        self
    }

    fn put(&mut self, region: fn(&mut Self) -> &mut Region, bytes: &[u8]) -> Result<()> {
        let file = self.file;
        region(self).put(file, bytes).map_err(Error::write(&self.path))
    }

    /// Appends sequences.
    pub(crate) fn put_sizes(&mut self, sizes: &[i32]) -> Result<()> {
        let bytes: Vec<[u8; 4]> = sizes.iter().map(|size| size.to_le_bytes()).collect();
        self.put(|writer| &mut writer.sizes, bytes.as_flattened())?;
        self.put_pointers(sizes)
    }

    /// Appends the pointers of sequences.
    pub(crate) fn put_pointers(&mut self, sizes: &[i32]) -> Result<()> {
        let mut bytes = Vec::with_capacity(sizes.len());
        for size in sizes {
            bytes.push(self.pointer.to_le_bytes());
            // Callers compare the sum with the length of the .bin.
            self.pointer = self.pointer.saturating_add(u64::try_from(*size).unwrap_or(0) * self.token_size);
        }
        self.put(|writer| &mut writer.pointers, bytes.as_flattened())
    }

    /// Appends documents with these numbers of sequences.
    pub(crate) fn put_documents(&mut self, counts: impl Iterator<Item = u64>) -> Result<()> {
        if self.layout.num_bounds.is_none() {
            return Ok(());
        }
        let mut bytes = Vec::new();
        for count in counts {
            self.bound += count;
            bytes.extend_from_slice(&self.bound.to_le_bytes());
            if bytes.len() >= BUFFER {
                self.put(|writer| &mut writer.bounds, &bytes)?;
                bytes.clear();
            }
        }
        self.put(|writer| &mut writer.bounds, &bytes)
    }

    /// Appends modes.
    pub(crate) fn put_modes(&mut self, modes: &[i8]) -> Result<()> {
        let bytes: Vec<u8> = modes.iter().flat_map(|mode| mode.to_le_bytes()).collect();
        self.put(|writer| &mut writer.modes, &bytes)
    }

    /// Writes the rest, and checks that everything that was announced has come. Returns the length of the `.bin`.
    pub(crate) fn finish(mut self) -> Result<u64> {
        let ends = [self.layout.pointers_at(), self.layout.bounds_at(), self.layout.modes_at()];
        let length = self.layout.length().unwrap_or(0);
        let file = self.file;
        let regions = [&mut self.sizes, &mut self.pointers, &mut self.bounds, &mut self.modes];
        for (region, end) in regions.into_iter().zip(ends.into_iter().chain([length])) {
            region.flush(file).map_err(Error::write(&self.path))?;
            if region.end() != end {
                return Err(DatasetFault::new(&self.path, "length", None, end, region.end()).into());
            }
        }
        Ok(self.pointer)
    }
}
