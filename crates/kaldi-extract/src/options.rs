//! Options that tools of extraction share.

use bstr::BString;
use kaldi_io::{InputName, OutputName};

/// Which part of waveforms is taken, and how features are written.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "options", derive(clap::Args))]
pub struct ExtractOptions {
    /// Form of the output, kaldi or htk
    #[cfg_attr(feature = "options", arg(long, default_value = "kaldi", value_parser = bytes()))]
    pub output_format: BString,
    /// Subtract the mean of the features of each utterance (apply-cmvn and its kin are the better way)
    #[cfg_attr(feature = "options", arg(long, default_value_t = false))]
    pub subtract_mean: bool,
    /// Channel to take, counted from 0; -1 expects one channel only, and takes the first of several with a warning
    #[cfg_attr(feature = "options", arg(long, default_value_t = -1))]
    pub channel: i32,
    /// Skip utterances that are shorter than this, in seconds
    #[cfg_attr(feature = "options", arg(long, default_value_t = 0.0))]
    pub min_duration: f32,
    /// Wspecifier for the duration of each utterance in seconds, e.g. ark,t:utt2dur
    #[cfg_attr(feature = "options", arg(long))]
    pub write_utt2dur: Option<OutputName>,
}

/// How filters are warped for an utterance (vocal tract length normalization).
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "options", derive(clap::Args))]
pub struct WarpOptions {
    /// VTLN warp factor of all utterances (without effect where there is --vtln-map)
    #[cfg_attr(feature = "options", arg(long, default_value_t = 1.0))]
    pub vtln_warp: f32,
    /// Rspecifier for the VTLN warp factor of each utterance, or of each speaker where there is --utt2spk
    #[cfg_attr(feature = "options", arg(long))]
    pub vtln_map: Option<InputName>,
    /// Rspecifier for the speaker of each utterance, where --vtln-map has factors of speakers
    #[cfg_attr(feature = "options", arg(long))]
    pub utt2spk: Option<InputName>,
}

impl Default for ExtractOptions {
    fn default() -> Self {
        Self {
            output_format: BString::from("kaldi"),
            subtract_mean: false,
            channel: -1,
            min_duration: 0.0,
            write_utt2dur: None,
        }
    }
}

impl Default for WarpOptions {
    fn default() -> Self {
        Self { vtln_warp: 1.0, vtln_map: None, utt2spk: None }
    }
}

/// Parses a name, which need not be UTF-8.
#[cfg(feature = "options")]
fn bytes() -> impl clap::builder::TypedValueParser<Value = BString> {
    use std::os::unix::ffi::OsStringExt;

    use clap::builder::{OsStringValueParser, TypedValueParser};
    OsStringValueParser::new().map(|name| BString::from(name.into_vec()))
}

#[cfg(all(test, feature = "options"))]
mod tests {
    use std::ffi::OsString;
    use std::os::unix::ffi::OsStringExt;

    use super::*;

    /// The options of a tool that was given these words.
    fn parsed<O: clap::Args>(words: &[&[u8]]) -> O {
        let command = O::augment_args(clap::Command::new("tool"));
        let words =
            std::iter::once(&b"tool"[..]).chain(words.iter().copied()).map(|word| OsString::from_vec(word.to_vec()));
        O::from_arg_matches(&command.get_matches_from(words)).unwrap()
    }

    #[test]
    fn defaults_are_the_same_with_and_without_a_command_line() {
        assert_eq!(parsed::<ExtractOptions>(&[]), ExtractOptions::default());
        assert_eq!(parsed::<WarpOptions>(&[]), WarpOptions::default());
    }

    #[test]
    fn names_are_bytes() {
        let map = parsed::<WarpOptions>(&[b"--vtln-map=ark:\xff"]).vtln_map;
        assert_eq!(map, Some(OsString::from_vec(b"ark:\xff".to_vec()).into()));
    }
}
