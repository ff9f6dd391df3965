//! The estimate of an extractor from statistics.

use kaldi_matrix::{Matrix, SymmetricMatrix};

use super::prior::{PriorUpdate, update_prior};
use super::{IvectorExtractor, IvectorExtractorStats, parallel};
use crate::{Error, Result};

/// The largest ratio of two eigenvalues of a problem that is solved as it is.
const MOST_CONDITION: f64 = 1.0e4;

/// A negative eigenvalue counts as zero if it is this small, compared with the largest one.
const ROUNDING: f64 = 1.0e-3;

/// Options of [`IvectorExtractorStats::update`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ExtractorOptions {
    /// No covariance is smaller than this part of the average of all, in any direction
    pub variance_floor_factor: f64,
    /// A Gaussian with a smaller count is left as it is
    pub gaussian_min_count: f64,
    /// Turn i-vectors so that what frames say about them is uncorrelated on average, most of it in the first dimensions
    pub diagonalize: bool,
}

impl Default for ExtractorOptions {
    fn default() -> Self {
        Self { variance_floor_factor: 0.1, gaussian_min_count: 100.0, diagonalize: true }
    }
}

/// What an estimate has changed; improvements are those of the log likelihood per frame.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ExtractorUpdate {
    /// The improvement by projections to means.
    pub projections: f64,
    /// The improvement by projections to weights; `None` if there are none.
    pub weights: Option<f64>,
    /// The change of covariances; `None` without statistics of them.
    pub covariances: Option<CovarianceUpdate>,
    /// The change of the prior of i-vectors.
    pub prior: PriorUpdate,
    /// The part of the variance within Gaussians that i-vectors explain.
    pub explained: f64,
    /// Gaussians that were left as they were, and their counts.
    pub skipped: Vec<(usize, f64)>,
    /// Gaussians whose projection was computed with some eigenvalues raised, and the numbers of these.
    pub limited: Vec<(usize, usize)>,
}

/// The change of covariances.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct CovarianceUpdate {
    /// The improvement of the log likelihood per frame.
    pub improvement: f64,
    /// Gaussians with directions in which the variance was too small, and the numbers of these.
    pub floored: Vec<(usize, usize)>,
    /// The number of directions in which the smallest covariance itself was too small.
    pub floored_of_floor: usize,
}

impl ExtractorUpdate {
    /// The improvement of the log likelihood per frame by all changes.
    pub fn improvement(&self) -> f64 {
        let covariances = self.covariances.as_ref().map_or(0.0, |update| update.improvement);
        self.projections + self.weights.unwrap_or(0.0) + covariances + self.prior.per_frame
    }
}

impl IvectorExtractorStats {
    /// Estimates an extractor anew, the maximization step of expectation and maximization: the projections, the
    /// covariances and the prior, which is made a unit covariance again by a transform of all projections. Work is done
    /// on up to `num_threads` threads.
    ///
    /// # Errors
    /// If the statistics are of an extractor of other sizes, there are none, options make no sense, or a matrix that has
    /// to be positive definite is not.
    pub fn update(
        &self,
        extractor: &mut IvectorExtractor,
        options: &ExtractorOptions,
        num_threads: usize,
    ) -> Result<ExtractorUpdate> {
        self.check(extractor)?;
        let factor = options.variance_floor_factor;
        let has_sense = factor > 0.0 && factor <= 1.0;
        if !self.squares.is_empty() && !has_sense {
            return Err(Error::Option {
                name: "variance_floor_factor",
                expected: "above 0 and at most 1",
                got: factor,
            });
        }
        let count = self.count();
        let counts = self.counts.as_slice().iter().copied().enumerate();
        let skipped = counts.filter(|&(_, count)| count < options.gaussian_min_count).collect();
        let (projections, limited) = self.update_projections(extractor, options.gaussian_min_count, num_threads)?;
        let weights = match extractor.has_weight_projections() {
            true => Some(self.update_weights(extractor, num_threads)? / count),
            false => None,
        };
        let covariances = match self.squares.is_empty() {
            false => Some(self.update_covariances(extractor, options, num_threads)?),
            true => None,
        };
        let prior = update_prior(self, extractor, options.diagonalize, num_threads)?;
        let explained = self.explained(extractor)?;
        let projections = projections / count;
        Ok(ExtractorUpdate { projections, weights, covariances, prior, explained, skipped, limited })
    }

    /// Returns the improvement for all frames, and the Gaussians with raised eigenvalues.
    fn update_projections(
        &self,
        extractor: &mut IvectorExtractor,
        min_count: f64,
        num_threads: usize,
    ) -> Result<(f64, Vec<(usize, usize)>)> {
        let dim = extractor.ivector_dim();
        let mut solved = vec![(0.0, 0); extractor.num_gauss()];
        let models = extractor.projections.iter_mut().zip(&extractor.inverse_covariances);
        let stats = self.products.iter().zip(self.scatters.rows()).zip(self.counts.as_slice());
        let items = models.zip(stats).zip(&mut solved);
        parallel::for_each(num_threads, items, |(((projection, inverse), ((products, scatter), &count)), solved)| {
            if count >= min_count {
                let scatter = SymmetricMatrix::from_vec(dim, scatter.to_vec());
                *solved = solve(&scatter, products, inverse, projection)?;
            }
            Ok(())
        })?;
        let limited = solved.iter().enumerate().map(|(gauss, &(_, limited))| (gauss, limited));
        Ok((solved.iter().map(|solved| solved.0).sum(), limited.filter(|&(_, limited)| limited > 0).collect()))
    }

    /// Returns the improvement for all frames.
    fn update_weights(&self, extractor: &mut IvectorExtractor, num_threads: usize) -> Result<f64> {
        let dim = extractor.ivector_dim();
        let mut improvements = vec![0.0; extractor.num_gauss()];
        let stats = self.weight_terms.rows().zip(self.weight_scatters.rows());
        let items = extractor.weight_projections.rows_mut().zip(stats).zip(&mut improvements);
        parallel::for_each(num_threads, items, |((row, (terms, scatter)), improvement)| {
            let mut projection = Matrix::from_vec(1, dim, row.to_vec());
            let scatter = SymmetricMatrix::from_vec(dim, scatter.to_vec());
            let terms = Matrix::from_vec(1, dim, terms.to_vec());
            *improvement = solve(&scatter, &terms, &SymmetricMatrix::identity(1), &mut projection)?.0;
            row.copy_from_slice(projection.as_slice());
            Ok(())
        })?;
        Ok(improvements.iter().sum())
    }

    fn update_covariances(
        &self,
        extractor: &mut IvectorExtractor,
        options: &ExtractorOptions,
        num_threads: usize,
    ) -> Result<CovarianceUpdate> {
        let (num_gauss, feat_dim, dim) = (extractor.num_gauss(), extractor.feat_dim(), extractor.ivector_dim());
        let mut scatters = self.squares.clone();
        let stats = self.products.iter().zip(self.scatters.rows());
        let items = scatters.iter_mut().zip(&extractor.projections).zip(stats);
        parallel::for_each(num_threads, items, |((squares, projection), (products, scatter))| {
            // Around the means that the i-vectors give.
            let cross = products.multiply_transposed(projection).map_err(error)?;
            let scatter = SymmetricMatrix::from_vec(dim, scatter.to_vec());
            for row in 0..feat_dim {
                for (col, element) in squares.lower_row_mut(row).iter_mut().enumerate() {
                    *element -= cross.row(row)[col] + cross.row(col)[row];
                }
            }
            squares.add_scaled(1.0, &scatter.transformed(projection).map_err(error)?).map_err(error)
        })?;
        let is_updated = |gauss: usize| self.counts.as_slice()[gauss] >= options.gaussian_min_count;
        let mut floor = SymmetricMatrix::new(feat_dim);
        let mut floor_count = 0.0;
        for gauss in (0..num_gauss).filter(|&gauss| is_updated(gauss)) {
            floor.add_scaled(1.0, &scatters[gauss]).map_err(error)?;
            floor_count += self.counts.as_slice()[gauss];
        }
        if floor_count <= 0.0 {
            let expected = "at most the count of a Gaussian, to estimate covariances";
            return Err(Error::Option { name: "gaussian_min_count", expected, got: options.gaussian_min_count });
        }
        floor.scale(options.variance_floor_factor / floor_count);
        let (floor, floored_of_floor) = floored(&floor)?;
        let factor = floor.cholesky().map_err(error)?;
        let (factor, whitening) = (factor.factor(), factor.inverse_factor());

        let mut changes = vec![(0.0, 0); num_gauss];
        let items = scatters.iter_mut().zip(&mut extractor.inverse_covariances).zip(&mut changes).enumerate();
        parallel::for_each(num_threads, items, |(gauss, ((covariance, inverse), change))| {
            if !is_updated(gauss) {
                return Ok(());
            }
            let count = self.counts.as_slice()[gauss];
            covariance.scale(1.0 / count);
            let objective = |inverse: &SymmetricMatrix| {
                let log_det = inverse.cholesky()?.log_det();
                Ok(-0.5 * (covariance.trace_of_product(inverse)? - log_det))
            };
            let before = objective(inverse).map_err(error)?;
            let mut eigen = covariance.transformed(&whitening).and_then(|white| white.eigen()).map_err(error)?;
            let small = eigen.values.as_mut_slice().iter_mut().filter(|value| **value < 1.0);
            let num_small = small.map(|value| *value = 1.0).count();
            let raised = match num_small {
                0 => covariance.clone(),
                _ => {
                    super::quadratic::from_eigen(&eigen.values, &eigen.vectors)?.transformed(&factor).map_err(error)?
                }
            };
            *inverse = raised.inverse().map_err(error)?;
            *change = (count * (objective(inverse).map_err(error)? - before), num_small);
            Ok(())
        })?;
        let improvement = changes.iter().map(|change| change.0).sum::<f64>() / self.count();
        let floored = changes.iter().enumerate().map(|(gauss, &(_, small))| (gauss, small));
        Ok(CovarianceUpdate {
            improvement,
            floored: floored.filter(|&(_, small)| small > 0).collect(),
            floored_of_floor,
        })
    }

    /// The part of the variance within Gaussians that i-vectors explain (Kaldi's `IvectorVarianceDiagnostic`, in which no
    /// variance of features is above 1).
    fn explained(&self, extractor: &IvectorExtractor) -> Result<f64> {
        let (mut within, mut between) = (0.0, 0.0);
        let models = extractor.projections.iter().zip(&extractor.inverse_covariances);
        for ((projection, inverse), count) in models.zip(self.counts.as_slice()) {
            let eigen = inverse.eigen().map_err(error)?;
            within += count * eigen.values.as_slice().iter().map(|value| 1.0 / value.max(1.0)).sum::<f64>();
            between += count * projection.as_slice().iter().map(|value| value * value).sum::<f64>();
        }
        Ok(between / (between + within))
    }
}

/// Raises eigenvalues to a ten-thousandth of the largest one; returns how many.
fn floored(matrix: &SymmetricMatrix) -> Result<(SymmetricMatrix, usize)> {
    let mut eigen = matrix.eigen().map_err(error)?;
    let largest = eigen.values.as_slice().iter().fold(0.0_f64, |max, value| max.max(value.abs()));
    let floor = largest / MOST_CONDITION;
    let small = eigen.values.as_mut_slice().iter_mut().filter(|value| **value < floor);
    match small.map(|value| *value = floor).count() {
        0 => Ok((matrix.clone(), 0)),
        count => Ok((super::quadratic::from_eigen(&eigen.values, &eigen.vectors)?, count)),
    }
}

/// Finds the projection `M` for which `tr(M^T P Y) − tr(P M R M^T) / 2` is largest, as a change of the one that is there
/// (Kaldi's `SolveQuadraticMatrixProblem`): without `R`, its scale and directions in which it is nearly zero,
/// `M = Y R^-1`. Returns the improvement and the number of such directions.
fn solve(
    scatter: &SymmetricMatrix,
    products: &Matrix<f64>,
    precision: &SymmetricMatrix,
    projection: &mut Matrix<f64>,
) -> Result<(f64, usize)> {
    if scatter.as_slice().iter().all(|&element| element == 0.0) {
        return Ok((0.0, 0));
    }
    let scales: Vec<f64> =
        scatter.diagonal().as_slice().iter().map(|value| value.max(f64::MIN_POSITIVE * 1.0e3).sqrt()).collect();
    let mut scaled = scatter.clone();
    for row in 0..scaled.dim() {
        let elements = scaled.lower_row_mut(row).iter_mut();
        elements.zip(&scales).for_each(|(element, scale)| *element /= scale * scales[row]);
    }
    let scaled_columns = |matrix: &Matrix<f64>, up: bool| {
        let mut scaled = matrix.clone();
        for row in scaled.rows_mut() {
            let scale = |(element, scale): (&mut f64, &f64)| *element *= if up { *scale } else { 1.0 / scale };
            row.iter_mut().zip(&scales).for_each(scale);
        }
        scaled
    };
    let (products, before) = (scaled_columns(products, false), scaled_columns(projection, true));
    let objective = |projection: &Matrix<f64>| {
        let squares = scaled.transformed(projection)?;
        let weighted = precision.to_matrix().multiply(&products)?;
        Ok(super::quadratic::dot(projection.as_slice(), weighted.as_slice())
            - 0.5 * precision.trace_of_product(&squares)?)
    };
    let mut slope = products.clone();
    slope.add_scaled(-1.0, &before.multiply(&scaled.to_matrix()).map_err(error)?).map_err(error)?;
    let (inverse, limited) = limited_inverse(&scaled)?;
    let mut after = slope.multiply(&inverse.to_matrix()).map_err(error)?;
    after.add_scaled(1.0, &before).map_err(error)?;
    let improvement = objective(&after).map_err(error)? - objective(&before).map_err(error)?;
    // A change for the worse is an effect of rounding.
    if improvement < 0.0 || improvement.is_nan() {
        return Ok((0.0, limited));
    }
    *projection = scaled_columns(&after, false);
    Ok((improvement, limited))
}

/// The inverse with small eigenvalues raised to a ten-thousandth of the largest one, and the number of these.
fn limited_inverse(matrix: &SymmetricMatrix) -> Result<(SymmetricMatrix, usize)> {
    let full = matrix.to_matrix();
    // No eigenvalue is above the largest sum of a row. If all are above a ten-thousandth of that, none is small.
    let bound = full.rows().map(|row| row.iter().map(|value| value.abs()).sum()).fold(0.0, f64::max);
    let mut reduced = matrix.clone();
    reduced.add_to_diagonal(-bound / MOST_CONDITION);
    if reduced.cholesky().is_ok() {
        return Ok((matrix.inverse().map_err(error)?, 0));
    }
    let mut eigen = matrix.eigen().map_err(error)?;
    let largest = eigen.values.max().unwrap_or(0.0);
    if eigen.values.as_slice().iter().any(|value| -value > ROUNDING * largest) {
        return Err(error(kaldi_matrix::Error::NotPositiveDefinite));
    }
    let floor = (largest / MOST_CONDITION).max(1.0e-40);
    let mut limited = 0;
    for value in eigen.values.as_mut_slice() {
        limited += usize::from(*value < floor);
        *value = 1.0 / value.max(floor);
    }
    Ok((super::quadratic::from_eigen(&eigen.values, &eigen.vectors)?, limited))
}

pub(super) fn error(source: kaldi_matrix::Error) -> Error {
    Error::Matrix { what: "the estimate of an i-vector extractor", source }
}
