//! How likelihoods depend on the features.

use kaldi_matrix::Matrix;
use kaldi_value::Posterior;

use crate::{AcousticModel, Error, GmmFlags, GmmStats, PdfFrame, PdfStats, Result};

/// The derivatives of a sum of log likelihoods by the features of an utterance.
#[derive(Clone, Debug, PartialEq)]
pub struct FeatureDerivative {
    /// `num_frames × dim`: of the likelihoods themselves.
    pub direct: Matrix<f32>,
    /// `num_frames × dim`: through the statistics from which the model follows.
    pub indirect: Option<Matrix<f32>>,
    /// The log likelihoods of the frames, each times its weight.
    pub log_like: f64,
}

impl AcousticModel {
    /// Computes the derivatives by the features, with the weights of transition-ids (Kaldi's `ComputeAmGmmFeatureDeriv`).
    ///
    /// Indirect derivatives need those by the statistics ([`PdfStats::derivative`]), and only have positive weights: they are right
    /// for the objective function MMI, whose numerator has the statistics of the model. Sums are in double precision.
    ///
    /// # Errors
    /// If there are not as many posteriors as frames, a transition-id does not exist, the features have another dimension, a
    /// frame has no likelihood, or the derivatives are of another model.
    pub fn feature_derivative(
        &self,
        feats: &Matrix<f32>,
        posterior: &Posterior,
        by_stats: Option<&PdfStats>,
    ) -> Result<FeatureDerivative> {
        let (num_frames, dim) = feats.size();
        if posterior.0.len() != num_frames {
            return Err(Error::SelectionLength { expected: num_frames, got: posterior.0.len() });
        }
        if let Some(by_stats) = by_stats {
            self.check_derivative(by_stats)?;
        }
        let (mut direct, mut indirect, mut log_like) = (Vec::new(), Vec::new(), 0.0);
        let mut wanted = Vec::new();
        for (frame, ids) in posterior.0.iter().enumerate() {
            for &(transition_id, weight) in ids {
                let largest = self.transitions.num_transition_ids();
                let unknown = |_| Error::TransitionId { got: transition_id, largest };
                let pdf = self.transitions.pdf(transition_id).map_err(unknown)?;
                wanted.push(PdfFrame { frame, pdf, weight });
            }
        }
        let found = self.pdfs.posteriors(feats, &wanted).map_err(|(_, error)| error)?;
        let mut wanted = wanted.iter().zip(found.log_likelihoods()).enumerate().peekable();
        for (frame, values) in feats.rows().enumerate() {
            let (mut direct_sums, mut indirect_sums) = (vec![0.0; dim], vec![0.0; dim]);
            while let Some((place, (&PdfFrame { pdf, weight, .. }, like))) =
                wanted.next_if(|(_, (wanted, _))| wanted.frame == frame)
            {
                let gmm = &self.pdfs.pdfs()[pdf as usize];
                log_like += f64::from(weight * like);
                for (gauss, &share) in found.of(place).iter().enumerate() {
                    let share = f64::from(share);
                    let parts = gmm.means_invvars().row(gauss).iter().zip(gmm.inv_vars().row(gauss)).zip(values);
                    for (sum, ((&mean, &inv_var), &value)) in direct_sums.iter_mut().zip(parts) {
                        *sum += share * (f64::from(mean) - f64::from(value) * f64::from(inv_var));
                    }
                    if let Some(by_stats) = by_stats.filter(|_| weight > 0.0) {
                        let stats = &by_stats.pdfs()[pdf as usize];
                        let parts = stats.means().row(gauss).iter().zip(stats.squares().row(gauss)).zip(values);
                        for (sum, ((mean, square), &value)) in indirect_sums.iter_mut().zip(parts) {
                            *sum += share * (mean + 2.0 * f64::from(value) * square);
                        }
                    }
                }
            }
            direct.extend(direct_sums.into_iter().map(|sum| sum as f32));
            indirect.extend(indirect_sums.into_iter().map(|sum| sum as f32));
        }
        let matrix = |values| Matrix::from_vec(num_frames, dim, values);
        Ok(FeatureDerivative { direct: matrix(direct), indirect: by_stats.map(|_| matrix(indirect)), log_like })
    }

    /// Refuses derivatives by the statistics of another model.
    fn check_derivative(&self, by_stats: &PdfStats) -> Result<()> {
        by_stats.check_num_pdfs(self.pdfs.num_pdfs())?;
        for (pdf, (stats, gmm)) in by_stats.pdfs().iter().zip(self.pdfs.pdfs()).enumerate() {
            stats.check_fits(gmm, GmmFlags::MEANS | GmmFlags::VARIANCES).map_err(Error::in_pdf(pdf))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{model, stats};
    use kaldi_hmm::TransitionModel;
    use kaldi_value::{Cursor, Value};

    /// Transition-ids 1 and 2 of one pdf with a mean of 1 and a variance of 2.
    fn acoustic() -> AcousticModel {
        let text = "<TransitionModel> <Topology> <TopologyEntry> <ForPhones> 1 </ForPhones> <State> 0 <PdfClass> 0 <Transition> 0 \
                    0.5 <Transition> 1 0.5 </State> <State> 1 </State> </TopologyEntry> </Topology> <Triples> 1 1 0 0 </Triples> \
                    <LogProbs> [ 0 -0.5 -1 ]\n</LogProbs> </TransitionModel> ";
        let transitions = TransitionModel::read(&mut Cursor::new(text.as_bytes())).unwrap();
        AcousticModel { transitions, pdfs: model(1.0, 2.0) }
    }

    #[test]
    fn derivatives_are_direct_and_through_the_statistics() {
        let feats = Matrix::from_vec(2, 1, vec![3.0, 0.0]);
        let posterior = Posterior(vec![vec![(1, 2.0), (2, -0.5)], vec![]]);
        let plain = acoustic().feature_derivative(&feats, &posterior, None).unwrap();
        // (mean − value) / variance, times the weights.
        assert_eq!((plain.direct.as_slice(), plain.indirect), (&[-1.5, 0.0][..], None));
        let by_stats = stats([0.0, 0.25, 0.125]);
        let found = acoustic().feature_derivative(&feats, &posterior, Some(&by_stats)).unwrap();
        assert_eq!(found.direct, plain.direct);
        assert_eq!(found.indirect.unwrap().as_slice(), [2.0 * (0.25 + 2.0 * 3.0 * 0.125), 0.0]);
        let likelihood = -0.5 * ((2.0 * std::f64::consts::PI * 2.0).ln() + 4.0 / 2.0);
        assert!((found.log_like - 1.5 * likelihood).abs() < 1e-5);
    }

    #[test]
    fn what_does_not_fit_is_refused() {
        let feats = Matrix::from_vec(2, 1, vec![3.0, f32::NAN]);
        let refused = |posterior, by_stats: Option<&PdfStats>| {
            acoustic().feature_derivative(&feats, &Posterior(posterior), by_stats).unwrap_err()
        };
        assert_eq!(refused(vec![], None), Error::SelectionLength { expected: 2, got: 0 });
        assert_eq!(refused(vec![vec![(3, 1.0)], vec![]], None), Error::TransitionId { got: 3, largest: 2 });
        assert_eq!(refused(vec![vec![], vec![(1, 1.0)]], None), Error::Likelihood { frame: 1 });
        let other = PdfStats::new(&model(1.0, 1.0), 2, GmmFlags::ALL);
        assert!(refused(vec![vec![], vec![]], Some(&other)).to_string().starts_with("pdf 0: expected statistics of 1"));
    }
}
