//! Training of classifiers.

use kaldi_gmm::GaussianTargets;
use kaldi_matrix::{Matrix, Vector};
use kaldi_value::random::{Random, RandomState};

use super::LogisticRegression;
use super::lbfgs::Lbfgs;
use crate::{Error, Result};

/// The smallest probability of a vector's own class.
const LEAST_PROBABILITY: f64 = 1.0e-20;

/// The deviation of the weights of a new component from those of the component that was split.
const NOISE: f32 = 1.0e-5;

/// Trains a classifier step by step: finds the weights that make the classes of known vectors most likely.
///
/// The objective is the average logarithm of the posterior of each vector's class, minus half the normalizer times the
/// sum of the squares of all weights. Follows Kaldi's `LogisticRegression::Train`, in double precision.
#[derive(Clone, Debug)]
pub struct Trainer {
    /// `num_vectors × (dim + 1)`, with a 1 at the end of each.
    vectors: Matrix<f64>,
    /// The class of each vector.
    labels: Vec<usize>,
    num_classes: usize,
    normalizer: f64,
    /// The class of each component.
    classes: Vec<usize>,
    optimizer: Lbfgs,
}

impl Trainer {
    /// Takes vectors and the class of each, counted from 0; all weights are zero at first.
    ///
    /// # Errors
    /// If there are no vectors or not as many classes, vectors have different dimensions or are not finite, or a class
    /// is negative or so large that the classes before it cannot all have vectors.
    pub fn new<'a>(
        vectors: impl IntoIterator<Item = &'a Vector<f32>>,
        labels: &[i32],
        normalizer: f64,
    ) -> Result<Self> {
        let (mut num_vectors, mut dim, mut elements) = (0, 0, Vec::new());
        for vector in vectors {
            if num_vectors == 0 {
                dim = vector.dim();
            }
            if vector.dim() != dim {
                return Err(Error::Length { what: "elements of a vector", expected: dim, got: vector.dim() });
            }
            if !vector.as_slice().iter().all(|value| value.is_finite()) {
                let source = kaldi_matrix::Error::NotFinite;
                return Err(Error::Matrix { what: "the classes of vectors", source });
            }
            elements.extend(vector.as_slice().iter().map(|&value| f64::from(value)));
            elements.push(1.0);
            num_vectors += 1;
        }
        if num_vectors == 0 {
            return Err(Error::Length { what: "vectors at least", expected: 1, got: 0 });
        }
        if labels.len() != num_vectors {
            return Err(Error::Length { what: "classes of vectors", expected: num_vectors, got: labels.len() });
        }
        let class = |&label: &i32| {
            let class = usize::try_from(label).ok().filter(|&class| class < num_vectors);
            class.ok_or(Error::Class { num_classes: num_vectors, got: label })
        };
        let labels = labels.iter().map(class).collect::<Result<Vec<_>>>()?;
        let num_classes = labels.iter().max().map_or(0, |last| last + 1);
        Ok(Self {
            vectors: Matrix::from_vec(num_vectors, dim + 1, elements),
            labels,
            num_classes,
            // Kaldi's is in single precision.
            normalizer: f64::from(normalizer as f32),
            classes: (0..num_classes).collect(),
            optimizer: Lbfgs::new(vec![0.0; num_classes * (dim + 1)]),
        })
    }

    /// The number of vectors of each class.
    pub fn sizes(&self) -> Vec<usize> {
        let mut sizes = vec![0; self.num_classes];
        self.labels.iter().for_each(|&label| sizes[label] += 1);
        sizes
    }

    /// Improves the weights by one step; returns the objective before it, which grows in most steps.
    ///
    /// # Errors
    /// If the products of matrices cannot be computed.
    pub fn step(&mut self) -> Result<f64> {
        let (objective, gradient) = self.objective().map_err(Error::matrix("the objective"))?;
        // The optimizer minimizes.
        self.optimizer.step(-objective, gradient);
        Ok(objective)
    }

    /// The negated objective at the proposed weights, and its gradient.
    fn objective(&self) -> Result<(f64, Vec<f64>), kaldi_matrix::Error> {
        let weights = self.weights(self.optimizer.proposal());
        let mut posteriors = self.vectors.multiply_transposed(&weights)?;
        posteriors.apply_softmax_per_row();
        let mut sum = 0.0;
        // After this, each row says how much of its vector to subtract from the weights of each component.
        for (row, &label) in posteriors.rows_mut().zip(&self.labels) {
            let own = row.iter().zip(&self.classes).filter(|(_, class)| **class == label);
            let probability = own.map(|(posterior, _)| posterior).sum::<f64>().max(LEAST_PROBABILITY);
            sum += probability.ln();
            for (posterior, _) in row.iter_mut().zip(&self.classes).filter(|(_, class)| **class == label) {
                *posterior -= *posterior / probability;
            }
        }
        let num_vectors = self.labels.len() as f64;
        let mut gradient = posteriors.transpose().multiply(&self.vectors)?;
        gradient.scale(1.0 / num_vectors);
        gradient.add_scaled(self.normalizer, &weights)?;
        let squares: f64 = weights.as_slice().iter().map(|weight| weight * weight).sum();
        Ok((sum / num_vectors - 0.5 * self.normalizer * squares, gradient.into_vec()))
    }

    /// Splits components until there are `num_components` of them, or as many as there are vectors for, and starts
    /// again from the best weights so far; returns the new number of components. New components get weights with a
    /// little noise from `random`, as in Kaldi.
    pub fn split(&mut self, num_components: usize, power: f64, random: &mut Random) -> usize {
        let target = i32::try_from(num_components).unwrap_or(i32::MAX);
        let sizes: Vec<f32> = self.sizes().into_iter().map(|size| size as f32).collect();
        let (shares, _) = GaussianTargets { target, power: power as f32, min_count: 1.0 }.of_pdfs(&sizes);
        let num_cols = self.vectors.num_cols();
        let mut weights = self.weights(self.optimizer.best()).to_precision::<f32>().into_vec();
        let mut noise = vec![0.0; num_cols];
        for (class, &share) in shares.iter().enumerate() {
            for _ in 1..share {
                RandomState::new(random).fill_gauss(&mut noise);
                let split = weights[class * num_cols..][..num_cols].iter().zip(&noise);
                let split: Vec<f32> = split.map(|(weight, noise)| weight + NOISE * noise).collect();
                weights.extend(split);
                self.classes.push(class);
            }
        }
        self.optimizer = Lbfgs::new(weights.into_iter().map(f64::from).collect());
        self.classes.len()
    }

    /// Makes the classifier with the best weights of all steps.
    ///
    /// # Errors
    /// If the vectors have no elements.
    pub fn finish(self) -> Result<LogisticRegression> {
        let weights = self.weights(self.optimizer.best());
        LogisticRegression::new(weights.to_precision(), self.classes)
    }

    fn weights(&self, elements: &[f64]) -> Matrix<f64> {
        Matrix::from_vec(self.classes.len(), self.vectors.num_cols(), elements.to_vec())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn trainer(points: &[(f32, i32)], normalizer: f64) -> Trainer {
        let vectors: Vec<_> = points.iter().map(|&(x, _)| Vector::from_vec(vec![x])).collect();
        let labels: Vec<i32> = points.iter().map(|&(_, label)| label).collect();
        Trainer::new(&vectors, &labels, normalizer).unwrap()
    }

    const POINTS: [(f32, i32); 8] =
        [(-2.0, 0), (-1.0, 0), (-1.5, 0), (1.0, 1), (2.0, 1), (0.5, 0), (-0.5, 1), (3.0, 1)];

    #[test]
    fn the_gradient_is_that_of_the_objective() {
        let mut trainer = trainer(&POINTS, 0.1);
        trainer.split(5, 0.15, &mut Random::default());
        for _ in 0..3 {
            trainer.step().unwrap();
        }
        let (objective, gradient) = trainer.objective().unwrap();
        let place = trainer.optimizer.proposal().to_vec();
        for (index, slope) in gradient.iter().enumerate() {
            let mut moved = place.clone();
            moved[index] += 1e-6;
            let moved = Trainer { optimizer: Lbfgs::new(moved), ..trainer.clone() };
            let measured = (objective - moved.objective().unwrap().0) / 1e-6;
            assert!((measured - slope).abs() < 1e-5, "{index}: {measured} {slope}");
        }
    }

    #[test]
    fn training_converges_to_where_the_gradient_is_zero() {
        let mut trainer = trainer(&POINTS, 0.05);
        let first = trainer.step().unwrap();
        assert!((first - 0.5_f64.ln()).abs() < 1e-12, "{first}");
        let last = (0..60).map(|_| trainer.step().unwrap()).last().unwrap();
        assert!(last > first);
        let best = trainer.optimizer.best().to_vec();
        let at_best = Trainer { optimizer: Lbfgs::new(best), ..trainer.clone() };
        assert!(at_best.objective().unwrap().1.iter().all(|slope| slope.abs() < 1e-7));
        let model = trainer.finish().unwrap();
        let likely = |x: f32| model.log_posteriors(&Vector::from_vec(vec![x])).unwrap().as_slice()[1] > 0.5_f32.ln();
        assert!(likely(2.5) && !likely(-2.5));
    }

    #[test]
    fn components_are_split_off_with_their_class() {
        let mut trainer = trainer(&POINTS, 0.01);
        for _ in 0..20 {
            trainer.step().unwrap();
        }
        let before = trainer.clone().finish().unwrap();
        assert_eq!(trainer.split(4, 0.15, &mut Random::default()), 4);
        let after = trainer.clone().finish().unwrap();
        assert_eq!(after.classes, [0, 1, 0, 1]);
        assert_eq!(after.weights.row(0), before.weights.row(0));
        assert!(after.weights.row(2).iter().zip(before.weights.row(0)).all(|(a, b)| (a - b).abs() < 1e-4));
        assert_ne!(after.weights.row(2), before.weights.row(0));
        assert_eq!(trainer.split(100, 0.15, &mut Random::default()), 8);
    }

    #[test]
    fn what_cannot_be_trained_on_is_refused() {
        let refused =
            |vectors: Vec<Vector<f32>>, labels: &[i32]| Trainer::new(&vectors, labels, 0.1).unwrap_err().to_string();
        let two = || vec![Vector::new(1), Vector::new(1)];
        assert_eq!(refused(vec![], &[]), "expected 1 vectors at least, got 0");
        assert_eq!(refused(two(), &[0]), "expected 2 classes of vectors, got 1");
        assert_eq!(refused(two(), &[0, 2]), "expected a class below 2, got 2");
        assert_eq!(refused(two(), &[0, -1]), "expected a class below 2, got -1");
        assert_eq!(refused(vec![Vector::new(1), Vector::new(2)], &[0, 1]), "expected 1 elements of a vector, got 2");
        let nan = vec![Vector::from_vec(vec![f32::NAN])];
        assert!(refused(nan, &[0]).starts_with("cannot compute the classes of vectors: expected finite numbers"));
        assert_eq!(trainer(&[(0.0, 0), (1.0, 2), (2.0, 2)], 0.1).sizes(), [1, 0, 2]);
    }
}
