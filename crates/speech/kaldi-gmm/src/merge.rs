//! Fewer Gaussians, by merging those that are most alike; and several mixtures as one.

use kaldi_matrix::{Matrix, SymmetricMatrix, Vector};

use crate::{DiagGmm, Error, FullGmm, Mixture, Result};

/// How many variances are multiplied before a logarithm is taken.
const FACTORS: usize = 4;

/// A Gaussian as its weight, its mean and the mean of its squares, in double precision.
#[derive(Clone)]
pub(crate) struct Moments {
    pub(crate) weight: f64,
    pub(crate) mean: Vec<f64>,
    pub(crate) squares: Vec<f64>,
}

impl Moments {
    /// The moments of all Gaussians of a mixture.
    pub(crate) fn of(gmm: &DiagGmm) -> Vec<Self> {
        let gaussian = |(&weight, (means_invvars, inv_vars)): (&f32, (&[f32], &[f32]))| {
            let vars: Vec<f64> = inv_vars.iter().map(|&value| 1.0 / f64::from(value)).collect();
            let mean: Vec<f64> = means_invvars.iter().zip(&vars).map(|(&mean, var)| f64::from(mean) * var).collect();
            let squares = mean.iter().zip(&vars).map(|(mean, var)| var + mean * mean).collect();
            Self { weight: weight.into(), mean, squares }
        };
        gmm.weights().iter().zip(gmm.means_invvars().rows().zip(gmm.inv_vars().rows())).map(gaussian).collect()
    }

    /// Both together.
    fn merged(&self, other: &Self) -> Self {
        let weight = self.weight + other.weight;
        // Two weights of zero are alike.
        let share = if weight > 0.0 { other.weight / weight } else { 0.5 };
        let mix = |left: &[f64], right: &[f64]| -> Vec<f64> {
            left.iter().zip(right).map(|(left, right)| left + share * (right - left)).collect()
        };
        Self { weight, mean: mix(&self.mean, &other.mean), squares: mix(&self.squares, &other.squares) }
    }

    /// The weighted sum of half of the logs of the inverse variances: the part of the likelihood that merging changes.
    fn objective(&self) -> f64 {
        let mut logs = 0.0;
        for (means, squares) in self.mean.chunks(FACTORS).zip(self.squares.chunks(FACTORS)) {
            let vars = means.iter().zip(squares).map(|(mean, square)| square - mean * mean);
            logs += vars.product::<f64>().ln();
        }
        -0.5 * self.weight * logs
    }

    /// The mixture of Gaussians.
    pub(crate) fn to_gmm(gaussians: &[&Self], dim: usize) -> Result<DiagGmm> {
        let inv_vars: Vec<f32> = gaussians
            .iter()
            .flat_map(|gauss| gauss.mean.iter().zip(&gauss.squares))
            .map(|(mean, square)| (1.0 / (square - mean * mean)) as f32)
            .collect();
        let means = gaussians.iter().flat_map(|gauss| &gauss.mean).zip(&inv_vars);
        let means = means.map(|(&mean, inv_var)| mean as f32 * inv_var).collect();
        let weights = gaussians.iter().map(|gauss| gauss.weight as f32).collect();
        DiagGmm::new(
            Vector::from_vec(weights),
            Matrix::from_vec(gaussians.len(), dim, means),
            Matrix::from_vec(gaussians.len(), dim, inv_vars),
        )
    }
}

/// The best partner of each Gaussian among those before it, and what merging the two changes.
struct Partners {
    gaussians: Vec<Option<Moments>>,
    objectives: Vec<f64>,
    best: Vec<Option<(f64, usize)>>,
}

impl Partners {
    fn change(&self, first: usize, second: usize) -> Option<f64> {
        let (left, right) = (self.gaussians[first].as_ref()?, self.gaussians[second].as_ref()?);
        Some(left.merged(right).objective() - self.objectives[first] - self.objectives[second])
    }

    /// Looks for the best partner again.
    fn renew(&mut self, gauss: usize) {
        let better = |best: Option<(f64, usize)>, other: usize| match (self.change(gauss, other), best) {
            (Some(change), Some((most, _))) if change <= most || change.is_nan() => best,
            (Some(change), _) => Some((change, other)),
            (None, _) => best,
        };
        self.best[gauss] = (0..gauss).fold(None, better);
    }

    /// Merges the two Gaussians that change least.
    fn merge(&mut self) -> Option<()> {
        let least = |best: Option<(f64, usize, usize)>, gauss: usize| match (self.best[gauss], best) {
            (Some((change, _)), Some((most, ..))) if change <= most => best,
            (Some((change, other)), _) => Some((change, gauss, other)),
            (None, _) => best,
        };
        let (_, gauss, other) = (0..self.gaussians.len()).fold(None, least)?;
        let gone = self.gaussians[other].take()?;
        let merged = self.gaussians[gauss].as_ref()?.merged(&gone);
        self.objectives[gauss] = merged.objective();
        self.gaussians[gauss] = Some(merged);
        self.best[other] = None;
        self.renew(gauss);
        for later in 0..self.gaussians.len() {
            match self.best[later] {
                Some((_, partner)) if partner == gauss || partner == other => self.renew(later),
                Some((most, _)) if later > gauss => {
                    if let Some(change) = self.change(later, gauss).filter(|change| *change > most) {
                        self.best[later] = Some((change, gauss));
                    }
                }
                _ => {}
            }
        }
        Some(())
    }
}

impl DiagGmm {
    /// Merges Gaussians until `target` are left: each time the two for which the likelihood becomes least worse. The
    /// result keeps the order of the Gaussians that others were merged into. With a target of 1, its weight is one.
    ///
    /// # Errors
    /// If there are fewer Gaussians, or the target is not positive.
    pub fn merge(&self, target: i32) -> Result<Self> {
        let num_gauss = self.num_gauss();
        let wanted = usize::try_from(target).ok().filter(|wanted| (1..=num_gauss).contains(wanted));
        let wanted = wanted.ok_or(Error::Target { what: "merge", got: num_gauss, wanted: target })?;
        if wanted == num_gauss {
            return Ok(self.clone());
        }
        let gaussians = Moments::of(self);
        if wanted == 1 {
            let all = gaussians[1..].iter().fold(gaussians[0].clone(), |sum, gauss| sum.merged(gauss));
            return Moments::to_gmm(&[&Moments { weight: 1.0, ..all }], self.dim());
        }
        let objectives = gaussians.iter().map(Moments::objective).collect();
        let mut partners =
            Partners { gaussians: gaussians.into_iter().map(Some).collect(), objectives, best: vec![None; num_gauss] };
        (0..num_gauss).for_each(|gauss| partners.renew(gauss));
        for _ in wanted..num_gauss {
            partners.merge().ok_or(Error::Target { what: "merge", got: num_gauss, wanted: target })?;
        }
        let left: Vec<&Moments> = partners.gaussians.iter().flatten().collect();
        Moments::to_gmm(&left, self.dim())
    }
}

impl FullGmm {
    /// Puts the Gaussians of several mixtures together. Each mixture counts by its number of Gaussians.
    ///
    /// # Errors
    /// If there are none, or their dimensions differ.
    pub fn joined(mixtures: &[Self]) -> Result<Self> {
        let dim = mixtures.first().map_or(0, Mixture::dim);
        if let Some(other) = mixtures.iter().find(|gmm| gmm.dim() != dim) {
            return Err(Error::FeatsDim { expected: dim, got: other.dim() });
        }
        let total: usize = mixtures.iter().map(Mixture::num_gauss).sum();
        let weights = mixtures.iter().flat_map(|gmm| {
            let share = gmm.num_gauss() as f32 / total as f32;
            gmm.weights().iter().map(move |weight| share * weight)
        });
        let means = mixtures.iter().flat_map(|gmm| gmm.means_invcovars().as_slice()).copied().collect();
        let covars: Vec<SymmetricMatrix> =
            mixtures.iter().flat_map(|gmm| (0..gmm.num_gauss()).map(|gauss| gmm.inv_covar(gauss))).collect();
        Self::new(Vector::from_vec(weights.collect()), Matrix::from_vec(total, dim, means), &covars)
    }

    /// The mixture with the variances alone, without the covariances.
    ///
    /// # Errors
    /// If rounding shows a covariance as not positive definite.
    pub fn to_diag(&self) -> Result<DiagGmm> {
        let (num_gauss, dim) = (self.num_gauss(), self.dim());
        let (mut means, mut inv_vars) = (Vec::with_capacity(num_gauss * dim), Vec::with_capacity(num_gauss * dim));
        for gauss in 0..num_gauss {
            let (mean, covar) = self.moments(gauss)?;
            for (&mean, &var) in mean.as_slice().iter().zip(covar.diagonal().as_slice()) {
                inv_vars.push((1.0 / var) as f32);
                means.push((mean / var) as f32);
            }
        }
        let matrix = |values| Matrix::from_vec(num_gauss, dim, values);
        DiagGmm::new(Vector::from_vec(self.weights().to_vec()), matrix(means), matrix(inv_vars))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Gaussians with these means and a variance of one.
    fn gmm(weights: &[f32], means: &[f32]) -> DiagGmm {
        let column = |values: &[f32]| Matrix::from_vec(values.len(), 1, values.to_vec());
        DiagGmm::new(Vector::from_vec(weights.to_vec()), column(means), column(&vec![1.0; means.len()])).unwrap()
    }

    #[test]
    fn those_that_are_alike_are_merged() {
        let merged = gmm(&[0.25; 4], &[0.0, 9.0, 1.0, 9.5]).merge(2).unwrap();
        assert_eq!((merged.weights(), merged.means().as_slice()), (&[0.5, 0.5][..], &[0.5, 9.25][..]));
        assert!((merged.vars().row(0)[0] - 1.25).abs() < 1e-6);
        let three = gmm(&[0.25; 4], &[0.0, 9.0, 1.0, 9.5]).merge(3).unwrap();
        assert_eq!(three.means().as_slice(), [0.0, 1.0, 9.25]);
        let unlike = gmm(&[0.5, 0.5], &[0.0, 2.0]);
        assert_eq!(unlike.merge(2), Ok(unlike.clone()));
        assert!(unlike.merge(3).is_err() && unlike.merge(0).is_err());
    }

    #[test]
    fn one_gaussian_has_the_moments_of_all() {
        let one = gmm(&[0.5, 0.25, 0.25], &[0.0, 2.0, 2.0]).merge(1).unwrap();
        assert_eq!(
            (one.weights(), one.means().as_slice(), one.vars().as_slice()),
            (&[1.0][..], &[1.0][..], &[2.0][..])
        );
    }

    #[test]
    fn the_best_pair_is_found_among_all() {
        // Merging in any order agrees with looking at all pairs each time.
        let means: Vec<f32> =
            (0..12_u32).map(|value| ((value * 7) % 12) as f32 * 1.3 + ((value * 5) % 3) as f32).collect();
        let weights: Vec<f32> = (0..12).map(|value| 0.05 + 0.01 * (value % 4) as f32).collect();
        let mut gaussians = Moments::of(&gmm(&weights, &means));
        while gaussians.len() > 4 {
            let mut best = (f64::NEG_INFINITY, 0, 0);
            for gauss in 0..gaussians.len() {
                for other in 0..gauss {
                    let (left, right) = (&gaussians[gauss], &gaussians[other]);
                    let change = left.merged(right).objective() - left.objective() - right.objective();
                    if change > best.0 {
                        best = (change, gauss, other);
                    }
                }
            }
            gaussians[best.1] = gaussians[best.1].merged(&gaussians[best.2]);
            gaussians.remove(best.2);
        }
        let expected = Moments::to_gmm(&gaussians.iter().collect::<Vec<_>>(), 1).unwrap();
        assert_eq!(gmm(&weights, &means).merge(4), Ok(expected));
    }

    #[test]
    fn mixtures_are_joined() {
        let [one, two] = [FullGmm::from(&gmm(&[1.0], &[3.0])), FullGmm::from(&gmm(&[0.5, 0.5, 0.0], &[0.0, 1.0, 2.0]))];
        let joined = FullGmm::joined(&[one.clone(), two]).unwrap();
        assert_eq!(joined.weights(), [0.25, 0.375, 0.375, 0.0]);
        assert_eq!(joined.means_invcovars().as_slice(), [3.0, 0.0, 1.0, 2.0]);
        assert_eq!(joined.to_diag().unwrap().means().as_slice(), [3.0, 0.0, 1.0, 2.0]);
        let other =
            FullGmm::new(Vector::from_vec(vec![1.0]), Matrix::new(1, 2).clone(), &[SymmetricMatrix::identity(2)]);
        assert!(FullGmm::joined(&[one, other.unwrap()]).is_err());
    }
}
