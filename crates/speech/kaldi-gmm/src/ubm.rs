//! One mixture of the Gaussians of all pdfs.

use kaldi_hmm::{GaussStats, bottom_up, bottom_up_in_groups};
use kaldi_matrix::Matrix;

use crate::merge::Moments;
use crate::{AmDiagGmm, DiagGmm, Error, Mixture, Result};

/// What is added to the counts of pdfs, so that none is zero.
const LEAST_COUNT: f32 = 1.0e-10;

/// How the Gaussians of a model are clustered.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct UbmOptions {
    /// The number of Gaussians of the result.
    pub num_gauss: i32,
    /// The number of groups of pdfs, as a part of the number of pdfs. Only Gaussians of the same group are merged before there
    /// are `intermediate_num_gauss`.
    pub reduce_state_factor: f32,
    /// The number of Gaussians before those of different groups are merged.
    pub intermediate_num_gauss: i32,
    /// A smaller variance counts as this one.
    pub var_floor: f32,
}

impl UbmOptions {
    /// The number of groups of pdfs.
    pub fn num_groups(&self, num_pdfs: usize) -> usize {
        ((self.reduce_state_factor * num_pdfs as f32) as usize).clamp(1, num_pdfs)
    }
}

impl AmDiagGmm {
    /// Clusters the Gaussians of all pdfs into one mixture (Kaldi's `ClusterGaussiansToUbm`). `counts` are the numbers of
    /// frames of the pdfs. The result has fewer Gaussians than asked for if the model has.
    ///
    /// # Errors
    /// If there is not one count of at least zero for each pdf, or the result is no mixture.
    pub fn to_ubm(&self, counts: &[f32], options: &UbmOptions) -> Result<DiagGmm> {
        if counts.len() != self.num_pdfs() {
            return Err(Error::NumPdfs { expected: self.num_pdfs(), got: counts.len() });
        }
        if let Some(pdf) = counts.iter().position(|count| !(count.is_finite() && *count >= 0.0)) {
            return Err(Error::Weight { gauss: pdf, got: counts[pdf] });
        }
        let weighted = |gmm: &DiagGmm, count: &f32| -> Vec<GaussStats> {
            let of_gaussian = |moments: &Moments| {
                let weight = f64::from(count + LEAST_COUNT) * moments.weight;
                let sums = moments.mean.iter().chain(&moments.squares).map(|value| value * weight).collect();
                GaussStats::from_sums(weight, Matrix::from_vec(2, self.dim(), sums), options.var_floor.into())
            };
            Moments::of(gmm).iter().map(of_gaussian).collect()
        };
        let mut states = Vec::with_capacity(self.num_pdfs());
        for (gmm, count) in self.pdfs().iter().zip(counts) {
            states.extend(weighted(&gmm.merge(1)?, count));
        }
        let num_groups = options.num_groups(self.num_pdfs());
        let mut groups = vec![Vec::new(); num_groups];
        for ((gmm, count), group) in self.pdfs().iter().zip(counts).zip(bottom_up(states, f32::MAX, num_groups)) {
            groups[group].extend(weighted(gmm, count));
        }
        let wanted = usize::try_from(options.intermediate_num_gauss).unwrap_or(0);
        let clusters = bottom_up_in_groups(groups.clone(), wanted.clamp(num_groups, self.num_gauss().max(num_groups)));
        let mut merged = Vec::new();
        for (group, clusters) in groups.iter().zip(&clusters) {
            // The clusters of a group are in the order of Kaldi: the last one comes first.
            merged.extend(sums(group, clusters).into_iter().rev());
        }
        let total: f64 = merged.iter().map(GaussStats::count).sum();
        let moments: Vec<Moments> = merged.iter().map(|stats| moments(stats, total)).collect();
        let gmm = Moments::to_gmm(&moments.iter().collect::<Vec<_>>(), self.dim())?;
        match i64::from(options.num_gauss) < gmm.num_gauss() as i64 {
            true => gmm.merge(options.num_gauss),
            false => Ok(gmm),
        }
    }
}

/// The sums of clusters, by their numbers.
fn sums(points: &[GaussStats], clusters: &[usize]) -> Vec<GaussStats> {
    let mut sums: Vec<Option<GaussStats>> = vec![None; clusters.iter().max().map_or(0, |last| last + 1)];
    for (point, &cluster) in points.iter().zip(clusters) {
        match &mut sums[cluster] {
            Some(sum) => sum.add(point),
            none => *none = Some(point.clone()),
        }
    }
    sums.into_iter().flatten().collect()
}

fn moments(stats: &GaussStats, total: f64) -> Moments {
    let mean_of = |sums: &[f64]| sums.iter().map(|sum| sum / stats.count()).collect();
    Moments { weight: stats.count() / total, mean: mean_of(stats.sum()), squares: mean_of(stats.sum_of_squares()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::InitialGaussian;

    const OPTIONS: UbmOptions =
        UbmOptions { num_gauss: 2, reduce_state_factor: 0.5, intermediate_num_gauss: 3, var_floor: 0.01 };

    fn model() -> AmDiagGmm {
        let pdf = |mean| InitialGaussian { means: vec![mean], inv_vars: vec![1.0] }.mixture().unwrap();
        AmDiagGmm::new([0.0, 10.0, 0.5, 10.5].map(pdf).into()).unwrap()
    }

    #[test]
    fn gaussians_that_are_alike_become_one() {
        let ubm = model().to_ubm(&[3.0, 1.0, 1.0, 3.0], &OPTIONS).unwrap();
        let mut means = ubm.means().into_vec();
        means.sort_by(f32::total_cmp);
        assert!((means[0] - 0.125).abs() < 1e-4 && (means[1] - 10.375).abs() < 1e-4, "{means:?}");
        assert!(ubm.weights().iter().all(|weight| (weight - 0.5).abs() < 1e-5), "{ubm:?}");
        let all = UbmOptions { num_gauss: 9, intermediate_num_gauss: 9, ..OPTIONS };
        assert_eq!(model().to_ubm(&[1.0; 4], &all).unwrap().num_gauss(), 4);
        let one = UbmOptions { num_gauss: 1, reduce_state_factor: 0.01, ..OPTIONS };
        assert_eq!(model().to_ubm(&[1.0, 0.0, 0.0, 0.0], &one).unwrap().num_gauss(), 1);
    }

    #[test]
    fn each_pdf_needs_a_count() {
        assert_eq!(model().to_ubm(&[1.0], &OPTIONS), Err(Error::NumPdfs { expected: 4, got: 1 }));
        assert!(model().to_ubm(&[1.0, -1.0, 1.0, 1.0], &OPTIONS).is_err());
        assert!(model().to_ubm(&[1.0, f32::NAN, 1.0, 1.0], &OPTIONS).is_err());
    }
}
