//! Mixtures as means and variances, in double precision.

use kaldi_matrix::{Matrix, Vector};

use crate::{DiagGmm, GmmFlags, Mixture, Result};

/// The weights, means and variances of a mixture (Kaldi's `DiagGmmNormal`): what estimates compute with.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct NormalGmm {
    pub(crate) weights: Vec<f64>,
    /// A row for each Gaussian.
    pub(crate) means: Matrix<f64>,
    /// A row for each Gaussian.
    pub(crate) vars: Matrix<f64>,
}

impl NormalGmm {
    pub(crate) fn of(gmm: &DiagGmm) -> Self {
        let mut vars = gmm.inv_vars().to_precision::<f64>();
        vars.apply(|inv_var| 1.0 / inv_var);
        let mut means = gmm.means_invvars().to_precision::<f64>();
        means.as_mut_slice().iter_mut().zip(vars.as_slice()).for_each(|(mean, var)| *mean *= var);
        Self { weights: gmm.weights().iter().map(|&weight| f64::from(weight)).collect(), means, vars }
    }

    /// The mixture with the parameters in `flags` from here, and the others from `old`.
    ///
    /// # Errors
    /// If the result is no mixture.
    pub(crate) fn to_gmm(&self, old: &DiagGmm, flags: GmmFlags) -> Result<DiagGmm> {
        let weights = match flags.contains(GmmFlags::WEIGHTS) {
            true => self.weights.iter().map(|&weight| weight as f32).collect(),
            false => old.weights().to_vec(),
        };
        let (mut inv_vars, mut means_invvars) = (old.inv_vars().clone(), old.means_invvars().clone());
        if flags.contains(GmmFlags::VARIANCES) {
            let vars = self.vars.as_slice();
            inv_vars.as_mut_slice().iter_mut().zip(vars).for_each(|(inv_var, &var)| *inv_var = 1.0 / var as f32);
        }
        if flags.contains(GmmFlags::MEANS) || flags.contains(GmmFlags::VARIANCES) {
            let means = match flags.contains(GmmFlags::MEANS) {
                true => self.means.clone(),
                false => Self::of(old).means,
            };
            let values = means.as_slice().iter().zip(inv_vars.as_slice());
            means_invvars
                .as_mut_slice()
                .iter_mut()
                .zip(values)
                .for_each(|(out, (&mean, inv_var))| *out = mean as f32 * inv_var);
        }
        DiagGmm::new(Vector::from_vec(weights), means_invvars, inv_vars)
    }
}
