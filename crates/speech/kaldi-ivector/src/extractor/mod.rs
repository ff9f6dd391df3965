//! i-vectors: models that describe the speaker of an utterance by a vector.
//!
//! Follows Patrick Kenny and others, "A study of interspeaker variability in speaker verification", IEEE Transactions on
//! Audio, Speech and Language Processing, 2008, as Kaldi's `IvectorExtractor` does.

mod accumulator;
mod batch;
mod estimate;
mod estimator;
mod model;
mod objective;
mod online;
mod parallel;
mod prior;
mod quadratic;
mod stats;
mod stream;
#[cfg(test)]
mod tests;
mod utterance;
mod weights;

pub use accumulator::{StatsAccumulator, StatsOptions};
pub use estimate::{CovarianceUpdate, ExtractorOptions, ExtractorUpdate};
pub use estimator::{Ivector, IvectorEstimator};
pub use model::IvectorExtractor;
pub use online::{OnlineIvectorStats, online_ivectors};
pub use prior::PriorUpdate;
pub use stats::IvectorExtractorStats;
pub use stream::{StreamExtractor, StreamIvectors, StreamOptions, StreamState};
pub use utterance::UtteranceStats;
