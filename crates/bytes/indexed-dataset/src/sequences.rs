//! Reading many sequences in their order.

use std::ops::Range;

use crate::index_file::{BLOCK, Block};
use crate::{IndexedDataset, Result};

/// The number of bytes of tokens that are read at a time, if sequences follow each other in the file.
const WINDOW: u64 = 1 << 20;

/// That number for an object, where each reading costs a request.
const FAR_WINDOW: u64 = 16 << 20;

/// Sequences one after the other, see [`IndexedDataset::sequences`].
#[derive(Debug)]
pub struct Sequences<'a> {
    dataset: &'a IndexedDataset,
    /// The sequences that were not delivered yet.
    rest: Range<u64>,
    block: Block,
    /// Whether none was delivered yet.
    is_first: bool,
    /// Bytes of the `.bin`, from this place on.
    window: Vec<u8>,
    window_start: u64,
    /// The place up to which bytes of the `.bin` may be wanted.
    end: u64,
}

impl IndexedDataset {
    /// Reads sequences in their order, with few system calls.
    ///
    /// # Errors
    /// [`crate::Error::Request`] if the range is not in the dataset.
    pub fn sequences(&self, range: Range<u64>) -> Result<Sequences<'_>> {
        if range.start > range.end || range.end > self.len() {
            let (start, end, len, prefix) = (range.start, range.end, self.len(), self.prefix());
            let message = format!("{prefix}: expected a range in 0:{len}, got {start}:{end}");
            return Err(crate::Error::Request(message));
        }
        // A pointer that makes no sense is found when it is reached.
        let pointer = self.places().pointer(range.end)?.and_then(|end| u64::try_from(end).ok());
        let end = pointer.unwrap_or(self.bin_length).min(self.bin_length);
        let (block, window) = (Block::default(), Vec::new());
        Ok(Sequences { dataset: self, rest: range, block, is_first: true, window, window_start: 0, end })
    }
}

impl Sequences<'_> {
    /// The tokens of the next sequence, as bytes.
    ///
    /// # Errors
    /// As [`IndexedDataset::sequence`]; the sequence is then skipped.
    pub fn next_sequence(&mut self) -> Result<Option<&[u8]>> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let number = self.rest.start;
        let held = self.block.first..self.block.first + self.block.sizes.len() as u64;
        if !held.contains(&number) {
            self.block.sizes.clear();
            let range = number..self.rest.end.min(number + BLOCK);
            // A sequence ends where the next one starts.
            let next = self.dataset.len().min(range.end + 1);
            self.dataset.index.pointers(range.start..next, &mut self.block.pointers)?;
            self.dataset.index.sizes(range, &mut self.block.sizes)?;
            self.block.first = number;
        }
        self.rest.start += 1;
        let at = (number - self.block.first) as usize;
        let places = self.dataset.places();
        let place = places.place(number, self.block.sizes[at], self.block.pointers[at])?;
        if self.is_first {
            places.check_start(number, place.start, places.end_before(number)?)?;
            self.is_first = false;
        }
        let next = self.block.pointers.get(at + 1).copied();
        places.check_end(number + 1, place.end, next, || self.dataset.prefix().bin())?;
        let end = self.window_start + self.window.len() as u64;
        if place.start < self.window_start || place.end > end {
            self.fill(&place)?;
        }
        let start = (place.start - self.window_start) as usize;
        Ok(Some(&self.window[start..start + (place.end - place.start) as usize]))
    }

    /// Reads from the start of a sequence on: all of it, and following ones if it is short.
    fn fill(&mut self, place: &Range<u64>) -> Result<()> {
        let window = if self.dataset.bin.is_near() { WINDOW } else { FAR_WINDOW };
        let end = place.end.max(self.end.min(place.start.saturating_add(window)));
        let length = (end - place.start) as usize;
        // A large buffer for a long sequence is not kept for short ones.
        if self.window.capacity() > 2 * length.max(window as usize) {
            self.window = Vec::new();
        }
        self.window_start = place.start;
        let result = self.dataset.read_bin(place.start..end, &mut self.window);
        if result.is_err() {
            self.window.clear();
        }
        result
    }
}

/// Bounds of documents one after the other, see [`IndexedDataset::documents`].
#[derive(Debug)]
pub struct Documents<'a> {
    dataset: &'a IndexedDataset,
    rest: Range<u64>,
    /// The bounds from this document on.
    first: u64,
    bounds: Vec<i64>,
}

impl IndexedDataset {
    /// The sequences of documents, in the order of the documents.
    ///
    /// # Errors
    /// [`crate::Error::Request`] if the range is not in the dataset.
    pub fn documents(&self, range: Range<u64>) -> Result<Documents<'_>> {
        if range.start > range.end || range.end > self.num_documents() {
            let (start, end, count, prefix) = (range.start, range.end, self.num_documents(), self.prefix());
            let message = format!("{prefix}: expected a range of documents in 0:{count}, got {start}:{end}");
            return Err(crate::Error::Request(message));
        }
        Ok(Documents { dataset: self, rest: range, first: 0, bounds: Vec::new() })
    }
}

impl Documents<'_> {
    /// The sequences of the next document.
    ///
    /// # Errors
    /// As [`IndexedDataset::sequences_of`]; the document is then skipped.
    pub fn next_document(&mut self) -> Result<Option<Range<u64>>> {
        if self.rest.is_empty() {
            return Ok(None);
        }
        let number = self.rest.start;
        self.rest.start += 1;
        if self.dataset.index.layout.num_bounds.is_none() {
            return Ok(Some(number..number + 1));
        }
        if number < self.first || number + 1 >= self.first + self.bounds.len() as u64 {
            let end = self.rest.end.min(number + BLOCK);
            self.dataset.index.bounds(number..end + 1, &mut self.bounds)?;
            self.first = number;
        }
        let at = (number - self.first) as usize;
        self.dataset.check_bounds(number, self.bounds[at], self.bounds[at + 1]).map(Some)
    }
}
