//! The methods of compression.

/// How a matrix is compressed; the numbers are those of Kaldi's programs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum CompressionMethod {
    /// Number 1: [`SpeechFeature`](Self::SpeechFeature) for more than 8 rows, [`TwoByteAuto`](Self::TwoByteAuto) for
    /// 8 or fewer.
    #[default]
    Automatic,
    /// Number 2: a byte per element, spaced by the quartiles of each column, and 8 bytes per column.
    SpeechFeature,
    /// Number 3: two bytes per element, from the least to the greatest value.
    TwoByteAuto,
    /// Number 4: two bytes per element, from −32768 to 32767, like samples of audio; others are clipped.
    TwoByteSignedInteger,
    /// Number 5: a byte per element, from the least to the greatest value.
    OneByteAuto,
    /// Number 6: a byte per element, from 0 to 255; others are clipped.
    OneByteUnsignedInteger,
    /// Number 7: a byte per element, from 0 to 1; others are clipped.
    OneByteZeroOne,
}

impl CompressionMethod {
    /// The method with this number, from 1 to 7.
    pub fn from_number(number: i32) -> Option<Self> {
        Some(match number {
            1 => Self::Automatic,
            2 => Self::SpeechFeature,
            3 => Self::TwoByteAuto,
            4 => Self::TwoByteSignedInteger,
            5 => Self::OneByteAuto,
            6 => Self::OneByteUnsignedInteger,
            7 => Self::OneByteZeroOne,
            _ => return None,
        })
    }
}
