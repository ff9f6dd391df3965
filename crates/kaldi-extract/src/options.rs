//! Options that tools of extraction share.

use kaldi_cli::Arg;

/// Which part of waveforms is taken, and how features are written.
#[derive(Clone, Debug, clap::Args)]
pub struct ExtractOptions {
    /// Form of the output, kaldi or htk
    #[arg(long, default_value = "kaldi")]
    pub output_format: Arg,
    /// Subtract the mean of the features of each utterance (apply-cmvn and its kin are the better way)
    #[arg(long, default_value_t = false)]
    pub subtract_mean: bool,
    /// Channel to take, counted from 0; -1 expects one channel only, and takes the first of several with a warning
    #[arg(long, default_value_t = -1)]
    pub channel: i32,
    /// Skip utterances that are shorter than this, in seconds
    #[arg(long, default_value_t = 0.0)]
    pub min_duration: f32,
    /// Wspecifier for the duration of each utterance in seconds, e.g. ark,t:utt2dur
    #[arg(long)]
    pub write_utt2dur: Option<Arg>,
}

/// How filters are warped for an utterance (vocal tract length normalization).
#[derive(Clone, Debug, clap::Args)]
pub struct WarpOptions {
    /// VTLN warp factor of all utterances (without effect where there is --vtln-map)
    #[arg(long, default_value_t = 1.0)]
    pub vtln_warp: f32,
    /// Rspecifier for the VTLN warp factor of each utterance, or of each speaker where there is --utt2spk
    #[arg(long)]
    pub vtln_map: Option<Arg>,
    /// Rspecifier for the speaker of each utterance, where --vtln-map has factors of speakers
    #[arg(long)]
    pub utt2spk: Option<Arg>,
}

impl Default for WarpOptions {
    fn default() -> Self {
        Self { vtln_warp: 1.0, vtln_map: None, utt2spk: None }
    }
}
