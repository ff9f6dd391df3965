//! Computes mel filterbank energies.
//!
//! Matches Kaldi's `compute-fbank-feats`, except that dither is noise on the samples, which is the same in every run
//! and for any number of threads (see `--seed`), and that senseless options are errors before anything is read.
//! `--utt2spk` works with `--vtln-map`, as in `compute-mfcc-feats`.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_feat::extract::{Fbank, FbankOptions};
use kaldi_feat::tables::{ExtractOptions, HtkHeader, WarpOptions, extract};

const USAGE: &str = "\
Computes the log energies in mel filters of waveforms, for every frame.

Usage: compute-fbank-feats [options] <wav-rspecifier> <feats-wspecifier>
 e.g.: compute-fbank-feats --num-mel-bins=80 scp:wav.scp ark,scp:fbank.ark,fbank.scp
See also: compute-mfcc-feats, compute-plp-feats, compute-spectrogram-feats
";

#[derive(clap::Args)]
struct Options {
    #[command(flatten)]
    fbank: FbankOptions,
    #[command(flatten)]
    warp: WarpOptions,
    #[command(flatten)]
    extract: ExtractOptions,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(compute_fbank_feats)).by_entry(0);

fn compute_fbank_feats(opts: Options) -> anyhow::Result<Tally> {
    let fbank = Fbank::new(&opts.fbank)?;
    // FBANK with E or 0.
    let sample_kind = 0o7 | if opts.fbank.use_energy { 0o100 } else { 0o20000 };
    let htk = HtkHeader { sample_period: 100_000, sample_kind };
    let counts = extract(fbank, htk, &opts.extract, &opts.warp, [&opts.source, &opts.target])?;
    Ok(Tally::new(counts.done, counts.failed))
}
