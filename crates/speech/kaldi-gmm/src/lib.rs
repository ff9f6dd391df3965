#![doc = include_str!("../README.md")]
//! A [`DiagGmm`] has variances, a [`FullGmm`] covariance matrices; both are a [`Mixture`], and keep what a likelihood needs:
//! the inverses of the variances, and the means multiplied by them. Then the log likelihood of a frame `x` is a constant,
//! an inner product with `x` and one with its squares, so that the likelihoods of many frames are products of matrices.
//!
//! ```
//! use kaldi_gmm::{DiagGmm, Mixture};
//! use kaldi_matrix::{Matrix, Vector};
//!
//! // One Gaussian, with a mean of 2 and a variance of 0.25.
//! let [weights, means_invvars, inv_vars] = [1.0, 8.0, 4.0].map(|number| vec![number]);
//! let means_invvars = Matrix::from_vec(1, 1, means_invvars);
//! let gmm = DiagGmm::new(Vector::from_vec(weights), means_invvars, Matrix::from_vec(1, 1, inv_vars))?;
//! let likelihoods = gmm.log_likelihoods(&Matrix::from_vec(2, 1, vec![2.0, 2.5]))?;
//! assert!((likelihoods.row(0)[0] - likelihoods.row(1)[0] - 0.5).abs() < 1e-6);
//! # Ok::<(), kaldi_gmm::Error>(())
//! ```

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod accum_diag;
mod accum_full;
mod acoustic_model;
mod acoustic_stats;
mod am_changes;
mod am_diag_gmm;
mod diag_gmm;
mod dot;
mod ebw;
mod error;
mod estimate;
mod estimate_diag;
mod estimate_full;
mod feature_derivative;
mod flags;
mod full_gmm;
mod initial;
mod listed;
mod merge;
mod mixture;
mod normal;
mod pdf_posteriors;
mod pdf_stats;
mod pruned;
mod rescale;
mod selection;
mod softmax;
mod split;
mod stats;
mod stats_derivative;
#[cfg(feature = "tables")]
pub mod tables;
mod targets;
#[cfg(test)]
mod testing;
mod train;
pub mod transform;
mod ubm;

pub use accum_diag::AccumDiagGmm;
pub use accum_full::AccumFullGmm;
pub use acoustic_model::{AcousticModel, GaussiansOnly};
pub use acoustic_stats::{AcousticStats, MleTransitionOptions, TransitionChange, estimate_transitions};
pub use am_diag_gmm::AmDiagGmm;
pub use diag_gmm::DiagGmm;
pub use ebw::{EbwEstimate, EbwOptions, EbwWeightOptions, EbwWeights};
pub use error::{Error, Result};
pub use estimate::{Estimate, LowCount, MleDiagGmmOptions, MleFullGmmOptions};
pub use feature_derivative::FeatureDerivative;
pub use flags::GmmFlags;
pub use full_gmm::FullGmm;
pub use initial::{FeatureMoments, InitialGaussian};
pub use mixture::{Mixture, log_sum_exp};
pub use pdf_posteriors::{PdfFrame, PdfPosteriors};
pub use pdf_stats::PdfStats;
pub use pruned::posterior_entry;
pub use rescale::Rescaled;
pub use selection::Selection;
pub use softmax::softmax;
pub use stats::{FrameWeights, GmmStats, accumulate};
pub use targets::GaussianTargets;
pub use ubm::UbmOptions;
