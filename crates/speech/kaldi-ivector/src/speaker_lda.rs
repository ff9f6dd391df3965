//! Linear discriminant analysis of speaker vectors.

use kaldi_matrix::{Matrix, SymmetricMatrix, Vector};

use crate::squares::Squares;
use crate::{Error, Result};

/// Sums of the vectors of each speaker, and of the squares of all.
#[derive(Clone, Debug, Default)]
pub struct SpeakerStats {
    num_utts: usize,
    squares: Option<Squares>,
    /// The number of vectors of each speaker, and their sum.
    speakers: Vec<(f64, Vector<f64>)>,
}

/// The options of the transform.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SpeakerLdaOptions {
    /// The number of dimensions kept.
    pub dim: i32,
    /// The share of the covariance of all vectors in the one that becomes the unit matrix; the rest is the covariance
    /// within speakers.
    pub total_covariance_factor: f32,
    /// The smallest variance in the covariance that becomes the unit matrix, compared with the largest one.
    pub covariance_floor: f32,
}

/// A transform that keeps the directions in which speakers differ most, and makes the mean zero.
#[derive(Clone, Debug, PartialEq)]
pub struct SpeakerLda {
    /// `dim × (dim of the vectors + 1)`: the last column is an offset.
    pub transform: Matrix<f32>,
    /// The variance between speakers in each direction, the largest first, including directions that are dropped.
    pub singular_values: Vector<f64>,
    /// How many variances were smaller than the floor, and the floor.
    pub floored: Option<(usize, f64)>,
}

impl SpeakerLdaOptions {
    /// Checks the options as far as possible without vectors.
    ///
    /// # Errors
    /// If the floor is negative.
    pub fn check(&self) -> Result<()> {
        if self.covariance_floor.is_nan() || self.covariance_floor < 0.0 {
            let got = f64::from(self.covariance_floor);
            return Err(Error::Option { name: "covariance_floor", expected: "0 or more", got });
        }
        Ok(())
    }
}

impl SpeakerStats {
    /// Adds a vector of a speaker. Speakers are numbered from 0 in the order in which they come. The first vector
    /// determines the dimension.
    ///
    /// # Errors
    /// If the vector has another dimension.
    pub fn add(&mut self, speaker: usize, vector: &Vector<f32>) -> Result<()> {
        let dim = vector.dim();
        let squares = self.squares.get_or_insert_with(|| Squares::new(dim));
        if squares.dim() != dim {
            return Err(Error::Length { what: "elements of a vector", expected: squares.dim(), got: dim });
        }
        squares.add(1.0, vector.as_slice().iter().map(|&value| f64::from(value)));
        while self.speakers.len() <= speaker {
            self.speakers.push((0.0, Vector::new(dim)));
        }
        let (count, sum) = &mut self.speakers[speaker];
        *count += 1.0;
        sum.add(vector).map_err(Error::matrix("the mean of a speaker"))?;
        self.num_utts += 1;
        Ok(())
    }

    /// The number of vectors.
    pub fn num_utts(&self) -> usize {
        self.num_utts
    }

    /// The number of speakers.
    pub fn num_speakers(&self) -> usize {
        self.speakers.len()
    }

    /// The mean of all vectors.
    pub fn mean(&self) -> Vector<f64> {
        let dim = self.squares.as_ref().map_or(0, Squares::dim);
        let mut mean = vec![0.0; dim];
        for (_, sum) in &self.speakers {
            mean.iter_mut().zip(sum.as_slice()).for_each(|(mean, sum)| *mean += sum / self.num_utts as f64);
        }
        Vector::from_vec(mean)
    }

    /// Computes the transform (Kaldi's `ivector-compute-lda`).
    ///
    /// # Errors
    /// If there are fewer vectors than dimensions, fewer dimensions than should be kept, no speaker with several
    /// vectors, or no variance.
    pub fn lda(self, options: &SpeakerLdaOptions) -> Result<SpeakerLda> {
        options.check()?;
        let mean = self.mean();
        let vector_dim = mean.dim();
        let dim = match usize::try_from(options.dim) {
            Ok(dim) if (1..=vector_dim).contains(&dim) => dim,
            _ => {
                let expected = "from 1 to the dimension of the vectors";
                return Err(Error::Option { name: "dim", expected, got: f64::from(options.dim) });
            }
        };
        if self.num_utts == self.speakers.len() {
            return Err(Error::NoRepetition);
        }
        if self.num_utts < vector_dim {
            let what = "vectors at least, one for each dimension";
            return Err(Error::Length { what, expected: vector_dim, got: self.num_utts });
        }
        let (normalized, between) =
            self.covariances(&mean, options).map_err(Error::matrix("the covariances of vectors"))?;
        let (whitening, floored) = whitening(&normalized, f64::from(options.covariance_floor))?;
        let directions = between.transformed(&whitening).and_then(|whitened| whitened.eigen());
        let mut directions = directions.map_err(Error::matrix("the directions in which speakers differ"))?;
        directions.sort();
        let kept = directions.vectors.range(0..dim, 0..vector_dim);
        let mut transform = kept.multiply(&whitening).map_err(Error::matrix("the transform"))?;
        transform.resize(dim, vector_dim + 1);
        for row in transform.rows_mut() {
            row[vector_dim] = -row.iter().zip(mean.as_slice()).map(|(element, mean)| element * mean).sum::<f64>();
        }
        Ok(SpeakerLda { transform: transform.to_precision(), singular_values: directions.values, floored })
    }

    /// The covariance that becomes the unit matrix, and that between speakers.
    fn covariances(
        self,
        mean: &Vector<f64>,
        options: &SpeakerLdaOptions,
    ) -> Result<(SymmetricMatrix, SymmetricMatrix), kaldi_matrix::Error> {
        let num_utts = self.num_utts as f64;
        let mut total = self.squares.map(Squares::finish).unwrap_or_default();
        total.scale(1.0 / num_utts);
        total.add_outer(-1.0, mean.as_slice())?;
        let mut between = Squares::new(mean.dim());
        for (count, sum) in &self.speakers {
            let difference = sum.as_slice().iter().zip(mean.as_slice()).map(|(sum, mean)| sum / count - mean);
            between.add(count / num_utts, difference);
        }
        let between = between.finish();
        // The variance that is not between speakers is within them.
        let mut normalized = total;
        normalized.add_scaled(f64::from(options.total_covariance_factor) - 1.0, &between)?;
        Ok((normalized, between))
    }
}

/// How many eigenvalues were raised, and to what.
type Floored = (usize, f64);

/// The transform that makes a covariance the unit matrix, with small variances raised to `floor` times the largest one;
/// also how many were raised, and to what.
fn whitening(covariance: &SymmetricMatrix, floor: f64) -> Result<(Matrix<f64>, Option<Floored>)> {
    let what = "the transform that makes the covariance of vectors the unit matrix";
    let mut directions = covariance.eigen().map_err(Error::matrix(what))?;
    directions.sort_by_abs();
    let variances = directions.values.as_slice();
    let floor = floor * variances.first().copied().unwrap_or(0.0);
    let num_floored = variances.iter().filter(|&&variance| variance < floor).count();
    for (row, &variance) in directions.vectors.rows_mut().zip(variances) {
        let variance = variance.max(floor);
        if variance <= 0.0 {
            return Err(Error::Matrix { what, source: kaldi_matrix::Error::NotPositiveDefinite });
        }
        row.iter_mut().for_each(|element| *element /= variance.sqrt());
    }
    Ok((directions.vectors, (num_floored > 0).then_some((num_floored, floor))))
}

#[cfg(test)]
mod tests {
    use super::*;

    const OPTIONS: SpeakerLdaOptions =
        SpeakerLdaOptions { dim: 1, total_covariance_factor: 0.0, covariance_floor: 1e-6 };

    fn stats(vectors: &[(usize, [f32; 2])]) -> SpeakerStats {
        let mut stats = SpeakerStats::default();
        for (speaker, vector) in vectors {
            stats.add(*speaker, &Vector::from_vec(vector.to_vec())).unwrap();
        }
        stats
    }

    /// Mean (1, 2); within speakers, variances 1 and 4; between them, 9 in the first dimension.
    fn two_speakers() -> SpeakerStats {
        stats(&[
            (0, [-3.0, 4.0]),
            (0, [-1.0, 0.0]),
            (1, [5.0, 4.0]),
            (1, [3.0, 0.0]),
            (0, [-3.0, 0.0]),
            (0, [-1.0, 4.0]),
            (1, [3.0, 4.0]),
            (1, [5.0, 0.0]),
        ])
    }

    #[track_caller]
    fn near(left: &[f32], right: &[f32]) {
        let near = |(a, b): (&f32, &f32)| (a - b).abs() < 1e-5;
        assert!(left.len() == right.len() && left.iter().zip(right).all(near), "{left:?} {right:?}");
    }

    #[test]
    fn the_covariance_within_speakers_or_of_all_becomes_unit() {
        let stats = two_speakers();
        assert_eq!((stats.num_utts(), stats.num_speakers(), stats.mean().as_slice()), (8, 2, &[1.0, 2.0][..]));
        let lda = stats.lda(&SpeakerLdaOptions { dim: 2, ..OPTIONS }).unwrap();
        near(&lda.singular_values.to_precision().into_vec(), &[9.0, 0.0]);
        let signs = [lda.transform.row(0)[0].signum(), lda.transform.row(1)[1].signum()];
        near(lda.transform.row(0), &[signs[0], 0.0, -signs[0]]);
        near(lda.transform.row(1), &[0.0, 0.5 * signs[1], -signs[1]]);
        for (factor, variance) in [(1.0, 10.0), (0.5, 5.5)] {
            let lda = two_speakers().lda(&SpeakerLdaOptions { total_covariance_factor: factor, ..OPTIONS }).unwrap();
            near(&lda.singular_values.to_precision().into_vec(), &[9.0 / variance, 0.0]);
            assert_eq!(lda.transform.size(), (1, 3));
            near(&[lda.transform.row(0)[0].abs()], &[1.0 / variance.sqrt()]);
        }
    }

    #[test]
    fn small_variances_are_raised() {
        let lda = two_speakers().lda(&SpeakerLdaOptions { covariance_floor: 0.5, ..OPTIONS }).unwrap();
        assert_eq!(lda.floored.map(|(count, floor)| (count, floor.round())), Some((1, 2.0)));
        near(&lda.singular_values.to_precision().into_vec(), &[4.5, 0.0]);
    }

    #[test]
    fn what_has_no_transform_is_refused() {
        let message = |stats: SpeakerStats, options| stats.lda(&options).unwrap_err().to_string();
        for dim in [0, 3, -1] {
            let message = message(two_speakers(), SpeakerLdaOptions { dim, ..OPTIONS });
            assert!(message.starts_with("expected `dim` to be from 1 to the dimension of the vectors"), "{message}");
        }
        let options = SpeakerLdaOptions { covariance_floor: -1.0, ..OPTIONS };
        assert_eq!(message(two_speakers(), options), "expected `covariance_floor` to be 0 or more, got -1");
        let single = stats(&[(0, [1.0, 2.0]), (1, [3.0, 4.0])]);
        assert_eq!(message(single, OPTIONS), "expected a speaker with several vectors, got none");
        let mut few = SpeakerStats::default();
        (0..2).for_each(|_| few.add(0, &Vector::new(3)).unwrap());
        assert_eq!(message(few, OPTIONS), "expected 3 vectors at least, one for each dimension, got 2");
        let same = stats(&[(0, [1.0, 2.0]), (0, [1.0, 2.0]), (1, [3.0, 4.0]), (1, [3.0, 4.0])]);
        assert!(message(same, OPTIONS).contains("positive definite"));
        let nan = stats(&[(0, [1.0, f32::NAN]), (0, [1.0, 2.0])]);
        assert!(message(nan, OPTIONS).contains("NaN"));
        assert!(message(SpeakerStats::default(), OPTIONS).starts_with("expected `dim`"));
        assert!(two_speakers().add(0, &Vector::new(3)).is_err());
    }
}
