//! The zeros of sparse matrices, of which a few bytes may stand for any number.

use crate::{Error, Matrix, Real, Result};

/// The most elements of a matrix with all of its zeros.
const MOST_ELEMENTS: usize = 1 << 26;

impl<T: Real> Matrix<T> {
    /// A matrix of zeros for the elements of a sparse one.
    ///
    /// # Errors
    /// If it has too many.
    pub fn with_zeros(size: (usize, usize)) -> Result<Self> {
        match has_few_elements(size) {
            true => Ok(Self::new(size.0, size.1)),
            false => Err(Error::Zeros { limit: MOST_ELEMENTS, got: size }),
        }
    }
}

/// Whether a matrix of this size may be kept with all of its zeros.
pub(crate) fn has_few_elements((rows, columns): (usize, usize)) -> bool {
    rows.checked_mul(columns).is_some_and(|elements| elements <= MOST_ELEMENTS)
}
