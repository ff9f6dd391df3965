//! Copies a PLDA model, and smooths it.
//!
//! Matches Kaldi's `ivector-copy-plda`.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::log;
use kaldi_ivector::{LengthNormalization, Plda};
use kaldi_table::{read_file, write_file};
use kaldi_value::Format;
use kaldi_value::number::general;

const USAGE: &str = "\
Copies a PLDA model. It may be smoothed, which adds a share of the covariance between speakers to that within them: this
compensates for training data with few utterances of each speaker.

Usage: ivector-copy-plda [options] <plda-rxfilename> <plda-wxfilename>
 e.g.: ivector-copy-plda --smoothing=0.1 plda plda.smooth0.1
       ivector-copy-plda --binary=false plda -
See also: ivector-compute-plda, ivector-plda-scoring
";

#[derive(clap::Args)]
struct Options {
    /// The share of the covariance between speakers that is added to that within them, from 0 to 1
    #[arg(long, default_value_t = 0.0)]
    smoothing: f32,
    /// Write in binary mode
    #[arg(long, default_value_t = true)]
    binary: bool,
    // These have no effect, as in Kaldi.
    #[command(flatten)]
    _normalization: LengthNormalization,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(ivector_copy_plda));

fn ivector_copy_plda(opts: Options) -> anyhow::Result<Tally> {
    let mut plda: Plda = read_file(&opts.source)?;
    if opts.smoothing != 0.0 {
        let before = plda.psi().clone();
        plda.smooth(f64::from(opts.smoothing))?;
        let smoothing = general(f64::from(opts.smoothing));
        log!("Smoothing within-class covariance by {smoothing}, Psi is initially: {before}");
        log!("New value of Psi is {}", plda.psi());
    }
    write_file(&opts.target, &plda, Format::from_binary(opts.binary))?;
    Ok(Tally::new(1, 0))
}
