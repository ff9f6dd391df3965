//! Statistics for mixtures with diagonal covariances.

use std::hint::black_box;

use kaldi_io::ParseError;
use kaldi_matrix::Matrix;
use kaldi_simd::{Kernel, WIDTH, dispatch};
use kaldi_value::{Cursor, Format, KaldiObject, write_token};

use crate::mixture::check_feats;
use crate::stats::{StatsHead, sums_size};
use crate::{Error, FrameWeights, GmmFlags, GmmStats, Result};

/// Statistics for a mixture with diagonal covariances (Kaldi's `AccumDiagGmm`): for each Gaussian the sums of its frames'
/// weights, of the frames and of their squares, both times their weights.
///
/// As text, of one Gaussian in one dimension, with 4 frames that have a sum of 8 and a sum of squares of 17:
///
/// ```text
/// <GMMACCS> <VECSIZE> 1 <NUMCOMPONENTS> 1 <FLAGS> 7 <OCCUPANCY>  [ 4 ]
/// <MEANACCS>  [
///   8 ]
/// <DIAGVARACCS>  [
///   17 ]
/// </GMMACCS>
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct AccumDiagGmm {
    flags: GmmFlags,
    dim: usize,
    occupancy: Vec<f64>,
    /// A row for each Gaussian, or empty.
    means: Matrix<f64>,
    /// A row for each Gaussian, or empty.
    squares: Matrix<f64>,
}

impl AccumDiagGmm {
    /// The sums of the frames, a row for each Gaussian; empty if the flags do not have means.
    pub fn means(&self) -> &Matrix<f64> {
        &self.means
    }

    /// The sums of the squares of the frames, a row for each Gaussian; empty if the flags do not have variances.
    pub fn squares(&self) -> &Matrix<f64> {
        &self.squares
    }

    /// Adds sums to those of a Gaussian, as far as the flags have them.
    pub(crate) fn add_sums(&mut self, gauss: usize, count: f64, means: &[f64], squares: &[f64]) {
        self.occupancy[gauss] += count;
        if !self.means.is_empty() {
            self.means.row_mut(gauss).iter_mut().zip(means).for_each(|(sum, value)| *sum += value);
        }
        if !self.squares.is_empty() {
            self.squares.row_mut(gauss).iter_mut().zip(squares).for_each(|(sum, value)| *sum += value);
        }
    }

    /// Adds `tau` frames to each Gaussian that has frames in `source`, with the moments that it has there.
    ///
    /// # Errors
    /// If the sizes differ, or `source` does not have all flags.
    pub(crate) fn smooth(&mut self, source: &Self, tau: f64) -> Result<()> {
        let sums = GmmFlags::from_bits(self.flags.bits() & 7).unwrap_or(GmmFlags::ALL);
        if (self.num_gauss(), self.dim) != (source.num_gauss(), source.dim) || !source.flags.contains(sums) {
            let (expected, got) = ((self.num_gauss(), self.dim), (source.num_gauss(), source.dim));
            return Err(Error::StatsSize { expected, flags: self.flags, got, got_flags: source.flags });
        }
        for (gauss, &count) in source.occupancy.iter().enumerate().filter(|(_, count)| **count != 0.0) {
            let scaled = |sums: &Matrix<f64>| -> Vec<f64> {
                let row = if sums.is_empty() { &[][..] } else { sums.row(gauss) };
                row.iter().map(|sum| sum * (tau / count)).collect()
            };
            self.add_sums(gauss, tau, &scaled(&source.means), &scaled(&source.squares));
        }
        Ok(())
    }
}

impl GmmStats for AccumDiagGmm {
    fn new(num_gauss: usize, dim: usize, flags: GmmFlags) -> Self {
        let flags = flags.with_needed();
        let sums = |flag| {
            let (rows, cols) = sums_size(flags.contains(flag), num_gauss, dim);
            Matrix::new(rows, cols)
        };
        let (means, squares) = (sums(GmmFlags::MEANS), sums(GmmFlags::VARIANCES));
        Self { flags, dim, occupancy: vec![0.0; num_gauss], means, squares }
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
        dispatch(AddFrames { stats: self, feats, weights });
        Ok(())
    }

    fn add_all(&mut self, feats: &Matrix<f32>, weights: &Matrix<f32>) -> Result<()> {
        check_feats(feats, self.dim)?;
        let feats = feats.to_precision::<f64>();
        let weights = weights.to_precision::<f64>();
        let refused = |_| Error::SelectionLength { expected: feats.num_rows(), got: weights.num_rows() };
        for (sum, weight) in self.occupancy.iter_mut().zip(weights.column_sums().as_slice()) {
            *sum += weight;
        }
        if !self.means.is_empty() && !feats.is_empty() {
            self.means.add_transposed_product(&weights, &feats).map_err(refused)?;
        }
        if !self.squares.is_empty() && !feats.is_empty() {
            let mut squares = feats.clone();
            squares.apply(|value| value * value);
            self.squares.add_transposed_product(&weights, &squares).map_err(refused)?;
        }
        Ok(())
    }

    fn add(&mut self, other: Self) -> Result<()> {
        self.check_like(&other)?;
        for (sums, others) in [
            (&mut self.occupancy[..], &other.occupancy[..]),
            (self.means.as_mut_slice(), other.means.as_slice()),
            (self.squares.as_mut_slice(), other.squares.as_slice()),
        ] {
            sums.iter_mut().zip(others).for_each(|(sum, other)| *sum += other);
        }
        Ok(())
    }
}

/// The registers of a block: sums that stay there while frames are added to them. Features of 40 dimensions with their squares
/// are two blocks.
const BLOCK: usize = 5;

/// The numbers of a block.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Block([[f64; WIDTH]; BLOCK]);

/// Memory for frames that are added together.
#[derive(Default)]
pub(crate) struct FrameBlocks {
    /// The values of all frames and their squares: the first block of each frame, then the second ones.
    blocks: Vec<Block>,
    /// The weights of all frames for the first Gaussian, then those for the next.
    weights: Vec<f64>,
}

impl FrameBlocks {
    /// How many frames may be added together: so many stay in the first-level cache.
    pub(crate) const MOST: usize = 32;
}

impl AccumDiagGmm {
    /// Adds frames, each with a weight for each Gaussian: the same as [`GmmStats::add_weighted`], but faster. Sums are in registers
    /// while all frames are added to them.
    ///
    /// # Panics
    /// If there are no frames, or they have another dimension, or not a weight for each Gaussian.
    pub(crate) fn add_together(&mut self, frames: &[(&[f32], &[f32])], memory: &mut FrameBlocks) {
        let num_gauss = self.num_gauss();
        assert!(frames.iter().all(|(frame, weights)| frame.len() == self.dim && weights.len() == num_gauss));
        memory.weights.clear();
        for gauss in 0..num_gauss {
            memory.weights.extend(frames.iter().map(|(_, weights)| f64::from(weights[gauss])));
        }
        dispatch(AddTogether { stats: self, frames, memory });
    }
}

/// See [`AccumDiagGmm::add_together`].
struct AddTogether<'a> {
    stats: &'a mut AccumDiagGmm,
    frames: &'a [(&'a [f32], &'a [f32])],
    memory: &'a mut FrameBlocks,
}

impl Kernel for AddTogether<'_> {
    type Output = ();

    const WANTS_AVX512: bool = true;

    #[inline(always)]
    fn compute(self) {
        let AccumDiagGmm { occupancy, means, squares, dim, .. } = self.stats;
        let FrameBlocks { blocks, weights } = self.memory;
        let units = dim.div_ceil(WIDTH);
        let of_means = if means.is_empty() { 0 } else { units };
        let of_squares = if squares.is_empty() { 0 } else { units };
        let per_frame = (of_means + of_squares).div_ceil(BLOCK);
        blocks.clear();
        blocks.resize(self.frames.len() * per_frame, Block([[0.0; WIDTH]; BLOCK]));
        let num_frames = self.frames.len();
        for (number, (frame, _)) in self.frames.iter().enumerate() {
            let (whole, rest) = frame.as_chunks();
            for (unit, values) in whole.iter().enumerate() {
                fill_unit(blocks, (number, num_frames), (of_means, of_squares), unit, values);
            }
            if !rest.is_empty() {
                let mut values = [0.0; WIDTH];
                values[..rest.len()].copy_from_slice(rest);
                fill_unit(blocks, (number, num_frames), (of_means, of_squares), whole.len(), &values);
            }
        }
        for (gauss, weights) in weights.chunks_exact(num_frames).enumerate() {
            let mut count = occupancy[gauss];
            for weight in weights {
                count += weight;
            }
            occupancy[gauss] = count;
            for block in 0..per_frame {
                let first = block * BLOCK;
                let mut sums = Block([[0.0; WIDTH]; BLOCK]);
                for (unit, sums) in (first..of_means + of_squares).zip(&mut sums.0) {
                    let part = unit_of(means, squares, of_means, gauss, unit);
                    match part.first_chunk() {
                        Some(whole) => *sums = *whole,
                        None => sums[..part.len()].copy_from_slice(part),
                    }
                }
                let sums = black_box(added(black_box(sums), weights, &blocks[block * num_frames..]));
                for (unit, sums) in (first..of_means + of_squares).zip(&sums.0) {
                    let part = unit_of(means, squares, of_means, gauss, unit);
                    match part.first_chunk_mut() {
                        Some(whole) => *whole = *sums,
                        None => part.copy_from_slice(&sums[..part.len()]),
                    }
                }
            }
        }
    }
}

/// Puts some values of a frame into its blocks, and their squares.
#[inline(always)]
fn fill_unit(
    blocks: &mut [Block],
    (number, num_frames): (usize, usize),
    (of_means, of_squares): (usize, usize),
    unit: usize,
    values: &[f32; WIDTH],
) {
    let mut wide = [0.0; WIDTH];
    for lane in 0..WIDTH {
        wide[lane] = f64::from(values[lane]);
    }
    if of_means > 0 {
        blocks[unit / BLOCK * num_frames + number].0[unit % BLOCK] = wide;
    }
    if of_squares > 0 {
        for value in &mut wide {
            *value *= *value;
        }
        let unit = of_means + unit;
        blocks[unit / BLOCK * num_frames + number].0[unit % BLOCK] = wide;
    }
}

/// The accumulators of a Gaussian that fill one SIMD register. Register `unit` counts through those of the first-order statistics (sums of
/// features), then through those of the second-order statistics (sums of squares).
#[inline(always)]
fn unit_of<'a>(
    means: &'a mut Matrix<f64>,
    squares: &'a mut Matrix<f64>,
    of_means: usize,
    gauss: usize,
    unit: usize,
) -> &'a mut [f64] {
    let (sums, unit) = if unit < of_means { (means, unit) } else { (squares, unit - of_means) };
    let row = &mut sums.row_mut(gauss)[unit * WIDTH..];
    let length = row.len().min(WIDTH);
    &mut row[..length]
}

/// The sums after each block of a frame times its weight is added.
#[inline(always)]
fn added(Block(mut sums): Block, weights: &[f64], blocks: &[Block]) -> Block {
    for (weight, Block(values)) in weights.iter().zip(blocks) {
        for unit in 0..BLOCK {
            for lane in 0..WIDTH {
                sums[unit][lane] += weight * values[unit][lane];
            }
        }
    }
    Block(sums)
}

/// Adds frames for the Gaussians of their lists.
struct AddFrames<'a> {
    stats: &'a mut AccumDiagGmm,
    feats: &'a Matrix<f32>,
    weights: &'a [FrameWeights],
}

impl Kernel for AddFrames<'_> {
    type Output = ();

    #[inline(always)]
    fn compute(self) {
        let AccumDiagGmm { occupancy, means, squares, .. } = self.stats;
        for (frame, weights) in self.feats.rows().zip(self.weights) {
            for &(gauss, weight) in weights {
                let weight = f64::from(weight);
                occupancy[gauss] += weight;
                if !means.is_empty() {
                    for (sum, &value) in means.row_mut(gauss).iter_mut().zip(frame) {
                        *sum += weight * f64::from(value);
                    }
                }
                if !squares.is_empty() {
                    for (sum, &value) in squares.row_mut(gauss).iter_mut().zip(frame) {
                        *sum += weight * (f64::from(value) * f64::from(value));
                    }
                }
            }
        }
    }
}

impl KaldiObject for AccumDiagGmm {
    const NAME: &'static str = "statistics of a mixture of Gaussians";
    const TOKENS: Option<[&'static str; 2]> = Some(["<GMMACCS>", "</GMMACCS>"]);

    fn read_part(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        let StatsHead { flags, occupancy, means, dim } = StatsHead::read(cursor)?;
        let start = cursor.offset();
        cursor.expect_token("<DIAGVARACCS>")?;
        let squares = Matrix::<f64>::read_part(cursor)?;
        let expected = sums_size(flags.contains(GmmFlags::VARIANCES), occupancy.len(), dim);
        if squares.size() != expected {
            let (rows, cols) = squares.size();
            let message = format!("expected sums of {} by {}, got {rows} by {cols}", expected.0, expected.1);
            return Err(ParseError::new(start, message));
        }
        cursor.expect_token("</GMMACCS>")?;
        Ok(Self { flags, dim, occupancy, means, squares })
    }

    fn write_part(&self, out: &mut Vec<u8>, format: Format) {
        StatsHead::write((self.flags, self.dim), &self.occupancy, &self.means, out, format);
        write_token(out, b"<DIAGVARACCS>");
        self.squares.to_precision::<f32>().write_part(out, format);
        write_token(out, b"</GMMACCS>");
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kaldi_value::{Frame, Value};

    fn feats() -> Matrix<f32> {
        Matrix::from_vec(3, 2, vec![1.0, 2.0, -3.0, 0.5, 0.0, 4.0])
    }

    fn stats(flags: GmmFlags) -> AccumDiagGmm {
        let mut stats = AccumDiagGmm::new(2, 2, flags);
        let weights = [vec![(0, 0.5), (1, 0.5)], vec![(1, 1.0)], vec![]];
        stats.add_weighted(&feats(), &weights).unwrap();
        stats
    }

    #[test]
    fn frames_count_for_their_gaussians() {
        let stats = stats(GmmFlags::ALL);
        assert_eq!(stats.occupancy(), [0.5, 1.5]);
        assert_eq!(stats.means().as_slice(), [0.5, 1.0, -2.5, 1.5]);
        assert_eq!(stats.squares().as_slice(), [0.5, 2.0, 9.5, 2.25]);
        let mut all = AccumDiagGmm::new(2, 2, GmmFlags::ALL);
        all.add_all(&feats(), &Matrix::from_vec(3, 2, vec![0.5, 0.5, 0.0, 1.0, 0.0, 0.0])).unwrap();
        assert_eq!(all, stats);
        all.add(stats.clone()).unwrap();
        assert_eq!(all.occupancy(), [1.0, 3.0]);
        assert!(all.add_weighted(&Matrix::new(1, 3), &[vec![]]).is_err());
    }

    #[test]
    fn frames_that_are_added_together_have_the_sums_of_single_ones() {
        for (dim, num_gauss, num_frames) in [(1, 1, 1), (7, 2, 3), (8, 3, 24), (39, 10, 7), (40, 4, 32), (61, 5, 2)] {
            for flags in [GmmFlags::ALL, GmmFlags::MEANS, GmmFlags::WEIGHTS] {
                let value = |at: usize| ((at * 7919 + dim) % 1009) as f32 / 37.0 - 13.0;
                let feats = Matrix::from_vec(num_frames, dim, (0..num_frames * dim).map(value).collect());
                let weights: Vec<Vec<f32>> = (0..num_frames)
                    .map(|frame| (0..num_gauss).map(|gauss| value(frame * 31 + gauss) / 7.0).collect())
                    .collect();
                let (mut expected, mut memory) = (AccumDiagGmm::new(num_gauss, dim, flags), FrameBlocks::default());
                let mut together = expected.clone();
                let frames: Vec<_> = feats.rows().zip(weights.iter().map(|weights| &weights[..])).collect();
                let lists: Vec<FrameWeights> =
                    weights.iter().map(|weights| weights.iter().copied().enumerate().collect()).collect();
                for _ in 0..2 {
                    expected.add_weighted(&feats, &lists).unwrap();
                    together.add_together(&frames, &mut memory);
                }
                assert_eq!(together, expected, "{num_frames} frames of {dim}, {flags:?}");
            }
        }
    }

    #[test]
    fn what_is_written_is_read_again() {
        for flags in [GmmFlags::ALL, GmmFlags::MEANS, GmmFlags::WEIGHTS] {
            for format in [Format::Binary, Format::Text] {
                let bytes = stats(flags).to_bytes(format);
                assert_eq!(AccumDiagGmm::read(&mut Cursor::new(&bytes)), Ok(stats(flags)));
                assert_eq!(AccumDiagGmm::frame(&bytes, true), Ok(Frame::Whole(bytes.len())));
                for length in 0..bytes.len() {
                    assert!(AccumDiagGmm::read(&mut Cursor::new(&bytes[..length])).is_err());
                }
            }
        }
    }

    #[test]
    fn statistics_of_other_sizes_are_not_added() {
        let message = |other| stats(GmmFlags::ALL).add(other).unwrap_err().to_string();
        assert_eq!(
            message(AccumDiagGmm::new(3, 2, GmmFlags::MEANS)),
            "dimension or flags mismatch: expected statistics of 2 Gaussians in 2 dimensions with flags mvwt, got 3 in 2 \
             with mw"
        );
        assert!(message(stats(GmmFlags::MEANS)).contains("with mw"));
    }

    #[test]
    fn sizes_in_files_are_claims() {
        let text = "<GMMACCS> <VECSIZE> 1 <NUMCOMPONENTS> 1 <FLAGS> 7 <OCCUPANCY>  [ 4 ]\n<MEANACCS>  [\n  8 ]\n<DIAGVARACCS>  \
                    [\n  17 ]\n</GMMACCS> ";
        let message = |from: &str, to: &str| {
            let text = text.replace(from, to);
            AccumDiagGmm::read(&mut Cursor::new(text.as_bytes())).unwrap_err().to_string()
        };
        let sizes = "expected 2000000000 occupancies and sums of 2000000000 by 1, got 1 and 1 by 1";
        assert_eq!(message("<NUMCOMPONENTS> 1", "<NUMCOMPONENTS> 2000000000"), sizes);
        assert!(message("<NUMCOMPONENTS> 1", "<NUMCOMPONENTS> -1").contains("got -1 of them in 1 dimensions"));
        assert!(message("<FLAGS> 7", "<FLAGS> 16").contains("expected flags from 0 to 15, got 16"));
        assert!(message("<FLAGS> 7", "<FLAGS> 5").contains("expected sums of 0 by 0, got 1 by 1"));
        assert!(message("<DIAGVARACCS>", "<FULLVARACCS>").contains("expected token \"<DIAGVARACCS>\""));
    }
}
