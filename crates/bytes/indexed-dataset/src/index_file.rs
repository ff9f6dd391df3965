//! Reading an index, in blocks or entry by entry.

use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use kaldi_io::{ReadAt, remote_name};

use crate::layout::{LONGEST_HEADER, Layout};
use crate::lookalikes::format_of;
use crate::open::{head, open_ranges, open_whole};
use crate::{Error, Result};

/// The number of sequences whose sizes and pointers are in memory at a time.
pub(crate) const BLOCK: u64 = 1 << 14;

/// An open index.
#[derive(Debug)]
pub(crate) struct IndexFile {
    pub(crate) file: Arc<dyn ReadAt>,
    pub(crate) path: PathBuf,
    pub(crate) length: u64,
    pub(crate) layout: Layout,
}

/// Some of the sequences of an index.
#[derive(Debug, Default)]
pub(crate) struct Block {
    /// The number of the first one.
    pub(crate) first: u64,
    pub(crate) sizes: Vec<i32>,
    pub(crate) pointers: Vec<i64>,
}

impl IndexFile {
    /// Opens an index whose length agrees with its header.
    pub(crate) fn open(path: &Path) -> Result<Self> {
        let file = open_whole(path)?;
        let length = file.length();
        let layout = Layout::parse(&head(&*file, path, LONGEST_HEADER)?, length, path)?;
        Ok(Self { file, path: path.to_owned(), length, layout })
    }

    /// Opens an index of any length, in the two forms with and without documents.
    pub(crate) fn claimed(path: &Path) -> Result<Vec<Self>> {
        let file = open_whole(path)?;
        let (length, head) = (file.length(), head(&*file, path, LONGEST_HEADER)?);
        let mut found = Vec::new();
        for has_documents in [true, false] {
            if let Some(layout) = Layout::claimed(&head, length, path, has_documents)? {
                let file = Arc::clone(&file);
                found.push(Self { file, path: path.to_owned(), length, layout });
            }
        }
        Ok(found)
    }

    pub(crate) fn num_sequences(&self) -> u64 {
        self.layout.num_sequences
    }

    /// The sizes of some sequences.
    pub(crate) fn sizes(&self, range: Range<u64>, sizes: &mut Vec<i32>) -> Result<()> {
        self.array(self.layout.sizes_at(), range, sizes, i32::from_le_bytes)
    }

    /// The pointers of some sequences.
    pub(crate) fn pointers(&self, range: Range<u64>, pointers: &mut Vec<i64>) -> Result<()> {
        self.array(self.layout.pointers_at(), range, pointers, i64::from_le_bytes)
    }

    /// Some of the bounds of documents.
    pub(crate) fn bounds(&self, range: Range<u64>, bounds: &mut Vec<i64>) -> Result<()> {
        self.array(self.layout.bounds_at(), range, bounds, i64::from_le_bytes)
    }

    /// The modes of some sequences.
    pub(crate) fn modes(&self, range: Range<u64>, modes: &mut Vec<i8>) -> Result<()> {
        self.array(self.layout.modes_at(), range, modes, i8::from_le_bytes)
    }

    /// Part of an array that starts at byte `at`.
    fn array<const N: usize, T>(
        &self,
        at: u64,
        range: Range<u64>,
        numbers: &mut Vec<T>,
        from: fn([u8; N]) -> T,
    ) -> Result<()> {
        let mut bytes = Vec::new();
        let offset = at + range.start * N as u64;
        let length = (range.end - range.start) as usize * N;
        self.file.read_at(offset, &mut bytes, length).map_err(Error::read(&self.path, offset))?;
        numbers.clear();
        let (chunks, _) = bytes.as_chunks::<N>();
        numbers.extend(chunks.iter().map(|chunk| from(*chunk)));
        Ok(())
    }

    /// Calls `each` with all sequences of a range, block by block.
    pub(crate) fn for_each_block(&self, range: Range<u64>, mut each: impl FnMut(&Block) -> Result<()>) -> Result<()> {
        let mut block = Block::default();
        for range in blocks(range) {
            self.sizes(range.clone(), &mut block.sizes)?;
            self.pointers(range.clone(), &mut block.pointers)?;
            block.first = range.start;
            each(&block)?;
        }
        Ok(())
    }

    /// The bytes of a token according to the pointers and the length of the `.bin`. Reads no further than the first
    /// sequence that is not empty.
    pub(crate) fn token_size(&self, bin_length: u64) -> Result<Option<u64>> {
        let (mut sizes, mut pointers) = (Vec::new(), Vec::new());
        for range in blocks(0..self.num_sequences()) {
            self.sizes(range.clone(), &mut sizes)?;
            let Some(at) = sizes.iter().position(|size| *size != 0) else { continue };
            let first = range.start + at as u64;
            let end = self.num_sequences().min(first + 2);
            self.pointers(first..end, &mut pointers)?;
            let next = pointers.get(1).copied().or_else(|| i64::try_from(bin_length).ok());
            let step = next.and_then(|next| next.checked_sub(pointers[0])).unwrap_or(-1);
            let size = i64::from(sizes[at]);
            let is_whole = size > 0 && step > 0 && step % size == 0;
            return Ok(is_whole
                .then(|| step / size)
                .filter(|size| matches!(size, 1 | 2 | 4 | 8))
                .map(|size| size as u64));
        }
        Ok(None)
    }
}

/// The parts of a range that are in memory at a time.
pub(crate) fn blocks(range: Range<u64>) -> impl Iterator<Item = Range<u64>> {
    let end = range.end;
    range.step_by(BLOCK as usize).map(move |start| start..end.min(start + BLOCK))
}

/// The format of a file of exactly this name, if it is one of those that are mistaken for datasets; `None` if there is
/// no such file, or it is something else.
///
/// # Errors
/// If it cannot be read.
pub fn format_of_file(path: &Path) -> Result<Option<String>> {
    let is_remote = remote_name(path).is_some();
    if !is_remote && !path.is_file() {
        return Ok(None);
    }
    let file = match open_ranges(path) {
        // A store may refuse to say that there is none.
        Err(_) if is_remote => return Ok(None),
        file => file?,
    };
    Ok(format_of(&head(&*file, path, LONGEST_HEADER)?, file.length()))
}
