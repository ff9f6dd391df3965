//! Computes mel-frequency cepstral coefficients.
//!
//! Matches Kaldi's `compute-mfcc-feats`, except that dither is noise on the samples, which is the same in every run and
//! for any number of threads (see `--seed`), and that senseless options are errors before anything is read.

use anyhow::bail;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_feat::extract::{Mfcc, MfccOptions};
use kaldi_feat::tables::{ExtractOptions, HtkHeader, WarpOptions, extract};

const USAGE: &str = "\
Computes mel-frequency cepstral coefficients (MFCC) of waveforms: the cosine transform of the log energies in mel filters,
for every frame.

Usage: compute-mfcc-feats [options] <wav-rspecifier> <feats-wspecifier>
 e.g.: compute-mfcc-feats --config=conf/mfcc.conf scp:wav.scp ark,scp:mfcc.ark,mfcc.scp
See also: compute-fbank-feats, compute-plp-feats, compute-spectrogram-feats, add-deltas
";

#[derive(clap::Args)]
struct Options {
    #[command(flatten)]
    mfcc: MfccOptions,
    #[command(flatten)]
    warp: WarpOptions,
    #[command(flatten)]
    extract: ExtractOptions,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(compute_mfcc_feats)).by_entry(0);

fn compute_mfcc_feats(opts: Options) -> anyhow::Result<Tally> {
    let mfcc = Mfcc::new(&opts.mfcc)?;
    if opts.warp.utt2spk.is_some() && opts.warp.vtln_map.is_none() {
        bail!("The --utt2spk option is only needed if the --vtln-map option is used");
    }
    // MFCC with E or 0.
    let sample_kind = 0o6 | if opts.mfcc.use_energy { 0o100 } else { 0o20000 };
    let htk = HtkHeader { sample_period: 100_000, sample_kind };
    let counts = extract(mfcc, htk, &opts.extract, &opts.warp, [&opts.source, &opts.target])?;
    Ok(Tally::new(counts.done, counts.failed))
}
