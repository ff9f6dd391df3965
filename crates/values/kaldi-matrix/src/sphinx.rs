//! Sphinx feature files as table values.
//!
//! The count of all floats, then these, frame after frame, 13 to a frame; big-endian, no binary marker:
//!
//! ```text
//! 00 00 00 0d 3f 80 00 00 40 00 00 00 ...
//! ^^^^^^^^^^^ 13 floats: 1 2 ...
//! ```

use byteorder::{BigEndian, ByteOrder, LittleEndian};
use kaldi_io::ParseError;
use kaldi_value::{Cursor, Format, Frame, Value};

use crate::binary::{decode_be, encode_be};
use crate::real::Storage;
use crate::{Error, Matrix, Result};

/// The number of columns of Sphinx features, which is not in their files.
const DIM: usize = 13;
const WRONG_ORDER: &str = "expected Sphinx features in big-endian order, got little-endian order";
const LIMIT: &str = "2147483647 elements";

/// Features in Sphinx's format, `num_frames × 13`; the table value of `copy-feats --sphinx-in`.
#[derive(Clone, Debug, PartialEq)]
pub struct SphinxFeatures(Matrix<f32>);

impl SphinxFeatures {
    /// Takes features for writing in Sphinx's format.
    ///
    /// # Errors
    /// If there are other than 13 columns (or none at all), or 2^31 elements or more.
    pub fn new(feats: Matrix<f32>) -> Result<Self> {
        if !feats.is_empty() && feats.num_cols() != DIM {
            let expected = (feats.num_rows(), DIM);
            return Err(Error::Size { what: "matrix of Sphinx features", expected, got: feats.size() });
        }
        count(&feats)?;
        Ok(Self(feats))
    }

    /// The features.
    pub fn feats(&self) -> &Matrix<f32> {
        &self.0
    }

    /// Converts into the features.
    pub fn into_feats(self) -> Matrix<f32> {
        self.0
    }
}

/// The number of elements for the header.
fn count(feats: &Matrix<f32>) -> Result<i32> {
    let got = feats.size();
    i32::try_from(feats.as_slice().len()).map_err(|_| Error::Format { format: "Sphinx", limit: LIMIT, got })
}

/// Appends features as Kaldi's copy-feats-to-sphinx writes them: with any number of columns, and in little-endian
/// order, while [`SphinxFeatures`] are big-endian.
///
/// # Errors
/// If there are 2^31 elements or more.
pub fn write_sphinx_little_endian(out: &mut Vec<u8>, feats: &Matrix<f32>) -> Result<()> {
    out.extend_from_slice(&count(feats)?.to_le_bytes());
    f32::encode_le(out, feats.as_slice());
    Ok(())
}

/// Consumes the count and returns the length of all elements in bytes.
fn read_header(cursor: &mut Cursor<'_>) -> std::result::Result<usize, ParseError> {
    let start = cursor.offset();
    let (big, little) = counts(cursor.take(4)?);
    match (length(big), length(little)) {
        (Some(length), _) => Ok(length),
        (None, Some(_)) => Err(ParseError::new(start, WRONG_ORDER)),
        (None, None) => Err(ParseError::new(start, format!("expected a count of 13 floats a frame, got {big}"))),
    }
}

/// The count in either order.
fn counts(bytes: &[u8]) -> (i32, i32) {
    (BigEndian::read_i32(bytes), LittleEndian::read_i32(bytes))
}

/// The number of bytes of that many floats, if they fill whole frames.
fn length(count: i32) -> Option<usize> {
    usize::try_from(count).ok().filter(|count| count % DIM == 0).map(|count| count * 4)
}

impl Value for SphinxFeatures {
    const NAME: &'static str = "Sphinx feature file";

    fn frame(window: &[u8], at_end: bool) -> std::result::Result<Frame, ParseError> {
        let total = match read_header(&mut Cursor::new(window)) {
            Err(error) if error.at_end && !at_end => return Ok(Frame::Partial(4)),
            other => other? + 4,
        };
        match window.len() {
            found if found >= total => Ok(Frame::Whole(total)),
            _ if !at_end => Ok(Frame::Beyond(total as u64)),
            // Sphinx itself finds the order in this way, by the size of the file.
            found if length(counts(window).1) == Some(found - 4) => Err(ParseError::new(0, WRONG_ORDER)),
            found => Err(ParseError::end(found, format_args!("{} more bytes", total - found))),
        }
    }

    fn read(cursor: &mut Cursor<'_>) -> std::result::Result<Self, ParseError> {
        let length = read_header(cursor)?;
        let feats = decode_be(cursor.take(length)?);
        Ok(Self(Matrix::from_vec(feats.len() / DIM, DIM, feats)))
    }

    /// Appends the file; there is only one form, whatever `format` says.
    fn write(&self, out: &mut Vec<u8>, _format: Format) {
        out.extend_from_slice(&(self.0.as_slice().len() as i32).to_be_bytes());
        encode_be(out, self.0.as_slice());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn counting(rows: usize) -> Matrix<f32> {
        Matrix::from_vec(rows, DIM, (0..rows * DIM).map(|value| value as f32).collect())
    }

    fn file(rows: usize) -> Vec<u8> {
        SphinxFeatures::new(counting(rows)).unwrap().to_bytes(Format::Binary)
    }

    #[test]
    fn frames_are_thirteen_big_endian_floats() {
        let bytes = file(2);
        assert_eq!(bytes[..12], *b"\0\0\0\x1a\0\0\0\0\x3f\x80\0\0");
        assert_eq!(SphinxFeatures::read(&mut Cursor::new(&bytes)).unwrap().into_feats(), counting(2));
        assert!(SphinxFeatures::read(&mut Cursor::new(&file(0))).unwrap().feats().is_empty());
    }

    #[test]
    fn every_cut_is_found() {
        let bytes = file(2);
        for length in 0..bytes.len() {
            let cut = &bytes[..length];
            assert!(SphinxFeatures::frame(cut, true).unwrap_err().at_end, "{length}");
            assert!(SphinxFeatures::read(&mut Cursor::new(cut)).unwrap_err().at_end, "{length}");
            let frame = if length < 4 { Frame::Partial(4) } else { Frame::Beyond(bytes.len() as u64) };
            assert_eq!(SphinxFeatures::frame(cut, false), Ok(frame));
        }
        assert_eq!(SphinxFeatures::frame(&[&bytes[..], b"utt2"].concat(), false), Ok(Frame::Whole(bytes.len())));
    }

    #[test]
    fn little_endian_files_are_written_but_not_read() {
        let mut bytes = Vec::new();
        write_sphinx_little_endian(&mut bytes, &counting(1)).unwrap();
        assert_eq!(bytes[..12], *b"\x0d\0\0\0\0\0\0\0\0\0\x80\x3f");
        let message = SphinxFeatures::frame(&bytes, true).unwrap_err().to_string();
        assert_eq!(message, "expected Sphinx features in big-endian order, got little-endian order");
    }

    #[test]
    fn a_count_that_fills_no_frames_is_refused() {
        for count in [12_i32, -13] {
            let error = SphinxFeatures::frame(&count.to_be_bytes(), true).unwrap_err();
            assert_eq!(error.to_string(), format!("expected a count of 13 floats a frame, got {count}"));
        }
    }

    #[test]
    fn other_dimensions_are_refused() {
        let error = SphinxFeatures::new(Matrix::new(2, 12)).unwrap_err();
        assert_eq!(error.to_string(), "expected a matrix of Sphinx features of 2 by 13, got 2 by 12");
    }
}
