//! The types of values that a table may have.

use std::fmt;
use std::str::FromStr;

use kaldi_io::ParseError;
use kaldi_matrix::{GeneralMatrix, HtkFeatures, SphinxFeatures, Vector};
use kaldi_values::{Cursor, Frame, Value};
use kaldi_values::{GaussPost, Posterior, Token, Tokens};
use kaldi_wave::Samples;
use memchr::memchr;

type Result<T> = std::result::Result<T, ParseError>;

const ZERO: &str = "expected text, got a zero byte";

/// A type of values, known by its name.
pub struct ValueType {
    name: &'static str,
    frame: fn(&[u8], bool) -> Result<Frame>,
    parse: fn(&[u8], bool) -> Result<()>,
    text: Text,
}

/// How the text form of a type ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Text {
    /// There is none: all bytes may be anything.
    None,
    /// With the line.
    Line,
    /// With the line, and any words may be on it.
    Words,
    /// With a bracket or a count.
    Closed,
}

/// All types, those before others that say more about a value.
static TYPES: [ValueType; 16] = [
    ValueType::of::<GeneralMatrix>("matrix", Text::Closed),
    ValueType::of::<Vector<f32>>("vector", Text::Closed),
    ValueType { name: "wave", frame: frame_wave, parse: parse_wave, text: Text::None },
    ValueType::of::<i32>("int32", Text::Line),
    ValueType::of::<f32>("float", Text::Line),
    ValueType::of::<f64>("double", Text::Line),
    ValueType::of::<bool>("bool", Text::Line),
    ValueType::of::<Vec<i32>>("int32-vector", Text::Line),
    ValueType::of::<Vec<Vec<i32>>>("int32-vector-vector", Text::Line),
    ValueType::of::<Vec<(i32, i32)>>("int32-pairs", Text::Line),
    ValueType::of::<Vec<(f32, f32)>>("float-pairs", Text::Line),
    ValueType::of::<Posterior>("posterior", Text::Line),
    ValueType::of::<GaussPost>("gauss-post", Text::Closed),
    ValueType::of::<Token>("token", Text::Words),
    // Any line of words is one.
    ValueType { name: "token-vector", frame: Tokens::frame, parse: |_, _| Ok(()), text: Text::Words },
    ValueType::of::<HtkFeatures>("htk", Text::None),
];

/// Sphinx features begin with a number alone, so that nearly anything might be some.
static SPHINX: ValueType = ValueType::of::<SphinxFeatures>("sphinx", Text::None);

impl ValueType {
    const fn of<T: Value>(name: &'static str, text: Text) -> Self {
        Self { name, frame: T::frame, parse: parse::<T>, text }
    }

    /// Every type.
    pub fn all() -> impl Iterator<Item = &'static Self> {
        TYPES.iter().chain([&SPHINX])
    }

    /// The types that can be told from their bytes: all but HTK and Sphinx features.
    pub fn recognizable() -> impl Iterator<Item = &'static Self> {
        TYPES.iter().filter(|value_type| value_type.name != "htk")
    }

    /// The name, a word such as `int32-vector`.
    pub fn name(&self) -> &'static str {
        self.name
    }

    /// Whether a value that starts so is in text form.
    pub fn is_text(&self, window: &[u8]) -> bool {
        self.text != Text::None && window.first() != Some(&0)
    }

    /// Whether values are words, so that any text may be some.
    pub(crate) fn is_words(&self) -> bool {
        self.text == Text::Words
    }

    /// Tells how far the value at the start of `window` reaches; `at_end` says that nothing follows the window.
    ///
    /// Headers and terminators are looked at; besides, lines of text are parsed, since any line has a terminator.
    ///
    /// # Errors
    /// Where the window does not start with such a value, or where the value is cut and `at_end` is set.
    pub fn frame(&self, window: &[u8], at_end: bool) -> Result<Frame> {
        if !self.is_text(window) {
            return match self.text {
                Text::Words => Err(ParseError::new(0, ZERO)),
                _ => (self.frame)(window, at_end),
            };
        }
        let frame = (self.frame)(window, at_end)?;
        let Some(text) = within(frame, window) else {
            return match memchr(0, window) {
                Some(offset) => Err(ParseError::new(offset, ZERO)),
                None => Ok(frame),
            };
        };
        if self.text == Text::Words {
            check_words(text)?;
        }
        if self.text != Text::Closed {
            (self.parse)(text, true)?;
        }
        Ok(frame)
    }

    /// Looks closer, given what [`ValueType::frame`] has found: parses the value, or what is there of it.
    ///
    /// # Errors
    /// Where what is there cannot be parsed.
    pub(crate) fn check(&self, window: &[u8], frame: Frame) -> Result<()> {
        match within(frame, window) {
            Some(value) => (self.parse)(value, true),
            None if self.is_text(window) => {
                // The last word may be cut.
                let end = window.iter().rposition(u8::is_ascii_whitespace).map_or(0, |last| last + 1);
                (self.parse)(&window[..end], false)
            }
            None => (self.parse)(window, false),
        }
    }
}

/// The bytes of a value that is whole in the window.
fn within(frame: Frame, window: &[u8]) -> Option<&[u8]> {
    match frame {
        Frame::Whole(length) => window.get(..length),
        Frame::Beyond(_) | Frame::Rest | Frame::Partial(_) => None,
    }
}

/// The length of the value, where it is known.
pub(crate) fn length(frame: Frame) -> Option<u64> {
    match frame {
        Frame::Whole(length) => Some(length as u64),
        Frame::Beyond(length) => Some(length),
        Frame::Rest | Frame::Partial(_) => None,
    }
}

/// Refuses control characters, as they stand in anything but text.
fn check_words(text: &[u8]) -> Result<()> {
    let is_foreign = |byte: &u8| matches!(byte, 0..=8 | 14..=31 | 0x7f | 0xff);
    // Nearly always there is none, which is found out faster without stopping at the first.
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

/// Unlike as a value, a file whose samples are cut is not whole: the rest of it is damaged.
fn frame_wave(window: &[u8], at_end: bool) -> Result<Frame> {
    if window.starts_with(b"fLaC") {
        return Ok(Frame::Rest);
    }
    match Samples::read(window) {
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

/// Reads the name of a type.
impl FromStr for &'static ValueType {
    type Err = UnknownType;

    fn from_str(name: &str) -> std::result::Result<Self, UnknownType> {
        ValueType::all().find(|value_type| value_type.name == name).ok_or(UnknownType)
    }
}

impl fmt::Debug for ValueType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

impl PartialEq for ValueType {
    fn eq(&self, other: &Self) -> bool {
        self.name == other.name
    }
}

/// The name of no type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct UnknownType;

impl fmt::Display for UnknownType {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names: Vec<&str> = ValueType::all().map(ValueType::name).collect();
        write!(f, "expected one of {}", names.join(", "))
    }
}

impl std::error::Error for UnknownType {}
