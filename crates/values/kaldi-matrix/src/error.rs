//! What can go wrong with the sizes of matrices and vectors.

/// The result of the functions of this crate that combine matrices and vectors.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Matrices or vectors that do not fit each other, or do not fit a format.
///
/// Errors in the bytes of a value are [`kaldi_io::ParseError`]s instead.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Two sizes differ that have to be the same.
    #[error("expected a {what} of {} by {}, got {} by {}", .expected.0, .expected.1, .got.0, .got.1)]
    Size {
        /// What has the wrong size: `matrix`, `transform` ...
        what: &'static str,
        /// The size that it needs, rows before columns.
        expected: (usize, usize),
        /// The size that it has.
        got: (usize, usize),
    },
    /// A vector has a wrong dimension.
    #[error("expected a vector of dimension {expected}, got {got}")]
    Dim {
        /// The dimension that it needs.
        expected: usize,
        /// The dimension that it has.
        got: usize,
    },
    /// A transform has neither the columns of a linear one (`dim`) nor of an affine one (`dim + 1`).
    #[error("expected a transform with {dim} or {} columns, got {} by {}", .dim + 1, .got.0, .got.1)]
    Transform {
        /// The columns of the matrix to transform.
        dim: usize,
        /// The size of the transform.
        got: (usize, usize),
    },
    /// A sparse matrix has so many elements that it is not copied with all of its zeros.
    #[error("expected a sparse matrix of at most {limit} elements to be read with all of its zeros, got {} by {}", .got.0, .got.1)]
    Zeros {
        /// The most elements.
        limit: usize,
        /// The size of the matrix.
        got: (usize, usize),
    },
    /// The format cannot hold a matrix of this size.
    #[error("{format} features have at most {limit}, got {} by {}", .got.0, .got.1)]
    Format {
        /// The name of the format.
        format: &'static str,
        /// What it allows.
        limit: &'static str,
        /// The size of the matrix.
        got: (usize, usize),
    },
    /// A value cannot be compressed: it is infinite, or the first one is NaN, and the method needs the greatest value.
    #[error("expected a value that can be compressed in row {row}, column {col}, got {value:?}")]
    Incompressible {
        /// The value.
        value: f32,
        /// Its row, counted from zero.
        row: usize,
        /// Its column, counted from zero.
        col: usize,
    },
    /// The values are so large, or so far apart, that their range is infinite and cannot be compressed.
    #[error("expected values with a range that can be compressed, got {min:?} to {max:?}")]
    Spread {
        /// The least value.
        min: f32,
        /// The greatest value.
        max: f32,
    },
    /// An index is not within a sparse row.
    #[error("expected an index below {dim}, got {got}")]
    Index {
        /// The length of the row.
        dim: usize,
        /// The index.
        got: i32,
    },
    /// Something is empty that must not be.
    #[error("expected a {what} with elements, got an empty one")]
    Empty {
        /// What is empty: `matrix`, `vector`.
        what: &'static str,
    },
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
