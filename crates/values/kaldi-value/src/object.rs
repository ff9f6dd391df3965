//! Objects that are alone in a file, or a part of a larger one.

use kaldi_io::{Frame, ParseError};

use crate::value::{Value, frame_between_tokens, frame_by_parsing};
use crate::{Cursor, Format};

/// An object that reads and writes itself after a binary marker, which is that of the file or of a larger object (what Kaldi's
/// `KaldiObjectHolder` holds), such as a model. By it, it is a [`Value`], too.
pub trait KaldiObject: Sized + Send + 'static {
    /// As [`Value::NAME`].
    const NAME: &'static str;

    /// The first and the last token; `None` if the end of its text can only be found by parsing it.
    const TOKENS: Option<[&'static str; 2]> = None;

    /// As [`Value::frame`].
    ///
    /// # Errors
    /// As [`Value::frame`].
    fn frame_object(window: &[u8], at_end: bool) -> Result<Frame, ParseError> {
        match Self::TOKENS {
            Some([begin, end]) => frame_between_tokens::<Self>(window, at_end, begin, end),
            None => frame_by_parsing::<Self>(window, at_end),
        }
    }

    /// Consumes an object, in the form that the cursor has found.
    ///
    /// # Errors
    /// If the bytes are no such object, or its parts do not fit each other.
    fn read_part(cursor: &mut Cursor<'_>) -> Result<Self, ParseError>;

    /// Appends the object, without a binary marker.
    fn write_part(&self, out: &mut Vec<u8>, format: Format);
}

impl<T: KaldiObject> Value for T {
    const NAME: &'static str = <T as KaldiObject>::NAME;

    fn frame(window: &[u8], at_end: bool) -> Result<Frame, ParseError> {
        T::frame_object(window, at_end)
    }

    fn read(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        cursor.read_marker()?;
        T::read_part(cursor)
    }

    fn write(&self, out: &mut Vec<u8>, format: Format) {
        format.write_marker(out);
        self.write_part(out, format);
    }
}
