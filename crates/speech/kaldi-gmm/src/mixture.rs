//! What mixtures with diagonal and with full covariances have in common.

use std::ops::Range;

use kaldi_io::ParseError;
use kaldi_matrix::{Matrix, Vector};
use kaldi_value::{Cursor, Format, Value, write_token};

use crate::softmax::softmax;
use crate::{Error, GmmStats, Result, Selection};

/// How many frames are computed at once, so that their likelihoods stay near the processor.
const BLOCK: usize = 128;

/// A mixture of Gaussians: [`crate::DiagGmm`] or [`crate::FullGmm`].
pub trait Mixture: Value {
    /// The statistics that a mixture of this kind is estimated from.
    type Stats: GmmStats;

    /// The number of Gaussians.
    fn num_gauss(&self) -> usize;

    /// The number of dimensions.
    fn dim(&self) -> usize;

    /// The weights of the Gaussians.
    fn weights(&self) -> &[f32];

    /// Computes the log likelihood of each frame with each Gaussian, its weight included: `num_frames × num_gauss`, by
    /// matrix products of all frames at once.
    ///
    /// # Errors
    /// If the features have another dimension.
    fn log_likelihoods(&self, feats: &Matrix<f32>) -> Result<Matrix<f32>>;

    /// Computes the log likelihoods of one frame with some Gaussians only, in their order.
    ///
    /// # Panics
    /// If the frame has another dimension, or there is no such Gaussian.
    fn log_likelihoods_of(&self, frame: &[f32], gaussians: &[usize]) -> Vec<f32>;

    /// The probabilities that each of these Gaussians made a frame, given that one of them did (positive, with a sum of
    /// one), and the log of the sum of their likelihoods.
    ///
    /// # Panics
    /// If the frame has another dimension, or there is no such Gaussian.
    fn posteriors_of(&self, frame: &[f32], gaussians: &[usize]) -> (Vec<f32>, f32) {
        let mut posteriors = self.log_likelihoods_of(frame, gaussians);
        let log_sum = softmax(&mut posteriors);
        (posteriors, log_sum)
    }

    /// Computes the log likelihoods of each frame with the Gaussians in its list, in their order: as many numbers as all lists
    /// have together.
    ///
    /// # Errors
    /// If the features have another dimension, the lists are not as many as the frames, are empty, or name Gaussians that
    /// do not exist.
    fn log_likelihoods_listed(&self, feats: &Matrix<f32>, lists: &[Vec<i32>]) -> Result<Vec<f32>> {
        let lists = self.listed_places(feats, lists)?;
        Ok(feats.rows().zip(&lists).flat_map(|(values, list)| self.log_likelihoods_of(values, list)).collect())
    }

    /// The numbers of the Gaussians in the lists of all frames as places in the mixture.
    ///
    /// # Errors
    /// As for [`Mixture::log_likelihoods_listed`].
    fn listed_places(&self, feats: &Matrix<f32>, lists: &[Vec<i32>]) -> Result<Vec<Vec<usize>>> {
        check_feats(feats, self.dim())?;
        if lists.len() != feats.num_rows() {
            return Err(Error::SelectionLength { expected: feats.num_rows(), got: lists.len() });
        }
        lists.iter().enumerate().map(|(frame, list)| self.places(frame, list)).collect()
    }

    /// The numbers of selected Gaussians as places in the mixture.
    ///
    /// # Errors
    /// If there are none, or one of them does not exist.
    fn places(&self, frame: usize, gaussians: &[i32]) -> Result<Vec<usize>> {
        let place = |&gauss: &i32| usize::try_from(gauss).ok().filter(|&gauss| gauss < self.num_gauss());
        let places: Option<Vec<usize>> = gaussians.iter().map(place).collect();
        let refused = || Error::Selection { frame, num_gauss: self.num_gauss(), got: gaussians.to_vec() };
        places.filter(|places| !places.is_empty()).ok_or_else(refused)
    }

    /// Calls `visit` with the numbers of some frames and their log likelihoods with all Gaussians, a row for each, until all
    /// frames were visited in order.
    ///
    /// # Errors
    /// If the features have another dimension, and those of `visit`.
    fn each_block(
        &self,
        feats: &Matrix<f32>,
        mut visit: impl FnMut(Range<usize>, &mut Matrix<f32>) -> Result<()>,
    ) -> Result<()>
    where
        Self: Sized,
    {
        let (num_frames, dim) = feats.size();
        for start in (0..num_frames).step_by(BLOCK) {
            let frames = start..num_frames.min(start + BLOCK);
            visit(frames.clone(), &mut self.log_likelihoods(&feats.range(frames, 0..dim))?)?;
        }
        Ok(())
    }

    /// Calls `visit` with each frame's number and its log likelihoods with all Gaussians.
    ///
    /// # Errors
    /// If the features have another dimension, and those of `visit`.
    fn each_frame(&self, feats: &Matrix<f32>, mut visit: impl FnMut(usize, &[f32]) -> Result<()>) -> Result<()>
    where
        Self: Sized,
    {
        self.each_block(feats, |frames, likelihoods| {
            frames.zip(likelihoods.rows()).try_for_each(|(frame, likelihoods)| visit(frame, likelihoods))
        })
    }

    /// Selects the `n` Gaussians with the best likelihoods for each frame.
    ///
    /// # Errors
    /// If the features have another dimension, or no likelihood of a frame is a number.
    fn select(&self, feats: &Matrix<f32>, n: usize) -> Result<Vec<Selection>>
    where
        Self: Sized,
    {
        let (mut selected, mut maxima) = (Vec::with_capacity(feats.num_rows()), Vec::new());
        self.each_frame(feats, |frame, likelihoods| {
            let best = Selection::best_of_all(likelihoods, n, &mut maxima);
            selected.push(best.ok_or(Error::Likelihood { frame })?);
            Ok(())
        })?;
        Ok(selected)
    }

    /// Selects the `n` best Gaussians of each frame among those that are listed for it.
    ///
    /// # Errors
    /// If the features have another dimension, the lists are not as many as the frames, or name Gaussians that do not
    /// exist, or no likelihood of a frame is a number.
    fn select_among(&self, feats: &Matrix<f32>, lists: &[Vec<i32>], n: usize) -> Result<Vec<Selection>> {
        let mut likelihoods = self.log_likelihoods_listed(feats, lists)?.into_iter();
        let select = |(frame, list): (usize, &Vec<i32>)| {
            let listed = list.iter().copied().zip(likelihoods.by_ref());
            Selection::best(listed, n).ok_or(Error::Likelihood { frame })
        };
        lists.iter().enumerate().map(select).collect()
    }
}

/// Log-sum-exp: the log of the sum of `exp(x)`; minus infinity if empty.
pub fn log_sum_exp(logs: &[f32]) -> f32 {
    let max = logs.iter().fold(f32::NEG_INFINITY, |max, &log| if log > max { log } else { max });
    if max.is_infinite() {
        return max;
    }
    let sum: f32 = logs.iter().map(|log| (log - max).exp()).sum();
    max + sum.ln()
}

/// Checks that features have as many columns as a mixture has dimensions; none at all are no fault.
pub(crate) fn check_feats(feats: &Matrix<f32>, dim: usize) -> Result<()> {
    if feats.is_empty() || feats.num_cols() == dim {
        return Ok(());
    }
    Err(Error::FeatsDim { expected: dim, got: feats.num_cols() })
}

/// The tokens of a kind of mixtures. Old files have other ones at both ends, which come second.
pub(crate) struct MixtureFormat {
    pub(crate) begin: [&'static str; 2],
    pub(crate) means: &'static str,
    pub(crate) inverses: &'static str,
    pub(crate) end: [&'static str; 2],
}

impl MixtureFormat {
    /// Reads a mixture that `make` makes of its weights, its means, and the inverses of the variances of so many Gaussians,
    /// which `read_inverses` reads.
    pub(crate) fn read<I, M>(
        &self,
        cursor: &mut Cursor<'_>,
        read_inverses: impl FnOnce(&mut Cursor<'_>, usize) -> Result<I, ParseError>,
        make: impl FnOnce(Vector<f32>, Matrix<f32>, I) -> Result<M>,
    ) -> Result<M, ParseError> {
        expect_either(cursor, self.begin)?;
        if cursor.is_before("<GCONSTS>") {
            // The constants are computed anew.
            cursor.expect_token("<GCONSTS>")?;
            Vector::<f32>::skip_part(cursor)?;
        }
        let start = cursor.offset();
        cursor.expect_token("<WEIGHTS>")?;
        let weights = Vector::read_part(cursor)?;
        cursor.expect_token(self.means)?;
        let means = Matrix::read_part(cursor)?;
        cursor.expect_token(self.inverses)?;
        let inverses = read_inverses(cursor, weights.dim())?;
        expect_either(cursor, self.end)?;
        make(weights, means, inverses).map_err(|error| ParseError::new(start, error.to_string()))
    }

    /// Appends a mixture.
    pub(crate) fn write(
        &self,
        out: &mut Vec<u8>,
        format: Format,
        [gconsts, weights]: [&Vector<f32>; 2],
        means: &Matrix<f32>,
        write_inverses: impl FnOnce(&mut Vec<u8>),
    ) {
        write_token(out, self.begin[0].as_bytes());
        format.end_line(out);
        write_token(out, b"<GCONSTS>");
        gconsts.write_part(out, format);
        write_token(out, b"<WEIGHTS>");
        weights.write_part(out, format);
        write_token(out, self.means.as_bytes());
        means.write_part(out, format);
        write_token(out, self.inverses.as_bytes());
        write_inverses(out);
        write_token(out, self.end[0].as_bytes());
        format.end_line(out);
    }
}

fn expect_either(cursor: &mut Cursor<'_>, [new, old]: [&str; 2]) -> Result<(), ParseError> {
    let is_old = cursor.is_before(old);
    cursor.expect_token(if is_old { old } else { new })
}
