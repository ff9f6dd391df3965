//! Statistics for mixtures with full covariances.

use kaldi_io::ParseError;
use kaldi_matrix::{Matrix, SymmetricMatrix};
use kaldi_value::{Cursor, Format, KaldiObject, write_token};

use crate::mixture::check_feats;
use crate::stats::{StatsHead, sums_size};
use crate::{Error, FrameWeights, GmmFlags, GmmStats, Result};

/// Statistics for a mixture with full covariances (Kaldi's `AccumFullGmm`): for each Gaussian the sums of its frames'
/// weights, of the frames and of their outer products, both times their weights.
///
/// A file has the products without those of the means. As text, of one Gaussian in one dimension, with 4 frames that have
/// a sum of 8 and a sum of squares of 17:
///
/// ```text
/// <GMMACCS> <VECSIZE> 1 <NUMCOMPONENTS> 1 <FLAGS> 7 <OCCUPANCY>  [ 4 ]
/// <MEANACCS>  [
///   8 ]
/// <FULLVARACCS> [
/// 1 ]
/// </GMMACCS>
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct AccumFullGmm {
    flags: GmmFlags,
    dim: usize,
    occupancy: Vec<f64>,
    /// A row for each Gaussian, or empty.
    means: Matrix<f64>,
    /// One for each Gaussian; empty if it has no frames.
    squares: Vec<SymmetricMatrix>,
}

impl AccumFullGmm {
    /// The sums of the frames, a row for each Gaussian; empty if the flags do not have means.
    pub fn means(&self) -> &Matrix<f64> {
        &self.means
    }

    /// The sum of the outer products of the frames of one Gaussian; zeros if it has none or the flags do not have
    /// variances.
    ///
    /// # Panics
    /// If there is no such Gaussian.
    pub fn squares(&self, gauss: usize) -> SymmetricMatrix {
        assert!(gauss < self.occupancy.len());
        let squares = self.squares.get(gauss).filter(|squares| !squares.is_empty());
        squares.cloned().unwrap_or_else(|| SymmetricMatrix::new(self.dim))
    }

    /// Adds `sign` times the products of the means of one Gaussian, which are not in files.
    fn add_squares_of_mean(&self, gauss: usize, sign: f64, squares: &mut SymmetricMatrix) {
        let occupancy = self.occupancy[gauss];
        if occupancy != 0.0 {
            // The size is that of the statistics.
            let _ = squares.add_outer(sign / occupancy, self.means.row(gauss));
        }
    }
}

impl GmmStats for AccumFullGmm {
    fn new(num_gauss: usize, dim: usize, flags: GmmFlags) -> Self {
        let flags = flags.with_needed();
        let (rows, cols) = sums_size(flags.contains(GmmFlags::MEANS), num_gauss, dim);
        let squares = if flags.contains(GmmFlags::VARIANCES) { num_gauss } else { 0 };
        Self {
            flags,
            dim,
            occupancy: vec![0.0; num_gauss],
            means: Matrix::new(rows, cols),
            squares: vec![SymmetricMatrix::default(); squares],
        }
    }

    fn flags(&self) -> GmmFlags {
        self.flags
    }

    fn num_gauss(&self) -> usize {
        self.occupancy.len()
    }

    fn dim(&self) -> usize {
        self.dim
    }

    fn occupancy(&self) -> &[f64] {
        &self.occupancy
    }

    fn add_weighted(&mut self, feats: &Matrix<f32>, weights: &[FrameWeights]) -> Result<()> {
        assert_eq!(feats.num_rows(), weights.len());
        check_feats(feats, self.dim)?;
        // The frames of each Gaussian, so that its products are summed once.
        let mut shares: Vec<Vec<(usize, f64)>> = vec![Vec::new(); self.num_gauss()];
        for (frame, weights) in weights.iter().enumerate() {
            for &(gauss, weight) in weights {
                shares[gauss].push((frame, weight.into()));
            }
        }
        for (gauss, share) in shares.iter().enumerate().filter(|(_, share)| !share.is_empty()) {
            self.occupancy[gauss] += share.iter().map(|(_, weight)| weight).sum::<f64>();
            if self.means.is_empty() {
                continue;
            }
            let frames: Vec<_> = share.iter().map(|&(frame, weight)| (weight, feats.row(frame))).collect();
            let means = self.means.row_mut(gauss);
            for (weight, frame) in &frames {
                for (sum, &value) in means.iter_mut().zip(*frame) {
                    *sum += weight * f64::from(value);
                }
            }
            if let Some(squares) = self.squares.get_mut(gauss) {
                if squares.is_empty() {
                    *squares = SymmetricMatrix::new(self.dim);
                }
                squares.add_outers(&frames).map_err(|source| Error::Covariance { gauss, source })?;
            }
        }
        Ok(())
    }

    fn add_all(&mut self, feats: &Matrix<f32>, weights: &Matrix<f32>) -> Result<()> {
        let (frames, size) = (feats.num_rows(), weights.size());
        if size != sums_size(true, frames, self.num_gauss()) {
            return Err(Error::SelectionLength { expected: frames, got: size.0 });
        }
        let list = |row: &[f32]| row.iter().copied().enumerate().filter(|(_, weight)| *weight != 0.0).collect();
        self.add_weighted(feats, &weights.rows().map(list).collect::<Vec<_>>())
    }

    fn add(&mut self, other: Self) -> Result<()> {
        self.check_like(&other)?;
        self.occupancy.iter_mut().zip(&other.occupancy).for_each(|(sum, other)| *sum += other);
        self.means.as_mut_slice().iter_mut().zip(other.means.as_slice()).for_each(|(sum, other)| *sum += other);
        for (sum, other) in self.squares.iter_mut().zip(other.squares) {
            if sum.is_empty() {
                *sum = other;
            } else {
                sum.as_mut_slice().iter_mut().zip(other.as_slice()).for_each(|(sum, other)| *sum += other);
            }
        }
        Ok(())
    }
}

impl KaldiObject for AccumFullGmm {
    const NAME: &'static str = "statistics of a mixture of Gaussians with full covariances";
    const TOKENS: Option<[&'static str; 2]> = Some(["<GMMACCS>", "</GMMACCS>"]);

    fn read_part(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        let StatsHead { flags, occupancy, means, dim } = StatsHead::read(cursor)?;
        let mut stats = Self { flags, dim, occupancy, means, squares: Vec::new() };
        if flags.contains(GmmFlags::VARIANCES) {
            cursor.expect_token("<FULLVARACCS>")?;
            for gauss in 0..stats.num_gauss() {
                let start = cursor.offset();
                let mut squares = SymmetricMatrix::read_part(cursor)?;
                if squares.dim() != dim || stats.means.is_empty() {
                    let message = format!("expected sums in {dim} dimensions, got {}", squares.dim());
                    return Err(ParseError::new(start, message));
                }
                stats.add_squares_of_mean(gauss, 1.0, &mut squares);
                stats.squares.push(squares);
            }
        }
        cursor.expect_token("</GMMACCS>")?;
        Ok(stats)
    }

    fn write_part(&self, out: &mut Vec<u8>, format: Format) {
        StatsHead::write((self.flags, self.dim), &self.occupancy, &self.means, out, format);
        if !self.squares.is_empty() {
            write_token(out, b"<FULLVARACCS>");
            for gauss in 0..self.num_gauss() {
                let mut squares = self.squares(gauss);
                self.add_squares_of_mean(gauss, -1.0, &mut squares);
                squares.write_part::<f32>(out, format);
            }
        }
        write_token(out, b"</GMMACCS>");
    }
}

#[cfg(test)]
mod tests {
    use kaldi_value::{Frame, Value};

    use super::*;

    fn feats() -> Matrix<f32> {
        Matrix::from_vec(3, 2, vec![1.0, 2.0, -3.0, 0.5, 0.0, 4.0])
    }

    fn stats(flags: GmmFlags) -> AccumFullGmm {
        let mut stats = AccumFullGmm::new(3, 2, flags);
        let weights = [vec![(0, 0.5), (1, 0.5)], vec![(1, 0.5)], vec![]];
        stats.add_weighted(&feats(), &weights).unwrap();
        stats
    }

    #[test]
    fn frames_count_for_their_gaussians() {
        let sums = stats(GmmFlags::ALL);
        assert_eq!(sums.occupancy(), [0.5, 1.0, 0.0]);
        assert_eq!(sums.means().as_slice(), [0.5, 1.0, -1.0, 1.25, 0.0, 0.0]);
        assert_eq!(sums.squares(1).as_slice(), [5.0, 0.25, 2.125]);
        assert_eq!(sums.squares(2), SymmetricMatrix::new(2));
        let mut all = AccumFullGmm::new(3, 2, GmmFlags::ALL);
        all.add_all(&feats(), &Matrix::from_vec(3, 3, vec![0.5, 0.5, 0.0, 0.0, 0.5, 0.0, 0.0, 0.0, 0.0])).unwrap();
        assert_eq!(all, sums);
        all.add(sums).unwrap();
        assert_eq!(all.squares(1).as_slice(), [10.0, 0.5, 4.25]);
        assert!(all.add(stats(GmmFlags::MEANS)).is_err());
    }

    #[test]
    fn many_frames_are_summed_like_few() {
        let feats = Matrix::from_vec(20, 2, (0..40).map(|value| (value % 7) as f32).collect());
        let weights: Vec<FrameWeights> = (0..20).map(|frame| vec![(0, frame as f32 / 4.0 - 1.0)]).collect();
        let mut together = AccumFullGmm::new(1, 2, GmmFlags::ALL);
        together.add_weighted(&feats, &weights).unwrap();
        let mut single = AccumFullGmm::new(1, 2, GmmFlags::ALL);
        for (frame, weights) in feats.rows().zip(&weights) {
            single.add_weighted(&Matrix::from_vec(1, 2, frame.to_vec()), std::slice::from_ref(weights)).unwrap();
        }
        assert_eq!(together, single);
    }

    #[test]
    fn what_is_written_is_read_again() {
        for flags in [GmmFlags::ALL, GmmFlags::MEANS, GmmFlags::WEIGHTS] {
            for format in [Format::Binary, Format::Text] {
                let mut bytes = Vec::new();
                stats(flags).write(&mut bytes, format);
                let again = AccumFullGmm::read(&mut Cursor::new(&bytes)).unwrap();
                assert_eq!((again.means(), again.squares(1)), (stats(flags).means(), stats(flags).squares(1)));
                assert_eq!(AccumFullGmm::frame(&bytes, true), Ok(Frame::Whole(bytes.len())));
                for length in 0..bytes.len() {
                    assert!(AccumFullGmm::read(&mut Cursor::new(&bytes[..length])).is_err());
                }
            }
        }
    }

    #[test]
    fn files_have_the_products_without_those_of_the_means() {
        let mut stats = AccumFullGmm::new(1, 1, GmmFlags::VARIANCES);
        stats.add_weighted(&Matrix::from_vec(2, 1, vec![1.0, 3.0]), &[vec![(0, 1.0)], vec![(0, 1.0)]]).unwrap();
        let mut bytes = Vec::new();
        stats.write(&mut bytes, Format::Text);
        assert!(String::from_utf8(bytes).unwrap().ends_with("<FULLVARACCS> [\n2 ]\n</GMMACCS> "));
    }
}
