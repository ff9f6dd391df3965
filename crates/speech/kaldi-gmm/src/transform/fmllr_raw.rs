//! fMLLR of frames before they are spliced and transformed.

use std::sync::Arc;

use crate::{DiagGmm, Error, Mixture, Result};
use kaldi_matrix::{Matrix, SymmetricMatrix, Vector};

use crate::transform::Fmllr;
use crate::transform::fmllr::{Affine, FrameSums, best_row, of_row};
use crate::transform::mllt::{dot, replace_row};

/// What is done to frames before a model sees them: several are put side by side and transformed by a square matrix, whose first
/// rows give the features of the model. The other dimensions count as normally distributed.
#[derive(Clone, Debug, PartialEq)]
pub struct SplicedTransform {
    /// The dimension of a frame.
    raw_dim: usize,
    model_dim: usize,
    /// Without the offsets.
    square: Matrix<f32>,
    /// The rows for the features of the model, transposed.
    model_columns: Matrix<f32>,
    offsets: Vec<f32>,
}

impl SplicedTransform {
    /// Describes a transform, linear or with offsets in the last column, as `get-full-lda-mat` makes it.
    ///
    /// # Errors
    /// If it is not square, does not fit `raw_dim`, or has fewer rows than the model has dimensions.
    pub fn new(raw_dim: i32, model_dim: usize, full: &Matrix<f32>) -> Result<Self> {
        let (rows, cols) = full.size();
        let refused = Error::FullTransform { got: (rows, cols), raw_dim, model_dim };
        let raw_dim = usize::try_from(raw_dim).unwrap_or(0);
        if raw_dim == 0 || rows == 0 || rows % raw_dim != 0 || rows < model_dim || (cols != rows && cols != rows + 1) {
            return Err(refused);
        }
        let offsets = if cols > rows { full.column(rows).into_vec() } else { vec![0.0; rows] };
        let (square, model_columns) = (full.range(0..rows, 0..rows), full.range(0..model_dim, 0..rows).transpose());
        Ok(Self { raw_dim, model_dim, square, model_columns, offsets })
    }

    /// The dimension of spliced frames.
    fn full_dim(&self) -> usize {
        self.square.num_rows()
    }

    /// The number of frames that are side by side.
    fn width(&self) -> usize {
        self.full_dim() / self.raw_dim
    }

    /// The features that the model sees.
    ///
    /// # Errors
    /// If the frame has another dimension.
    pub fn model_feats(&self, spliced: &[f32]) -> Result<Vec<f32>> {
        if spliced.len() != self.full_dim() {
            return Err(Error::FeatsDim { expected: self.full_dim(), got: spliced.len() });
        }
        let mut feats = vec![-0.0; self.model_dim];
        for (column, value) in self.model_columns.rows().zip(spliced) {
            feats.iter_mut().zip(column).for_each(|(sum, element)| *sum += element * value);
        }
        feats.iter_mut().zip(&self.offsets).for_each(|(sum, offset)| *sum += offset);
        Ok(feats)
    }

    /// How dimension `dim` of the features depends on the elements of a transform of the frames, one row after the other: for
    /// each element, the places in the spliced frame (the last one is the 1) by which it is multiplied, and the factors.
    fn dependence(&self, dim: usize) -> Vec<Vec<(usize, f64)>> {
        let (raw, row) = (self.raw_dim, self.square.row(dim));
        let factor = |frame: usize, at: usize| f64::from(row[frame * raw + at]);
        let mut elements = Vec::with_capacity(raw * (raw + 1));
        for out in 0..raw {
            for from in 0..raw {
                elements.push((0..self.width()).map(|frame| (frame * raw + from, factor(frame, out))).collect());
            }
            elements.push(vec![(self.full_dim(), (0..self.width()).map(|frame| factor(frame, out)).sum())]);
        }
        elements
    }
}

/// How fMLLR of frames before splicing is estimated (Kaldi's `FmllrRawOptions`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RawFmllrOptions {
    /// With fewer frames, nothing is estimated.
    pub min_count: f32,
    /// How often all rows are estimated.
    pub num_iters: i32,
}

impl Default for RawFmllrOptions {
    fn default() -> Self {
        Self { min_count: 100.0, num_iters: 20 }
    }
}

/// Statistics for fMLLR of frames before splicing (Kaldi's `FmllrRawAccs`).
#[derive(Clone, Debug, PartialEq)]
pub struct RawFmllrStats {
    transform: Arc<SplicedTransform>,
    count: f64,
    /// For each dimension of the model, the spliced frames times the means divided by the variances; at last, the frames.
    linear: Matrix<f64>,
    /// For each dimension of the model, the products of the spliced frames divided by the variances; at last, the products.
    quadratic: Vec<SymmetricMatrix>,
}

impl RawFmllrStats {
    /// Starts statistics of zeros.
    pub fn new(transform: Arc<SplicedTransform>) -> Self {
        let (rows, cols) = (transform.model_dim + 1, transform.full_dim() + 1);
        Self {
            transform,
            count: 0.0,
            linear: Matrix::new(rows, cols),
            quadratic: vec![SymmetricMatrix::new(cols); rows],
        }
    }

    /// The number of frames: the sum of the posteriors.
    pub fn count(&self) -> f64 {
        self.count
    }

    /// Starts to add frames. The statistics can be used again when what is returned is dropped.
    pub fn frames(&mut self) -> RawFmllrFrames<'_> {
        let rows = self.quadratic.len();
        let sums = FrameSums::new(&mut self.count, &mut self.linear, &mut self.quadratic);
        RawFmllrFrames { transform: &self.transform, sums, linear: vec![0.0; rows], factors: vec![0.0; rows] }
    }

    /// Estimates the transform of frames, before they are spliced, under which the model fits best. It changes nothing if there
    /// are not enough frames, or if the estimate does not improve the likelihood.
    ///
    /// # Errors
    /// If the statistics of a row are not positive definite.
    pub fn estimate(&self, options: &RawFmllrOptions) -> Result<Fmllr> {
        let raw = self.transform.raw_dim;
        let mut affine = Affine::unit(raw);
        if self.count < f64::from(options.min_count) || self.count <= 0.0 {
            return Ok(Fmllr { transform: affine.to_matrix(), improvement: 0.0, is_estimated: false });
        }
        let terms = self.terms();
        let mut inverses = Vec::with_capacity(raw);
        for row in 0..raw {
            let start = row * (raw + 1);
            let mut block = SymmetricMatrix::new(raw + 1);
            for at in 0..=raw {
                block.lower_row_mut(at).copy_from_slice(&terms.quadratic.lower_row(start + at)[start..=start + at]);
            }
            inverses.push(block.inverse().map_err(Error::estimate(of_row(row)))?);
        }
        let quadratic = terms.quadratic.to_matrix();
        let before = terms.objective(&affine)?;
        let unchanged = affine.clone();
        for _ in 0..options.num_iters {
            let mut inverse = affine.square.inverse().map_err(Error::estimate("the inverse of the transform"))?;
            for (row, quadratic_inverse) in inverses.iter().enumerate() {
                let start = row * (raw + 1);
                let mut elements = flat(&affine);
                elements[start..=start + raw].fill(0.0);
                let linear: Vec<f64> =
                    (start..=start + raw).map(|at| terms.linear[at] - dot(quadratic.row(at), &elements)).collect();
                let found = best_row(quadratic_inverse, inverse.column(row).as_slice(), &linear, terms.det_count);
                let found = found.map_err(Error::estimate(of_row(row)))?;
                affine.offsets[row] = found[raw];
                replace_row(&mut affine.square, &mut inverse, row, &Vector::from_vec(found[..raw].to_vec()));
            }
        }
        let improvement = terms.objective(&affine)? - before;
        let is_better = improvement > 0.0;
        let affine = if is_better { affine } else { unchanged };
        Ok(Fmllr { transform: affine.to_matrix(), improvement: improvement.max(0.0), is_estimated: true })
    }

    /// The objective function as a quadratic one of all elements of the transform.
    fn terms(&self) -> Terms {
        let (full_dim, model_dim) = (self.transform.full_dim(), self.transform.model_dim);
        let num_elements = self.transform.raw_dim * (self.transform.raw_dim + 1);
        let (mut linear, mut quadratic) = (vec![0.0; num_elements], SymmetricMatrix::new(num_elements));
        for dim in 0..full_dim {
            let sums = dim.min(model_dim);
            // A rejected dimension has a mean of 0 and a variance of 1.
            let factor = if dim < model_dim { 1.0 } else { -f64::from(self.transform.offsets[dim]) };
            let elements = self.transform.dependence(dim);
            let frames = self.quadratic[sums].to_matrix();
            let mut products = vec![0.0; full_dim + 1];
            for (at, places) in elements.iter().enumerate() {
                linear[at] +=
                    places.iter().map(|(place, value)| factor * value * self.linear.row(sums)[*place]).sum::<f64>();
                products.fill(0.0);
                for (place, value) in places {
                    products.iter_mut().zip(frames.row(*place)).for_each(|(sum, frame)| *sum += value * frame);
                }
                for (out, others) in quadratic.lower_row_mut(at).iter_mut().zip(&elements) {
                    *out += others.iter().map(|(place, value)| value * products[*place]).sum::<f64>();
                }
            }
        }
        // The determinant counts for each of the spliced frames.
        Terms { linear, quadratic, det_count: self.count * self.transform.width() as f64 }
    }
}

/// Adds frames to [`RawFmllrStats`].
#[derive(Debug)]
pub struct RawFmllrFrames<'a> {
    transform: &'a SplicedTransform,
    sums: FrameSums<'a>,
    /// The means divided by the variances, and the inverse variances of a frame: the sums over its Gaussians; at last, the sum
    /// of their posteriors.
    linear: Vec<f64>,
    factors: Vec<f64>,
}

impl RawFmllrFrames<'_> {
    /// What is done to the frames.
    pub fn transform(&self) -> &SplicedTransform {
        self.transform
    }

    /// Adds a spliced frame, with mixtures and the posteriors of their Gaussians.
    ///
    /// # Errors
    /// If a mixture or the frame has another dimension, or there is not one posterior for each Gaussian.
    pub fn add<'a>(
        &mut self,
        spliced: &[f32],
        mixtures: impl IntoIterator<Item = (&'a DiagGmm, &'a [f32])>,
    ) -> Result<()> {
        let Self { transform, sums, linear, factors } = self;
        let (full_dim, model_dim) = (transform.full_dim(), transform.model_dim);
        if spliced.len() != full_dim {
            return Err(Error::FeatsDim { expected: full_dim, got: spliced.len() });
        }
        linear.fill(0.0);
        factors.fill(0.0);
        let mut count = 0.0;
        for (gmm, posteriors) in mixtures {
            if gmm.dim() != model_dim {
                return Err(Error::FeatsDim { expected: model_dim, got: gmm.dim() });
            }
            if posteriors.len() != gmm.num_gauss() {
                return Err(Error::Posteriors { expected: gmm.num_gauss(), got: posteriors.len() });
            }
            for (gauss, posterior) in posteriors.iter().map(|&posterior| f64::from(posterior)).enumerate() {
                count += posterior;
                let parts = gmm.means_invvars().row(gauss).iter().zip(gmm.inv_vars().row(gauss));
                for (at, (&mean, &inv_var)) in parts.enumerate() {
                    // An offset of the features is one of the means, with the other sign.
                    let offset = f64::from(transform.offsets[at]);
                    linear[at] += posterior * (f64::from(mean) - f64::from(inv_var) * offset);
                    factors[at] += posterior * f64::from(inv_var);
                }
            }
        }
        if count == 0.0 {
            return Ok(());
        }
        (linear[model_dim], factors[model_dim]) = (count, count);
        sums.add(count, spliced, linear, factors)
    }
}

/// A quadratic objective function of the elements of a transform, and how often its determinant counts.
struct Terms {
    linear: Vec<f64>,
    quadratic: SymmetricMatrix,
    det_count: f64,
}

impl Terms {
    fn objective(&self, affine: &Affine) -> Result<f64> {
        let log_det = affine.square.log_abs_det().map_err(Error::estimate("the determinant of the transform"))?;
        let elements = flat(affine);
        let form = self.quadratic.quadratic_form(&elements).map_err(Error::estimate("the objective function"))?;
        Ok(dot(&elements, &self.linear) - 0.5 * form + log_det * self.det_count)
    }
}

/// The rows of a transform, one after the other.
fn flat(affine: &Affine) -> Vec<f64> {
    (0..affine.offsets.len()).flat_map(|row| affine.row(row)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::transform::{FmllrOptions, FmllrStats, FmllrUpdate};
    use kaldi_value::{Cursor, Value};

    fn gmm() -> DiagGmm {
        let text =
            "<DiagGMM> <WEIGHTS> [ 0.5 0.5 ] <MEANS_INVVARS> [ 1 -0.5\n -2 1 ] <INV_VARS> [ 1 0.5\n 2 1 ] </DiagGMM> ";
        DiagGmm::read(&mut Cursor::new(text.as_bytes())).unwrap()
    }

    fn frame(at: usize) -> [f32; 4] {
        [0, 1, 2, 3].map(|dim| ((at * (7 + dim) + dim) % 11) as f32 / 5.0 - 1.0 + 0.5 * (dim % 2) as f32)
    }

    fn posteriors(at: usize) -> [f32; 2] {
        if at.is_multiple_of(2) { [1.0, 0.0] } else { [0.25, 0.75] }
    }

    fn full(last: f32) -> Matrix<f32> {
        let rows = [
            [1.0, 0.2, -0.3, 0.1, last],
            [0.0, 1.0, 0.5, 0.0, -last],
            [0.3, 0.0, 1.0, 0.2, last],
            [0.1, 0.0, 0.0, 1.0, 0.0],
        ];
        Matrix::from_vec(4, 5, rows.concat())
    }

    fn stats(full: &Matrix<f32>) -> RawFmllrStats {
        let mut stats = RawFmllrStats::new(Arc::new(SplicedTransform::new(2, 2, full).unwrap()));
        for at in 0..50 {
            stats.frames().add(&frame(at), [(&gmm(), &posteriors(at)[..])]).unwrap();
        }
        stats
    }

    const OPTIONS: RawFmllrOptions = RawFmllrOptions { min_count: 10.0, num_iters: 20 };

    #[test]
    fn without_splicing_it_is_fmllr() {
        let unit = Matrix::from_vec(2, 2, vec![1.0, 0.0, 0.0, 1.0]);
        let mut raw = RawFmllrStats::new(Arc::new(SplicedTransform::new(2, 2, &unit).unwrap()));
        let mut plain = FmllrStats::new(2);
        for at in 0..50 {
            raw.frames().add(&frame(at)[..2], [(&gmm(), &posteriors(at)[..])]).unwrap();
            plain.frames().add(&frame(at)[..2], [(&gmm(), &posteriors(at)[..])]).unwrap();
        }
        let options = FmllrOptions { update: FmllrUpdate::Full, min_count: 10.0, num_iters: 20 };
        let (raw, plain) = (raw.estimate(&OPTIONS).unwrap(), plain.estimate(&options).unwrap());
        assert!((raw.improvement - plain.improvement).abs() < 1e-6, "{raw:?} {plain:?}");
        assert!(raw.transform.as_slice().iter().zip(plain.transform.as_slice()).all(|(a, b)| (a - b).abs() < 1e-5));
    }

    /// The log likelihood of the frames after a transform, rejected dimensions included, without constants.
    fn likelihood(full: &Matrix<f32>, transform: &Matrix<f32>) -> f64 {
        let gmm = gmm();
        (0..50)
            .map(|at| {
                let frame = Matrix::from_vec(2, 2, frame(at).to_vec()).transformed(transform).unwrap();
                let spliced = Matrix::from_vec(1, 4, frame.as_slice().to_vec());
                let feats = spliced.transformed(full).unwrap().to_precision::<f64>();
                let of_gauss = |gauss: usize| {
                    let parts = gmm.means_invvars().row(gauss).iter().zip(gmm.inv_vars().row(gauss));
                    let parts = parts.zip(feats.as_slice());
                    parts.map(|((&m, &v), x)| f64::from(m) * x - 0.5 * f64::from(v) * x * x).sum::<f64>()
                };
                let kept: f64 = posteriors(at).iter().enumerate().map(|(g, &p)| f64::from(p) * of_gauss(g)).sum();
                let rejected: f64 = feats.as_slice()[2..].iter().map(|x| -0.5 * x * x).sum();
                let square = transform.range(0..2, 0..2).to_precision::<f64>();
                kept + rejected + 2.0 * square.log_abs_det().unwrap()
            })
            .sum()
    }

    #[test]
    fn the_likelihood_grows_as_it_is_said() {
        let unit = Matrix::from_vec(2, 3, vec![1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
        for full in [full(0.0), full(0.5)] {
            let found = stats(&full).estimate(&OPTIONS).unwrap();
            let growth = likelihood(&full, &found.transform) - likelihood(&full, &unit);
            assert!(found.is_estimated && found.improvement > 1.0);
            assert!((growth - found.improvement).abs() < 1e-3 * growth, "{growth} {found:?}");
            for at in 0..6 {
                for change in [-0.02, 0.02] {
                    let mut near = found.transform.clone();
                    near.as_mut_slice()[at] += change;
                    assert!(likelihood(&full, &near) < likelihood(&full, &found.transform));
                }
            }
        }
    }

    #[test]
    fn few_frames_change_nothing() {
        let options = RawFmllrOptions { min_count: 51.0, ..OPTIONS };
        let found = stats(&full(0.0)).estimate(&options).unwrap();
        assert_eq!((found.is_estimated, found.transform.as_slice()), (false, &[1.0, 0.0, 0.0, 0.0, 1.0, 0.0][..]));
        let empty = RawFmllrStats::new(Arc::new(SplicedTransform::new(2, 2, &full(0.0)).unwrap()));
        assert!(!empty.estimate(&RawFmllrOptions { min_count: 0.0, num_iters: 1 }).unwrap().is_estimated);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        for (raw_dim, model_dim) in [(3, 2), (0, 2), (-2, 2), (2, 5)] {
            assert!(SplicedTransform::new(raw_dim, model_dim, &full(0.0)).is_err(), "{raw_dim} {model_dim}");
        }
        assert!(SplicedTransform::new(1, 1, &Matrix::new(4, 6)).is_err());
        let mut stats = stats(&full(0.0));
        assert_eq!(stats.frames().add(&[1.0; 3], []), Err(Error::FeatsDim { expected: 4, got: 3 }));
        let posteriors = stats.frames().add(&[1.0; 4], [(&gmm(), &[1.0][..])]);
        assert_eq!(posteriors, Err(Error::Posteriors { expected: 2, got: 1 }));
        assert!(stats.frames().transform().model_feats(&[1.0; 3]).is_err());
    }
}
