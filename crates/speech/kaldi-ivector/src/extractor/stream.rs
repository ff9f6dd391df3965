//! i-vectors of raw features, as a recognizer that hears one utterance of a speaker after the other computes them.

use kaldi_feat::{OnlineCmvn, OnlineCmvnState, Splice};
use kaldi_gmm::{DiagGmm, Mixture};
use kaldi_matrix::{Matrix, Vector};
use kaldi_value::Posterior;

use super::{IvectorEstimator, OnlineIvectorStats};
use crate::{Error, Result};

/// Steps of conjugate gradients from one i-vector to the next.
const NUM_STEPS: usize = 15;

/// A frame of small weight needs a Gaussian whose probability is above this, at most.
const MOST_MIN_POST: f32 = 0.99;

/// Options of [`StreamExtractor`].
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct StreamOptions {
    /// Take the frames with normalized means (and variances) for i-vectors, too, not only for the weights of Gaussians
    pub online_cmvn_iextractor: bool,
    /// Number of frames from one i-vector to the next
    pub ivector_period: usize,
    /// Number of Gaussians that each frame is given to, at most
    pub num_gselect: usize,
    /// A Gaussian with a smaller probability gets no part of a frame
    pub min_post: f32,
    /// The weight of a frame, above 0 and at most 1; the prior counts as one frame of weight 1
    pub posterior_scale: f32,
    /// If it is above 0, the prior counts more once the sum of the weights of frames is above it
    pub max_count: f32,
    /// Give all frames the i-vector of the whole utterance
    pub greedy_ivector_extractor: bool,
    /// Number of frames of earlier utterances of the speaker that count, at most
    pub max_remembered_frames: f32,
}

impl Default for StreamOptions {
    fn default() -> Self {
        Self {
            online_cmvn_iextractor: false,
            ivector_period: 10,
            num_gselect: 5,
            min_post: 0.025,
            posterior_scale: 0.1,
            max_count: 0.0,
            greedy_ivector_extractor: false,
            max_remembered_frames: 1000.0,
        }
    }
}

/// Everything that i-vectors of raw features need (Kaldi's `OnlineIvectorExtractionInfo`): features are spliced and
/// transformed; those that are normalized before decide on the Gaussians.
#[derive(Debug)]
pub struct StreamExtractor {
    options: StreamOptions,
    cmvn: OnlineCmvn,
    splice: Splice,
    transform: Matrix<f32>,
    mixture: DiagGmm,
    estimator: IvectorEstimator,
}

/// What is known of a speaker from earlier utterances (Kaldi's `OnlineIvectorExtractorAdaptationState`).
#[derive(Clone, Debug)]
pub struct StreamState {
    cmvn: OnlineCmvnState,
    stats: OnlineIvectorStats,
}

/// The i-vectors of an utterance.
#[derive(Clone, Debug)]
pub struct StreamIvectors {
    /// The i-vector from the first frame and from the frames up to each `ivector_period`-th one after it, or the one from
    /// all frames as often. The prior offset is subtracted from first elements.
    pub ivectors: Matrix<f32>,
    /// How much better the last one explains a frame than the mean of the prior does: a difference of log likelihoods.
    pub improvement: f64,
    /// The average log likelihood of the frames of this utterance, weighted, with the mixture.
    pub log_likelihood: f64,
}

impl StreamExtractor {
    /// Takes options and models; `transform` is applied to spliced frames and has a column for each of their elements, or
    /// one more for an offset.
    ///
    /// # Errors
    /// If options make no sense, the sizes of the models do not fit each other, or the weights of the extractor's
    /// Gaussians depend on the i-vector.
    pub fn new(
        options: StreamOptions,
        cmvn: OnlineCmvn,
        splice: Splice,
        transform: Matrix<f32>,
        mixture: DiagGmm,
        estimator: IvectorEstimator,
    ) -> Result<Self> {
        let refused = |name, expected, got: f64| Err(Error::Option { name, expected, got });
        if options.ivector_period < 1 {
            return refused("ivector_period", "1 or more", 0.0);
        }
        if options.num_gselect < 1 {
            return refused("num_gselect", "1 or more", 0.0);
        }
        if !(0.0..0.5).contains(&options.min_post) {
            return refused("min_post", "from 0 to 0.5", options.min_post.into());
        }
        if !(options.posterior_scale > 0.0 && options.posterior_scale <= 1.0) {
            return refused("posterior_scale", "above 0 and at most 1", options.posterior_scale.into());
        }
        if options.max_remembered_frames < 0.0 || options.max_remembered_frames.is_nan() {
            return refused("max_remembered_frames", "0 or more", options.max_remembered_frames.into());
        }
        let expect =
            |what, expected, got| if expected == got { Ok(()) } else { Err(Error::Length { what, expected, got }) };
        expect("dimensions of the mixture", transform.num_rows(), mixture.dim())?;
        expect("dimensions of features of the i-vector extractor", mixture.dim(), estimator.extractor().feat_dim())?;
        expect("Gaussians of the i-vector extractor", mixture.num_gauss(), estimator.extractor().num_gauss())?;
        let (width, got) = (splice.width(), transform.num_cols());
        if got < width || got % width > 1 {
            return Err(Error::TransformColumns { width, got });
        }
        let extractor = Self { options, cmvn, splice, transform, mixture, estimator };
        extractor.new_state()?;
        Ok(extractor)
    }

    /// The dimension of raw features.
    pub fn feat_dim(&self) -> usize {
        self.transform.num_cols() / self.splice.width()
    }

    /// The dimension of i-vectors.
    pub fn ivector_dim(&self) -> usize {
        self.estimator.extractor().ivector_dim()
    }

    /// Nothing is known of a speaker.
    ///
    /// # Errors
    /// If the weights of the extractor's Gaussians depend on the i-vector.
    pub fn new_state(&self) -> Result<StreamState> {
        let stats = OnlineIvectorStats::new(&self.estimator, self.options.max_count.into())?;
        Ok(StreamState { cmvn: OnlineCmvnState::default(), stats })
    }

    /// Extracts i-vectors of an utterance of `num_frames × feat_dim` raw features, and adds it to what is known of its
    /// speaker. Frames may have weights; those after the last weight have none. With `all_frames` the frames after the last
    /// i-vector count for the next utterance, too.
    ///
    /// # Errors
    /// If there are no frames, or they have another dimension.
    pub fn extract(
        &self,
        feats: &Matrix<f32>,
        weights: Option<&[f32]>,
        all_frames: bool,
        state: &mut StreamState,
    ) -> Result<StreamIvectors> {
        let num_frames = feats.num_rows();
        if feats.num_cols() != self.feat_dim() {
            let what = "dimensions of features";
            return Err(Error::Length { what, expected: self.feat_dim(), got: feats.num_cols() });
        }
        let normalized = self.transformed(&self.cmvn.apply(feats, &state.cmvn).map_err(Error::Feats)?.feats)?;
        let frames = match self.options.online_cmvn_iextractor {
            true => normalized.clone(),
            false => self.transformed(feats)?,
        };
        let (posterior, log_likelihood) = self.posterior(&normalized, weights)?;

        let period = self.options.ivector_period;
        let stats = &mut state.stats;
        let mut add = |frames_of: std::ops::Range<usize>, ivector: Option<&mut Vector<f64>>| {
            let part = frames.range(frames_of.clone(), 0..frames.num_cols());
            stats.add(&self.estimator, &part, &Posterior(posterior.0[frames_of].to_vec()))?;
            ivector.map_or(Ok(()), |ivector| stats.improve(ivector, Some(NUM_STEPS)))
        };
        let num_ivectors = num_frames.div_ceil(period);
        let (mut ivector, mut rows) = (self.prior_mean(), Vec::with_capacity(num_ivectors * self.ivector_dim()));
        if self.options.greedy_ivector_extractor {
            add(0..num_frames, Some(&mut ivector))?;
            (0..num_ivectors).for_each(|_| self.push(&ivector, &mut rows));
        } else {
            let mut from = 0;
            for last in (0..num_frames).step_by(period) {
                add(from..last + 1, Some(&mut ivector))?;
                self.push(&ivector, &mut rows);
                from = last + 1;
            }
            if all_frames {
                add(from..num_frames, None)?;
            }
        }
        let improvement = state.stats.improvement(&ivector)?;
        self.remember(feats, state)?;
        let ivectors = Matrix::from_vec(num_ivectors, self.ivector_dim(), rows);
        Ok(StreamIvectors { ivectors, improvement, log_likelihood })
    }

    fn prior_mean(&self) -> Vector<f64> {
        let mut mean = Vector::new(self.ivector_dim());
        mean.as_mut_slice()[0] = self.estimator.extractor().prior_offset();
        mean
    }

    /// Appends an i-vector, without the prior offset.
    fn push(&self, ivector: &Vector<f64>, rows: &mut Vec<f32>) {
        let first = rows.len();
        rows.extend(ivector.as_slice().iter().map(|&element| element as f32));
        // Rounded before and after, as in Kaldi.
        rows[first] = (f64::from(rows[first]) - self.estimator.extractor().prior_offset()) as f32;
    }

    fn transformed(&self, feats: &Matrix<f32>) -> Result<Matrix<f32>> {
        let spliced = self.splice.apply(feats).map_err(Error::Feats)?;
        spliced.transformed(&self.transform).map_err(Error::matrix("transformed features"))
    }

    /// The weights of Gaussians in each frame, and the average log likelihood.
    fn posterior(&self, feats: &Matrix<f32>, weights: Option<&[f32]>) -> Result<(Posterior, f64)> {
        let (mut posterior, mut sum, mut total) = (vec![Vec::new(); feats.num_rows()], 0.0, 0.0);
        self.mixture
            .each_frame(feats, |frame, likelihoods| {
                let weight = weights.map_or(1.0, |weights| weights.get(frame).copied().unwrap_or(0.0));
                if weight == 0.0 {
                    return Ok(());
                }
                let min_post = (self.options.min_post / weight.abs()).min(MOST_MIN_POST);
                let (mut entries, likelihood) =
                    kaldi_gmm::posterior_entry(likelihoods, self.options.num_gselect, min_post);
                let factor = self.options.posterior_scale * weight;
                entries.iter_mut().for_each(|(_, entry)| *entry *= factor);
                sum += f64::from(weight) * f64::from(likelihood);
                total += f64::from(weight);
                posterior[frame] = entries;
                Ok(())
            })
            .map_err(Error::Gmm)?;
        Ok((Posterior(posterior), if total == 0.0 { 0.0 } else { sum / total }))
    }

    /// Adds an utterance to what is known of its speaker, of which only so many frames count.
    fn remember(&self, feats: &Matrix<f32>, state: &mut StreamState) -> Result<()> {
        state.cmvn.add(feats).map_err(Error::Feats)?;
        state.cmvn.limit(self.options.max_remembered_frames.into());
        let most = f64::from(self.options.max_remembered_frames * self.options.posterior_scale);
        if state.stats.count() > most {
            state.stats.scale(most / state.stats.count());
        }
        Ok(())
    }
}
