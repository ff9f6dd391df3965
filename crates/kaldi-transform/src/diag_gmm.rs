//! Mixtures of Gaussians with diagonal covariances.

use kaldi_io::ParseError;
use kaldi_matrix::{Matrix, Vector};
use kaldi_values::{Cursor, Format, Frame, Value, frame_between_tokens, write_token};

/// A mixture of Gaussians with diagonal covariances (Kaldi's `DiagGmm`), `num_gauss × dim`.
///
/// As text, of one Gaussian with a mean of 2 and a variance of 0.25:
///
/// ```text
/// <DiagGMM>
/// <GCONSTS>  [ -8.225791 ]
/// <WEIGHTS>  [ 1 ]
/// <MEANS_INVVARS>  [
///   8 ]
/// <INV_VARS>  [
///   4 ]
/// </DiagGMM>
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct DiagGmm {
    /// The log likelihood of each Gaussian at zero, its weight included; negative infinity if the weight is 0.
    constants: Vector<f32>,
    weights: Vector<f32>,
    /// Means divided by variances, a row for each Gaussian.
    means_invvars: Matrix<f32>,
    inv_vars: Matrix<f32>,
}

impl DiagGmm {
    /// Makes a mixture, and computes the constants.
    fn new(weights: Vector<f32>, means_invvars: Matrix<f32>, inv_vars: Matrix<f32>) -> Result<Self, String> {
        let (num_gauss, dim) = inv_vars.size();
        if num_gauss == 0 || weights.dim() != num_gauss || means_invvars.size() != (num_gauss, dim) {
            return Err(format!(
                "expected as many weights, means and variances, got {} weights, means of {} by {} and variances of \
                 {num_gauss} by {dim}",
                weights.dim(),
                means_invvars.num_rows(),
                means_invvars.num_cols(),
            ));
        }
        let mut constants = Vec::with_capacity(num_gauss);
        for (gauss, &weight) in weights.as_slice().iter().enumerate() {
            if weight < 0.0 {
                return Err(format!("expected weights of 0 or more, got {weight:?} for Gaussian {gauss}"));
            }
            let offset = (-0.5 * std::f64::consts::TAU.ln() * dim as f64) as f32;
            let mut constant = weight.ln() + offset;
            for (&mean, &inv_var) in means_invvars.row(gauss).iter().zip(inv_vars.row(gauss)) {
                let mean = f64::from(mean);
                let term = 0.5 * f64::from(inv_var.ln()) - 0.5 * mean * mean / f64::from(inv_var);
                constant = (f64::from(constant) + term) as f32;
            }
            if constant.is_nan() {
                return Err(format!(
                    "expected weights, means and variances that are numbers, got others for Gaussian {gauss}"
                ));
            }
            constants.push(if constant.is_infinite() { f32::NEG_INFINITY } else { constant });
        }
        Ok(Self { constants: Vector::from_vec(constants), weights, means_invvars, inv_vars })
    }

    /// The number of Gaussians.
    pub fn num_gauss(&self) -> usize {
        self.weights.dim()
    }

    /// The number of dimensions.
    pub fn dim(&self) -> usize {
        self.inv_vars.num_cols()
    }

    /// The weights.
    pub(crate) fn weights(&self) -> &[f32] {
        self.weights.as_slice()
    }

    /// The means divided by the variances, and the inverses of the variances, of one Gaussian.
    pub(crate) fn gaussian(&self, gauss: usize) -> (&[f32], &[f32]) {
        (self.means_invvars.row(gauss), self.inv_vars.row(gauss))
    }

    /// The probabilities that each of the `selected` Gaussians made this frame, given that one of them did: positive,
    /// with a sum of one. Likelihoods are computed in double precision.
    ///
    /// # Panics
    /// If the frame has another dimension, or there is no such Gaussian.
    pub(crate) fn posteriors(&self, frame: &[f32], selected: &[usize]) -> Vec<f32> {
        assert_eq!(frame.len(), self.dim());
        let mut posteriors: Vec<f32> = selected
            .iter()
            .map(|&gauss| {
                let (means, inv_vars) = self.gaussian(gauss);
                let term = |(&value, (&mean, &inv_var)): (&f32, (&f32, &f32))| {
                    f64::from(value) * (f64::from(mean) - 0.5 * f64::from(value) * f64::from(inv_var))
                };
                let sum: f64 = frame.iter().zip(means.iter().zip(inv_vars)).map(term).sum();
                (f64::from(self.constants.as_slice()[gauss]) + sum) as f32
            })
            .collect();
        let max = posteriors.iter().fold(f32::NEG_INFINITY, |max, &value| if value > max { value } else { max });
        posteriors.iter_mut().for_each(|value| *value = (*value - max).exp());
        let sum: f32 = posteriors.iter().sum();
        posteriors.iter_mut().for_each(|value| *value /= sum);
        posteriors
    }

    /// Consumes a mixture that is part of a larger object, in the form that the cursor has found.
    ///
    /// # Errors
    /// If the bytes are no mixture, or its parts do not fit each other.
    pub fn read_part(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        // Old models have other tokens at both ends.
        let old = cursor.rest().trim_ascii_start().starts_with(b"<DiagGMMBegin>");
        cursor.expect_token(if old { "<DiagGMMBegin>" } else { "<DiagGMM>" })?;
        if cursor.rest().trim_ascii_start().starts_with(b"<GCONSTS>") {
            // The constants are computed anew.
            cursor.expect_token("<GCONSTS>")?;
            Vector::<f32>::read_part(cursor)?;
        }
        let start = cursor.offset();
        cursor.expect_token("<WEIGHTS>")?;
        let weights = Vector::read_part(cursor)?;
        cursor.expect_token("<MEANS_INVVARS>")?;
        let means_invvars = Matrix::read_part(cursor)?;
        cursor.expect_token("<INV_VARS>")?;
        let inv_vars = Matrix::read_part(cursor)?;
        let old = cursor.rest().trim_ascii_start().starts_with(b"<DiagGMMEnd>");
        cursor.expect_token(if old { "<DiagGMMEnd>" } else { "</DiagGMM>" })?;
        Self::new(weights, means_invvars, inv_vars).map_err(|message| ParseError::new(start, message))
    }

    /// Appends the mixture as part of a larger object: without a binary marker of its own.
    pub fn write_part(&self, out: &mut Vec<u8>, format: Format) {
        let end_line = |out: &mut Vec<u8>| out.extend_from_slice(if format == Format::Text { b"\n" } else { b"" });
        write_token(out, b"<DiagGMM>");
        end_line(out);
        write_token(out, b"<GCONSTS>");
        self.constants.write_part(out, format);
        write_token(out, b"<WEIGHTS>");
        self.weights.write_part(out, format);
        write_token(out, b"<MEANS_INVVARS>");
        self.means_invvars.write_part(out, format);
        write_token(out, b"<INV_VARS>");
        self.inv_vars.write_part(out, format);
        write_token(out, b"</DiagGMM>");
        end_line(out);
    }
}

impl Value for DiagGmm {
    const NAME: &'static str = "mixture of Gaussians";

    fn frame(window: &[u8], at_end: bool) -> Result<Frame, ParseError> {
        frame_between_tokens::<Self>(window, at_end, "<DiagGMM>", "</DiagGMM>")
    }

    fn read(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        cursor.read_marker()?;
        Self::read_part(cursor)
    }

    fn write(&self, out: &mut Vec<u8>, format: Format) {
        format.write_marker(out);
        self.write_part(out, format);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "<DiagGMM> \n<GCONSTS>  [ -8.225791 -2.531024 ]\n<WEIGHTS>  [ 1 0.5 ]\n<MEANS_INVVARS>  [\n  8 \n  1 \
                        ]\n<INV_VARS>  [\n  4 \n  0.25 ]\n</DiagGMM> \n";

    fn read(text: &str) -> Result<DiagGmm, ParseError> {
        DiagGmm::read(&mut Cursor::new(text.as_bytes()))
    }

    fn written(gmm: &DiagGmm, format: Format) -> Vec<u8> {
        let mut out = Vec::new();
        gmm.write(&mut out, format);
        out
    }

    #[test]
    fn what_is_written_is_read_again() {
        let gmm = read(TEXT).unwrap();
        assert_eq!((gmm.num_gauss(), gmm.dim()), (2, 1));
        for format in [Format::Binary, Format::Text] {
            let bytes = written(&gmm, format);
            assert_eq!(DiagGmm::read(&mut Cursor::new(&bytes)), Ok(gmm.clone()));
            for length in 0..bytes.len() {
                assert!(DiagGmm::read(&mut Cursor::new(&bytes[..length])).is_err() || bytes[length..] == *b"\n");
            }
        }
    }

    #[test]
    fn constants_are_computed_whatever_the_file_says() {
        let gmm = read(TEXT).unwrap();
        for text in [
            TEXT.replace("-8.225791", "0"),
            TEXT.replace("<GCONSTS>  [ -8.225791 -2.531024 ]\n", ""),
            TEXT.replace("<DiagGMM>", "<DiagGMMBegin>").replace("</DiagGMM>", "<DiagGMMEnd>"),
        ] {
            assert_eq!(read(&text), Ok(gmm.clone()), "{text}");
        }
        let unweighted = read(&TEXT.replace("1 0.5", "1 0")).unwrap();
        assert_eq!(unweighted.constants.as_slice()[1], f32::NEG_INFINITY);
    }

    #[test]
    fn posteriors_are_relative_to_the_selected_gaussians() {
        // Equal weights and variances, means of 2 and -2.
        let gmm = DiagGmm::new(
            Vector::from_vec(vec![0.5, 0.5]),
            Matrix::from_vec(2, 1, vec![2.0, -2.0]),
            Matrix::from_vec(2, 1, vec![1.0, 1.0]),
        )
        .unwrap();
        assert_eq!(gmm.posteriors(&[0.0], &[0, 1]), [0.5, 0.5]);
        assert_eq!(gmm.posteriors(&[9.0], &[1]), [1.0]);
        let posteriors = gmm.posteriors(&[1.0], &[1, 0]);
        let expected = 1.0 / (1.0 + 4.0_f32.exp());
        assert!((posteriors[0] - expected).abs() < 1e-6 && (posteriors[1] + expected - 1.0).abs() < 1e-6);
    }

    #[test]
    fn parts_that_do_not_go_together_are_refused() {
        let message = |from: &str, to: &str| read(&TEXT.replace(from, to)).unwrap_err().to_string();
        assert_eq!(
            message("[ 1 0.5 ]", "[ 1 ]"),
            "expected as many weights, means and variances, got 1 weights, means of 2 by 1 and variances of 2 by 1"
        );
        assert!(message("[\n  8 \n  1 ]", "[\n  8 2\n  1 2 ]").contains("means of 2 by 2"));
        assert!(message("1 0.5", "1 -1").contains("weights of 0 or more, got -1.0 for Gaussian 1"));
        assert!(message("1 0.5", "nan 1").contains("for Gaussian 0"));
        assert!(message("<WEIGHTS>", "<WEIGHT>").contains("expected token \"<WEIGHTS>\""));
        assert!(message("<DiagGMM>", "<FullGMM>").contains("expected token \"<DiagGMM>\""));
    }
}
