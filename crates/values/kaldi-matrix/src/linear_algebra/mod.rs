//! Decompositions, in double precision: eigenvalues, Cholesky factors, inverses and determinants.
//!
//! They start from a [`SymmetricMatrix`]: a covariance or another sum of squares. It has
//! [`eigen`](SymmetricMatrix::eigen)values with their vectors, and the [`Cholesky`] factor with its results: the
//! inverse, the inverse of the factor, the logarithm of the determinant. Square matrices of any kind have
//! [`inverse`](crate::Matrix::inverse) and [`log_abs_det`](crate::Matrix::log_abs_det).
//!
//! The signs of eigenvectors show in the output of the tools. They depend on the exact sequence of reflections and rotations in
//! Kaldi, which is followed here.

mod eigen;
mod factor;
mod outer;
mod packed;
mod strips;
mod symmetric;
mod weighted_outers;

pub use eigen::Eigen;
pub use factor::Cholesky;
pub(crate) use factor::lower_factor;
pub use symmetric::SymmetricMatrix;
pub use weighted_outers::WeightedOuters;
