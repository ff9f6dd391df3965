//! Trailing bytes after the value of a single file, which tools do not read.

use bstr::BStr;
use kaldi_io::{Input, Locator, Rxfilename};

use crate::Result;

/// Bytes that are read at once.
const CHUNK: usize = 1 << 16;

/// What follows a value that should be all that a file has. `end` is the offset after it. White space may follow text, nothing may
/// follow a binary value. `None` if it is so, or if the name leads into a file or to a stream.
///
/// # Errors
/// If the file cannot be read.
pub(crate) fn bytes_after(name: &BStr, end: u64, is_text: bool) -> Result<Option<String>> {
    let Ok(locator) = Locator::parse(name) else { return Ok(None) };
    if !matches!(locator.rxfilename(), Rxfilename::File(path) if path.is_file()) {
        return Ok(None);
    }
    let mut input = Input::open_located(&locator)?;
    if input.remaining() == Some(end) {
        return Ok(None);
    }
    let mut bytes = Vec::new();
    match input.remaining() {
        Some(_) => input.seek(end)?,
        // Compressed: up to the value, and what comes with its end.
        None => {
            while input.offset() < end && input.read_some(&mut bytes, CHUNK)? > 0 {
                let beyond = usize::try_from(input.offset().saturating_sub(end)).unwrap_or(0);
                bytes.drain(..bytes.len() - beyond.min(bytes.len()));
            }
        }
    }
    let (mut count, mut is_blank) = (0, true);
    loop {
        count += bytes.len() as u64;
        is_blank &= bytes.iter().all(u8::is_ascii_whitespace);
        bytes.clear();
        if input.read_some(&mut bytes, CHUNK)? == 0 {
            break;
        }
    }
    let found = count > 0 && !(is_text && is_blank);
    Ok(found.then(|| format!("{count} bytes follow the value, from byte {end} on, which no tool reads")))
}

/// The model whose bytes end there may have a network after it, of which only transitions are read.
pub(crate) fn is_network(name: &BStr, end: u64) -> bool {
    let Ok(mut input) = Input::open(name) else { return false };
    let mut bytes = Vec::new();
    while input.read_some(&mut bytes, CHUNK).is_ok_and(|count| count > 0) {
        let rest = usize::try_from(end).ok().and_then(|end| bytes.get(end..)).unwrap_or_default();
        let rest = rest.trim_ascii_start();
        if rest.len() >= 8 {
            return rest.starts_with(b"<Nnet") || rest.starts_with(b"\0B<Nnet");
        }
    }
    false
}
