//! The options of extraction.

use kaldi_io::{MapName, OutputName};

/// Which part of waveforms is taken, and how features are written.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[non_exhaustive]
pub struct ExtractOptions {
    /// Form of the output, kaldi or htk
    #[cfg_attr(feature = "cli", arg(long, value_enum, default_value_t = ExtractOptions::default().output_format))]
    pub output_format: FeatureForm,
    /// Subtract the mean of the features of each utterance (apply-cmvn and similar ones are the better way)
    #[cfg_attr(feature = "cli", arg(long, default_value_t = ExtractOptions::default().subtract_mean))]
    pub subtract_mean: bool,
    /// Channel to take, counted from 0; -1 expects one channel only, and takes the first of several with a warning
    ///
    /// That is `None`.
    #[cfg_attr(feature = "cli", arg(long, default_value = "-1", value_name = "int", value_parser = channel))]
    pub channel: std::option::Option<usize>,
    /// Skip utterances that are shorter than this, in seconds
    #[cfg_attr(feature = "cli", arg(long, default_value_t = ExtractOptions::default().min_duration))]
    pub min_duration: f32,
    /// Wspecifier for the duration of each utterance in seconds, e.g. ark,t:utt2dur
    #[cfg_attr(feature = "cli", arg(long))]
    pub write_utt2dur: Option<OutputName>,
}

/// Parses a channel; -1 is none. For clap, an `Option` by its whole name is a type like any other.
#[cfg(feature = "cli")]
fn channel(text: &str) -> Result<Option<usize>, String> {
    Ok(usize::try_from(kaldi_value::number::integer::<i64>(-1..=i32::MAX.into())(text)?).ok())
}

/// The form in which features are written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "cli", derive(clap::ValueEnum))]
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
#[cfg_attr(feature = "cli", derive(clap::Args))]
#[non_exhaustive]
pub struct WarpOptions {
    /// VTLN warp factor of all utterances (without effect where there is `vtln_map`)
    ///
    /// 1 is no warping.
    #[cfg_attr(feature = "cli", arg(long, default_value_t = WarpOptions::default().vtln_warp))]
    pub vtln_warp: f32,
    /// Rspecifier for the VTLN warp factor of each utterance, or of each speaker where there is `utt2spk`
    #[cfg_attr(feature = "cli", arg(long))]
    pub vtln_map: Option<MapName>,
    /// Rspecifier for the speaker of each utterance, where `vtln_map` has factors of speakers
    #[cfg_attr(feature = "cli", arg(long))]
    pub utt2spk: Option<MapName>,
}

impl Default for WarpOptions {
    fn default() -> Self {
        Self { vtln_warp: 1.0, vtln_map: None, utt2spk: None }
    }
}
