//! Adapts a PLDA model to another domain.
//!
//! Matches Kaldi's `ivector-adapt-plda`.

use anyhow::Context;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::log;
use kaldi_ivector::{AdaptationOptions, AdaptationStats, Plda};
use kaldi_matrix::Vector;
use kaldi_table::{SequentialReader, read_file, write_file};
use kaldi_value::Format;

const USAGE: &str = "\
Adapts a PLDA model to speaker vectors of another domain, whose speakers are not known: its mean becomes theirs, and its
covariances grow in the directions in which they vary more than the model expects.

Usage: ivector-adapt-plda [options] <plda-rxfilename> <ivector-rspecifier> <plda-wxfilename>
 e.g.: ivector-adapt-plda --within-covar-scale=0.75 --between-covar-scale=0.25 plda scp:ivectors.scp plda.adapted
See also: ivector-compute-plda, ivector-copy-plda, ivector-plda-scoring
";

#[derive(clap::Args)]
struct Options {
    /// How much the difference of the means adds to the covariance of the vectors
    #[arg(long, default_value_t = 1.0)]
    mean_diff_scale: f32,
    /// The share of the excess variance that goes to the covariance within speakers
    #[arg(long, default_value_t = 0.3)]
    within_covar_scale: f32,
    /// The share of the excess variance that goes to the covariance between speakers
    #[arg(long, default_value_t = 0.7)]
    between_covar_scale: f32,
    /// Write in binary mode
    #[arg(long, default_value_t = true)]
    binary: bool,
    source: InputName,
    ivectors: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool =
    kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(ivector_adapt_plda)).whole("it is estimated from the whole table");

fn ivector_adapt_plda(opts: Options) -> anyhow::Result<Tally> {
    let plda: Plda = read_file(&opts.source)?;
    let rows = SequentialReader::<Vector<f32>>::open(&opts.ivectors)?.values();
    let mut stats = AdaptationStats::default();
    let mut done = 0;
    let ended = rows.drain(|key, ivector| {
        stats.add(&ivector).with_context(|| key.to_string())?;
        done += 1;
        anyhow::Ok(())
    })?;
    ended.finish()?;

    let options = AdaptationOptions {
        mean_diff_scale: f64::from(opts.mean_diff_scale),
        within_covar_scale: f64::from(opts.within_covar_scale),
        between_covar_scale: f64::from(opts.between_covar_scale),
    };
    let (adapted, variances) = stats.adapt(&plda, &options)?;
    log!(
        "Eigenvalues of adaptation-data total-covariance in space where training-data total-covariance is unit, is: \
         {variances}"
    );
    log!("Old diagonal of between-class covar was: {}, new diagonal is {}", plda.psi(), adapted.psi());
    write_file(&opts.target, &adapted, Format::from_binary(opts.binary))?;
    Ok(Tally::new(done, 0))
}
