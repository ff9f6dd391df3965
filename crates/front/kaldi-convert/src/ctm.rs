//! Lines of CTM, which look like a table of words.

use bstr::{BString, ByteSlice};
use kaldi_any::ValueType;
use kaldi_inspect::{Entries, Named, NamedKind, read_content};

use crate::text_write::is_time;

/// Lines that are looked at.
const LINES: usize = 64;

/// Whether a text has times of words: lines of recording, channel, start, duration and word. Its name says so, or recordings have
/// several words.
pub fn is_ctm(named: &Named) -> bool {
    if named.kind != NamedKind::Archive || named.is_binary || named.is_stream() {
        return false;
    }
    let name = named.rxfilename.rsplit_once_str("/").map_or(named.rxfilename.as_bytes(), |(_, name)| name);
    let mut is_told = name == b"ctm" || name.ends_with(b".ctm");
    let Ok(mut entries) = Entries::of(named.clone(), Some(ValueType::TokenVector)) else { return false };
    let mut last: Option<BString> = None;
    for number in 0..LINES {
        let Ok(Some(entry)) = entries.next_entry() else { return is_told && number > 0 };
        let content = read_content(&entry, ValueType::TokenVector);
        if !content.is_ok_and(|content| content.words().is_some_and(is_time)) {
            return false;
        }
        is_told |= last.as_ref().is_some_and(|last| last == entry.key());
        last = Some(entry.key().to_owned());
    }
    is_told
}
