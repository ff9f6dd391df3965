//! The options of extraction.

use kaldi_io::{MapName, OutputName};

/// Which part of waveforms is taken, and how features are written.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "cli", derive(option_table::Options), options(default))]
#[non_exhaustive]
pub struct ExtractOptions {
    /// Form of the output, kaldi or htk
    #[cfg_attr(feature = "cli", option(one_of = &FeatureForm::NAMES))]
    pub output_format: FeatureForm,
    /// Subtract the mean of the features of each utterance (apply-cmvn and similar ones are the better way)
    pub subtract_mean: bool,
    /// Channel to take, counted from 0; -1 expects one channel only, and takes the first of several with a warning
    ///
    /// That is `None`.
    #[cfg_attr(feature = "cli", option(min = -1, none = "-1"))]
    pub channel: Option<usize>,
    /// Skip utterances that are shorter than this, in seconds
    pub min_duration: f32,
    /// Wspecifier for the duration of each utterance in seconds, e.g. ark,t:utt2dur
    pub write_utt2dur: Option<OutputName>,
}

/// The form in which features are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum FeatureForm {
    /// Kaldi's matrices.
    #[default]
    Kaldi,
    /// Files of HTK, with a header each.
    Htk,
}

impl FeatureForm {
    /// Every form with its name.
    pub const NAMES: [(&str, Self); 2] = [("kaldi", Self::Kaldi), ("htk", Self::Htk)];
}

/// How filters are warped for an utterance (vocal tract length normalization).
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "cli", derive(option_table::Options), options(default))]
#[non_exhaustive]
pub struct WarpOptions {
    /// VTLN warp factor of all utterances (without effect where there is `vtln_map`)
    ///
    /// 1 is no warping.
    pub vtln_warp: f32,
    /// Rspecifier for the VTLN warp factor of each utterance, or of each speaker where there is `utt2spk`
    pub vtln_map: Option<MapName>,
    /// Rspecifier for the speaker of each utterance, where `vtln_map` has factors of speakers
    pub utt2spk: Option<MapName>,
}

impl Default for WarpOptions {
    fn default() -> Self {
        Self { vtln_warp: 1.0, vtln_map: None, utt2spk: None }
    }
}

#[cfg(all(test, feature = "cli"))]
mod cli_tests {
    use super::*;

    #[test]
    fn defaults_are_the_same_with_and_without_a_command_line() {
        option_table::testing::keeps_its_defaults::<ExtractOptions>();
        option_table::testing::keeps_its_defaults::<WarpOptions>();
    }
}
