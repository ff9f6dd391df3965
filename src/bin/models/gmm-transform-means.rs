//! Transforms the means of a model of Gaussian mixtures.
//!
//! Matches Kaldi's `gmm-transform-means`.

use kaldi_cli::{InputName, OutputName, Tally};
use kaldi_gmm::AcousticModel;
use kaldi_io::log::log;
use kaldi_matrix::Matrix;
use kaldi_table::{read_file, write_file};
use kaldi_value::Format;

const USAGE: &str = "\
Transforms the means of all Gaussians, linearly or with an offset in the last column.

Usage: gmm-transform-means [options] <transform-rxfilename> <model-rxfilename> <model-wxfilename>
 e.g.: gmm-transform-means mllt.mat 2.mdl 3.mdl
See also: transform-feats, est-mllt, gmm-info
";

#[derive(clap::Args)]
struct Options {
    /// Write in binary mode
    #[arg(long, default_value_t = true)]
    binary: bool,
    transform: InputName,
    source: InputName,
    target: OutputName,
}

pub const TOOL: kaldi_cli::Tool = kaldi_cli::Tool::new(USAGE, &kaldi_cli::Work(gmm_transform_means));

fn gmm_transform_means(opts: Options) -> anyhow::Result<Tally> {
    let transform: Matrix<f32> = read_file(&opts.transform)?;
    let mut model: AcousticModel = read_file(&opts.source)?;
    model.pdfs = model.pdfs.with_transformed_means(&transform)?;
    write_file(&opts.target, &model, Format::from_binary(opts.binary))?;
    log!("Written model to {}", opts.target);
    Ok(Tally::new(1, 0))
}
