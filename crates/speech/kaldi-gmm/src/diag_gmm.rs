//! Mixtures of Gaussians with diagonal covariances.

use kaldi_io::ParseError;
use kaldi_matrix::{Matrix, Vector};
use kaldi_value::{Cursor, Format, KaldiObject};

use crate::dot::Products;
use crate::mixture::{MixtureFormat, check_feats};
use crate::{AccumDiagGmm, Error, Mixture, Result};

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
    gconsts: Vector<f32>,
    weights: Vector<f32>,
    /// Means divided by variances, a row for each Gaussian.
    means_invvars: Matrix<f32>,
    inv_vars: Matrix<f32>,
}

impl DiagGmm {
    /// Makes a mixture of the weights, the means divided by the variances, and the inverses of the variances, which have
    /// a row for each Gaussian. Computes the constants.
    ///
    /// # Errors
    /// If the sizes do not fit each other, there are no Gaussians, a weight is negative, or a constant is no number.
    pub fn new(weights: Vector<f32>, means_invvars: Matrix<f32>, inv_vars: Matrix<f32>) -> Result<Self> {
        let (num_gauss, dim) = inv_vars.size();
        if num_gauss == 0 || weights.dim() != num_gauss || means_invvars.size() != (num_gauss, dim) {
            let (means, variances) = (means_invvars.size(), inv_vars.size());
            return Err(Error::Parts { weights: weights.dim(), means, variances });
        }
        let mut gconsts = Vec::with_capacity(num_gauss);
        for (gauss, &weight) in weights.as_slice().iter().enumerate() {
            if weight < 0.0 {
                return Err(Error::Weight { gauss, got: weight });
            }
            let mut constant = weight.ln() + constant_of_dim(dim);
            for (&mean, &inv_var) in means_invvars.row(gauss).iter().zip(inv_vars.row(gauss)) {
                let mean = f64::from(mean);
                let term = 0.5 * f64::from(inv_var.ln()) - 0.5 * mean * mean / f64::from(inv_var);
                constant = (f64::from(constant) + term) as f32;
            }
            if constant.is_nan() {
                return Err(Error::NotANumber { gauss });
            }
            gconsts.push(if constant.is_infinite() { f32::NEG_INFINITY } else { constant });
        }
        Ok(Self { gconsts: Vector::from_vec(gconsts), weights, means_invvars, inv_vars })
    }

    /// The log likelihood of each Gaussian at zero, its weight included; negative infinity if the weight is 0.
    pub fn gconsts(&self) -> &[f32] {
        self.gconsts.as_slice()
    }

    /// The means divided by the variances, a row for each Gaussian.
    pub fn means_invvars(&self) -> &Matrix<f32> {
        &self.means_invvars
    }

    /// The inverses of the variances, a row for each Gaussian.
    pub fn inv_vars(&self) -> &Matrix<f32> {
        &self.inv_vars
    }

    /// Computes the means, a row for each Gaussian.
    pub fn means(&self) -> Matrix<f32> {
        let quotients =
            self.means_invvars.as_slice().iter().zip(self.inv_vars.as_slice()).map(|(mean, var)| mean / var);
        Matrix::from_vec(self.num_gauss(), self.dim(), quotients.collect())
    }

    /// Computes the variances, a row for each Gaussian.
    pub fn vars(&self) -> Matrix<f32> {
        let vars = self.inv_vars.as_slice().iter().map(|var| 1.0 / var).collect();
        Matrix::from_vec(self.num_gauss(), self.dim(), vars)
    }
}

/// What the dimension adds to the log likelihood of every Gaussian.
pub(crate) fn constant_of_dim(dim: usize) -> f32 {
    (-0.5 * std::f64::consts::TAU.ln() * dim as f64) as f32
}

impl Mixture for DiagGmm {
    type Stats = AccumDiagGmm;

    fn num_gauss(&self) -> usize {
        self.weights.dim()
    }

    fn dim(&self) -> usize {
        self.inv_vars.num_cols()
    }

    fn weights(&self) -> &[f32] {
        self.weights.as_slice()
    }

    fn log_likelihoods(&self, feats: &Matrix<f32>) -> Result<Matrix<f32>> {
        check_feats(feats, self.dim())?;
        if feats.is_empty() {
            return Ok(Matrix::default());
        }
        let mut squares = feats.clone();
        squares.apply(|value| -0.5 * value * value);
        let mut likelihoods =
            Matrix::from_vec(feats.num_rows(), self.num_gauss(), self.gconsts().repeat(feats.num_rows()));
        let sums = likelihoods.add_product_transposed(feats, &self.means_invvars);
        sums.and_then(|()| likelihoods.add_product_transposed(&squares, &self.inv_vars))
            .map_err(|_| Error::FeatsDim { expected: self.dim(), got: feats.num_cols() })?;
        Ok(likelihoods)
    }

    fn log_likelihoods_of(&self, frame: &[f32], gaussians: &[usize]) -> Vec<f32> {
        assert_eq!(frame.len(), self.dim());
        let squares: Vec<f32> = frame.iter().map(|value| -0.5 * value * value).collect();
        let mut sums: Vec<f32> = gaussians.iter().map(|&gauss| self.gconsts()[gauss]).collect();
        for (vector, matrix) in [(frame, &self.means_invvars), (&squares, &self.inv_vars)] {
            Products { vector, matrix: matrix.as_slice(), rows: gaussians, sums: &mut sums }.add();
        }
        sums
    }
}

const FORMAT: MixtureFormat = MixtureFormat {
    begin: ["<DiagGMM>", "<DiagGMMBegin>"],
    means: "<MEANS_INVVARS>",
    inverses: "<INV_VARS>",
    end: ["</DiagGMM>", "<DiagGMMEnd>"],
};

impl KaldiObject for DiagGmm {
    const NAME: &'static str = "mixture of Gaussians";
    const TOKENS: Option<[&'static str; 2]> = Some([FORMAT.begin[0], FORMAT.end[0]]);

    fn read_part(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        FORMAT.read(cursor, |cursor, _| Matrix::read_part(cursor), Self::new)
    }

    fn write_part(&self, out: &mut Vec<u8>, format: Format) {
        FORMAT.write(out, format, [&self.gconsts, &self.weights], &self.means_invvars, |out| {
            self.inv_vars.write_part(out, format);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kaldi_value::Value;

    const TEXT: &str = "<DiagGMM> \n<GCONSTS>  [ -8.225791 -2.531024 ]\n<WEIGHTS>  [ 1 0.5 ]\n<MEANS_INVVARS>  [\n  8 \n  1 \
                        ]\n<INV_VARS>  [\n  4 \n  0.25 ]\n</DiagGMM> \n";

    fn read(text: &str) -> Result<DiagGmm, ParseError> {
        DiagGmm::read(&mut Cursor::new(text.as_bytes()))
    }

    #[test]
    fn what_is_written_is_read_again() {
        let gmm = read(TEXT).unwrap();
        assert_eq!((gmm.num_gauss(), gmm.dim()), (2, 1));
        for format in [Format::Binary, Format::Text] {
            let bytes = gmm.to_bytes(format);
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
        assert_eq!(unweighted.gconsts.as_slice()[1], f32::NEG_INFINITY);
    }

    #[test]
    fn likelihoods_are_those_of_the_density() {
        let gmm = read(TEXT).unwrap();
        let density = |gauss: usize, value: f64| {
            let (weight, mean, var) = [(1.0_f64, 2.0, 0.25), (0.5, 4.0, 4.0)][gauss];
            let distance = (value - mean) * (value - mean) / var;
            (weight.ln() - 0.5 * (distance + (std::f64::consts::TAU * var).ln())) as f32
        };
        let likelihoods = gmm.log_likelihoods(&Matrix::from_vec(3, 1, vec![0.0, 1.5, -3.0])).unwrap();
        for (row, value) in likelihoods.rows().zip([0.0, 1.5, -3.0]) {
            for (gauss, &got) in row.iter().enumerate() {
                assert!((got - density(gauss, value)).abs() < 1e-5, "{gauss} {value}: {got}");
            }
            let listed = gmm.log_likelihoods_of(&[value as f32], &[1, 0, 1]);
            assert!((listed[0] - row[1]).abs() < 1e-5 && (listed[1] - row[0]).abs() < 1e-5 && listed[2] == listed[0]);
        }
        assert!(gmm.log_likelihoods(&Matrix::default()).unwrap().is_empty());
        let refused = gmm.log_likelihoods(&Matrix::new(1, 2)).unwrap_err();
        assert_eq!(refused.to_string(), "expected features with 1 columns, got 2");
    }

    #[test]
    fn gaussians_are_selected_for_each_frame() {
        let gmm = read(TEXT).unwrap();
        let feats = Matrix::from_vec(2, 1, vec![2.0, 9.0]);
        let selected = gmm.select(&feats, 1).unwrap();
        assert_eq!([&selected[0].gaussians, &selected[1].gaussians], [&[0], &[1]]);
        assert_eq!(gmm.select_among(&feats, &[vec![1, 0], vec![1, 0]], 1).unwrap(), selected);
        assert_eq!(gmm.select_among(&feats, &[vec![1], vec![0]], 5).unwrap()[0].gaussians, [1]);
        for (lists, message) in [
            (vec![vec![0]], "expected a list of Gaussians for each of 2 frames, got 1"),
            (vec![vec![0], vec![2]], "expected numbers of Gaussians below 2 in frame 1, got [2]"),
            (vec![vec![], vec![0]], "expected numbers of Gaussians below 2 in frame 0, got []"),
            (vec![vec![-1], vec![0]], "expected numbers of Gaussians below 2 in frame 0, got [-1]"),
        ] {
            assert_eq!(gmm.select_among(&feats, &lists, 1).unwrap_err().to_string(), message);
        }
        let no_number = Matrix::from_vec(2, 1, vec![1.0, f32::NAN]);
        assert_eq!(gmm.select(&no_number, 1), Err(Error::Likelihood { frame: 1 }));
        let many = Matrix::from_vec(300, 1, (0..300).map(|value| value as f32 / 9.0).collect());
        let expected = many.rows().flat_map(|row| gmm.select(&Matrix::from_vec(1, 1, row.to_vec()), 2).unwrap());
        assert_eq!(gmm.select(&many, 2).unwrap(), expected.collect::<Vec<_>>());
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
