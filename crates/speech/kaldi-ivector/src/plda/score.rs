//! Scores of trials: how much more likely it is that two vectors are of one speaker than of two.

use std::collections::HashMap;
use std::sync::Arc;

use kaldi_matrix::{Matrix, Vector};

use super::Plda;
use crate::{Error, Result};

/// Scores vectors that [`Plda::transform`] has transformed.
///
/// The score is the logarithm of a ratio of two densities of the test vector, both Gaussian: the density given the
/// speaker's vector, and the density without it. Everything that does not depend on the trial is computed once for each
/// speaker and test vector.
#[derive(Clone, Debug)]
pub struct Scorer {
    psi: Vector<f64>,
    without: Density,
    given: HashMap<i32, Arc<Given>>,
}

/// A Gaussian with a diagonal covariance.
#[derive(Clone, Debug)]
struct Density {
    /// The inverse of the variance in each dimension.
    precision: Vec<f64>,
    log_det: f64,
}

/// The density of a test vector, given the average of this many vectors of the speaker.
#[derive(Clone, Debug)]
struct Given {
    /// The factor of the speaker's vector that gives the mean of the density.
    weight: Vec<f64>,
    density: Density,
}

/// A speaker whose vector is known.
#[derive(Clone, Debug)]
pub struct Enrolled {
    vector: Vector<f32>,
    given: Arc<Given>,
}

/// A vector to be compared with those of speakers.
#[derive(Clone, Debug)]
pub struct Trial {
    vector: Vector<f32>,
    /// The logarithm of its density without a speaker, except for a constant.
    log_density: f64,
}

impl Density {
    fn new(variance: impl Iterator<Item = f64> + Clone) -> Self {
        Self { log_det: variance.clone().map(f64::ln).sum(), precision: variance.map(|value| 1.0 / value).collect() }
    }
}

impl Given {
    fn new(psi: &[f64], num_examples: i32) -> Self {
        let num_examples = f64::from(num_examples);
        Self {
            weight: psi.iter().map(|psi| num_examples * psi / (num_examples * psi + 1.0)).collect(),
            density: Density::new(psi.iter().map(|psi| 1.0 + psi / (num_examples * psi + 1.0))),
        }
    }
}

impl Scorer {
    /// Prepares scoring with a model.
    pub fn new(plda: &Plda) -> Self {
        let without = Density::new(plda.psi().as_slice().iter().map(|psi| 1.0 + psi));
        Self { psi: plda.psi().clone(), without, given: HashMap::new() }
    }

    /// Prepares scoring against a speaker whose vector is the average of those of `num_examples` utterances.
    ///
    /// # Panics
    /// If the vector does not have the dimension of the model.
    pub fn enroll(&mut self, vector: Vector<f32>, num_examples: i32) -> Enrolled {
        assert_eq!(vector.dim(), self.psi.dim());
        let psi = self.psi.as_slice();
        let given = self.given.entry(num_examples).or_insert_with(|| Arc::new(Given::new(psi, num_examples)));
        Enrolled { vector, given: Arc::clone(given) }
    }

    /// Prepares scoring of a vector.
    ///
    /// # Panics
    /// If the vector does not have the dimension of the model.
    pub fn trial(&self, vector: Vector<f32>) -> Trial {
        assert_eq!(vector.dim(), self.psi.dim());
        let squares = vector.as_slice().iter().zip(&self.without.precision).map(|(&value, precision)| {
            let value = f64::from(value);
            value * value * precision
        });
        let log_density = -0.5 * (self.without.log_det + squares.sum::<f64>());
        Trial { vector, log_density }
    }

    /// Scores every row of `vectors`, each of one utterance, against every row: row `i` has the scores against vector `i`.
    ///
    /// # Errors
    /// If the vectors do not have the dimension of the model.
    pub fn score_pairs(&self, vectors: &Matrix<f32>) -> Result<Matrix<f32>> {
        let Given { weight, density } = Given::new(self.psi.as_slice(), 1);
        let dim = self.psi.dim();
        if vectors.num_cols() != dim {
            return Err(Error::Length { what: "elements of a vector", expected: dim, got: vectors.num_cols() });
        }
        let vectors: Matrix<f64> = vectors.to_precision();
        // The distance from the mean, expanded: its middle part is a product of matrices.
        let mut means = vectors.clone();
        let (mut of_mean, mut of_test) = (Vec::new(), Vec::new());
        for (mean, test) in means.rows_mut().zip(vectors.rows()) {
            let (mut mean_square, mut test_square, mut without) = (0.0, 0.0, 0.0);
            for index in 0..dim {
                let (precision, element) = (density.precision[index], test[index]);
                let speaker = weight[index] * element;
                mean[index] = speaker * precision;
                mean_square += speaker * speaker * precision;
                test_square += element * element * precision;
                without += element * element * self.without.precision[index];
            }
            of_mean.push(-0.5 * (density.log_det + mean_square));
            of_test.push(0.5 * (self.without.log_det + without - test_square));
        }
        let mut scores = means.multiply_transposed(&vectors).map_err(Error::matrix("scores"))?;
        for (row, of_mean) in scores.rows_mut().zip(of_mean) {
            row.iter_mut().zip(&of_test).for_each(|(score, of_test)| *score += of_mean + of_test);
        }
        Ok(scores.to_precision())
    }
}

impl Enrolled {
    /// Returns how much more likely the vector is of this speaker than of another one: the logarithm of the ratio of
    /// likelihoods (Kaldi's `LogLikelihoodRatio`).
    pub fn score(&self, trial: &Trial) -> f32 {
        let Given { weight, density } = &*self.given;
        let pairs = self.vector.as_slice().iter().zip(trial.vector.as_slice());
        let squares =
            pairs.zip(weight.iter().zip(&density.precision)).map(|((&speaker, &test), (weight, precision))| {
                let difference = f64::from(test) - weight * f64::from(speaker);
                difference * difference * precision
            });
        let log_density = -0.5 * (density.log_det + squares.sum::<f64>());
        (log_density - trial.log_density) as f32
    }
}

#[cfg(test)]
mod tests {
    use super::super::model::tests::model;
    use super::*;

    /// The logarithm of a Gaussian density.
    fn log_density(vector: &[f64], mean: &[f64], variance: &[f64]) -> f64 {
        let terms = vector.iter().zip(mean).zip(variance);
        terms.map(|((x, m), v)| -0.5 * ((std::f64::consts::TAU * v).ln() + (x - m) * (x - m) / v)).sum()
    }

    #[test]
    fn the_score_is_a_ratio_of_likelihoods() {
        let (plda, speaker, test) = (model(), [1.5, -0.5], [0.75, 1.0]);
        let psi = plda.psi().as_slice();
        let vector = |values: [f64; 2]| Vector::from_vec(values.map(|value| value as f32).to_vec());
        let mut scorer = Scorer::new(&plda);
        for num in [1, 3] {
            let n = f64::from(num);
            let mean: Vec<f64> = speaker.iter().zip(psi).map(|(u, psi)| n * psi / (n * psi + 1.0) * u).collect();
            let variance: Vec<f64> = psi.iter().map(|psi| 1.0 + psi / (n * psi + 1.0)).collect();
            let without: Vec<f64> = psi.iter().map(|psi| 1.0 + psi).collect();
            let expected = log_density(&test, &mean, &variance) - log_density(&test, &[0.0, 0.0], &without);
            let score = scorer.enroll(vector(speaker), num).score(&scorer.trial(vector(test)));
            assert!((f64::from(score) - expected).abs() < 1e-6, "{score} {expected}");
        }
    }

    #[test]
    fn all_pairs_are_scored_like_one_after_the_other() {
        let vectors = Matrix::from_vec(3, 2, vec![1.0_f32, 2.0, -0.5, 0.25, 3.0, -1.0]);
        let mut scorer = Scorer::new(&model());
        let scores = scorer.score_pairs(&vectors).unwrap();
        for (row, speaker) in scores.rows().zip(vectors.rows()) {
            let enrolled = scorer.enroll(Vector::from_vec(speaker.to_vec()), 1);
            for (score, test) in row.iter().zip(vectors.rows()) {
                let expected = enrolled.score(&scorer.trial(Vector::from_vec(test.to_vec())));
                assert!((score - expected).abs() < 1e-5, "{score} {expected}");
            }
        }
        assert!(scorer.score_pairs(&Matrix::new(2, 3)).is_err());
    }
}
