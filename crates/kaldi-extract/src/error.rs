//! What can go wrong with extraction.

use std::fmt;

use kaldi_wave::ResampleError;

/// The result of the functions of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A failure that ends an extraction.
#[derive(Debug)]
#[non_exhaustive]
pub enum Error {
    /// A table failed.
    Table(kaldi_table::Error),
    /// HTK features are to be written as text.
    HtkText,
    /// Samples have another rate, and may not be resampled.
    Rate {
        /// Their rate in Hz.
        from: f32,
        /// The one that is wanted, in Hz.
        to: f32,
    },
    /// Samples cannot be resampled.
    Resample(ResampleError),
    /// Features cannot be computed.
    Feats(kaldi_feat::Error),
}

impl From<kaldi_table::Error> for Error {
    fn from(error: kaldi_table::Error) -> Self {
        Self::Table(error)
    }
}

impl From<kaldi_feat::Error> for Error {
    fn from(error: kaldi_feat::Error) -> Self {
        Self::Feats(error)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Table(error) => error.fmt(f),
            Self::HtkText => f.write_str("HTK features have no text form: leave t out of the wspecifier"),
            Self::Rate { from, to } => {
                let way = if from > to { "downsample" } else { "upsample" };
                write!(
                    f,
                    "Waveform and config sample Frequency mismatch: {from} .vs {to} (--allow-{way}=true would {way} the \
                     waveform)"
                )
            }
            Self::Resample(error) => error.fmt(f),
            Self::Feats(error) => error.fmt(f),
        }
    }
}

impl std::error::Error for Error {
    fn source(&self) -> Option<&(dyn std::error::Error + 'static)> {
        match self {
            Self::Table(error) => error.source(),
            Self::Resample(error) => error.source(),
            Self::Feats(error) => error.source(),
            _ => None,
        }
    }
}
