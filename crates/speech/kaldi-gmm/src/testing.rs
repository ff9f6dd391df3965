//! Small models and statistics for tests.

use kaldi_matrix::{Matrix, Vector};

use crate::{AccumDiagGmm, AmDiagGmm, DiagGmm, GmmFlags, GmmStats, PdfStats};

/// One pdf with one Gaussian in one dimension.
pub(crate) fn model(mean: f32, var: f32) -> AmDiagGmm {
    let matrix = |value| Matrix::from_vec(1, 1, vec![value]);
    let gmm = DiagGmm::new(Vector::from_vec(vec![1.0]), matrix(mean / var), matrix(1.0 / var)).unwrap();
    AmDiagGmm::new(vec![gmm]).unwrap()
}

/// The statistics of [`model`]: the number of frames, their sum, and the sum of their squares.
pub(crate) fn stats(sums: [f64; 3]) -> PdfStats {
    stats_of(GmmFlags::ALL, sums)
}

pub(crate) fn stats_of(flags: GmmFlags, [count, sum, squares]: [f64; 3]) -> PdfStats {
    let mut stats = AccumDiagGmm::new(1, 1, flags);
    stats.add_sums(0, count, &[sum], &[squares]);
    PdfStats { pdfs: vec![stats], log_like: 0.0, frames: 0.0 }
}
