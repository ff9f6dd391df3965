//! Parts of a file that are copied to the end of another one.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;

use super::preallocate::ReservedBlocks;
use crate::source::read_at;

/// The end of a file that is being written.
#[derive(Debug)]
pub struct FileEnd<'a> {
    /// The file. Its position is the place of the first gathered byte.
    pub file: &'a File,
    /// Bytes that are not written yet.
    pub gathered: &'a mut Vec<u8>,
    /// The place of the byte after them.
    pub position: u64,
    /// The reserved blocks of the file.
    pub room: &'a mut ReservedBlocks,
}

/// Why a part of a file was not copied.
#[derive(Debug)]
pub enum PartError {
    /// The part could not be read at this offset.
    Read(u64, io::Error),
    /// The other file could not be written.
    Write(io::Error),
}

impl FileEnd<'_> {
    /// Appends a part of another file; its last bytes may become gathered ones.
    ///
    /// The kernel moves the bytes, but not into reserved blocks: it copies page by page, which takes twice the time of
    /// large blocks.
    ///
    /// # Errors
    /// If the part cannot be read or written.
    pub fn append(&mut self, source: &File, range: Range<u64>) -> Result<(), PartError> {
        let length = range.end - range.start;
        self.room.grow(self.file, self.position + length);
        match self.room.is_reserved(self.position + length) {
            true => self.copy_in_blocks(source, range),
            false => self.copy_in_kernel(source, range),
        }
    }

    fn copy_in_blocks(&mut self, source: &File, range: Range<u64>) -> Result<(), PartError> {
        let mut start = range.start;
        while start < range.end {
            let room = ReservedBlocks::rest_of_block(self.position) as u64;
            let count = room.min(range.end - start);
            read_at(source, start, self.gathered, count as usize).map_err(|error| PartError::Read(start, error))?;
            self.position += count;
            start += count;
            if count == room {
                self.write_gathered()?;
            }
        }
        Ok(())
    }

    fn copy_in_kernel(&mut self, mut source: &File, range: Range<u64>) -> Result<(), PartError> {
        self.write_gathered()?;
        let length = range.end - range.start;
        source.seek(SeekFrom::Start(range.start)).map_err(|error| PartError::Read(range.start, error))?;
        let copied = io::copy(&mut source.take(length), &mut self.file).map_err(PartError::Write)?;
        if copied != length {
            return Err(PartError::Read(range.start + copied, io::ErrorKind::UnexpectedEof.into()));
        }
        self.position += length;
        Ok(())
    }

    fn write_gathered(&mut self) -> Result<(), PartError> {
        self.file.write_all(self.gathered).map_err(PartError::Write)?;
        self.gathered.clear();
        Ok(())
    }
}
