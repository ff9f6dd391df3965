//! The functions of a type of values, for code that is compiled once for all types.

use kaldi_io::ParseError;
use kaldi_value::{Cursor, Format, Value};

use crate::framing::PartFn;
use crate::ranged::Binary;

/// What reading an entry needs of the type of its value (a virtual method table).
#[derive(Clone, Copy, Debug)]
pub(crate) struct ValueFns {
    pub(crate) check_name: fn(&[u8], &str) -> Result<(), ParseError>,
    pub(crate) part: PartFn,
    /// Reads a value, and appends it in binary form to bytes, if there are any.
    pub(crate) copy: fn(&mut Cursor<'_>, Option<&mut Vec<u8>>) -> Result<(), ParseError>,
}

/// Reads a value, or the part of it that the range of a script line names, and keeps it.
pub(crate) type ReadFn<'a> = dyn FnMut(&mut Cursor<'_>, Option<&[u8]>) -> Result<(), ParseError> + 'a;

impl ValueFns {
    /// The functions of the type `T`.
    pub(crate) const fn of<T: Value>() -> &'static Self {
        const {
            &Self {
                check_name: T::check_name,
                part: T::part,
                copy: |cursor, bytes| {
                    let value = T::read(cursor)?;
                    if let Some(bytes) = bytes {
                        value.write(bytes, Format::Binary);
                    }
                    Ok(())
                },
            }
        }
    }

    /// Reads a value and drops it.
    pub(crate) fn check(&self, cursor: &mut Cursor<'_>) -> Result<(), ParseError> {
        (self.copy)(cursor, None)
    }

    /// Converts text to the binary form.
    pub(crate) fn to_binary(self, text: &[u8]) -> Result<Binary, ParseError> {
        let (mut cursor, mut bytes) = (Cursor::new(text), Vec::new());
        (self.copy)(&mut cursor, Some(&mut bytes))?;
        Ok(Binary { bytes, warnings: cursor.take_warnings() })
    }
}

/// What `read` returns, of a function that takes a [`ReadFn`] and calls it until it succeeds.
pub(crate) fn kept<U, E>(value: Option<U>, read: Result<(), E>) -> Result<U, E> {
    read?;
    match value {
        Some(value) => Ok(value),
        None => unreachable!("a value that was read is kept"),
    }
}
