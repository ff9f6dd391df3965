//! The distribution of i-vectors, given the frames of utterances.

use kaldi_matrix::{Matrix, SymmetricMatrix, Vector};

use super::quadratic::{Normal, Quadratic};
use super::{IvectorExtractor, UtteranceStats, parallel};
use crate::{Error, Result};

/// Utterances whose i-vectors are computed together.
pub(super) const GROUP: usize = 16;

/// How often the weights are expanded around a better i-vector.
const WEIGHT_STEPS: usize = 4;

/// An i-vector that changes less than this is good enough to expand the weights around it.
const SMALL_CHANGE: f64 = 0.1;

/// An extractor with all quantities that are computed from its parameters.
///
/// They take as much memory as `num_gauss × ivector_dim × (ivector_dim / 2 + feat_dim)` doubles.
#[derive(Debug)]
pub struct IvectorEstimator {
    extractor: IvectorExtractor,
    /// The logarithm of the density of each Gaussian at its mean.
    pub(super) log_peaks: Vec<f64>,
    /// For each Gaussian its inverse covariance times its projection: `num_gauss * feat_dim × ivector_dim`.
    pub(super) linear: Matrix<f64>,
    /// For each Gaussian the lower triangle of `M^T Σ^-1 M`.
    pub(super) quadratic: Matrix<f64>,
}

/// The i-vector of an utterance or a speaker.
#[derive(Clone, Debug, PartialEq)]
pub struct Ivector {
    /// The mean of its distribution, from whose first element the prior offset is subtracted.
    pub vector: Vector<f64>,
    /// How much better it explains the frames than the mean of the prior does: a difference of log likelihoods.
    pub improvement: f64,
}

impl IvectorEstimator {
    /// Computes the quantities on up to `num_threads` threads.
    ///
    /// # Errors
    /// If an inverse covariance is not positive definite.
    pub fn new(extractor: IvectorExtractor, num_threads: usize) -> Result<Self> {
        let (num_gauss, feat_dim, ivector_dim) = (extractor.num_gauss(), extractor.feat_dim(), extractor.ivector_dim());
        let triangle = ivector_dim * (ivector_dim + 1) / 2;
        let mut log_peaks = vec![0.0; num_gauss];
        let mut linear = Matrix::new(num_gauss * feat_dim, ivector_dim);
        let mut quadratic = Matrix::new(num_gauss, triangle);
        let outputs = linear.as_mut_slice().chunks_exact_mut(feat_dim * ivector_dim);
        let outputs = outputs.zip(quadratic.rows_mut()).zip(&mut log_peaks);
        let inputs = extractor.projections.iter().zip(&extractor.inverse_covariances);
        parallel::for_each(
            num_threads,
            inputs.zip(outputs),
            |((projection, inverse), ((linear, quadratic), peak))| {
                let (product, square) = products(projection, inverse)?;
                linear.copy_from_slice(product.as_slice());
                quadratic.copy_from_slice(square.as_slice());
                let log_det = inverse.cholesky().map_err(error)?.log_det();
                *peak = 0.5 * (log_det - feat_dim as f64 * std::f64::consts::TAU.ln());
                Ok(())
            },
        )?;
        Ok(Self { extractor, log_peaks, linear, quadratic })
    }

    /// The parameters.
    pub fn extractor(&self) -> &IvectorExtractor {
        &self.extractor
    }

    /// Computes the i-vectors of several utterances, on up to `num_threads` threads. Many of them at once are faster, with
    /// the same results.
    ///
    /// # Errors
    /// If the sums of an utterance have other sizes, or, for a single one, its i-vector cannot be computed.
    pub fn ivectors(&self, utts: &[UtteranceStats], num_threads: usize) -> Result<Vec<Result<Ivector>>> {
        let mut groups: Vec<Vec<Result<Ivector>>> = Vec::new();
        groups.resize_with(utts.len().div_ceil(GROUP), Vec::new);
        parallel::for_each(num_threads, utts.chunks(GROUP).zip(&mut groups), |(utts, ivectors)| {
            let functions = self.mean_terms(utts)?;
            ivectors.extend(utts.iter().zip(functions).map(|(utt, function)| self.ivector(utt, function)));
            Ok(())
        })?;
        Ok(groups.into_iter().flatten().collect())
    }

    fn ivector(&self, utt: &UtteranceStats, mut function: Quadratic) -> Result<Ivector> {
        let offset = self.extractor.prior_offset;
        function.add_prior(offset, 1.0);
        let mut vector = match self.extractor.has_weight_projections() {
            false => function.peak()?,
            true => self.with_weights(utt, &function)?.mean,
        };
        let mut usual = vec![0.0; vector.dim()];
        usual[0] = offset;
        let mut improvement = function.value(vector.as_slice())? - function.value(&usual)?;
        if self.extractor.has_weight_projections() {
            let objective = |ivector: &[f64]| self.extractor.weight_objective(utt, ivector);
            improvement += objective(vector.as_slice()) - objective(&usual);
        }
        vector.as_mut_slice()[0] -= offset;
        Ok(Ivector { vector, improvement })
    }

    /// The distribution of an i-vector, given the function of the means and the prior.
    pub(super) fn distribution(&self, utt: &UtteranceStats, function: &Quadratic) -> Result<Normal> {
        match self.extractor.has_weight_projections() {
            false => function.normal(),
            true => self.with_weights(utt, function),
        }
    }

    /// Adds the function of the weights, expanded around one i-vector after the other.
    fn with_weights(&self, utt: &UtteranceStats, function: &Quadratic) -> Result<Normal> {
        let mut normal = function.normal_within_prior()?;
        for _ in 0..WEIGHT_STEPS {
            let mut sum = function.clone();
            let expansion = self.extractor.expand_weights(utt, normal.mean.as_slice());
            expansion.add_to(&self.extractor.weight_projections, &mut sum)?;
            let mut change = std::mem::replace(&mut normal, sum.normal_within_prior()?).mean;
            change.add_scaled(-1.0, &normal.mean).map_err(error)?;
            if change.norm() < SMALL_CHANGE {
                break;
            }
        }
        Ok(normal)
    }

    /// The log likelihoods of several utterances as functions of their i-vectors, as far as they depend on the means.
    pub(super) fn mean_terms(&self, utts: &[UtteranceStats]) -> Result<Vec<Quadratic>> {
        let (num_gauss, dim) = (self.extractor.num_gauss(), self.extractor.ivector_dim());
        let size = (num_gauss, self.extractor.feat_dim());
        let (mut counts, mut sums) = (Vec::new(), Vec::new());
        for utt in utts {
            if utt.sums.size() != size {
                let source = kaldi_matrix::Error::Size { what: "sum of frames", expected: size, got: utt.sums.size() };
                return Err(error(source));
            }
            counts.extend_from_slice(&utt.counts);
            sums.extend_from_slice(utt.sums.as_slice());
        }
        if utts.is_empty() {
            return Ok(Vec::new());
        }
        let quadratic = Matrix::from_vec(utts.len(), num_gauss, counts).multiply(&self.quadratic).map_err(error)?;
        let linear = Matrix::from_vec(utts.len(), size.0 * size.1, sums).multiply(&self.linear).map_err(error)?;
        let functions = linear.rows().zip(quadratic.rows()).map(|(linear, quadratic)| Quadratic {
            linear: linear.to_vec(),
            quadratic: SymmetricMatrix::from_vec(dim, quadratic.to_vec()),
        });
        Ok(functions.collect())
    }
}

/// `Σ^-1 M` and `M^T Σ^-1 M`.
pub(super) fn products(projection: &Matrix<f64>, inverse: &SymmetricMatrix) -> Result<(Matrix<f64>, SymmetricMatrix)> {
    let product = inverse.to_matrix().multiply(projection).map_err(error)?;
    let square = SymmetricMatrix::from_transposed_product(projection, &product).map_err(error)?;
    Ok((product, square))
}

fn error(source: kaldi_matrix::Error) -> Error {
    Error::Matrix { what: "the quantities of an i-vector extractor", source }
}
