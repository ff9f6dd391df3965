//! Reading of vectors of integers.

use byteorder::{ByteOrder, LittleEndian};

use crate::{Basic, Cursor};
use kaldi_io::ParseError;

type Result<T> = std::result::Result<T, ParseError>;

impl<'a> Cursor<'a> {
    /// Consumes integers like Kaldi's `ReadIntegerVector`; the counterpart of
    /// [`write_int_vector`](crate::write_int_vector).
    ///
    /// # Errors
    /// If the form is not that of an integer vector, or a number does not fit.
    pub fn read_int_vector(&mut self) -> Result<Vec<i32>> {
        if self.is_binary() {
            let bytes = self.take_counted()?;
            return Ok(bytes.chunks_exact(4).map(LittleEndian::read_i32).collect());
        }
        let mut values = Vec::new();
        self.read_bracketed(|cursor| cursor.read_int_row(&mut values))?;
        Ok(values)
    }

    /// Consumes the header of a binary integer vector (size byte, count) and returns its elements' bytes.
    fn take_counted(&mut self) -> Result<&'a [u8]> {
        let size = self.take(1)?[0];
        if size != 4 {
            return Err(ParseError::new(self.offset() - 1, format!("expected element size 4, got {size}")));
        }
        let count = LittleEndian::read_i32(self.take(4)?);
        let Ok(count) = u64::try_from(count) else {
            return Err(ParseError::new(self.offset() - 4, format!("expected a count, got {count}")));
        };
        // A count below 2^31 times 4 bytes fits usize on every 64-bit machine.
        self.take((count * 4) as usize)
    }

    /// Consumes `[ ... ]`, calling `element` at each element; a newline after it is left.
    fn read_bracketed(&mut self, mut element: impl FnMut(&mut Self) -> Result<()>) -> Result<()> {
        self.skip_space();
        if self.peek() != Some(b'[') {
            return Err(self.expected("\"[\""));
        }
        self.advance(1);
        loop {
            self.skip_space();
            match self.peek() {
                Some(b']') => {
                    self.advance(1);
                    return Ok(());
                }
                Some(_) => element(self)?,
                None => return Err(self.end("\"]\"")),
            }
        }
    }

    /// Consumes integers in text form, up to the end of the line or to what ends a row for [`crate::number::parse_i32_row`].
    ///
    /// # Errors
    /// If there is not even one, or one does not fit.
    pub fn read_int_row(&mut self, values: &mut Vec<i32>) -> Result<()> {
        let before = values.len();
        match crate::number::parse_i32_row(self.rest(), values) {
            Ok(length) if self.may_go_on(length) => {
                Err(ParseError::end(self.offset() + length, "a space after a number"))
            }
            Ok(_) if values.len() == before => Err(self.expected("an integer")),
            Ok(length) => {
                self.advance(length);
                Ok(())
            }
            Err(error) => {
                // Reading the number alone gives the error its words.
                self.advance(error.offset);
                values.push(i32::read_text(self)?);
                Ok(())
            }
        }
    }
}
