//! Errors in the parameters of decorators, and in values.

use std::fmt;

use crate::Shape;

/// Parameters that make no sense, or a value that is not as declared.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// The number of batch sizes is not that of boundaries plus one.
    NumBuckets {
        /// The number of boundaries.
        boundaries: usize,
        /// The number of batch sizes.
        sizes: usize,
    },
    /// The boundaries of buckets do not rise.
    Boundaries {
        /// A boundary.
        lower: usize,
        /// The next boundary.
        upper: usize,
    },
    /// The batch size of a bucket is 0.
    BucketSize {
        /// The bucket, from 0 on.
        bucket: usize,
    },
    /// A share that does not exist.
    Share {
        /// What is divided: `ranks` or `workers`.
        among: &'static str,
        /// Its number, from 0 on.
        index: u64,
        /// How many there are.
        count: u64,
    },
    /// A weight is not a positive number.
    Weight {
        /// The place of the reader, from 0 on.
        reader: usize,
        /// The weight.
        weight: f64,
    },
    /// A value does not have the shape that was declared.
    Shape {
        /// The file.
        file: String,
        /// The number of the value in the file, from 0 on.
        value: u64,
        /// The declared shape.
        expected: Shape,
        /// The shape of the value.
        found: Vec<usize>,
    },
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NumBuckets { boundaries, sizes } => {
                write!(f, "expected {} batch sizes for {boundaries} boundaries of buckets, got {sizes}", boundaries + 1)
            }
            Self::Boundaries { lower, upper } => {
                write!(f, "expected boundaries of buckets that rise, got {upper} after {lower}")
            }
            Self::BucketSize { bucket } => {
                write!(f, "expected a batch size of 1 or more for bucket {bucket}, got 0")
            }
            Self::Share { among, count: 0, .. } => write!(f, "expected 1 or more {among}, got 0"),
            Self::Share { among, index, count } => {
                write!(f, "expected a number from 0 to {} of {count} {among}, got {index}", count - 1)
            }
            Self::Weight { reader, weight } => {
                write!(f, "expected a positive weight for reader {reader}, got {weight}")
            }
            Self::Shape { file, value, expected, found } => {
                write!(f, "{file}: value {value}: expected the shape {expected}, got {}", Shape::of(found))
            }
        }
    }
}

impl std::error::Error for Error {}
