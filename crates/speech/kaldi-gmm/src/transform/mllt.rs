//! Maximum likelihood linear transforms, also called global semi-tied covariances.

use crate::{DiagGmm, Error, Mixture, Result};
use kaldi_io::ParseError;
use kaldi_matrix::{Matrix, SymmetricMatrix, Vector, WeightedOuters};
use kaldi_value::{Cursor, Format, KaldiObject, write_basic, write_token};

/// The number of steps over all rows of the transform.
const NUM_ITERATIONS: usize = 200;

/// Statistics for MLLT: for each dimension, the covariance of all frames around the means of their Gaussians, each
/// divided by the variance of the Gaussian in that dimension.
///
/// Kaldi's `MlltAccs`, in double precision in files too.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct MlltStats {
    /// The number of frames.
    count: f64,
    /// A matrix for each dimension.
    squares: Vec<SymmetricMatrix>,
}

/// An estimate of MLLT.
#[derive(Clone, Debug, PartialEq)]
pub struct Mllt {
    /// The square transform.
    pub transform: Matrix<f32>,
    /// The number of frames in the statistics.
    pub count: f64,
    /// The improvement of the log likelihood of a frame after each iteration.
    pub improvements: Vec<f64>,
}

impl MlltStats {
    /// Starts statistics of zeros.
    pub fn new(dim: usize) -> Self {
        Self { count: 0.0, squares: vec![SymmetricMatrix::new(dim); dim] }
    }

    /// Starts to add frames. The statistics can be used again when what is returned is dropped.
    pub fn frames(&mut self) -> MlltFrames<'_> {
        let dim = self.dim();
        let (count, squares) = (&mut self.count, WeightedOuters::new(dim, &mut self.squares));
        MlltFrames { count, squares, offset: vec![0.0; dim], factors: vec![0.0; dim] }
    }

    /// The number of dimensions.
    pub fn dim(&self) -> usize {
        self.squares.len()
    }

    /// The number of frames.
    pub fn count(&self) -> f64 {
        self.count
    }

    /// Adds other statistics; empty ones become the others.
    ///
    /// # Errors
    /// If the dimensions differ.
    pub fn add(&mut self, other: Self) -> Result<()> {
        if self.squares.is_empty() {
            self.squares = vec![SymmetricMatrix::new(other.dim()); other.dim()];
        }
        let refused = || Error::MlltSize { expected: self.squares.len(), got: other.dim() };
        if self.squares.len() != other.dim() {
            return Err(refused());
        }
        for (sum, other) in self.squares.iter_mut().zip(&other.squares) {
            sum.add_scaled(1.0, other).map_err(Error::estimate("a sum of statistics"))?;
        }
        self.count += other.count;
        Ok(())
    }

    /// Estimates the transform under which diagonal covariances fit best, starting from the unit matrix.
    ///
    /// Follows Kaldi's `MlltAccs::Update`: 200 times over all rows; each is estimated while the others are fixed
    /// (equation 22 of Gales's "Semi-tied covariance matrices for hidden Markov models").
    ///
    /// # Errors
    /// If there are no statistics, or those of a dimension are not positive definite.
    pub fn estimate(&self) -> Result<Mllt> {
        let dim = self.dim();
        if dim == 0 {
            return Err(Error::NoData);
        }
        let mut inverses = Vec::with_capacity(dim);
        for (row, squares) in self.squares.iter().enumerate() {
            inverses.push(squares.inverse().map_err(Error::estimate(format!("row {row} of the transform")))?);
        }
        let mut transform = SymmetricMatrix::identity(dim).to_matrix();
        let mut improvements = Vec::with_capacity(NUM_ITERATIONS);
        let mut improvement = 0.0;
        for _ in 0..NUM_ITERATIONS {
            // Each new row changes the inverse. Computing it anew now and then keeps the roundings small.
            let mut inverse = transform.inverse().map_err(Error::estimate("the inverse of the transform"))?;
            for (row, squares_inverse) in inverses.iter().enumerate() {
                improvement += self
                    .estimate_row(row, squares_inverse, &mut transform, &mut inverse)
                    .map_err(Error::estimate(format!("row {row} of the transform")))??;
            }
            improvements.push(improvement / self.count);
        }
        Ok(Mllt { transform: transform.to_precision(), count: self.count, improvements })
    }

    /// Estimates one row of the transform while the others are fixed; returns the improvement of the objective
    /// function.
    fn estimate_row(
        &self,
        row: usize,
        squares_inverse: &SymmetricMatrix,
        transform: &mut Matrix<f64>,
        inverse: &mut Matrix<f64>,
    ) -> Result<Result<f64>, kaldi_matrix::Error> {
        let squares = &self.squares[row];
        // The cofactors of the row except for a factor, which makes no difference.
        let cofactors = inverse.column(row);
        let objective = |elements: &[f64]| -> Result<f64, kaldi_matrix::Error> {
            let product = dot(elements, cofactors.as_slice());
            Ok(self.count * product.abs().ln() - 0.5 * squares.quadratic_form(elements)?)
        };
        let before = objective(transform.row(row))?;
        let mut elements = squares_inverse.multiply_vector(cofactors.as_slice())?;
        elements.scale((self.count / elements.dot(&cofactors)?).sqrt());
        let after = objective(elements.as_slice())?;
        if after.is_nan() || after < before - before.abs() * 1.0e-5 {
            return Ok(Err(Error::ObjectiveDecrease { row, before, after }));
        }
        replace_row(transform, inverse, row, &elements);
        Ok(Ok(after - before))
    }
}

/// Adds frames to [`MlltStats`].
#[derive(Debug)]
pub struct MlltFrames<'a> {
    count: &'a mut f64,
    squares: WeightedOuters<'a>,
    /// The offset of a frame from the mean of a Gaussian.
    offset: Vec<f64>,
    /// The posterior of the Gaussian divided by its variances.
    factors: Vec<f64>,
}

impl MlltFrames<'_> {
    /// Adds a frame with its posteriors of the Gaussians of a mixture; those of zero do not count.
    ///
    /// # Errors
    /// If the mixture or the frame has another dimension.
    pub fn add(&mut self, gmm: &DiagGmm, frame: &[f32], posteriors: &[f32]) -> Result<()> {
        let expected = self.offset.len();
        if let Some(got) = [gmm.dim(), frame.len()].into_iter().find(|dim| *dim != expected) {
            return Err(Error::FeatsDim { expected, got });
        }
        let gaussians = gmm.means_invvars().rows().zip(gmm.inv_vars().rows()).zip(posteriors);
        for ((means, inv_vars), &posterior) in gaussians.filter(|(_, posterior)| **posterior != 0.0) {
            let parts = means.iter().zip(inv_vars).zip(frame);
            for (offset, ((mean, inv_var), value)) in self.offset.iter_mut().zip(parts) {
                *offset = f64::from(mean / inv_var - value);
            }
            for (factor, inv_var) in self.factors.iter_mut().zip(inv_vars) {
                *factor = f64::from(inv_var * posterior);
            }
            let added = self.squares.add(&self.offset, &self.factors);
            added.map_err(Error::estimate("the products of a frame"))?;
            *self.count += f64::from(posterior);
        }
        Ok(())
    }
}

pub(crate) fn dot(left: &[f64], right: &[f64]) -> f64 {
    left.iter().zip(right).map(|(a, b)| a * b).sum()
}

/// Replaces a row of a matrix, and changes its inverse accordingly (the Sherman-Morrison formula).
pub(crate) fn replace_row(matrix: &mut Matrix<f64>, inverse: &mut Matrix<f64>, row: usize, elements: &Vector<f64>) {
    let dim = matrix.num_rows();
    let old = matrix.row_mut(row);
    let change: Vec<f64> = elements.as_slice().iter().zip(&*old).map(|(new, old)| new - old).collect();
    old.copy_from_slice(elements.as_slice());

    let column = inverse.column(row);
    let mut change_times_inverse = vec![0.0; dim];
    for (row, &change) in inverse.rows().zip(&change) {
        for (sum, value) in change_times_inverse.iter_mut().zip(row) {
            *sum += change * value;
        }
    }
    let factor = 1.0 / (1.0 + change_times_inverse[row]);
    for (row, &value) in inverse.rows_mut().zip(column.as_slice()) {
        for (element, product) in row.iter_mut().zip(&change_times_inverse) {
            *element -= factor * value * product;
        }
    }
}

impl KaldiObject for MlltStats {
    const NAME: &'static str = "MLLT statistics";
    const TOKENS: Option<[&'static str; 2]> = Some(["<MlltAccs>", "</MlltAccs>"]);

    fn read_part(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        cursor.expect_token("<MlltAccs>")?;
        let count = cursor.read_basic()?;
        let offset = cursor.offset();
        let claimed: i32 = cursor.read_basic()?;
        let Ok(dim) = usize::try_from(claimed) else {
            return Err(ParseError::new(offset, format!("expected a dimension, got {claimed}")));
        };
        cursor.expect_token("<G>")?;
        let mut squares = Vec::new();
        for _ in 0..dim {
            let offset = cursor.offset();
            let matrix = SymmetricMatrix::read_part(cursor)?;
            if matrix.dim() != dim {
                let message = format!("expected a symmetric matrix of {dim} dimensions, got {}", matrix.dim());
                return Err(ParseError::new(offset, message));
            }
            squares.push(matrix);
        }
        cursor.expect_token("</MlltAccs>")?;
        Ok(Self { count, squares })
    }

    fn write_part(&self, out: &mut Vec<u8>, format: Format) {
        write_token(out, b"<MlltAccs>");
        format.end_line(out);
        write_basic(out, format, self.count);
        write_basic(out, format, self.dim() as i32);
        write_token(out, b"<G>");
        format.end_line(out);
        for squares in &self.squares {
            squares.write_part::<f64>(out, format);
        }
        write_token(out, b"</MlltAccs>");
        format.end_line(out);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kaldi_value::{Frame, Value};

    fn stats() -> MlltStats {
        let squares =
            [[400.0, 100.0, 300.0], [200.0, -50.0, 500.0]].map(|data| SymmetricMatrix::from_vec(2, data.to_vec()));
        MlltStats { count: 100.0, squares: squares.to_vec() }
    }

    #[test]
    fn frames_are_added_around_the_means() {
        // A mean of (2, 0), variances of 0.5 and 1.
        let text = "<DiagGMM> <WEIGHTS> [ 1 ] <MEANS_INVVARS> [ 4 0 ] <INV_VARS> [ 2 1 ] </DiagGMM> ";
        let gmm = DiagGmm::read(&mut Cursor::new(text.as_bytes())).unwrap();
        let mut stats = MlltStats::new(2);
        stats.frames().add(&gmm, &[3.0, 2.0], &[0.5]).unwrap();
        stats.frames().add(&gmm, &[9.0, 9.0], &[0.0]).unwrap();
        assert_eq!(stats.count(), 0.5);
        assert_eq!([stats.squares[0].as_slice(), stats.squares[1].as_slice()], [[1.0, 2.0, 4.0], [0.5, 1.0, 2.0]]);
        assert!(stats.frames().add(&gmm, &[1.0], &[1.0]).is_err());
    }

    #[test]
    fn what_is_written_is_read_again() {
        for format in [Format::Binary, Format::Text] {
            for stats in [stats(), MlltStats::default()] {
                let bytes = stats.to_bytes(format);
                let mut cursor = Cursor::new(&bytes);
                assert_eq!(MlltStats::read(&mut cursor), Ok(stats));
                for length in 0..cursor.offset() {
                    let cut = MlltStats::frame(&bytes[..length], false);
                    assert!(matches!(cut, Ok(Frame::Partial(_))), "{length}: {cut:?}");
                    assert!(MlltStats::frame(&bytes[..length], true).is_err());
                }
            }
        }
    }

    #[test]
    fn the_text_is_that_of_kaldi() {
        let bytes = stats().to_bytes(Format::Text);
        let text = "<MlltAccs> \n100 2 <G> \n[\n400 \n100 300 ]\n[\n200 \n-50 500 ]\n</MlltAccs> \n";
        assert_eq!(String::from_utf8(bytes).unwrap(), text);
    }

    #[test]
    fn sizes_that_do_not_agree_are_refused() {
        let message = |text: &str| MlltStats::read(&mut Cursor::new(text.as_bytes())).unwrap_err().to_string();
        let text = "<MlltAccs> 100 2 <G> [ 400 100 300 ]\n[ 200 ]\n</MlltAccs> ";
        assert_eq!(message(text), "expected a symmetric matrix of 2 dimensions, got 1");
        assert_eq!(message("<MlltAccs> 100 -2 <G> "), "expected a dimension, got -2");
        assert!(message("<MlltAccs> 100 2000000000 <G> ").starts_with("expected"));
    }

    #[test]
    fn sums_grow_by_what_is_added() {
        let mut sum = MlltStats::default();
        sum.add(stats()).unwrap();
        assert_eq!(sum, stats());
        sum.add(stats()).unwrap();
        assert_eq!((sum.count(), sum.squares[1].as_slice()), (200.0, &[400.0, -100.0, 1000.0][..]));
        let other = MlltStats { count: 1.0, squares: vec![SymmetricMatrix::identity(1)] };
        let error = sum.add(other).unwrap_err().to_string();
        assert_eq!(error, "summing accs of different size: expected statistics in 2 dimensions, got 1");
    }

    #[test]
    fn the_estimate_is_where_no_row_can_be_better() {
        let stats = stats();
        let Mllt { transform, count, improvements } = stats.estimate().unwrap();
        assert_eq!((count, improvements.len()), (100.0, NUM_ITERATIONS));
        assert!(improvements.is_sorted() && improvements[0] > 0.0);
        // There, each row times its statistics is the number of frames times the column of the inverse.
        let transform = transform.to_precision::<f64>();
        let inverse = transform.inverse().unwrap();
        for (row, squares) in stats.squares.iter().enumerate() {
            let product = squares.multiply_vector(transform.row(row)).unwrap();
            for (value, cofactor) in product.as_slice().iter().zip(inverse.column(row).as_slice()) {
                assert!((value - 100.0 * cofactor).abs() < 1e-3 * value.abs().max(1.0), "{value} {cofactor}");
            }
        }
    }

    #[test]
    fn an_inverse_follows_its_matrix() {
        let mut matrix = Matrix::from_vec(3, 3, vec![2.0, 1.0, 0.0, -1.0, 3.0, 1.0, 0.5, 0.0, 1.0]);
        let mut inverse = matrix.inverse().unwrap();
        replace_row(&mut matrix, &mut inverse, 1, &Vector::from_vec(vec![4.0, -1.0, 2.0]));
        assert_eq!(matrix.row(1), [4.0, -1.0, 2.0]);
        let difference =
            inverse.as_slice().iter().zip(matrix.inverse().unwrap().into_vec()).map(|(a, b)| (a - b).abs());
        assert!(difference.fold(0.0, f64::max) < 1e-12);
    }

    #[test]
    fn nothing_is_estimated_from_nothing() {
        assert_eq!(MlltStats::default().estimate().unwrap_err(), Error::NoData);
        let mut singular = stats();
        singular.squares[1] = SymmetricMatrix::new(2);
        let error = singular.estimate().unwrap_err().to_string();
        assert!(error.starts_with("cannot compute row 1 of the transform: expected a positive definite matrix"));
        for count in [0.0, -5.0, f64::NAN] {
            assert!(MlltStats { count, ..stats() }.estimate().is_err(), "{count}");
        }
    }
}
