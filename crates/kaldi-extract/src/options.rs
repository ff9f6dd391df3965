//! What can be chosen about an extraction.

use kaldi_io::{MapName, OutputName};

/// Which part of waveforms is taken, and how features are written.
#[derive(Clone, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct ExtractOptions {
    /// The form of the output.
    pub form: FeatureForm,
    /// Whether the mean of the features of each utterance is subtracted.
    pub subtract_mean: bool,
    /// The channel to take, counted from 0. `None` expects one channel only, and takes the first of several with a warning.
    pub channel: Option<usize>,
    /// Utterances that are shorter than this are skipped, in seconds.
    pub min_duration: f32,
    /// Wspecifier for the duration of each utterance in seconds.
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

/// How filters are warped for an utterance (vocal tract length normalization).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum WarpFactors {
    /// By the same factor for all utterances; 1 is no warping.
    One(f32),
    /// By the factors of a table.
    Table {
        /// Rspecifier for the factor of each utterance, or of each speaker.
        factors: MapName,
        /// Rspecifier for the speaker of each utterance, if the factors are those of speakers.
        utt2spk: Option<MapName>,
    },
}

impl Default for WarpFactors {
    fn default() -> Self {
        Self::One(1.0)
    }
}
