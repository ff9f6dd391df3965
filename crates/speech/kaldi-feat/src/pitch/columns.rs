//! The columns of features with pitch.

use kaldi_matrix::Matrix;

use crate::{Error, Result};

/// Checks that features have the pitch in their second column; more columns may follow.
pub(super) fn check_has_pitch(feats: &Matrix<f32>) -> Result<()> {
    match feats.num_cols() {
        0 => Err(Error::Empty),
        1 => Err(Error::FeatsDim { expected: 2, got: 1 }),
        _ => Ok(()),
    }
}
