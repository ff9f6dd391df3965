//! Statistics of a Gaussian with a diagonal covariance.

use kaldi_io::ParseError;
use kaldi_matrix::Matrix;
use kaldi_value::{Cursor, Format, write_basic, write_token};

/// Statistics of frames that share a Gaussian: their number, their sum and the sum of their squares (Kaldi's
/// `GaussClusterable`).
#[derive(Clone, Debug, PartialEq)]
pub struct GaussStats {
    count: f64,
    var_floor: f64,
    /// 2 × dim: the sum of the frames, and that of their squares.
    sums: Matrix<f64>,
}

impl GaussStats {
    /// No frames yet. A variance below `var_floor` counts as `var_floor`.
    pub fn new(dim: usize, var_floor: f64) -> Self {
        Self { count: 0.0, var_floor, sums: Matrix::new(if dim == 0 { 0 } else { 2 }, dim) }
    }

    /// Statistics of `count` frames with these sums: 2 × dim, the sum of the frames, and that of their squares.
    ///
    /// # Panics
    /// If there are not two rows.
    pub fn from_sums(count: f64, sums: Matrix<f64>, var_floor: f64) -> Self {
        assert_eq!(sums.num_rows(), 2);
        Self { count, var_floor, sums }
    }

    /// The number of frames.
    pub fn count(&self) -> f64 {
        self.count
    }

    /// The number of dimensions of the frames.
    pub fn dim(&self) -> usize {
        self.sums.num_cols()
    }

    /// The sum of the frames.
    pub fn sum(&self) -> &[f64] {
        &self.sums.as_slice()[..self.dim()]
    }

    /// The sum of the squares of the frames.
    pub fn sum_of_squares(&self) -> &[f64] {
        &self.sums.as_slice()[self.dim()..]
    }

    /// Adds a frame, which must have as many dimensions.
    pub fn add_frame(&mut self, frame: &[f32]) {
        debug_assert_eq!(frame.len(), self.dim());
        self.count += 1.0;
        let (sum, squares) = self.sums.as_mut_slice().split_at_mut(frame.len());
        for ((sum, square), &value) in sum.iter_mut().zip(squares).zip(frame) {
            *sum += f64::from(value);
            // Kaldi has the square in single precision.
            *square += f64::from(value * value);
        }
    }

    /// Adds others, of the same number of dimensions. The floor of the variance stays as it is.
    pub fn add(&mut self, other: &Self) {
        self.count += other.count;
        self.sums.as_mut_slice().iter_mut().zip(other.sums.as_slice()).for_each(|(sum, other)| *sum += other);
    }

    /// Takes others away, of the same number of dimensions.
    pub(crate) fn subtract(&mut self, other: &Self) {
        self.count -= other.count;
        self.sums.as_mut_slice().iter_mut().zip(other.sums.as_slice()).for_each(|(sum, other)| *sum -= other);
    }

    /// The log-likelihood of the frames under the Gaussian that fits them best, in single precision; 0 without frames.
    pub fn objective(&self) -> f32 {
        self.objective_of(self.count, self.sum().iter().copied().zip(self.sum_of_squares().iter().copied()))
    }

    /// The log-likelihood with others added.
    pub(crate) fn objective_plus(&self, other: &Self) -> f32 {
        self.objective_with(other, self.count + other.count, |value, other| value + other)
    }

    /// The log-likelihood with others taken away.
    pub(crate) fn objective_minus(&self, other: &Self) -> f32 {
        self.objective_with(other, self.count - other.count, |value, other| value - other)
    }

    fn objective_with(&self, other: &Self, count: f64, combine: impl Fn(f64, f64) -> f64) -> f32 {
        let sums = self.sum().iter().zip(other.sum()).map(|(&one, &two)| combine(one, two));
        let squares = self.sum_of_squares().iter().zip(other.sum_of_squares()).map(|(&one, &two)| combine(one, two));
        self.objective_of(count, sums.zip(squares))
    }

    /// Each dimension has its sum and its sum of squares. Logarithms are taken of products, a few at a time.
    fn objective_of(&self, count: f64, dims: impl Iterator<Item = (f64, f64)>) -> f32 {
        const LOG_2_PI: f64 = 1.837_877_066_409_345_3;
        if count <= 0.0 {
            return 0.0;
        }
        // Kaldi's sums have the floor in single precision.
        let floor = f64::from(self.var_floor as f32);
        let (mut per_frame, mut sum_of_logs, mut product, mut dim) = (0.0, 0.0, 1.0_f64, 0.0);
        for (sum, square) in dims {
            let mean = sum / count;
            let variance = square / count - mean * mean;
            let floored = if variance < floor { floor } else { variance };
            per_frame += -0.5 * variance / floored;
            product *= floored;
            if !(1e-10..=1e10).contains(&product) {
                sum_of_logs += product.ln();
                product = 1.0;
            }
            dim += 1.0;
        }
        if product != 1.0 {
            sum_of_logs += product.ln();
        }
        per_frame += -0.5 * (sum_of_logs + LOG_2_PI * dim);
        if per_frame.is_nan() { 0.0 } else { (per_frame * count) as f32 }
    }

    /// Reads `GCL`, the count, the floor of the variance and the sums.
    pub(crate) fn read_part(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        cursor.expect_token("GCL")?;
        let (count, var_floor) = (cursor.read_basic()?, cursor.read_basic()?);
        let offset = cursor.offset();
        let sums = Matrix::<f64>::read_part(cursor)?;
        if sums.num_rows() != 2 && !sums.is_empty() {
            let message = format!("expected sums and sums of squares in 2 rows, got {} rows", sums.num_rows());
            return Err(ParseError::new(offset, message));
        }
        Ok(Self { count, var_floor, sums })
    }

    /// Consumes the text form without looking at the elements of the sums.
    pub(crate) fn skip_text(cursor: &mut Cursor<'_>) -> Result<(), ParseError> {
        cursor.expect_token("GCL")?;
        let _: (f64, f64) = (cursor.read_basic()?, cursor.read_basic()?);
        match memchr::memchr(b']', cursor.rest()) {
            Some(length) => cursor.advance(length + 1),
            None => return Err(cursor.end("\"]\"")),
        }
        cursor.skip_newline()
    }

    /// Appends what [`GaussStats::read_part`] reads.
    pub(crate) fn write_part(&self, out: &mut Vec<u8>, format: Format) {
        write_token(out, b"GCL");
        write_basic(out, format, self.count);
        write_basic(out, format, self.var_floor);
        self.sums.write_part(out, format);
    }
}

/// The sum of several objectives in single precision, without those that are missing.
pub(crate) fn sum_of_objectives<'a>(stats: impl IntoIterator<Item = Option<&'a GaussStats>>) -> f32 {
    stats.into_iter().flatten().fold(0.0, |sum, stats| sum + stats.objective())
}

/// The sum of several counts in single precision, without those that are missing.
pub(crate) fn sum_of_counts<'a>(stats: impl IntoIterator<Item = Option<&'a GaussStats>>) -> f32 {
    stats.into_iter().flatten().fold(0.0, |sum, stats| sum + stats.count as f32)
}

/// The sum of several statistics; `None` if all are missing.
pub(crate) fn sum_of<'a>(stats: impl IntoIterator<Item = Option<&'a GaussStats>>) -> Option<GaussStats> {
    let mut present = stats.into_iter().flatten();
    let mut sum = present.next()?.clone();
    present.for_each(|stats| sum.add(stats));
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stats(frames: &[[f32; 2]]) -> GaussStats {
        let mut stats = GaussStats::new(2, 0.01);
        frames.iter().for_each(|frame| stats.add_frame(frame));
        stats
    }

    #[test]
    fn the_objective_is_the_likelihood_of_the_best_gaussian() {
        // Means 1 and 2, variances 1 and 4.
        let stats = stats(&[[0.0, 0.0], [2.0, 4.0]]);
        let expected = -0.5 * 2.0 * (2.0 + 4.0_f64.ln() + 2.0 * std::f64::consts::TAU.ln());
        assert_eq!(stats.objective(), expected as f32);
        assert_eq!(GaussStats::new(2, 0.01).objective(), 0.0);
    }

    #[test]
    fn the_variance_has_a_floor() {
        let stats = stats(&[[1.0, 0.0], [1.0, 4.0]]);
        let expected = -0.5 * 2.0 * (1.0 + (0.01_f64 * 4.0).ln() + 2.0 * std::f64::consts::TAU.ln());
        assert!((stats.objective() - expected as f32).abs() < 1e-5);
    }

    #[test]
    fn squares_are_single_before_they_are_summed() {
        let mut stats = GaussStats::new(1, 0.01);
        stats.add_frame(&[0.1]);
        assert_eq!(stats.sum_of_squares(), [f64::from(0.1_f32 * 0.1)]);
        assert_eq!(stats.sum(), [f64::from(0.1_f32)]);
    }

    #[test]
    fn what_would_be_added_need_not_be() {
        let (one, two) = (stats(&[[0.5, 1.0], [2.0, 3.0]]), stats(&[[-1.0, 1.0], [2.5, 0.0], [1.0, 1.5]]));
        let mut sum = one.clone();
        sum.add(&two);
        assert_eq!(one.objective_plus(&two), sum.objective());
        assert_eq!(sum.objective_minus(&two), one.objective());
        sum.subtract(&two);
        assert_eq!(sum, one);
    }
}
