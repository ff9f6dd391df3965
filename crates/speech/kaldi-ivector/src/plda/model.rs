//! Models of speaker vectors.

use kaldi_io::ParseError;
use kaldi_matrix::{Matrix, SymmetricMatrix, Vector};
use kaldi_value::{Cursor, Format, KaldiObject, write_token};

use crate::{Error, Result};

/// A negative eigenvalue of a covariance counts as zero if it is this small, compared with the largest one.
const ROUNDING: f64 = 1.0e-6;

/// A model of speaker vectors: each is the sum of a mean, a part of its speaker, and a part that differs from utterance
/// to utterance; both parts are normally distributed.
///
/// Follows Sergey Ioffe, "Probabilistic Linear Discriminant Analysis", ECCV 2006, as Kaldi's `Plda` does. A file has the
/// mean, a transform that makes the covariance within speakers the unit matrix and that between speakers diagonal, and
/// this diagonal. As text, in one dimension:
///
/// ```text
/// <Plda>  [ 0.5 ]
///  [
///   2 ]
///  [ 1.25 ]
/// </Plda>
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Plda {
    pub(super) mean: Vector<f64>,
    /// `dim × dim`.
    pub(super) transform: Matrix<f64>,
    /// The diagonal of the covariance between speakers after the transform.
    pub(super) psi: Vector<f64>,
    /// The transformed mean, negated.
    offset: Vector<f64>,
}

/// How vectors get the same length before they are scored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[non_exhaustive]
pub struct LengthNormalization {
    /// Normalize the length of vectors
    #[cfg_attr(feature = "cli", arg(long, default_value_t = LengthNormalization::default().normalize_length))]
    pub normalize_length: bool,
    /// Normalize the length to the square root of the dimension, instead of what the model expects for the number of
    /// utterances
    #[cfg_attr(feature = "cli", arg(long, default_value_t = LengthNormalization::default().simple_length_normalization))]
    pub simple_length_normalization: bool,
}

impl Default for LengthNormalization {
    fn default() -> Self {
        Self { normalize_length: true, simple_length_normalization: false }
    }
}

impl Plda {
    /// Makes a model from a mean and the covariances within and between speakers.
    ///
    /// # Errors
    /// If the sizes differ, the covariance within speakers is not positive definite, or that between speakers has
    /// negative eigenvalues.
    pub fn from_covariances(mean: Vector<f64>, within: &SymmetricMatrix, between: &SymmetricMatrix) -> Result<Self> {
        let cholesky = within.cholesky().map_err(Error::matrix("the square root of the covariance within speakers"))?;
        let whitening = cholesky.inverse_factor();
        let directions = between.transformed(&whitening).and_then(|whitened| whitened.eigen());
        let mut directions = directions.map_err(Error::matrix("the directions in which speakers differ"))?;
        directions.sort_by_abs();
        let mut psi = directions.values;
        let largest = psi.max().unwrap_or(0.0);
        for value in psi.as_mut_slice().iter_mut().filter(|value| **value < 0.0) {
            if -*value > ROUNDING * largest {
                let source = kaldi_matrix::Error::NotPositiveDefinite;
                return Err(Error::Matrix { what: "the covariance between speakers", source });
            }
            *value = 0.0;
        }
        let transform = directions.vectors.multiply(&whitening).map_err(Error::matrix("the transform"))?;
        Self::new(mean, transform, psi)
    }

    fn new(mean: Vector<f64>, transform: Matrix<f64>, psi: Vector<f64>) -> Result<Self> {
        let dim = mean.dim();
        let expect = |what, got| match got == dim {
            true => Ok(()),
            false => Err(Error::Length { what, expected: dim, got }),
        };
        if dim == 0 {
            return Err(Error::Length { what: "dimensions of the model at least", expected: 1, got: 0 });
        }
        expect("rows of the transform", transform.num_rows())?;
        expect("columns of the transform", transform.num_cols())?;
        expect("variances between speakers", psi.dim())?;
        let mut offset = mean.transformed(&transform).map_err(Error::matrix("the offset"))?;
        offset.scale(-1.0);
        Ok(Self { mean, transform, psi, offset })
    }

    /// The dimension of the vectors.
    pub fn dim(&self) -> usize {
        self.mean.dim()
    }

    /// The mean of the vectors.
    pub fn mean(&self) -> &Vector<f64> {
        &self.mean
    }

    /// The transform, `dim × dim`, after which the covariance within speakers is the unit matrix and that between speakers is
    /// diagonal.
    pub fn transform_matrix(&self) -> &Matrix<f64> {
        &self.transform
    }

    /// The variance between speakers in each direction, compared with that within them; the largest first.
    pub fn psi(&self) -> &Vector<f64> {
        &self.psi
    }

    /// Adds `factor` times the covariance between speakers to that within them, which compensates for too few
    /// utterances (Kaldi's `SmoothWithinClassCovariance`).
    ///
    /// # Errors
    /// If the factor does not lie between 0 and 1.
    pub fn smooth(&mut self, factor: f64) -> Result<()> {
        if !(0.0..=1.0).contains(&factor) {
            return Err(Error::Option { name: "smoothing", expected: "a number from 0 to 1", got: factor });
        }
        for (row, psi) in self.transform.rows_mut().zip(self.psi.as_mut_slice()) {
            let within = 1.0 + factor * *psi;
            *psi /= within;
            row.iter_mut().for_each(|element| *element /= within.sqrt());
        }
        *self = Self::new(self.mean.clone(), self.transform.clone(), self.psi.clone())?;
        Ok(())
    }

    /// The model for vectors that are first transformed by a matrix, which may have fewer rows than columns (Kaldi's
    /// `ApplyTransform`).
    ///
    /// # Errors
    /// If the matrix has another number of columns than the model dimensions, or the covariance within speakers is
    /// singular after it.
    pub fn projected(&self, projection: &Matrix<f64>) -> Result<Self> {
        let project = || {
            let mean = self.mean.transformed(projection)?;
            let back = self.transform.inverse()?;
            let within = SymmetricMatrix::identity(self.dim()).transformed(&back)?.transformed(projection)?;
            let between =
                SymmetricMatrix::from_diagonal(self.psi.as_slice()).transformed(&back)?.transformed(projection)?;
            Ok((mean, within, between))
        };
        let (mean, within, between) = project().map_err(Error::matrix("the model of projected vectors"))?;
        Self::from_covariances(mean, &within, &between)
    }

    /// Transforms a vector, which may be the average of those of `num_examples` utterances, for a `Scorer`. Also
    /// returns the factor by which it was multiplied, or would have been with length normalization (Kaldi's
    /// `TransformIvector`).
    ///
    /// A vector that is the mean of the model becomes NaN, unless its length is left alone.
    ///
    /// # Errors
    /// If the vector has another dimension, or there are no examples.
    pub fn transform(
        &self,
        vector: &[f32],
        num_examples: i32,
        normalization: LengthNormalization,
    ) -> Result<(Vector<f32>, f32)> {
        let dim = self.dim();
        if vector.len() != dim {
            return Err(Error::Length { what: "elements of a vector", expected: dim, got: vector.len() });
        }
        if num_examples < 1 {
            return Err(Error::NumExamples { got: num_examples });
        }
        let vector = Vector::from_vec(vector.iter().map(|&value| f64::from(value)).collect());
        let mut transformed = vector.transformed(&self.transform).map_err(Error::matrix("a transformed vector"))?;
        transformed.add(&self.offset).map_err(Error::matrix("a transformed vector"))?;
        let square = match normalization.simple_length_normalization {
            true => transformed.as_slice().iter().map(|value| value * value).sum::<f64>(),
            false => {
                let within = 1.0 / f64::from(num_examples);
                let elements = transformed.as_slice().iter().zip(self.psi.as_slice());
                elements.map(|(value, psi)| value * value / (psi + within)).sum()
            }
        };
        let factor = (dim as f64 / square).sqrt();
        if normalization.normalize_length {
            transformed.scale(factor);
        }
        Ok((transformed.to_precision(), factor as f32))
    }
}

impl KaldiObject for Plda {
    const NAME: &'static str = "PLDA model";
    const TOKENS: Option<[&'static str; 2]> = Some(["<Plda>", "</Plda>"]);

    fn read_part(cursor: &mut Cursor<'_>) -> std::result::Result<Self, ParseError> {
        cursor.skip_space();
        let start = cursor.offset();
        cursor.expect_token("<Plda>")?;
        let mean = Vector::read_part(cursor)?;
        let transform = Matrix::read_part(cursor)?;
        let psi = Vector::read_part(cursor)?;
        cursor.expect_token("</Plda>")?;
        Self::new(mean, transform, psi).map_err(|error| ParseError::new(start, error.to_string()))
    }

    fn write_part(&self, out: &mut Vec<u8>, format: Format) {
        write_token(out, b"<Plda>");
        self.mean.write_part(out, format);
        self.transform.write_part(out, format);
        self.psi.write_part(out, format);
        write_token(out, b"</Plda>");
    }
}

#[cfg(test)]
pub(super) mod tests {
    use kaldi_value::{Frame, Value};

    use super::*;

    const PLAIN: LengthNormalization =
        LengthNormalization { normalize_length: false, simple_length_normalization: false };

    pub fn model() -> Plda {
        let within = SymmetricMatrix::from_vec(2, vec![2.0, 0.5, 1.0]);
        let between = SymmetricMatrix::from_vec(2, vec![3.0, -1.0, 4.0]);
        Plda::from_covariances(Vector::from_vec(vec![1.0, -1.0]), &within, &between).unwrap()
    }

    #[track_caller]
    pub fn near(left: &[f64], right: &[f64]) {
        let near = |(a, b): (&f64, &f64)| (a - b).abs() < 1e-9 * (1.0 + b.abs());
        assert!(left.len() == right.len() && left.iter().zip(right).all(near), "{left:?} {right:?}");
    }

    #[test]
    fn the_transform_makes_covariances_unit_and_diagonal() {
        let plda = model();
        let within = SymmetricMatrix::from_vec(2, vec![2.0, 0.5, 1.0]).transformed(&plda.transform).unwrap();
        near(within.as_slice(), &[1.0, 0.0, 1.0]);
        let between = SymmetricMatrix::from_vec(2, vec![3.0, -1.0, 4.0]).transformed(&plda.transform).unwrap();
        near(between.as_slice(), &[plda.psi.as_slice()[0], 0.0, plda.psi.as_slice()[1]]);
        assert!(plda.psi.as_slice()[0] > plda.psi.as_slice()[1]);
    }

    #[test]
    fn covariances_that_are_none_are_refused() {
        let (unit, mean) = (SymmetricMatrix::identity(2), Vector::<f64>::new(2));
        let singular = SymmetricMatrix::from_vec(2, vec![1.0, 1.0, 1.0]);
        let message = Plda::from_covariances(mean.clone(), &singular, &unit).unwrap_err().to_string();
        assert!(message.starts_with("cannot compute the square root of the covariance within speakers"), "{message}");
        let negative = SymmetricMatrix::from_diagonal(&[1.0, -0.1]);
        let message = Plda::from_covariances(mean.clone(), &unit, &negative).unwrap_err().to_string();
        assert!(message.starts_with("cannot compute the covariance between speakers"), "{message}");
        let rounded = SymmetricMatrix::from_diagonal(&[1.0, -1e-12]);
        assert_eq!(Plda::from_covariances(mean, &unit, &rounded).unwrap().psi.as_slice(), [1.0, 0.0]);
        assert!(Plda::from_covariances(Vector::new(3), &unit, &unit).is_err());
    }

    #[test]
    fn smoothing_adds_to_the_covariance_within_speakers() {
        let mut plda = model();
        plda.smooth(0.5).unwrap();
        let mut within = SymmetricMatrix::from_vec(2, vec![2.0, 0.5, 1.0]);
        let between = SymmetricMatrix::from_vec(2, vec![3.0, -1.0, 4.0]);
        within.add_scaled(0.5, &between).unwrap();
        near(within.transformed(&plda.transform).unwrap().as_slice(), &[1.0, 0.0, 1.0]);
        let expected = between.transformed(&plda.transform).unwrap();
        near(expected.diagonal().as_slice(), plda.psi.as_slice());
        near(plda.transform(&[1.0, -1.0], 1, PLAIN).unwrap().0.to_precision().as_slice(), &[0.0, 0.0]);
        let message = plda.smooth(1.5).unwrap_err().to_string();
        assert_eq!(message, "expected `smoothing` to be a number from 0 to 1, got 1.5");
        assert!(plda.smooth(-0.1).is_err() && plda.smooth(f64::NAN).is_err());
    }

    #[test]
    fn a_projection_is_one_of_the_covariances() {
        let projection = Matrix::from_vec(1, 2, vec![1.0, 1.0]);
        let projected = model().projected(&projection).unwrap();
        near(projected.mean.as_slice(), &[0.0]);
        // 2 + 2 * 0.5 + 1 within, 3 - 2 + 4 between.
        near(projected.psi.as_slice(), &[5.0 / 4.0]);
        near(&[projected.transform.row(0)[0].abs()], &[0.5]);
        near(
            model().projected(&SymmetricMatrix::identity(2).to_matrix()).unwrap().psi.as_slice(),
            model().psi.as_slice(),
        );
        assert!(model().projected(&Matrix::new(2, 2)).is_err());
        assert!(model().projected(&Matrix::new(1, 3)).is_err());
        assert!(model().projected(&Matrix::from_vec(3, 2, vec![1.0, 0.0, 0.0, 1.0, 1.0, 1.0])).is_err());
    }

    #[test]
    fn lengths_are_what_the_model_expects() {
        let plda = model();
        let (plain, factor) = plda.transform(&[3.0, 0.5], 4, PLAIN).unwrap();
        let whole = LengthNormalization { normalize_length: true, ..PLAIN };
        let (normalized, same) = plda.transform(&[3.0, 0.5], 4, whole).unwrap();
        assert_eq!(factor, same);
        let square: f64 = normalized
            .as_slice()
            .iter()
            .zip(plda.psi.as_slice())
            .map(|(&value, psi)| f64::from(value).powi(2) / (psi + 0.25))
            .sum();
        assert!((square - 2.0).abs() < 1e-6);
        assert!((normalized.as_slice()[0] / plain.as_slice()[0] - factor).abs() < 1e-6);
        let simple = LengthNormalization { simple_length_normalization: true, ..whole };
        let (simple, _) = plda.transform(&[3.0, 0.5], 4, simple).unwrap();
        assert!((simple.norm() - 2.0_f64.sqrt()).abs() < 1e-6);
    }

    #[test]
    fn what_cannot_be_transformed_is_refused() {
        let message = |vector: &[f32], num| model().transform(vector, num, PLAIN).unwrap_err().to_string();
        assert_eq!(message(&[1.0], 1), "expected 2 elements of a vector, got 1");
        assert_eq!(message(&[1.0, 2.0], 0), "expected 1 utterance at least, got 0");
        assert_eq!(message(&[1.0, 2.0], -3), "expected 1 utterance at least, got -3");
    }

    fn read(bytes: &[u8]) -> std::result::Result<Plda, ParseError> {
        let mut cursor = Cursor::new(bytes);
        let plda = Plda::read(&mut cursor)?;
        assert_eq!(Plda::frame(bytes, true).unwrap(), Frame::Whole(cursor.offset()));
        Ok(plda)
    }

    #[test]
    fn a_model_is_read_as_it_is_written() {
        let text = b"<Plda>  [ 0.5 ]\n [\n  2 ]\n [ 1.25 ]\n</Plda> ";
        let small = read(text).unwrap();
        for plda in [small.clone(), model()] {
            for format in [Format::Binary, Format::Text] {
                let mut bytes = Vec::new();
                plda.write(&mut bytes, format);
                let again = read(&bytes).unwrap();
                let pairs = again.transform.as_slice().iter().zip(plda.transform.as_slice());
                assert!(pairs.into_iter().all(|(a, b)| (a - b).abs() < 1e-6));
                if format == Format::Binary {
                    assert_eq!(again, plda);
                }
            }
        }
        let mut bytes = Vec::new();
        small.write(&mut bytes, Format::Text);
        assert_eq!(bytes, text);
        assert_eq!((small.dim(), small.mean().as_slice(), small.offset.as_slice()), (1, &[0.5][..], &[-1.0][..]));
    }

    #[test]
    fn what_is_no_model_is_refused() {
        let message = |bytes: &[u8]| read(bytes).unwrap_err().to_string();
        assert_eq!(message(b"<Plda> [ ]\n [ ]\n [ ]\n </Plda> "), "expected 1 dimensions of the model at least, got 0");
        assert_eq!(
            message(b"<Plda> [ 1 2 ]\n [ 1 2 ]\n [ 1 2 ]\n </Plda> "),
            "expected 2 rows of the transform, got 1"
        );
        assert_eq!(message(b"<Plda> [ 1 ]\n [ 1 2 ]\n [ 1 ]\n </Plda> "), "expected 1 columns of the transform, got 2");
        assert_eq!(
            message(b"<Plda> [ 1 ]\n [ 1 ]\n [ 1 2 ]\n </Plda> "),
            "expected 1 variances between speakers, got 2"
        );
        assert!(message(b"<Pldb> [ 1 ]\n").starts_with("expected token \"<Plda>\""));
        let mut whole = Vec::new();
        model().write(&mut whole, Format::Binary);
        for length in 0..whole.len() {
            assert!(read(&whole[..length]).is_err_and(|error| error.at_end), "{length}");
        }
    }
}
