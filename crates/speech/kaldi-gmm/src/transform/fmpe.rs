//! Features with offsets that were trained discriminatively (fMPE).

use std::sync::Arc;

use crate::{DiagGmm, Error, Mixture, Result};
use kaldi_io::ParseError;
use kaldi_matrix::{Matrix, SymmetricMatrix};
use kaldi_value::{Cursor, Format, Frame, KaldiObject, Value, write_basic, write_token};

/// The options of fMPE (Kaldi's `FmpeOptions`).
#[derive(Clone, Debug)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[non_exhaustive]
pub struct FmpeOptions {
    /// Multiply the posterior among the high-dimensional features by this, which makes it learn faster
    #[cfg_attr(feature = "cli", arg(long, default_value_t = FmpeOptions::default().post_scale))]
    pub post_scale: f32,
    /// Which frames have a part in the offset of a frame: contexts between colons, each of them offset,weight between
    /// semicolons
    #[cfg_attr(feature = "cli", arg(long, default_value_t = FmpeOptions::default().context_expansion))]
    pub context_expansion: String,
}

/// Nine contexts: this frame, its neighbours, and averages of two or three frames farther away.
const CONTEXTS: &str = "0,1.0:-1,1.0:1,1.0:-2,0.5;-3,0.5:2,0.5;3,0.5:-4,0.5;-5,0.5:4,0.5;5,0.5:-6,0.333;-7,0.333;-8,0.333:\
                        6,0.333;7,0.333;8,0.333";

impl Default for FmpeOptions {
    fn default() -> Self {
        Self { post_scale: 5.0, context_expansion: CONTEXTS.to_owned() }
    }
}

/// A transform of features that depends on the Gaussians near a frame (Kaldi's `Fmpe`).
///
/// A frame gets the posteriors of its selected Gaussians. Each of them yields high-dimensional features: the frame's
/// distance from the mean in standard deviations, times the posterior, and the posterior itself, times a scale. A
/// trained projection turns them into an offset for each *context*. The offsets of the surrounding frames are added up
/// with the weights of the contexts, and multiplied with the Cholesky factor of the covariance of the features. All in
/// single precision.
///
/// The file starts with the mixture of Gaussians, so that programs that select Gaussians read it as a mixture.
#[derive(Clone, Debug)]
pub struct Fmpe {
    pub(crate) gmm: DiagGmm,
    /// The contexts as in the file.
    context_expansion: String,
    post_scale: f32,
    /// The frames of each context, relative to the frame that is computed, and their weights.
    pub(crate) contexts: Vec<Vec<(i32, f32)>>,
    /// The projection of each Gaussian's features, `dim + 1 × contexts * dim`.
    pub(crate) projections: Vec<Arc<Matrix<f32>>>,
    /// The lower triangle of the Cholesky factor of the covariance.
    pub(crate) factor: SymmetricMatrix,
}

impl Fmpe {
    /// The mixture whose posteriors are projected to offsets.
    pub fn gmm(&self) -> &DiagGmm {
        &self.gmm
    }

    /// The number of contexts: sums of frames around a frame.
    pub fn num_contexts(&self) -> usize {
        self.contexts.len()
    }

    /// Starts with a projection of zeros, which changes nothing, and the covariance of the mixture.
    ///
    /// # Errors
    /// If the contexts make no sense, or the covariance is not positive definite.
    pub fn new(gmm: DiagGmm, options: &FmpeOptions) -> Result<Self> {
        let contexts = parse_contexts(&options.context_expansion)
            .ok_or_else(|| Error::Contexts { got: options.context_expansion.clone() })?;
        let factor = covariance(&gmm)?.cholesky().map_err(Error::estimate("the covariance of the mixture"))?.factor();
        let dim = gmm.dim();
        // One matrix of zeros for all.
        let zeros = Arc::new(Matrix::new(dim + 1, dim * contexts.len()));
        Ok(Self {
            projections: vec![zeros; gmm.num_gauss()],
            factor: SymmetricMatrix::from_lower(&factor).map_err(Error::estimate("the covariance of the mixture"))?,
            gmm,
            context_expansion: options.context_expansion.clone(),
            post_scale: options.post_scale,
            contexts,
        })
    }

    /// Computes the offsets of `num_frames × dim` features, given the Gaussians that were selected for each frame. The
    /// caller adds them to the features.
    ///
    /// # Errors
    /// If the features are empty or have another dimension, or a frame has no selection of existing Gaussians.
    pub fn offsets(&self, feats: &Matrix<f32>, selected: &[Vec<i32>]) -> Result<Matrix<f32>> {
        let (num_frames, dim) = feats.size();
        if dim != self.gmm.dim() {
            return Err(Error::FeatsDim { expected: self.gmm.dim(), got: dim });
        }
        let mut out = Matrix::<f32>::new(num_frames, dim);
        let in_contexts = self.project(feats, selected)?;
        for (context, terms) in self.contexts.iter().enumerate() {
            for &(offset, weight) in terms {
                for frame in 0..num_frames {
                    let from = usize::try_from(frame as i64 + i64::from(offset)).unwrap_or(usize::MAX);
                    if from < num_frames {
                        let part = &in_contexts.row(from)[context * dim..(context + 1) * dim];
                        add_scaled(out.row_mut(frame), weight, part);
                    }
                }
            }
        }
        let factor: Vec<f32> = self.factor.as_slice().iter().map(|&value| value as f32).collect();
        for row in out.rows_mut() {
            let mut lower = factor.as_slice();
            let product = (1..=dim).map(|length| {
                let (factor, rest) = lower.split_at(length);
                lower = rest;
                factor.iter().zip(&*row).map(|(factor, value)| factor * value).sum::<f32>()
            });
            let product: Vec<f32> = product.collect();
            row.copy_from_slice(&product);
        }
        Ok(out)
    }

    /// The projected features of every frame, `num_frames × contexts * dim`.
    fn project(&self, feats: &Matrix<f32>, selected: &[Vec<i32>]) -> Result<Matrix<f32>> {
        let (num_frames, dim) = feats.size();
        let mut out = Matrix::<f32>::new(num_frames, dim * self.contexts.len());
        for (gauss, share) in self.shares(feats, selected)?.iter().enumerate().filter(|(_, share)| !share.is_empty()) {
            let high = self.high_features(gauss, share, feats);
            let projected = high.multiply(&self.projections[gauss]).map_err(Error::estimate("a projection"))?;
            for (&(frame, _), row) in share.iter().zip(projected.rows()) {
                add_scaled(out.row_mut(frame), 1.0, row);
            }
        }
        Ok(out)
    }

    /// The frames of each Gaussian with their posteriors, so that its projection is used once for all of them.
    pub(crate) fn shares(&self, feats: &Matrix<f32>, selected: &[Vec<i32>]) -> Result<Vec<Vec<(usize, f32)>>> {
        if selected.len() != feats.num_rows() {
            return Err(Error::UnknownGaussians { frame: selected.len().min(feats.num_rows()), got: Vec::new() });
        }
        let mut shares: Vec<Vec<(usize, f32)>> = vec![Vec::new(); self.gmm.num_gauss()];
        for (frame, list) in selected.iter().enumerate() {
            let numbers =
                self.gmm.places(frame, list).map_err(|_| Error::UnknownGaussians { frame, got: list.clone() })?;
            let (posteriors, _) = self.gmm.posteriors_of(feats.row(frame), &numbers);
            for (gauss, posterior) in numbers.into_iter().zip(posteriors) {
                shares[gauss].push((frame, posterior));
            }
        }
        Ok(shares)
    }

    /// The high-dimensional features that some frames have of a Gaussian, a row for each of `share`.
    pub(crate) fn high_features(&self, gauss: usize, share: &[(usize, f32)], feats: &Matrix<f32>) -> Matrix<f32> {
        let (means_invvars, inv_vars) = gaussian(&self.gmm, gauss);
        let stddevs: Vec<f32> = inv_vars.iter().map(|&value| f64::from(value).powf(-0.5) as f32).collect();
        let mut high = Vec::with_capacity(share.len() * (self.gmm.dim() + 1));
        for &(frame, posterior) in share {
            let parts = feats.row(frame).iter().zip(means_invvars.iter().zip(&stddevs));
            high.extend(parts.map(|(value, (mean, stddev))| posterior * value / stddev - posterior * mean * stddev));
            high.push(posterior * self.post_scale);
        }
        Matrix::from_vec(share.len(), self.gmm.dim() + 1, high)
    }
}

/// The means divided by the variances, and the inverses of the variances, of one Gaussian.
fn gaussian(gmm: &DiagGmm, gauss: usize) -> (&[f32], &[f32]) {
    (gmm.means_invvars().row(gauss), gmm.inv_vars().row(gauss))
}

pub(crate) fn add_scaled(to: &mut [f32], factor: f32, from: &[f32]) {
    to.iter_mut().zip(from).for_each(|(to, from)| *to += factor * from);
}

/// Reads `offset,weight;offset,weight:offset,weight` and so on.
fn parse_contexts(text: &str) -> Option<Vec<Vec<(i32, f32)>>> {
    let term = |text: &str| {
        let (offset, weight) = text.split_once(',').filter(|_| !text.contains(char::is_whitespace))?;
        let offset =
            kaldi_value::number::parse_integer(offset.as_bytes()).ok().filter(|(_, length)| *length == offset.len())?.0;
        let weight =
            kaldi_value::number::parse_f32(weight.as_bytes()).ok().filter(|(_, length)| *length == weight.len())?.0;
        Some((i32::try_from(offset).ok()?, weight))
    };
    text.split(':').map(|context| context.split(';').map(term).collect()).collect()
}

/// The covariance of the distribution that a mixture describes.
fn covariance(gmm: &DiagGmm) -> Result<SymmetricMatrix> {
    let failed = || Error::estimate("the covariance of the mixture");
    let dim = gmm.dim();
    let mut squares = SymmetricMatrix::new(dim);
    let mut mean = vec![0.0; dim];
    let total: f64 = gmm.weights().iter().map(|&weight| f64::from(weight)).sum();
    for (gauss, &weight) in gmm.weights().iter().enumerate() {
        let share = f64::from(weight) / total;
        let (means_invvars, inv_vars) = gaussian(gmm, gauss);
        let vars: Vec<f64> = inv_vars.iter().map(|&value| 1.0 / f64::from(value)).collect();
        let means: Vec<f64> = means_invvars.iter().zip(&vars).map(|(&mean, var)| f64::from(mean) * var).collect();
        squares.add_outer(share, &means).map_err(failed())?;
        for (at, var) in vars.iter().enumerate() {
            squares.lower_row_mut(at)[at] += share * var;
        }
        mean.iter_mut().zip(&means).for_each(|(sum, mean)| *sum += share * mean);
    }
    squares.add_outer(-1.0, &mean).map_err(failed())?;
    Ok(squares)
}

impl KaldiObject for Fmpe {
    const NAME: &'static str = "fMPE transform";

    fn frame_object(window: &[u8], at_end: bool) -> Result<Frame, ParseError> {
        // The end is only known after reading; a file has nothing else.
        if !at_end {
            return Ok(Frame::Partial(window.len() as u64 + 1));
        }
        let mut cursor = Cursor::new(window);
        Self::read(&mut cursor)?;
        Ok(Frame::Whole(cursor.offset()))
    }

    fn read_part(cursor: &mut Cursor<'_>) -> Result<Self, ParseError> {
        let gmm = DiagGmm::read_part(cursor)?;
        cursor.skip_space();
        let start = cursor.offset();
        let context_expansion = String::from_utf8_lossy(cursor.read_token()?).into_owned();
        let Some(contexts) = parse_contexts(&context_expansion) else {
            return Err(ParseError::new(start, Error::Contexts { got: context_expansion }.to_string()));
        };
        let post_scale = cursor.read_basic()?;
        let start = cursor.offset();
        let projection = Matrix::<f32>::read_part(cursor)?;
        let factor = SymmetricMatrix::read_part(cursor)?;
        let (num_gauss, dim) = (gmm.num_gauss(), gmm.dim());
        let expected = (num_gauss * (dim + 1), dim * contexts.len());
        if projection.size() != expected || factor.dim() != dim {
            let message = format!(
                "expected a projection of {} by {} and a factor of {dim} by {dim}, got {} by {} and {} by {}",
                expected.0,
                expected.1,
                projection.num_rows(),
                projection.num_cols(),
                factor.dim(),
                factor.dim(),
            );
            return Err(ParseError::new(start, message));
        }
        let rows = |gauss| projection.range(gauss * (dim + 1)..(gauss + 1) * (dim + 1), 0..expected.1);
        let projections = (0..num_gauss).map(|gauss| Arc::new(rows(gauss))).collect();
        Ok(Self { gmm, context_expansion, post_scale, contexts, projections, factor })
    }

    fn write_part(&self, out: &mut Vec<u8>, format: Format) {
        self.gmm.write_part(out, format);
        write_token(out, self.context_expansion.as_bytes());
        write_basic(out, format, self.post_scale);
        let (num_rows, num_cols) = (self.gmm.num_gauss() * (self.gmm.dim() + 1), self.gmm.dim() * self.contexts.len());
        let elements = self.projections.iter().flat_map(|projection| projection.as_slice()).copied().collect();
        Matrix::from_vec(num_rows, num_cols, elements).write_part(out, format);
        self.factor.write_part::<f32>(out, format);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use kaldi_value::Value;

    /// Two Gaussians in one dimension: means 1 and -1, standard deviations 1 and 0.5, equal weights.
    fn gmm() -> DiagGmm {
        let text = "<DiagGMM> <WEIGHTS> [ 0.5 0.5 ] <MEANS_INVVARS> [ 1\n -4 ] <INV_VARS> [ 1\n 4 ] </DiagGMM> ";
        DiagGmm::read(&mut Cursor::new(text.as_bytes())).unwrap()
    }

    fn options(contexts: &str) -> FmpeOptions {
        FmpeOptions { context_expansion: contexts.to_owned(), ..FmpeOptions::default() }
    }

    fn with_projections(contexts: &str, projections: &[&[f32]]) -> Fmpe {
        let mut fmpe = Fmpe::new(gmm(), &options(contexts)).unwrap();
        let num_contexts = fmpe.contexts.len();
        let matrix = |values: &&[f32]| Arc::new(Matrix::from_vec(2, num_contexts, values.to_vec()));
        fmpe.projections = projections.iter().map(matrix).collect();
        fmpe
    }

    fn column(values: &[f32]) -> Matrix<f32> {
        Matrix::from_vec(values.len(), 1, values.to_vec())
    }

    #[test]
    fn a_new_transform_changes_nothing() {
        let fmpe = Fmpe::new(gmm(), &FmpeOptions::default()).unwrap();
        assert_eq!(fmpe.contexts.len(), 9);
        assert_eq!(fmpe.contexts[7], [(-6, 0.333), (-7, 0.333), (-8, 0.333)]);
        let offsets = fmpe.offsets(&column(&[1.0, 2.0]), &[vec![0, 1], vec![1]]).unwrap();
        assert_eq!(offsets, column(&[0.0, 0.0]));
        // The variance: half of 1 + 0.25, and 1 between the means.
        assert!((fmpe.factor.as_slice()[0] - 1.625_f64.sqrt()).abs() < 1e-12);
    }

    #[test]
    fn what_is_written_is_read_again() {
        let fmpe = with_projections("0,1:-1,0.5", &[&[1.0, 2.0, 3.0, 4.0], &[5.0, 6.0, 7.0, 8.0]]);
        for format in [Format::Binary, Format::Text] {
            let bytes = fmpe.to_bytes(format);
            let again = Fmpe::read(&mut Cursor::new(&bytes)).unwrap();
            assert_eq!(again.to_bytes(format), bytes);
            assert_eq!(Fmpe::frame(&bytes, true), Ok(Frame::Whole(bytes.len())));
            for length in 0..bytes.len() - 2 {
                assert!(Fmpe::read(&mut Cursor::new(&bytes[..length])).is_err(), "{length}");
            }
            // It starts with a mixture.
            assert_eq!(DiagGmm::read(&mut Cursor::new(&bytes)), Ok(gmm()));
        }
    }

    #[test]
    fn offsets_come_from_distances_and_posteriors() {
        // One Gaussian is certain. The frame is 2 standard deviations from its mean.
        let fmpe = with_projections("0,1", &[&[3.0, 0.5], &[0.0, 0.0]]);
        let offsets = fmpe.offsets(&column(&[3.0]), &[vec![0]]).unwrap();
        let expected = (2.0 * 3.0 + 5.0 * 0.5) * 1.625_f32.sqrt();
        assert!((offsets.as_slice()[0] - expected).abs() < 1e-5, "{offsets:?} {expected}");
        // With two that are equally probable, half of both.
        let fmpe = with_projections("0,1", &[&[0.0, 1.0], &[0.0, 3.0]]);
        let same = fmpe.offsets(&column(&[0.0]), &[vec![1, 0]]).unwrap();
        assert_eq!(same, fmpe.offsets(&column(&[0.0]), &[vec![0, 1]]).unwrap());
    }

    #[test]
    fn contexts_are_the_frames_around() {
        let plain = with_projections("0,1", &[&[1.0, 0.0], &[0.0, 0.0]]);
        let around = with_projections("1,0.5;-1,2", &[&[1.0, 0.0], &[0.0, 0.0]]);
        let (feats, selected) = (column(&[2.0, 4.0, 8.0]), vec![vec![0]; 3]);
        let own = plain.offsets(&feats, &selected).unwrap();
        let own = own.as_slice();
        let offsets = around.offsets(&feats, &selected).unwrap();
        let expected = [0.5 * own[1], 0.5 * own[2] + 2.0 * own[0], 2.0 * own[1]];
        for (got, expected) in offsets.as_slice().iter().zip(expected) {
            assert!((got - expected).abs() < 1e-4, "{offsets:?} {expected:?}");
        }
    }

    #[test]
    fn contexts_that_make_no_sense_are_refused() {
        for contexts in ["", "0", "0,", ",1", "0,1,2", "x,1", "0,x", "0,1:", "0,1;", "0, 1", "0.5,1", "3000000000,1"] {
            let error = Fmpe::new(gmm(), &options(contexts)).unwrap_err();
            assert_eq!(error, Error::Contexts { got: contexts.to_owned() });
        }
        let message = Error::Contexts { got: "x".to_owned() }.to_string();
        assert_eq!(message, "expected contexts such as 0,1.0:-1,0.5;1,0.5 for `context_expansion`, got \"x\"");
    }

    #[test]
    fn what_does_not_go_together_is_refused() {
        let fmpe = Fmpe::new(gmm(), &FmpeOptions::default()).unwrap();
        let refused =
            |feats: &Matrix<f32>, selected: &[Vec<i32>]| fmpe.offsets(feats, selected).unwrap_err().to_string();
        assert_eq!(refused(&Matrix::new(1, 2), &[vec![0]]), "expected features with 1 columns, got 2");
        assert_eq!(refused(&Matrix::default(), &[]), "expected features with 1 columns, got 0");
        let one = column(&[1.0]);
        assert_eq!(refused(&one, &[vec![2]]), "expected numbers of existing Gaussians in frame 0, got [2]");
        assert_eq!(refused(&one, &[vec![-1, 0]]), "expected numbers of existing Gaussians in frame 0, got [-1, 0]");
        assert_eq!(refused(&one, &[vec![]]), "expected numbers of existing Gaussians in frame 0, got []");
        assert_eq!(
            refused(&column(&[1.0; 2]), &[vec![0]]),
            "expected numbers of existing Gaussians in frame 1, got []"
        );
        let text = String::from_utf8(fmpe.to_bytes(Format::Text)).unwrap();
        let cut = text.replacen("  0 0 0 0 0 0 0 0 0 \n", "", 1);
        let message = Fmpe::read(&mut Cursor::new(cut.as_bytes())).unwrap_err().to_string();
        assert_eq!(message, "expected a projection of 4 by 9 and a factor of 1 by 1, got 3 by 9 and 1 by 1");
    }

    #[test]
    fn a_mixture_without_weights_has_no_covariance() {
        let text = "<DiagGMM> <WEIGHTS> [ 0 ] <MEANS_INVVARS> [ 1 ] <INV_VARS> [ 1 ] </DiagGMM> ";
        let gmm = DiagGmm::read(&mut Cursor::new(text.as_bytes())).unwrap();
        let message = Fmpe::new(gmm, &FmpeOptions::default()).unwrap_err().to_string();
        assert!(message.starts_with("cannot compute the covariance of the mixture: "), "{message}");
    }
}
