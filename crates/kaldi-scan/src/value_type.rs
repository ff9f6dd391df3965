//! The types of values that a table may have.

use std::fmt;
use std::str::FromStr;

use kaldi_io::{Cursor, Frame, ParseError, Value};
use kaldi_matrix::{GeneralMatrix, HtkFeatures, SphinxFeatures, Vector};
use kaldi_values::{GaussPost, Posterior, Token, Tokens};
use memchr::memchr;

type Result<T> = std::result::Result<T, ParseError>;

/// How far a value reaches, as seen from a window that starts at its first byte.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// It takes this many bytes, which may be more than the window holds.
    Bytes(u64),
    /// It takes all that follows.
    Rest,
    /// The window must hold at least this many bytes before it is worth asking again.
    More(u64),
}

const ZERO: &str = "expected text, got a zero byte";

/// A type of values, known by its name.
pub struct ValueType {
    name: &'static str,
    extent: fn(&[u8], bool) -> Result<Extent>,
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
    ValueType { name: "wave", extent: extent_of_wave, parse: parse_wave, text: Text::None },
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
    ValueType { name: "token-vector", extent: extent::<Tokens>, parse: |_, _| Ok(()), text: Text::Words },
    ValueType::of::<HtkFeatures>("htk", Text::None),
];

/// Sphinx features begin with a number alone, so that nearly anything might be some.
static SPHINX: ValueType = ValueType::of::<SphinxFeatures>("sphinx", Text::None);

impl ValueType {
    const fn of<T: Value>(name: &'static str, text: Text) -> Self {
        Self { name, extent: extent::<T>, parse: parse::<T>, text }
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
    pub fn extent(&self, window: &[u8], at_end: bool) -> Result<Extent> {
        if !self.is_text(window) {
            return match self.text {
                Text::Words => Err(ParseError::new(0, ZERO)),
                _ => (self.extent)(window, at_end),
            };
        }
        let extent = (self.extent)(window, at_end)?;
        let Some(text) = within(extent, window) else {
            return match memchr(0, window) {
                Some(offset) => Err(ParseError::new(offset, ZERO)),
                None => Ok(extent),
            };
        };
        if self.text == Text::Words {
            check_words(text)?;
        }
        if self.text != Text::Closed {
            (self.parse)(text, true)?;
        }
        Ok(extent)
    }

    /// Looks closer, given what [`ValueType::extent`] has found: parses the value, or what is there of it.
    ///
    /// # Errors
    /// Where what is there cannot be parsed.
    pub(crate) fn check(&self, window: &[u8], extent: Extent) -> Result<()> {
        match within(extent, window) {
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
fn within(extent: Extent, window: &[u8]) -> Option<&[u8]> {
    match extent {
        Extent::Bytes(length) => window.get(..usize::try_from(length).ok()?),
        Extent::Rest | Extent::More(_) => None,
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

fn extent<T: Value>(window: &[u8], at_end: bool) -> Result<Extent> {
    T::frame(window, at_end).map(|frame| match frame {
        Frame::Whole(length) => Extent::Bytes(length as u64),
        Frame::Beyond(length) => Extent::Bytes(length),
        Frame::Partial(length) => Extent::More(length),
    })
}

fn parse<T: Value>(window: &[u8], is_whole: bool) -> Result<()> {
    let mut cursor = if is_whole { Cursor::new(window) } else { Cursor::new_open(window) };
    match T::read(&mut cursor) {
        Err(error) if error.at_end && !is_whole => Ok(()),
        other => other.map(drop),
    }
}

/// Unlike as a value, a file whose samples are cut is not whole: what is cut is damaged.
fn extent_of_wave(window: &[u8], at_end: bool) -> Result<Extent> {
    if window.starts_with(b"fLaC") {
        return Ok(Extent::Rest);
    }
    match kaldi_wave::Extent::read(window) {
        Ok(wave) => Ok(match (wave.num_bytes, wave.frame(window, at_end)) {
            (None, _) => Extent::Rest,
            (Some(num_bytes), Frame::Whole(length)) => Extent::Bytes((length as u64).max(wave.samples + num_bytes)),
            (Some(_), Frame::Beyond(length)) => Extent::Bytes(length),
            (Some(_), Frame::Partial(length)) => Extent::More(length),
        }),
        Err(error) if error.at_end && !at_end => Ok(Extent::More(window.len() as u64 + 1)),
        Err(error) => Err(error),
    }
}

fn parse_wave(window: &[u8], is_whole: bool) -> Result<()> {
    extent_of_wave(window, is_whole).map(drop)
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
