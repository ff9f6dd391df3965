//! What can go wrong with features.

use std::fmt;

use kaldi_wave::ResampleError;

/// The result of the functions of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Features or options that do not fit together.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum Error {
    /// The value of an option makes no sense.
    #[error("expected `{name}` to be {expected}, got {got}")]
    Option { name: &'static str, expected: &'static str, got: String },
    /// There are no features for a computation.
    #[error("expected features, got empty input")]
    Empty,
    /// The features have another number of columns than the computation needs.
    #[error("expected features with {expected} columns, got {got}")]
    FeatsDim { expected: usize, got: usize },
    /// The features have fewer columns than should be kept.
    #[error("cannot truncate features of dimension {dim} to `truncate = {truncate}`")]
    Truncate { dim: usize, truncate: usize },
    /// A feature has a value for which the computation is not defined.
    #[error("expected {what} to be {expected}, got {got:?} in frame {frame}")]
    Value { what: &'static str, expected: &'static str, got: f32, frame: usize },
    /// A text is no list of dimensions.
    #[error("expected a colon-separated list of integers such as 13:14:15, got {got:?}")]
    Dims { got: String },
    /// A dimension does not exist.
    #[error("expected a dimension of 0 or more and below {dim}, got {got}")]
    Dim { dim: usize, got: i32 },
    /// The number of weights is not that of frames.
    #[error("expected {num_frames} weights, one a frame, got {got}")]
    Weights { num_frames: usize, got: usize },
    /// A matrix does not have the form of CMVN statistics (sums and sums of squares).
    #[error(
        "expected CMVN statistics, of 2 rows and at least 2 columns, got {rows} by {cols}",
        rows = .got.0, cols = .got.1
    )]
    NoCmvnStats { got: (usize, usize) },
    /// CMVN statistics do not fit the features.
    #[error(
        "Dim mismatch: expected CMVN statistics of 2 by {} for features of dimension {dim}, got {rows} by {cols}",
        .dim + 1, rows = .stats.0, cols = .stats.1
    )]
    CmvnDim { stats: (usize, usize), dim: usize },
    /// Variances should be normalized with CMVN statistics that have only means.
    #[error("variances are to be normalized, but there are no variance stats: expected 2 rows, got 1")]
    NoVariances,
    /// CMVN statistics have too low a count.
    #[error("Insufficient stats for cepstral mean and variance normalization: expected a count {expected}, got {got}")]
    Count { expected: &'static str, got: f64 },
    /// A variance is NaN.
    #[error("expected a number for the variance of dimension {dim}, got NaN")]
    NanVariance { dim: usize },
    /// The sample rate of a signal is not that of the options.
    #[error(
        "Sample frequency mismatch: you specified {expected} but data has {got} (use `sample_frequency`, or resample-wav for sound of several rates)"
    )]
    SampleRate { expected: f32, got: f32 },
    /// A signal has no frames.
    #[error("the signal is too short for a frame")]
    TooShort,
    /// The samples of a frame are no longer in memory when it is computed.
    #[error(
        "frame {frame} starts before the last piece of the signal, which happens with `snip_edges = false` if that is \
         short, or comes in short pieces"
    )]
    PitchFrame { frame: usize },
    /// The sample rate cannot be converted.
    #[error(transparent)]
    Resample(ResampleError),
    /// The model finds no possible pitch, since probabilities of voicing are 1 or NaN.
    #[error(
        "expected probabilities of voicing from 0 to 1, times `max_voicing_prob` less than 1; no pitch is possible in \
         frame {frame}"
    )]
    NoPitch { frame: usize },
    /// A sample of a waveform is NaN or infinite.
    #[error("expected samples to be finite numbers, got {got:?} in sample {sample}")]
    Sample { sample: usize, got: f32 },
    /// There are too few mel filters.
    #[error("Must have at least 3 mel bins, got `num_mel_bins = {got}`")]
    MelBins { got: usize },
    /// There would be more cepstra than mel filters.
    #[error("num-ceps cannot be larger than num-mel-bins: got `num_ceps = {num_ceps}` and `num_mel_bins = {num_bins}`")]
    NumCeps { num_ceps: usize, num_bins: usize },
    /// Mel filters would be at frequencies that do not exist.
    #[error("Bad values in options: low-freq {low} and high-freq {high} vs. nyquist {half_rate}")]
    MelRange { low: f32, high: f32, half_rate: f32 },
    /// The bends of VTLN warping are not within the range of the mel filters.
    #[error(
        "Bad values in options: vtln-low {lower} and vtln-high {upper}, versus low-freq {low} and high-freq {high}"
    )]
    VtlnRange { lower: f32, upper: f32, low: f32, high: f32 },
    /// A VTLN warp factor is not positive.
    #[error("expected a positive VTLN warp factor, got {got}")]
    Warp { got: f32 },
    /// A mel filter is so narrow that there is no line of the spectrum in it.
    #[error(
        "mel bin {bin} of {num_bins}, at {center:.0} Hz, is too narrow for the frequency resolution: there are too \
         many `num_mel_bins`, or the range is too small"
    )]
    EmptyMelBin { bin: usize, num_bins: usize, center: f32 },
    /// Energies are too large for floats.
    #[error("the samples are so large that energies are beyond the range of floats")]
    Overflow,
    /// The result would have more rows or columns than a matrix can have, or needs too much memory.
    #[error("{rows} by {cols} elements are too many", rows = .size.0, cols = .size.1)]
    TooLarge { size: (u64, u64) },
}

impl Error {
    pub(crate) fn option(name: &'static str, expected: &'static str, got: impl fmt::Display) -> Self {
        Self::Option { name, expected, got: got.to_string() }
    }
}

/// Checks that the value of an option is a finite number.
pub(crate) fn finite(name: &'static str, value: f32) -> Result<()> {
    if value.is_finite() { Ok(()) } else { Err(Error::option(name, "a finite number", value)) }
}

/// The size of a matrix, if such a matrix is possible.
pub(crate) fn checked_size(num_rows: usize, num_cols: Option<usize>) -> Result<(usize, usize)> {
    const LIMIT: usize = i32::MAX as usize;
    let num_cols = num_cols.unwrap_or(usize::MAX);
    if num_rows.max(num_cols) > LIMIT
        || num_rows.checked_mul(num_cols).is_none_or(|count| count > isize::MAX as usize / 8)
    {
        return Err(Error::TooLarge { size: (num_rows as u64, num_cols as u64) });
    }
    Ok((num_rows, num_cols))
}
