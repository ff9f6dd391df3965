//! What can go wrong with extraction.

use kaldi_wave::ResampleError;

/// The result of the functions of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A failure that ends an extraction.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// A table failed.
    #[error(transparent)]
    Table(#[from] kaldi_table::Error),
    /// HTK features are to be written as text.
    #[error("HTK features have no text form: leave t out of the wspecifier")]
    HtkText,
    /// Samples have another rate, and may not be resampled.
    #[error(
        "Waveform and config sample Frequency mismatch: {from} .vs {to} (`allow_{way} = true` would {way} the waveform)",
        way = if from > to { "downsample" } else { "upsample" }
    )]
    Rate {
        /// Their rate in Hz.
        from: f32,
        /// The one that is wanted, in Hz.
        to: f32,
    },
    /// Samples cannot be resampled.
    #[error(transparent)]
    Resample(ResampleError),
    /// Features cannot be computed.
    #[error(transparent)]
    Feats(#[from] crate::Error),
}
