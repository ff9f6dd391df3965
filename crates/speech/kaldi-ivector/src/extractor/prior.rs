//! The estimate of the prior of i-vectors.

use kaldi_matrix::{Eigen, Matrix, SymmetricMatrix, Vector};

use super::estimate::error;
use super::estimator::products;
use super::quadratic::dot;
use super::{IvectorExtractor, IvectorExtractorStats, parallel};
use crate::{Error, Result};

/// Smaller variances of i-vectors count as this.
const LEAST_VARIANCE: f64 = 1.0e-7;

/// Gaussians whose quantities are added together.
const GROUP: usize = 16;

/// The change of the prior of i-vectors.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct PriorUpdate {
    /// The smallest and the largest variance of i-vectors before.
    pub variances: (f64, f64),
    /// The number of variances that were too small.
    pub num_floored: usize,
    /// For each dimension but the first how much frames say about it on average, if these were made uncorrelated.
    pub information: Option<Vector<f64>>,
    /// The new mean of the first element of i-vectors.
    pub offset: f64,
    /// The improvement of the log likelihood per i-vector.
    pub per_ivector: f64,
    /// The improvement of the log likelihood per frame.
    pub per_frame: f64,
}

/// Transforms i-vectors so that their covariance is the unit matrix again, and their mean zero but for its first element,
/// and the projections of the extractor so that its model stays the same.
pub(super) fn update_prior(
    stats: &IvectorExtractorStats,
    extractor: &mut IvectorExtractor,
    diagonalize: bool,
    num_threads: usize,
) -> Result<PriorUpdate> {
    if stats.num_ivectors <= 0.0 || stats.num_ivectors.is_nan() {
        return Err(Error::Length { what: "i-vectors in the statistics at least", expected: 1, got: 0 });
    }
    let mut mean = stats.sum.clone();
    mean.scale(1.0 / stats.num_ivectors);
    let mut covariance = stats.scatter.clone();
    covariance.scale(1.0 / stats.num_ivectors);
    covariance.add_outer(-1.0, mean.as_slice()).map_err(error)?;

    let Eigen { values, vectors: mut whitening } = covariance.eigen().map_err(error)?;
    let largest = values.max().unwrap_or(0.0);
    let smallest = values.as_slice().iter().copied().fold(f64::INFINITY, f64::min);
    let num_floored = values.as_slice().iter().filter(|value| **value < LEAST_VARIANCE).count();
    for (row, value) in whitening.rows_mut().zip(values.as_slice()) {
        let scale = value.max(LEAST_VARIANCE).powf(-0.5);
        row.iter_mut().for_each(|element| *element *= scale);
    }
    let mut transform = turned_to_first_axis(&whitening, &mean)?;
    let information = match diagonalize && mean.dim() > 1 {
        true => Some(turn_others(&mut transform, extractor, num_threads)?),
        false => None,
    };
    let offset = mean.transformed(&transform).map_err(error)?.as_slice()[0];
    let per_ivector = improvement(&covariance, &mean, extractor.prior_offset)?;

    let back = transform.inverse().map_err(error)?;
    if extractor.has_weight_projections() {
        extractor.weight_projections = extractor.weight_projections.multiply(&back).map_err(error)?;
    }
    parallel::for_each(num_threads, extractor.projections.iter_mut(), |projection| {
        *projection = projection.multiply(&back).map_err(error)?;
        Ok(())
    })?;
    extractor.prior_offset = offset;
    let per_frame = per_ivector * stats.num_ivectors / stats.count();
    Ok(PriorUpdate { variances: (smallest, largest), num_floored, information, offset, per_ivector, per_frame })
}

/// Reflects a transform so that it takes `mean` to the positive side of the first axis.
fn turned_to_first_axis(transform: &Matrix<f64>, mean: &Vector<f64>) -> Result<Matrix<f64>> {
    let mut normal = mean.transformed(transform).map_err(error)?;
    let length = normal.norm();
    if length == 0.0 || !length.is_finite() {
        return Err(Error::Matrix { what: "the mean of i-vectors", source: kaldi_matrix::Error::Singular });
    }
    // The difference of the unit vectors is the normal of the mirror between them.
    normal.scale(1.0 / length);
    normal.as_mut_slice()[0] -= 1.0;
    let square = dot(normal.as_slice(), normal.as_slice());
    if square == 0.0 {
        return Ok(transform.clone());
    }
    let mut mirror = SymmetricMatrix::identity(normal.dim());
    mirror.add_outer(-2.0 / square, normal.as_slice()).map_err(error)?;
    mirror.to_matrix().multiply(transform).map_err(error)
}

/// Turns all dimensions but the first one so that what frames say about them is uncorrelated on average, and most in the
/// first ones. Returns how much that is.
fn turn_others(transform: &mut Matrix<f64>, extractor: &IvectorExtractor, num_threads: usize) -> Result<Vector<f64>> {
    let dim = transform.num_rows();
    let others = transform.range(1..dim, 0..dim);
    let back = others.range(0..dim - 1, 1..dim).inverse().map_err(error)?;
    let average = average_information(extractor, num_threads)?.to_matrix().range(1..dim, 1..dim);
    let average = SymmetricMatrix::from_lower(&average).map_err(error)?;
    let average = average.transformed(&back.transpose()).map_err(error)?;
    let mut eigen = average.eigen().map_err(error)?;
    eigen.sort_by_abs();
    let turned = eigen.vectors.multiply(&others).map_err(error)?;
    transform.as_mut_slice()[dim..].copy_from_slice(turned.as_slice());
    Ok(eigen.values)
}

/// The average of `M^T Σ^-1 M` over the Gaussians.
fn average_information(extractor: &IvectorExtractor, num_threads: usize) -> Result<SymmetricMatrix> {
    let num_gauss = extractor.num_gauss();
    let weight = |gauss: usize| match extractor.has_weight_projections() {
        true => 1.0 / num_gauss as f64,
        false => extractor.weights.as_slice()[gauss],
    };
    let mut sums = vec![SymmetricMatrix::new(extractor.ivector_dim()); num_gauss.div_ceil(GROUP)];
    parallel::for_each(num_threads, sums.iter_mut().enumerate(), |(group, sum)| {
        for gauss in group * GROUP..num_gauss.min((group + 1) * GROUP) {
            let (_, square) = products(&extractor.projections[gauss], &extractor.inverse_covariances[gauss])?;
            sum.add_scaled(weight(gauss), &square).map_err(error)?;
        }
        Ok(())
    })?;
    let mut average = SymmetricMatrix::new(extractor.ivector_dim());
    for sum in &sums {
        average.add_scaled(1.0, sum).map_err(error)?;
    }
    Ok(average)
}

/// How much the log likelihood of an i-vector grows if the prior has the mean and covariance of the i-vectors, instead of
/// a unit covariance around the old offset.
fn improvement(covariance: &SymmetricMatrix, mean: &Vector<f64>, old_offset: f64) -> Result<f64> {
    let mut difference = mean.clone();
    difference.as_mut_slice()[0] -= old_offset;
    let before = covariance.trace() + dot(difference.as_slice(), difference.as_slice());
    let after = mean.dim() as f64 + covariance.cholesky().map_err(error)?.log_det();
    Ok(0.5 * (before - after))
}
