//! What can go wrong with the sizes of matrices and vectors.

/// The result of the functions of this crate that combine matrices and vectors.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Matrices or vectors that do not fit each other, or do not fit a format.
///
/// Errors in the bytes of a value are [`kaldi_io::ParseError`]s instead.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
#[allow(missing_docs, reason = "the messages say what the fields are")]
pub enum Error {
    /// Two sizes differ that have to be the same.
    #[error("expected a {what} of {} by {}, got {} by {}", .expected.0, .expected.1, .got.0, .got.1)]
    Size { what: &'static str, expected: (usize, usize), got: (usize, usize) },
    /// A vector has a wrong dimension.
    #[error("expected a vector of dimension {expected}, got {got}")]
    Dim { expected: usize, got: usize },
    /// A transform has neither the columns of a linear one (`dim`) nor of an affine one (`dim + 1`).
    #[error("expected a transform with {dim} or {} columns, got {} by {}", .dim + 1, .got.0, .got.1)]
    Transform { dim: usize, got: (usize, usize) },
    /// A sparse matrix has so many elements that it is not copied with all of its zeros.
    #[error("expected a sparse matrix of at most {limit} elements to be read with all of its zeros, got {} by {}", .got.0, .got.1)]
    Zeros { limit: usize, got: (usize, usize) },
    /// The format cannot hold a matrix of this size.
    #[error("{format} features have at most {limit}, got {} by {}", .got.0, .got.1)]
    Format { format: &'static str, limit: &'static str, got: (usize, usize) },
    /// A value cannot be compressed: it is infinite, or the first one is NaN, and the method needs the greatest value.
    #[error("expected a value that can be compressed in row {row}, column {col}, got {value:?}")]
    Incompressible { value: f32, row: usize, col: usize },
    /// The values are so large, or so far apart, that their range is infinite and cannot be compressed.
    #[error("expected values with a range that can be compressed, got {min:?} to {max:?}")]
    Spread { min: f32, max: f32 },
    /// An index is not within a sparse row.
    #[error("expected an index below {dim}, got {got}")]
    Index { dim: usize, got: i32 },
    /// Something is empty that must not be.
    #[error("expected a {what} with elements, got an empty one")]
    Empty { what: &'static str },
    /// A matrix has no inverse, as far as rounding shows.
    #[error("expected a matrix that can be inverted, got a singular one")]
    Singular,
    /// A symmetric matrix has eigenvalues that are not positive, as far as rounding shows: no covariance of full rank.
    #[error("expected a positive definite matrix, got a singular or indefinite one")]
    NotPositiveDefinite,
    /// A matrix to be decomposed has elements that are not finite, or are too large to compute with.
    #[error("expected finite numbers in a matrix, got NaN, infinity or too large ones")]
    NotFinite,
    /// The eigenvalues of a symmetric matrix were not found.
    #[error("the eigenvalues of a matrix do not converge")]
    NotConverged,
}
