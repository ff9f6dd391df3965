//! What statistics for mixtures with diagonal and with full covariances have in common.

use kaldi_io::ParseError;
use kaldi_matrix::{Matrix, Vector};
use kaldi_value::{Cursor, Format, Value, write_basic, write_token};

use crate::softmax::softmax_rows;
use crate::{Error, GmmFlags, Mixture, Result};

/// The weights of some Gaussians in a frame: their places in the mixture, and their weights.
pub type FrameWeights = Vec<(usize, f32)>;

/// Statistics for the estimation of a mixture: [`crate::AccumDiagGmm`] or [`crate::AccumFullGmm`]. Sums are kept in double
/// precision and written in single precision, as Kaldi does.
pub trait GmmStats: Value {
    /// Starts statistics of zeros; `flags` get what they need ([`GmmFlags::with_needed`]).
    fn new(num_gauss: usize, dim: usize, flags: GmmFlags) -> Self;

    /// The parameters that the statistics are for.
    fn flags(&self) -> GmmFlags;

    /// The number of Gaussians.
    fn num_gauss(&self) -> usize;

    /// The number of dimensions.
    fn dim(&self) -> usize;

    /// How many frames each Gaussian has, as a sum of their weights.
    fn occupancy(&self) -> &[f64];

    /// Adds frames, each for the Gaussians of its list.
    ///
    /// # Errors
    /// If the features have another dimension.
    ///
    /// # Panics
    /// If there are not as many lists as frames, or there is no such Gaussian.
    fn add_weighted(&mut self, feats: &Matrix<f32>, weights: &[FrameWeights]) -> Result<()>;

    /// Adds frames for all Gaussians, with weights of `num_frames × num_gauss`.
    ///
    /// # Errors
    /// If the features have another dimension, or the weights another size.
    fn add_all(&mut self, feats: &Matrix<f32>, weights: &Matrix<f32>) -> Result<()>;

    /// Adds other statistics.
    ///
    /// # Errors
    /// If their sizes or flags differ.
    fn add(&mut self, other: Self) -> Result<()>;

    /// Refuses statistics of other sizes or flags.
    ///
    /// # Errors
    /// If they differ.
    fn check_like(&self, other: &Self) -> Result<()> {
        let (expected, got) = ((self.num_gauss(), self.dim()), (other.num_gauss(), other.dim()));
        if expected != got || self.flags() != other.flags() {
            return Err(Error::StatsSize { expected, flags: self.flags(), got, got_flags: other.flags() });
        }
        Ok(())
    }

    /// Refuses a mixture of another size, and parameters that the statistics do not have.
    ///
    /// # Errors
    /// If the mixture does not fit, or there are no statistics for `flags`.
    fn check_fits<G: Mixture>(&self, gmm: &G, flags: GmmFlags) -> Result<()> {
        let (expected, got) = ((gmm.num_gauss(), gmm.dim()), (self.num_gauss(), self.dim()));
        if expected != got {
            return Err(Error::OtherModel { expected, got });
        }
        if !self.flags().contains(flags) {
            return Err(Error::Flags { wanted: flags, got: self.flags() });
        }
        Ok(())
    }
}

/// The frames of an utterance and their posteriors become a part of statistics.
///
/// Returns the sum of the log likelihoods of the frames, each times its weight, and the sum of the weights. Without
/// weights, each frame counts as one. `lists` are the Gaussians that count in a frame, without them all do. The features
/// for the statistics may be others than those for the posteriors, frame by frame.
///
/// # Errors
/// If the features have another dimension, lists, weights and frames differ in number, a list names Gaussians that do not
/// exist, or a frame has no likelihood.
pub fn accumulate<G: Mixture>(
    gmm: &G,
    feats: &Matrix<f32>,
    into: (&mut G::Stats, &Matrix<f32>),
    lists: Option<&[Vec<i32>]>,
    weights: Option<&[f32]>,
) -> Result<(f64, f64)> {
    let (stats, stats_feats) = into;
    let num_frames = feats.num_rows();
    for got in [lists.map(<[_]>::len), weights.map(<[_]>::len), Some(stats_feats.num_rows())].into_iter().flatten() {
        if got != num_frames {
            return Err(Error::SelectionLength { expected: num_frames, got });
        }
    }
    let weight_of = |frame: usize| weights.map_or(1.0, |weights| weights[frame]);
    let (mut log_like, mut total) = (0.0, 0.0);
    let mut count = |frame: usize, frame_like: f32| {
        if !frame_like.is_finite() {
            return Err(Error::Likelihood { frame });
        }
        let weight = weight_of(frame);
        log_like += f64::from(weight * frame_like);
        total += f64::from(weight);
        Ok(weight)
    };
    if let Some(lists) = lists {
        let mut shares = Vec::with_capacity(num_frames);
        for (frame, (values, list)) in feats.rows().zip(lists).enumerate() {
            if weight_of(frame) == 0.0 {
                shares.push(Vec::new());
                continue;
            }
            let places = gmm.places(frame, list)?;
            let (posteriors, frame_like) = gmm.posteriors_of(values, &places);
            let weight = count(frame, frame_like)?;
            shares.push(places.into_iter().zip(posteriors.iter().map(|posterior| posterior * weight)).collect());
        }
        stats.add_weighted(stats_feats, &shares)?;
        return Ok((log_like, total));
    }
    gmm.each_block(feats, |frames, posteriors| {
        let frame_likes = softmax_rows(posteriors);
        for ((frame, row), frame_like) in frames.clone().zip(posteriors.rows_mut()).zip(frame_likes) {
            if weight_of(frame) == 0.0 {
                row.fill(0.0);
                continue;
            }
            let weight = count(frame, frame_like)?;
            row.iter_mut().for_each(|posterior| *posterior *= weight);
        }
        stats.add_all(&stats_feats.range(frames, 0..stats_feats.num_cols()), posteriors)
    })?;
    Ok((log_like, total))
}

/// The parts of a file of statistics before the sums of squares.
pub(crate) struct StatsHead {
    pub(crate) flags: GmmFlags,
    pub(crate) occupancy: Vec<f64>,
    pub(crate) means: Matrix<f64>,
    pub(crate) dim: usize,
}

impl StatsHead {
    /// Consumes everything up to the sums of squares.
    pub(crate) fn read(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        cursor.expect_token("<GMMACCS>")?;
        cursor.expect_token("<VECSIZE>")?;
        let start = cursor.offset();
        let dim: i32 = cursor.read_basic()?;
        cursor.expect_token("<NUMCOMPONENTS>")?;
        let num_gauss: i32 = cursor.read_basic()?;
        let (Ok(size), Ok(count @ 1..)) = (usize::try_from(dim), usize::try_from(num_gauss)) else {
            let message = format!("expected statistics of Gaussians, got {num_gauss} of them in {dim} dimensions");
            return Err(ParseError::new(start, message));
        };
        cursor.expect_token("<FLAGS>")?;
        let flags_at = cursor.offset();
        let bits: u16 = cursor.read_basic()?;
        let Some(flags) = GmmFlags::from_bits(bits) else {
            return Err(ParseError::new(flags_at, format!("expected flags from 0 to 15, got {bits}")));
        };
        cursor.expect_token("<OCCUPANCY>")?;
        let occupancy = Vector::<f64>::read_part(cursor)?.into_vec();
        cursor.expect_token("<MEANACCS>")?;
        let means = Matrix::<f64>::read_part(cursor)?;
        let expected = sums_size(flags.contains(GmmFlags::MEANS), count, size);
        if occupancy.len() != count || means.size() != expected {
            let message = format!(
                "expected {count} occupancies and sums of {} by {}, got {} and {} by {}",
                expected.0,
                expected.1,
                occupancy.len(),
                means.num_rows(),
                means.num_cols()
            );
            return Err(ParseError::new(start, message));
        }
        Ok(Self { flags, occupancy, means, dim: size })
    }

    /// Appends everything up to the sums of squares.
    pub(crate) fn write(
        (flags, dim): (GmmFlags, usize),
        occupancy: &[f64],
        means: &Matrix<f64>,
        out: &mut Vec<u8>,
        format: Format,
    ) {
        write_token(out, b"<GMMACCS>");
        write_token(out, b"<VECSIZE>");
        write_basic(out, format, dim as i32);
        write_token(out, b"<NUMCOMPONENTS>");
        write_basic(out, format, occupancy.len() as i32);
        write_token(out, b"<FLAGS>");
        write_basic(out, format, flags.bits());
        write_token(out, b"<OCCUPANCY>");
        Vector::from_vec(occupancy.to_vec()).to_precision::<f32>().write_part(out, format);
        write_token(out, b"<MEANACCS>");
        means.to_precision::<f32>().write_part(out, format);
    }
}

/// The size of sums that are there, or not.
pub(crate) fn sums_size(there: bool, num_gauss: usize, dim: usize) -> (usize, usize) {
    if there && dim > 0 { (num_gauss, dim) } else { (0, 0) }
}
