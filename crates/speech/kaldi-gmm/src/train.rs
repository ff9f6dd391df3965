//! Mixtures from nothing: from frames in memory, and from statistics alone.

use std::collections::BTreeSet;
use std::thread;

use kaldi_matrix::{Matrix, SymmetricMatrix, Vector};
use kaldi_value::random::{Random, RandomState};

use crate::estimate_full::floor_covariance;
use crate::{
    AccumDiagGmm, AccumFullGmm, DiagGmm, Error, Estimate, FullGmm, GmmFlags, GmmStats, LowCount, Mixture,
    MleFullGmmOptions, Result, accumulate,
};

/// How many frames a mixture needs for each Gaussian that it starts with.
const FRAMES_PER_GAUSSIAN: usize = 10;

/// How many frames become statistics of their own. It is the same for any number of threads, and so are the sums.
const FRAMES_PER_PART: usize = 4096;

/// A Gaussian with fewer frames gets a mean drawn at random.
const NO_FRAMES: f32 = 1.0e-10;

impl DiagGmm {
    /// Makes a mixture of equal weights: the means are different frames, drawn at random, the variances those of all frames.
    ///
    /// # Errors
    /// If there are fewer than ten frames for each Gaussian, or they do not differ.
    ///
    /// # Panics
    /// If `num_gauss` is 0.
    pub fn from_random_frames(feats: &Matrix<f32>, num_gauss: usize, random: &mut Random) -> Result<Self> {
        let (num_frames, dim) = feats.size();
        if num_frames < FRAMES_PER_GAUSSIAN * num_gauss {
            return Err(Error::FewFrames { num_gauss, expected: FRAMES_PER_GAUSSIAN * num_gauss, got: num_frames });
        }
        let (mut mean, mut vars) = (vec![0.0; dim], vec![0.0; dim]);
        let share = 1.0 / num_frames as f64;
        for frame in feats.rows() {
            for ((mean, var), &value) in mean.iter_mut().zip(&mut vars).zip(frame) {
                let value = f64::from(value);
                *mean += share * value;
                *var += share * value * value;
            }
        }
        vars.iter_mut().zip(&mean).for_each(|(var, mean)| *var -= mean * mean);
        if vars.iter().all(|var| *var <= 0.0) {
            return Err(Error::NoVariance);
        }
        let inv_vars: Vec<f32> = vars.iter().map(|&var| 1.0 / var as f32).collect();
        let (mut used, mut means) = (BTreeSet::new(), Vec::with_capacity(num_gauss * dim));
        while used.len() < num_gauss {
            let frame = random.below(num_frames as u32) as usize;
            if used.insert(frame) {
                means.extend(feats.row(frame).iter().zip(&inv_vars).map(|(mean, inv_var)| mean * inv_var));
            }
        }
        Self::new(
            Vector::from_vec(vec![(1.0 / num_gauss as f64) as f32; num_gauss]),
            Matrix::from_vec(num_gauss, dim, means),
            Matrix::from_vec(num_gauss, dim, inv_vars.repeat(num_gauss)),
        )
    }

    /// The statistics of frames in memory for the next estimate, and the sum of their log likelihoods, computed on several
    /// threads. The result does not depend on their number.
    ///
    /// # Errors
    /// If the features have another dimension, or a frame has no likelihood.
    pub fn statistics(&self, feats: &Matrix<f32>, flags: GmmFlags, threads: usize) -> Result<(AccumDiagGmm, f64)> {
        let (num_frames, dim) = feats.size();
        let starts: Vec<usize> = (0..num_frames).step_by(FRAMES_PER_PART).collect();
        let part = |start: usize| {
            let part = feats.range(start..num_frames.min(start + FRAMES_PER_PART), 0..dim);
            let mut stats = AccumDiagGmm::new(self.num_gauss(), self.dim(), flags);
            let (log_like, _) = accumulate(self, &part, (&mut stats, &part), None, None)?;
            Ok((stats, log_like))
        };
        let mut sum = AccumDiagGmm::new(self.num_gauss(), self.dim(), flags);
        let mut total = 0.0;
        // One part for each thread at a time, so that there are not more statistics than threads.
        for starts in starts.chunks(threads.max(1)) {
            let parts: Vec<Result<_>> = thread::scope(|scope| {
                let others: Vec<_> = starts[1..].iter().map(|&start| scope.spawn(move || part(start))).collect();
                let first = part(starts[0]);
                let join = |other: thread::ScopedJoinHandle<'_, _>| {
                    other.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
                };
                std::iter::once(first).chain(others.into_iter().map(join)).collect()
            });
            for part in parts {
                let (stats, log_like) = part?;
                sum.add(stats)?;
                total += log_like;
            }
        }
        Ok((sum, total))
    }
}

impl AccumFullGmm {
    /// Makes a mixture of the statistics alone. A Gaussian without frames gets a mean drawn at random, and the unit matrix as
    /// its covariance; such Gaussians are the `low_counts` of the estimate.
    ///
    /// # Errors
    /// If there are other numbers of Gaussians, no statistics for covariances, or the result is no mixture.
    pub fn initial_mixture(
        &self,
        num_gauss: usize,
        options: &MleFullGmmOptions,
        random: &mut Random,
    ) -> Result<Estimate<FullGmm>> {
        if num_gauss != self.num_gauss() {
            let dim = self.dim();
            return Err(Error::OtherModel { expected: (num_gauss, dim), got: (self.num_gauss(), dim) });
        }
        if !self.flags().contains(GmmFlags::VARIANCES) {
            return Err(Error::Flags { wanted: GmmFlags::VARIANCES.with_needed(), got: self.flags() });
        }
        let (dim, count) = (self.dim(), self.occupancy().iter().sum());
        let (mut weights, mut means) = (Vec::with_capacity(num_gauss), Vec::with_capacity(num_gauss * dim));
        let (mut inv_covars, mut low_counts) = (Vec::with_capacity(num_gauss), Vec::new());
        let (mut floored_elements, mut floored_gaussians) = (0, 0);
        for (gauss, &occupancy) in self.occupancy().iter().enumerate() {
            let refused = |source| Error::Covariance { gauss, source };
            let is_low = (occupancy as f32) < NO_FRAMES;
            let (mean, mut covar) = if is_low {
                let mut mean = vec![0.0; dim];
                RandomState::new(random).fill_gauss(&mut mean);
                low_counts.push(LowCount { gauss, occupancy, weight: occupancy / count, removed: false });
                (mean.into_iter().map(f64::from).collect(), SymmetricMatrix::identity(dim))
            } else {
                let mean: Vec<f64> = self.means().row(gauss).iter().map(|sum| sum / occupancy).collect();
                let mut covar = self.squares(gauss);
                covar.scale(1.0 / occupancy);
                covar.add_outer(-1.0, &mean).map_err(refused)?;
                (mean, covar)
            };
            let floored = floor_covariance(&mut covar, options).map_err(refused)?;
            floored_elements += floored;
            floored_gaussians += usize::from(floored > 0);
            let inv_covar = covar.inverse().map_err(refused)?;
            means.extend(inv_covar.multiply_vector(&mean).map_err(refused)?.to_precision::<f32>().into_vec());
            inv_covars.push(inv_covar);
            weights.push(if is_low { NO_FRAMES } else { occupancy as f32 });
        }
        let sum: f32 = weights.iter().sum();
        weights.iter_mut().for_each(|weight| *weight *= 1.0 / sum);
        let gmm = FullGmm::new(Vector::from_vec(weights), Matrix::from_vec(num_gauss, dim, means), &inv_covars)?;
        Ok(Estimate { gmm, objective_change: 0.0, count, floored_elements, floored_gaussians, low_counts })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feats(num_frames: usize) -> Matrix<f32> {
        Matrix::from_vec(num_frames, 2, (0..2 * num_frames).map(|value| (value % 11) as f32).collect())
    }

    #[test]
    fn means_are_frames() {
        let gmm = DiagGmm::from_random_frames(&feats(40), 3, &mut Random::seeded(7)).unwrap();
        assert_eq!(gmm.weights(), [(1.0 / 3.0) as f32; 3]);
        for mean in gmm.means().rows() {
            let is_near = |frame: &[f32]| frame.iter().zip(mean).all(|(a, b)| (a - b).abs() < 1e-4);
            assert!(feats(40).rows().any(is_near), "{mean:?}");
        }
        let refused = DiagGmm::from_random_frames(&feats(29), 3, &mut Random::default()).unwrap_err();
        assert_eq!(refused.to_string(), "expected 30 frames at least for 3 Gaussians, got 29");
        let constant = Matrix::from_vec(20, 1, vec![1.0; 20]);
        assert_eq!(DiagGmm::from_random_frames(&constant, 1, &mut Random::default()), Err(Error::NoVariance));
    }

    #[test]
    fn statistics_are_the_same_for_any_number_of_threads() {
        let feats = feats(3 * FRAMES_PER_PART + 5);
        let gmm = DiagGmm::from_random_frames(&feats, 2, &mut Random::default()).unwrap();
        let alone = gmm.statistics(&feats, GmmFlags::ALL, 1).unwrap();
        assert_eq!(gmm.statistics(&feats, GmmFlags::ALL, 3).unwrap(), alone);
        let count: f64 = alone.0.occupancy().iter().sum();
        assert!((count - feats.num_rows() as f64).abs() < 1e-2, "{count}");
    }

    #[test]
    fn statistics_alone_make_a_mixture() {
        let mut stats = AccumFullGmm::new(2, 2, GmmFlags::ALL);
        let feats = Matrix::from_vec(4, 2, vec![1.0, 0.0, -1.0, 0.0, 0.0, 2.0, 0.0, -2.0]);
        stats.add_weighted(&feats, &[const { Vec::new() }; 4].map(|_: crate::FrameWeights| vec![(1, 1.0)])).unwrap();
        let options = MleFullGmmOptions::default();
        let initial = stats.initial_mixture(2, &options, &mut Random::default()).unwrap();
        assert!((initial.gmm.weights()[1] - 1.0).abs() < 1e-6 && initial.gmm.weights()[0] > 0.0);
        let (mean, covar) = initial.gmm.moments(1).unwrap();
        assert!(mean.as_slice().iter().all(|value| value.abs() < 1e-6));
        assert!((covar.as_slice()[0] - 0.5).abs() < 1e-6 && (covar.as_slice()[2] - 2.0).abs() < 1e-6);
        assert_eq!((initial.low_counts.len(), initial.low_counts[0].gauss), (1, 0));
        let mut drawn = [0.0; 2];
        RandomState::new(&mut Random::default()).fill_gauss(&mut drawn);
        assert_eq!(initial.gmm.means_invcovars().row(0), drawn);
        assert!(stats.initial_mixture(3, &options, &mut Random::default()).is_err());
    }
}
