//! What there is to know about a type of values.

use kaldi_io::{FrameFn, ParseError};
use kaldi_value::{Cursor, Format, Frame, Value};

use crate::advice::TypeAdvice;
use crate::content::{Content, IntoContent, part};
use crate::frames::Frames;
use crate::header::Header;

type Result<T> = std::result::Result<T, ParseError>;

/// How the text form of a type ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Text {
    /// There is no text form: any bytes are possible.
    None,
    /// At the end of the line.
    Line,
    /// At the end of the line, which may have any words.
    Words,
    /// At a bracket or a count, with the end of the line after it.
    Closed,
    /// At an empty line or a token. Nothing has to follow.
    Own,
}

/// What the start of a value shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Detected {
    /// It has this type and no other.
    Yes,
    /// It has another type.
    No,
    /// More bytes are needed to know.
    NeedMoreBytes,
}

/// How the type of a value is found by looking.
#[derive(Clone, Copy)]
pub(crate) enum Found {
    /// The type fits the bytes of all values. Others may fit, too.
    ByFit,
    /// The first value shows it. The function gets its bytes, what follows them, and whether nothing follows these.
    AtStart(fn(&[u8], bool) -> Detected),
    /// It has to be named.
    Never,
}

/// Reads the header of a value, `beyond` bytes of which are missing; `None` if the value has to be parsed.
pub(crate) type ReadHeader = fn(head: &[u8], beyond: u64, range: Option<&[u8]>) -> Result<Option<Header>>;

/// Reads the content of a value, or of a part of it.
pub(crate) type ReadContent = fn(&mut Cursor<'_>, Option<&[u8]>) -> Result<Content>;

/// Reads what a value, or a part of it, has over time.
pub(crate) type ReadFrames = fn(&mut Cursor<'_>, Option<&[u8]>) -> Result<Frames>;

/// Reads a value, or a part of it, and appends it in the given form.
pub(crate) type Rewrite = fn(&mut Cursor<'_>, Option<&[u8]>, Format, &mut Vec<u8>) -> Result<()>;

/// A type of values: its facts and functions. A row is made by [`Row::of`] or [`Row::without_content`], and says what is
/// different from most types.
#[derive(Clone, Copy)]
pub(crate) struct Row {
    /// A word such as `int32-vector`.
    pub name: &'static str,
    /// What a value is, and the tool that reads it.
    pub advice: TypeAdvice,
    /// How its text form ends.
    pub text: Text,
    /// How it is found by looking.
    pub found: Found,
    /// How rare values of the type are among those that fit the same bytes: an integer alone is most often a vector of
    /// integers, and pairs are rarer than posteriors.
    pub rarity: u8,
    /// Whether a value can be shown as text.
    pub has_text: bool,
    /// Whether the rows of a value are frames, in a table of utterances.
    pub has_frames_as_rows: bool,
    /// Whether all values of a table have the same number of columns, if there are columns.
    pub has_common_columns: bool,
    /// Finds the end of a value.
    pub frame: FrameFn,
    /// Checks a value, or the part of it that is there. `true` says that it is whole.
    pub parse: fn(&[u8], bool) -> Result<()>,
    /// Reads its header.
    pub header: ReadHeader,
    /// Reads its numbers or words; `None` if it has neither.
    pub content: Option<ReadContent>,
    /// Reads what it has over time; `None` if that is nothing.
    pub frames: Option<ReadFrames>,
    /// Writes it in another form.
    pub rewrite: Rewrite,
}

impl Row {
    /// A type of numbers or words.
    pub(crate) const fn of<T: Value + IntoContent>(name: &'static str, text: Text, advice: TypeAdvice) -> Self {
        Self {
            content: Some(|cursor, range| Ok(part::<T>(cursor, range)?.into_content())),
            ..Self::without_content::<T>(name, text, advice)
        }
    }

    /// A type whose values are neither numbers nor words.
    pub(crate) const fn without_content<T: Value>(name: &'static str, text: Text, advice: TypeAdvice) -> Self {
        Self {
            name,
            advice,
            text,
            found: Found::ByFit,
            rarity: 1,
            has_text: true,
            has_frames_as_rows: false,
            has_common_columns: true,
            frame: T::frame,
            parse: parse::<T>,
            header: |_, _, _| Ok(Some(Header::EMPTY)),
            content: None,
            frames: None,
            rewrite: rewrite::<T>,
        }
    }
}

fn parse<T: Value>(window: &[u8], is_whole: bool) -> Result<()> {
    let mut cursor = if is_whole { Cursor::new(window) } else { Cursor::new_open(window) };
    match T::read(&mut cursor) {
        Err(error) if error.at_end && !is_whole => Ok(()),
        other => other.map(drop),
    }
}

pub(crate) fn rewrite<T: Value>(
    cursor: &mut Cursor<'_>,
    range: Option<&[u8]>,
    format: Format,
    out: &mut Vec<u8>,
) -> Result<()> {
    part::<T>(cursor, range)?.write(out, format);
    Ok(())
}

/// The bytes of a value that is completely in the window.
pub(crate) fn within(frame: Frame, window: &[u8]) -> Option<&[u8]> {
    match frame {
        Frame::Whole(length) => window.get(..length),
        Frame::Beyond(_) | Frame::Rest | Frame::Partial(_) => None,
    }
}
