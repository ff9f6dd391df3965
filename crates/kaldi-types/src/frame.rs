//! The ends of values.

use kaldi_io::ParseError;
use kaldi_matrix::{GeneralMatrix, HtkFeatures, SphinxFeatures, Vector};
use kaldi_values::{Cursor, Frame, Value};
use kaldi_values::{GaussPost, IntMatrix, Posterior, Token, Tokens};
use kaldi_wave::{WaveSamples, sound_suffix};
use memchr::memchr;

use crate::value_type::ValueType;

type Result<T> = std::result::Result<T, ParseError>;

const ZERO: &str = "expected text, got a zero byte";

/// How the text form of a type ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Text {
    /// There is no text form: any bytes are possible.
    None,
    /// At the end of the line.
    Line,
    /// At the end of the line, which may have any words.
    Words,
    /// At a bracket or a count.
    Closed,
}

/// The functions that find values of a type in a stream.
#[derive(Clone, Copy)]
struct Functions {
    frame: fn(&[u8], bool) -> Result<Frame>,
    parse: fn(&[u8], bool) -> Result<()>,
    text: Text,
}

impl Functions {
    const fn of<T: Value>(text: Text) -> Self {
        Self { frame: T::frame, parse: parse::<T>, text }
    }
}

fn functions(value_type: ValueType) -> Functions {
    match value_type {
        ValueType::Matrix => Functions::of::<GeneralMatrix>(Text::Closed),
        ValueType::Vector => Functions::of::<Vector<f32>>(Text::Closed),
        ValueType::Wave => Functions { frame: frame_wave, parse: parse_wave, text: Text::None },
        ValueType::Int32 => Functions::of::<i32>(Text::Line),
        ValueType::Float => Functions::of::<f32>(Text::Line),
        ValueType::Double => Functions::of::<f64>(Text::Line),
        ValueType::Bool => Functions::of::<bool>(Text::Line),
        ValueType::Int32Vector => Functions::of::<Vec<i32>>(Text::Line),
        ValueType::Int32Matrix => Functions::of::<IntMatrix>(Text::Line),
        ValueType::Int32VectorVector => Functions::of::<Vec<Vec<i32>>>(Text::Line),
        ValueType::Int32Pairs => Functions::of::<Vec<(i32, i32)>>(Text::Line),
        ValueType::FloatPairs => Functions::of::<Vec<(f32, f32)>>(Text::Line),
        ValueType::Posterior => Functions::of::<Posterior>(Text::Line),
        ValueType::GaussPost => Functions::of::<GaussPost>(Text::Closed),
        ValueType::Token => Functions::of::<Token>(Text::Words),
        // Any line of words is a value.
        ValueType::TokenVector => Functions { frame: Tokens::frame, parse: |_, _| Ok(()), text: Text::Words },
        ValueType::Htk => Functions::of::<HtkFeatures>(Text::None),
        ValueType::Sphinx => Functions::of::<SphinxFeatures>(Text::None),
    }
}

impl ValueType {
    /// Whether a value that starts like this is in text form.
    pub fn is_text(self, window: &[u8]) -> bool {
        functions(self).text != Text::None && window.first() != Some(&0)
    }

    /// Returns how far the value at the start of `window` reaches; `at_end` says that nothing follows the window.
    ///
    /// Headers and terminators are looked at; in addition, lines of text are parsed, since any line has a terminator.
    ///
    /// # Errors
    /// If the window does not start with such a value, or if the value is cut and `at_end` is set.
    pub fn frame(self, window: &[u8], at_end: bool) -> Result<Frame> {
        let functions = functions(self);
        if !self.is_text(window) {
            return match functions.text {
                Text::Words => Err(ParseError::new(0, ZERO)),
                _ => (functions.frame)(window, at_end),
            };
        }
        let frame = (functions.frame)(window, at_end)?;
        let Some(text) = within(frame, window) else {
            return match memchr(0, window) {
                Some(offset) => Err(ParseError::new(offset, ZERO)),
                None => Ok(frame),
            };
        };
        if functions.text == Text::Words {
            check_words(text)?;
        }
        if functions.text != Text::Closed {
            (functions.parse)(text, true)?;
        }
        Ok(frame)
    }

    /// Checks more closely, given the result of [`ValueType::frame`]: parses the value, or the part of it that is
    /// there.
    ///
    /// # Errors
    /// If this part cannot be parsed.
    pub(crate) fn check(self, window: &[u8], frame: Frame) -> Result<()> {
        let parse = functions(self).parse;
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

/// The bytes of a value that is completely in the window.
fn within(frame: Frame, window: &[u8]) -> Option<&[u8]> {
    match frame {
        Frame::Whole(length) => window.get(..length),
        Frame::Beyond(_) | Frame::Rest | Frame::Partial(_) => None,
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

fn parse<T: Value>(window: &[u8], is_whole: bool) -> Result<()> {
    let mut cursor = if is_whole { Cursor::new(window) } else { Cursor::new_open(window) };
    match T::read(&mut cursor) {
        Err(error) if error.at_end && !is_whole => Ok(()),
        other => other.map(drop),
    }
}

/// Unlike as a single value, a file with missing samples is not complete here: the rest of it is damaged.
fn frame_wave(window: &[u8], at_end: bool) -> Result<Frame> {
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

fn parse_wave(window: &[u8], is_whole: bool) -> Result<()> {
    frame_wave(window, is_whole).map(drop)
}
