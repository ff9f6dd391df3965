//! What can go wrong with sample-rate conversion.

use std::fmt;

/// Rates or filters that make no sense.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ResampleError {
    /// A sample rate is not positive.
    Rate {
        /// The rate, in Hz.
        got: f64,
    },
    /// The cutoff of the filter is not between 0 and half the lowest sample rate.
    Cutoff {
        /// The highest that it may be, in Hz.
        limit: f64,
        /// The cutoff, in Hz.
        got: f32,
    },
    /// The filter reaches to no zero.
    NumZeros,
    /// There are no samples to interpolate between.
    NoSamples,
    /// The filter, or the ratio of two rates, is such that too many weights are needed.
    NumWeights {
        /// How many there may be.
        limit: u64,
        /// How many there would be.
        got: u64,
    },
}

impl fmt::Display for ResampleError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rate { got } => write!(f, "expected a positive sample rate, got {got} Hz"),
            Self::Cutoff { limit, got } => {
                write!(f, "expected a cutoff of more than 0 and at most {limit} Hz, half the sample rate, got {got} Hz")
            }
            Self::NumZeros => f.write_str("expected a filter that reaches to 1 zero or more, got 0"),
            Self::NoSamples => f.write_str("expected samples to interpolate between, got none"),
            Self::NumWeights { limit, got } => write!(
                f,
                "expected a filter and rates that need at most {limit} weights, got {got}: rates with a large divisor in \
                 common need fewer"
            ),
        }
    }
}

impl std::error::Error for ResampleError {}
