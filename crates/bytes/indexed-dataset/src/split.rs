//! Parts of a dataset.

use std::ops::Range;

use crate::merge::{Part, write_parts};
use crate::publish::publish;
use crate::{Error, IndexedDataset, Prefix, Result};

impl IndexedDataset {
    /// Divides neighbouring documents into `count` parts of nearly equal size: the first parts may have one more.
    pub fn even_parts(&self, count: u64) -> impl Iterator<Item = Range<u64>> + use<> {
        let count = count.max(1);
        let (each, more) = (self.num_documents() / count, self.num_documents() % count);
        let start = move |part: u64| part * each + part.min(more);
        (0..count).map(move |part| start(part)..start(part + 1))
    }

    /// Divides neighbouring documents into parts of at most `max_bytes` bytes of tokens; a document that has more is a
    /// part of its own.
    ///
    /// # Errors
    /// If the index cannot be read or makes no sense.
    pub fn parts_by_size(&self, max_bytes: u64) -> Result<Vec<Range<u64>>> {
        let mut parts = Vec::new();
        let mut documents = self.documents(0..self.num_documents())?;
        let mut sizes = Sizes::default();
        let (mut part, mut bytes) = (0..0, 0_u64);
        while let Some(document) = documents.next_document()? {
            let mut length = 0_u64;
            for number in document {
                length += u64::try_from(sizes.get(self, number)?).unwrap_or(0) * self.token_type().size();
            }
            if part.end > part.start && bytes.saturating_add(length) > max_bytes {
                parts.push(part.clone());
                (part, bytes) = (part.end..part.end, 0);
            }
            part.end += 1;
            bytes = bytes.saturating_add(length);
        }
        if part.end > part.start {
            parts.push(part);
        }
        Ok(parts)
    }

    /// Writes datasets of the same type and dialect, each with the documents of its ranges, in their order. No file
    /// appears before all of them are complete; objects appear one dataset after the other.
    ///
    /// # Errors
    /// If the dataset is damaged there, an output would replace it, or a file cannot be read or written.
    pub fn split(&self, parts: &[(Prefix, Vec<Range<u64>>)]) -> Result<()> {
        for (out, documents) in parts {
            out.refuse_inputs(&[&self.prefix().idx(), &self.prefix().bin()])?;
            for range in documents {
                if range.start > range.end || range.end > self.num_documents() {
                    let (last, count) = (range.end.saturating_sub(1), self.num_documents());
                    let message = format!("{}: expected documents below {count}, got {last}", self.prefix());
                    return Err(Error::Request(message));
                }
            }
        }
        let mut sealed = Vec::new();
        for (out, documents) in parts {
            let documents = documents.iter().map(|range| Part { input: self, documents: range.clone() });
            let (bin, index, _) = write_parts(out, &documents.collect::<Vec<_>>(), self.token_type(), self.dialect())?;
            sealed.extend([bin.seal()?, index.seal()?]);
            if out.is_remote() {
                // The bytes of an object that does not exist yet are in memory, as far as they are less than a part of it.
                publish(sealed.drain(..), || Ok::<_, Error>(()))?;
            }
        }
        publish(sealed, || Ok(()))
    }
}

/// The sizes of sequences, requested in order.
#[derive(Default)]
struct Sizes {
    first: u64,
    sizes: Vec<i32>,
}

impl Sizes {
    fn get(&mut self, dataset: &IndexedDataset, number: u64) -> Result<i32> {
        if !(self.first..self.first + self.sizes.len() as u64).contains(&number) {
            let end = dataset.len().min(number + crate::index_file::BLOCK);
            dataset.index.sizes(number..end, &mut self.sizes)?;
            self.first = number;
        }
        Ok(self.sizes[(number - self.first) as usize])
    }
}
