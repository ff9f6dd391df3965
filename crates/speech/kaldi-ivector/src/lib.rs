#![doc = include_str!("../README.md")]
//! The computations of Kaldi's `ivectorbin`, as functions that open no files:
//!
//! - which frames of an utterance are speech: [`EnergyVad`], [`ClassLabels`], [`LabelPairs`], [`select_voiced`];
//! - a vector for each utterance or speaker: [`IvectorExtractor`], [`IvectorEstimator`], and its training:
//!   [`StatsAccumulator`], [`IvectorExtractorStats`];
//! - how likely it is that two vectors are of one speaker: [`Plda`], its estimate ([`PldaEstimator`]) and its scores
//!   ([`Scorer`]), for the trials of a [`TrialList`];
//! - which utterances come from one speaker: [`Clustering`];
//! - which class a vector is of: [`LogisticRegression`], [`Trainer`];
//! - helpers: [`SpeakerStats`] (for [`SpeakerLda`]), [`VectorMoments`], [`energy_projection`].
//!
//! Vectors are in single precision, computations in double.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod clustering;
mod energy;
mod error;
mod extractor;
mod labels;
mod logistic;
mod moments;
mod plda;
mod speaker_lda;
mod squares;
#[cfg(feature = "cli")]
mod training_options;
mod trials;
mod voicing;

pub use clustering::Clustering;
pub use energy::energy_projection;
pub use error::{Error, Result};
pub use extractor::{
    CovarianceUpdate, ExtractorOptions, ExtractorUpdate, Ivector, IvectorEstimator, IvectorExtractor,
    IvectorExtractorStats, OnlineIvectorStats, PriorUpdate, StatsAccumulator, StatsOptions, StreamExtractor,
    StreamIvectors, StreamOptions, StreamState, UtteranceStats, online_ivectors,
};
pub use labels::{ClassLabels, LabelPairs};
pub use logistic::{LogisticRegression, Trainer};
pub use moments::VectorMoments;
pub use plda::{
    AdaptationOptions, AdaptationStats, Enrolled, LengthNormalization, Plda, PldaEstimator, PldaStats, Scorer, Trial,
};
pub use speaker_lda::{SpeakerLda, SpeakerLdaOptions, SpeakerStats};
#[cfg(feature = "cli")]
pub use training_options::TrainingArguments;
pub use trials::{TrialList, TrialScores};
pub use voicing::{EnergyVad, select_voiced};
