//! Classifiers of vectors.

use kaldi_io::ParseError;
use kaldi_matrix::{Matrix, Vector};
use kaldi_value::{Cursor, Format, KaldiObject, write_int_vector, write_token};

use crate::{Error, Result};

/// A classifier of vectors: for each class, or for each of several components of a class, a weight for every element
/// and an offset.
///
/// As text, of two classes in one dimension:
///
/// ```text
/// <LogisticRegression> <weights>  [
///   -0.5 0.25
///   0.5 -0.25 ]
/// <class> [ 0 1 ]
/// </LogisticRegression>
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct LogisticRegression {
    /// `num_components × (dim + 1)`: the last column is an offset, the logarithm of a prior.
    pub(super) weights: Matrix<f32>,
    /// The class of each component.
    pub(super) classes: Vec<usize>,
}

impl LogisticRegression {
    pub(super) fn new(weights: Matrix<f32>, classes: Vec<usize>) -> Result<Self> {
        let num_components = weights.num_rows();
        if weights.is_empty() {
            return Err(Error::Length { what: "components at least", expected: 1, got: 0 });
        }
        if classes.len() != num_components {
            return Err(Error::Length { what: "classes of components", expected: num_components, got: classes.len() });
        }
        match classes.iter().find(|&&class| class >= num_components) {
            Some(&class) => Err(Error::Class { num_classes: num_components, got: class as i32 }),
            None => Ok(Self { weights, classes }),
        }
    }

    /// The dimension of the vectors.
    pub fn dim(&self) -> usize {
        self.weights.num_cols() - 1
    }

    /// The number of classes, including those without components.
    pub fn num_classes(&self) -> usize {
        self.classes.iter().max().map_or(0, |last| last + 1)
    }

    /// Computes the logarithm of the posterior probability of each class.
    ///
    /// # Errors
    /// If the vector has another dimension.
    pub fn log_posteriors(&self, vector: &Vector<f32>) -> Result<Vector<f32>> {
        if vector.dim() != self.dim() {
            return Err(Error::Length { what: "elements of a vector", expected: self.dim(), got: vector.dim() });
        }
        let scores = vector.transformed(&self.weights).map_err(Error::matrix("scores of classes"))?;
        let scores: Vec<f64> = scores.as_slice().iter().map(|&score| f64::from(score)).collect();
        let total = log_sum_exp(scores.iter().copied());
        let posterior = |class| {
            let components = self.classes.iter().zip(&scores).filter(|(other, _)| **other == class);
            (log_sum_exp(components.map(|(_, &score)| score)) - total) as f32
        };
        Ok(Vector::from_vec((0..self.num_classes()).map(posterior).collect()))
    }

    /// Multiplies the prior probability of each class with its factor.
    ///
    /// # Errors
    /// If there are not as many factors as classes, or one of them is negative.
    pub fn scale_priors(&mut self, scales: &Vector<f32>) -> Result<()> {
        let num_classes = self.num_classes();
        if scales.dim() != num_classes {
            return Err(Error::Length { what: "scales of priors", expected: num_classes, got: scales.dim() });
        }
        if let Some(&got) = scales.as_slice().iter().find(|scale| scale.is_nan() || **scale < 0.0) {
            return Err(Error::Option { name: "scale_priors", expected: "0 or more", got: f64::from(got) });
        }
        let dim = self.dim();
        for (row, &class) in self.weights.rows_mut().zip(&self.classes) {
            row[dim] += scales.as_slice()[class].ln();
        }
        Ok(())
    }
}

/// Log-sum-exp: the log of the sum of `exp(x)`; minus infinity if empty.
fn log_sum_exp(logs: impl Iterator<Item = f64> + Clone) -> f64 {
    let max = logs.clone().fold(f64::NEG_INFINITY, f64::max);
    if max.is_infinite() {
        return max;
    }
    max + logs.map(|log| (log - max).exp()).sum::<f64>().ln()
}

impl KaldiObject for LogisticRegression {
    const NAME: &'static str = "logistic regression";
    const TOKENS: Option<[&'static str; 2]> = Some(["<LogisticRegression>", "</LogisticRegression>"]);

    fn read_part(cursor: &mut Cursor<'_>) -> std::result::Result<Self, ParseError> {
        cursor.skip_space();
        let start = cursor.offset();
        cursor.expect_token("<LogisticRegression>")?;
        cursor.expect_token("<weights>")?;
        let weights = Matrix::read_part(cursor)?;
        cursor.expect_token("<class>")?;
        let place = cursor.offset();
        let classes = cursor.read_int_vector()?;
        cursor.expect_token("</LogisticRegression>")?;
        let class = |class: i32| {
            usize::try_from(class).map_err(|_| ParseError::new(place, format!("expected a class, got {class}")))
        };
        let classes = classes.into_iter().map(class).collect::<std::result::Result<_, _>>()?;
        Self::new(weights, classes).map_err(|error| ParseError::new(start, error.to_string()))
    }

    fn write_part(&self, out: &mut Vec<u8>, format: Format) {
        write_token(out, b"<LogisticRegression>");
        write_token(out, b"<weights>");
        self.weights.write_part(out, format);
        write_token(out, b"<class>");
        let classes: Vec<i32> = self.classes.iter().map(|&class| class as i32).collect();
        write_int_vector(out, format, &classes);
        write_token(out, b"</LogisticRegression>");
    }
}

#[cfg(test)]
mod tests {
    use kaldi_value::{Frame, Value};

    use super::*;

    /// Two classes in one dimension, the second one of two components.
    fn mixture() -> LogisticRegression {
        LogisticRegression::new(Matrix::from_vec(3, 2, vec![1.0, 0.0, 0.0, 1.0, -1.0, 0.5]), vec![0, 1, 1]).unwrap()
    }

    #[track_caller]
    fn near(left: &Vector<f32>, right: &[f64]) {
        let near = |(a, b): (&f32, &f64)| (f64::from(*a) - b).abs() < 1e-6;
        assert!(left.dim() == right.len() && left.as_slice().iter().zip(right).all(near), "{left:?} {right:?}");
    }

    #[test]
    fn components_of_a_class_add_up() {
        let posteriors = mixture().log_posteriors(&Vector::from_vec(vec![2.0])).unwrap();
        let scores = [2.0_f64.exp(), 1.0_f64.exp() + (-1.5_f64).exp()];
        let total = scores[0] + scores[1];
        near(&posteriors, &[(scores[0] / total).ln(), (scores[1] / total).ln()]);
        let error = mixture().log_posteriors(&Vector::new(2)).unwrap_err();
        assert_eq!(error.to_string(), "expected 1 elements of a vector, got 2");
    }

    #[test]
    fn scores_far_apart_keep_their_distance() {
        let posteriors = mixture().log_posteriors(&Vector::from_vec(vec![1e6])).unwrap();
        near(&posteriors, &[0.0, 1.0 - 1e6]);
        let without = LogisticRegression::new(Matrix::from_vec(2, 1, vec![1.0, 2.0]), vec![1, 1]).unwrap();
        assert_eq!(without.num_classes(), 2);
        let posteriors = without.log_posteriors(&Vector::default()).unwrap();
        assert_eq!(posteriors.as_slice(), [f32::NEG_INFINITY, 0.0]);
    }

    #[test]
    fn priors_are_scaled_by_class() {
        let mut model = mixture();
        model.scale_priors(&Vector::from_vec(vec![1.0, 2.0])).unwrap();
        let two = 2.0_f32.ln();
        assert_eq!(model.weights.as_slice(), [1.0, 0.0, 0.0, 1.0 + two, -1.0, 0.5 + two]);
        let refused = |scales: &[f32]| mixture().scale_priors(&Vector::from_vec(scales.to_vec())).unwrap_err();
        assert_eq!(refused(&[1.0]).to_string(), "expected 2 scales of priors, got 1");
        assert_eq!(refused(&[1.0, -1.0]).to_string(), "expected `scale_priors` to be 0 or more, got -1");
    }

    fn read(bytes: &[u8]) -> std::result::Result<LogisticRegression, ParseError> {
        let mut cursor = Cursor::new(bytes);
        let model = LogisticRegression::read(&mut cursor)?;
        assert_eq!(LogisticRegression::frame(bytes, true).unwrap(), Frame::Whole(cursor.offset()));
        Ok(model)
    }

    #[test]
    fn a_model_is_read_as_it_is_written() {
        for format in [Format::Binary, Format::Text] {
            let mut bytes = Vec::new();
            mixture().write(&mut bytes, format);
            assert_eq!(read(&bytes).unwrap(), mixture());
        }
        let text =
            b"<LogisticRegression> <weights>  [\n  -0.5 0.25 \n  0.5 -0.25 ]\n<class> [ 0 1 ]\n</LogisticRegression> ";
        let mut bytes = Vec::new();
        read(text).unwrap().write(&mut bytes, Format::Text);
        assert_eq!(bytes, text);
    }

    #[test]
    fn what_is_no_model_is_refused() {
        let message = |classes: &str| {
            let text = format!("<LogisticRegression> <weights> [ 1 2\n 3 4 ]\n {classes} </LogisticRegression> ");
            read(text.as_bytes()).unwrap_err().to_string()
        };
        assert_eq!(message("<class> [ 0 ]"), "expected 2 classes of components, got 1");
        assert_eq!(message("<class> [ 0 2 ]"), "expected a class below 2, got 2");
        assert_eq!(message("<class> [ 0 -1 ]"), "expected a class, got -1");
        assert!(message("").starts_with("expected token \"<class>\""));
        let empty = b"<LogisticRegression> <weights> [ ]\n <class> [ ] </LogisticRegression> ";
        assert_eq!(read(empty).unwrap_err().to_string(), "expected 1 components at least, got 0");
        let mut whole = Vec::new();
        mixture().write(&mut whole, Format::Binary);
        for length in 0..whole.len() {
            assert!(read(&whole[..length]).is_err_and(|error| error.at_end), "{length}");
        }
    }
}
