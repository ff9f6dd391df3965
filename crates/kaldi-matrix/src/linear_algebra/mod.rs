//! Decompositions, in double precision: eigenvalues, Cholesky factors, inverses and determinants.
//!
//! [`SymmetricMatrix`] is what they start from: a covariance or another sum of squares. From one you get
//! [`eigen`](SymmetricMatrix::eigen)values with their vectors, or the [`Cholesky`] factor with what follows from it: the
//! inverse, the inverse of the factor, the logarithm of the determinant. Square matrices of any kind have
//! [`inverse`](crate::Matrix::inverse) and [`log_abs_det`](crate::Matrix::log_abs_det).
//!
//! Factors are computed by nalgebra, which no other module needs to know. Eigenvalues are not: the signs of eigenvectors
//! show in the output of the tools, and are those of the very sequence of reflections and rotations that Kaldi does.

mod eigen;
mod factor;
mod packed;
mod symmetric;

pub use eigen::Eigen;
pub use factor::Cholesky;
pub use symmetric::SymmetricMatrix;
