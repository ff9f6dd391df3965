//! Waveforms as the bytes of their files.

use kaldi_io::ParseError;
use kaldi_value::{Cursor, Format, Frame, Value};

use crate::Wave;
use crate::coded::Form;

/// The file of a waveform, of any kind, as it is: a table value that is passed on without being decoded.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct WaveFile(Vec<u8>);

impl WaveFile {
    /// Takes the bytes of a file.
    pub fn new(bytes: Vec<u8>) -> Self {
        Self(bytes)
    }

    /// The bytes.
    pub fn into_bytes(self) -> Vec<u8> {
        self.0
    }
}

impl Value for WaveFile {
    const NAME: &'static str = Wave::NAME;
    const SHARD_FIELD: Option<&'static str> = Wave::SHARD_FIELD;
    const HAS_TEXT: bool = Wave::HAS_TEXT;

    /// As that of a [`Wave`], but a file that ends with its stream need not be read to be passed on.
    fn frame(window: &[u8], at_end: bool) -> Result<Frame, ParseError> {
        match Form::of(window, at_end) {
            Form::Flac | Form::Coded(_) if !at_end => Ok(Frame::Rest),
            _ => Wave::frame(window, at_end),
        }
    }

    fn read(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        let bytes = cursor.rest();
        let length = match Wave::frame(bytes, true)? {
            Frame::Whole(length) => length,
            Frame::Beyond(_) | Frame::Partial(_) | Frame::Rest => bytes.len(),
        };
        Ok(Self(cursor.take(length)?.to_vec()))
    }

    fn write(&self, out: &mut Vec<u8>, _: Format) {
        out.extend_from_slice(&self.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_stays_as_it_is() {
        let bytes = Wave::new(8000.0, vec![vec![1.0, 2.0]]).to_bytes(Format::Binary);
        let followed = [bytes.as_slice(), b"utt2"].concat();
        let mut cursor = Cursor::new(&followed);
        let file = WaveFile::read(&mut cursor).unwrap();
        assert_eq!(cursor.rest(), b"utt2");
        let out = file.to_bytes(Format::Binary);
        assert_eq!(out, bytes);
        assert_eq!(file.into_bytes(), bytes);
        assert!(WaveFile::read(&mut Cursor::new(b"utt2")).is_err());
    }
}
