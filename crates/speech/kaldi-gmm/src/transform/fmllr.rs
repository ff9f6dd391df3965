//! Transforms of the features of a speaker, to which a model fits best (fMLLR, also called constrained MLLR).

use crate::{DiagGmm, Error, Mixture, Result};
use kaldi_matrix::{Matrix, SymmetricMatrix, Vector, WeightedOuters};

use crate::transform::mllt::{dot, replace_row};

/// Which elements of an fMLLR transform are estimated.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
pub enum FmllrUpdate {
    /// All.
    Full,
    /// A factor and an offset for each dimension.
    #[cfg_attr(feature = "cli", value(name = "diag"))]
    Diagonal,
    /// An offset for each dimension.
    Offset,
    /// None: the transform changes nothing.
    #[cfg_attr(feature = "cli", value(name = "none"))]
    Nothing,
}

/// How fMLLR is estimated.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct FmllrOptions {
    /// What is estimated: full, diag, offset or none
    #[cfg_attr(feature = "cli", arg(long = "fmllr-update-type", value_enum, default_value_t = FmllrOptions::default().update))]
    pub update: FmllrUpdate,
    /// With this many frames or fewer, the transform changes nothing
    #[cfg_attr(feature = "cli", arg(long = "fmllr-min-count", default_value_t = FmllrOptions::default().min_count))]
    pub min_count: f32,
    /// The number of iterations of a full estimate
    #[cfg_attr(feature = "cli", arg(long = "fmllr-num-iters", default_value_t = FmllrOptions::default().num_iters))]
    pub num_iters: i32,
}

impl Default for FmllrOptions {
    fn default() -> Self {
        Self { update: FmllrUpdate::Full, min_count: 500.0, num_iters: 40 }
    }
}

/// Statistics for fMLLR (Kaldi's `FmllrDiagGmmAccs`).
#[derive(Clone, Debug, PartialEq)]
pub struct FmllrStats {
    /// The number of frames.
    pub(crate) count: f64,
    /// For each dimension, the frames times the means divided by the variances; frames have a 1 at the end.
    pub(crate) linear: Matrix<f64>,
    /// For each dimension, the products of the elements of the frames, divided by the variances.
    pub(crate) quadratic: Vec<SymmetricMatrix>,
}

/// An estimate of fMLLR.
#[derive(Clone, Debug, PartialEq)]
pub struct Fmllr {
    /// `dim × (dim + 1)`: a square matrix, and the offsets in the last column.
    pub transform: Matrix<f32>,
    /// By how much the transform improves the log likelihood of all frames.
    pub improvement: f64,
    /// Whether there are enough frames for an estimate.
    pub is_estimated: bool,
}

impl FmllrStats {
    /// Starts statistics of zeros.
    pub fn new(dim: usize) -> Self {
        Self { count: 0.0, linear: Matrix::new(dim, dim + 1), quadratic: vec![SymmetricMatrix::new(dim + 1); dim] }
    }

    /// The number of dimensions.
    pub fn dim(&self) -> usize {
        self.quadratic.len()
    }

    /// The number of frames: the sum of the posteriors.
    pub fn count(&self) -> f64 {
        self.count
    }

    /// Starts to add frames. The statistics can be used again when what is returned is dropped.
    pub fn frames(&mut self) -> FmllrFrames<'_> {
        let dim = self.dim();
        let sums = FrameSums::new(&mut self.count, &mut self.linear, &mut self.quadratic);
        FmllrFrames { sums, linear: vec![0.0; dim], factors: vec![0.0; dim] }
    }

    /// Estimates the transform under which the model fits the frames best. It changes nothing if there are not enough frames,
    /// or if the estimate does not improve the likelihood.
    ///
    /// Row by row, while the other rows are fixed (Gales's "Maximum likelihood linear transformations for HMM-based speech
    /// recognition"), as Kaldi does.
    ///
    /// # Errors
    /// If the statistics of a dimension are not positive definite.
    pub fn estimate(&self, options: &FmllrOptions) -> Result<Fmllr> {
        let mut affine = Affine::unit(self.dim());
        let is_estimated = self.count > f64::from(options.min_count).max(0.0);
        let mut improvement = 0.0;
        if is_estimated {
            let before = self.objective(&affine)?;
            let mut changed = affine.clone();
            match options.update {
                FmllrUpdate::Full => self.estimate_full(options.num_iters, &mut changed)?,
                FmllrUpdate::Diagonal => self.estimate_diagonal(&mut changed)?,
                FmllrUpdate::Offset => self.estimate_offsets(&mut changed),
                FmllrUpdate::Nothing => {}
            }
            let after = self.objective(&changed)?;
            // What rounding makes worse is no reason to refuse.
            if after >= before || (after - before).abs() <= 0.001 * (after.abs() + before.abs()) {
                affine = changed;
                improvement = after - before;
            }
        }
        Ok(Fmllr { transform: affine.to_matrix(), improvement, is_estimated })
    }

    /// The log likelihood of the frames, except for a constant.
    pub(crate) fn objective(&self, affine: &Affine) -> Result<f64> {
        let log_det = affine.square.log_abs_det().map_err(Error::estimate("the determinant of the transform"))?;
        let mut sum = self.count * log_det;
        for (row, (linear, quadratic)) in self.linear.rows().zip(&self.quadratic).enumerate() {
            let elements = affine.row(row);
            let form = quadratic.quadratic_form(&elements).map_err(Error::estimate(of_row(row)))?;
            sum += dot(&elements, linear) - 0.5 * form;
        }
        Ok(sum)
    }

    fn estimate_full(&self, num_iters: i32, affine: &mut Affine) -> Result<()> {
        let mut inverses = Vec::with_capacity(self.dim());
        for (row, quadratic) in self.quadratic.iter().enumerate() {
            inverses.push(quadratic.inverse().map_err(Error::estimate(of_row(row)))?);
        }
        for _ in 0..num_iters {
            // Each new row changes the inverse. Computing it anew now and then keeps the roundings small.
            let mut inverse = affine.square.inverse().map_err(Error::estimate("the inverse of the transform"))?;
            for (row, quadratic_inverse) in inverses.iter().enumerate() {
                let linear = self.linear.row(row);
                let found = best_row(quadratic_inverse, inverse.column(row).as_slice(), linear, self.count);
                let elements = found.map_err(Error::estimate(of_row(row)))?;
                affine.offsets[row] = elements[self.dim()];
                let square = Vector::from_vec(elements[..self.dim()].to_vec());
                replace_row(&mut affine.square, &mut inverse, row, &square);
            }
        }
        Ok(())
    }

    pub(crate) fn estimate_diagonal(&self, affine: &mut Affine) -> Result<()> {
        let dim = self.dim();
        for (row, (linear, quadratic)) in self.linear.rows().zip(&self.quadratic).enumerate() {
            let (squares, sums) = (quadratic.lower_row(row)[row], quadratic.lower_row(dim));
            let (sum, total) = (sums[row], sums[dim]);
            // The best factor s solves a s² + b s + count = 0, if the offset is the best one for it.
            let a = sum * sum / total - squares;
            let b = linear[row] - sum * linear[dim] / total;
            let factor = (-b - (b * b - 4.0 * a * self.count).sqrt()) / (2.0 * a);
            if !(factor.is_finite() && factor > 0.0) {
                return Err(Error::NoSpread { dim: row });
            }
            affine.square.row_mut(row)[row] = factor;
            affine.offsets[row] = (linear[dim] - factor * sum) / total;
        }
        Ok(())
    }

    pub(crate) fn estimate_offsets(&self, affine: &mut Affine) {
        let dim = self.dim();
        for (row, (linear, quadratic)) in self.linear.rows().zip(&self.quadratic).enumerate() {
            let sums = quadratic.lower_row(dim);
            affine.offsets[row] = (linear[dim] - sums[row]) / sums[dim];
        }
    }
}

/// Adds frames to [`FmllrStats`].
#[derive(Debug)]
pub struct FmllrFrames<'a> {
    sums: FrameSums<'a>,
    /// The means divided by the variances, and the inverse variances of a frame: the sums over its Gaussians.
    linear: Vec<f64>,
    factors: Vec<f64>,
}

impl FmllrFrames<'_> {
    /// Adds a frame, with mixtures and the posteriors of their Gaussians.
    ///
    /// # Errors
    /// If a mixture or the frame has another dimension, or there is not one posterior for each Gaussian.
    pub fn add<'a>(
        &mut self,
        frame: &[f32],
        mixtures: impl IntoIterator<Item = (&'a DiagGmm, &'a [f32])>,
    ) -> Result<()> {
        let Self { sums, linear, factors } = self;
        let dim = factors.len();
        let check = |got: usize| if got == dim { Ok(()) } else { Err(Error::FeatsDim { expected: dim, got }) };
        check(frame.len())?;
        linear.fill(0.0);
        factors.fill(0.0);
        let mut count = 0.0;
        for (gmm, posteriors) in mixtures {
            check(gmm.dim())?;
            if posteriors.len() != gmm.num_gauss() {
                return Err(Error::Posteriors { expected: gmm.num_gauss(), got: posteriors.len() });
            }
            let posteriors = posteriors.iter().map(|&posterior| f64::from(posterior)).enumerate();
            for (gauss, posterior) in posteriors.filter(|(_, posterior)| *posterior != 0.0) {
                count += posterior;
                add(linear, posterior, gmm.means_invvars().row(gauss));
                add(factors, posterior, gmm.inv_vars().row(gauss));
            }
        }
        if count == 0.0 { Ok(()) } else { sums.add(count, frame, linear, factors) }
    }
}

/// The sums to which frames are added.
#[derive(Debug)]
pub(crate) struct FrameSums<'a> {
    count: &'a mut f64,
    linear: &'a mut Matrix<f64>,
    quadratic: WeightedOuters<'a>,
    /// A frame with a 1 at the end.
    extended: Vec<f64>,
}

impl<'a> FrameSums<'a> {
    pub(crate) fn new(count: &'a mut f64, linear: &'a mut Matrix<f64>, quadratic: &'a mut [SymmetricMatrix]) -> Self {
        let cols = linear.num_cols();
        Self { count, linear, quadratic: WeightedOuters::new(cols, quadratic), extended: vec![1.0; cols] }
    }

    /// Adds a frame of the right dimension, times a factor to each row of the linear statistics, and its products times a
    /// factor to each of the quadratic ones.
    pub(crate) fn add(&mut self, count: f64, frame: &[f32], linear: &[f64], factors: &[f64]) -> Result<()> {
        *self.count += count;
        self.extended.iter_mut().zip(frame).for_each(|(extended, &value)| *extended = value.into());
        for (sums, factor) in self.linear.rows_mut().zip(linear) {
            sums.iter_mut().zip(&self.extended).for_each(|(sum, value)| *sum += factor * value);
        }
        self.quadratic.add(&self.extended, factors).map_err(Error::estimate("the products of a frame"))
    }
}

/// The best row of a transform while the others are fixed: from the inverse of its quadratic statistics, its column of the
/// inverse of the transform, its linear statistics, and the number of frames.
pub(crate) fn best_row(
    quadratic_inverse: &SymmetricMatrix,
    inverse_column: &[f64],
    linear: &[f64],
    count: f64,
) -> Result<Vec<f64>, kaldi_matrix::Error> {
    // The cofactors of the row except for a factor, which makes no difference; none for the offset.
    let cofactors: Vec<f64> = inverse_column.iter().copied().chain([0.0]).collect();
    let product = quadratic_inverse.multiply_vector(&cofactors)?;
    let (square, mixed) = (dot(product.as_slice(), &cofactors), dot(product.as_slice(), linear));
    let root = (mixed * mixed + 4.0 * square * count).sqrt();
    let objective = |step: f64| count * (step * square + mixed).abs().ln() - 0.5 * step * step * square;
    let steps = [(-mixed + root) / (2.0 * square), (-mixed - root) / (2.0 * square)];
    let step = if objective(steps[0]) > objective(steps[1]) { steps[0] } else { steps[1] };
    let right: Vec<f64> = cofactors.iter().zip(linear).map(|(cofactor, linear)| step * cofactor + linear).collect();
    Ok(quadratic_inverse.multiply_vector(&right)?.into_vec())
}

/// A transform while it is estimated.
#[derive(Clone)]
pub(crate) struct Affine {
    pub(crate) square: Matrix<f64>,
    pub(crate) offsets: Vec<f64>,
}

impl Affine {
    pub(crate) fn unit(dim: usize) -> Self {
        Self { square: SymmetricMatrix::identity(dim).to_matrix(), offsets: vec![0.0; dim] }
    }

    pub(crate) fn row(&self, row: usize) -> Vec<f64> {
        self.square.row(row).iter().copied().chain([self.offsets[row]]).collect()
    }

    pub(crate) fn to_matrix(&self) -> Matrix<f32> {
        let dim = self.offsets.len();
        Matrix::from_vec(dim, dim + 1, (0..dim).flat_map(|row| self.row(row)).map(|value| value as f32).collect())
    }
}

pub(crate) fn of_row(row: usize) -> String {
    format!("row {row} of the transform")
}

fn add(sums: &mut [f64], factor: f64, values: &[f32]) {
    sums.iter_mut().zip(values).for_each(|(sum, &value)| *sum += factor * f64::from(value));
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Frames whose dimensions have means of 3 and −1 and standard deviations of 2 and 4, under a model of zeros and ones.
    fn stats() -> FmllrStats {
        let one = Matrix::from_vec(1, 2, vec![1.0, 1.0]);
        let gmm = DiagGmm::new(Vector::from_vec(vec![1.0]), Matrix::new(1, 2), one).unwrap();
        let mut stats = FmllrStats::new(2);
        let mut frames = stats.frames();
        for (first, second) in [(1.0, 3.0), (1.0, -5.0), (5.0, 3.0), (5.0, -5.0)] {
            frames.add(&[first, second], [(&gmm, &[2.0][..])]).unwrap();
        }
        drop(frames);
        stats
    }

    #[track_caller]
    fn gives(update: FmllrUpdate, expected: [f32; 6]) {
        let found = stats().estimate(&FmllrOptions { update, min_count: 7.0, num_iters: 40 }).unwrap();
        // With one Gaussian, a row and the same row with the other sign are equally good.
        let near = |(got, expected): (&f32, &f32)| (got.abs() - expected.abs()).abs() < 1e-4;
        assert!(found.transform.as_slice().iter().zip(&expected).all(near), "{found:?}");
        assert_eq!((found.is_estimated, found.improvement > 0.0), (true, update != FmllrUpdate::Nothing));
    }

    #[test]
    fn features_become_like_the_model() {
        gives(FmllrUpdate::Full, [0.5, 0.0, -1.5, 0.0, 0.25, 0.25]);
        gives(FmllrUpdate::Diagonal, [0.5, 0.0, -1.5, 0.0, 0.25, 0.25]);
        gives(FmllrUpdate::Offset, [1.0, 0.0, -3.0, 0.0, 1.0, 1.0]);
        gives(FmllrUpdate::Nothing, [1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    }

    #[test]
    fn few_frames_change_nothing() {
        let options = FmllrOptions { update: FmllrUpdate::Full, min_count: 8.0, num_iters: 40 };
        let found = stats().estimate(&options).unwrap();
        assert_eq!((found.is_estimated, found.improvement), (false, 0.0));
        assert_eq!(found.transform.as_slice(), [1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
        let none = FmllrStats::new(2).estimate(&FmllrOptions { min_count: -1.0, ..options }).unwrap();
        assert!(!none.is_estimated);
    }

    #[test]
    fn what_has_no_spread_or_no_posteriors_is_an_error() {
        let ones = Matrix::from_vec(1, 1, vec![1.0]);
        let gmm = DiagGmm::new(Vector::from_vec(vec![1.0]), ones.clone(), ones).unwrap();
        let mut stats = FmllrStats::new(1);
        assert_eq!(stats.frames().add(&[1.0], [(&gmm, &[][..])]), Err(Error::Posteriors { expected: 1, got: 0 }));
        assert_eq!(stats.frames().add(&[1.0, 2.0], []), Err(Error::FeatsDim { expected: 1, got: 2 }));
        stats.frames().add(&[2.0], [(&gmm, &[9.0][..])]).unwrap();
        let options = FmllrOptions { update: FmllrUpdate::Diagonal, min_count: 0.0, num_iters: 1 };
        assert_eq!(stats.estimate(&options), Err(Error::NoSpread { dim: 0 }));
        assert!(stats.estimate(&FmllrOptions { update: FmllrUpdate::Full, ..options }).is_err());
    }
}
