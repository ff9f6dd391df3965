//! The ends of values.

use kaldi_io::ParseError;
use kaldi_value::Frame;
use kaldi_wave::{WaveSamples, sound_suffix};
use memchr::memchr;

use crate::graphs;
use crate::row::{Text, within};
use crate::value_type::ValueType;

type Result<T> = std::result::Result<T, ParseError>;

const ZERO: &str = "expected text, got a zero byte";

impl ValueType {
    /// Whether a value that starts like this is in text form.
    pub fn is_text(self, window: &[u8]) -> bool {
        self.row().text != Text::None && window.first() != Some(&0) && !graphs::starts_binary(window)
    }

    /// Returns how far the value at the start of `window` reaches; `at_end` says that nothing follows the window.
    ///
    /// Headers and terminators are looked at; in addition, lines of text are parsed, since any line has a terminator.
    ///
    /// # Errors
    /// If the window does not start with such a value, or if the value is cut and `at_end` is set.
    pub fn frame(self, window: &[u8], at_end: bool) -> Result<Frame> {
        let row = self.row();
        if !self.is_text(window) {
            return match row.text {
                Text::Words => Err(ParseError::new(0, ZERO)),
                _ => (row.frame)(window, at_end),
            };
        }
        let frame = (row.frame)(window, at_end)?;
        let Some(text) = within(frame, window) else {
            return match memchr(0, window) {
                Some(offset) => Err(ParseError::new(offset, ZERO)),
                None => Ok(frame),
            };
        };
        if row.text == Text::Words {
            check_words(text)?;
        }
        if matches!(row.text, Text::Line | Text::Words) {
            (row.parse)(text, true)?;
        }
        Ok(frame)
    }

    /// Checks more closely, given the result of [`ValueType::frame`]: parses the value, or the part of it that is
    /// there.
    ///
    /// # Errors
    /// If this part cannot be parsed.
    pub(crate) fn check(self, window: &[u8], frame: Frame) -> Result<()> {
        let parse = self.row().parse;
        match within(frame, window) {
            Some(value) => parse(value, true),
            None if self.is_text(window) => {
                // The last word may be cut.
                let end = window.iter().rposition(u8::is_ascii_whitespace).map_or(0, |last| last + 1);
                parse(&window[..end], false)
            }
            None => parse(window, false),
        }
    }
}

/// The length of the value, if it is known.
pub(crate) fn length(frame: Frame) -> Option<u64> {
    match frame {
        Frame::Whole(length) => Some(length as u64),
        Frame::Beyond(length) => Some(length),
        Frame::Rest | Frame::Partial(_) => None,
    }
}

/// Returns an error for control characters, which only other data than text has.
fn check_words(text: &[u8]) -> Result<()> {
    let is_foreign = |byte: &u8| matches!(byte, 0..=8 | 14..=31 | 0x7f | 0xff);
    // Nearly always there is none, and a loop that does not stop early is faster.
    if !text.iter().fold(false, |found, byte| found | is_foreign(byte)) {
        return Ok(());
    }
    let offset = text.iter().position(is_foreign).unwrap_or(0);
    Err(ParseError::new(offset, format!("expected words, got \"{}\"", text[offset].escape_ascii())))
}

/// Unlike as a single value, a file with missing samples is not complete here: the rest of it is damaged.
pub(crate) fn of_wave(window: &[u8], at_end: bool) -> Result<Frame> {
    if sound_suffix(window).is_some_and(|suffix| suffix != "wav") {
        return Ok(Frame::Rest);
    }
    match WaveSamples::read(window) {
        Ok(samples) => Ok(match (samples.num_bytes, samples.frame(window, at_end)) {
            (None, _) => Frame::Rest,
            (Some(num_bytes), Frame::Whole(length)) if samples.start + num_bytes > length as u64 => {
                Frame::Beyond(samples.start + num_bytes)
            }
            (Some(_), frame) => frame,
        }),
        Err(error) if error.at_end && !at_end => Ok(Frame::Partial(window.len() as u64 + 1)),
        Err(error) => Err(error),
    }
}
