//! Numbers and truth values in their two forms.

use byteorder::{ByteOrder, LittleEndian};

use crate::Cursor;
use kaldi_io::ParseError;

type Result<T> = std::result::Result<T, ParseError>;

/// A number or truth value in Kaldi's two forms (`ReadBasicType`, `WriteBasicType`).
pub trait Basic: Copy {
    /// Reads the binary form: a size byte and the little-endian number; `T` or `F` for truth values.
    ///
    /// # Errors
    /// If the size byte is of another type, or the bytes end.
    fn read_binary(cursor: &mut Cursor<'_>) -> Result<Self>;

    /// Reads the text form, after white space.
    ///
    /// # Errors
    /// If there is no such number, or it does not fit.
    fn read_text(cursor: &mut Cursor<'_>) -> Result<Self>;

    /// Appends the binary form.
    fn write_binary(self, out: &mut Vec<u8>);

    /// Appends the text form, without the space after it.
    fn write_text(self, out: &mut Vec<u8>);
}

impl Cursor<'_> {
    /// Consumes a number or truth value (Kaldi's `ReadBasicType`).
    ///
    /// # Errors
    /// If there is none, its size byte is of another type, or it does not fit.
    pub fn read_basic<T: Basic>(&mut self) -> Result<T> {
        if self.is_binary() { T::read_binary(self) } else { T::read_text(self) }
    }

    /// Consumes a number in text form on the same line; `wanted` names it in the error if there is none.
    ///
    /// # Errors
    /// If the line ends or anything else is there, or the number does not fit.
    pub fn read_on_line<T: Basic>(&mut self, wanted: &str) -> Result<T> {
        self.skip_blanks();
        match self.peek() {
            None | Some(b'\n') => Err(self.expected(wanted)),
            Some(_) => T::read_text(self),
        }
    }
}

macro_rules! basic_integer {
    ($type:ty, $size_byte:expr) => {
        impl Basic for $type {
            fn read_binary(cursor: &mut Cursor<'_>) -> Result<Self> {
                const SIZE: usize = size_of::<$type>();
                let start = cursor.offset();
                let size = cursor.take(1)?[0];
                if size as i8 != $size_byte {
                    return Err(ParseError::new(
                        start,
                        format!("expected an integer of size byte {}, got size byte {}", $size_byte, size as i8),
                    ));
                }
                // The cast keeps the bits of unsigned integers.
                Ok(LittleEndian::read_int(cursor.take(SIZE)?, SIZE) as Self)
            }

            fn read_text(cursor: &mut Cursor<'_>) -> Result<Self> {
                cursor.read_number("an integer", |bytes| {
                    let (value, length) = crate::number::parse_integer(bytes)?;
                    Ok((Self::try_from(value).map_err(|_| crate::number::NumberError::OutOfRange)?, length))
                })
            }

            fn write_binary(self, out: &mut Vec<u8>) {
                out.push($size_byte as u8);
                out.extend_from_slice(&self.to_le_bytes());
            }

            fn write_text(self, out: &mut Vec<u8>) {
                crate::number::write_integer(out, self as i64);
            }
        }
    };
}

// The size byte is the width, negative for unsigned types.
basic_integer!(i8, 1_i8);
basic_integer!(u8, -1_i8);
basic_integer!(i16, 2_i8);
basic_integer!(u16, -2_i8);
basic_integer!(i32, 4_i8);
basic_integer!(u32, -4_i8);
basic_integer!(i64, 8_i8);

macro_rules! basic_float {
    ($type:ty, $parse:path, $write:path) => {
        impl Basic for $type {
            fn read_binary(cursor: &mut Cursor<'_>) -> Result<Self> {
                let start = cursor.offset();
                match cursor.take(1)?[0] {
                    4 => Ok(LittleEndian::read_f32(cursor.take(4)?) as Self),
                    8 => Ok(LittleEndian::read_f64(cursor.take(8)?) as Self),
                    size => Err(ParseError::new(start, format!("expected a float of size 4 or 8, got size {size}"))),
                }
            }

            fn read_text(cursor: &mut Cursor<'_>) -> Result<Self> {
                cursor.read_number("a number", $parse)
            }

            fn write_binary(self, out: &mut Vec<u8>) {
                out.push(size_of::<$type>() as u8);
                out.extend_from_slice(&self.to_le_bytes());
            }

            fn write_text(self, out: &mut Vec<u8>) {
                $write(out, self);
            }
        }
    };
}

basic_float!(f32, crate::number::parse_f32, crate::number::write_f32);
basic_float!(f64, crate::number::parse_f64, crate::number::write_f64);

impl Basic for bool {
    fn read_binary(cursor: &mut Cursor<'_>) -> Result<Self> {
        match cursor.peek() {
            Some(byte @ (b'T' | b'F')) => {
                cursor.advance(1);
                Ok(byte == b'T')
            }
            _ => Err(cursor.expected("\"T\" or \"F\"")),
        }
    }

    fn read_text(cursor: &mut Cursor<'_>) -> Result<Self> {
        cursor.skip_space();
        Self::read_binary(cursor)
    }

    fn write_binary(self, out: &mut Vec<u8>) {
        out.push(if self { b'T' } else { b'F' });
    }

    fn write_text(self, out: &mut Vec<u8>) {
        self.write_binary(out);
    }
}

#[cfg(test)]
mod tests {
    use std::fmt::Debug;

    use super::*;
    use crate::{Format, write_basic};

    #[track_caller]
    fn forms<T: Basic + PartialEq + Debug>(value: T, binary: &[u8], text: &str) {
        let mut out = Vec::new();
        write_basic(&mut out, Format::Binary, value);
        assert_eq!(out, binary);
        assert_eq!(T::read_binary(&mut Cursor::new(binary)), Ok(value));
        for cut in 0..binary.len() {
            assert!(T::read_binary(&mut Cursor::new(&binary[..cut])).unwrap_err().at_end);
        }

        out.clear();
        write_basic(&mut out, Format::Text, value);
        assert_eq!(out, format!("{text} ").as_bytes());
        let mut cursor = Cursor::new(&out);
        assert_eq!(cursor.read_basic(), Ok(value));
        assert_eq!(cursor.rest(), b" ");
    }

    #[test]
    fn the_size_byte_tells_width_and_sign() {
        forms(-2_i8, b"\x01\xfe", "-2");
        forms(200_u8, b"\xff\xc8", "200");
        forms(-2_i16, b"\x02\xfe\xff", "-2");
        forms(2_u16, b"\xfe\x02\0", "2");
        forms(-2_i32, b"\x04\xfe\xff\xff\xff", "-2");
        forms(2_u32, b"\xfc\x02\0\0\0", "2");
        forms(i64::MIN, b"\x08\0\0\0\0\0\0\0\x80", "-9223372036854775808");
        forms(0.5_f32, b"\x04\0\0\0\x3f", "0.5");
        forms(0.5_f64, b"\x08\0\0\0\0\0\0\xe0\x3f", "0.5");
        forms(true, b"T", "T");
        forms(false, b"F", "F");
    }

    #[test]
    fn integers_of_another_size_are_refused() {
        let error = u32::read_binary(&mut Cursor::new(b"\x04\0\0\0\0")).unwrap_err();
        assert_eq!(&*error.message, "expected an integer of size byte -4, got size byte 4");
        let error = i8::read_text(&mut Cursor::new(b"128")).unwrap_err();
        assert_eq!(&*error.message, "an integer is out of range: \"128\"");
        assert!(u32::read_text(&mut Cursor::new(b"-1")).is_err());
    }

    #[test]
    fn floats_are_read_in_either_width() {
        assert_eq!(f32::read_binary(&mut Cursor::new(b"\x08\0\0\0\0\0\0\xe0\x3f")), Ok(0.5));
        assert_eq!(f64::read_binary(&mut Cursor::new(b"\x04\0\0\0\x3f")), Ok(0.5));
        assert!(f32::read_binary(&mut Cursor::new(b"\x02\0\0")).is_err_and(|error| !error.at_end));
    }
}
