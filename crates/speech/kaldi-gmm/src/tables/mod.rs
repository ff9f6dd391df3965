//! Gaussian mixtures on every utterance of a table: selections, posteriors, likelihoods and statistics, as Kaldi's programs
//! `gmm-gselect`, `fgmm-global-gselect-to-post`, `gmm-global-acc-stats` and their like compute them.
//!
//! What Kaldi's programs on mixtures with diagonal covariances (`gmm-gselect`, `gmm-global-acc-stats` ...) and on mixtures
//! with full ones (`fgmm-gselect`, `fgmm-global-acc-stats` ...) have in common: features are read, the Gaussians that count
//! in each frame and the weights of the frames are looked up, and something is computed with the mixture. Utterances whose
//! lists or weights are missing, or of another length, are skipped with a warning. Utterances are worked on in parallel;
//! what is written and logged is the same for any number of threads.

mod accumulate;
mod acoustic;
mod basis;
mod counts;
mod fmllr;
mod likelihoods;
mod lists;
mod posteriors;
mod raw_fmllr;
mod report;
mod select;
mod speakers;
#[cfg(feature = "cli")]
mod stats_options;
mod vtln;
mod waiting_frames;

pub use accumulate::{AccumulateTables, accumulate_tables};
pub use acoustic::{each_posterior, log_average_likelihood, of_utterance};
pub use basis::{BasisTargets, basis_stats, write_basis_fmllr};
pub use counts::{merge_by_counts, split_by_counts};
pub use fmllr::{FmllrPosteriors, write_fmllr};
pub use likelihoods::{LikelihoodTables, write_likelihoods};
pub use lists::fitting_weights;
pub use posteriors::{PosteriorTables, write_posteriors};
pub use raw_fmllr::write_raw_fmllr;
pub use report::warn_of_low_counts;
pub use select::{SelectTables, write_selection};
pub use speakers::{AnyError, AsFrames, SpeakerCounts, SpeakerTables, each_speaker};
#[cfg(feature = "cli")]
pub use stats_options::MixtureStatsArguments;
pub use vtln::{VtlnTargets, write_vtln};
pub use waiting_frames::WaitingFrames;

/// What was done with a table of utterances.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Totals {
    /// Utterances that were done.
    pub done: u64,
    /// Utterances that were skipped with a warning.
    pub failed: u64,
    /// The sum of the log likelihoods of the frames, each times its weight.
    pub log_like: f64,
    /// The sum of the weights of the frames.
    pub frames: f64,
}

impl Totals {
    /// The average log likelihood of a frame; not a number if there are none.
    pub fn average(&self) -> f64 {
        self.log_like / self.frames
    }

    fn add(&mut self, log_like: f64, frames: f64) {
        self.done += 1;
        self.log_like += log_like;
        self.frames += frames;
    }
}
