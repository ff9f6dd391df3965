//! fMLLR transforms as sums of a few matrices, for speakers with little data.

use crate::{AmDiagGmm, Error, Mixture, Result};
use kaldi_io::ParseError;
use kaldi_matrix::{Matrix, SymmetricMatrix, Vector};
use kaldi_value::{Cursor, Format, KaldiObject, write_basic, write_token};

use crate::transform::FmllrStats;
use crate::transform::fmllr::{Affine, of_row};

/// Statistics for [`BasisFmllr`] (Kaldi's `BasisFmllrAccus`): the products of the derivatives of the likelihood of each speaker by
/// the elements of an fMLLR transform that changes nothing. In double precision, and in single precision in files.
///
/// As text, of one dimension:
///
/// ```text
/// <BASISFMLLRACCUS> <BETA> 12
/// <GRADSCATTER> [
/// 4
/// 1 2
/// ]
/// </BASISFMLLRACCUS>
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct BasisFmllrStats {
    /// The number of frames.
    count: f64,
    /// Of the rows of the transform, one after the other: `dim * (dim + 1)` elements.
    scatter: SymmetricMatrix,
}

/// Matrices whose sums are the fMLLR transforms of speakers, the most important one first (Kaldi's `BasisFmllrEstimate`; Povey and Yao,
/// "A basis method for robust estimation of constrained MLLR").
#[derive(Clone, Debug, PartialEq)]
pub struct BasisFmllr {
    /// `dim × (dim + 1)`.
    pub(crate) bases: Vec<Matrix<f32>>,
}

impl BasisFmllrStats {
    /// The number of frames, as a sum of their weights.
    pub fn count(&self) -> f64 {
        self.count
    }

    /// The number of dimensions.
    pub fn dim(&self) -> usize {
        // There are dim * (dim + 1) elements in a transform.
        self.scatter.dim().isqrt()
    }

    /// Starts statistics of zeros.
    pub fn new(dim: usize) -> Self {
        Self { count: 0.0, scatter: SymmetricMatrix::new(dim * (dim + 1)) }
    }

    /// Adds a speaker; without frames nothing changes.
    ///
    /// # Errors
    /// If the statistics have another dimension.
    pub fn add_speaker(&mut self, stats: &FmllrStats) -> Result<()> {
        if stats.count() <= 0.0 {
            return Ok(());
        }
        self.count += stats.count();
        let gradient = gradient(stats, &Affine::unit(stats.dim()))?;
        let gradient: Vec<f64> = gradient.as_slice().iter().map(|&value| f64::from(value as f32)).collect();
        let factor = f64::from((1.0 / stats.count()) as f32);
        self.scatter.add_outer(factor, &gradient).map_err(Error::estimate("the products of derivatives"))
    }

    /// Adds other statistics.
    ///
    /// # Errors
    /// If they have another dimension.
    pub fn add(&mut self, other: &Self) -> Result<()> {
        let (expected, got) = (self.scatter.dim(), other.scatter.dim());
        if expected != got {
            return Err(Error::BasisSize { expected, got });
        }
        self.count += other.count;
        self.scatter.add_scaled(1.0, &other.scatter).map_err(Error::estimate("a sum of statistics"))
    }

    /// Estimates the matrices, with the eigenvalue of each: half of it is about the gain in log likelihood, of all frames.
    /// Also returns the number of frames.
    ///
    /// # Errors
    /// If the model has another dimension, or its statistics are not positive definite.
    pub fn estimate(&self, model: &AmDiagGmm) -> Result<(BasisFmllr, Vector<f64>, f64)> {
        let dim = model.dim();
        if self.scatter.dim() != dim * (dim + 1) {
            return Err(Error::BasisSize { expected: dim * (dim + 1), got: self.scatter.dim() });
        }
        let failed = || Error::estimate("the bases of the transforms");
        // Coordinates in which all directions matter equally.
        let inverse_factor = curvature(model)?.cholesky().map_err(failed())?.inverse_factor();
        let mut eigen =
            self.scatter.transformed(&inverse_factor).and_then(|scatter| scatter.eigen()).map_err(failed())?;
        eigen.values.as_mut_slice().iter_mut().for_each(|value| *value = value.max(0.0));
        eigen.sort();
        let bases = eigen.vectors.multiply(&inverse_factor).map_err(failed())?.to_precision::<f32>();
        let bases = bases.rows().map(|elements| Matrix::from_vec(dim, dim + 1, elements.to_vec())).collect();
        Ok((BasisFmllr { bases }, eigen.values, self.count))
    }
}

/// The derivatives of the log likelihood by the elements of a transform, `dim × (dim + 1)`.
pub(crate) fn gradient(stats: &FmllrStats, affine: &Affine) -> Result<Matrix<f64>> {
    let dim = stats.dim();
    let inverse = affine.square.inverse().map_err(Error::estimate("the inverse of the transform"))?;
    let mut gradient = stats.linear.clone();
    for (row, (out, quadratic)) in gradient.rows_mut().zip(&stats.quadratic).enumerate() {
        let product = quadratic.multiply_vector(&affine.row(row)).map_err(Error::estimate(of_row(row)))?;
        out.iter_mut().zip(product.as_slice()).for_each(|(out, product)| *out -= product);
        for (col, out) in out[..dim].iter_mut().enumerate() {
            *out += stats.count() * inverse.row(col)[row];
        }
    }
    Ok(gradient)
}

/// The expected second derivatives of the log likelihood of a frame by the elements of a transform, with the other sign.
fn curvature(model: &AmDiagGmm) -> Result<SymmetricMatrix> {
    let (dim, failed) = (model.dim(), || Error::estimate("the second derivatives"));
    let mut expected = vec![SymmetricMatrix::new(dim + 1); dim];
    for gmm in model.pdfs() {
        let (means, vars) = (gmm.means(), gmm.vars());
        for (gauss, &weight) in gmm.weights().iter().enumerate() {
            let extended: Vec<f64> = means.row(gauss).iter().map(|&mean| f64::from(mean)).chain([1.0]).collect();
            let vars: Vec<f64> = vars.row(gauss).iter().map(|&var| f64::from(var)).collect();
            let mut moments = SymmetricMatrix::new(dim + 1);
            moments.add_outer(1.0, &extended).map_err(failed())?;
            for (at, var) in vars.iter().enumerate() {
                moments.lower_row_mut(at)[at] += var;
            }
            for (sums, var) in expected.iter_mut().zip(&vars) {
                let share = f64::from(weight) / model.num_pdfs() as f64 / var;
                sums.add_scaled(share, &moments).map_err(failed())?;
            }
        }
    }
    let mut all = SymmetricMatrix::new(dim * (dim + 1));
    for (block, expected) in expected.iter().enumerate() {
        let start = block * (dim + 1);
        for row in 0..=dim {
            all.lower_row_mut(start + row)[start..=start + row].copy_from_slice(expected.lower_row(row));
        }
    }
    // Those of the determinant.
    for row in 0..dim {
        for col in 0..=row {
            let (left, right) = (row * (dim + 1) + col, col * (dim + 1) + row);
            all.lower_row_mut(left.max(right))[left.min(right)] += 1.0;
        }
    }
    Ok(all)
}

impl BasisFmllr {
    /// The matrices, each of `dim × (dim + 1)`, the most important one first.
    pub fn bases(&self) -> &[Matrix<f32>] {
        &self.bases
    }

    /// The number of matrices.
    pub fn num_bases(&self) -> usize {
        self.bases.len()
    }

    /// The number of dimensions.
    pub fn dim(&self) -> usize {
        self.bases[0].num_rows()
    }
}

/// Whether there is a dimension `dim` with `dim * (dim + 1)` elements.
fn is_size_of_transform(size: usize) -> bool {
    let dim = (1..).take_while(|dim| dim * (dim + 1) <= size).last();
    dim.is_some_and(|dim: usize| dim * (dim + 1) == size)
}

impl KaldiObject for BasisFmllrStats {
    const NAME: &'static str = "statistics of bases of fMLLR";
    const TOKENS: Option<[&'static str; 2]> = Some(["<BASISFMLLRACCUS>", "</BASISFMLLRACCUS>"]);

    fn read_part(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        cursor.expect_token("<BASISFMLLRACCUS>")?;
        cursor.expect_token("<BETA>")?;
        let count = cursor.read_basic()?;
        cursor.expect_token("<GRADSCATTER>")?;
        let start = cursor.offset();
        let scatter = SymmetricMatrix::read_part(cursor)?;
        if !is_size_of_transform(scatter.dim()) {
            let message = format!("expected products of dim * (dim + 1) elements, got {}", scatter.dim());
            return Err(ParseError::new(start, message));
        }
        cursor.expect_token("</BASISFMLLRACCUS>")?;
        Ok(Self { count, scatter })
    }

    fn write_part(&self, out: &mut Vec<u8>, format: Format) {
        write_token(out, b"<BASISFMLLRACCUS>");
        write_token(out, b"<BETA>");
        write_basic(out, format, self.count);
        format.end_line(out);
        write_token(out, b"<GRADSCATTER>");
        self.scatter.write_part::<f32>(out, format);
        write_token(out, b"</BASISFMLLRACCUS>");
    }
}

impl KaldiObject for BasisFmllr {
    const NAME: &'static str = "bases of fMLLR";
    const TOKENS: Option<[&'static str; 2]> = Some(["<BASISFMLLRPARAM>", "</BASISFMLLRPARAM>"]);

    fn read_part(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        cursor.expect_token("<BASISFMLLRPARAM>")?;
        cursor.expect_token("<NUMBASIS>")?;
        let start = cursor.offset();
        let num_bases: u32 = cursor.read_basic()?;
        if num_bases == 0 {
            return Err(ParseError::new(start, "expected bases, got 0 of them"));
        }
        cursor.expect_token("<BASIS>")?;
        let mut bases: Vec<Matrix<f32>> = Vec::new();
        for number in 0..num_bases {
            let start = cursor.offset();
            let basis = Matrix::<f32>::read_part(cursor)?;
            let (rows, cols) = basis.size();
            let expected = bases.first().map_or(rows.max(1), Matrix::num_rows);
            if (rows, cols) != (expected, expected + 1) {
                let columns = expected + 1;
                let message = format!("expected basis {number} of {expected} by {columns}, got {rows} by {cols}");
                return Err(ParseError::new(start, message));
            }
            bases.push(basis);
        }
        cursor.expect_token("</BASISFMLLRPARAM>")?;
        Ok(Self { bases })
    }

    fn write_part(&self, out: &mut Vec<u8>, format: Format) {
        write_token(out, b"<BASISFMLLRPARAM>");
        write_token(out, b"<NUMBASIS>");
        write_basic(out, format, self.num_bases() as u32);
        write_token(out, b"<BASIS>");
        self.bases.iter().for_each(|basis| basis.write_part(out, format));
        write_token(out, b"</BASISFMLLRPARAM>");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DiagGmm;
    use crate::transform::{BasisFmllrOptions, FmllrOptions, FmllrUpdate};
    use kaldi_value::{Frame, Value};

    fn model() -> AmDiagGmm {
        let text =
            "<DiagGMM> <WEIGHTS> [ 0.5 0.5 ] <MEANS_INVVARS> [ 1 -0.5\n -2 1 ] <INV_VARS> [ 1 0.5\n 2 1 ] </DiagGMM> ";
        AmDiagGmm::new(vec![DiagGmm::read(&mut Cursor::new(text.as_bytes())).unwrap()]).unwrap()
    }

    /// Frames of a speaker with an offset, under the two Gaussians in turn.
    fn speaker(scale: f32, offset: f32) -> FmllrStats {
        let (model, mut stats) = (model(), FmllrStats::new(2));
        for at in 0..40 {
            let (x, y) = (((at * 7) % 11) as f32 / 5.0 - 1.0, ((at * 3) % 7) as f32 / 3.0 - 1.0);
            let (mean, posteriors) = if at % 2 == 0 { (1.0, [1.0, 0.0]) } else { (-1.0, [0.0, 1.0]) };
            let (x, y) = (mean + x, y - mean);
            let frame = [scale * x + offset, y - offset];
            stats.frames().add(&frame, [(&model.pdfs()[0], &posteriors[..])]).unwrap();
        }
        stats
    }

    fn stats() -> BasisFmllrStats {
        let mut stats = BasisFmllrStats::new(2);
        for (scale, offset) in [(1.0, 0.0), (1.5, 1.0), (0.5, -1.0), (2.0, 0.5), (1.0, 2.0), (0.7, -0.2)] {
            stats.add_speaker(&speaker(scale, offset)).unwrap();
        }
        stats.add_speaker(&FmllrStats::new(2)).unwrap();
        stats
    }

    #[test]
    fn all_bases_together_are_fmllr() {
        let (bases, eigenvalues, count) = stats().estimate(&model()).unwrap();
        assert_eq!((bases.num_bases(), bases.dim(), count), (6, 2, 240.0));
        assert!(eigenvalues.as_slice().windows(2).all(|pair| pair[0] >= pair[1]));
        let full = FmllrOptions { update: FmllrUpdate::Full, min_count: 1.0, num_iters: 100 };
        let expected = speaker(1.7, 0.8).estimate(&full).unwrap();
        let options = BasisFmllrOptions { num_iters: 200, size_scale: 1.0, min_count: 1.0, step_size_iters: 5 };
        let found = bases.transform(&speaker(1.7, 0.8), &options).unwrap();
        assert!(
            (found.improvement - expected.improvement).abs() < 1e-3 * expected.improvement,
            "{found:?} {expected:?}"
        );
        assert_eq!(found.weights.dim(), 6);
        // A few bases are not as good, and better than nothing.
        let few = BasisFmllrOptions { size_scale: 0.05, ..options };
        let found = bases.transform(&speaker(1.7, 0.8), &few).unwrap();
        assert_eq!(found.weights.dim(), 2);
        assert!(found.improvement > 0.0 && found.improvement < expected.improvement);
    }

    #[test]
    fn few_frames_change_nothing() {
        let (bases, _, _) = stats().estimate(&model()).unwrap();
        let found = bases.transform(&speaker(1.7, 0.8), &BasisFmllrOptions::default()).unwrap();
        assert_eq!(found.transform.as_slice(), [1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
        assert_eq!((found.weights.dim(), found.improvement), (0, 0.0));
        let none = BasisFmllrOptions { size_scale: 0.0, min_count: 1.0, ..BasisFmllrOptions::default() };
        let found = bases.transform(&speaker(1.7, 0.8), &none).unwrap();
        assert_eq!(found.transform.as_slice(), [1.0, 0.0, 0.0, 0.0, 1.0, 0.0]);
    }

    #[test]
    fn other_dimensions_are_refused() {
        let (bases, _, _) = stats().estimate(&model()).unwrap();
        assert!(bases.transform(&FmllrStats::new(1), &BasisFmllrOptions::default()).is_err());
        let message = BasisFmllrStats::new(1).estimate(&model()).unwrap_err().to_string();
        assert_eq!(message, "expected statistics of transforms with 6 elements, got 2");
        assert!(stats().add(&BasisFmllrStats::new(1)).is_err());
    }

    #[test]
    fn what_is_written_is_read_again() {
        let (bases, _, _) = stats().estimate(&model()).unwrap();
        for format in [Format::Binary, Format::Text] {
            let (mut sums, mut params) = (Vec::new(), Vec::new());
            stats().write(&mut sums, format);
            bases.write(&mut params, format);
            let read = BasisFmllrStats::read(&mut Cursor::new(&sums)).unwrap();
            assert_eq!((read.count, read.scatter.dim()), (240.0, 6));
            assert_eq!(BasisFmllr::read(&mut Cursor::new(&params)).unwrap().num_bases(), 6);
            assert_eq!(BasisFmllr::frame(&params, true), Ok(Frame::Whole(params.len())));
            for length in 0..sums.len() {
                assert!(BasisFmllrStats::read(&mut Cursor::new(&sums[..length])).is_err(), "{length}");
            }
            for length in 0..params.len() {
                assert!(BasisFmllr::read(&mut Cursor::new(&params[..length])).is_err(), "{length}");
            }
        }
    }

    #[test]
    fn sizes_in_files_are_claims() {
        let params = |text: &str| BasisFmllr::read(&mut Cursor::new(text.as_bytes())).unwrap_err().to_string();
        let start = "<BASISFMLLRPARAM> <NUMBASIS>";
        assert_eq!(params(&format!("{start} 0 ")), "expected bases, got 0 of them");
        assert_eq!(params(&format!("{start} 1 <BASIS> [ 1 ]\n")), "expected basis 0 of 1 by 2, got 1 by 1");
        let second = format!("{start} 2000000000 <BASIS> [ 1 2 ]\n [ 1 ]\n");
        assert_eq!(params(&second), "expected basis 1 of 1 by 2, got 1 by 1");
        let stats = "<BASISFMLLRACCUS> <BETA> 1 <GRADSCATTER> [\n1 ]\n</BASISFMLLRACCUS> ";
        let message = BasisFmllrStats::read(&mut Cursor::new(stats.as_bytes())).unwrap_err().to_string();
        assert_eq!(message, "expected products of dim * (dim + 1) elements, got 1");
    }
}
