//! HTK parameter files as table values.
//!
//! A header of 12 bytes, then the samples (frames), each a row of floats; everything big-endian, no binary marker:
//!
//! ```text
//! 00 00 00 02 00 01 86 a0 00 08 00 09 3f 80 00 00 40 00 00 00 40 40 00 00 40 80 00 00
//! ^^^^^^^^^^^ number of samples       ^^^^^^^^^^^ ^^^^^^^^^^^ first sample: 1 2
//!             ^^^^^^^^^^^ sample period in 100 ns             ^^^^^^^^^^^^^^^^^^^^^^^ second sample: 3 4
//!                         ^^^^^ bytes of a sample
//!                               ^^^^^ sample kind: 9 = USER
//! ```

use byteorder::{BigEndian, ByteOrder};
use kaldi_io::ParseError;
use kaldi_value::{Cursor, Format, Frame, Value};

use crate::binary::{decode_be, encode_be};
use crate::{Error, Matrix, Result};

const HEADER: usize = 12;
const MAX_COLS: usize = i16::MAX as usize / 4;

// Bits of the sample kind; the lowest six are its base.
const COMPRESSED: u16 = 0o2000;
const CHECKSUM: u16 = 0o10000;
const QUANTIZED: u16 = 0o40000;
const BASE: u16 = 0o77;

/// Features in HTK's format, `num_frames × dim`; the table value of `copy-feats --htk-in`.
///
/// Compressed and quantized files and those of integers (waveforms, discrete) are refused, as in Kaldi. A checksum is
/// skipped.
#[derive(Clone, Debug, PartialEq)]
pub struct HtkFeatures {
    feats: Matrix<f32>,
    sample_period: i32,
    sample_kind: u16,
}

impl HtkFeatures {
    /// Makes features with a header.
    ///
    /// `sample_period` is the frame shift in units of 100 ns, `sample_kind` HTK's parmKind (6: MFCC, 7: FBANK, 9: USER,
    /// 11: PLP).
    ///
    /// # Errors
    /// If there are more than 8191 columns, which the header cannot express.
    pub fn new(feats: Matrix<f32>, sample_period: i32, sample_kind: u16) -> Result<Self> {
        if feats.num_cols() > MAX_COLS {
            return Err(Error::Format { format: "HTK", limit: "8191 columns", got: feats.size() });
        }
        Ok(Self { feats, sample_period, sample_kind })
    }

    /// The features.
    pub fn feats(&self) -> &Matrix<f32> {
        &self.feats
    }

    /// Converts into the features.
    pub fn into_feats(self) -> Matrix<f32> {
        self.feats
    }

    /// The frame shift in units of 100 ns.
    pub fn sample_period(&self) -> i32 {
        self.sample_period
    }

    /// HTK's parmKind, without the bit of the checksum.
    pub fn sample_kind(&self) -> u16 {
        self.sample_kind
    }
}

/// The content of the header, checked as far as possible without the samples.
struct Header {
    num_samples: usize,
    sample_period: i32,
    sample_size: usize,
    sample_kind: u16,
}

impl Header {
    fn read(cursor: &mut Cursor<'_>) -> std::result::Result<Self, ParseError> {
        let start = cursor.offset();
        let bytes = cursor.take(HEADER)?;
        let num_samples = BigEndian::read_i32(bytes);
        let sample_period = BigEndian::read_i32(&bytes[4..]);
        let sample_size = BigEndian::read_i16(&bytes[8..]);
        let sample_kind = BigEndian::read_u16(&bytes[10..]);
        let fault = |message: String| Err(ParseError::new(start, message));
        if sample_kind & COMPRESSED != 0 {
            return fault("compressed HTK features cannot be read".into());
        }
        if sample_kind & QUANTIZED != 0 {
            return fault("quantized HTK features cannot be read".into());
        }
        if let Some(name) = match sample_kind & BASE {
            0 => Some("waveforms"),
            5 => Some("reflection coefficients of 16 bits"),
            10 => Some("discrete values"),
            _ => None,
        } {
            return fault(format!("expected HTK features of floats, got {name} (kind {})", sample_kind & BASE));
        }
        match (usize::try_from(num_samples), usize::try_from(sample_size)) {
            (Ok(num_samples), Ok(sample_size)) if sample_size % 4 == 0 && (sample_size > 0 || num_samples == 0) => {
                Ok(Self { num_samples, sample_period, sample_size, sample_kind })
            }
            _ => fault(format!("expected an HTK header, got {num_samples} samples of {sample_size} bytes")),
        }
    }

    /// The number of bytes of all samples, below 2^46.
    fn payload(&self) -> usize {
        self.num_samples * self.sample_size
    }

    fn checksum(&self) -> usize {
        if self.sample_kind & CHECKSUM != 0 { 2 } else { 0 }
    }
}

impl Value for HtkFeatures {
    const NAME: &'static str = "HTK feature file";

    fn frame(window: &[u8], at_end: bool) -> std::result::Result<Frame, ParseError> {
        let header = match Header::read(&mut Cursor::new(window)) {
            Err(error) if error.at_end && !at_end => return Ok(Frame::Partial(HEADER as u64)),
            other => other?,
        };
        let samples = HEADER + header.payload();
        let total = samples + header.checksum();
        match window.len() {
            length if length >= total => Ok(Frame::Whole(total)),
            // Whether there is a checksum can only be seen in the bytes after the samples.
            _ if !at_end && header.checksum() == 0 => Ok(Frame::Beyond(total as u64)),
            _ if !at_end => Ok(Frame::Partial(total as u64)),
            length if length >= samples => Ok(Frame::Whole(length)),
            length => Err(ParseError::end(length, format_args!("{} more bytes", samples - length))),
        }
    }

    fn read(cursor: &mut Cursor<'_>) -> std::result::Result<Self, ParseError> {
        let header = Header::read(cursor)?;
        let feats = decode_be(cursor.take(header.payload())?);
        cursor.advance(header.checksum().min(cursor.rest().len()));
        Ok(Self {
            feats: Matrix::from_vec(header.num_samples, header.sample_size / 4, feats),
            sample_period: header.sample_period,
            sample_kind: header.sample_kind & !CHECKSUM,
        })
    }

    /// Appends the file; there is only one form, whatever `format` says.
    fn write(&self, out: &mut Vec<u8>, _format: Format) {
        out.extend_from_slice(&(self.feats.num_rows() as i32).to_be_bytes());
        out.extend_from_slice(&self.sample_period.to_be_bytes());
        out.extend_from_slice(&(self.feats.num_cols() as i16 * 4).to_be_bytes());
        out.extend_from_slice(&self.sample_kind.to_be_bytes());
        encode_be(out, self.feats.as_slice());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FILE: &[u8] = b"\0\0\0\x02\0\x01\x86\xa0\0\x08\0\x09\x3f\x80\0\0\x40\0\0\0\x40\x40\0\0\x40\x80\0\0";

    fn read(bytes: &[u8]) -> std::result::Result<HtkFeatures, ParseError> {
        HtkFeatures::read(&mut Cursor::new(bytes))
    }

    fn with(changes: &[(usize, u8)]) -> Vec<u8> {
        let mut bytes = FILE.to_vec();
        for &(at, byte) in changes {
            bytes[at] = byte;
        }
        bytes
    }

    #[test]
    fn samples_are_rows_of_big_endian_floats() {
        let htk = read(FILE).unwrap();
        assert_eq!(htk.feats(), &Matrix::from_vec(2, 2, vec![1.0, 2.0, 3.0, 4.0]));
        assert_eq!((htk.sample_period(), htk.sample_kind()), (100_000, 9));
        let out = htk.to_bytes(Format::Binary);
        assert_eq!(out, FILE);
    }

    #[test]
    fn every_cut_is_found() {
        for length in 0..FILE.len() {
            let cut = &FILE[..length];
            assert!(HtkFeatures::frame(cut, true).unwrap_err().at_end, "{length}");
            assert!(read(cut).unwrap_err().at_end, "{length}");
            let frame = if length < HEADER { Frame::Partial(HEADER as u64) } else { Frame::Beyond(FILE.len() as u64) };
            assert_eq!(HtkFeatures::frame(cut, false), Ok(frame));
        }
        let mut longer = FILE.to_vec();
        longer.extend_from_slice(b"utt2 ");
        assert_eq!(HtkFeatures::frame(&longer, false), Ok(Frame::Whole(FILE.len())));
    }

    #[test]
    fn a_checksum_is_skipped_where_there_is_one() {
        let mut bytes = with(&[(10, 0x10)]);
        assert_eq!(HtkFeatures::frame(&bytes, true), Ok(Frame::Whole(28)));
        assert_eq!(HtkFeatures::frame(&bytes, false), Ok(Frame::Partial(30)));
        assert_eq!(read(&bytes).unwrap().sample_kind(), 9);
        bytes.extend_from_slice(b"\x12\x34utt2");
        assert_eq!(HtkFeatures::frame(&bytes, true), Ok(Frame::Whole(30)));
        let mut cursor = Cursor::new(&bytes);
        HtkFeatures::read(&mut cursor).unwrap();
        assert_eq!(cursor.rest(), b"utt2");
    }

    #[test]
    fn qualifiers_do_not_matter() {
        assert_eq!(read(&with(&[(10, 0x03), (11, 0x46)])).unwrap().sample_kind(), 0x346);
    }

    #[test]
    fn what_holds_no_floats_is_refused() {
        let message = |changes: &[(usize, u8)]| read(&with(changes)).unwrap_err().to_string();
        assert_eq!(message(&[(10, 4)]), "compressed HTK features cannot be read");
        assert_eq!(message(&[(10, 0x40)]), "quantized HTK features cannot be read");
        assert_eq!(message(&[(11, 0)]), "expected HTK features of floats, got waveforms (kind 0)");
        assert_eq!(message(&[(11, 10)]), "expected HTK features of floats, got discrete values (kind 10)");
        assert_eq!(message(&[(0, 0xff)]), "expected an HTK header, got -16777214 samples of 8 bytes");
        assert_eq!(message(&[(9, 6)]), "expected an HTK header, got 2 samples of 6 bytes");
        assert_eq!(message(&[(9, 0)]), "expected an HTK header, got 2 samples of 0 bytes");
    }

    #[test]
    fn a_claim_of_many_samples_is_no_allocation() {
        let bytes = with(&[(0, 0x7f)]);
        assert_eq!(HtkFeatures::frame(&bytes, false), Ok(Frame::Beyond(12 + 0x7f00_0002 * 8)));
        assert!(HtkFeatures::frame(&bytes, true).unwrap_err().at_end);
        assert!(read(&bytes).unwrap_err().at_end);
    }

    #[test]
    fn no_samples_are_an_empty_matrix() {
        let out = HtkFeatures::new(Matrix::default(), 100_000, 9).unwrap().to_bytes(Format::Binary);
        assert_eq!(out, b"\0\0\0\0\0\x01\x86\xa0\0\0\0\x09");
        assert!(read(&out).unwrap().into_feats().is_empty());
    }

    #[test]
    fn too_many_columns_are_refused() {
        assert!(HtkFeatures::new(Matrix::new(1, 8191), 1, 9).is_ok());
        let error = HtkFeatures::new(Matrix::new(1, 8192), 1, 9).unwrap_err();
        assert_eq!(error.to_string(), "HTK features have at most 8191 columns, got 1 by 8192");
    }
}
