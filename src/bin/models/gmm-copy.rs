//! Copies a model of Gaussian mixtures.
//!
//! Matches Kaldi's `gmm-copy`, except that `--copy-tm=false` works on whole models, too: their transitions
//! are skipped.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_gmm::{AcousticModel, GaussiansOnly};
use kaldi_hmm::TransitionModel;
use kaldi_io::log::log;
use kaldi_table::{create_output, read_file, write_file};
use kaldi_value::Format;

const USAGE: &str = "\
Copies a model of Gaussian mixtures, or one of its two parts, between text and binary.

Usage: gmm-copy [options] <model-rxfilename> <model-wxfilename>
 e.g.: gmm-copy --binary=false final.mdl - | less
See also: copy-transition-model, gmm-info
";

#[derive(clap::Args)]
struct Options {
    /// Write in binary mode
    #[arg(long, default_value_t = true)]
    binary: bool,
    /// Copy the Gaussian mixtures
    #[arg(long, default_value_t = true)]
    copy_am: bool,
    /// Copy the transition model
    #[arg(long, default_value_t = true)]
    copy_tm: bool,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(gmm_copy));

fn gmm_copy(opts: Options) -> anyhow::Result<Tally> {
    let format = Format::from_binary(opts.binary);
    match (opts.copy_tm, opts.copy_am) {
        (true, true) => write_file(&opts.target, &read_file::<AcousticModel>(&opts.source)?, format)?,
        (true, false) => write_file(&opts.target, &read_file::<TransitionModel>(&opts.source)?, format)?,
        (false, true) => write_file(&opts.target, &read_file::<GaussiansOnly>(&opts.source)?, format)?,
        (false, false) => {
            // Only what every file starts with.
            let mut bytes = Vec::new();
            format.write_marker(&mut bytes);
            let mut output = create_output(&opts.target, false)?;
            output.write_all(&bytes)?;
            output.finish()?;
        }
    }
    log!("Written model to {}", opts.target);
    Ok(Tally::new(1, 0))
}
