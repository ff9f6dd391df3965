//! Copies a logistic regression, and scales its priors.
//!
//! Matches Kaldi's `logistic-regression-copy`.

use anyhow::Context;
use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_io::log::log;
use kaldi_io::{printable_rxfilename, printable_wxfilename};
use kaldi_ivector::LogisticRegression;
use kaldi_matrix::Vector;
use kaldi_table::{read_file, write_file};
use kaldi_value::Format;

const USAGE: &str = "\
Copies a logistic regression. The prior probabilities of its classes may be scaled, which removes the effect of training
data with more of one class than of another.

Usage: logistic-regression-copy [options] <model-rxfilename> <model-wxfilename>
 e.g.: echo '[ 2.6 1.7 3.9 ]' | logistic-regression-copy --scale-priors=- 1.model scaled.model
       logistic-regression-copy --binary=false 1.model -
See also: logistic-regression-train, logistic-regression-eval
";

#[derive(clap::Args)]
struct Options {
    /// Write in binary mode
    #[arg(long, default_value_t = true)]
    binary: bool,
    /// File with a vector of factors for the priors of the classes, such as the inverse of their priors in training
    #[arg(long)]
    scale_priors: Option<InputName>,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(logistic_regression_copy));

fn logistic_regression_copy(opts: Options) -> anyhow::Result<Tally> {
    let mut model: LogisticRegression = read_file(&opts.source)?;
    if let Some(name) = &opts.scale_priors {
        let scales: Vector<f32> = read_file(name)?;
        model.scale_priors(&scales).with_context(|| printable_rxfilename(name).into_owned())?;
    }
    write_file(&opts.target, &model, Format::from_binary(opts.binary))?;
    log!("Wrote model to {}", printable_wxfilename(&opts.target));
    Ok(Tally::new(1, 0))
}
