//! The binary and text forms of symmetric matrices, as parts of larger objects.
//!
//! Binary: a token, `FP` in single or `DP` in double precision, the number of rows, and the lower triangle row after row.
//! Text: brackets, and a line for each row.
//!
//! ```text
//! DP ....2...a.......b.......c.......
//!
//! [
//! a
//! b c ]
//! ```

use kaldi_io::ParseError;
use kaldi_value::{Cursor, Format, write_basic, write_token};

use super::symmetric::packed_len;
use crate::{Real, SymmetricMatrix, binary, text};

type Result<T> = std::result::Result<T, ParseError>;

impl SymmetricMatrix {
    /// Consumes a matrix of either precision that is part of a larger object, in the form that the cursor has found.
    /// Follows Kaldi's `PackedMatrix::Read`.
    ///
    /// # Errors
    /// If the bytes are no symmetric matrix.
    pub fn read_part(cursor: &mut Cursor<'_>) -> Result<Self> {
        cursor.skip_space();
        let start = cursor.offset();
        if cursor.peek() == Some(b'[') {
            let data = text::read_rows(cursor)?;
            // The largest triangle that the elements can fill.
            let dim = ((8.0 * data.len() as f64 + 1.0).sqrt() / 2.0 - 0.5).round() as usize;
            if packed_len(dim) != data.len() {
                let message = format!("expected the lower triangle of a matrix, got {} numbers", data.len());
                return Err(ParseError::new(start, message));
            }
            return Ok(Self::from_vec(dim, data));
        }
        let width = match cursor.read_token()? {
            b"FP" => 4,
            b"DP" => 8,
            token => {
                let token = token.escape_ascii();
                return Err(ParseError::new(start, format!("expected token \"DP\", got \"{token}\"")));
            }
        };
        let size_at = cursor.offset();
        let size: i32 = cursor.read_basic()?;
        let Ok(dim) = usize::try_from(size) else {
            return Err(ParseError::new(size_at, format!("expected the size of a symmetric matrix, got {size}")));
        };
        let count = packed_len(dim);
        if cursor.is_binary() {
            let Some(length) = count.checked_mul(width) else {
                return Err(ParseError::new(size_at, format!("{dim} by {dim} elements are too many")));
            };
            let bytes = cursor.take(length)?;
            let mut data = Vec::with_capacity(count);
            binary::decode(&mut data, bytes, width);
            cursor.count_numbers(text::count_odd(&data), count);
            return Ok(Self::from_vec(dim, data));
        }
        let mut data = Vec::new();
        for _ in 0..count {
            data.push(cursor.read_basic()?);
        }
        cursor.count_numbers(text::count_odd(&data), count);
        Ok(Self::from_vec(dim, data))
    }

    /// Appends the matrix in the precision of `T`, as part of a larger object: without a binary marker.
    pub fn write_part<T: Real>(&self, out: &mut Vec<u8>, format: Format) {
        let elements: Vec<T> = self.as_slice().iter().map(|&value| T::from_f64(value)).collect();
        match format {
            Format::Binary => {
                write_token(out, if size_of::<T>() == 4 { b"FP" } else { b"DP" });
                write_basic(out, format, self.dim() as i32);
                T::encode_le(out, &elements);
            }
            Format::Text if self.is_empty() => out.extend_from_slice(b"[ ]\n"),
            Format::Text => {
                out.push(b'[');
                for row in 0..self.dim() {
                    out.push(b'\n');
                    T::write_row(out, &elements[packed_len(row)..packed_len(row + 1)]);
                }
                out.extend_from_slice(b"]\n");
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two() -> SymmetricMatrix {
        SymmetricMatrix::from_vec(2, vec![1.0, -2.5, 3.0])
    }

    fn written<T: Real>(matrix: &SymmetricMatrix, format: Format) -> Vec<u8> {
        let mut out = Vec::new();
        format.write_marker(&mut out);
        matrix.write_part::<T>(&mut out, format);
        out
    }

    fn read(bytes: &[u8]) -> Result<(SymmetricMatrix, usize)> {
        let mut cursor = Cursor::new(bytes);
        cursor.read_marker()?;
        Ok((SymmetricMatrix::read_part(&mut cursor)?, cursor.rest().len()))
    }

    #[test]
    fn what_is_written_is_read_again() {
        for format in [Format::Binary, Format::Text] {
            for matrix in [two(), SymmetricMatrix::new(0), SymmetricMatrix::new(1), SymmetricMatrix::identity(9)] {
                assert_eq!(read(&written::<f32>(&matrix, format)), Ok((matrix.clone(), 0)));
                assert_eq!(read(&written::<f64>(&matrix, format)), Ok((matrix, 0)));
            }
        }
    }

    #[test]
    fn the_forms_are_those_of_kaldi() {
        assert_eq!(written::<f64>(&two(), Format::Text), b"[\n1 \n-2.5 3 ]\n");
        assert_eq!(written::<f32>(&SymmetricMatrix::new(0), Format::Text), b"[ ]\n");
        let binary = b"\0BFP \x04\x02\0\0\0\0\0\x80\x3f\0\0\x20\xc0\0\0\x40\x40";
        assert_eq!(written::<f32>(&two(), Format::Binary), binary);
        assert!(written::<f64>(&two(), Format::Binary).starts_with(b"\0BDP \x04\x02\0\0\0"));
    }

    #[test]
    fn text_is_laid_out_freely() {
        for text in ["[ 1 -2.5 3 ]x", " [\n1\n-2.5 3\n]\nx", "FP 2 1 -2.5 3x", "[ 1 -2.5\t3]\r\nx"] {
            assert_eq!(read(text.as_bytes()), Ok((two(), 1)), "{text:?}");
        }
        let (odd, _) = read(b"[ nan inf -inf ]\n").unwrap();
        assert!(odd.as_slice()[0].is_nan() && odd.as_slice()[1..] == [f64::INFINITY, f64::NEG_INFINITY]);
    }

    #[test]
    fn what_is_no_triangle_is_refused() {
        let message = |bytes: &[u8]| read(bytes).unwrap_err().to_string();
        assert_eq!(message(b"[ 1 2 ]\n"), "expected the lower triangle of a matrix, got 2 numbers");
        assert_eq!(message(b"FM 1 2\n"), "expected token \"DP\", got \"FM\"");
        assert_eq!(message(b"DP -1 "), "expected the size of a symmetric matrix, got -1");
        assert!(message(b"\0BDP \x04\xff\xff\xff\x7f12345678").contains("bytes"));
        assert!(read(b"DP 2000000000 1 2").is_err());
        for text in ["[ 1", "[ a ]", "[", "", "DP"] {
            assert!(read(text.as_bytes()).is_err(), "{text:?}");
        }
        let whole = written::<f64>(&two(), Format::Binary);
        for length in 0..whole.len() {
            assert!(read(&whole[..length]).unwrap_err().at_end, "{length}");
        }
    }
}
