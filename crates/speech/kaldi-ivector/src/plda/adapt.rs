//! Adaptation of models to vectors of unknown speakers.

use kaldi_matrix::{SymmetricMatrix, Vector};

use super::Plda;
use crate::squares::Squares;
use crate::{Error, Result};

/// The mean and the spread of vectors from another domain, whose speakers are unknown.
#[derive(Clone, Debug, Default)]
pub struct AdaptationStats {
    count: u64,
    sum: Vector<f64>,
    squares: Option<Squares>,
}

/// How a model is adapted.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct AdaptationOptions {
    /// How much the difference of the means adds to the spread of the new vectors.
    pub mean_diff_scale: f64,
    /// The share of the excess variance that goes to the covariance within speakers.
    pub within_covar_scale: f64,
    /// The share of the excess variance that goes to the covariance between speakers.
    pub between_covar_scale: f64,
}

impl AdaptationStats {
    /// Adds a vector; the first one determines the dimension.
    ///
    /// # Errors
    /// If it has another dimension.
    pub fn add(&mut self, vector: &Vector<f32>) -> Result<()> {
        let dim = vector.dim();
        let squares = self.squares.get_or_insert_with(|| Squares::new(dim));
        if squares.dim() != dim {
            return Err(Error::Length { what: "elements of a vector", expected: squares.dim(), got: dim });
        }
        squares.add(1.0, vector.as_slice().iter().map(|&value| f64::from(value)));
        self.sum.resize(dim);
        self.sum.add(vector).map_err(Error::matrix("the mean of vectors"))?;
        self.count += 1;
        Ok(())
    }

    /// Adapts a model: its mean becomes that of the vectors, and its covariances grow in the directions in which the
    /// vectors vary more than the model expects. Returns the variances in all directions relative to the model, the
    /// largest first (Kaldi's `PldaUnsupervisedAdaptor`).
    ///
    /// # Errors
    /// If there are no vectors or their dimension is not that of the model, the scale of the difference of the means is
    /// negative, or these scales do not give a covariance.
    pub fn adapt(self, plda: &Plda, options: &AdaptationOptions) -> Result<(Plda, Vector<f64>)> {
        let Self { count, sum, squares } = self;
        let Some(squares) = squares else {
            return Err(Error::Length { what: "vectors to adapt to at least", expected: 1, got: 0 });
        };
        if squares.dim() != plda.dim() {
            return Err(Error::Length { what: "elements of a vector", expected: plda.dim(), got: squares.dim() });
        }
        if options.mean_diff_scale.is_nan() || options.mean_diff_scale < 0.0 {
            return Err(Error::Option { name: "mean_diff_scale", expected: "0 or more", got: options.mean_diff_scale });
        }
        let mut mean = sum;
        mean.scale(1.0 / count as f64);
        let mut variance = squares.finish();
        variance.scale(1.0 / count as f64);
        let adapted = adapted_covariances(plda, &mean, variance, options);
        let (within, between, variances) = adapted.map_err(Error::matrix("the adapted covariances"))?;
        Ok((Plda::from_covariances(mean, &within, &between)?, variances))
    }
}

/// The covariances within and between speakers, and the variances in all directions, from the second moment of vectors.
fn adapted_covariances(
    plda: &Plda,
    mean: &Vector<f64>,
    mut variance: SymmetricMatrix,
    options: &AdaptationOptions,
) -> Result<(SymmetricMatrix, SymmetricMatrix, Vector<f64>), kaldi_matrix::Error> {
    variance.add_outer(-1.0, mean.as_slice())?;
    let mut difference = mean.clone();
    difference.add_scaled(-1.0, &plda.mean)?;
    variance.add_outer(options.mean_diff_scale, difference.as_slice())?;

    // The space in which the whole covariance of the model is the unit matrix.
    let mut whitening = plda.transform.clone();
    for (row, psi) in whitening.rows_mut().zip(plda.psi.as_slice()) {
        let scale = 1.0 / (1.0 + psi).sqrt();
        row.iter_mut().for_each(|element| *element *= scale);
    }
    let mut directions = variance.transformed(&whitening)?.eigen()?;
    directions.sort_by_abs();
    let covariance = |part: fn(f64) -> f64, scale: f64| {
        let diagonal: Vec<f64> = plda.psi.as_slice().iter().map(|&psi| part(psi)).collect();
        let mut covariance = SymmetricMatrix::from_diagonal(&diagonal).transformed(&directions.vectors)?;
        for (index, &value) in directions.values.as_slice().iter().enumerate() {
            covariance.lower_row_mut(index)[index] += scale * (value - 1.0).max(0.0);
        }
        Ok(covariance)
    };
    let within = covariance(|psi| 1.0 / (1.0 + psi), options.within_covar_scale)?;
    let between = covariance(|psi| psi / (1.0 + psi), options.between_covar_scale)?;
    let back = directions.vectors.multiply(&whitening)?.inverse()?;
    Ok((within.transformed(&back)?, between.transformed(&back)?, directions.values))
}

#[cfg(test)]
mod tests {
    use super::super::model::tests::{model, near};
    use super::*;

    const OPTIONS: AdaptationOptions =
        AdaptationOptions { mean_diff_scale: 1.0, within_covar_scale: 0.3, between_covar_scale: 0.7 };

    /// A model with variances 1 and 3 within and between speakers.
    fn one_dimension() -> Plda {
        let (within, between) = (SymmetricMatrix::identity(1), SymmetricMatrix::from_diagonal(&[3.0]));
        Plda::from_covariances(Vector::from_vec(vec![1.0]), &within, &between).unwrap()
    }

    fn stats(vectors: &[&[f32]]) -> AdaptationStats {
        let mut stats = AdaptationStats::default();
        for vector in vectors {
            stats.add(&Vector::from_vec(vector.to_vec())).unwrap();
        }
        stats
    }

    #[test]
    fn excess_variance_is_shared_out() {
        // Mean 3, variance 16, and 4 for the difference of the means: five times the expected 4.
        let stats = stats(&[&[-1.0], &[7.0]]);
        let (adapted, variances) = stats.clone().adapt(&one_dimension(), &OPTIONS).unwrap();
        near(variances.as_slice(), &[5.0]);
        near(adapted.mean.as_slice(), &[3.0]);
        let (within, between) = (1.0 + 0.3 * 16.0, 3.0 + 0.7 * 16.0);
        near(adapted.psi.as_slice(), &[between / within]);
        near(&[adapted.transform.row(0)[0].abs()], &[1.0 / f64::sqrt(within)]);
        let (adapted, _) =
            stats.adapt(&one_dimension(), &AdaptationOptions { mean_diff_scale: 0.0, ..OPTIONS }).unwrap();
        near(adapted.psi.as_slice(), &[(3.0 + 0.7 * 12.0) / (1.0 + 0.3 * 12.0)]);
    }

    #[test]
    fn less_variance_changes_nothing_but_the_mean() {
        let (adapted, variances) =
            stats(&[&[1.0, -1.0], &[1.01, -1.0], &[1.0, -1.01]]).adapt(&model(), &OPTIONS).unwrap();
        assert!(variances.as_slice().iter().all(|&variance| variance < 1.0));
        near(adapted.psi.as_slice(), model().psi.as_slice());
    }

    #[test]
    fn what_cannot_be_adapted_to_is_refused() {
        let refused = |stats: AdaptationStats, options| stats.adapt(&model(), &options).unwrap_err().to_string();
        assert_eq!(refused(stats(&[]), OPTIONS), "expected 1 vectors to adapt to at least, got 0");
        assert_eq!(refused(stats(&[&[1.0]]), OPTIONS), "expected 2 elements of a vector, got 1");
        let options = AdaptationOptions { mean_diff_scale: -1.0, ..OPTIONS };
        assert_eq!(refused(stats(&[&[1.0, 2.0]]), options), "expected `mean_diff_scale` to be 0 or more, got -1");
        let options = AdaptationOptions { within_covar_scale: -9.0, ..OPTIONS };
        assert!(refused(stats(&[&[1.0, 20.0]]), options).contains("covariance within speakers"));
        let options = AdaptationOptions { between_covar_scale: -9.0, ..OPTIONS };
        assert!(refused(stats(&[&[1.0, 20.0]]), options).contains("covariance between speakers"));
        assert!(refused(stats(&[&[1.0, f32::NAN]]), OPTIONS).contains("finite"));
        let mut stats = stats(&[&[1.0, 2.0]]);
        assert!(stats.add(&Vector::new(3)).is_err());
    }
}
