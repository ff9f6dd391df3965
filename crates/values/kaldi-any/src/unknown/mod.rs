//! Values that are of none of the types, but whose ends can be found.
//!
//! | value | start | end |
//! | --- | --- | --- |
//! | discriminative training example | `<Nnet3DiscriminativeEg>`, perhaps after `\0B` | the closing token |
//! | other lines of text | a line end right after the key | an empty line |
//!
//! The last row needs care, since each line might be an entry of words, the first of them empty. See [`blocks`].

use kaldi_io::ParseError;
use kaldi_value::{Cursor, Format, Frame};
use memchr::{memchr, memmem};

use crate::advice::TypeAdvice;
use crate::blocks::{self, Lines};
use crate::row::{Detected, Found, Row, Text};

type Result<T> = std::result::Result<T, ParseError>;

pub(crate) const ROW: Row = Row {
    found: Found::AtStart(detect),
    frame,
    parse: |_, _| Ok(()),
    rewrite,
    ..Row::without_content::<f32>(
        "unknown",
        Text::Own,
        TypeAdvice {
            sentence: "this is an example or another value of several lines",
            tool: "table-head",
            verb: "shows it",
        },
    )
};

/// The first two words and the last one of training examples.
const EXAMPLES: [(&str, &str, &str); 1] = [("<Nnet3DiscriminativeEg>", "<NumInputs>", "</Nnet3DiscriminativeEg>")];

/// Whether the first value of a table, which starts like this, is such a value.
fn detect(window: &[u8], at_end: bool) -> Detected {
    let body = window.strip_prefix(b"\0B").unwrap_or(window);
    for start in EXAMPLES.iter().map(|(first, second, _)| format!("{first} {second} ").into_bytes()) {
        if body.starts_with(&start) {
            return Detected::Yes;
        }
        if start.starts_with(body) && !at_end {
            return Detected::NeedMoreBytes;
        }
    }
    match blocks::parse_front(window, at_end) {
        Lines::Others => Detected::Yes,
        Lines::NeedMoreBytes => Detected::NeedMoreBytes,
        Lines::Words | Lines::Graphs(_) => Detected::No,
    }
}

fn frame(window: &[u8], at_end: bool) -> Result<Frame> {
    let body = window.strip_prefix(b"\0B").unwrap_or(window);
    let before = window.len() - body.len();
    let more = || match at_end {
        true => Err(ParseError::end(window.len(), "the rest of the value")),
        false => Ok(Frame::Partial(window.len() as u64 + 1)),
    };
    let first = body.split(u8::is_ascii_whitespace).next().unwrap_or_default();
    if let Some((_, _, last)) = EXAMPLES.iter().find(|(token, _, _)| token.as_bytes() == first) {
        let is_end = |at: &usize| body.get(at + last.len()).is_none_or(u8::is_ascii_whitespace);
        return match memmem::find_iter(body, last).find(is_end) {
            Some(at) if at + last.len() < body.len() => Ok(Frame::Whole(before + at + last.len() + 1)),
            Some(_) if at_end && before == 0 => Ok(Frame::Whole(window.len())),
            _ => more(),
        };
    }
    let mut starts = std::iter::once(&b"\0B"[..]).chain(EXAMPLES.iter().map(|(token, _, _)| token.as_bytes()));
    if !at_end && starts.any(|start| start.starts_with(body)) {
        return more();
    }
    if before > 0 {
        let shown = window[..window.len().min(12)].escape_ascii();
        return Err(ParseError::new(0, format!("expected an example, got \"{shown}\"")));
    }
    let Some(mut at) = blocks::line_end(window) else {
        return match window.trim_ascii().is_empty() {
            true => more(),
            false => {
                Err(ParseError::new(0, "expected the end of the line after the key, since values are of several lines"))
            }
        };
    };
    while let Some(length) = memchr(b'\n', &window[at..]) {
        let line = &window[at..at + length];
        if line.trim_ascii().is_empty() {
            return Ok(Frame::Whole(at + length + 1));
        }
        at += length + 1;
    }
    match at_end {
        true => Err(ParseError::end(window.len(), "an empty line after the value")),
        false => more(),
    }
}

/// Appends a value unchanged.
fn rewrite(cursor: &mut Cursor<'_>, range: Option<&[u8]>, format: Format, out: &mut Vec<u8>) -> Result<()> {
    let bytes = cursor.rest();
    if range.is_some() {
        return Err(cursor.error("values of the type unknown have no parts: remove the range"));
    }
    if format == Format::Text && bytes.starts_with(b"\0") {
        return Err(cursor.error("values of the type unknown do not become text, and this one is binary"));
    }
    out.extend_from_slice(bytes);
    cursor.advance(bytes.len());
    Ok(())
}

#[cfg(test)]
mod tests;
