//! Mixtures of Gaussians with full covariances.

use kaldi_io::ParseError;
use kaldi_matrix::{Matrix, SymmetricMatrix, Vector};
use kaldi_value::{Cursor, Format, KaldiObject};

use crate::diag_gmm::constant_of_dim;
use crate::dot::Products;
use crate::listed::listed_likelihoods;
use crate::mixture::{MixtureFormat, check_feats};
use crate::{AccumFullGmm, DiagGmm, Error, Mixture, Result};

/// A mixture of Gaussians with full covariances (Kaldi's `FullGmm`), `num_gauss × dim`.
///
/// As text, of one Gaussian in two dimensions, with a mean of (2, 0), variances of 0.25 and 1 and no covariance:
///
/// ```text
/// <FullGMM>
/// <GCONSTS>  [ -9.14473 ]
/// <WEIGHTS>  [ 1 ]
/// <MEANS_INVCOVARS>  [
///   8 0 ]
/// <INV_COVARS> [
/// 4
/// 0 1 ]
/// </FullGMM>
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct FullGmm {
    /// The log likelihood of each Gaussian at zero, its weight included; negative infinity if the weight is 0.
    gconsts: Vector<f32>,
    weights: Vector<f32>,
    /// Means multiplied by the inverses of the covariances, a row for each Gaussian.
    means_invcovars: Matrix<f32>,
    /// The inverses of the covariances, a row for each Gaussian: the lower triangle, row after row.
    inv_covars: Matrix<f32>,
}

impl FullGmm {
    /// Makes a mixture of the weights, the means multiplied by the inverses of the covariances (a row for each
    /// Gaussian), and these inverses. Computes the constants.
    ///
    /// # Errors
    /// If the sizes do not fit each other, there are no Gaussians, a weight is negative, a constant is no number, or a
    /// covariance is not positive definite.
    pub fn new(weights: Vector<f32>, means_invcovars: Matrix<f32>, inv_covars: &[SymmetricMatrix]) -> Result<Self> {
        let (num_gauss, dim) = means_invcovars.size();
        let other = inv_covars.iter().map(SymmetricMatrix::dim).find(|&other| other != dim);
        if num_gauss == 0 || weights.dim() != num_gauss || inv_covars.len() != num_gauss || other.is_some() {
            let variances = (inv_covars.len(), other.unwrap_or(dim));
            return Err(Error::Parts { weights: weights.dim(), means: means_invcovars.size(), variances });
        }
        let mut gconsts = Vec::with_capacity(num_gauss);
        let mut packed = Vec::with_capacity(num_gauss * inv_covars[0].as_slice().len());
        for (gauss, (&weight, inv_covar)) in weights.as_slice().iter().zip(inv_covars).enumerate() {
            if weight < 0.0 {
                return Err(Error::Weight { gauss, got: weight });
            }
            let start = packed.len();
            packed.extend(inv_covar.as_slice().iter().map(|&value| value as f32));
            // The constant is that of the numbers that are kept.
            let kept = packed[start..].iter().map(|&value| f64::from(value)).collect();
            gconsts.push(gconst(gauss, weight, means_invcovars.row(gauss), &SymmetricMatrix::from_vec(dim, kept))?);
        }
        let inv_covars = Matrix::from_vec(num_gauss, dim * (dim + 1) / 2, packed);
        Ok(Self { gconsts: Vector::from_vec(gconsts), weights, means_invcovars, inv_covars })
    }

    /// The log likelihood of each Gaussian at zero, its weight included; negative infinity if the weight is 0.
    pub fn gconsts(&self) -> &[f32] {
        self.gconsts.as_slice()
    }

    /// The means multiplied by the inverses of the covariances, a row for each Gaussian.
    pub fn means_invcovars(&self) -> &Matrix<f32> {
        &self.means_invcovars
    }

    /// The inverse of the covariance of one Gaussian.
    ///
    /// # Panics
    /// If there is no such Gaussian.
    pub fn inv_covar(&self, gauss: usize) -> SymmetricMatrix {
        SymmetricMatrix::from_vec(self.dim(), self.inv_covars.row(gauss).iter().map(|&value| value.into()).collect())
    }

    /// The lower triangle of the inverse of the covariance of one Gaussian, row after row.
    pub(crate) fn packed_inv_covar(&self, gauss: usize) -> &[f32] {
        self.inv_covars.row(gauss)
    }

    /// Computes the mean and the covariance of one Gaussian, in double precision.
    ///
    /// # Errors
    /// If rounding shows the covariance as not positive definite.
    ///
    /// # Panics
    /// If there is no such Gaussian.
    pub fn moments(&self, gauss: usize) -> Result<(Vector<f64>, SymmetricMatrix)> {
        let refused = |source| Error::Covariance { gauss, source };
        let covar = self.inv_covar(gauss).inverse().map_err(refused)?;
        let mean_invcovar: Vec<f64> = self.means_invcovars.row(gauss).iter().map(|&value| value.into()).collect();
        Ok((covar.multiply_vector(&mean_invcovar).map_err(refused)?, covar))
    }
}

/// The log likelihood of a Gaussian at zero, in double precision and rounded once.
fn gconst(gauss: usize, weight: f32, mean_invcovar: &[f32], inv_covar: &SymmetricMatrix) -> Result<f32> {
    let refused = |source| Error::Covariance { gauss, source };
    let cholesky = inv_covar.cholesky().map_err(refused)?;
    let mean_invcovar: Vec<f64> = mean_invcovar.iter().map(|&value| value.into()).collect();
    // With the factor L of the inverse covariance, the length of L^-1 m is that of the mean, as the covariance sees it.
    let scaled = cholesky.solve_factor(&mean_invcovar).map_err(refused)?;
    let square: f64 = scaled.iter().map(|value| value * value).sum();
    let offset = weight.ln() + constant_of_dim(mean_invcovar.len());
    let constant = (f64::from(offset) + 0.5 * (cholesky.log_det() - square)) as f32;
    match constant {
        constant if constant.is_nan() => Err(Error::NotANumber { gauss }),
        constant if constant.is_infinite() => Ok(f32::NEG_INFINITY),
        constant => Ok(constant),
    }
}

/// The same mixture, with covariances that are zero.
impl From<&DiagGmm> for FullGmm {
    fn from(gmm: &DiagGmm) -> Self {
        let dim = gmm.dim();
        let mut inv_covars = Matrix::new(gmm.num_gauss(), dim * (dim + 1) / 2);
        for (covar, vars) in inv_covars.rows_mut().zip(gmm.inv_vars().rows()) {
            for (at, &var) in vars.iter().enumerate() {
                covar[at * (at + 3) / 2] = var;
            }
        }
        let (gconsts, weights) = (gmm.gconsts().to_vec(), gmm.weights().to_vec());
        let means_invcovars = gmm.means_invvars().clone();
        Self { gconsts: Vector::from_vec(gconsts), weights: Vector::from_vec(weights), means_invcovars, inv_covars }
    }
}

/// The products of a frame's values with each other, as they meet an inverse covariance in a likelihood: half of the
/// squares, and all others once for both places in the matrix, all negative.
fn append_squares(frame: &[f32], out: &mut Vec<f32>) {
    for (row, &value) in frame.iter().enumerate() {
        out.extend(frame[..row].iter().map(|other| -value * other));
        out.push(-0.5 * value * value);
    }
}

impl Mixture for FullGmm {
    type Stats = AccumFullGmm;

    fn num_gauss(&self) -> usize {
        self.weights.dim()
    }

    fn dim(&self) -> usize {
        self.means_invcovars.num_cols()
    }

    fn weights(&self) -> &[f32] {
        self.weights.as_slice()
    }

    fn log_likelihoods(&self, feats: &Matrix<f32>) -> Result<Matrix<f32>> {
        check_feats(feats, self.dim())?;
        if feats.is_empty() {
            return Ok(Matrix::default());
        }
        let num_frames = feats.num_rows();
        let mut squares = Vec::with_capacity(num_frames * self.inv_covars.num_cols());
        feats.rows().for_each(|frame| append_squares(frame, &mut squares));
        let squares = Matrix::from_vec(num_frames, self.inv_covars.num_cols(), squares);
        let mut likelihoods = Matrix::from_vec(num_frames, self.num_gauss(), self.gconsts().repeat(num_frames));
        let sums = likelihoods.add_product_transposed(feats, &self.means_invcovars);
        let sums = sums.and_then(|()| likelihoods.add_product_transposed(&squares, &self.inv_covars));
        sums.map_err(|_| Error::FeatsDim { expected: self.dim(), got: feats.num_cols() })?;
        Ok(likelihoods)
    }

    fn log_likelihoods_of(&self, frame: &[f32], gaussians: &[usize]) -> Vec<f32> {
        assert_eq!(frame.len(), self.dim());
        let mut squares = Vec::with_capacity(self.inv_covars.num_cols());
        append_squares(frame, &mut squares);
        let mut sums: Vec<f32> = gaussians.iter().map(|&gauss| self.gconsts()[gauss]).collect();
        for (vector, matrix) in [(frame, &self.means_invcovars), (&squares, &self.inv_covars)] {
            Products { vector, matrix: matrix.as_slice(), rows: gaussians, sums: &mut sums }.add();
        }
        sums
    }

    fn log_likelihoods_listed(&self, feats: &Matrix<f32>, lists: &[Vec<i32>]) -> Result<Vec<f32>> {
        Ok(listed_likelihoods(self, feats, &self.listed_places(feats, lists)?))
    }
}

const FORMAT: MixtureFormat = MixtureFormat {
    begin: ["<FullGMM>", "<FullGMMBegin>"],
    means: "<MEANS_INVCOVARS>",
    inverses: "<INV_COVARS>",
    end: ["</FullGMM>", "<FullGMMEnd>"],
};

impl KaldiObject for FullGmm {
    const NAME: &'static str = "mixture of Gaussians with full covariances";
    const TOKENS: Option<[&'static str; 2]> = Some([FORMAT.begin[0], FORMAT.end[0]]);

    fn read_part(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        let read_inverses = |cursor: &mut Cursor<'_>, num_gauss| -> Result<Vec<_>, ParseError> {
            (0..num_gauss).map(|_| SymmetricMatrix::read_part(cursor)).collect()
        };
        FORMAT.read(cursor, read_inverses, |weights, means, inverses| Self::new(weights, means, &inverses))
    }

    fn write_part(&self, out: &mut Vec<u8>, format: Format) {
        FORMAT.write(out, format, [&self.gconsts, &self.weights], &self.means_invcovars, |out| {
            (0..self.num_gauss()).for_each(|gauss| self.inv_covar(gauss).write_part::<f32>(out, format));
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kaldi_value::{Frame, Value};

    /// Means of (2, 0) and (1, 1), variances of 0.25 and 1, and covariances of 2, 1 and 2.
    const TEXT: &str = "<FullGMM> \n<GCONSTS>  [ -9.144730 -3.413664 ]\n<WEIGHTS>  [ 1 0.5 ]\n<MEANS_INVCOVARS>  [\n  8 0 \n  \
                        0.3333333 0.3333333 ]\n<INV_COVARS> [\n4 \n0 1 ]\n[\n0.6666667 \n-0.3333333 0.6666667 \
                        ]\n</FullGMM> \n";

    fn read(text: &str) -> Result<FullGmm, ParseError> {
        FullGmm::read(&mut Cursor::new(text.as_bytes()))
    }

    #[test]
    fn what_is_written_is_read_again() {
        let gmm = read(TEXT).unwrap();
        assert_eq!((gmm.num_gauss(), gmm.dim()), (2, 2));
        for format in [Format::Binary, Format::Text] {
            let bytes = gmm.to_bytes(format);
            assert_eq!(FullGmm::read(&mut Cursor::new(&bytes)), Ok(gmm.clone()));
            let length = bytes.trim_ascii_end().len() + 1;
            assert_eq!(FullGmm::frame(&bytes, true), Ok(Frame::Whole(length)));
            for length in 0..bytes.len() {
                assert!(FullGmm::read(&mut Cursor::new(&bytes[..length])).is_err() || bytes[length..] == *b"\n");
            }
        }
    }

    #[test]
    fn constants_are_computed_whatever_the_file_says() {
        let gmm = read(TEXT).unwrap();
        for (got, expected) in gmm.gconsts().iter().zip([-9.144_73, -3.413_664]) {
            assert!((got - expected).abs() < 1e-5, "{got} {expected}");
        }
        for text in [
            TEXT.replace("-9.144730", "0"),
            TEXT.replace("<GCONSTS>  [ -9.144730 -3.413664 ]\n", ""),
            TEXT.replace("<FullGMM>", "<FullGMMBegin>").replace("</FullGMM>", "<FullGMMEnd>"),
        ] {
            assert_eq!(read(&text), Ok(gmm.clone()), "{text}");
        }
    }

    #[test]
    fn likelihoods_are_those_of_the_density() {
        let gmm = read(TEXT).unwrap();
        let feats = Matrix::from_vec(3, 2, vec![0.0, 0.0, 1.5, -2.0, 3.0, 4.0]);
        let likelihoods = gmm.log_likelihoods(&feats).unwrap();
        for (frame, row) in feats.rows().zip(likelihoods.rows()) {
            for (gauss, &got) in row.iter().enumerate() {
                let (mean, covar) = gmm.moments(gauss).unwrap();
                let distance: Vec<f64> = frame.iter().zip(mean.as_slice()).map(|(&x, m)| f64::from(x) - m).collect();
                let cholesky = covar.cholesky().unwrap();
                let square = cholesky.inverse().quadratic_form(&distance).unwrap();
                let weight = f64::from(gmm.weights()[gauss]);
                let expected = weight.ln() - 0.5 * (square + cholesky.log_det()) - std::f64::consts::TAU.ln();
                assert!((f64::from(got) - expected).abs() < 1e-4, "{frame:?} {gauss}: {got} {expected}");
            }
            let listed = gmm.log_likelihoods_of(frame, &[1, 0]);
            assert!((listed[0] - row[1]).abs() < 1e-5 && (listed[1] - row[0]).abs() < 1e-5);
        }
        assert!(gmm.log_likelihoods(&Matrix::default()).unwrap().is_empty());
        assert!(gmm.log_likelihoods(&Matrix::new(1, 3)).is_err());
    }

    #[test]
    fn a_diagonal_mixture_is_a_full_one_without_covariances() {
        let text =
            "<DiagGMM> <WEIGHTS> [ 0.5 0.5 ] <MEANS_INVVARS> [ 8 0\n 1 3 ] <INV_VARS> [ 4 1\n 0.5 2 ] </DiagGMM> ";
        let diag = DiagGmm::read(&mut Cursor::new(text.as_bytes())).unwrap();
        let full = FullGmm::from(&diag);
        assert_eq!(full.inv_covar(1).as_slice(), [0.5, 0.0, 2.0]);
        assert!(FullGmm::read(&mut Cursor::new(&full.to_bytes(Format::Binary))).is_ok());
        let feats = Matrix::from_vec(1, 2, vec![0.5, -2.0]);
        assert_eq!(full.log_likelihoods(&feats).unwrap(), diag.log_likelihoods(&feats).unwrap());
    }

    #[test]
    fn parts_that_do_not_go_together_are_refused() {
        let message = |from: &str, to: &str| read(&TEXT.replace(from, to)).unwrap_err().to_string();
        assert!(message("[ 1 0.5 ]", "[ 1 ]").contains("expected token \"</FullGMM>\""));
        assert!(message("[\n4 \n0 1 ]", "[\n4 ]").contains("variances of 2 by 1"));
        assert!(message("[\n4 \n0 1 ]", "[\n4 \n2 1 ]").contains("the covariance of Gaussian 0: expected a positive"));
        assert!(message("1 0.5", "1 -1").contains("weights of 0 or more, got -1.0 for Gaussian 1"));
        assert!(message("[\n  8 0", "[\n  nan 0").contains("got others for Gaussian 0"));
        assert!(message("<FullGMM>", "<DiagGMM>").contains("expected token \"<FullGMM>\""));
    }
}
