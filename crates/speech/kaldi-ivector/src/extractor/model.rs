//! The parameters of an i-vector extractor, and their file.

use kaldi_io::ParseError;
use kaldi_matrix::{Matrix, SymmetricMatrix, Vector};
use kaldi_value::random::{Random, RandomState};
use kaldi_value::{Cursor, Format, KaldiObject, write_basic, write_token};

use crate::{Error, Result};

/// The prior mean of the first dimension in a new extractor: the means of the mixture are this times the first columns.
const FIRST_OFFSET: f64 = 100.0;

/// A model of how the means of a Gaussian mixture depend on the speaker (Kaldi's `IvectorExtractor`).
///
/// The mean of Gaussian `i` is a projection matrix `M_i` (feature dimension × i-vector dimension) times the i-vector.
/// I-vectors have a normal distribution with a unit covariance and a mean that is zero except for its first element,
/// the *prior offset*. Weights are fixed, or log-linear functions of the i-vector. As text, of one Gaussian:
///
/// ```text
/// <IvectorExtractor> <w>  [ ]
/// <w_vec>  [ 1 ]
/// <M> 1  [
///   0.5 1 ]
/// <SigmaInv> [
/// 4 ]
/// <IvectorOffset> 100 </IvectorExtractor>
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct IvectorExtractor {
    /// The projections to log weights, number of Gaussians × i-vector dimension; empty if weights are fixed.
    pub(super) weight_projections: Matrix<f64>,
    /// The weights of the Gaussians; empty if they depend on the i-vector.
    pub(super) weights: Vector<f64>,
    /// For each Gaussian, feature dimension × i-vector dimension.
    pub(super) projections: Vec<Matrix<f64>>,
    /// The inverse covariance of each Gaussian.
    pub(super) inverse_covariances: Vec<SymmetricMatrix>,
    pub(super) prior_offset: f64,
}

impl IvectorExtractor {
    /// Makes an extractor for i-vectors of `ivector_dim` dimensions from a Gaussian mixture: the first columns of the
    /// projections are its means, all others are drawn at random. With `use_weights` the weights depend on the i-vector,
    /// otherwise they are those of the mixture.
    ///
    /// # Errors
    /// If the dimension is 0, or the parts of the mixture do not fit each other.
    pub fn new(
        weights: Vector<f64>,
        means: &Matrix<f64>,
        inverse_covariances: Vec<SymmetricMatrix>,
        ivector_dim: usize,
        use_weights: bool,
        random: &mut Random,
    ) -> Result<Self> {
        if ivector_dim == 0 {
            return Err(Error::Option { name: "ivector_dim", expected: "1 or more", got: 0.0 });
        }
        let num_gauss = inverse_covariances.len();
        let draw = |mean: &[f64]| {
            let mut state = RandomState::new(random);
            let mut row = vec![0.0; ivector_dim];
            let rows = mean.iter().flat_map(|mean| {
                state.fill_gauss(&mut row);
                let first = std::iter::once(mean * (1.0 / FIRST_OFFSET));
                first.chain(row[1..].iter().map(|&value| f64::from(value))).collect::<Vec<f64>>()
            });
            Matrix::from_vec(mean.len(), ivector_dim, rows.collect())
        };
        let projections = means.rows().map(draw).collect();
        let (weight_projections, weights) = match use_weights {
            true => (Matrix::new(num_gauss, ivector_dim), Vector::default()),
            false => (Matrix::default(), weights),
        };
        let extractor =
            Self { weight_projections, weights, projections, inverse_covariances, prior_offset: FIRST_OFFSET };
        extractor.checked()
    }

    fn checked(self) -> Result<Self> {
        let expect =
            |what, expected, got| if expected == got { Ok(()) } else { Err(Error::Length { what, expected, got }) };
        let num_gauss = self.num_gauss();
        if num_gauss == 0 || self.projections[0].is_empty() {
            return Err(Error::Length { what: "projections to means at least", expected: 1, got: 0 });
        }
        let (feat_dim, ivector_dim) = (self.feat_dim(), self.ivector_dim());
        expect("inverse covariances", num_gauss, self.inverse_covariances.len())?;
        for (projection, covariance) in self.projections.iter().zip(&self.inverse_covariances) {
            expect("rows of a projection", feat_dim, projection.num_rows())?;
            expect("columns of a projection", ivector_dim, projection.num_cols())?;
            expect("dimensions of an inverse covariance", feat_dim, covariance.dim())?;
        }
        if self.has_weight_projections() {
            expect("rows of the projections to weights", num_gauss, self.weight_projections.num_rows())?;
            expect("columns of the projections to weights", ivector_dim, self.weight_projections.num_cols())?;
        } else {
            expect("weights", num_gauss, self.weights.dim())?;
        }
        Ok(self)
    }

    /// The number of Gaussians.
    pub fn num_gauss(&self) -> usize {
        self.projections.len()
    }

    /// The dimension of features.
    pub fn feat_dim(&self) -> usize {
        self.projections[0].num_rows()
    }

    /// The dimension of i-vectors.
    pub fn ivector_dim(&self) -> usize {
        self.projections[0].num_cols()
    }

    /// The mean of the first element of i-vectors; the others have a mean of zero.
    pub fn prior_offset(&self) -> f64 {
        self.prior_offset
    }

    /// For each Gaussian, the projection of i-vectors to its mean: feature dimension × i-vector dimension.
    pub fn projections(&self) -> &[Matrix<f64>] {
        &self.projections
    }

    /// The inverse covariance of each Gaussian.
    pub fn inverse_covariances(&self) -> &[SymmetricMatrix] {
        &self.inverse_covariances
    }

    /// The weights of the Gaussians; empty if they depend on the i-vector.
    pub fn weights(&self) -> &[f64] {
        self.weights.as_slice()
    }

    /// The projections of i-vectors to log weights, number of Gaussians × i-vector dimension; empty if weights are fixed.
    pub fn weight_projections(&self) -> &Matrix<f64> {
        &self.weight_projections
    }

    /// Whether the weights of Gaussians depend on the i-vector.
    pub fn has_weight_projections(&self) -> bool {
        !self.weight_projections.is_empty()
    }
}

impl KaldiObject for IvectorExtractor {
    const NAME: &'static str = "i-vector extractor";
    const TOKENS: Option<[&'static str; 2]> = Some(["<IvectorExtractor>", "</IvectorExtractor>"]);

    fn read_part(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        cursor.skip_space();
        let start = cursor.offset();
        cursor.expect_token("<IvectorExtractor>")?;
        cursor.expect_token("<w>")?;
        let weight_projections = Matrix::read_part(cursor)?;
        cursor.expect_token("<w_vec>")?;
        let weights = Vector::read_part(cursor)?;
        cursor.expect_token("<M>")?;
        let size_at = cursor.offset();
        let num_gauss: i32 = cursor.read_basic()?;
        if num_gauss < 1 {
            return Err(ParseError::new(size_at, format!("expected 1 Gaussian or more, got {num_gauss}")));
        }
        let projections = (0..num_gauss).map(|_| Matrix::read_part(cursor)).collect::<Result<_, _>>()?;
        cursor.expect_token("<SigmaInv>")?;
        let covariances = (0..num_gauss).map(|_| SymmetricMatrix::read_part(cursor));
        let inverse_covariances = covariances.collect::<Result<_, _>>()?;
        cursor.expect_token("<IvectorOffset>")?;
        let prior_offset: f64 = cursor.read_basic()?;
        cursor.count_numbers(usize::from(!prior_offset.is_finite()), 1);
        cursor.expect_token("</IvectorExtractor>")?;
        let extractor = Self { weight_projections, weights, projections, inverse_covariances, prior_offset };
        extractor.checked().map_err(|error| ParseError::new(start, error.to_string()))
    }

    fn write_part(&self, out: &mut Vec<u8>, format: Format) {
        write_token(out, b"<IvectorExtractor>");
        write_token(out, b"<w>");
        self.weight_projections.write_part(out, format);
        write_token(out, b"<w_vec>");
        self.weights.write_part(out, format);
        write_token(out, b"<M>");
        write_basic(out, format, self.num_gauss() as i32);
        self.projections.iter().for_each(|projection| projection.write_part(out, format));
        write_token(out, b"<SigmaInv>");
        self.inverse_covariances.iter().for_each(|covariance| covariance.write_part::<f64>(out, format));
        write_token(out, b"<IvectorOffset>");
        write_basic(out, format, self.prior_offset);
        write_token(out, b"</IvectorExtractor>");
    }
}
