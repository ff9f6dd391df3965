//! Errors in the parameters of decorators, and in values.

use crate::Shape;

/// Parameters that make no sense, or a value that is not as declared.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum Error {
    /// The number of batch sizes is not that of boundaries plus one.
    #[error("expected {} batch sizes for {boundaries} boundaries of buckets, got {sizes}", .boundaries + 1)]
    NumBuckets { boundaries: usize, sizes: usize },
    /// The boundaries of buckets do not rise.
    #[error("expected boundaries of buckets that rise, got {upper} after {lower}")]
    Boundaries { lower: usize, upper: usize },
    /// The batch size of a bucket is 0.
    #[error("expected a batch size of 1 or more for bucket {bucket}, got 0")]
    BucketSize { bucket: usize },
    /// A share that does not exist.
    #[error("{}", no_share(.among, *.index, *.count))]
    Share { among: &'static str, index: u64, count: u64 },
    /// A weight is not a positive number.
    #[error("expected a positive weight for reader {reader}, got {weight}")]
    Weight { reader: usize, weight: f64 },
    /// A value does not have the shape that was declared.
    #[error("{file}: value {value}: expected the shape {expected}, got {}", Shape::of(.found))]
    Shape { file: String, value: u64, expected: Shape, found: Vec<usize> },
}

/// What is wrong with a share.
fn no_share(among: &str, index: u64, count: u64) -> String {
    match count {
        0 => format!("expected 1 or more {among}, got 0"),
        _ => format!("expected a number from 0 to {} of {count} {among}, got {index}", count - 1),
    }
}
