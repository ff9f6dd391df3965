//! Feature transforms as Kaldi estimates them: LDA, MLLT, PCA, fMLLR and linear VTLN from statistics, and fMPE with
//! its training.
//!
//! ```
//! use kaldi_matrix::Matrix;
//! use kaldi_gmm::transform::PcaStats;
//!
//! let mut stats = PcaStats::default();
//! stats.add(&Matrix::from_vec(3, 2, vec![0.0, 0.0, 1.0, 1.0, 2.0, 2.1]))?;
//! assert_eq!((stats.count(), stats.dim()), (3, 2));
//! # Ok::<(), kaldi_matrix::Error>(())
//! ```
//!
//! | transform | what it finds | statistics |
//! | --- | --- | --- |
//! | LDA | the directions in which classes differ most, compared with their spread | [`LdaStats`] |
//! | MLLT | the directions in which Gaussians with diagonal covariances fit best | [`MlltStats`] |
//! | PCA | the directions of the largest variance | [`PcaStats`] |
//! | fMLLR | a transform of a speaker's features to which a model fits best | [`FmllrStats`] |
//! | fMLLR by bases | the same, as a sum of a few matrices | [`BasisFmllrStats`] |
//! | raw fMLLR | the same, of the frames before they are spliced | [`RawFmllrStats`] |
//! | linear VTLN | one of some transforms in place of warped frequencies | [`VtlnPairs`] |
//! | fMPE | offsets to features, by what distinguishes the models that are recognized | [`FmpeStats`] |
//!
//! The statistics of LDA and MLLT come from Kaldi's `acc-lda` and `gmm-acc-mllt`, in files that are summed before the
//! estimate; both are [`kaldi_value::Value`]s. As text, of two classes in one dimension, and of one dimension:
//!
//! ```text
//! <LDAACCS> <VECSIZE> 1 <NUMCLASSES> 2 <ZERO_ACCS>  [ 20 10 ]
//! <FIRST_ACCS>  [
//!   5.5
//!   -1 ]
//! <SECOND_ACCS> [
//! 12.5 ]
//! </LDAACCS>
//!
//! <MlltAccs>
//! 30 1 <G>
//! [
//! 4.5 ]
//! </MlltAccs>
//! ```
//!
//! Everything is computed in double precision and rounded once; Kaldi writes single precision.

mod basis_fmllr;
mod basis_transform;
mod fmllr;
mod fmllr_raw;
mod fmpe;
mod fmpe_stats;
mod lda;
mod lvtln;
mod lvtln_pairs;
mod mllt;
mod pca;

pub use basis_fmllr::{BasisFmllr, BasisFmllrStats};
pub use basis_transform::{BasisFmllrOptions, BasisTransform};
pub use fmllr::{Fmllr, FmllrFrames, FmllrOptions, FmllrStats, FmllrUpdate};
pub use fmllr_raw::{RawFmllrFrames, RawFmllrOptions, RawFmllrStats, SplicedTransform};
pub use fmpe::{Fmpe, FmpeOptions};
pub use fmpe_stats::{FmpeChange, FmpeChecks, FmpeStats, FmpeUpdateOptions};
pub use lda::{Lda, LdaOptions, LdaStats};
pub use lvtln::{LinearVtln, VtlnChoice};
pub use lvtln_pairs::{VtlnFit, VtlnPairs};
pub use mllt::{Mllt, MlltFrames, MlltStats};
pub use pca::{Pca, PcaStats};
