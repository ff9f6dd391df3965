//! The places of the parts of an index.

use std::path::Path;

use crate::{DatasetFault, Error, Result};

/// The first bytes of an index.
pub(crate) const MAGIC: [u8; 9] = *b"MMIDIDX\0\0";

/// The version that follows.
const VERSION: u64 = 1;

/// The longest header.
pub(crate) const LONGEST_HEADER: usize = 34;

/// The header of an index, and whether there are modes at the end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Layout {
    pub(crate) code: u8,
    pub(crate) num_sequences: u64,
    /// The number of entries in the array of documents, one more than documents; `None` for fairseq.
    pub(crate) num_bounds: Option<u64>,
    pub(crate) has_modes: bool,
}

impl Layout {
    /// Parses the first bytes of an index of `length` bytes; numbers that contradict this length are a fault.
    pub(crate) fn parse(head: &[u8], length: u64, path: &Path) -> Result<Self> {
        let (code, num_sequences, second) = fields(head, length, path)?;
        let fairseq = Self { code, num_sequences, num_bounds: None, has_modes: false };
        if fairseq.length() == Some(length) {
            return Ok(fairseq);
        }
        let megatron = Self { num_bounds: second, ..fairseq };
        for layout in [megatron, Self { has_modes: true, ..megatron }] {
            if second.is_some() && layout.length() == Some(length) {
                return Ok(layout);
            }
        }
        let expected = match (fairseq.length(), second.and(megatron.length())) {
            (Some(one), Some(other)) => format!("{other} bytes of {num_sequences} sequences ({one} without documents)"),
            (Some(one), None) => format!("{one} bytes of {num_sequences} sequences"),
            (None, _) => format!("room for {num_sequences} sequences"),
        };
        Err(DatasetFault::new(path, "length", None, expected, format!("{length} bytes")).into())
    }

    /// Parses a header that the length contradicts, in the requested form with or without documents.
    pub(crate) fn claimed(head: &[u8], length: u64, path: &Path, has_documents: bool) -> Result<Option<Self>> {
        let (code, num_sequences, second) = fields(head, length, path)?;
        let num_bounds = if has_documents { second } else { None };
        let layout = Self { code, num_sequences, num_bounds, has_modes: false };
        // There must at least be room for the sizes.
        let fits = num_sequences.checked_mul(4).is_some_and(|sizes| sizes <= length.saturating_sub(layout.sizes_at()));
        Ok((fits && has_documents == num_bounds.is_some()).then_some(layout))
    }

    pub(crate) fn header(&self) -> Vec<u8> {
        let mut header = MAGIC.to_vec();
        header.extend(VERSION.to_le_bytes());
        header.push(self.code);
        header.extend(self.num_sequences.to_le_bytes());
        header.extend(self.num_bounds.iter().flat_map(|count| count.to_le_bytes()));
        header
    }

    pub(crate) fn sizes_at(&self) -> u64 {
        if self.num_bounds.is_some() { 34 } else { 26 }
    }

    // The length of this layout was compared with a file's, so nothing overflows.
    pub(crate) fn pointers_at(&self) -> u64 {
        self.sizes_at() + 4 * self.num_sequences
    }

    pub(crate) fn bounds_at(&self) -> u64 {
        self.pointers_at() + 8 * self.num_sequences
    }

    pub(crate) fn modes_at(&self) -> u64 {
        self.bounds_at() + 8 * self.num_bounds.unwrap_or(0)
    }

    /// The number of bytes of the whole index, unless it is too large for a number.
    pub(crate) fn length(&self) -> Option<u64> {
        let each = if self.has_modes { 13 } else { 12 };
        let bounds = self.num_bounds.unwrap_or(0).checked_mul(8)?;
        self.num_sequences.checked_mul(each)?.checked_add(bounds)?.checked_add(self.sizes_at())
    }
}

/// The code, the number of sequences, and the next number, which is that of bounds except for fairseq.
fn fields(head: &[u8], length: u64, path: &Path) -> Result<(u8, u64, Option<u64>)> {
    let fault =
        |field, expected: String, found: String| Error::from(DatasetFault::new(path, field, None, expected, found));
    if !head.starts_with(&MAGIC) && !MAGIC.starts_with(head) {
        if let Some(format) = crate::lookalikes::format_of(head, length) {
            return Err(Error::Foreign { path: path.to_owned(), format });
        }
        let found = head[..head.len().min(9)].escape_ascii();
        return Err(fault("magic", MAGIC.escape_ascii().to_string(), found.to_string()));
    }
    if head.len() < 26 {
        return Err(fault("length", "26 bytes or more".into(), format!("{length} bytes")));
    }
    let version = word(head, 9);
    if version != VERSION {
        return Err(fault("version", VERSION.to_string(), version.to_string()));
    }
    Ok((head[17], word(head, 18), (head.len() >= LONGEST_HEADER).then(|| word(head, 26))))
}

fn word(bytes: &[u8], at: usize) -> u64 {
    let mut word = [0; 8];
    word.copy_from_slice(&bytes[at..at + 8]);
    u64::from_le_bytes(word)
}
