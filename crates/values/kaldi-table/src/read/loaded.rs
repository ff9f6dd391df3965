//! A value found at the place that an rxfilename names.

use std::sync::Arc;

use bstr::BStr;
use kaldi_io::{Blob, ExpectedStream, ParseError, TextLines, recognize};

use crate::ranged::{ParsedText, Ranged};
use crate::raw::RawEntry;

/// A framed value without a key.
#[derive(Clone, Debug)]
pub(crate) struct Loaded {
    pub(crate) blob: Blob,
    pub(crate) is_text: bool,
    /// Whether the value ends with the stream, whatever is there.
    pub(crate) is_open: bool,
    /// How lines are counted up to the value.
    pub(crate) lines: TextLines,
    /// The weight of keeping the file open, if it was not open before.
    pub(crate) mem_size: usize,
    /// The value in binary form, for lines that name parts of a text.
    pub(crate) parsed: Arc<ParsedText>,
}

impl Loaded {
    pub(crate) fn new(blob: Blob, is_text: bool, is_open: bool) -> Self {
        let lines = TextLines::at(blob.offset());
        Self { blob, is_text, is_open, lines, mem_size: 0, parsed: Arc::default() }
    }

    /// The entry of `key` with this value, or the part of it that `range` names.
    pub(crate) fn into_entry(self, key: &BStr, range: Option<&BStr>, script: Option<(Arc<str>, u64)>) -> RawEntry {
        // If the script file belongs to an archive, the key is before the value as well.
        let before = self.blob.before().strip_suffix(b" ");
        let has_key = !key.is_empty() && before.is_some_and(|before| before.ends_with(key));
        RawEntry {
            prefix: if has_key { key.len() + 1 } else { 0 },
            is_text: self.is_text,
            is_open: self.is_open,
            lines: self.lines,
            range: range.map(|range| Ranged::new(range, self.parsed)),
            script,
            mem_size: self.mem_size,
            ..RawEntry::new(key.to_owned(), self.blob)
        }
    }
}

/// The error with the place of a fault in a value at the offset `base`, whose line `lines` knows. `bytes` are those from there on; `at_end` is
/// set if the stream ends with them.
pub(crate) fn content(
    name: &str,
    base: u64,
    bytes: &[u8],
    at_end: bool,
    lines: &TextLines,
    source: ParseError,
) -> kaldi_io::Error {
    let offset = base + source.offset as u64;
    let is_empty = base == 0 && at_end && bytes.is_empty();
    let source = match is_empty {
        true => ParseError { message: format!("the file is empty: {}", source.message).into(), ..source },
        false => source,
    };
    let line = if is_empty { None } else { lines.number(bytes, base, source.offset) };
    let advice = if base == 0 { recognize(bytes, ExpectedStream::Value, name, source.offset) } else { None };
    let source = match advice {
        Some(_) => source.with_advice(advice),
        None => source.in_value(bytes, at_end),
    };
    kaldi_io::Error::content(name, offset, source).in_line(line)
}
