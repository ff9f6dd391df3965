//! Statistics of sparse matrices with more zeros than memory.

use bstr::BStr;
use corpus_quality::Moments;
use kaldi_matrix::SparseMatrix;

use super::{EntryStatistics, Examiner, MOST_COLUMNS, Scratch};

impl Examiner {
    /// Processes a sparse matrix without its zeros, which are too many.
    pub(super) fn examine_sparse(
        &self,
        key: &BStr,
        sparse: &SparseMatrix<f32>,
        scratch: &mut Scratch,
    ) -> EntryStatistics {
        let values: Vec<f32> = sparse.rows().flatten().map(|&(_, value)| value).collect();
        let (rows, columns) = sparse.size();
        let zeros = (rows as u64).saturating_mul(columns as u64) - values.len() as u64;
        let mut moments = Moments::of(&values);
        moments.merge(&Moments { count: zeros, min: 0.0, max: 0.0, ..Moments::default() });
        let mut part = EntryStatistics { moments, length: rows as u64, ..EntryStatistics::default() };
        if columns <= MOST_COLUMNS {
            // Whether columns are constant is not looked at.
            (part.first, part.constant) = (vec![0.0; columns], vec![false; columns]);
        }
        scratch.sketch.add(&values);
        scratch.sketch.add_zeros(zeros);
        self.take_sketch(key, &mut scratch.sketch, &mut part);
        part
    }
}
