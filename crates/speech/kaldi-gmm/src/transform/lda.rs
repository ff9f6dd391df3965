//! Linear discriminant analysis.

use kaldi_io::ParseError;
use kaldi_matrix::{Cholesky, Matrix, SymmetricMatrix, Vector};
use kaldi_value::{Cursor, Format, KaldiObject, write_basic, write_token};

use crate::{Error, Result};

/// Statistics of classes for LDA: how many vectors each has, their sum, and the squares of all vectors.
///
/// Kaldi's `LdaEstimate`. A file has the squares without those of the classes' means, in single precision.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LdaStats {
    /// The number, or weight, of the vectors of each class.
    counts: Vec<f64>,
    /// The sum of the vectors of each class, one row each.
    sums: Matrix<f64>,
    /// The sum of the outer products of all vectors.
    squares: SymmetricMatrix,
}

/// The options of an estimate of LDA.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LdaOptions {
    /// The number of dimensions kept.
    pub dim: i32,
    /// Whether there may be as many dimensions as classes, or more.
    pub allow_large_dim: bool,
    /// The variance within classes in each dimension, 1 for plain LDA. If it is smaller, dimensions in which classes
    /// differ little become small.
    pub within_class_factor: f32,
    /// Whether an offset makes the mean zero.
    pub remove_offset: bool,
}

/// An estimate of LDA.
#[derive(Clone, Debug, PartialEq)]
pub struct Lda {
    /// The number of dimensions kept.
    pub dim: usize,
    /// The number of vectors in the statistics.
    pub count: f64,
    /// The addition to the variances within classes, if they were not positive definite.
    pub smoothing: Option<f32>,
    /// The variance between classes in each dimension, compared with that within classes; the largest first.
    pub singular_values: Vector<f64>,
    /// The transform with all dimensions, sorted like the singular values.
    pub full_transform: Matrix<f32>,
}

impl LdaStats {
    /// No vectors yet, of classes from 0 on.
    pub fn new(num_classes: usize, dim: usize) -> Self {
        let sums = if dim == 0 { Matrix::default() } else { Matrix::new(num_classes, dim) };
        Self { counts: vec![0.0; num_classes], sums, squares: SymmetricMatrix::new(dim) }
    }

    /// The number of classes.
    pub fn num_classes(&self) -> usize {
        self.counts.len()
    }

    /// The sum of the weights of all vectors.
    pub fn count(&self) -> f64 {
        self.counts.iter().sum()
    }

    /// The number of dimensions; 0 if there are no statistics.
    pub fn dim(&self) -> usize {
        self.squares.dim()
    }

    /// Adds vectors of classes, each with a weight: the class, the weight, the vector.
    ///
    /// # Errors
    /// If a vector has another number of dimensions.
    ///
    /// # Panics
    /// If there is no such class.
    pub fn accumulate(&mut self, vectors: &[(usize, f32, &[f32])]) -> Result<(), kaldi_matrix::Error> {
        let weighted = vectors.iter().filter(|(_, weight, _)| *weight != 0.0);
        let weighted = weighted.map(|&(class, weight, vector)| (class, f64::from(weight), vector));
        self.squares.add_outers(&weighted.clone().map(|(_, weight, vector)| (weight, vector)).collect::<Vec<_>>())?;
        for (class, weight, vector) in weighted {
            self.counts[class] += weight;
            let sums = self.sums.row_mut(class).iter_mut().zip(vector);
            sums.for_each(|(sum, &value)| *sum += weight * f64::from(value));
        }
        Ok(())
    }

    /// Adds other statistics; empty ones become the others.
    ///
    /// # Errors
    /// If the numbers of classes or dimensions differ.
    pub fn add(&mut self, other: Self) -> Result<()> {
        let (expected, got) = ((self.num_classes(), self.dim()), (other.num_classes(), other.dim()));
        if expected == (0, 0) {
            *self = other;
            return Ok(());
        }
        let refused = |_| Error::LdaSize { expected, got };
        if expected != got {
            return Err(Error::LdaSize { expected, got });
        }
        for (count, other) in self.counts.iter_mut().zip(&other.counts) {
            *count += other;
        }
        self.sums.add(&other.sums).map_err(refused)?;
        self.squares.add_scaled(1.0, &other.squares).map_err(refused)
    }

    /// Adds `sign` times the squares of the classes' means, which are not in files.
    fn add_squares_of_means(&mut self, sign: f64) -> std::result::Result<(), kaldi_matrix::Error> {
        let classes = self.counts.iter().zip(self.sums.rows()).filter(|(count, _)| **count != 0.0);
        self.squares.add_outers(&classes.map(|(count, sum)| (sign / count, sum)).collect::<Vec<_>>())
    }

    /// Estimates the transform that makes the variance within classes 1 in all directions, and puts the directions
    /// first in which classes differ most.
    ///
    /// # Errors
    /// If there are no statistics, more dimensions are wanted than the options allow, or the variance within classes is
    /// not positive definite even after smoothing.
    pub fn estimate(&self, options: &LdaOptions) -> Result<Lda> {
        let dim = self.check_dim(options)?;
        let count: f64 = self.counts.iter().sum();
        if count == 0.0 {
            return Err(Error::NoData);
        }
        let (mut within, between, mean) =
            self.covariances(count).map_err(Error::estimate("the covariances of classes"))?;
        let (cholesky, smoothing) = factor_smoothed(&mut within)?;
        let whitening = cholesky.inverse_factor();
        let directions = between.transformed(&whitening).and_then(|whitened| whitened.eigen());
        let mut directions = directions.map_err(Error::estimate("the directions in which classes differ"))?;
        directions.sort_by_abs();
        let product = directions.vectors.multiply(&whitening);
        let mut transform = product.map_err(Error::estimate("the transform"))?;
        let mut singular_values = directions.values;
        singular_values.as_mut_slice().iter_mut().for_each(|value| *value = value.abs());

        if options.within_class_factor != 1.0 {
            let factor = f64::from(options.within_class_factor);
            for (row, value) in transform.rows_mut().zip(singular_values.as_slice()) {
                let scale = ((factor + value) / (1.0 + value)).sqrt();
                row.iter_mut().for_each(|element| *element *= scale);
            }
        }
        if options.remove_offset {
            append_offset(&mut transform, &mean);
        }
        Ok(Lda { dim, count, smoothing, singular_values, full_transform: transform.to_precision() })
    }

    fn check_dim(&self, options: &LdaOptions) -> Result<usize> {
        let (dim, num_classes) = (self.dim(), self.num_classes());
        let (limit, why) = if options.allow_large_dim || dim < num_classes {
            (dim, "as many as the features have")
        } else {
            (num_classes.saturating_sub(1), "fewer than classes, without `allow_large_dim`")
        };
        match usize::try_from(options.dim) {
            Ok(wanted) if (1..=limit).contains(&wanted) => Ok(wanted),
            _ => Err(Error::Dim { got: options.dim, limit, why }),
        }
    }

    /// The covariance within and between classes, and the mean of all vectors.
    fn covariances(&self, count: f64) -> Result<(SymmetricMatrix, SymmetricMatrix, Vector<f64>), kaldi_matrix::Error> {
        let mut mean = self.sums.column_sums();
        mean.scale(1.0 / count);
        let mut total = self.squares.clone();
        total.scale(1.0 / count);
        total.add_outer(-1.0, mean.as_slice())?;
        let mut between = SymmetricMatrix::new(self.dim());
        let mut class_means = self.sums.clone();
        for (&class_count, sum) in self.counts.iter().zip(class_means.rows_mut()) {
            sum.iter_mut().for_each(|value| *value /= class_count);
        }
        let classes = self.counts.iter().zip(class_means.rows()).filter(|(count, _)| **count != 0.0);
        between.add_outers(&classes.map(|(class_count, mean)| (class_count / count, mean)).collect::<Vec<_>>())?;
        between.add_outer(-1.0, mean.as_slice())?;
        total.add_scaled(-1.0, &between)?;
        Ok((total, between, mean))
    }
}

impl Lda {
    /// The transform with only the dimensions that are kept.
    pub fn transform(&self) -> Matrix<f32> {
        self.full_transform.range(0..self.dim, 0..self.full_transform.num_cols())
    }
}

/// Factors a covariance; if it is not positive definite, a thousandth of its mean variance is added first.
fn factor_smoothed(covariance: &mut SymmetricMatrix) -> Result<(Cholesky, Option<f32>)> {
    if let Ok(cholesky) = covariance.cholesky() {
        return Ok((cholesky, None));
    }
    let smoothing = (1.0e-3 * covariance.trace() / covariance.dim() as f64) as f32;
    covariance.add_to_diagonal(f64::from(smoothing));
    let what = format!("the square root of the covariance within classes, with {smoothing} added to its diagonal");
    let cholesky = covariance.cholesky().map_err(Error::estimate(what))?;
    Ok((cholesky, Some(smoothing)))
}

/// Appends a column that subtracts the transformed mean.
pub(crate) fn append_offset(transform: &mut Matrix<f64>, mean: &Vector<f64>) {
    let dim = transform.num_cols();
    transform.resize(transform.num_rows(), dim + 1);
    for row in transform.rows_mut() {
        row[dim] = -row.iter().zip(mean.as_slice()).map(|(element, mean)| element * mean).sum::<f64>();
    }
}

impl KaldiObject for LdaStats {
    const NAME: &'static str = "LDA statistics";
    const TOKENS: Option<[&'static str; 2]> = Some(["<LDAACCS>", "</LDAACCS>"]);

    fn read_part(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        cursor.expect_token("<LDAACCS>")?;
        cursor.expect_token("<VECSIZE>")?;
        let dim: i32 = cursor.read_basic()?;
        cursor.expect_token("<NUMCLASSES>")?;
        let num_classes: i32 = cursor.read_basic()?;
        let offset = cursor.offset();
        cursor.expect_token("<ZERO_ACCS>")?;
        let counts = Vector::<f64>::read_part(cursor)?.into_vec();
        cursor.expect_token("<FIRST_ACCS>")?;
        let sums = Matrix::<f64>::read_part(cursor)?;
        cursor.expect_token("<SECOND_ACCS>")?;
        let squares = SymmetricMatrix::read_part(cursor)?;
        cursor.expect_token("</LDAACCS>")?;

        let sizes = [counts.len(), sums.num_rows(), sums.num_cols(), squares.dim()];
        let claimed = [num_classes, num_classes, dim, dim];
        if sizes.map(|size| i32::try_from(size).ok()) != claimed.map(Some) {
            let message = format!(
                "expected statistics of {num_classes} classes in {dim} dimensions, got {} counts, sums of {} by {} and \
                 squares of {}",
                sizes[0], sizes[1], sizes[2], sizes[3]
            );
            return Err(ParseError::new(offset, message));
        }
        let mut stats = Self { counts, sums, squares };
        let added = stats.add_squares_of_means(1.0);
        added.map_err(|error| ParseError::new(offset, error.to_string()))?;
        Ok(stats)
    }

    fn write_part(&self, out: &mut Vec<u8>, format: Format) {
        write_token(out, b"<LDAACCS>");
        write_token(out, b"<VECSIZE>");
        write_basic(out, format, self.dim() as i32);
        write_token(out, b"<NUMCLASSES>");
        write_basic(out, format, self.num_classes() as i32);
        write_token(out, b"<ZERO_ACCS>");
        Vector::from_vec(self.counts.clone()).to_precision::<f32>().write_part(out, format);
        write_token(out, b"<FIRST_ACCS>");
        self.sums.to_precision::<f32>().write_part(out, format);
        write_token(out, b"<SECOND_ACCS>");
        let mut stored = self.clone();
        // All sizes agree, since the statistics exist.
        let _ = stored.add_squares_of_means(-1.0);
        stored.squares.write_part::<f32>(out, format);
        write_token(out, b"</LDAACCS>");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kaldi_value::{Frame, Value};

    /// Two classes in two dimensions: one around (2, 0), the other around (-2, 0); the spread is smaller in the first
    /// dimension.
    fn stats() -> LdaStats {
        let classes: [[[f64; 2]; 4]; 2] =
            [[[3.0, 0.0], [1.0, 0.0], [2.0, 2.0], [2.0, -2.0]], [[-3.0, 0.0], [-1.0, 0.0], [-2.0, 2.0], [-2.0, -2.0]]];
        let mut stats = LdaStats::new(2, 2);
        for (class, vectors) in classes.iter().enumerate() {
            for vector in vectors {
                stats.accumulate(&[(class, 1.0, &vector.map(|value| value as f32))]).unwrap();
            }
        }
        stats
    }

    fn options(dim: i32) -> LdaOptions {
        LdaOptions { dim, allow_large_dim: false, within_class_factor: 1.0, remove_offset: false }
    }

    fn near(left: &[f32], right: &[f32]) -> bool {
        left.len() == right.len() && left.iter().zip(right).all(|(a, b)| (a - b).abs() < 1e-5)
    }

    #[test]
    fn what_is_written_is_read_again() {
        for format in [Format::Binary, Format::Text] {
            let bytes = stats().to_bytes(format);
            assert_eq!(LdaStats::read(&mut Cursor::new(&bytes)), Ok(stats()));
            assert_eq!(LdaStats::frame(&bytes, true), Ok(Frame::Whole(bytes.len())));
            for length in 0..bytes.len() {
                let cut = LdaStats::frame(&bytes[..length], false);
                assert!(matches!(cut, Ok(Frame::Partial(_))), "{length}: {cut:?}");
                assert!(LdaStats::frame(&bytes[..length], true).is_err());
            }
        }
    }

    #[test]
    fn vectors_count_with_their_weights() {
        let mut weighted = LdaStats::new(2, 2);
        weighted.accumulate(&[(1, 0.5, &[2.0, 4.0]), (1, -0.25, &[0.0, 2.0]), (0, 0.0, &[f32::NAN, 1.0])]).unwrap();
        assert!(weighted.accumulate(&[(0, 1.0, &[1.0])]).is_err());
        assert_eq!(weighted.counts, [0.0, 0.25]);
        assert_eq!(weighted.sums.row(1), [1.0, 1.5]);
        assert_eq!(weighted.squares.as_slice(), [2.0, 4.0, 7.0]);
    }

    #[test]
    fn files_have_the_squares_without_those_of_the_means() {
        let bytes = stats().to_bytes(Format::Text);
        let text = "<LDAACCS> <VECSIZE> 2 <NUMCLASSES> 2 <ZERO_ACCS>  [ 4 4 ]\n<FIRST_ACCS>  [\n  8 0 \n  -8 0 ]\n\
                    <SECOND_ACCS> [\n4 \n0 16 ]\n</LDAACCS> ";
        assert_eq!(String::from_utf8(bytes).unwrap(), text);
    }

    #[test]
    fn sizes_that_do_not_agree_are_refused() {
        let text = "<LDAACCS> <VECSIZE> 2 <NUMCLASSES> 3 <ZERO_ACCS>  [ 4 4 ]\n<FIRST_ACCS>  [\n  8 0 \n  -8 0 ]\n\
                    <SECOND_ACCS> [\n4 \n0 16 ]\n</LDAACCS> ";
        let error = LdaStats::read(&mut Cursor::new(text.as_bytes())).unwrap_err();
        let expected =
            "expected statistics of 3 classes in 2 dimensions, got 2 counts, sums of 2 by 2 and squares of 2";
        assert_eq!(error.to_string(), expected);
    }

    #[test]
    fn what_are_no_statistics_shows_at_once() {
        for text in ["hello\n", "<LDAACC> <VECSIZE> 2 ", "\0BFM \x04"] {
            assert!(LdaStats::frame(text.as_bytes(), false).is_err(), "{text:?}");
        }
    }

    #[test]
    fn sums_grow_by_what_is_added() {
        let mut sum = LdaStats::default();
        sum.add(stats()).unwrap();
        assert_eq!(sum, stats());
        sum.add(stats()).unwrap();
        assert_eq!((sum.counts.as_slice(), sum.squares.as_slice()), (&[8.0, 8.0][..], &[72.0, 0.0, 32.0][..]));
        let other = LdaStats { counts: vec![1.0], sums: Matrix::new(1, 2), squares: SymmetricMatrix::new(2) };
        let error = sum.add(other).unwrap_err().to_string();
        let expected =
            "dimension or classes count mismatch: expected statistics of 2 classes in 2 dimensions, got 1 in 2";
        assert_eq!(error, expected);
    }

    #[test]
    fn classes_differ_most_in_the_first_direction() {
        let lda = stats().estimate(&options(1)).unwrap();
        // Between classes the variance is 4, within them 0.5 and 2.
        assert_eq!((lda.count, lda.smoothing), (8.0, None));
        assert!((lda.singular_values.as_slice()[0] - 8.0).abs() < 1e-12);
        let transform = lda.transform();
        assert!(near(&[transform.row(0)[0].abs(), transform.row(0)[1]], &[2.0_f32.sqrt(), 0.0]), "{transform:?}");
        let second = lda.full_transform.row(1);
        assert!(near(&[second[0], second[1].abs()], &[0.0, 0.5_f32.sqrt()]), "{second:?}");
    }

    #[test]
    fn a_smaller_variance_within_classes_makes_weak_directions_small() {
        let lda = stats().estimate(&LdaOptions { within_class_factor: 0.01, ..options(1) }).unwrap();
        assert!(near(&[lda.full_transform.row(0)[0].abs()], &[2.0_f32.sqrt() * (8.01_f32 / 9.0).sqrt()]));
        assert!(near(&[lda.full_transform.row(1)[1].abs()], &[0.5_f32.sqrt() * 0.1]));
    }

    #[test]
    fn an_offset_makes_the_mean_zero() {
        let mut stats = stats();
        // All vectors moved by (3, 1).
        let sum = stats.sums.column_sums();
        for row in 0..2 {
            for col in 0..=row {
                let moved = [3.0, 1.0];
                let shift = sum.as_slice()[row] * moved[col] + moved[row] * sum.as_slice()[col];
                stats.squares.lower_row_mut(row)[col] += shift + 8.0 * moved[row] * moved[col];
            }
        }
        stats.sums.rows_mut().for_each(|row| row.iter_mut().zip([12.0, 4.0]).for_each(|(sum, more)| *sum += more));
        let lda = stats.estimate(&LdaOptions { remove_offset: true, ..options(1) }).unwrap();
        for row in lda.full_transform.rows() {
            assert!((row[0] * 3.0 + row[1] + row[2]).abs() < 1e-5);
        }
        assert_eq!(lda.transform().num_cols(), 3);
    }

    #[test]
    fn the_dimension_is_below_the_number_of_classes_unless_allowed() {
        let error = stats().estimate(&options(2)).unwrap_err().to_string();
        assert_eq!(error, "expected a dimension from 1 to 1 (fewer than classes, without `allow_large_dim`), got 2");
        let large = LdaOptions { allow_large_dim: true, ..options(2) };
        assert_eq!(stats().estimate(&large).unwrap().transform().size(), (2, 2));
        let error = stats().estimate(&LdaOptions { dim: 3, ..large }).unwrap_err().to_string();
        assert_eq!(error, "expected a dimension from 1 to 2 (as many as the features have), got 3");
        assert!(stats().estimate(&options(0)).is_err());
        assert!(stats().estimate(&options(-1)).is_err());
        assert!(LdaStats::default().estimate(&options(1)).is_err());
    }

    #[test]
    fn a_singular_covariance_is_smoothed() {
        let mut flat = stats();
        flat.squares.as_mut_slice()[1..].fill(0.0);
        // No variance in the second dimension, or a negative one by rounding.
        flat.squares.as_mut_slice()[2] = -1e-12;
        let lda = flat.estimate(&options(1)).unwrap();
        assert_eq!(lda.smoothing, Some(0.00025));
        assert!(lda.full_transform.as_slice().iter().all(|value| value.is_finite()));
    }

    #[test]
    fn nothing_is_estimated_from_nothing() {
        let mut none = stats();
        none.counts.fill(0.0);
        assert_eq!(none.estimate(&options(1)).unwrap_err(), Error::NoData);
        let mut nan = stats();
        nan.squares.as_mut_slice()[0] = f64::NAN;
        assert!(matches!(nan.estimate(&options(1)), Err(Error::Estimate { .. })));
        let mut constant = stats();
        constant.sums.scale(0.0);
        constant.squares.scale(0.0);
        let error = constant.estimate(&options(1)).unwrap_err().to_string();
        assert!(error.starts_with("cannot compute the square root of the covariance within classes, with 0 added"));
    }
}
