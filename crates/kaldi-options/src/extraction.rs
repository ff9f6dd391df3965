//! Options of the extraction of features.

use kaldi_cli::Arg;
use kaldi_extract::{Error, ExtractOptions, FeatureForm, WarpFactors};
use kaldi_io::{MapName, OutputName};
use kaldi_log::warning;

/// Options of [`ExtractOptions`].
#[derive(Clone, Debug, option_table::Options)]
pub struct ExtractArguments {
    /// Form of the output, kaldi or htk
    #[option(default = "kaldi")]
    pub output_format: Arg,
    /// Subtract the mean of the features of each utterance (apply-cmvn and similar ones are the better way)
    #[option]
    pub subtract_mean: bool,
    /// Channel to take, counted from 0; -1 expects one channel only, and takes the first of several with a warning
    #[option(default = -1)]
    pub channel: i32,
    /// Skip utterances that are shorter than this, in seconds
    #[option(default = 0.0)]
    pub min_duration: f32,
    /// Wspecifier for the duration of each utterance in seconds, e.g. ark,t:utt2dur
    #[option]
    pub write_utt2dur: Option<OutputName>,
}

/// Options of [`WarpFactors`].
#[derive(Clone, Debug, option_table::Options)]
pub struct WarpArguments {
    /// VTLN warp factor of all utterances (without effect where there is --vtln-map)
    #[option(default = 1.0)]
    pub vtln_warp: f32,
    /// Rspecifier for the VTLN warp factor of each utterance, or of each speaker where there is --utt2spk
    #[option]
    pub vtln_map: Option<MapName>,
    /// Rspecifier for the speaker of each utterance, where --vtln-map has factors of speakers
    #[option]
    pub utt2spk: Option<MapName>,
}

impl TryFrom<&ExtractArguments> for ExtractOptions {
    type Error = Error;

    fn try_from(arguments: &ExtractArguments) -> Result<Self, Error> {
        let mut options = Self::default();
        options.channel = match arguments.channel {
            -1 => None,
            got => Some(usize::try_from(got).map_err(|_| Error::Channel { got })?),
        };
        let format: &[u8] = arguments.output_format.as_ref();
        options.form = match format {
            b"kaldi" => FeatureForm::Kaldi,
            b"htk" => FeatureForm::Htk,
            other => return Err(Error::OutputFormat { got: other.into() }),
        };
        options.subtract_mean = arguments.subtract_mean;
        options.min_duration = arguments.min_duration;
        options.write_utt2dur.clone_from(&arguments.write_utt2dur);
        Ok(options)
    }
}

impl From<&WarpArguments> for WarpFactors {
    fn from(arguments: &WarpArguments) -> Self {
        match &arguments.vtln_map {
            Some(factors) => Self::Table { factors: factors.clone(), utt2spk: arguments.utt2spk.clone() },
            None => {
                if arguments.utt2spk.is_some() {
                    warning!("--utt2spk has no effect without --vtln-map");
                }
                Self::One(arguments.vtln_warp)
            }
        }
    }
}
