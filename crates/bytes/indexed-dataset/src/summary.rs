//! A summary of a dataset.

use crate::index_file::blocks;
use crate::{DatasetFault, Error, IndexedDataset, Result};

/// Counts of a dataset, all of them from its index.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DatasetSummary {
    /// Sequences.
    pub sequences: u64,
    /// Documents; sequences if the index has none.
    pub documents: u64,
    /// Tokens.
    pub tokens: u64,
    /// Tokens of the shortest sequence; 0 if there are no sequences.
    pub min: u64,
    /// Tokens of the longest sequence.
    pub max: u64,
    /// Sequences without tokens.
    pub empty_sequences: u64,
    /// Documents without sequences.
    pub empty_documents: u64,
    /// Bytes of the index.
    pub idx_bytes: u64,
    /// Bytes of the tokens.
    pub bin_bytes: u64,
}

impl IndexedDataset {
    /// Reads the whole index, and counts.
    ///
    /// # Errors
    /// If it cannot be read, a size is negative, or a document makes no sense.
    pub fn summary(&self) -> Result<DatasetSummary> {
        let mut summary = DatasetSummary {
            sequences: self.len(),
            documents: self.num_documents(),
            min: u64::MAX,
            idx_bytes: self.index.length,
            bin_bytes: self.bin_length,
            ..DatasetSummary::default()
        };
        let mut sizes = Vec::new();
        for range in blocks(0..self.len()) {
            self.index.sizes(range.clone(), &mut sizes)?;
            for (number, size) in range.zip(&sizes) {
                let negative =
                    |_| Error::from(DatasetFault::new(&self.index.path, "sizes", Some(number), "0 or more", size));
                let size = u64::try_from(*size).map_err(negative)?;
                summary.tokens += size;
                summary.min = summary.min.min(size);
                summary.max = summary.max.max(size);
                summary.empty_sequences += u64::from(size == 0);
            }
        }
        if self.is_empty() {
            summary.min = 0;
        }
        let mut documents = self.documents(0..self.num_documents())?;
        while let Some(document) = documents.next_document()? {
            summary.empty_documents += u64::from(document.is_empty());
        }
        Ok(summary)
    }
}
