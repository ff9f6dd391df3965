//! How fMPE is trained: derivatives by the elements of its projection.

use std::sync::Arc;

use crate::{Error, Mixture, Result};
use kaldi_io::ParseError;
use kaldi_matrix::{Matrix, Vector};
use kaldi_value::{Cursor, Format, KaldiObject};

use crate::transform::Fmpe;
use crate::transform::fmpe::add_scaled;

/// Statistics for the training of fMPE (Kaldi's `FmpeStats`): for each element of the projection the sums of the positive and of
/// the negative derivatives, both as numbers of 0 or more; all in single precision.
///
/// The file has two matrices. The first has the positive derivatives in its left half, the negative ones in its right half. The
/// second has eight rows for checks: of the direct and of the indirect derivatives by the features, alone and times the features.
#[derive(Clone, Debug, PartialEq)]
pub struct FmpeStats {
    /// `num_gauss * (dim + 1) × 2 * contexts * dim`.
    derivatives: Matrix<f32>,
    /// `8 × dim`.
    checks: Matrix<f32>,
}

/// How far derivatives that should cancel each other do so, for each dimension.
#[derive(Clone, Debug, PartialEq)]
pub struct FmpeChecks {
    /// What an offset of all features changes, compared with the sum of all derivatives: at most 0.01.
    pub shift: Vector<f64>,
    /// What a factor of all features changes, compared with the same: at most 0.01.
    pub scale: Vector<f64>,
    /// What an offset changes, compared with the sums of the direct and of the indirect derivatives: at most 0.1 mostly.
    pub shift_of_sums: Vector<f64>,
    /// What a factor changes, compared with the same: at most 0.1 mostly.
    pub scale_of_sums: Vector<f64>,
}

/// How an fMPE transform is changed by its statistics (Kaldi's `FmpeUpdateOptions`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FmpeUpdateOptions {
    /// How fast it is changed.
    pub learning_rate: f32,
    /// How much large elements are made smaller.
    pub l2_weight: f32,
}

impl Default for FmpeUpdateOptions {
    fn default() -> Self {
        Self { learning_rate: 0.1, l2_weight: 100.0 }
    }
}

/// What a change of an fMPE transform has done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FmpeChange {
    /// By how much the objective function grows if it is linear.
    pub improvement: f64,
    /// The share of elements whose sign has changed.
    pub changed_signs: f64,
}

impl FmpeStats {
    /// The number of dimensions of the features.
    pub fn dim(&self) -> usize {
        self.checks.num_cols()
    }

    /// The number of Gaussians of the transform.
    pub fn num_gauss(&self) -> usize {
        self.derivatives.num_rows() / (self.dim() + 1)
    }

    /// The number of contexts of the transform.
    pub fn num_contexts(&self) -> usize {
        self.derivatives.num_cols() / (2 * self.dim().max(1))
    }

    /// Starts statistics of zeros.
    pub fn new(fmpe: &Fmpe) -> Self {
        let (rows, cols) = projection_size(fmpe);
        Self { derivatives: Matrix::new(rows, 2 * cols), checks: Matrix::new(8, fmpe.gmm.dim()) }
    }

    /// Adds other statistics.
    ///
    /// # Errors
    /// If they are of another transform.
    pub fn add(&mut self, other: &Self) -> Result<()> {
        for (sum, other) in [(&mut self.derivatives, &other.derivatives), (&mut self.checks, &other.checks)] {
            if sum.size() != other.size() {
                return Err(Error::FmpeSize { expected: sum.size(), got: other.size() });
            }
            sum.add_scaled(1.0, other).map_err(Error::estimate("a sum of statistics"))?;
        }
        Ok(())
    }

    /// The checks of the derivatives; `None` without indirect derivatives, which they are for.
    pub fn checks(&self) -> Option<FmpeChecks> {
        if self.checks.as_slice().iter().all(|value| *value == 0.0) {
            return None;
        }
        let ratios = |rows: usize| {
            let of = |dim: usize| {
                let [plus, minus, indirect_plus, indirect_minus] =
                    [0, 1, 2, 3].map(|row| f64::from(self.checks.row(rows + row)[dim]));
                let (direct, indirect) = (plus - minus, indirect_plus - indirect_minus);
                let sum = direct + indirect;
                (sum / (plus + minus + indirect_plus + indirect_minus), sum / (direct.abs() + indirect.abs()))
            };
            let (all, of_sums) = (0..self.checks.num_cols()).map(of).unzip();
            (Vector::from_vec(all), Vector::from_vec(of_sums))
        };
        let ((shift, shift_of_sums), (scale, scale_of_sums)) = (ratios(0), ratios(4));
        Some(FmpeChecks { shift, scale, shift_of_sums, scale_of_sums })
    }

    fn add_checks(&mut self, feats: &Matrix<f32>, derivatives: [&Matrix<f32>; 2]) {
        for (pair, derivatives) in derivatives.into_iter().enumerate() {
            for (values, derivatives) in feats.rows().zip(derivatives.rows()) {
                for (dim, (value, derivative)) in values.iter().zip(derivatives).enumerate() {
                    for (row, change) in [(2 * pair, *derivative), (4 + 2 * pair, value * derivative)] {
                        self.checks.row_mut(row)[dim] += change.max(0.0);
                        self.checks.row_mut(row + 1)[dim] += (-change).max(0.0);
                    }
                }
            }
        }
    }
}

fn projection_size(fmpe: &Fmpe) -> (usize, usize) {
    (fmpe.gmm.num_gauss() * (fmpe.gmm.dim() + 1), fmpe.contexts.len() * fmpe.gmm.dim())
}

impl Fmpe {
    /// Adds the derivatives by the projection, from derivatives of an objective function by the changed features:
    /// `num_frames × dim`, direct ones and, if the model follows the features, indirect ones.
    ///
    /// # Errors
    /// If the features or the derivatives have another size or are not finite, or a frame has no selection of existing
    /// Gaussians.
    pub fn add_derivatives(
        &self,
        feats: &Matrix<f32>,
        selected: &[Vec<i32>],
        (direct, indirect): (&Matrix<f32>, Option<&Matrix<f32>>),
        stats: &mut FmpeStats,
    ) -> Result<()> {
        let dim = self.gmm.dim();
        if feats.num_cols() != dim {
            return Err(Error::FeatsDim { expected: dim, got: feats.num_cols() });
        }
        for derivatives in [Some(direct), indirect].into_iter().flatten() {
            if derivatives.size() != feats.size() {
                return Err(Error::Derivatives { expected: feats.size(), got: derivatives.size() });
            }
        }
        let shares = self.shares(feats, selected)?;
        let finite =
            |values: &Matrix<f32>| match values.rows().position(|row| !row.iter().all(|value| value.is_finite())) {
                Some(frame) => Err(Error::NotFinite { frame }),
                None => Ok(()),
            };
        for derivatives in [Some(direct), indirect].into_iter().flatten() {
            finite(derivatives)?;
        }
        let mut by_feats = direct.clone();
        if let Some(indirect) = indirect {
            stats.add_checks(feats, [direct, indirect]);
            by_feats.add_scaled(1.0, indirect).map_err(Error::estimate("a sum of derivatives"))?;
        }
        let by_contexts = self.by_contexts(&by_feats);
        finite(&by_contexts)?;
        let half = by_contexts.num_cols();
        for (gauss, share) in shares.iter().enumerate().filter(|(_, share)| !share.is_empty()) {
            let high = self.high_features(gauss, share, feats);
            for (&(frame, _), high) in share.iter().zip(high.rows()) {
                if !high.iter().all(|value| value.is_finite()) {
                    return Err(Error::NotFinite { frame });
                }
                for (at, value) in high.iter().enumerate() {
                    let (plus, minus) = stats.derivatives.row_mut(gauss * (dim + 1) + at).split_at_mut(half);
                    for ((plus, minus), derivative) in plus.iter_mut().zip(minus).zip(by_contexts.row(frame)) {
                        let product = value * derivative;
                        if product > 0.0 {
                            *plus += product;
                        } else {
                            *minus -= product;
                        }
                    }
                }
            }
        }
        Ok(())
    }

    /// The derivatives by the offsets of all contexts, `num_frames × contexts * dim`, from those by the features.
    fn by_contexts(&self, by_feats: &Matrix<f32>) -> Matrix<f32> {
        let (num_frames, dim) = by_feats.size();
        let factor: Vec<f32> = self.factor.as_slice().iter().map(|&value| value as f32).collect();
        let mut before = Matrix::<f32>::new(num_frames, dim);
        for (out, by_feats) in before.rows_mut().zip(by_feats.rows()) {
            let mut lower = factor.as_slice();
            for (row, derivative) in by_feats.iter().enumerate() {
                let (values, rest) = lower.split_at(row + 1);
                add_scaled(&mut out[..=row], *derivative, values);
                lower = rest;
            }
        }
        let mut out = Matrix::<f32>::new(num_frames, dim * self.contexts.len());
        for (context, terms) in self.contexts.iter().enumerate() {
            for &(offset, weight) in terms {
                for frame in 0..num_frames {
                    let from = usize::try_from(frame as i64 + i64::from(offset)).unwrap_or(usize::MAX);
                    if from < num_frames {
                        let part = &mut out.row_mut(from)[context * dim..(context + 1) * dim];
                        add_scaled(part, weight, before.row(frame));
                    }
                }
            }
        }
        out
    }

    /// Changes the projection by one step of gradient ascent, which is larger for elements with small derivatives (Kaldi's
    /// `Fmpe::Update`). An element without derivatives and without regularization stays.
    ///
    /// # Errors
    /// If the statistics are of another transform.
    pub fn update(&mut self, stats: &FmpeStats, options: &FmpeUpdateOptions) -> Result<FmpeChange> {
        let (rows, cols) = projection_size(self);
        if stats.derivatives.size() != (rows, 2 * cols) {
            return Err(Error::FmpeSize { expected: (rows, 2 * cols), got: stats.derivatives.size() });
        }
        let (mut improvement, mut changed) = (0.0, 0_usize);
        let mut derivatives = stats.derivatives.rows();
        for projection in &mut self.projections {
            for (row, derivatives) in Arc::make_mut(projection).rows_mut().zip(derivatives.by_ref()) {
                let (plus, minus) = derivatives.split_at(cols);
                for ((element, plus), minus) in row.iter_mut().zip(plus).zip(minus) {
                    let (old, sum) = (*element, (plus + minus) / options.learning_rate);
                    let divisor = 2.0 * options.l2_weight + sum;
                    if divisor != 0.0 {
                        *element = ((plus - minus) + old * (plus + minus) / options.learning_rate) / divisor;
                    }
                    improvement += f64::from((*element - old) * (plus - minus));
                    changed += usize::from(*element * old < 0.0);
                }
            }
        }
        Ok(FmpeChange { improvement, changed_signs: changed as f64 / (rows * cols) as f64 })
    }
}

impl KaldiObject for FmpeStats {
    const NAME: &'static str = "fMPE statistics";

    fn read_part(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        cursor.skip_space();
        let start = cursor.offset();
        let derivatives = Matrix::<f32>::read_part(cursor)?;
        let checks = Matrix::<f32>::read_part(cursor)?;
        let error = |message: String| Err(ParseError::new(start, message));
        if derivatives.num_cols() % 2 != 0 || derivatives.is_empty() || checks.num_rows() != 8 {
            let (derivatives, checks) = (derivatives.size(), checks.size());
            return error(format!(
                "expected derivatives with an even number of columns and checks of 8 rows, got {} by {} and {} by {}",
                derivatives.0, derivatives.1, checks.0, checks.1
            ));
        }
        if let Some(got) = derivatives.as_slice().iter().find(|value| !value.is_finite() || **value < 0.0) {
            return error(format!("expected sums of derivatives of 0 or more that are finite, got {got}"));
        }
        Ok(Self { derivatives, checks })
    }

    fn write_part(&self, out: &mut Vec<u8>, format: Format) {
        self.derivatives.write_part(out, format);
        self.checks.write_part(out, format);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DiagGmm;
    use crate::transform::FmpeOptions;
    use kaldi_value::Value;

    fn fmpe() -> Fmpe {
        let text =
            "<DiagGMM> <WEIGHTS> [ 0.5 0.5 ] <MEANS_INVVARS> [ 1 2\n -4 1 ] <INV_VARS> [ 1 2\n 4 1 ] </DiagGMM> ";
        let gmm = DiagGmm::read(&mut Cursor::new(text.as_bytes())).unwrap();
        let options = FmpeOptions { context_expansion: "0,1:-1,0.5;1,2".to_owned(), ..FmpeOptions::default() };
        Fmpe::new(gmm, &options).unwrap()
    }

    fn feats() -> Matrix<f32> {
        Matrix::from_vec(3, 2, vec![2.0, 4.0, -1.0, 0.5, 0.0, 1.0])
    }

    fn selected() -> Vec<Vec<i32>> {
        vec![vec![0, 1], vec![1], vec![0, 1]]
    }

    fn stats() -> (Matrix<f32>, FmpeStats) {
        let direct = Matrix::from_vec(3, 2, vec![0.5, -1.0, 2.0, 0.25, -0.5, 1.5]);
        let mut stats = FmpeStats::new(&fmpe());
        fmpe().add_derivatives(&feats(), &selected(), (&direct, None), &mut stats).unwrap();
        (direct, stats)
    }

    #[test]
    fn derivatives_are_those_of_the_projection() {
        let (direct, stats) = stats();
        let half = stats.derivatives.num_cols() / 2;
        // The objective is linear in the offsets, and these are linear in the projection.
        for (row, col) in [(0, 0), (2, 3), (4, 1), (5, 2), (1, 1)] {
            let mut changed = fmpe();
            Arc::make_mut(&mut changed.projections[row / 3]).row_mut(row % 3)[col] = 1.0;
            let offsets = changed.offsets(&feats(), &selected()).unwrap();
            let objective: f32 = offsets.as_slice().iter().zip(direct.as_slice()).map(|(a, b)| a * b).sum();
            let found = stats.derivatives.row(row)[col] - stats.derivatives.row(row)[half + col];
            assert!((objective - found).abs() < 1e-4, "{row} {col}: {objective} {found}");
        }
        assert_eq!(stats.checks(), None);
    }

    #[test]
    fn an_update_follows_the_derivatives() {
        let (_, stats) = stats();
        let mut changed = fmpe();
        let options = FmpeUpdateOptions { learning_rate: 0.1, l2_weight: 0.0 };
        let change = changed.update(&stats, &options).unwrap();
        assert!(change.improvement > 0.0 && change.changed_signs == 0.0);
        let (half, row) = (stats.derivatives.num_cols() / 2, stats.derivatives.row(0));
        let expected = 0.1 * (row[0] - row[half]) / (row[0] + row[half]);
        assert!((changed.projections[0].row(0)[0] - expected).abs() < 1e-6);
        // Without derivatives and regularization nothing changes.
        let before = changed.projections[0].clone();
        let same = changed.update(&FmpeStats::new(&fmpe()), &options).unwrap();
        assert_eq!((same.improvement, &changed.projections[0]), (0.0, &before));
        let options = FmpeUpdateOptions { learning_rate: 0.1, l2_weight: 1e9 };
        changed.update(&FmpeStats::new(&fmpe()), &options).unwrap();
        assert!(changed.projections[0].as_slice().iter().all(|value| *value == 0.0));
    }

    #[test]
    fn checks_compare_direct_and_indirect_derivatives() {
        let direct = Matrix::from_vec(1, 2, vec![2.0, 1.0]);
        let indirect = Matrix::from_vec(1, 2, vec![-2.0, -0.5]);
        let mut stats = FmpeStats::new(&fmpe());
        let feats = Matrix::from_vec(1, 2, vec![3.0, -1.0]);
        fmpe().add_derivatives(&feats, &[vec![0]], (&direct, Some(&indirect)), &mut stats).unwrap();
        let checks = stats.checks().unwrap();
        assert_eq!((checks.shift.as_slice(), checks.scale.as_slice()), (&[0.0, 0.5 / 1.5][..], &[0.0, -0.5 / 1.5][..]));
        assert_eq!((checks.shift_of_sums.as_slice()[1], checks.scale_of_sums.as_slice()[1]), (0.5 / 1.5, -0.5 / 1.5));
    }

    #[test]
    fn what_is_not_finite_is_not_added() {
        let mut stats = FmpeStats::new(&fmpe());
        let one = Matrix::from_vec(1, 2, vec![1.0, 1.0]);
        let nan = Matrix::from_vec(1, 2, vec![1.0, f32::NAN]);
        let mut add = |feats: &Matrix<f32>, direct: &Matrix<f32>| {
            fmpe().add_derivatives(feats, &[vec![0]], (direct, None), &mut stats)
        };
        assert_eq!(add(&one, &nan), Err(Error::NotFinite { frame: 0 }));
        assert_eq!(add(&nan, &one), Err(Error::NotFinite { frame: 0 }));
        assert_eq!(add(&one, &one), Ok(()));
    }

    #[test]
    fn what_is_written_is_read_again() {
        let (_, stats) = stats();
        let mut sum = stats.clone();
        sum.add(&stats).unwrap();
        assert_eq!(sum.derivatives.row(0)[0], 2.0 * stats.derivatives.row(0)[0]);
        let bytes = stats.to_bytes(Format::Binary);
        assert_eq!(FmpeStats::read(&mut Cursor::new(&bytes)), Ok(stats.clone()));
        for length in 0..bytes.len() {
            assert!(FmpeStats::read(&mut Cursor::new(&bytes[..length])).is_err(), "{length}");
        }
        let refused = |text: &str| FmpeStats::read(&mut Cursor::new(text.as_bytes())).unwrap_err().to_string();
        assert!(refused(" [ 1 ]\n [ 1 ]\n").contains("got 1 by 1 and 1 by 1"));
        let checks = " [ 1\n 1\n 1\n 1\n 1\n 1\n 1\n 1 ]\n";
        assert!(refused(&format!(" [ 1 -1 ]\n{checks}")).contains("got -1"));
        let other = FmpeStats::read(&mut Cursor::new(format!(" [ 1 1 ]\n{checks}").as_bytes())).unwrap();
        let message = "expected derivatives of 6 by 8, got 1 by 2: statistics of another transform";
        assert_eq!(sum.add(&other).unwrap_err().to_string(), message);
        assert_eq!(fmpe().update(&other, &FmpeUpdateOptions::default()).unwrap_err().to_string(), message);
    }
}
