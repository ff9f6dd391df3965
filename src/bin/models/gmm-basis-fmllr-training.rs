//! Trains bases of fMLLR transforms from statistics.
//!
//! Matches Kaldi's `gmm-basis-fmllr-training`.

use kaldi_cli::{InputName, OutputName, Tally, sum_stats};
use kaldi_gmm::AcousticModel;
use kaldi_gmm::transform::BasisFmllrStats;
use kaldi_io::log::log;
use kaldi_table::{read_file, write_file};
use kaldi_value::Format;
use kaldi_value::number::general;

const USAGE: &str = "\
Trains bases whose sums are fMLLR transforms, from statistics of many speakers.

Usage: gmm-basis-fmllr-training [options] <model-in> <bases-wxfilename> <stats-rxfilename1> [<stats-rxfilename2> ...]
 e.g.: gmm-basis-fmllr-training 1.mdl fmllr.basis 1.*.basis_stats
See also: gmm-basis-fmllr-accs, gmm-basis-fmllr-accs-gpost, gmm-est-basis-fmllr
";

#[derive(clap::Args)]
struct Options {
    /// Write in binary mode
    #[arg(long, default_value_t = true)]
    binary: bool,
    model: InputName,
    target: OutputName,
    #[arg(required = true)]
    sources: Vec<InputName>,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(gmm_basis_fmllr_training));

fn gmm_basis_fmllr_training(opts: Options) -> anyhow::Result<Tally> {
    let model: AcousticModel = read_file(&opts.model)?;
    let sum = sum_stats(&opts.sources, |sum: &mut BasisFmllrStats, stats| sum.add(&stats))?;
    let (bases, mut eigenvalues, count) = sum.estimate(&model.pdfs)?;
    eigenvalues.scale(1.0 / (2.0 * count));
    log!("The [per-frame] eigenvalues sorted from largest to smallest: {eigenvalues}");
    let total = general(eigenvalues.sum());
    log!("Sum of the [per-frame] eigenvalues, that is the log-likelihood improvement, is {total}");
    write_file(&opts.target, &bases, Format::from_binary(opts.binary))?;
    log!("Summed {} gradient scatter stats", opts.sources.len());
    log!("Generate {} bases, written to {}", bases.num_bases(), opts.target);
    Ok(Tally::new(opts.sources.len() as u64, 0))
}
