//! How many Gaussians each pdf of a model gets.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use kaldi_matrix::{Matrix, Vector};
use kaldi_random::Random;

use crate::{AmDiagGmm, DiagGmm, Mixture, Result};

/// A pdf that waits for one more Gaussian: the one with the most frames for each Gaussian comes first.
struct Waiting {
    pdf: usize,
    num_gauss: usize,
    /// A power of the frames; 0 if the pdf gets no more.
    share: f32,
}

impl Waiting {
    fn measure(&self) -> f64 {
        f64::from(self.share) / (self.num_gauss as f64 + 1.0e-10)
    }
}

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Waiting {}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> Ordering {
        self.measure().total_cmp(&other.measure())
    }
}

/// How many Gaussians each pdf should have if there are `target` in all: one each, and the others by a power of their
/// frames, as long as each Gaussian has `min_count` frames. Follows Kaldi's `GetSplitTargets`. `None` instead of the rest if
/// there are not enough frames.
fn targets(occupancies: &[f32], target: i32, power: f32, min_count: f32) -> Vec<usize> {
    let waiting = |(pdf, &occupancy): (usize, &f32)| Waiting { pdf, num_gauss: 1, share: occupancy.powf(power) };
    let mut queue: BinaryHeap<Waiting> = BinaryHeap::new();
    occupancies.iter().enumerate().for_each(|pdf| queue.push(waiting(pdf)));
    let mut num_gauss = occupancies.len() as i64;
    while num_gauss < i64::from(target) {
        let Some(mut first) = queue.pop() else { break };
        if first.share == 0.0 {
            queue.push(first);
            break;
        }
        if (first.num_gauss + 1) as f32 * min_count >= occupancies[first.pdf] {
            first.share = 0.0;
        } else {
            first.num_gauss += 1;
            num_gauss += 1;
        }
        queue.push(first);
    }
    let mut targets = vec![1; occupancies.len()];
    queue.into_iter().for_each(|waiting| targets[waiting.pdf] = waiting.num_gauss);
    targets
}

impl AmDiagGmm {
    /// Splits Gaussians until there are about `target` in all, those of pdfs with many frames first.
    ///
    /// # Errors
    /// If the result is no model.
    ///
    /// # Panics
    /// If there are fewer occupancies than pdfs.
    pub fn split_by_count(
        &self,
        occupancies: &[f32],
        target: i32,
        (perturb_factor, power, min_count): (f32, f32, f32),
        random: &mut Random,
    ) -> Result<Self> {
        let targets = targets(occupancies, target, power, min_count);
        let split = |(gmm, &wanted): (&DiagGmm, &usize)| match gmm.num_gauss() < wanted {
            true => gmm.split(wanted as i32, perturb_factor, random),
            false => Ok(gmm.clone()),
        };
        Self::new(self.pdfs().iter().zip(&targets).map(split).collect::<Result<_>>()?)
    }

    /// Merges Gaussians until there are about `target` in all.
    ///
    /// # Errors
    /// If the result is no model.
    ///
    /// # Panics
    /// If there are fewer occupancies than pdfs.
    pub fn merge_by_count(&self, occupancies: &[f32], target: i32, power: f32, min_count: f32) -> Result<Self> {
        let targets = targets(occupancies, target, power, min_count);
        let merge = |(gmm, &wanted): (&DiagGmm, &usize)| match gmm.num_gauss() > wanted {
            true => gmm.merge(wanted as i32),
            false => Ok(gmm.clone()),
        };
        Self::new(self.pdfs().iter().zip(&targets).map(merge).collect::<Result<_>>()?)
    }

    /// The same numbers of Gaussians with the same weights in another dimension, with means of zero and variances of one.
    ///
    /// # Errors
    /// If the dimension is 0.
    pub fn resized(&self, dim: usize) -> Result<Self> {
        let resize = |gmm: &DiagGmm| {
            let (num_gauss, weights) = (gmm.num_gauss(), Vector::from_vec(gmm.weights().to_vec()));
            let ones = Matrix::from_vec(num_gauss, dim, vec![1.0; num_gauss * dim]);
            DiagGmm::new(weights, Matrix::new(num_gauss, dim), ones)
        };
        Self::new(self.pdfs().iter().map(resize).collect::<Result<_>>()?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pdfs_with_many_frames_get_more_gaussians() {
        assert_eq!(targets(&[100.0, 1000.0], 2, 1.0, 1.0), [1, 1]);
        assert_eq!(targets(&[100.0, 1000.0], 6, 1.0, 1.0), [1, 5]);
        assert_eq!(targets(&[100.0, 100.0], 6, 0.2, 1.0), [3, 3]);
        // A Gaussian needs 300 frames.
        assert_eq!(targets(&[100.0, 1000.0], 6, 1.0, 300.0), [1, 3]);
        assert_eq!(targets(&[0.0, 0.0], 6, 0.2, 1.0), [1, 1]);
    }
}
