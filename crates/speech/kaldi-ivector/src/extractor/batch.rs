//! Utterances that are added to statistics together.

use std::sync::Arc;

use kaldi_matrix::{Matrix, SymmetricMatrix};
use kaldi_value::Posterior;

use super::accumulator::{add_products, error};
use super::estimator::GROUP;
use super::quadratic::Normal;
use super::{IvectorEstimator, IvectorExtractorStats, UtteranceStats, parallel};
use crate::Result;

/// Frames whose squares are added together.
const FRAMES: usize = 4096;

/// An utterance that waits to be added.
#[derive(Debug)]
pub(super) struct Utterance {
    pub sums: UtteranceStats,
    /// Its features, and the weights of Gaussians, if their squares are added.
    pub frames: Option<(Matrix<f32>, Arc<Posterior>)>,
}

/// Utterances and their i-vectors.
pub(super) struct Batch {
    pub utts: Vec<Utterance>,
    pub normals: Vec<Normal>,
    /// The log likelihood of all of them, without the squares of frames if these are added.
    pub objective: f64,
}

impl Batch {
    /// Computes the i-vectors.
    pub fn new(
        estimator: &IvectorEstimator,
        utts: Vec<Utterance>,
        update_variances: bool,
        num_threads: usize,
    ) -> Result<Self> {
        let mut normals: Vec<Option<(Normal, f64)>> = Vec::new();
        normals.resize_with(utts.len(), || None);
        parallel::for_each(num_threads, utts.chunks(GROUP).zip(normals.chunks_mut(GROUP)), |(utts, normals)| {
            let sums: Vec<UtteranceStats> = utts.iter().map(|utt| utt.sums.clone()).collect();
            let functions = estimator.mean_terms(&sums)?;
            for ((utt, mut function), out) in sums.iter().zip(functions).zip(normals) {
                function.add_prior(estimator.extractor().prior_offset, 1.0);
                let normal = estimator.distribution(utt, &function)?;
                let objective = estimator.objective(utt, &function, &normal, update_variances)?;
                *out = Some((normal, objective));
            }
            Ok(())
        })?;
        let (normals, objectives): (_, Vec<f64>) = normals.into_iter().flatten().unzip();
        Ok(Self { utts, normals, objective: objectives.iter().sum() })
    }

    /// Adds everything but the terms of weights.
    pub fn finish(&mut self, stats: &mut IvectorExtractorStats, num_threads: usize) -> Result<()> {
        let (num_utts, num_gauss) = (self.utts.len(), stats.counts.dim());
        let (mut means, mut scatters) = (Vec::new(), Vec::new());
        for normal in &mut self.normals {
            let scatter = &mut normal.covariance;
            scatter.add_outer(1.0, normal.mean.as_slice()).map_err(error)?;
            stats.scatter.add_scaled(1.0, scatter).map_err(error)?;
            stats.sum.add(&normal.mean).map_err(error)?;
            scatters.extend_from_slice(scatter.as_slice());
            means.extend_from_slice(normal.mean.as_slice());
        }
        stats.num_ivectors += num_utts as f64;
        let mut counts = Matrix::new(num_gauss, num_utts);
        for (column, utt) in self.utts.iter().enumerate() {
            for (gauss, count) in utt.sums.counts.iter().enumerate() {
                counts.row_mut(gauss)[column] = *count;
            }
        }
        for (sum, counts) in stats.counts.as_mut_slice().iter_mut().zip(counts.rows()) {
            *sum += counts.iter().sum::<f64>();
        }
        let rows = |data: Vec<f64>| Matrix::from_vec(num_utts, data.len() / num_utts, data);
        add_products(&mut stats.scatters, &counts, &rows(scatters), num_threads)?;
        self.add_means(stats, &rows(means), num_threads)?;
        self.add_squares(&mut stats.squares, num_threads)
    }

    /// Adds the sums of frames of each Gaussian times the i-vectors.
    fn add_means(&self, stats: &mut IvectorExtractorStats, means: &Matrix<f64>, num_threads: usize) -> Result<()> {
        parallel::for_each(num_threads, stats.products.iter_mut().enumerate(), |(gauss, product)| {
            let mut frames = Matrix::new(product.num_rows(), self.utts.len());
            for (column, utt) in self.utts.iter().enumerate() {
                for (row, &value) in utt.sums.sums.row(gauss).iter().enumerate() {
                    frames.row_mut(row)[column] = value;
                }
            }
            frames.add_product_to(means, product.as_mut_slice()).map_err(error)
        })
    }

    /// Adds the squares of the frames of each Gaussian.
    fn add_squares(&self, squares: &mut [SymmetricMatrix], num_threads: usize) -> Result<()> {
        let mut frames: Vec<Vec<(&[f32], f32)>> = vec![Vec::new(); squares.len()];
        for (feats, posterior) in self.utts.iter().filter_map(|utt| utt.frames.as_ref()) {
            for (frame, weights) in feats.rows().zip(&posterior.0) {
                for &(gauss, weight) in weights {
                    if let Some(frames) = frames.get_mut(gauss as usize) {
                        frames.push((frame, weight));
                    }
                }
            }
        }
        parallel::for_each(num_threads, squares.iter_mut().zip(frames), |(squares, frames)| {
            for frames in frames.chunks(FRAMES) {
                let plain = frames.iter().flat_map(|(frame, _)| frame.iter().map(|&value| f64::from(value)));
                let plain = Matrix::from_vec(frames.len(), squares.dim(), plain.collect());
                let mut weighted = plain.clone();
                for (row, &(_, weight)) in weighted.rows_mut().zip(frames) {
                    row.iter_mut().for_each(|value| *value *= f64::from(weight));
                }
                let sum = SymmetricMatrix::from_transposed_product(&weighted, &plain).map_err(error)?;
                squares.add_scaled(1.0, &sum).map_err(error)?;
            }
            Ok(())
        })
    }
}
