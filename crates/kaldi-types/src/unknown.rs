//! Values that are of none of the types, but whose ends can be found.
//!
//! | value | start | end |
//! | --- | --- | --- |
//! | binary lattice, FST | `d6 fd b2 7e`, perhaps after `\0B` | that of the last state |
//! | discriminative training example | `<Nnet3DiscriminativeEg>`, perhaps after `\0B` | the closing token |
//! | text of a lattice, of an FST, other lines | a line end right after the key | an empty line |
//!
//! The last row needs care, since each line might be an entry of words, the first of them empty. See [`detect`].

use std::collections::HashSet;

use kaldi_io::ParseError;
use kaldi_values::{Cursor, Format, Frame};
use memchr::{memchr, memmem};

use crate::advice::TypeAdvice;
use crate::fst;
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
            sentence: "this is a lattice, an FST, an example or another value of several lines",
            tool: "table-head",
            verb: "shows it",
        },
    )
};

/// Bytes in which other lines than those of FSTs have to show that they are no words.
const LOOK: usize = 1 << 16;

/// Bytes in which the first FST in text form has to end.
const LONGEST: usize = 1 << 26;

/// The first two words and the last one of training examples.
const EXAMPLES: [(&str, &str, &str); 1] = [("<Nnet3DiscriminativeEg>", "<NumInputs>", "</Nnet3DiscriminativeEg>")];

/// Whether a value that starts like this is binary although it does not start with a zero byte.
pub(crate) fn starts_binary(window: &[u8]) -> bool {
    window.starts_with(&fst::MAGIC)
}

/// Whether the first value of a table, which starts like this, is such a value.
///
/// Text that has only a line end after the key may be an empty line of words, after which other entries follow. So the
/// lines up to an empty line are one value if
/// - all lines of the window are like that: a key alone, lines, an empty line; and
/// - all these lines look like those of an FST (a state, the next one, labels, a weight), or a first word comes twice,
///   which as a key it may not, in at least two values.
///
/// Without an empty line at its end the last value counts only if it has weights of lattices, such as `1.5,2,7_8`.
fn detect(window: &[u8], at_end: bool) -> Detected {
    let body = window.strip_prefix(b"\0B").unwrap_or(window);
    let starts = EXAMPLES.iter().map(|(first, second, _)| format!("{first} {second} ").into_bytes());
    for start in starts.chain([fst::MAGIC.to_vec()]) {
        if body.starts_with(&start) {
            return Detected::Yes;
        }
        if start.starts_with(body) && !at_end {
            return Detected::NeedMoreBytes;
        }
    }
    match line_end(window) {
        Some(first) => Blocks::default().look(&window[first..], at_end),
        None => Detected::No,
    }
}

/// The place after a line end that only blanks are before.
fn line_end(text: &[u8]) -> Option<usize> {
    let end = memchr(b'\n', text)?;
    text[..end].trim_ascii().is_empty().then_some(end + 1)
}

/// What the lines of text show.
#[derive(Default)]
struct Blocks<'a> {
    /// Values with lines that have ended.
    ended: usize,
    /// Lines of the value that has not ended.
    lines: usize,
    /// The first words of lines.
    words: HashSet<&'a [u8]>,
    has_repeated: bool,
    /// Whether there is a line that no FST has.
    has_others: bool,
    has_weights: bool,
}

impl<'a> Blocks<'a> {
    /// Looks at the lines after the first key.
    fn look(mut self, text: &'a [u8], at_end: bool) -> Detected {
        let mut is_inside = true;
        let mut rest = text;
        while let Some(length) = memchr(b'\n', rest).or((at_end && !rest.is_empty()).then_some(rest.len())) {
            let line = &rest[..length];
            rest = rest.get(length + 1..).unwrap_or_default();
            let mut fields = line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty());
            match (fields.next(), is_inside) {
                (None, true) => {
                    self.ended += usize::from(self.lines > 0);
                    (self.lines, is_inside) = (0, false);
                }
                (None, false) => {}
                (Some(first), true) => {
                    self.has_repeated |= !self.words.insert(first);
                    self.lines += 1;
                    let kind = arc(line);
                    self.has_others |= kind.is_none();
                    self.has_weights |= kind == Some(Weight::Costs);
                }
                // A key and no more.
                (Some(key), false) if fields.next().is_none() || starts_binary(&line[key.len() + 1..]) => {
                    if self.ended > 0 && !self.has_others {
                        return Detected::Yes;
                    }
                    is_inside = true;
                }
                (Some(_), false) => return Detected::No,
            }
        }
        self.decide(text.len(), at_end)
    }

    fn decide(&self, length: usize, at_end: bool) -> Detected {
        let are_lattices = !self.has_others && self.has_weights;
        let are_values = match self.has_others {
            true => self.ended > 1 && self.has_repeated,
            false => self.ended > 0,
        };
        if are_values && (at_end || length >= LOOK) {
            return Detected::Yes;
        }
        match (at_end, self.has_others) {
            (true, _) if are_lattices => Detected::Yes,
            (true, _) => Detected::No,
            (false, true) if length >= LOOK => Detected::No,
            (false, false) if length >= LONGEST => {
                if are_lattices {
                    Detected::Yes
                } else {
                    Detected::No
                }
            }
            (false, _) => Detected::NeedMoreBytes,
        }
    }
}

/// The weight of a line of an FST.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Weight {
    /// None, or a number.
    Number,
    /// Those of a lattice: two costs, perhaps a string of integers.
    Costs,
}

/// The weight if this may be a line of an FST: a state, for arcs the next state and one or two labels, perhaps a weight.
fn arc(line: &[u8]) -> Option<Weight> {
    let mut fields = [&b""[..]; 5];
    let mut count = 0;
    for field in line.split(u8::is_ascii_whitespace).filter(|field| !field.is_empty()) {
        *fields.get_mut(count)? = field;
        count += 1;
    }
    let is_state = |field: &[u8]| field.iter().all(u8::is_ascii_digit);
    let is_label = |field: &[u8]| is_state(field.strip_prefix(b"-").unwrap_or(field));
    let fields = &fields[..count];
    let (states, labels, last) = match fields {
        [_] => (fields, &fields[1..], None),
        [_, weight] => (&fields[..1], &fields[1..1], Some(*weight)),
        [_, _, _] => (&fields[..2], &fields[2..], None),
        [_, _, _, last] => (&fields[..2], &fields[2..3], Some(*last)),
        [_, _, _, _, last] => (&fields[..2], &fields[2..4], Some(*last)),
        _ => return None,
    };
    if !states.iter().all(|field| is_state(field)) || !labels.iter().all(|field| is_label(field)) {
        return None;
    }
    last.map_or(Some(Weight::Number), weight)
}

fn weight(field: &[u8]) -> Option<Weight> {
    let is_number = |text: &[u8]| {
        matches!(text, b"BadNumber") || std::str::from_utf8(text).is_ok_and(|text| text.parse::<f64>().is_ok())
    };
    let parts: Vec<&[u8]> = field.split(|&byte| byte == b',').collect();
    match parts[..] {
        [number] if is_number(number) => Some(Weight::Number),
        [graph, acoustic] if is_number(graph) && is_number(acoustic) => Some(Weight::Costs),
        [graph, acoustic, string] if is_number(graph) && is_number(acoustic) => {
            string.iter().all(|byte| byte.is_ascii_digit() || matches!(byte, b'_' | b'-')).then_some(Weight::Costs)
        }
        _ => None,
    }
}

fn frame(window: &[u8], at_end: bool) -> Result<Frame> {
    let body = window.strip_prefix(b"\0B").unwrap_or(window);
    let before = window.len() - body.len();
    let more = || match at_end {
        true => Err(ParseError::end(window.len(), "the rest of the value")),
        false => Ok(Frame::Partial(window.len() as u64 + 1)),
    };
    if body.starts_with(&fst::MAGIC) {
        let shift = |error: ParseError| ParseError { offset: error.offset + before, ..error };
        return Ok(match fst::frame(body, at_end).map_err(shift)? {
            Frame::Whole(length) => Frame::Whole(before + length),
            Frame::Beyond(length) => Frame::Beyond(before as u64 + length),
            Frame::Partial(wanted) => Frame::Partial((before as u64).saturating_add(wanted)),
            Frame::Rest => Frame::Rest,
        });
    }
    let first = body.split(u8::is_ascii_whitespace).next().unwrap_or_default();
    if let Some((_, _, last)) = EXAMPLES.iter().find(|(token, _, _)| token.as_bytes() == first) {
        let is_end = |at: &usize| body.get(at + last.len()).is_none_or(u8::is_ascii_whitespace);
        return match memmem::find_iter(body, last).find(is_end) {
            Some(at) if at + last.len() < body.len() => Ok(Frame::Whole(before + at + last.len() + 1)),
            Some(_) if at_end && before == 0 => Ok(Frame::Whole(window.len())),
            _ => more(),
        };
    }
    let starts = [&b"\0B"[..], &fst::MAGIC].into_iter().chain(EXAMPLES.iter().map(|(token, _, _)| token.as_bytes()));
    if !at_end && starts.into_iter().any(|start| start.starts_with(body)) {
        return more();
    }
    if before > 0 {
        let shown = window[..window.len().min(12)].escape_ascii();
        return Err(ParseError::new(0, format!("expected a lattice, an FST or an example, got \"{shown}\"")));
    }
    let Some(mut at) = line_end(window) else {
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
    if format == Format::Text && (bytes.starts_with(b"\0") || starts_binary(bytes)) {
        return Err(cursor.error("values of the type unknown do not become text, and this one is binary"));
    }
    out.extend_from_slice(bytes);
    cursor.advance(bytes.len());
    Ok(())
}

#[cfg(test)]
mod tests;
