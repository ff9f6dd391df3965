//! Pitch: its extraction and its processing.
//!
//! Two generations of Kaldi's programs:
//!
//! | of what | what | Kaldi |
//! | --- | --- | --- |
//! | probability of voicing, pitch in Hz, 0 where there is none | [`interpolate_gaps`], [`PitchModel`]: gaps are filled | interpolate-pitch |
//! | the same without gaps | [`PitchNormalizer`]: log odds of voicing, log pitch around its moving average | process-pitch-feats |
//! | samples | [`PitchExtractor`], [`PitchTracker`]: the next row | compute-kaldi-pitch-feats |
//! | normalized cross-correlation, pitch in Hz everywhere | [`ProcessPitch`]: voicing, normalized and raw log pitch, deltas | process-kaldi-pitch-feats |

mod columns;
mod interpolate;
mod model;
mod normalize;
mod options;
mod process;
mod tracking;

pub use interpolate::interpolate_gaps;
pub use model::{PitchModel, PitchModelCounts, PitchModelOptions};
pub use normalize::{PitchNormalizer, PitchNormalizerOptions};
pub use options::{PitchExtractionOptions, ProcessPitchOptions};
pub use process::{ProcessPitch, ProcessedPitch};
pub use tracking::{PitchExtractor, PitchTracker};
