//! What can go wrong with sample-rate conversion.

/// Rates or filters that make no sense.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum ResampleError {
    /// A sample rate is not positive.
    #[error("expected a positive sample rate, got {got} Hz")]
    Rate {
        /// The rate, in Hz.
        got: f64,
    },
    /// The cutoff of the filter is not between 0 and half the lowest sample rate.
    #[error("expected a cutoff of more than 0 and at most {limit} Hz, half the sample rate, got {got} Hz")]
    Cutoff {
        /// The highest that it may be, in Hz.
        limit: f64,
        /// The cutoff, in Hz.
        got: f32,
    },
    /// The filter reaches to no zero.
    #[error("expected a filter that reaches to 1 zero or more, got 0")]
    NumZeros,
    /// There are no samples to interpolate between.
    #[error("expected samples to interpolate between, got none")]
    NoSamples,
    /// The filter, or the ratio of two rates, is such that too many weights are needed.
    #[error(
        "expected a filter and rates that need at most {limit} weights, got {got}: rates with a large divisor in \
         common need fewer"
    )]
    NumWeights {
        /// How many there may be.
        limit: u64,
        /// How many there would be.
        got: u64,
    },
}
