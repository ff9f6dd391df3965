//! Discriminative estimates of models (extended Baum-Welch): of means and variances, and of weights.

use crate::normal::NormalGmm;
use crate::{AccumDiagGmm, AmDiagGmm, DiagGmm, Error, GmmFlags, GmmStats, Mixture, PdfStats, Result};

/// How means and variances are estimated discriminatively (Kaldi's `EbwOptions`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EbwOptions {
    /// How many frames of the old Gaussian count for each frame of the denominator.
    pub e: f32,
    /// How many frames of the old Gaussian count in any case.
    pub tau: f32,
}

impl Default for EbwOptions {
    fn default() -> Self {
        Self { e: 2.0, tau: 0.0 }
    }
}

/// How weights are estimated discriminatively (Kaldi's `EbwWeightOptions`).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct EbwWeightOptions {
    /// A pdf with fewer frames keeps its weights, if `tau` is 0.
    pub min_count: f32,
    /// No weight is smaller, except for rounding.
    pub min_gaussian_weight: f32,
    /// How many frames with the old weights are added.
    pub tau: f32,
}

impl Default for EbwWeightOptions {
    fn default() -> Self {
        Self { min_count: 10.0, min_gaussian_weight: 1.0e-5, tau: 0.0 }
    }
}

/// A discriminative estimate of the means and variances of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct EbwEstimate {
    /// The model.
    pub model: AmDiagGmm,
    /// How much the objective function of all frames has grown.
    pub objective_change: f64,
    /// The number of frames of the denominator.
    pub count: f64,
    /// Gaussians that needed more frames of the old Gaussian than the options say.
    pub num_floored: usize,
    /// Gaussians for which no number of frames of the old Gaussian gave positive variances: the pdf and the Gaussian.
    pub unchanged: Vec<(usize, usize)>,
}

/// A discriminative estimate of the weights of a model.
#[derive(Clone, Debug, PartialEq)]
pub struct EbwWeights {
    /// The model.
    pub model: AmDiagGmm,
    /// How much the objective function of all frames has grown.
    pub objective_change: f64,
    /// The number of frames of the numerator.
    pub count: f64,
    /// Pdfs with too few frames, and their numbers of frames.
    pub low_counts: Vec<(usize, f64)>,
}

impl PdfStats {
    /// Estimates means, or means and variances, with these statistics as the numerator (Kaldi's `UpdateEbwAmDiagGmm`).
    ///
    /// Statistics of the denominator for weights only mean that those of the numerator are the differences already.
    ///
    /// # Errors
    /// If the statistics are not of the model, do not have `flags`, or `flags` has variances and no means.
    pub fn estimate_ebw(
        &self,
        den: &Self,
        model: &AmDiagGmm,
        flags: GmmFlags,
        options: &EbwOptions,
    ) -> Result<EbwEstimate> {
        self.check_num_pdfs(model.num_pdfs())?;
        den.check_num_pdfs(model.num_pdfs())?;
        if flags.contains(GmmFlags::VARIANCES) && !flags.contains(GmmFlags::MEANS) {
            return Err(Error::VariancesAlone);
        }
        let is_changed = flags.contains(GmmFlags::MEANS);
        let mut done = EbwEstimate {
            model: model.clone(),
            objective_change: 0.0,
            count: 0.0,
            num_floored: 0,
            unchanged: Vec::new(),
        };
        let mut pdfs = Vec::with_capacity(model.num_pdfs());
        for (pdf, gmm) in model.pdfs().iter().enumerate() {
            let pair = StatsPair { num: &self.pdfs[pdf], den: &den.pdfs[pdf], has_den: false };
            let pair = pair.checked(gmm, flags).map_err(Error::in_pdf(pdf))?;
            if is_changed {
                pdfs.push(pair.estimate(pdf, gmm, flags, options, &mut done).map_err(Error::in_pdf(pdf))?);
            }
        }
        if is_changed {
            done.model = AmDiagGmm::new(pdfs)?;
        }
        Ok(done)
    }

    /// Estimates the weights, with these statistics as the numerator (Kaldi's `UpdateEbwWeightsAmDiagGmm`).
    ///
    /// # Errors
    /// If the statistics are not of the model, or a weight becomes no number.
    pub fn estimate_ebw_weights(
        &self,
        den: &Self,
        model: &AmDiagGmm,
        options: &EbwWeightOptions,
    ) -> Result<EbwWeights> {
        self.check_num_pdfs(model.num_pdfs())?;
        den.check_num_pdfs(model.num_pdfs())?;
        let (mut objective_change, mut count, mut low_counts) = (0.0, 0.0, Vec::new());
        let mut pdfs = Vec::with_capacity(model.num_pdfs());
        for (pdf, gmm) in model.pdfs().iter().enumerate() {
            let counts = [&self.pdfs[pdf], &den.pdfs[pdf]].map(GmmStats::occupancy);
            if let Some(got) = counts.iter().map(|counts| counts.len()).find(|got| *got != gmm.num_gauss()) {
                let (expected, got) = ((gmm.num_gauss(), gmm.dim()), (got, gmm.dim()));
                return Err(Error::in_pdf(pdf)(Error::OtherModel { expected, got }));
            }
            let [num, den] = counts;
            let total: f64 = num.iter().sum::<f64>() + den.iter().sum::<f64>();
            if options.tau == 0.0 && total < f64::from(options.min_count) {
                low_counts.push((pdf, total));
                count += num.iter().sum::<f64>();
                pdfs.push(gmm.clone());
            } else if gmm.num_gauss() == 1 {
                pdfs.push(gmm.clone());
            } else {
                let weights = Weights::new(gmm, [num, den], f64::from(options.tau));
                let (new, change) = weights.estimate(f64::from(options.min_gaussian_weight));
                objective_change += change;
                count += weights.num.iter().sum::<f64>();
                let new = NormalGmm { weights: new, ..NormalGmm::of(gmm) };
                pdfs.push(new.to_gmm(gmm, GmmFlags::ALL).map_err(Error::in_pdf(pdf))?);
            }
        }
        Ok(EbwWeights { model: AmDiagGmm::new(pdfs)?, objective_change, count, low_counts })
    }
}

/// The statistics of a pdf.
struct StatsPair<'a> {
    num: &'a AccumDiagGmm,
    den: &'a AccumDiagGmm,
    /// Whether the denominator has sums; else those of the numerator are the differences.
    has_den: bool,
}

/// How often more frames of the old Gaussian are tried.
const MAX_TRIALS: usize = 100;

impl StatsPair<'_> {
    fn checked(mut self, gmm: &DiagGmm, flags: GmmFlags) -> Result<Self> {
        self.num.check_fits(gmm, flags)?;
        if self.den.num_gauss() != gmm.num_gauss() {
            let (expected, got) = ((gmm.num_gauss(), gmm.dim()), (self.den.num_gauss(), self.den.dim()));
            return Err(Error::OtherModel { expected, got });
        }
        self.has_den = self.den.flags() == self.num.flags();
        match self.has_den {
            true => self.num.check_like(self.den)?,
            false if self.den.flags() == GmmFlags::WEIGHTS => {}
            false => return Err(Error::Flags { wanted: self.num.flags(), got: self.den.flags() }),
        }
        Ok(self)
    }

    fn estimate(
        &self,
        pdf: usize,
        gmm: &DiagGmm,
        flags: GmmFlags,
        options: &EbwOptions,
        done: &mut EbwEstimate,
    ) -> Result<DiagGmm> {
        let mut normal = NormalGmm::of(gmm);
        for gauss in 0..gmm.num_gauss() {
            // Kaldi's single precision decides how many old frames are added, so it is kept.
            let (num_count, den_count) = (self.num.occupancy()[gauss] as f32, self.den.occupancy()[gauss] as f32);
            if num_count == 0.0 && den_count == 0.0 {
                continue;
            }
            let sums = self.differences(gauss, flags, f64::from(num_count - den_count));
            let (mean, var) = (normal.means.row(gauss), normal.vars.row(gauss));
            let mut old_count = f64::from((options.tau + options.e * den_count) / 2.0);
            if old_count + f64::from(num_count) - f64::from(den_count) <= 0.0 {
                old_count = -1.0001 * sums.count + 1.0e-10;
            }
            let mut trials = 0;
            while trials < MAX_TRIALS && sums.with_old(old_count, flags, mean, var).is_none() {
                old_count *= 1.1;
                trials += 1;
            }
            done.num_floored += usize::from(trials > 0);
            // Twice as many as positive variances need.
            let found = if trials < MAX_TRIALS { sums.with_old(2.0 * old_count, flags, mean, var) } else { None };
            let Some((new_mean, new_var)) = found else {
                done.unchanged.push((pdf, gauss));
                continue;
            };
            let total = sums.count + f64::from((2.0 * old_count) as f32);
            let terms =
                mean.iter().zip(var).zip(new_mean.iter().zip(&new_var)).map(|((mean, var), (new_mean, new_var))| {
                    let change = new_mean - mean;
                    -0.5 * ((new_var.ln() + 1.0) - (var.ln() + (new_var + change * change) / var))
                });
            done.objective_change += total * terms.sum::<f64>();
            done.count += f64::from(den_count);
            normal.means.row_mut(gauss).copy_from_slice(&new_mean);
            normal.vars.row_mut(gauss).copy_from_slice(&new_var);
        }
        normal.to_gmm(gmm, flags)
    }

    /// The sums of the numerator without those of the denominator.
    fn differences(&self, gauss: usize, flags: GmmFlags, count: f64) -> Differences {
        let difference = |sums: fn(&AccumDiagGmm) -> &kaldi_matrix::Matrix<f64>| -> Vec<f64> {
            let num = sums(self.num).row(gauss).iter();
            match self.has_den {
                true => num.zip(sums(self.den).row(gauss)).map(|(num, den)| num - den).collect(),
                false => num.copied().collect(),
            }
        };
        let means = difference(AccumDiagGmm::means);
        let squares = match flags.contains(GmmFlags::VARIANCES) {
            true => difference(AccumDiagGmm::squares),
            false => vec![0.0; means.len()],
        };
        Differences { count, means, squares }
    }
}

/// The differences of the sums of a Gaussian.
struct Differences {
    count: f64,
    means: Vec<f64>,
    squares: Vec<f64>,
}

impl Differences {
    /// The mean and the variances if so many frames of the old Gaussian are added; `None` if a variance is not positive.
    fn with_old(&self, old_count: f64, flags: GmmFlags, mean: &[f64], var: &[f64]) -> Option<(Vec<f64>, Vec<f64>)> {
        let old_count = f64::from(old_count as f32);
        let scale = f64::from((1.0 / (self.count + old_count)) as f32);
        let (mut new_mean, mut new_var) = (Vec::with_capacity(mean.len()), Vec::with_capacity(mean.len()));
        for ((mean, var), (sum, square)) in mean.iter().zip(var).zip(self.means.iter().zip(&self.squares)) {
            let moved = (old_count * mean + sum) * scale;
            let estimated = (old_count * mean * mean + old_count * var + square) * scale - moved * moved;
            new_mean.push(moved);
            new_var.push(if flags.contains(GmmFlags::VARIANCES) { estimated } else { *var });
        }
        let is_good =
            new_mean.iter().all(|mean| mean.is_finite()) && new_var.iter().all(|var| var.is_finite() && *var > 0.0);
        is_good.then_some((new_mean, new_var))
    }
}

/// What the weights of a pdf are estimated from.
struct Weights {
    old: Vec<f64>,
    num: Vec<f64>,
    den: Vec<f64>,
}

/// How often the weights are estimated.
const NUM_WEIGHT_ITERS: usize = 50;

impl Weights {
    fn new(gmm: &DiagGmm, [num, den]: [&[f64]; 2], tau: f64) -> Self {
        let old: Vec<f64> = gmm.weights().iter().map(|&weight| f64::from(weight)).collect();
        let num = num.iter().zip(&old).map(|(count, weight)| count + tau * weight).collect();
        Self { old, num, den: den.to_vec() }
    }

    /// The weights, and how much the objective function has grown; equations 4.32 to 4.35 of Povey's "Discriminative
    /// training for large vocabulary speech recognition".
    fn estimate(&self, floor: f64) -> (Vec<f64>, f64) {
        let ratios: Vec<f64> = self.den.iter().zip(&self.old).map(|(den, old)| den / old).collect();
        let largest = ratios.iter().copied().fold(0.0, f64::max);
        let mut weights = self.old.clone();
        let normalize = |weights: &mut Vec<f64>| {
            let factor = 1.0 / weights.iter().sum::<f64>();
            weights.iter_mut().for_each(|weight| *weight *= factor);
        };
        for _ in 0..NUM_WEIGHT_ITERS {
            for ((weight, num), ratio) in weights.iter_mut().zip(&self.num).zip(&ratios) {
                *weight = num + (largest - ratio) * *weight;
            }
            normalize(&mut weights);
        }
        weights.iter_mut().filter(|weight| **weight < floor).for_each(|weight| *weight = floor);
        normalize(&mut weights);
        let change = self.objective(&weights) - self.objective(&self.old);
        (weights, change)
    }

    fn objective(&self, weights: &[f64]) -> f64 {
        let counts = self.num.iter().zip(&self.den).zip(&self.old);
        weights.iter().zip(counts).map(|(weight, ((num, den), old))| num * weight.ln() - den * weight / old).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{model, stats, stats_of};

    fn mean_and_var(model: &AmDiagGmm) -> (f32, f32) {
        let gmm = &model.pdfs()[0];
        (gmm.means().row(0)[0], gmm.vars().row(0)[0])
    }

    fn means_and_vars() -> GmmFlags {
        GmmFlags::MEANS | GmmFlags::VARIANCES
    }

    #[test]
    fn a_mean_moves_away_from_the_denominator() {
        // Positive variances need 4 · 4 / 2 = 8 old frames at most, and twice as many are added.
        let (num, den) = (stats([8.0, 16.0, 48.0]), stats([4.0, 2.0, 7.0]));
        let options = EbwOptions { e: 4.0, tau: 0.0 };
        let found = num.estimate_ebw(&den, &model(1.0, 2.0), means_and_vars(), &options).unwrap();
        let mean = (16.0 + 14.0) / 20.0;
        let var = (16.0 * 3.0 + 41.0) / 20.0 - mean * mean;
        let (got_mean, got_var) = mean_and_var(&found.model);
        assert!((got_mean - mean).abs() < 1e-5 && (got_var - var).abs() < 1e-5, "{got_mean} {got_var}");
        assert_eq!((found.count, found.num_floored, found.unchanged.len()), (4.0, 0, 0));
        assert!(found.objective_change > 0.0);
        let mean_only = num.estimate_ebw(&den, &model(1.0, 2.0), GmmFlags::MEANS, &options).unwrap();
        assert_eq!(mean_and_var(&mean_only.model), (1.5, 2.0));
        let nothing = num.estimate_ebw(&den, &model(1.0, 2.0), GmmFlags::WEIGHTS, &options).unwrap();
        assert_eq!((nothing.model, nothing.count), (model(1.0, 2.0), 0.0));
    }

    #[test]
    fn differences_may_be_in_the_numerator() {
        let options = EbwOptions { e: 4.0, tau: 0.0 };
        let whole = stats([8.0, 16.0, 48.0]).estimate_ebw(
            &stats([4.0, 2.0, 7.0]),
            &model(1.0, 2.0),
            means_and_vars(),
            &options,
        );
        let counts = stats_of(GmmFlags::WEIGHTS, [4.0, 0.0, 0.0]);
        let found = stats([8.0, 14.0, 41.0]).estimate_ebw(&counts, &model(1.0, 2.0), means_and_vars(), &options);
        assert_eq!(found, whole);
        let other = stats_of(GmmFlags::MEANS, [4.0, 2.0, 0.0]);
        let refused = stats([8.0, 14.0, 41.0]).estimate_ebw(&other, &model(1.0, 2.0), means_and_vars(), &options);
        assert_eq!(refused.unwrap_err().to_string(), "pdf 0: expected statistics for the flags mvwt, got those for mw");
    }

    #[test]
    fn variances_stay_positive() {
        // Without old frames the variance would be negative.
        let (num, den) = (stats([4.0, 0.0, 1.0]), stats([2.0, 0.0, 40.0]));
        let found = num.estimate_ebw(&den, &model(0.0, 1.0), means_and_vars(), &EbwOptions::default()).unwrap();
        assert_eq!(found.num_floored, 1);
        assert!(mean_and_var(&found.model).1 > 0.0);
        // No number of old frames helps.
        let hopeless = stats([2.0, 0.0, 1e30]);
        let found = num.estimate_ebw(&hopeless, &model(0.0, 1.0), means_and_vars(), &EbwOptions::default()).unwrap();
        assert_eq!((found.unchanged, mean_and_var(&found.model)), (vec![(0, 0)], (0.0, 1.0)));
        let alone = num.estimate_ebw(&den, &model(0.0, 1.0), GmmFlags::VARIANCES, &EbwOptions::default());
        assert_eq!(alone.unwrap_err(), Error::VariancesAlone);
    }

    #[test]
    fn weights_follow_the_counts() {
        let gmm = |weights: [f32; 2]| {
            let (means, vars) = (kaldi_matrix::Matrix::new(2, 1), kaldi_matrix::Matrix::from_vec(2, 1, vec![1.0; 2]));
            DiagGmm::new(kaldi_matrix::Vector::from_vec(weights.to_vec()), means, vars).unwrap()
        };
        let model = AmDiagGmm::new(vec![gmm([0.5, 0.5])]).unwrap();
        let counts = |counts: [f64; 2]| {
            let mut stats = AccumDiagGmm::new(2, 1, GmmFlags::ALL);
            counts.iter().enumerate().for_each(|(gauss, &count)| stats.add_sums(gauss, count, &[0.0], &[0.0]));
            PdfStats { pdfs: vec![stats], log_like: 0.0, frames: 0.0 }
        };
        let options = EbwWeightOptions::default();
        let found = counts([30.0, 10.0]).estimate_ebw_weights(&counts([0.0, 0.0]), &model, &options).unwrap();
        assert_eq!(found.model.pdfs()[0].weights(), [0.75, 0.25]);
        assert_eq!((found.count, found.low_counts.len(), found.objective_change > 0.0), (40.0, 0, true));
        let few = counts([3.0, 1.0]).estimate_ebw_weights(&counts([2.0, 3.0]), &model, &options).unwrap();
        assert_eq!((few.low_counts, few.count, few.model), (vec![(0, 9.0)], 4.0, model.clone()));
        let smoothed = EbwWeightOptions { tau: 4.0, ..options };
        let found = counts([2.0, 0.0]).estimate_ebw_weights(&counts([0.0, 0.0]), &model, &smoothed).unwrap();
        assert!((found.model.pdfs()[0].weights()[0] - 4.0 / 6.0).abs() < 1e-6);
        let floored = counts([30.0, 0.0]).estimate_ebw_weights(&counts([0.0, 10.0]), &model, &options).unwrap();
        assert!((floored.model.pdfs()[0].weights()[1] - 1e-5).abs() < 1e-9);
        let none = AmDiagGmm::new(vec![gmm([1.0, 0.0])]).unwrap();
        let refused = counts([3.0, 9.0]).estimate_ebw_weights(&counts([0.0, 0.0]), &none, &options).unwrap_err();
        assert!(refused.to_string().starts_with("pdf 0: expected weights, means and variances"), "{refused}");
    }
}
