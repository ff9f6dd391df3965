//! A value that was found where an rxfilename says it is.

use std::cell::Cell;
use std::ops::Range;
use std::sync::Arc;

use bstr::BStr;
use kaldi_io::{ParseError, Wanted, recognize};
use kaldi_values::with_type_advice;

use crate::ranged::{ParsedText, Ranged};
use crate::raw::{Chunk, RawEntry};

/// A framed value without a key.
#[derive(Clone)]
pub(crate) struct Loaded {
    pub(crate) chunk: Arc<Chunk>,
    /// The value in the chunk, or as much of it as is in memory.
    pub(crate) value: Range<usize>,
    /// Bytes of the whole value, where it is not whole in memory.
    pub(crate) stored: Option<u64>,
    /// What it weighs to keep the file open that was not kept open before.
    pub(crate) burden: usize,
    /// The value in binary form, for lines that name parts of a text.
    pub(crate) parsed: Arc<ParsedText>,
}

impl Loaded {
    pub(crate) fn whole(chunk: Arc<Chunk>, value: Range<usize>) -> Self {
        Self { chunk, value, stored: None, burden: 0, parsed: Arc::default() }
    }

    /// A value of `whole` bytes of which `value` in the chunk is the begin, in a chunk that knows its source.
    pub(crate) fn stored(chunk: Arc<Chunk>, value: Range<usize>, whole: u64, burden: usize) -> Self {
        Self { chunk, value, stored: Some(whole), burden, parsed: Arc::default() }
    }

    /// The entry of `key` with this value, or the part of it that `range` names.
    pub(crate) fn into_entry(self, key: &BStr, range: Option<&BStr>, script: Option<(Arc<str>, u64)>) -> RawEntry {
        // In a script file of an archive, the key stands before the value as well.
        let before = self.chunk.bytes[..self.value.start].strip_suffix(b" ");
        let has_key = !key.is_empty() && before.is_some_and(|before| before.ends_with(key));
        RawEntry {
            key: key.to_owned(),
            prefix: if has_key { key.len() + 1 } else { 0 },
            chunk: self.chunk,
            value: self.value,
            stored: self.stored,
            is_open: false,
            range: range.map(|range| Ranged::new(range, self.parsed)),
            script,
            burden: self.burden,
            log: Vec::new(),
            warned: Cell::new(false),
        }
    }
}

/// The error that puts the place to a fault in a value that stands at `base`; `bytes` are those from there on.
pub(crate) fn content(name: &str, base: u64, bytes: &[u8], source: ParseError) -> kaldi_io::Error {
    let advice = if base == 0 { recognize(bytes, Wanted::Value, name, source.offset) } else { None };
    let source = with_type_advice(source, bytes).with_advice(advice);
    kaldi_io::Error::Content { name: name.to_owned(), offset: base + source.offset as u64, source }
}
