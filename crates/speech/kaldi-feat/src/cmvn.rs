//! Statistics of features, and normalization with them: cepstral mean and variance normalization (CMVN).

use kaldi_matrix::Matrix;

use crate::dims::index_of_dim;
use crate::normalizer::{Normalizer, Sums};
use crate::{Dims, Error, Flooring, Result};

/// Sums over frames for computing means and variances (Kaldi's `transform/cmvn.cc`).
///
/// They are a matrix of `2 × (dim + 1)` in double precision, so that tables of them can be summed like any matrices:
///
/// ```text
/// sum of the 1st dimension   ...  of the last   number of frames
/// sum of its squares         ...  of the last   0
/// ```
///
/// Statistics that are only used for means may lack the second row. Frames may be weighted; the number of frames is
/// then the sum of the weights.
#[derive(Clone, Debug, PartialEq)]
pub struct CmvnStats {
    matrix: Matrix<f64>,
}

impl CmvnStats {
    /// Makes statistics of no frames.
    pub fn new(dim: usize) -> Self {
        Self { matrix: Matrix::new(2, dim + 1) }
    }

    /// Takes a matrix such as that of [`CmvnStats::into_matrix`].
    ///
    /// # Errors
    /// If the matrix has neither one row nor two.
    pub fn from_matrix(matrix: Matrix<f64>) -> Result<Self> {
        match matrix.num_rows() {
            1 | 2 => Ok(Self { matrix }),
            _ => Err(Error::NoCmvnStats { got: matrix.size() }),
        }
    }

    /// Converts into the matrix, `2 × (dim + 1)`.
    pub fn into_matrix(self) -> Matrix<f64> {
        self.matrix
    }

    /// The dimension of the features.
    pub fn dim(&self) -> usize {
        self.matrix.num_cols() - 1
    }

    /// The number of frames, or the sum of their weights.
    pub fn count(&self) -> f64 {
        self.matrix.row(0)[self.dim()]
    }

    /// Sums up the frames of an utterance.
    pub fn of(feats: &Matrix<f32>) -> Self {
        let mut stats = Self::new(feats.num_cols());
        feats.rows().for_each(|frame| stats.add_frame(frame, 1.0));
        stats
    }

    /// Sums up two channels of a conversation frame by frame. The louder one (according to its first dimension) counts
    /// fully, and the other one counts `quieter_weight`. If their lengths differ, it is not known which frames belong
    /// together, and all of them count fully.
    ///
    /// # Errors
    /// If they differ in dimension.
    pub fn of_channels(first: &Matrix<f32>, second: &Matrix<f32>, quieter_weight: f32) -> Result<[Self; 2]> {
        let dim = first.num_cols();
        if second.num_cols() != dim {
            return Err(Error::FeatsDim { expected: dim, got: second.num_cols() });
        }
        if first.num_rows() != second.num_rows() {
            return Ok([Self::of(first), Self::of(second)]);
        }
        let (mut first_stats, mut second_stats) = (Self::new(dim), Self::new(dim));
        for (first_frame, second_frame) in first.rows().zip(second.rows()) {
            let weights = if first_frame[0] > second_frame[0] { (1.0, quieter_weight) } else { (quieter_weight, 1.0) };
            first_stats.add_frame(first_frame, weights.0);
            second_stats.add_frame(second_frame, weights.1);
        }
        Ok([first_stats, second_stats])
    }

    /// Adds the frames of an utterance, each as often as its weight says if there are weights. Frames without weight
    /// are skipped, so that values in them that are not finite do no harm. An utterance without frames fits any
    /// statistics.
    ///
    /// # Errors
    /// If the features have another dimension, or not as many frames as there are weights.
    pub fn add_feats(&mut self, feats: &Matrix<f32>, weights: Option<&[f32]>) -> Result<()> {
        if let Some(weights) = weights
            && weights.len() != feats.num_rows()
        {
            return Err(Error::Weights { num_frames: feats.num_rows(), got: weights.len() });
        }
        if feats.is_empty() {
            return Ok(());
        }
        self.check_fits(feats.num_cols())?;
        match weights {
            None => feats.rows().for_each(|frame| self.add_frame(frame, 1.0)),
            Some(weights) => {
                let weighted = feats.rows().zip(weights).filter(|(_, weight)| **weight != 0.0);
                weighted.for_each(|(frame, weight)| self.add_frame(frame, *weight));
            }
        }
        Ok(())
    }

    /// Adds other statistics.
    ///
    /// # Errors
    /// If their dimension differs.
    pub fn add(&mut self, other: &Self) -> Result<()> {
        let mismatch = Error::CmvnDim { stats: other.matrix.size(), dim: self.dim() };
        self.matrix.add(&other.matrix).map_err(|_| mismatch)
    }

    /// Sets the statistics of some dimensions to those of a mean of zero and a variance of one, which normalization
    /// does not change.
    ///
    /// # Errors
    /// If a dimension does not exist, the second row is missing, or there are no dimensions at all.
    pub fn fake(&mut self, dims: &Dims) -> Result<()> {
        let (dim, count) = (self.dim(), self.count());
        if self.matrix.num_rows() != 2 || dim == 0 {
            return Err(Error::NoCmvnStats { got: self.matrix.size() });
        }
        for &got in &dims.0 {
            let index = index_of_dim(got, dim)?;
            self.matrix.row_mut(0)[index] = 0.0;
            self.matrix.row_mut(1)[index] = count;
        }
        Ok(())
    }

    /// The means, and the variances around them in a second row, `2 × dim`; `None` if there are no frames, or the sum
    /// of their weights is not positive.
    ///
    /// # Errors
    /// If the second row is missing.
    pub fn means_and_variances(&self) -> Result<Option<Matrix<f64>>> {
        let (dim, count) = (self.dim(), self.count());
        let sums = self.sums(true)?;
        if count <= 0.0 {
            return Ok(None);
        }
        let means: Vec<f64> = sums.values.iter().map(|sum| sum / count).collect();
        let squares = sums.squares.unwrap_or_default();
        let variances: Vec<f64> = squares.iter().zip(&means).map(|(sum, mean)| sum / count - mean * mean).collect();
        Ok(Some(Matrix::from_vec(2, dim, [means, variances].concat())))
    }

    /// Normalizes features that have these statistics: their means become zero and, with `norm_vars`, their variances
    /// one. Returns the variances that were too small for this.
    ///
    /// # Errors
    /// If the features have another dimension, the count is below 1, or variances are missing or NaN.
    pub fn apply(&self, norm_vars: bool, feats: &mut Matrix<f32>) -> Result<Vec<Flooring>> {
        let mut normalizer = Normalizer::default();
        let floored = normalizer.set(self.sums_for(norm_vars, feats)?)?;
        feats.rows_mut().for_each(|frame| normalizer.apply(frame));
        Ok(floored)
    }

    /// Undoes [`CmvnStats::apply`]: gives means to features whose means are zero and, with `norm_vars`, variances to those
    /// whose variances are one.
    ///
    /// # Errors
    /// If the features have another dimension, the count is below 1, or variances are missing.
    pub fn apply_reverse(&self, norm_vars: bool, feats: &mut Matrix<f32>) -> Result<Vec<Flooring>> {
        let mut normalizer = Normalizer::default();
        let floored = normalizer.set_reverse(self.sums_for(norm_vars, feats)?);
        feats.rows_mut().for_each(|frame| normalizer.apply(frame));
        Ok(floored)
    }

    /// Adds a frame; squares are rounded to single precision, as in Kaldi.
    fn add_frame(&mut self, frame: &[f32], weight: f32) {
        let dim = self.dim();
        let (sums, squares) = self.matrix.as_mut_slice().split_at_mut(dim + 1);
        sums[dim] += f64::from(weight);
        for ((sum, square), &value) in sums.iter_mut().zip(squares).zip(frame) {
            *sum += f64::from(value * weight);
            *square += f64::from(value * value * weight);
        }
    }

    fn check_fits(&self, dim: usize) -> Result<()> {
        if dim != self.dim() {
            return Err(Error::CmvnDim { stats: self.matrix.size(), dim });
        }
        Ok(())
    }

    fn sums(&self, norm_vars: bool) -> Result<Sums<'_>> {
        let dim = self.dim();
        if norm_vars && self.matrix.num_rows() == 1 {
            return Err(Error::NoVariances);
        }
        let squares = norm_vars.then(|| &self.matrix.row(1)[..dim]);
        Ok(Sums { values: &self.matrix.row(0)[..dim], squares, count: self.count() })
    }

    /// The sums for normalizing these features.
    fn sums_for(&self, norm_vars: bool, feats: &Matrix<f32>) -> Result<Sums<'_>> {
        self.check_fits(feats.num_cols())?;
        let sums = self.sums(norm_vars)?;
        // Statistics that represent a known mean often have a count of one.
        if sums.count < 1.0 {
            return Err(Error::Count { expected: "of 1 or more", got: sums.count });
        }
        Ok(sums)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn feats(num_rows: usize, values: &[f32]) -> Matrix<f32> {
        Matrix::from_vec(num_rows, values.len() / num_rows, values.to_vec())
    }

    fn stats(sums: &[f64], squares: &[f64]) -> CmvnStats {
        let matrix = Matrix::from_vec(2, sums.len(), [sums, squares].concat());
        CmvnStats::from_matrix(matrix).unwrap()
    }

    #[test]
    fn statistics_are_sums_sums_of_squares_and_a_count() {
        let of = CmvnStats::of(&feats(2, &[1.0, 2.0, 3.0, 4.0]));
        assert_eq!(of, stats(&[4.0, 6.0, 2.0], &[10.0, 20.0, 0.0]));
        assert_eq!((of.dim(), of.count()), (2, 2.0));
        assert_eq!(CmvnStats::of(&Matrix::default()).into_matrix(), Matrix::new(2, 1));
    }

    /// As in Kaldi; without it the bytes would differ.
    #[test]
    fn squares_are_rounded_before_they_are_summed_and_sums_are_not() {
        let value = 1.000_000_1_f32;
        let square = f64::from(value * value);
        assert_ne!(square, f64::from(value) * f64::from(value));
        let of = CmvnStats::of(&feats(3, &[value, 16_777_216.0, 1.0]));
        assert_eq!(of.into_matrix().row(0), [f64::from(value) + 16_777_217.0, 3.0]);
        assert_eq!(CmvnStats::of(&feats(1, &[value])).into_matrix().row(1), [square, 0.0]);
    }

    #[test]
    fn frames_count_as_often_as_their_weight_says() {
        let mut sums = CmvnStats::new(1);
        sums.add_feats(&feats(3, &[1.0, f32::NAN, 3.0]), Some(&[2.0, 0.0, -0.5])).unwrap();
        assert_eq!(sums, stats(&[0.5, 1.5], &[-2.5, 0.0]));
        let error = sums.add_feats(&feats(2, &[1.0, 2.0]), Some(&[1.0])).unwrap_err();
        assert_eq!(error.to_string(), "expected 2 weights, one a frame, got 1");
    }

    #[test]
    fn features_and_statistics_have_to_be_of_one_dimension() {
        let mut sums = CmvnStats::of(&feats(1, &[1.0, 2.0]));
        let before = sums.clone();
        let error = sums.add_feats(&feats(1, &[1.0]), None).unwrap_err().to_string();
        assert_eq!(error, "Dim mismatch: expected CMVN statistics of 2 by 2 for features of dimension 1, got 2 by 3");
        assert!(sums.add(&CmvnStats::new(1)).is_err());
        assert!(sums.apply(false, &mut feats(1, &[1.0])).is_err());
        assert!(sums.apply_reverse(false, &mut Matrix::default()).is_err());
        sums.add_feats(&Matrix::default(), None).unwrap();
        assert_eq!(sums, before);
        sums.add(&before).unwrap();
        assert_eq!(sums, stats(&[2.0, 4.0, 2.0], &[2.0, 8.0, 0.0]));
    }

    #[test]
    fn the_louder_channel_counts_more_frame_by_frame() {
        let (first, second) = (feats(3, &[5.0, 1.0, 2.0, 2.0, 1.0, 3.0]), feats(3, &[4.0, 1.0, 3.0, 2.0, 1.0, 3.0]));
        let [a, b] = CmvnStats::of_channels(&first, &second, 0.5).unwrap();
        // If two are equally loud, the second one counts as the louder one.
        assert_eq!(a, stats(&[6.5, 3.5, 2.0], &[27.5, 7.5, 0.0]));
        assert_eq!(b, stats(&[6.0, 5.5, 2.5], &[18.0, 13.5, 0.0]));
    }

    #[test]
    fn channels_of_other_length_count_fully_and_of_other_dimension_not_at_all() {
        let (first, second) = (feats(2, &[5.0, 1.0]), feats(1, &[4.0]));
        let both = CmvnStats::of_channels(&first, &second, 0.5).unwrap();
        assert_eq!(both, [CmvnStats::of(&first), CmvnStats::of(&second)]);
        let error = CmvnStats::of_channels(&first, &feats(2, &[1.0; 4]), 0.5).unwrap_err();
        assert_eq!(error.to_string(), "expected features with 1 columns, got 2");
    }

    #[test]
    fn faked_dimensions_have_a_mean_of_zero_and_a_variance_of_one() {
        let mut faked = stats(&[4.0, 6.0, 2.0], &[10.0, 20.0, 0.0]);
        faked.fake(&Dims(vec![1, 1])).unwrap();
        assert_eq!(faked, stats(&[4.0, 0.0, 2.0], &[10.0, 2.0, 0.0]));
        let mut normalized = feats(1, &[1.0, 7.0]);
        faked.apply(true, &mut normalized).unwrap();
        assert_eq!(normalized.as_slice()[1], 7.0);
        for dim in [2, -1] {
            let error = faked.fake(&Dims(vec![dim])).unwrap_err().to_string();
            assert_eq!(error, format!("expected a dimension of 0 or more and below 2, got {dim}"));
        }
    }

    #[test]
    fn only_whole_statistics_can_be_faked() {
        for matrix in [Matrix::new(1, 3), Matrix::new(2, 1)] {
            let error = CmvnStats::from_matrix(matrix).unwrap().fake(&Dims::default()).unwrap_err().to_string();
            assert!(error.starts_with("expected CMVN statistics, of 2 rows and at least 2 columns, got"), "{error}");
        }
    }

    #[test]
    fn statistics_have_one_row_or_two() {
        assert!(CmvnStats::from_matrix(Matrix::new(3, 2)).is_err());
        assert!(CmvnStats::from_matrix(Matrix::default()).is_err());
    }

    #[test]
    fn means_and_variances_are_of_frames_that_exist() {
        let sums = stats(&[4.0, 6.0, 2.0], &[10.0, 20.0, 0.0]);
        let expected = Matrix::from_vec(2, 2, vec![2.0, 3.0, 1.0, 1.0]);
        assert_eq!(sums.means_and_variances().unwrap(), Some(expected));
        assert_eq!(CmvnStats::new(2).means_and_variances().unwrap(), None);
        assert_eq!(stats(&[1.0, -1.0], &[1.0, 0.0]).means_and_variances().unwrap(), None);
        let means_only = CmvnStats::from_matrix(Matrix::new(1, 3)).unwrap();
        assert_eq!(means_only.means_and_variances(), Err(Error::NoVariances));
    }

    #[test]
    fn normalized_features_have_a_mean_of_zero_and_a_variance_of_one() {
        let original = feats(2, &[1.0, 2.0, 3.0, 10.0]);
        let sums = CmvnStats::of(&original);
        let mut normalized = original.clone();
        assert_eq!(sums.apply(false, &mut normalized).unwrap(), []);
        assert_eq!(normalized.as_slice(), [-1.0, -4.0, 1.0, 4.0]);
        sums.apply_reverse(false, &mut normalized).unwrap();
        assert_eq!(normalized, original);
        sums.apply(true, &mut normalized).unwrap();
        assert_eq!(normalized.as_slice(), [-1.0, -1.0, 1.0, 1.0]);
        sums.apply_reverse(true, &mut normalized).unwrap();
        assert!(normalized.is_approx_equal(&original, 1e-6), "{normalized:?}");
    }

    #[test]
    fn small_variances_are_floored_and_told() {
        let flat = stats(&[4.0, 6.0, 2.0], &[8.0, 20.0, 0.0]);
        let expected = [Flooring { dim: 0, variance: 0.0 }];
        let mut normalized = feats(2, &[2.0, 4.0, 3.0, 2.0]);
        assert_eq!(flat.apply(true, &mut normalized).unwrap(), expected);
        assert_eq!(normalized.row(0), [0.0, 1.0]);
        assert!((normalized.row(1)[0] - 1e10).abs() < 1e5, "{normalized:?}");
        let mut reversed = feats(1, &[1.0, 1.0]);
        assert_eq!(flat.apply_reverse(true, &mut reversed).unwrap(), expected);
        assert_eq!(reversed.as_slice(), [2.0, 4.0]);
    }

    #[test]
    fn what_is_no_number_cannot_be_normalized() {
        let sums = stats(&[4.0, f64::NAN, 2.0], &[10.0, 20.0, 0.0]);
        let mut normalized = feats(1, &[2.0, 2.0]);
        assert_eq!(sums.apply(true, &mut normalized), Err(Error::NanVariance { dim: 1 }));
        assert_eq!(normalized.as_slice(), [2.0, 2.0]);
        sums.apply(false, &mut normalized).unwrap();
        assert!(normalized.as_slice()[1].is_nan());
        assert_eq!(sums.apply_reverse(true, &mut normalized).unwrap(), []);
    }

    #[test]
    fn a_count_of_one_is_enough() {
        let mut normalized = feats(1, &[2.0]);
        stats(&[3.0, 1.0], &[0.0, 0.0]).apply(false, &mut normalized).unwrap();
        assert_eq!(normalized.as_slice(), [-1.0]);
        let error = stats(&[3.0, 0.99], &[0.0, 0.0]).apply(false, &mut normalized).unwrap_err().to_string();
        assert!(error.ends_with("expected a count of 1 or more, got 0.99"), "{error}");
    }

    #[test]
    fn means_alone_are_enough_for_means() {
        let sums = CmvnStats::from_matrix(Matrix::from_vec(1, 2, vec![6.0, 2.0])).unwrap();
        let mut normalized = feats(1, &[2.0]);
        sums.apply(false, &mut normalized).unwrap();
        assert_eq!(normalized.as_slice(), [-1.0]);
        assert_eq!(sums.apply(true, &mut normalized), Err(Error::NoVariances));
        assert_eq!(sums.apply_reverse(true, &mut normalized), Err(Error::NoVariances));
    }
}
