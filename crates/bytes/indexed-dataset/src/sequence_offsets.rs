//! Where sequences are in the file of tokens, and whether that makes sense.
//!
//! The tokens of a dataset have no gaps: the first sequence starts at 0, each other one at the end of the one before it,
//! and the last one ends at the end of the file. All reading goes through this, so a damaged index gives no wrong tokens.

use std::ops::Range;
use std::path::{Path, PathBuf};

use crate::index_file::{Block, IndexFile};
use crate::{DatasetFault, Result};

/// The index of a dataset, and what is known of its file of tokens.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Places<'a> {
    pub(crate) index: &'a IndexFile,
    /// Bytes of a token.
    pub(crate) token_size: u64,
    pub(crate) bin_length: u64,
}

impl Places<'_> {
    /// Compares the entry of a sequence with the file of tokens. Returns the place of its tokens, in bytes.
    pub(crate) fn place(&self, number: u64, size: i32, pointer: i64) -> Result<Range<u64>> {
        let Ok(length) = u64::try_from(size) else {
            return Err(self.fault("sizes", number, "0 or more", size));
        };
        // At most 2^34.
        let length = length * self.token_size;
        let start = u64::try_from(pointer).ok();
        if start.is_some_and(|start| start % self.token_size != 0) {
            let expected = format!("a multiple of {}, the bytes of a token", self.token_size);
            return Err(self.fault("pointers", number, expected, pointer));
        }
        let end = start.and_then(|start| start.checked_add(length)).filter(|end| *end <= self.bin_length);
        match (start, end) {
            (Some(start), Some(end)) => Ok(start..end),
            _ => {
                let expected = format!("{length} bytes of tokens among the {} of the .bin", self.bin_length);
                Err(self.fault("pointers", number, expected, pointer))
            }
        }
    }

    /// Checks that the sequences of a block follow one another from byte `start` on. Returns the end of their tokens.
    pub(crate) fn follow(&self, block: &Block, start: u64) -> Result<u64> {
        if let Some(end) = self.end_of(block, start) {
            return Ok(end);
        }
        let mut end = start;
        for (number, (size, pointer)) in (block.first..).zip(block.sizes.iter().zip(&block.pointers)) {
            let place = self.place(number, *size, *pointer)?;
            self.check_start(number, place.start, end)?;
            end = place.end;
        }
        Ok(end)
    }

    /// The same without a word about which sequence is wrong: `None` if one of them may be.
    fn end_of(&self, block: &Block, start: u64) -> Option<u64> {
        // Without an exit in the loop, and without a division for each sequence.
        let token_size = self.token_size as i64;
        let mut end = i64::try_from(start).ok().filter(|start| start % token_size == 0)?;
        let mut is_so = true;
        for (size, pointer) in block.sizes.iter().zip(&block.pointers) {
            is_so &= (*size >= 0) & (*pointer == end);
            end = end.wrapping_add(i64::from(*size).wrapping_mul(token_size));
        }
        // A block is far from an overflow unless a pointer is.
        let end = u64::try_from(end).ok()?;
        (is_so && (start..=self.bin_length).contains(&end)).then_some(end)
    }

    /// Where the sequence before this one ends, or the file starts.
    pub(crate) fn end_before(&self, number: u64) -> Result<u64> {
        let Some(before) = number.checked_sub(1) else { return Ok(0) };
        let (mut sizes, mut pointers) = (Vec::new(), Vec::new());
        self.index.sizes(before..number, &mut sizes)?;
        self.index.pointers(before..number, &mut pointers)?;
        Ok(self.place(before, sizes[0], pointers[0])?.end)
    }

    /// Compares where a sequence starts with the end of the one before it.
    pub(crate) fn check_start(&self, number: u64, start: u64, before: u64) -> Result<()> {
        if start == before { Ok(()) } else { Err(self.fault("pointers", number, before, start)) }
    }

    /// The pointer of a sequence, if there is such a sequence.
    pub(crate) fn pointer(&self, number: u64) -> Result<Option<i64>> {
        let mut pointers = Vec::new();
        if number < self.index.num_sequences() {
            self.index.pointers(number..number + 1, &mut pointers)?;
        }
        Ok(pointers.first().copied())
    }

    /// Compares where the sequences before this one end with its `pointer` or, if there are no more, with the end of the
    /// file of tokens, which is at `path`.
    pub(crate) fn check_end(
        &self,
        number: u64,
        end: u64,
        pointer: Option<i64>,
        path: impl FnOnce() -> PathBuf,
    ) -> Result<()> {
        match pointer {
            Some(pointer) if u64::try_from(pointer) == Ok(end) => Ok(()),
            Some(pointer) => Err(self.fault("pointers", number, end, pointer)),
            None if end == self.bin_length => Ok(()),
            None => {
                let (expected, found) = (format!("{end} bytes"), format!("{} bytes", self.bin_length));
                Err(DatasetFault::new(&path(), "length", None, expected, found).into())
            }
        }
    }

    /// Checks all sequences.
    pub(crate) fn check_all(&self, path: &Path) -> Result<()> {
        let mut end = 0;
        self.index.for_each_block(0..self.index.num_sequences(), |block| {
            end = self.follow(block, end)?;
            Ok(())
        })?;
        self.check_end(self.index.num_sequences(), end, None, || path.to_owned())
    }

    fn fault(
        &self,
        field: &'static str,
        position: u64,
        expected: impl std::fmt::Display,
        found: impl std::fmt::Display,
    ) -> crate::Error {
        DatasetFault::new(&self.index.path, field, Some(position), expected, found).into()
    }
}
