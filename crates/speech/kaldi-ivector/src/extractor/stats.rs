//! Statistics from which an extractor is estimated, and their file.

use kaldi_io::ParseError;
use kaldi_matrix::{Matrix, SymmetricMatrix, Vector};
use kaldi_value::{Cursor, Format, KaldiObject, write_basic, write_token};

use super::IvectorExtractor;
use crate::{Error, Result};

/// Statistics of utterances and their i-vectors (Kaldi's `IvectorExtractorStats`), in double precision.
///
/// Files have the two large sums of scatters of i-vectors in single precision. Scatters are lower triangles, one a row.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct IvectorExtractorStats {
    /// The log likelihood of all utterances, with the prior of their i-vectors; 0 if it was not computed.
    pub(super) objective: f64,
    /// The sum of the weights of each Gaussian.
    pub(super) counts: Vector<f64>,
    /// For each Gaussian the sum of the frames times the i-vectors, feature dimension × i-vector dimension.
    pub(super) products: Vec<Matrix<f64>>,
    /// For each Gaussian the scatter of i-vectors, weighted by its count.
    pub(super) scatters: Matrix<f64>,
    /// For each Gaussian the scatter of i-vectors, weighted for the projections to weights; empty without these.
    pub(super) weight_scatters: Matrix<f64>,
    /// For each Gaussian the linear term of its projection to weights; empty without these.
    pub(super) weight_terms: Matrix<f64>,
    /// For each Gaussian the scatter of the frames; empty if variances are not updated.
    pub(super) squares: Vec<SymmetricMatrix>,
    /// The number of i-vectors.
    pub(super) num_ivectors: f64,
    /// The sum of the i-vectors.
    pub(super) sum: Vector<f64>,
    /// The scatter of the i-vectors.
    pub(super) scatter: SymmetricMatrix,
}

impl IvectorExtractorStats {
    /// Makes statistics of no utterance.
    pub fn new(extractor: &IvectorExtractor, update_variances: bool) -> Self {
        let (num_gauss, feat_dim, dim) = (extractor.num_gauss(), extractor.feat_dim(), extractor.ivector_dim());
        let triangle = dim * (dim + 1) / 2;
        let has_weights = extractor.has_weight_projections();
        let if_weights = |cols| if has_weights { Matrix::new(num_gauss, cols) } else { Matrix::default() };
        Self {
            objective: 0.0,
            counts: Vector::new(num_gauss),
            products: vec![Matrix::new(feat_dim, dim); num_gauss],
            scatters: Matrix::new(num_gauss, triangle),
            weight_scatters: if_weights(triangle),
            weight_terms: if_weights(dim),
            squares: vec![SymmetricMatrix::new(feat_dim); if update_variances { num_gauss } else { 0 }],
            num_ivectors: 0.0,
            sum: Vector::new(dim),
            scatter: SymmetricMatrix::new(dim),
        }
    }

    /// The number of Gaussians.
    pub fn num_gauss(&self) -> usize {
        self.counts.dim()
    }

    /// The dimension of features; 0 if there are no statistics.
    pub fn feat_dim(&self) -> usize {
        self.products.first().map_or(0, Matrix::num_rows)
    }

    /// The dimension of i-vectors.
    pub fn ivector_dim(&self) -> usize {
        self.sum.dim()
    }

    /// The number of i-vectors.
    pub fn num_ivectors(&self) -> f64 {
        self.num_ivectors
    }

    /// The sum of the weights of all frames.
    pub fn count(&self) -> f64 {
        self.counts.sum()
    }

    /// The log likelihood of all utterances, with the prior of their i-vectors; 0 if it was not computed.
    pub fn objective(&self) -> f64 {
        self.objective
    }

    /// Adds other statistics; empty ones become the others.
    ///
    /// # Errors
    /// If the sizes differ.
    pub fn add(&mut self, other: Self) -> Result<()> {
        if self.counts.is_empty() {
            *self = other;
            return Ok(());
        }
        let (expected, got) = (self.sizes(), other.sizes());
        if let Some(((what, expected), (_, got))) = expected.into_iter().zip(got).find(|(a, b)| a != b) {
            return Err(Error::Length { what, expected, got });
        }
        self.objective += other.objective;
        self.num_ivectors += other.num_ivectors;
        let mut add = || {
            self.counts.add(&other.counts)?;
            for (sum, other) in self.products.iter_mut().zip(&other.products) {
                sum.add(other)?;
            }
            self.scatters.add(&other.scatters)?;
            self.weight_scatters.add(&other.weight_scatters)?;
            self.weight_terms.add(&other.weight_terms)?;
            for (sum, other) in self.squares.iter_mut().zip(&other.squares) {
                sum.add_scaled(1.0, other)?;
            }
            self.sum.add(&other.sum)?;
            self.scatter.add_scaled(1.0, &other.scatter)
        };
        add().map_err(Error::matrix("a sum of statistics"))
    }

    /// The sizes that have to be the same in statistics that are added up.
    fn sizes(&self) -> [(&'static str, usize); 5] {
        [
            ("Gaussians of statistics", self.counts.dim()),
            ("dimensions of i-vectors", self.sum.dim()),
            ("dimensions of features", self.products.first().map_or(0, Matrix::num_rows)),
            ("scatters for the weights of Gaussians", self.weight_terms.num_rows()),
            ("scatters of frames", self.squares.len()),
        ]
    }

    /// Checks the statistics against an extractor.
    pub(super) fn check(&self, extractor: &IvectorExtractor) -> Result<()> {
        let num_gauss = extractor.num_gauss();
        let weights = if extractor.has_weight_projections() { num_gauss } else { 0 };
        let expected = [num_gauss, extractor.ivector_dim(), extractor.feat_dim(), weights, self.squares.len()];
        for ((what, got), expected) in self.sizes().into_iter().zip(expected) {
            if got != expected {
                return Err(Error::Length { what, expected, got });
            }
        }
        Ok(())
    }

    /// Checks that the parts fit each other.
    fn checked(self) -> Result<Self> {
        let expect =
            |what, expected, got| if expected == got { Ok(()) } else { Err(Error::Length { what, expected, got }) };
        let (num_gauss, dim) = (self.counts.dim(), self.sum.dim());
        let feat_dim = self.products.first().map_or(0, Matrix::num_rows);
        let triangle = dim * (dim + 1) / 2;
        expect("sums of products", num_gauss, self.products.len())?;
        for product in &self.products {
            expect("rows of a sum of products", feat_dim, product.num_rows())?;
            expect("columns of a sum of products", dim, product.num_cols())?;
        }
        expect("scatters", num_gauss, self.scatters.num_rows())?;
        expect("elements of a scatter", triangle, self.scatters.num_cols())?;
        let weights = if self.weight_terms.is_empty() { 0 } else { num_gauss };
        let if_weights = |size| if weights == 0 { 0 } else { size };
        expect("terms of weights", weights, self.weight_terms.num_rows())?;
        expect("elements of a term of weights", if_weights(dim), self.weight_terms.num_cols())?;
        expect("scatters for weights", weights, self.weight_scatters.num_rows())?;
        expect("elements of a scatter for weights", if_weights(triangle), self.weight_scatters.num_cols())?;
        expect("scatters of frames", if self.squares.is_empty() { 0 } else { num_gauss }, self.squares.len())?;
        for squares in &self.squares {
            expect("dimensions of a scatter of frames", feat_dim, squares.dim())?;
        }
        expect("dimensions of the scatter of all i-vectors", dim, self.scatter.dim())?;
        Ok(self)
    }
}

/// Consumes a number of parts, and as many parts.
fn read_parts<T>(
    cursor: &mut Cursor<'_>,
    read: impl Fn(&mut Cursor<'_>) -> Result<T, ParseError>,
) -> Result<Vec<T>, ParseError> {
    let start = cursor.offset();
    let count: i32 = cursor.read_basic()?;
    if count < 0 {
        return Err(ParseError::new(start, format!("expected a number of Gaussians, got {count}")));
    }
    (0..count).map(|_| read(cursor)).collect()
}

impl KaldiObject for IvectorExtractorStats {
    const NAME: &'static str = "i-vector extractor statistics";
    const TOKENS: Option<[&'static str; 2]> = Some(["<IvectorExtractorStats>", "</IvectorExtractorStats>"]);

    fn read_part(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        cursor.skip_space();
        let start = cursor.offset();
        cursor.expect_token("<IvectorExtractorStats>")?;
        cursor.expect_token("<TotAuxf>")?;
        let objective = cursor.read_basic()?;
        cursor.expect_token("<gamma>")?;
        let counts = Vector::read_part(cursor)?;
        cursor.expect_token("<Y>")?;
        let products = read_parts(cursor, Matrix::read_part)?;
        cursor.expect_token("<R>")?;
        let scatters = Matrix::read_part(cursor)?;
        cursor.expect_token("<Q>")?;
        let weight_scatters = Matrix::read_part(cursor)?;
        cursor.expect_token("<G>")?;
        let weight_terms = Matrix::read_part(cursor)?;
        cursor.expect_token("<S>")?;
        let squares = read_parts(cursor, SymmetricMatrix::read_part)?;
        cursor.expect_token("<NumIvectors>")?;
        let num_ivectors = cursor.read_basic()?;
        cursor.expect_token("<IvectorSum>")?;
        let sum = Vector::read_part(cursor)?;
        cursor.expect_token("<IvectorScatter>")?;
        let scatter = SymmetricMatrix::read_part(cursor)?;
        cursor.expect_token("</IvectorExtractorStats>")?;
        let stats = Self {
            objective,
            counts,
            products,
            scatters,
            weight_scatters,
            weight_terms,
            squares,
            num_ivectors,
            sum,
            scatter,
        };
        stats.checked().map_err(|error| ParseError::new(start, error.to_string()))
    }

    fn write_part(&self, out: &mut Vec<u8>, format: Format) {
        write_token(out, b"<IvectorExtractorStats>");
        write_token(out, b"<TotAuxf>");
        write_basic(out, format, self.objective);
        write_token(out, b"<gamma>");
        self.counts.write_part(out, format);
        write_token(out, b"<Y>");
        write_basic(out, format, self.products.len() as i32);
        self.products.iter().for_each(|product| product.write_part(out, format));
        write_token(out, b"<R>");
        self.scatters.to_precision::<f32>().write_part(out, format);
        write_token(out, b"<Q>");
        self.weight_scatters.to_precision::<f32>().write_part(out, format);
        write_token(out, b"<G>");
        self.weight_terms.write_part(out, format);
        write_token(out, b"<S>");
        write_basic(out, format, self.squares.len() as i32);
        self.squares.iter().for_each(|squares| squares.write_part::<f64>(out, format));
        write_token(out, b"<NumIvectors>");
        write_basic(out, format, self.num_ivectors);
        write_token(out, b"<IvectorSum>");
        self.sum.write_part(out, format);
        write_token(out, b"<IvectorScatter>");
        self.scatter.write_part::<f64>(out, format);
        write_token(out, b"</IvectorExtractorStats>");
    }
}
