#![doc = include_str!("../README.md")]
//! | step | |
//! | --- | --- |
//! | [`SoundMeasures`], [`TextMeasures`], [`FrameMeasures`] | of one utterance: its sound, its text, its features |
//! | [`MeasuredUtterance`] | all of them together; [`UtteranceMeasure`] names its numbers |
//! | [`Moments`] | count, extremes, mean and standard deviation of any numbers |
//! | [`UsualLengths`] | whether sound, features, alignments and segments agree |
//! | [`Distribution`] | how a number is distributed over all utterances: median, quantiles, histogram |
//! | [`Census`] | the letters and words of all texts |
//! | [`SoundPrint`], [`SoundIndex`] | codes of sound, and the sounds that are copies of each other, exactly or nearly |
//! | [`swapped_texts`] | texts that changed places, by what a recognizer heard |
//! | [`RankedFindings`] | the utterances that break a [`Rule`], ranked |
//! | [`Wording`] | numbers as people read them: names in words, units, decimals |
//!
//! Nothing here reads files. All statistics but [`Moments`] are exact, so they do not depend on the order or the number of threads.
//!
//! ```
//! use corpus_quality::{RankedFindings, Rule, SoundMeasures, MeasuredUtterance};
//!
//! let quiet: Vec<f32> = vec![0.0; 16000];
//! let sound = SoundMeasures::of(16000.0, &[&quiet]);
//! let utterance = MeasuredUtterance { key: "utt1".into(), sound: Some(sound), ..MeasuredUtterance::default() };
//! let findings = RankedFindings::of(&[utterance], None);
//! assert_eq!(findings.list[0].rule, Rule::Silence);
//! ```

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod bandwidth;
mod blocks;
mod census;
#[cfg(test)]
mod copies_tests;
mod distribution;
mod findings;
mod frames;
mod lengths;
mod moments;
mod rule;
mod sound;
mod sound_index;
mod sound_print;
mod swapped;
#[cfg(test)]
mod tests;
mod text;
mod utterance;
mod wording;

pub use census::{Census, CharacterCount, code_point, invisible_characters};
pub use distribution::{Distribution, QUANTILES};
pub use findings::{Finding, FindingValue, RankedFindings, exact_copies};
pub use frames::{FrameMeasures, TypicalMeans};
pub use lengths::{Disagreement, UsualLengths, UtteranceLengths};
pub use moments::{MomentSums, Moments, are_finite};
pub use rule::Rule;
pub use sound::SoundMeasures;
pub use sound_index::{SoundIndex, SoundPair};
pub use sound_print::SoundPrint;
pub use swapped::{SwappedText, swapped_texts};
pub use text::TextMeasures;
pub use utterance::{MeasuredUtterance, UtteranceMeasure};
pub use wording::{Wording, decimal, duration_in_words};
