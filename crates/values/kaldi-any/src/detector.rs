//! Finds the type of an archive's values by their bytes.

use kaldi_io::{FrameFn, ParseError};
use kaldi_table::{Error, Framing, Front, find_key, is_key};
use kaldi_value::Frame;

use crate::frame::length;
use crate::row::{Detected, Found, Text};
use crate::type_guess::Evidence;
use crate::value_type::ValueType;

type Result<T> = std::result::Result<T, ParseError>;

/// Bytes that are searched before types that disagree about the end of a value are called indistinguishable.
const LOOK_AHEAD: usize = 1 << 26;

/// Bytes that are read to find out how an archive is cut, if it is known that it is.
const LAST_LOOK: u64 = 1 << 26;

/// Bytes to request after the end that one type sees, so that the others see what follows.
const MARGIN: u64 = 256;

/// A type that fits a value, and where it sees the value end.
type Fit = (ValueType, Frame);

/// Finds the ends of values of unknown type, by keeping the types that fit all values seen so far.
///
/// As long as these types agree about the ends of values, it does not matter which one is right. If they disagree, each
/// one is followed over the next bytes until one is left.
#[derive(Clone, Debug)]
pub struct Detector {
    candidates: Vec<ValueType>,
    /// Whether the type may have to be found, and no value was seen yet.
    at_first: bool,
    is_ambiguous: bool,
    /// The length of the current value, if only the white space after it is still missing.
    text_length: Option<usize>,
}

impl Detector {
    /// Expects values of a type, or of one that has to be found.
    pub fn new(value_type: Option<ValueType>) -> Self {
        let candidates = match value_type {
            Some(value_type) => vec![value_type],
            None => ValueType::recognizable().collect(),
        };
        Self { candidates, at_first: value_type.is_none(), is_ambiguous: false, text_length: None }
    }

    /// The types that fit everything seen so far.
    pub fn candidates(&self) -> &[ValueType] {
        &self.candidates
    }

    /// Whether the value that starts like this, and whose length was found, is in text form.
    pub fn is_text(&self, window: &[u8]) -> bool {
        self.candidates.first().is_some_and(|value_type| value_type.is_text(window))
    }

    /// Returns how far the value at the start of `window` reaches; `at_end` says that nothing follows the window.
    ///
    /// The window may hold more than the value; the following bytes are used if they help. Call this for one value
    /// after the other. If it needs more bytes, call it again with a longer window.
    ///
    /// # Errors
    /// If the bytes are no value of any of the types, or if the types that fit disagree.
    fn find_end(&mut self, window: &[u8], at_end: bool) -> Result<Frame> {
        if let [only] = self.candidates[..] {
            return only.frame(window, at_end);
        }
        if self.at_first {
            match detect(window, at_end) {
                (Detected::Yes, Some(found)) => {
                    (self.candidates, self.at_first) = (vec![found], false);
                    return found.frame(window, at_end);
                }
                (Detected::NeedMoreBytes, _) => return Ok(Frame::Partial(window.len() as u64 + 1)),
                _ => {}
            }
        }
        let mut refusals = Vec::new();
        let mut fits = Vec::new();
        for &value_type in self.candidates.iter().filter(|value_type| fits_by_bytes(**value_type)) {
            match value_type.frame(window, at_end) {
                Ok(_) if self.at_first && value_type.is_words() && has_brackets(window) => {}
                Ok(frame) => fits.push((value_type, frame)),
                Err(error) => refusals.push((value_type, error)),
            }
        }
        if self.at_first || !agree(&fits, window) {
            fits.retain(|&(value_type, frame)| match value_type.check(window, frame) {
                Ok(()) => true,
                Err(error) => {
                    refusals.push((value_type, error));
                    false
                }
            });
        }
        if !agree(&fits, window) {
            follow_each(&mut fits, window, at_end);
        }
        if self.at_first && at_end && is_rather_cut(&fits, &refusals, window) {
            fits.clear();
        }
        let Some(&(_, frame)) = fits.first() else { return Err(self.refuse(refusals, window)) };
        if agree(&fits, window) {
            if !matches!(frame, Frame::Partial(_)) || fits.len() == 1 {
                self.candidates = fits.into_iter().map(|(value_type, _)| value_type).collect();
                self.at_first = false;
            }
            return Ok(frame);
        }
        if at_end || window.len() >= LOOK_AHEAD {
            self.is_ambiguous = true;
            let types: Vec<_> = fits.iter().map(|&(value_type, _)| value_type).collect();
            return Err(ParseError::new(0, format!("this may be {}; `type` says which", join_names(&types))));
        }
        // The bytes after the right end show which types are wrong.
        let wanted = fits.iter().map(|&(_, frame)| match frame {
            Frame::Whole(_) | Frame::Beyond(_) => length(frame).unwrap_or(0).saturating_add(MARGIN),
            Frame::Partial(wanted) => wanted,
            Frame::Rest => u64::MAX,
        });
        Ok(Frame::Partial(wanted.min().unwrap_or(0).max(window.len() as u64 + 1)))
    }

    /// The error of the type that fits best.
    fn refuse(&self, refusals: Vec<(ValueType, ParseError)>, window: &[u8]) -> ParseError {
        let furthest = refusals.into_iter().rev().max_by_key(|(_, error)| error.offset);
        match furthest {
            // The error is right after the marker: not even a token is known.
            Some((_, error)) if !self.at_first || error.offset > 2 || error.at_end => error,
            _ => {
                let shown = &window[..window.len().min(12)];
                let message = format!(
                    "cannot find the type of a value that starts with \"{}\"; `type` may help (htk and sphinx features \
                     need it)",
                    shown.escape_ascii()
                );
                ParseError::new(0, message)
            }
        }
    }
}

/// Finds the key at the start of a window. A key that could not be written counts as damage, while readers of a known
/// type accept it: after a value of the wrong length there is most often no printable word.
fn front(window: &[u8], at_end: bool) -> Result<Front> {
    find_key(window, at_end, |byte| is_key(&[byte]))
}

impl Framing for Detector {
    fn key(&self, window: &[u8], at_end: bool) -> Result<Front> {
        front(window, at_end)
    }

    /// White space after text belongs to it, and the last text must end its line, which readers do not require.
    fn value(&mut self, window: &[u8], at_end: bool) -> Result<Frame> {
        let end = match self.text_length.take() {
            Some(end) => end,
            None => match self.find_end(window, at_end)? {
                Frame::Whole(end) if self.is_text(window) => end,
                frame => return Ok(frame),
            },
        };
        let after = &window[end..];
        let blank = after.iter().take_while(|byte| matches!(byte, b' ' | b'\t'..=b'\r')).count();
        if blank < after.len() {
            return Ok(Frame::Whole(end + blank));
        }
        // A line of a known type is delivered at once: what follows may come much later.
        if !at_end && after.is_empty() && window.ends_with(b"\n") && self.candidates.len() == 1 {
            return Ok(Frame::Whole(end));
        }
        if !at_end {
            self.text_length = Some(end);
            return Ok(Frame::Partial(window.len() as u64 + 1));
        }
        if self.candidates.first().is_some_and(|value_type| value_type.row().text == Text::Own)
            || window[window.trim_ascii_end().len()..].contains(&b'\n')
        {
            return Ok(Frame::Whole(window.len()));
        }
        Err(ParseError::end(window.len(), "the end of the line"))
    }

    fn is_text(&self, window: &[u8]) -> bool {
        self.is_text(window)
    }

    fn frame_fn(&self) -> FrameFn {
        |window, at_end| Self::new(None).value(window, at_end)
    }

    /// If the type of an entry cannot be found, the entry may still be without errors.
    fn explain(&self, error: Error) -> Error {
        match error {
            Error::Entry { key, source, .. } if self.is_ambiguous => match *source {
                kaldi_io::Error::Content { name, offset, line, source, .. } => {
                    let at = (offset - source.offset as u64).saturating_sub(key.len() as u64 + 1);
                    let place = line.map_or_else(|| format!("at {at}"), |line| format!("in line {line}"));
                    Error::Promise {
                        table: name.into(),
                        message: format!("the type of {key} {place} cannot be found: {source}"),
                    }
                }
                other => other.into(),
            },
            error => error,
        }
    }

    fn cut(&mut self, window: &[u8], wanted: u64, left: u64, is_exact: bool) -> Option<ParseError> {
        let at_end = window.len() as u64 >= left;
        (is_exact || at_end || left > LAST_LOOK).then(|| {
            let message = format!("expected {} more bytes of the value, got the end of the input", wanted - left);
            let end = usize::try_from(left).unwrap_or(usize::MAX);
            ParseError { at_end: true, ..ParseError::new(end, message) }
        })
    }
}

/// Whether the type of a value is known only when all of it has been parsed.
fn fits_by_bytes(value_type: ValueType) -> bool {
    !matches!(value_type.row().found, Found::AtStart(_))
}

/// The type that the start of the first value shows.
fn detect(window: &[u8], at_end: bool) -> (Detected, Option<ValueType>) {
    for &value_type in ValueType::ALL {
        if let Found::AtStart(detect) = value_type.row().found {
            match detect(window, at_end) {
                Detected::No => {}
                detected => return (detected, Some(value_type)),
            }
        }
    }
    (Detected::No, None)
}

/// Whether the first line can only be numbers, so that it does not count as words even if it is cut.
fn has_brackets(window: &[u8]) -> bool {
    let line = window.trim_ascii_start().split(|&byte| byte == b'\n').next().unwrap_or_default();
    line.starts_with(b"rows=") || line.split(u8::is_ascii_whitespace).any(|word| matches!(word, b"[" | b"]" | b"[]"))
}

/// Whether all types see the end of the value at the same place, or none of them sees it.
fn agree(fits: &[Fit], window: &[u8]) -> bool {
    let mut ends = fits.iter().map(|&(value_type, frame)| match (length(frame), frame) {
        (Some(length), _) => Some(next_key(value_type, length, window)),
        (None, Frame::Rest) => Some(u64::MAX),
        _ => None,
    });
    let first = ends.next();
    ends.all(|end| Some(end) == first)
}

/// The start of the key after a value: white space after text belongs to neither.
fn next_key(value_type: ValueType, length: u64, window: &[u8]) -> u64 {
    let rest = usize::try_from(length).ok().and_then(|length| window.get(length..));
    let blank = match rest {
        Some(rest) if value_type.is_text(window) => rest.len() - rest.trim_ascii_start().len(),
        _ => 0,
    };
    length + blank as u64
}

/// Removes the types that fail after the value, as far as the window shows it. If all fail, the one that comes furthest
/// is kept.
fn follow_each(fits: &mut Vec<Fit>, window: &[u8], at_end: bool) {
    let reaches: Vec<Option<usize>> = fits.iter().map(|fit| reach(fit, window, at_end)).collect();
    let furthest = reaches.iter().rposition(|reach| *reach == reaches.iter().copied().max().flatten());
    let all_fail = reaches.iter().all(Option::is_some);
    let mut index = 0;
    fits.retain(|_| {
        let keep = reaches[index].is_none() || (all_fail && Some(index) == furthest);
        index += 1;
        keep
    });
}

/// Whether the first value probably has a type for which it is cut. This is so if impossible bytes follow the value for
/// the types that it fits: the start of a matrix, `\0BFM \x04`, may be the truth value `F` and a key `M`, but then no
/// other value follows.
fn is_rather_cut(fits: &[Fit], refusals: &[(ValueType, ParseError)], window: &[u8]) -> bool {
    let has_no_entry_after = |fit: &Fit| match fit.1 {
        Frame::Whole(length) => reach(fit, window, false) == Some(length) && !has_marked_entry(&window[length..]),
        _ => false,
    };
    refusals.iter().any(|(_, error)| error.at_end) && fits.iter().all(has_no_entry_after)
}

/// Whether a key and the marker of a binary value are at the start, so that an entry starts there, even a damaged one.
fn has_marked_entry(window: &[u8]) -> bool {
    matches!(front(window, false), Ok(Front::Key { value, .. }) if window[value..].starts_with(b"\0B"))
}

/// Where the bytes after a value cannot be of its type; `None` if they can.
fn reach(&(value_type, frame): &Fit, window: &[u8], at_end: bool) -> Option<usize> {
    let Frame::Whole(length) = frame else { return None };
    follow(value_type, window.get(length..)?, at_end).map(|reach| reach + length)
}

/// Where the entries in `window` cannot be of the type; `None` if they can.
fn follow(value_type: ValueType, window: &[u8], at_end: bool) -> Option<usize> {
    let mut at = 0;
    loop {
        let rest = &window[at..];
        let value = match front(rest, at_end) {
            Ok(Front::Key { value, .. }) => &rest[value..],
            Ok(Front::Nothing | Front::More) => return None,
            Ok(Front::Cut) | Err(_) => return Some(at),
        };
        let checked = value_type.frame(value, at_end).and_then(|frame| {
            value_type.check(value, frame)?;
            Ok(frame)
        });
        match checked {
            Ok(Frame::Whole(length)) => at = window.len() - value.len() + length,
            Ok(_) => return None,
            Err(_) => return Some(at),
        }
    }
}

/// Names types for a message: `matrix`, `int32 or float`.
pub fn join_names(types: &[ValueType]) -> String {
    types.iter().map(|value_type| value_type.name()).collect::<Vec<_>>().join(" or ")
}

/// The type of a value that starts like this and could not be read as another one; `at_end` says that nothing follows
/// the window. `None` if no type fits, or several do and none is probable.
pub(crate) fn find_type(window: &[u8], at_end: bool) -> Option<ValueType> {
    if window.trim_ascii().is_empty() {
        return None;
    }
    if let (Detected::Yes, found) = detect(window, true) {
        return found;
    }
    let is_possible =
        |value_type: &ValueType| fits_by_bytes(*value_type) && !(value_type.is_words() && has_brackets(window));
    let fit = |value_type: ValueType| {
        let frame = value_type.frame(window, at_end).ok()?;
        value_type.check(window, frame).ok()?;
        Some((value_type, frame))
    };
    let fits = ValueType::recognizable().filter(is_possible).filter_map(fit);
    let mut fits: Vec<Fit> = fits.filter(|fit| reach(fit, window, at_end).is_none()).collect();
    // A complete value is more probable than one that goes on beyond the window.
    fits.sort_by_key(|(value_type, frame)| (!matches!(frame, Frame::Whole(_)), value_type.row().rarity));
    let is_known = |fit: &&Fit| !matches!(fit.1, Frame::Partial(_));
    let known: Vec<ValueType> = fits.iter().filter(is_known).map(|fit| fit.0).collect();
    match (known.first(), fits.as_slice()) {
        (Some(first), _) => {
            let mut evidence = Evidence::default();
            evidence.add(window, first.is_text(window));
            Some(evidence.choose(&known))
        }
        (None, [(only, _)]) => Some(*only),
        (None, _) => None,
    }
}
