//! Computes spectrograms.
//!
//! Matches Kaldi's `compute-spectrogram-feats`, except that dither is noise on the samples, which is the same in every
//! run and for any number of threads (see `--seed`), and that senseless options are errors before anything is read.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_feat::extract::{Spectrogram, SpectrogramOptions};
use kaldi_feat::tables::{ExtractOptions, HtkHeader, WarpOptions, extract};

const USAGE: &str = "\
Computes spectrograms of waveforms: the log power at every frequency, for every frame. The first value is the log energy of
the frame.

Usage: compute-spectrogram-feats [options] <wav-rspecifier> <feats-wspecifier>
 e.g.: compute-spectrogram-feats --frame-shift=5 scp:wav.scp ark,scp:spec.ark,spec.scp
See also: compute-fbank-feats, compute-mfcc-feats, compute-plp-feats
";

#[derive(clap::Args)]
struct Options {
    #[command(flatten)]
    spectrogram: SpectrogramOptions,
    #[command(flatten)]
    extract: ExtractOptions,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(compute_spectrogram_feats)).by_entry(0);

fn compute_spectrogram_feats(opts: Options) -> anyhow::Result<Tally> {
    let spectrogram = Spectrogram::new(&opts.spectrogram)?;
    // FBANK with 0.
    let sample_period = (opts.spectrogram.frames.frame_shift * 10_000.0) as i32;
    let htk = HtkHeader { sample_period, sample_kind: 0o7 | 0o20000 };
    let counts = extract(spectrogram, htk, &opts.extract, &WarpOptions::default(), [&opts.source, &opts.target])?;
    Ok(Tally::new(counts.done, counts.failed))
}
