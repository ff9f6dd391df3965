//! How an objective function depends on the statistics that a model was estimated from.

use crate::normal::NormalGmm;
use crate::rescale::moments;
use crate::{AccumDiagGmm, AmDiagGmm, Error, GmmFlags, GmmStats, Mixture, PdfStats, Result};

impl PdfStats {
    /// The derivatives of a discriminative objective function by the sums of the features and of their squares of each
    /// Gaussian, for fMPE (Kaldi's `GetStatsDerivative`); counts are 0. `self` and `den` are the statistics of the numerator and
    /// the denominator, and `ml` those from which the model follows, as [`PdfStats::rescale`] has it.
    ///
    /// Statistics of the denominator without means mean that those of the numerator are the differences already. Gaussians
    /// with `min_occupancy` frames of `ml` or fewer have derivatives of 0. Their counts, in the order of the statistics,
    /// come with the result. Variances near `min_variance` do not count.
    ///
    /// # Errors
    /// If the statistics are not of the model, have no means and variances, or give derivatives that are not finite.
    pub fn derivative(
        &self,
        [den, ml]: [&Self; 2],
        model: &AmDiagGmm,
        min_variance: f32,
        min_occupancy: f32,
    ) -> Result<(Self, Vec<[f64; 3]>)> {
        for stats in [self, den, ml] {
            stats.check_num_pdfs(model.num_pdfs())?;
        }
        let (needed, mut low_counts) = (GmmFlags::MEANS | GmmFlags::VARIANCES, Vec::new());
        let mut out = Self::new(model, model.dim(), GmmFlags::ALL);
        for (pdf, gmm) in model.pdfs().iter().enumerate() {
            let (num, den, ml) = (&self.pdfs[pdf], &den.pdfs[pdf], &ml.pdfs[pdf]);
            num.check_fits(gmm, needed).map_err(Error::in_pdf(pdf))?;
            ml.check_fits(gmm, needed).map_err(Error::in_pdf(pdf))?;
            let has_den = !den.means().is_empty();
            let is_like = den.num_gauss() == gmm.num_gauss() && (!has_den || den.check_fits(gmm, needed).is_ok());
            if !is_like {
                let (expected, got) = ((num.num_gauss(), num.dim()), (den.num_gauss(), den.dim()));
                let error = Error::StatsSize { expected, flags: num.flags(), got, got_flags: den.flags() };
                return Err(Error::in_pdf(pdf)(error));
            }
            let normal = NormalGmm::of(gmm);
            for gauss in 0..gmm.num_gauss() {
                let counts = [num, den, ml].map(|stats| stats.occupancy()[gauss]);
                if counts[2] <= f64::from(min_occupancy) {
                    low_counts.push(counts);
                    continue;
                }
                let of = Gaussian { num, den: has_den.then_some(den), ml, gauss, counts };
                let (means, squares): (Vec<f64>, Vec<f64>) = (0..gmm.dim())
                    .map(|dim| {
                        of.derivatives(dim, normal.means.row(gauss)[dim], normal.vars.row(gauss)[dim], min_variance)
                    })
                    .unzip();
                if means.iter().chain(&squares).any(|value| !value.is_finite()) {
                    return Err(Error::in_pdf(pdf)(Error::NotANumber { gauss }));
                }
                out.pdfs[pdf].add_sums(gauss, 0.0, &means, &squares);
            }
        }
        Ok((out, low_counts))
    }
}

/// The statistics of a Gaussian.
struct Gaussian<'a> {
    num: &'a AccumDiagGmm,
    den: Option<&'a AccumDiagGmm>,
    ml: &'a AccumDiagGmm,
    gauss: usize,
    /// The frames of the numerator, the denominator, and those that the model follows.
    counts: [f64; 3],
}

impl Gaussian<'_> {
    /// The derivatives by the sum of the features and by the sum of their squares, in a dimension; equations 11 and 13 of
    /// Povey et al., "fMPE: discriminatively trained features for speech recognition".
    fn derivatives(&self, dim: usize, mean: f64, var: f64, min_variance: f32) -> (f64, f64) {
        let difference = |sums: fn(&AccumDiagGmm) -> &kaldi_matrix::Matrix<f64>| {
            let of = |stats| sums(stats).row(self.gauss)[dim];
            of(self.num) - self.den.map_or(0.0, of)
        };
        let (sum, squares) = (difference(AccumDiagGmm::means), difference(AccumDiagGmm::squares));
        let [num_count, den_count, count] = self.counts;
        let difference = num_count - den_count;
        let (ml_mean, ml_var) = moments(self.ml, self.gauss, dim);
        let by_mean = (sum - mean * difference) / var;
        let by_var = if var <= f64::from(min_variance) * 1.01 {
            // The variance is at the floor and would not follow.
            0.0
        } else {
            let around = squares - 2.0 * mean * sum + difference * mean * mean;
            0.5 * (around / (var * var) - difference / var) * var / ml_var
        };
        (by_mean / count - 2.0 * by_var * ml_mean / count, by_var / count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{model, stats, stats_of};

    const NUM: [f64; 3] = [20.0, 30.0, 90.0];
    const DEN: [f64; 3] = [15.0, 10.0, 70.0];

    fn derivatives(stats: &PdfStats) -> (f64, f64) {
        (stats.pdfs[0].means().row(0)[0], stats.pdfs[0].squares().row(0)[0])
    }

    #[test]
    fn derivatives_say_how_the_objective_changes() {
        let (num, den, ml) = (stats(NUM), stats(DEN), stats([16.0, 8.0, 36.0]));
        let (found, low_counts) = num.derivative([&den, &ml], &model(1.0, 2.0), 0.001, 10.0).unwrap();
        assert_eq!((low_counts.len(), found.total_count()), (0, 0.0));
        // The objective of a model that follows the statistics, by small changes of the sums.
        let objective = |sums: [f64; 3]| {
            let moved = ml.rescale(&stats(sums), &model(1.0, 2.0), 0.001, 0.0).unwrap().model;
            let normal = NormalGmm::of(&moved.pdfs()[0]);
            let (mean, var) = (normal.means.row(0)[0], normal.vars.row(0)[0]);
            let (count, sum, squares) = (NUM[0] - DEN[0], NUM[1] - DEN[1], NUM[2] - DEN[2]);
            -0.5 * (count * var.ln() + (squares - 2.0 * mean * sum + count * mean * mean) / var)
        };
        let by_sum = (objective([16.0, 8.1, 36.0]) - objective([16.0, 7.9, 36.0])) / 0.2;
        let by_square = (objective([16.0, 8.0, 36.1]) - objective([16.0, 8.0, 35.9])) / 0.2;
        let (sum, square) = derivatives(&found);
        assert!(
            (sum - by_sum).abs() < 1e-3 && (square - by_square).abs() < 1e-3,
            "{sum} {by_sum} {square} {by_square}"
        );
        // At the floor the variance does not follow.
        let (floored, _) = num.derivative([&den, &ml], &model(1.0, 2.0), 2.0, 10.0).unwrap();
        assert_eq!(derivatives(&floored), (15.0 / 2.0 / 16.0, 0.0));
        let (few, low_counts) = num.derivative([&den, &ml], &model(1.0, 2.0), 0.001, 16.0).unwrap();
        assert_eq!((derivatives(&few), low_counts), ((0.0, 0.0), vec![[20.0, 15.0, 16.0]]));
    }

    #[test]
    fn differences_may_be_in_the_numerator() {
        let ml = stats([16.0, 8.0, 36.0]);
        let expected = stats(NUM).derivative([&stats(DEN), &ml], &model(1.0, 2.0), 0.001, 10.0);
        let counts = stats_of(GmmFlags::WEIGHTS, [15.0, 0.0, 0.0]);
        let found = stats([20.0, 20.0, 20.0]).derivative([&counts, &ml], &model(1.0, 2.0), 0.001, 10.0);
        assert_eq!(found, expected);
        let no_number = stats([f64::NAN, 20.0, 20.0]).derivative([&counts, &ml], &model(1.0, 2.0), 0.001, 10.0);
        assert_eq!(no_number, Err(Error::in_pdf(0)(Error::NotANumber { gauss: 0 })));
        let refused = counts.derivative([&counts, &ml], &model(1.0, 2.0), 0.001, 10.0).unwrap_err();
        assert_eq!(refused.to_string(), "pdf 0: expected statistics for the flags mv, got those for w");
    }
}
