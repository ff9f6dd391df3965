//! What can go wrong with sample-rate conversion.

/// Rates or filters that make no sense.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum ResampleError {
    /// A sample rate is not positive.
    #[error("expected a positive sample rate, got {got} Hz")]
    Rate { got: f64 },
    /// The cutoff of the filter is not between 0 and half the lowest sample rate.
    #[error("expected a cutoff of more than 0 and at most {limit} Hz, half the sample rate, got {got} Hz")]
    Cutoff { limit: f64, got: f32 },
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
    NumWeights { limit: u64, got: u64 },
}
