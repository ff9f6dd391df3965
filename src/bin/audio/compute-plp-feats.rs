//! Computes cepstra of perceptual linear prediction.
//!
//! Matches Kaldi's `compute-plp-feats`, except that dither is noise on the samples, which is the same in every run and
//! for any number of threads (see `--seed`), and that senseless options are errors before anything is read. `--utt2spk`
//! works with `--vtln-map`, as in `compute-mfcc-feats`.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_feat::extract::{Plp, PlpOptions};
use kaldi_feat::tables::{ExtractOptions, HtkHeader, WarpOptions, extract};

const USAGE: &str = "\
Computes cepstra of perceptual linear prediction (PLP) of waveforms, for every frame.

Usage: compute-plp-feats [options] <wav-rspecifier> <feats-wspecifier>
 e.g.: compute-plp-feats --config=conf/plp.conf scp:wav.scp ark,scp:plp.ark,plp.scp
See also: compute-mfcc-feats, compute-fbank-feats, compute-spectrogram-feats, add-deltas
";

#[derive(clap::Args)]
struct Options {
    #[command(flatten)]
    plp: PlpOptions,
    #[command(flatten)]
    warp: WarpOptions,
    #[command(flatten)]
    extract: ExtractOptions,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(compute_plp_feats)).by_entry(0);

fn compute_plp_feats(opts: Options) -> anyhow::Result<Tally> {
    let plp = Plp::new(&opts.plp)?;
    // PLP with 0.
    let htk = HtkHeader { sample_period: 100_000, sample_kind: 0o13 | 0o20000 };
    let counts = extract(plp, htk, &opts.extract, &opts.warp, [&opts.source, &opts.target])?;
    Ok(Tally::new(counts.done, counts.failed))
}
