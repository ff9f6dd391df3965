//! The transform of a speaker as a sum of a few matrices.

use kaldi_matrix::{Matrix, Vector};

use crate::transform::basis_fmllr::gradient;
use crate::transform::fmllr::{Affine, of_row};
use crate::transform::mllt::dot;
use crate::transform::{BasisFmllr, FmllrStats};
use crate::{Error, Result};

/// How a transform of a speaker is estimated (Kaldi's `BasisFmllrOptions`).
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
pub struct BasisFmllrOptions {
    /// The number of steps
    #[cfg_attr(feature = "cli", arg(long, default_value_t = BasisFmllrOptions::default().num_iters))]
    pub num_iters: i32,
    /// The number of bases for each frame
    #[cfg_attr(feature = "cli", arg(long, default_value_t = BasisFmllrOptions::default().size_scale))]
    pub size_scale: f32,
    /// With fewer frames, the transform changes nothing
    #[cfg_attr(feature = "cli", arg(long = "fmllr-min-count", default_value_t = BasisFmllrOptions::default().min_count))]
    pub min_count: f32,
    /// The number of steps in the estimate of the size of a step
    #[cfg_attr(feature = "cli", arg(long, default_value_t = BasisFmllrOptions::default().step_size_iters))]
    pub step_size_iters: i32,
}

impl Default for BasisFmllrOptions {
    fn default() -> Self {
        Self { num_iters: 10, size_scale: 0.2, min_count: 50.0, step_size_iters: 3 }
    }
}

/// The transform of a speaker.
#[derive(Clone, Debug, PartialEq)]
pub struct BasisTransform {
    /// `dim × (dim + 1)`: a square matrix, and the offsets in the last column.
    pub transform: Matrix<f32>,
    /// The weights of the matrices that were used; empty if there were too few frames.
    pub weights: Vector<f32>,
    /// By how much the transform improves the log likelihood of all frames.
    pub improvement: f64,
}

impl BasisFmllr {
    /// Estimates the transform of a speaker by gradient ascent on the weights of the first matrices, as many as the frames
    /// allow.
    ///
    /// # Errors
    /// If the statistics have another dimension, or a transform has no inverse.
    pub fn transform(&self, stats: &FmllrStats, options: &BasisFmllrOptions) -> Result<BasisTransform> {
        let dim = self.dim();
        if stats.dim() != dim {
            return Err(Error::FeatsDim { expected: dim, got: stats.dim() });
        }
        let mut affine = Affine::unit(dim);
        if stats.count() < f64::from(options.min_count) {
            let weights = Vector::new(0);
            return Ok(BasisTransform { transform: affine.to_matrix(), weights, improvement: 0.0 });
        }
        let num_bases = (f64::from(options.size_scale) * stats.count()).min(self.num_bases() as f64) as usize;
        let bases: Vec<Matrix<f64>> = self.bases[..num_bases].iter().map(Matrix::to_precision).collect();
        let mut weights = vec![0.0; num_bases];
        let before = stats.objective(&affine)?;
        for _ in 0..options.num_iters {
            let gradient = gradient(stats, &affine)?;
            let changes: Vec<f64> = bases.iter().map(|basis| dot(basis.as_slice(), gradient.as_slice())).collect();
            let mut direction = Matrix::<f64>::new(dim, dim + 1);
            for (basis, change) in bases.iter().zip(&changes) {
                direction.add_scaled(*change, basis).map_err(Error::estimate("a sum of bases"))?;
            }
            let step = Line::new(stats, &affine, &direction)?.best_step(options.step_size_iters)?;
            for (row, direction) in direction.rows().enumerate() {
                add(affine.square.row_mut(row), step, direction);
                affine.offsets[row] += step * direction[dim];
            }
            add(&mut weights, step, &changes);
        }
        let improvement = stats.objective(&affine)? - before;
        let weights = Vector::from_vec(weights.into_iter().map(|weight| weight as f32).collect());
        Ok(BasisTransform { transform: affine.to_matrix(), weights, improvement })
    }
}

fn add(to: &mut [f64], factor: f64, values: &[f64]) {
    to.iter_mut().zip(values).for_each(|(to, value)| *to += factor * value);
}

/// The log likelihood on a line of transforms.
struct Line {
    count: f64,
    square: Matrix<f64>,
    direction: Matrix<f64>,
    /// The derivative at the start, without that of the determinant.
    slope: f64,
    /// The second derivative with the other sign, without that of the determinant.
    curvature: f64,
}

impl Line {
    fn new(stats: &FmllrStats, affine: &Affine, direction: &Matrix<f64>) -> Result<Self> {
        let (mut slope, mut curvature) = (0.0, 0.0);
        for (row, (quadratic, direction)) in stats.quadratic.iter().zip(direction.rows()).enumerate() {
            let product = quadratic.multiply_vector(direction).map_err(Error::estimate(of_row(row)))?;
            slope += dot(direction, stats.linear.row(row)) - dot(product.as_slice(), &affine.row(row));
            curvature += dot(product.as_slice(), direction);
        }
        let dim = stats.dim();
        let direction = direction.range(0..dim, 0..dim);
        Ok(Self { count: stats.count(), square: affine.square.clone(), direction, slope, curvature })
    }

    fn at(&self, step: f64) -> Result<Matrix<f64>> {
        let mut square = self.square.clone();
        square.add_scaled(step, &self.direction).map_err(Error::estimate("a sum of bases"))?;
        Ok(square)
    }

    fn objective(&self, step: f64) -> Result<f64> {
        let log_det = self.at(step)?.log_abs_det().map_err(Error::estimate("the determinant of the transform"))?;
        Ok(self.count * log_det + step * self.slope - 0.5 * step * step * self.curvature)
    }

    /// Newton's method, with steps that are halved while they make the objective function worse.
    fn best_step(&self, num_iters: i32) -> Result<f64> {
        let mut step = 0.0;
        let mut before = self.objective(step)?;
        for _ in 0..num_iters {
            let inverse = self.at(step)?.inverse().map_err(Error::estimate("the inverse of the transform"))?;
            let product = inverse.multiply(&self.direction).map_err(Error::estimate("the inverse of the transform"))?;
            let trace: f64 = (0..product.num_rows()).map(|row| product.row(row)[row]).sum();
            let of_square = dot(product.as_slice(), product.transpose().as_slice());
            let first = self.count * trace + self.slope - step * self.curvature;
            let second = (-self.curvature - self.count * of_square).min(-self.curvature / 10.0);
            if second == 0.0 {
                break;
            }
            let mut change = -first / second;
            step += change;
            let mut after = self.objective(step)?;
            while after - before < -1.0e-4 * self.count {
                change /= 2.0;
                step -= change;
                if change <= 1.0e-5 {
                    break;
                }
                after = self.objective(step)?;
            }
            before = after;
        }
        Ok(step)
    }
}
